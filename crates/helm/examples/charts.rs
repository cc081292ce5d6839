//! Renders chart archives with their default values and writes the texts as
//! JSON, one line a chart: `charts API_VERSIONS < PATHS`.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gotmpl::value::types::ANY_MAP;
use gotmpl::value::{Map, Str};
use helm::release::{Capabilities, Release};
use helm::{Compiled, Data, Options, dependencies, json, load, values};

fn main() {
    let versions = std::env::args().nth(1).unwrap_or_default();
    let thread = std::thread::Builder::new().stack_size(1 << 30);
    let run = thread.spawn(move || render_all(&versions));
    if let Ok(run) = run {
        let _ = run.join();
    }
}

fn render_all(versions: &str) {
    let capabilities = Capabilities {
        kube_version: "v1.36.0".to_owned(),
        api_versions: versions.split(',').map(str::to_owned).collect(),
        helm_version: "v4.2".to_owned(),
    };
    let mut total = Duration::ZERO;
    for path in std::io::stdin().lock().lines().map_while(Result::ok) {
        let start = Instant::now();
        let result = render(&path, &capabilities);
        total += start.elapsed();
        let (texts, error) = match result {
            Ok(texts) => (texts, String::new()),
            Err(error) => (BTreeMap::new(), error),
        };
        let out = Map::new(&ANY_MAP);
        for (name, text) in texts {
            out.insert(Str::from(name), gotmpl::Value::string(text));
        }
        let line = Map::new(&ANY_MAP);
        line.insert("path".into(), path.as_str().into());
        line.insert("out".into(), out.into());
        line.insert("error".into(), error.into());
        println!(
            "{}",
            json::write(&line.into(), json::Style::default()).unwrap_or_default()
        );
    }
    eprintln!("total {total:?}");
}

fn render(path: &str, capabilities: &Capabilities) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let mut chart = load::archive(&bytes)?;
    let given = Data::map();
    dependencies::enable(&mut chart, &given)?;
    dependencies::import_values(&mut chart)?;
    let values = values::coalesce(&chart, &given, &mut Vec::new())?;
    let release = Release {
        name: "rel".to_owned(),
        namespace: "ns".to_owned(),
        revision: 1,
        is_upgrade: false,
    };
    let compiled = Compiled::new(Arc::new(chart)).map_err(|e| e.to_string())?;
    let top = release.top(&values, capabilities);
    let rendered = compiled
        .render(&top, &Options::default())
        .map_err(|e| e.to_string())?;
    Ok(rendered.texts)
}
