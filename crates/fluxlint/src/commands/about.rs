//! What the program says about itself: version, schema, completions, manual.

use clap::CommandFactory;

use crate::Outcome;
use crate::cli::{Cli, CompletionsArgs, ConfigArgs, ConfigCommand};
use crate::failure::Failure;
use crate::output;

/// `fluxlint version`.
pub fn version() -> Result<Outcome, Failure> {
    let text = concat!(
        "fluxlint ",
        env!("CARGO_PKG_VERSION"),
        "\nkustomize v5.8.1\n"
    );
    output::write(text, None).map(|()| Outcome::Clean)
}

/// `fluxlint config schema`.
pub fn config(args: &ConfigArgs) -> Result<Outcome, Failure> {
    let schema = match args.command {
        ConfigCommand::Schema => config::json_schema(),
    };
    output::write(&format!("{schema:#}\n"), None).map(|()| Outcome::Clean)
}

/// `fluxlint completions SHELL`.
pub fn completions(args: &CompletionsArgs) -> Result<Outcome, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "fluxlint", &mut text);
    output::write(&String::from_utf8_lossy(&text), None).map(|()| Outcome::Clean)
}

/// `fluxlint man`.
pub fn man() -> Result<Outcome, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut text)
        .map_err(|error| Failure::new("cannot make the manual page").because(error))?;
    output::write(&String::from_utf8_lossy(&text), None).map(|()| Outcome::Clean)
}
