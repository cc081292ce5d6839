//! Flags of `fluxlint template`: those of `helm template`.

use std::path::PathBuf;

use clap::{ArgAction, Args};

#[derive(Args)]
pub struct TemplateArgs {
    /// The release's name, unless it is made otherwise, and the chart: a
    /// directory or a packed archive.
    #[arg(value_name = "NAME|CHART", num_args = 0..)]
    pub positions: Vec<String>,

    #[command(flatten)]
    pub values: ValueArgs,

    /// The release's namespace. Default: what HELM_NAMESPACE says, else
    /// `default`.
    #[arg(short, long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,

    /// A template of the release's name.
    #[arg(long, value_name = "TEMPLATE")]
    pub name_template: Option<String>,

    /// Make the name of the chart's and the time.
    #[arg(short, long)]
    pub generate_name: bool,

    /// Print CRDs of `crds` directories, too.
    #[arg(long)]
    pub include_crds: bool,

    /// APIs that the cluster has beside Kubernetes' own: `group/version` or
    /// `group/version/Kind`. May be given several times, or with commas.
    #[arg(short, long, value_name = "VERSION", value_delimiter = ',')]
    pub api_versions: Vec<String>,

    /// The version of Kubernetes.
    #[arg(long, value_name = "VERSION")]
    pub kube_version: Option<String>,

    /// Print only what these templates make, named relative to the chart, with
    /// `*` for any part of a name. May be given several times.
    #[arg(short, long, value_name = "TEMPLATE")]
    pub show_only: Vec<String>,

    /// Leave hooks out.
    #[arg(long)]
    pub no_hooks: bool,

    /// Leave hooks of `helm test` out.
    #[arg(long)]
    pub skip_tests: bool,

    /// Have templates see an upgrade, not an install.
    #[arg(long)]
    pub is_upgrade: bool,

    /// Write a file a template below this directory.
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,

    /// Write them below a directory of the release's name.
    #[arg(long)]
    pub release_name: bool,

    /// Take values that the chart's schema does not allow.
    #[arg(long)]
    pub skip_schema_validation: bool,

    /// Print what was rendered even where it is no YAML.
    #[arg(long)]
    pub debug: bool,

    #[command(flatten)]
    pub refused: RefusedArgs,

    #[command(flatten)]
    pub ignored: IgnoredArgs,
}

/// Values of the user.
#[derive(Args)]
pub struct ValueArgs {
    /// Values in a YAML file; `-` is standard input. May be given several
    /// times, or with commas.
    #[arg(
        short = 'f',
        long = "values",
        value_name = "FILE",
        value_delimiter = ','
    )]
    pub values: Vec<String>,

    /// Set values: `a.b=1,c={d,e}`. May be given several times.
    #[arg(long, value_name = "VALUES")]
    pub set: Vec<String>,

    /// Set values that are texts. May be given several times.
    #[arg(long, value_name = "VALUES")]
    pub set_string: Vec<String>,

    /// Set values that are JSON: `a.b=[1]`, or a whole object. May be given
    /// several times.
    #[arg(long, value_name = "VALUES")]
    pub set_json: Vec<String>,

    /// Set values to the texts of files: `a.b=file`. May be given several times.
    #[arg(long, value_name = "VALUES")]
    pub set_file: Vec<String>,

    /// Set a value to a text as it is. May be given several times.
    #[arg(long, value_name = "VALUE")]
    pub set_literal: Vec<String>,
}

/// What needs a cluster, a network or another program.
#[derive(Args)]
pub struct RefusedArgs {
    #[arg(long, hide = true)]
    pub validate: bool,
    #[arg(long, hide = true)]
    pub dependency_update: bool,
    #[arg(long, hide = true)]
    pub enable_dns: bool,
    #[arg(long, hide = true)]
    pub verify: bool,
    #[arg(long, hide = true)]
    pub repo: Option<String>,
    #[arg(long, hide = true)]
    pub post_renderer: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true)]
    pub dry_run: Option<Option<String>>,
}

impl RefusedArgs {
    /// The first flag that is given, and why it cannot be done here.
    pub fn first(&self) -> Option<(&'static str, &'static str)> {
        let server = matches!(&self.dry_run, Some(Some(how)) if how == "server");
        let all = [
            (self.validate, "--validate", "it asks a cluster"),
            (server, "--dry-run=server", "it asks a cluster"),
            (
                self.dependency_update,
                "--dependency-update",
                "it uses the network; run `helm dependency update`",
            ),
            (self.enable_dns, "--enable-dns", "it uses the network"),
            (
                self.repo.is_some(),
                "--repo",
                "it uses the network; run `helm pull`",
            ),
            (self.verify, "--verify", "it needs keys"),
            (
                self.post_renderer.is_some(),
                "--post-renderer",
                "it runs a program; give it the output instead",
            ),
        ];
        let given = all.into_iter().find(|(given, ..)| *given);
        given.map(|(_, flag, why)| (flag, why))
    }
}

/// What changes nothing of the result.
#[derive(Args)]
pub struct IgnoredArgs {
    #[arg(long, hide = true)]
    create_namespace: bool,
    #[arg(long, hide = true)]
    force_replace: bool,
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true)]
    force_conflicts: bool,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true)]
    server_side: Option<Option<String>>,
    #[arg(long, hide = true)]
    replace: bool,
    #[arg(long, hide = true)]
    timeout: Option<String>,
    #[arg(long, hide = true)]
    wait_for_jobs: bool,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true)]
    wait: Option<Option<String>>,
    #[arg(long, hide = true)]
    description: Option<String>,
    #[arg(long, hide = true)]
    devel: bool,
    #[arg(long, hide = true)]
    disable_openapi_validation: bool,
    #[arg(long, hide = true)]
    rollback_on_failure: bool,
    #[arg(long, hide = true)]
    atomic: bool,
    #[arg(long, hide = true)]
    skip_crds: bool,
    #[arg(long, hide = true)]
    render_subchart_notes: bool,
    #[arg(long, hide = true)]
    hide_notes: bool,
    #[arg(long, hide = true)]
    take_ownership: bool,
    #[arg(short, long, hide = true, action = ArgAction::Append)]
    labels: Vec<String>,
    #[arg(long, hide = true)]
    version: Option<String>,
    #[arg(long, hide = true)]
    keyring: Option<String>,
    #[arg(long, hide = true)]
    kube_context: Option<String>,
    #[arg(long, hide = true)]
    kubeconfig: Option<String>,
}
