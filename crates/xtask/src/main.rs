//! `cargo xtask COMMAND`.

use std::path::PathBuf;
use std::process::ExitCode;

use xtask::args::Args;
use xtask::{
    bench, conformance, corpus_check, defects, diff_flux, diff_helm, diff_kustomize, diff_release,
    diff_template, diff_yaml, envsubst_wild, fuzz_seeds, helm_data, kubeapi, oracle, paths,
    process, render_oracle, simulate, sources, tables, unicode,
};

const USAGE: &str = "usage: cargo xtask COMMAND [ARGUMENT…]

  oracle [--record]     build the upstream program; renew oracle/recorded
  conformance [--prove] [SUITE…]
                        upstream's own test rows; --prove puts those that do not count to
                        the pinned library
  render-oracle [--git DIR]
                        folders of the corpus repositories against kubectl kustomize
  envsubst-wild         variable expressions of the corpus repositories
                        These three: --list names each failing row, --update takes better counts
                        over (they never go down), --upstream asks the upstream program instead
  diff-kustomize [--git | --trees DIR | --cases N [--seed S]]
                        every directory of the corpus with a kustomization file, or random
                        trees, natively and by upstream
  diff-flux [--cases N] [--seed S]
                        random trees under random Flux Kustomizations, likewise
  diff-helm [WORD…] | --random N [--seed S]
                        chart archives of the mirror, or random charts, natively and by
                        Helm's library
  diff-release [REPO…]  HelmReleases of the corpus repositories, natively and by
                        helm-controller's own code
  diff-yaml [--cases N] [--seed S] [--messages] [WAY…]
                        random texts through the native reader and writers and upstream's
  diff-template [--cases N] [--seed S]
                        random templates on typed data, natively and by Go's text/template
  corpus [--no-compare] [--no-check] [--errors] [--refusals] [REPO…]
                        `check` of every corpus repository, and each Kustomization
                        against the upstream libraries
  defects --git DIR [--jobs N] [--kind KIND] [REPO…]
                        defects of the corpus repositories' histories: named at the commit
                        that has one, not named at the one that mends it
  bench [check] [--count N]
                        `check --offline` of the largest corpus repositories against
                        `kubectl kustomize` once a directory
  bench kustomize [--rounds N]
                        reading YAML and building directories in process against the Go
                        libraries, and whole programs against `kustomize build`
  bench helm [--rounds N] [--every N] [--repositories] [--program FILE]
                        charts in process against Helm's library, whole programs against
                        `helm template`, and whole repositories against flate and against
                        loops of `flux build` and `helm template`
  bench sources [--rounds N] [REPO…]
                        what of a run goes to having charts and other sources, cold and warm
  sources [corpus] [--show] [REPO…]
                        the corpus repositories with all they pin on servers of this machine:
                        cold, warm, offline, and from a copy that `vendor` made
  sources crowd [--processes N] [REPO]
                        many processes at once on one cold cache
  sources kill [--kills N] [--seed S] [REPO]
                        processes killed at random, and the caches they leave
                        These three run a release build, or --program FILE
  simulate [--count N] [--seed S] [--mutate] [--shrink]
                        random repositories through the whole pipeline, and through a
                        simulation of the controllers; --mutate also without each kind of edge
  fuzz-seeds [--count N] [--seed S] [DIR]
                        first inputs of the fuzz targets from the random generators
  kubeapi DIR…          write crates/kubeapi/data/kinds.tsv from unpacked Go modules
  tables [--module-dir DIR]
                        write crates/kustomize/data from the kustomize Go modules
  helm-data             write crates/helm/data from Helm's library
  unicode               write crates/gotmpl/src/unicode/tables.rs from the Go toolchain
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
        "oracle" => oracle::command(args),
        "conformance" => conformance::command(args),
        "render-oracle" => render_oracle::command(args),
        "envsubst-wild" => envsubst_wild::command(args),
        "fuzz-seeds" => fuzz_seeds::command(args),
        "diff-flux" => diff_flux::command(args),
        "diff-helm" => diff_helm::command(args),
        "diff-kustomize" => diff_kustomize::command(args),
        "diff-release" => diff_release::command(args),
        "diff-template" => diff_template::command(args),
        "diff-yaml" => diff_yaml::command(args),
        "corpus" => corpus_check::command(args),
        "defects" => defects::command(args),
        "bench" => bench::command(args),
        "sources" => sources::command(args),
        "simulate" => simulate::command(args),
        "measure" => process::measure(args),
        "kubeapi" => write_kubeapi(args),
        "tables" => tables::run(args),
        "helm-data" => helm_data::run(args),
        "unicode" => unicode::run(args),
        _ => Err(USAGE.to_owned()),
    }
}

fn write_kubeapi(args: Args) -> Result<(), String> {
    let modules: Vec<PathBuf> = args.rest()?.iter().map(PathBuf::from).collect();
    let table = kubeapi::table(&modules)?;
    let path = paths::root().join("crates/kubeapi/data/kinds.tsv");
    std::fs::write(&path, table).map_err(|e| format!("{}: {e}", path.display()))
}
