//! Benchmarks, corpora, conformance and generated tables of fluxlint.

mod kubeapi;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND [ARGUMENT…]

  kubeapi DIR…   write crates/kubeapi/data/kinds.tsv from unpacked Go modules
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    let result = match command.as_str() {
        "kubeapi" => write_kubeapi(&args),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn write_kubeapi(args: &[String]) -> Result<(), String> {
    let modules: Vec<PathBuf> = args.iter().map(PathBuf::from).collect();
    let table = kubeapi::table(&modules)?;
    let path = root().join("crates/kubeapi/data/kinds.tsv");
    std::fs::write(&path, table).map_err(|e| format!("{}: {e}", path.display()))
}
