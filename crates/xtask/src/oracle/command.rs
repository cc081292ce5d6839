//! `cargo xtask oracle`: builds the program and says what it is made of.

use serde_json::json;

use super::{Pool, record};
use crate::args::Args;

/// The modules whose versions matter to whoever reads a difference.
const MODULES: &[&str] = &[
    "go",
    "github.com/fluxcd/pkg/kustomize",
    "github.com/fluxcd/pkg/envsubst",
    "sigs.k8s.io/kustomize/api",
    "sigs.k8s.io/kustomize/kyaml",
    "sigs.k8s.io/yaml",
];

/// Builds the program; with `--record` renews `oracle/recorded`.
pub fn command(mut args: Args) -> Result<(), String> {
    let renew = args.flag("--record");
    args.done()?;
    let pool = Pool::new().map_err(|reason| format!("ERROR: NO ORACLE. {reason}"))?;
    let answer = pool.ask(&json!({"op": "version"}));
    for module in MODULES {
        let version = answer.output.as_ref().and_then(|all| all[module].as_str());
        println!("{module} {}", version.unwrap_or("?"));
    }
    if renew {
        print!("{}", record(&pool)?);
    }
    Ok(())
}
