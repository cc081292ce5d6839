//! `fluxlint render`: what Flux would apply.

use std::fmt::Write;
use std::sync::Arc;

use model::{Component, Object, State, World};

use crate::Outcome;
use crate::cli::{ObjectFormat, RenderArgs};
use crate::failure::Failure;
use crate::input::Input;
use crate::{output, rendered};

/// Objects of one component.
struct Part<'a> {
    world: &'a World,
    component: &'a Component,
    objects: Vec<&'a Arc<Object>>,
}

/// Renders and prints.
pub fn run(args: &RenderArgs, quiet: bool) -> Result<Outcome, Failure> {
    let input = Input::open(&args.repo)?;
    let repository = rendered::repository(&input, &args.repo, &args.entrypoints, None, quiet)?;
    let parts = select(&repository.worlds, args)?;
    let text = match args.format {
        ObjectFormat::Yaml => yaml(&parts, repository.worlds.len() > 1),
        ObjectFormat::Json => json_list(&parts),
    };
    output::write(&text, args.output.as_deref())?;
    Ok(Outcome::Clean)
}

/// The components and objects that are asked for.
fn select<'a>(worlds: &'a [World], args: &RenderArgs) -> Result<Vec<Part<'a>>, Failure> {
    let all = worlds.iter().flat_map(|world| {
        let components = world.components.iter();
        components.map(move |component| (world, component))
    });
    let asked = |key: &str| args.components.is_empty() || args.components.iter().any(|c| c == key);
    let wanted: Vec<_> = all
        .filter(|(_, component)| asked(&component.key.to_string()))
        .collect();
    for name in &args.components {
        if !wanted
            .iter()
            .any(|(_, component)| component.key.to_string() == *name)
        {
            return Err(unknown_component(worlds, name));
        }
    }
    for (_, component) in &wanted {
        if !args.components.is_empty() {
            require_rendered(component)?;
        }
    }
    let parts: Vec<_> = wanted
        .into_iter()
        .map(|(world, component)| Part {
            world,
            component,
            objects: objects(component, &args.objects),
        })
        .filter(|part| !part.objects.is_empty())
        .collect();
    for name in &args.objects {
        let is = |object: &&Arc<Object>| object.identity.to_string() == *name;
        if !parts.iter().any(|part| part.objects.iter().any(&is)) {
            return Err(Failure::new(format!("no component applies {name}"))
                .help("write an object as Kind/namespace/name, or Kind/name without a namespace"));
        }
    }
    Ok(parts)
}

fn objects<'a>(component: &'a Component, asked: &[String]) -> Vec<&'a Arc<Object>> {
    let objects = component.objects().iter();
    let is =
        |object: &&Arc<Object>| asked.is_empty() || asked.contains(&object.identity.to_string());
    objects.filter(is).collect()
}

/// A component that is asked for by name must have objects to print.
fn require_rendered(component: &Component) -> Result<(), Failure> {
    let failure = Failure::new(format!("{} is not rendered", component.key));
    match &component.state {
        State::Rendered(_) => Ok(()),
        State::Opaque(reason) | State::Partial(_, reason) => Err(failure.because(reason)),
        State::Failed(_) => Err(failure
            .because("Flux will fail to render it")
            .help("`fluxlint check` says why and where")),
    }
}

fn unknown_component(worlds: &[World], name: &str) -> Failure {
    let failure = Failure::new(format!("no component is called {name}"));
    let components = worlds.iter().flat_map(|world| &world.components);
    let keys: Vec<_> = components
        .map(|component| component.key.to_string())
        .collect();
    // Most often the namespace is left out.
    let near = keys
        .iter()
        .find(|key| key.rsplit('/').next() == name.rsplit('/').next());
    match near {
        Some(key) => failure.help(format!("did you mean {key}?")),
        None => failure.help("`fluxlint check --format json` lists all components"),
    }
}

/// A document an object, each component announced by a comment.
fn yaml(parts: &[Part<'_>], several: bool) -> String {
    let mut text = String::new();
    for part in parts {
        for (index, object) in part.objects.iter().enumerate() {
            if !text.is_empty() {
                text.push_str("---\n");
            }
            if index == 0 {
                let _ = write!(text, "# component: {}", part.component.key);
                if several {
                    let _ = write!(text, ", entrypoint: {}", part.world.entrypoint);
                }
                text.push('\n');
            }
            text.push_str(&yaml::emit_v2(&object.node));
        }
    }
    text
}

/// A `List` that kubectl and jq read.
fn json_list(parts: &[Part<'_>]) -> String {
    let objects = parts.iter().flat_map(|part| &part.objects);
    let items: Vec<_> = objects.map(|object| yaml::to_json(&object.node)).collect();
    format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{}]}}\n",
        items.join(",")
    )
}
