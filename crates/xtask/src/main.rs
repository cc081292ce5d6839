//! `cargo xtask COMMAND`.

use std::path::PathBuf;
use std::process::ExitCode;

use xtask::args::Args;
use xtask::conformance::Mode;
use xtask::engine::Upstream;
use xtask::{kubeapi, oracle, paths, tables};

const USAGE: &str = "usage: cargo xtask COMMAND [ARGUMENT…]

  oracle [--record]     build the upstream program; renew oracle/recorded
  conformance [--list] [--update] [--upstream] [SUITE…]
                        upstream's own test rows; counts never go down. --upstream asks the
                        upstream program instead of the native crates
  kubeapi DIR…          write crates/kubeapi/data/kinds.tsv from unpacked Go modules
  tables [--module-dir DIR]
                        write crates/kustomize/data from the kustomize Go modules
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    match run(&command, Args::new(args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn run(command: &str, args: Args) -> Result<(), String> {
    match command {
        "oracle" => build_oracle(args),
        "conformance" => conformance(args),
        "kubeapi" => write_kubeapi(args),
        "tables" => tables::run(args),
        _ => Err(USAGE.to_owned()),
    }
}

fn build_oracle(mut args: Args) -> Result<(), String> {
    let record = args.flag("--record");
    args.done()?;
    let pool = oracle::Pool::new().map_err(|reason| format!("NO ORACLE. {reason}"))?;
    let answer = pool.ask(&serde_json::json!({"op": "version"}));
    for module in [
        "go",
        "github.com/fluxcd/pkg/kustomize",
        "github.com/fluxcd/pkg/envsubst",
        "sigs.k8s.io/kustomize/api",
        "sigs.k8s.io/kustomize/kyaml",
        "sigs.k8s.io/yaml",
    ] {
        let version = answer.output.as_ref().and_then(|all| all[module].as_str());
        println!("{module} {}", version.unwrap_or("?"));
    }
    if record {
        print!("{}", oracle::record(&pool)?);
    }
    Ok(())
}

fn conformance(mut args: Args) -> Result<(), String> {
    let mode = Mode {
        update: args.flag("--update"),
        list: args.flag("--list"),
        upstream: args.flag("--upstream"),
    };
    let suites = args.rest()?;
    xtask::conformance::run(&suites, &Upstream::new()?, mode)
}

fn write_kubeapi(args: Args) -> Result<(), String> {
    let modules: Vec<PathBuf> = args.rest()?.iter().map(PathBuf::from).collect();
    let table = kubeapi::table(&modules)?;
    let path = paths::root().join("crates/kubeapi/data/kinds.tsv");
    std::fs::write(&path, table).map_err(|e| format!("{}: {e}", path.display()))
}
