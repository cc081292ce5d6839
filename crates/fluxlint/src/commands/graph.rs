//! `fluxlint graph`: what comes before what.

use link::Linked;
use rayon::prelude::*;
use report::{Picture, Selection, Unknown};

use crate::Outcome;
use crate::cli::{GraphArgs, GraphFormat};
use crate::failure::Failure;
use crate::input::Input;
use crate::{output, rendered};

/// How many names are offered for one that is not known.
const NEAR: usize = 5;

/// Renders, links and draws.
pub fn run(args: &GraphArgs, quiet: bool) -> Result<Outcome, Failure> {
    let input = Input::open(&args.repo)?;
    let repository = rendered::repository(&input, &args.repo, &args.entrypoints, None, quiet)?;
    let worlds = repository.worlds.par_iter();
    let pictures: Vec<Picture> = worlds
        .map(|world| Picture::of(&Linked::new(world, &input.config), &repository.texts))
        .collect();
    let selection = Selection {
        focus: args.focus.clone(),
        depth: args.depth,
        reduce: args.reduce,
        kinds: args.edges.iter().map(|name| (*name).into()).collect(),
    };
    let pictures = selection.apply(pictures).map_err(unknown)?;
    let grouping = args.group.into();
    let text = match args.format {
        GraphFormat::Dot => report::dot(&pictures, grouping),
        GraphFormat::Mermaid => report::mermaid(&pictures, grouping),
        GraphFormat::Json => report::graph_json(&pictures, env!("CARGO_PKG_VERSION")),
        GraphFormat::Svg => report::svg(&pictures, grouping),
        GraphFormat::Html => report::page(&pictures, grouping),
    };
    output::write(&text, args.output.as_deref())?;
    Ok(Outcome::Clean)
}

fn unknown(unknown: Unknown) -> Failure {
    let failure = Failure::new(format!("no component is called {}", unknown.name));
    match unknown.near.as_slice() {
        [] => failure.help("`fluxlint check --format json` lists all components"),
        [one] => failure.help(format!("did you mean {one}?")),
        near => {
            let names: Vec<&str> = near.iter().take(NEAR).map(String::as_str).collect();
            let more = near.len().saturating_sub(NEAR);
            let rest = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            failure.help(format!("name one of {}{rest}", names.join(", ")))
        }
    }
}
