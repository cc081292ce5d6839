//! Flags and arguments. The doc comments are what `--help` prints.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lint::Severity;

mod file;
mod graph;
mod network;
mod template;

pub use graph::{GraphArgs, GraphFormat};
pub use network::{CacheArgs, CacheCommand, NetworkArgs, VendorArgs};
pub use template::TemplateArgs;

/// Will this Flux repository converge, how long can it take, and what will it
/// do to the cluster?
///
/// Exit status: 0 nothing found, 1 findings, 2 could not run.
#[derive(Parser)]
#[command(name = "fluxlint", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,

    /// Show no progress and no summary: findings and failures only.
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// Judge a repository.
    Check(CheckArgs),
    /// Say how long it takes until everything is ready, and why.
    Timing(TimingArgs),
    /// Print what Flux would apply.
    Render(RenderArgs),
    /// Render natively and with the upstream programs on PATH, and print every
    /// difference.
    Verify(VerifyArgs),
    /// Draw what comes before what.
    Graph(GraphArgs),
    /// Build a directory as `kustomize build` does.
    Kustomize(KustomizeArgs),
    /// Render a chart as `helm template` does.
    Template(Box<TemplateArgs>),
    /// Write a first `.fluxlint.yaml`: the entrypoints found, and what is missing
    /// from the files and probably made outside Git.
    Init(InitArgs),
    /// Print what a rule means, why it matters and what to do.
    Explain(ExplainArgs),
    /// List all rules.
    Rules(RulesArgs),
    /// Print the version.
    Version,
    /// Copy everything a repository pins into a directory, for machines without
    /// a network.
    Vendor(VendorArgs),
    /// Look after what was fetched.
    Cache(CacheArgs),
    /// Print things about `.fluxlint.yaml`.
    Config(ConfigArgs),
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
    /// Print the manual page, or that of a command.
    Man(ManArgs),
}

/// Which repository, and how it is read.
#[derive(Args)]
pub struct RepoArgs {
    /// The repository. Default: the one around the current directory.
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,

    /// Read a commit instead of the working tree: a branch, a tag, a hash,
    /// HEAD~2. Its own .fluxlint.yaml counts, unless --config names another.
    #[arg(long, value_name = "COMMIT")]
    pub rev: Option<String>,

    /// The configuration. Default: .fluxlint.yaml in the repository's root.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub network: NetworkArgs,
}

#[derive(Args)]
pub struct CheckArgs {
    /// The directories clusters start from: what `flux bootstrap` was given as
    /// --path. Default: those of the configuration, else those that are found.
    #[arg(value_name = "ENTRYPOINT")]
    pub entrypoints: Vec<String>,

    #[command(flatten)]
    pub repo: RepoArgs,

    /// The form of the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,

    /// Write the result to a file, which is there only once it is complete.
    #[arg(short, long, value_name = "FILE", value_parser = file::parser())]
    pub output: Option<PathBuf>,

    /// Write the result to a file in a further form, such as
    /// `gitlab=code-quality.json`. May be given several times.
    #[arg(long = "report", value_name = "FORM=FILE", value_parser = report_file)]
    pub reports: Vec<(ReportFormat, PathBuf)>,

    /// The severity from which findings make the exit status 1. Findings about
    /// time never do, unless `rules:` raises them.
    #[arg(long, value_enum, default_value_t)]
    pub fail_on: FailOn,

    /// Run this rule only, named by its id or its name, even where `rules:`
    /// switches it off. May be given several times.
    #[arg(long, value_name = "RULE")]
    pub only: Vec<String>,

    /// Durations measured in a cluster: `kubectl get kustomizations,helmreleases
    /// -A -o json`, metrics in Prometheus' text format, or a YAML mapping of
    /// components to durations. May be given several times; `-` is standard
    /// input.
    #[arg(long, value_name = "FILE")]
    pub observed: Vec<PathBuf>,

    /// What the cluster reports, from `kubectl get kustomizations,helmreleases
    /// -A -o json`, to be compared with what is found. `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub cluster_state: Option<PathBuf>,

    /// What renders. `upstream` takes what the programs on PATH make: slow, and a
    /// second opinion.
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    pub engine: EngineChoice,

    #[command(flatten)]
    pub baseline: BaselineArgs,

    /// Show notes, and list all that is alike.
    #[arg(short, long)]
    pub verbose: bool,
}

/// Findings that were there before.
#[derive(Args)]
pub struct BaselineArgs {
    /// Leave out the findings recorded in a file. What is recorded and no longer
    /// found is pointed out.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Record all errors and warnings there are now in the file of --baseline,
    /// and end with 0.
    #[arg(long, requires = "baseline", conflicts_with_all = ["update_baseline", "only"])]
    pub write_baseline: bool,

    /// Take out of the file of --baseline what is no longer found. Nothing is
    /// added.
    #[arg(long, requires = "baseline")]
    pub update_baseline: bool,
}

#[derive(Args)]
pub struct InitArgs {
    /// The directories clusters start from: what `flux bootstrap` was given as
    /// --path. Default: those that are found.
    #[arg(value_name = "ENTRYPOINT")]
    pub entrypoints: Vec<String>,

    /// The repository. Default: the one around the current directory.
    #[arg(long, value_name = "DIR")]
    pub repo: Option<PathBuf>,

    /// Print the configuration and write nothing.
    #[arg(long, visible_alias = "dry-run", conflicts_with = "force")]
    pub stdout: bool,

    /// Replace a configuration that is there already.
    #[arg(long)]
    pub force: bool,
}

#[derive(Args)]
pub struct TimingArgs {
    /// The directories clusters start from. Default: those of the
    /// configuration, else those that are found.
    #[arg(value_name = "ENTRYPOINT")]
    pub entrypoints: Vec<String>,

    #[command(flatten)]
    pub repo: RepoArgs,

    /// What happens: `empty` (nothing is there), `commit=COMPONENT` (everything is
    /// ready, and a commit changes it), `failure=COMPONENT` (it never becomes
    /// ready), or `restart` (everything is reconciled anew). A component is
    /// `namespace/name` of a Kustomization or `HelmRelease/namespace/name`.
    #[arg(long, default_value = "empty", value_name = "SCENARIO")]
    pub scenario: String,

    /// What if A did not depend on B. May be given several times.
    #[arg(long, value_name = "A:B")]
    pub without: Vec<String>,

    /// What if a component had this timeout: `flux-system/apps=2m`. May be given
    /// several times.
    #[arg(long, value_name = "COMPONENT=TIME")]
    pub timeout: Vec<String>,

    /// How long components took in a real cluster: `kubectl get
    /// kustomizations,helmreleases -A -o json`, metrics of the controllers, or a
    /// YAML map. `-` is standard input. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub observed: Vec<PathBuf>,

    /// The form of the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: TimingFormat,

    /// Write the result to a file.
    #[arg(short, long, value_name = "FILE", value_parser = file::parser())]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct RenderArgs {
    /// The components to print, `namespace/name` of a Kustomization or
    /// `HelmRelease/namespace/name`. Default: all.
    #[arg(value_name = "COMPONENT")]
    pub components: Vec<String>,

    #[command(flatten)]
    pub repo: RepoArgs,

    /// Only this entrypoint. May be given several times.
    #[arg(long = "entrypoint", value_name = "DIR")]
    pub entrypoints: Vec<String>,

    /// Only this object, `Kind/namespace/name` or `Kind/name`. May be given
    /// several times.
    #[arg(long = "object", value_name = "OBJECT")]
    pub objects: Vec<String>,

    /// The form of the objects.
    #[arg(long, value_enum, default_value_t)]
    pub format: ObjectFormat,

    /// Write the objects to a file.
    #[arg(short, long, value_name = "FILE", value_parser = file::parser())]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct VerifyArgs {
    /// The directories clusters start from. Default: those of the
    /// configuration, else those that are found.
    #[arg(value_name = "ENTRYPOINT")]
    pub entrypoints: Vec<String>,

    #[command(flatten)]
    pub repo: RepoArgs,

    /// The form of the result.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,

    /// Write the result to a file.
    #[arg(short, long, value_name = "FILE", value_parser = file::parser())]
    pub output: Option<PathBuf>,
}

/// What renders.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum EngineChoice {
    /// fluxlint itself.
    #[default]
    Native,
    /// The upstream programs on PATH.
    Upstream,
}

#[derive(Args)]
pub struct KustomizeArgs {
    /// The directory with the kustomization file.
    #[arg(value_name = "DIR", default_value = ".")]
    pub directory: PathBuf,

    /// Write the objects to a file or, when it is a directory, to a file each.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,

    /// Whether files may be read from outside of the directory.
    #[arg(long, value_enum, default_value_t, value_name = "RESTRICTOR")]
    pub load_restrictor: LoadRestrictor,

    /// Order the objects whatever `sortOptions` says.
    #[arg(long, value_enum, value_name = "ORDER")]
    pub reorder: Option<Reorder>,

    /// Refused, as the two below: no program is ever run.
    #[arg(long, hide = true)]
    pub enable_alpha_plugins: bool,

    /// Refused.
    #[arg(long, hide = true)]
    pub enable_helm: bool,

    /// Refused.
    #[arg(long, hide = true)]
    pub enable_exec: bool,
}

#[derive(Args)]
pub struct ExplainArgs {
    /// The rule's id or name: FL-G002, bootstrap-deadlock.
    #[arg(value_name = "RULE")]
    pub rule: String,
}

#[derive(Args)]
pub struct RulesArgs {
    /// The form of the list.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub command: ConfigCommand,
}

#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Print the JSON Schema of `.fluxlint.yaml`.
    Schema,
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// The command.
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,

    /// Write all pages to this directory, which is made where it is missing.
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub output: Option<PathBuf>,
}

/// When to use colours.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum Color {
    /// On terminals, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes it the choice for all output.
    pub fn apply(self) {
        let choice = match self {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum ReportFormat {
    /// For people.
    #[default]
    Text,
    /// All there is, for programs; see docs/json.md.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// A GitLab Code Quality report.
    Gitlab,
    /// Annotations in GitHub Actions.
    Github,
    /// JUnit XML: a test a component.
    Junit,
    /// A comment on a merge request.
    Markdown,
    /// A page of its own.
    Html,
}

/// Reads `FORM=FILE`.
fn report_file(text: &str) -> Result<(ReportFormat, PathBuf), String> {
    let (form, file) = text.split_once('=').unwrap_or((text, ""));
    let form = ReportFormat::from_str(form, false).map_err(|_| {
        let forms: Vec<_> = ReportFormat::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        format!("there is no form `{form}`, only {}", forms.join(", "))
    })?;
    match file.is_empty() {
        true => Err("write it as FORM=FILE".into()),
        false => Ok((form, file.into())),
    }
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum TimingFormat {
    /// A table, for people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// A chart of when each component is under way.
    Svg,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum ObjectFormat {
    /// A document an object.
    #[default]
    Yaml,
    /// One List of all objects.
    Json,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum FailOn {
    /// Errors.
    #[default]
    Error,
    /// Errors and warnings.
    Warning,
}

impl FailOn {
    /// The least severity that fails.
    pub fn severity(self) -> Severity {
        match self {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
        }
    }
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum LoadRestrictor {
    /// Only files below the directory; bases may be anywhere.
    #[default]
    #[value(name = "LoadRestrictionsRootOnly")]
    RootOnly,
    /// Any file.
    #[value(name = "LoadRestrictionsNone")]
    None,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Reorder {
    /// Namespaces first, webhooks last.
    Legacy,
    /// As they are met.
    None,
}
