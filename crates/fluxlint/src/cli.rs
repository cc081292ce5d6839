//! Flags and arguments. The doc comments are what `--help` prints.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

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
}

#[derive(Subcommand)]
pub enum Command {
    /// Build a directory as `kustomize build` does.
    Kustomize(KustomizeArgs),
    /// Print the version.
    Version,
    /// Print things about `.fluxlint.yaml`.
    Config(ConfigArgs),
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
    /// Print the manual page.
    Man,
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
