//! How long releases of chart archives take, loaded once: `releases ROUNDS < PATHS`.

use std::io::BufRead;
use std::time::{Duration, Instant};

use helm::{Capabilities, Data, Options, Package, Release, Request};

fn main() {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let rounds: u32 = rounds.unwrap_or(10);
    let (mut load, mut first, mut rest) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut count = 0u32;
    for path in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let start = Instant::now();
        let Ok(chart) = helm::load::archive(&bytes) else {
            continue;
        };
        let package = Package::new(chart);
        let loaded = start.elapsed();
        let start = Instant::now();
        if let Err(error) = render(&package) {
            eprintln!("{path}: {error}");
            continue;
        }
        let cold = start.elapsed();
        let start = Instant::now();
        for _ in 0..rounds {
            let _ = render(&package);
        }
        let warm = start.elapsed() / rounds.max(1);
        let name = path.rsplit('/').next().unwrap_or_default();
        println!("{loaded:>12.1?} {cold:>12.1?} {warm:>12.1?}  {name}");
        (load, first, rest) = (load + loaded, first + cold, rest + warm);
        count += 1;
    }
    println!("{load:>12.1?} {first:>12.1?} {rest:>12.1?}  {count} charts: load, first, next");
}

fn render(package: &Package) -> Result<usize, helm::Error> {
    let release = Release {
        name: "rel".to_owned(),
        namespace: "ns".to_owned(),
        revision: 1,
        is_upgrade: false,
    };
    let output = package.render(&Request {
        values: &Data::map(),
        release: &release,
        capabilities: &Capabilities::default(),
        options: &Options::default(),
        skip_schema: false,
    })?;
    Ok(output.manifests.len())
}
