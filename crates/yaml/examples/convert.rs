//! Reads a file of resources and prints it as the tools would.
//!
//!     cargo run --example convert -- [json|yaml|kept] FILE

use std::process::ExitCode;

use yaml::{Limits, Node, Sources, canonical, emit_v3, json_to_yaml, parse, to_json};

fn shown(how: &str, document: &Node) -> Result<String, yaml::Error> {
    match how {
        // As `kustomize build` prints it.
        "yaml" => json_to_yaml(&canonical(document)?),
        // As the API server gets it.
        "json" => canonical(document).map(|node| to_json(&node) + "\n"),
        // With order, quotes and flow collections as they were.
        _ => Ok(emit_v3(document)),
    }
}

fn run(how: &str, path: &str) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
    let sources = Sources::new();
    let text = yaml::decode(&bytes, yaml::FileId::NONE).map_err(|e| format!("{path}: {e}"))?;
    let file = sources.add(path, text.as_ref());
    let placed = |error: yaml::Error| match sources.location(error.span) {
        Some(place) => format!("{}:{}:{}: {error}", place.file, place.line, place.column),
        None => format!("{path}: {error}"),
    };
    for (index, document) in parse(&text, file, &Limits::default())
        .map_err(placed)?
        .iter()
        .enumerate()
    {
        if index > 0 && how != "json" {
            println!("---");
        }
        print!("{}", shown(how, document).map_err(placed)?);
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [path] => run("yaml", path),
        [how, path] => run(how, path),
        _ => Err("usage: convert [json|yaml|kept] FILE".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
