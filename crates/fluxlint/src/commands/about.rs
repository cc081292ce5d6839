//! What the program says about itself: version, schema, completions, manual.

use clap::CommandFactory;

use crate::Outcome;
use crate::cli::{Cli, CompletionsArgs, ConfigArgs, ConfigCommand, ManArgs};
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

/// `fluxlint man [COMMAND]`.
pub fn man(args: &ManArgs) -> Result<Outcome, Failure> {
    let mut cli = Cli::command();
    let failed = |error: std::io::Error| Failure::new("cannot make the manual").because(error);
    if let Some(dir) = &args.output {
        std::fs::create_dir_all(dir)
            .and_then(|()| clap_mangen::generate_to(cli, dir))
            .map_err(failed)?;
        return Ok(Outcome::Clean);
    }
    // Gives the commands their full names.
    cli.build();
    let page = match &args.command {
        None => cli,
        Some(name) => match cli.find_subcommand(name) {
            Some(command) => command.clone(),
            None => return Err(no_command(name, &cli)),
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(failed)?;
    output::write(&String::from_utf8_lossy(&text), None).map(|()| Outcome::Clean)
}

fn no_command(name: &str, cli: &clap::Command) -> Failure {
    let names: Vec<_> = cli.get_subcommands().map(clap::Command::get_name).collect();
    let failure = Failure::new(format!("no command is called `{name}`"));
    match config::nearest(name, names) {
        Some(near) => failure.help(format!("did you mean `{near}`?")),
        None => failure.help("`fluxlint --help` lists them all"),
    }
}
