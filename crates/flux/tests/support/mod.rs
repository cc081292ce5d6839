//! Small repositories in memory for tests of the walk.

#![allow(dead_code)]

use std::fmt::Write;
use std::sync::Arc;

use flux::Settings;
use model::{Component, Problem, Repository, State, World};
use vfs::{Memory, Tree};

/// A tree of files.
pub fn tree(files: &[(&str, &str)]) -> Tree {
    let files = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes().to_vec()));
    Tree::new(Memory::new(files).unwrap())
}

/// Renders a repository.
pub fn render_all(files: &[(&str, &str)], settings: &Settings) -> Repository {
    flux::render(tree(files), yaml::Sources::new(), settings, &|_| {})
}

/// Renders a repository with one entrypoint.
pub fn render_with(files: &[(&str, &str)], settings: &Settings) -> World {
    let mut repository = render_all(files, settings);
    assert_eq!(repository.worlds.len(), 1, "{:?}", entrypoints(&repository));
    repository.worlds.remove(0)
}

/// Renders the entrypoint `cluster` of a repository.
pub fn render(files: &[(&str, &str)]) -> World {
    render_with(files, &at("cluster"))
}

/// Settings that name an entrypoint.
pub fn at(entrypoint: &str) -> Settings {
    Settings {
        entrypoints: vec![entrypoint.into()],
        ..Settings::default()
    }
}

pub fn entrypoints(repository: &Repository) -> Vec<String> {
    let worlds = repository.worlds.iter();
    worlds.map(|world| world.entrypoint.to_string()).collect()
}

/// A Flux Kustomization of this repository, in `flux-system`, with more lines
/// of its spec.
pub fn kustomization(name: &str, path: &str, more: &str) -> String {
    let mut text = format!(
        "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: {name}\n  namespace: flux-system\n\
         spec:\n  interval: 10m\n  prune: true\n  path: {path}\n  sourceRef:\n    kind: GitRepository\n    name: flux-system\n"
    );
    for line in more.lines() {
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// A ConfigMap in `flux-system`.
pub fn config_map(name: &str, data: &[(&str, &str)]) -> String {
    let mut text = format!(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: flux-system\ndata:\n"
    );
    for (key, value) in data {
        let _ = writeln!(text, "  {key}: {value:?}");
    }
    text
}

/// The component with this key, as it prints.
pub fn component<'a>(world: &'a World, key: &str) -> &'a Component {
    let found = world.components.iter().find(|c| c.key.to_string() == key);
    found.unwrap_or_else(|| panic!("no {key} among {:?}", keys(world)))
}

/// All keys, in order.
pub fn keys(world: &World) -> Vec<String> {
    world.components.iter().map(|c| c.key.to_string()).collect()
}

/// The objects of a component, as they print.
pub fn objects(world: &World, key: &str) -> Vec<String> {
    let component = component(world, key);
    assert!(
        component.is_rendered(),
        "{key}: {:?} {:?}",
        component.state,
        component.problems
    );
    component
        .objects()
        .iter()
        .map(|o| o.identity.to_string())
        .collect()
}

/// The text at a path of an object of a component.
pub fn value(world: &World, key: &str, object: &str, path: &[&str]) -> Option<String> {
    let component = component(world, key);
    let found = component
        .objects()
        .iter()
        .find(|o| o.identity.to_string() == object);
    let found: &Arc<model::Object> = found.unwrap_or_else(|| panic!("no {object} in {key}"));
    found
        .node
        .path(path)
        .and_then(|node| node.text())
        .map(ToString::to_string)
}

/// Why a component is opaque.
pub fn opaque(world: &World, key: &str) -> String {
    match &component(world, key).state {
        State::Opaque(reason) => reason.to_string(),
        state => panic!("{key} is {state:?}"),
    }
}

/// The names of the keys of a component's parents.
pub fn parents(world: &World, key: &str) -> Vec<String> {
    let parents = component(world, key).parents.iter();
    parents
        .map(|at| world.components[*at].key.to_string())
        .collect()
}

/// The kinds of a component's problems.
pub fn problems(world: &World, key: &str) -> Vec<String> {
    let problems = component(world, key).problems.iter();
    problems
        .map(|problem| match problem {
            Problem::PathMissing { path, .. } => format!("path missing: {path}"),
            Problem::MissingSubstituteSource { reference } => {
                format!(
                    "missing source: {} {}/{}",
                    reference.kind, reference.namespace, reference.name
                )
            }
            Problem::UndefinedVariable { name, strict, .. } => {
                format!("undefined: {name} strict={strict}")
            }
            Problem::RenderGap { what, .. } => format!("gap: {what}"),
            Problem::Build { message, .. } => format!("build: {message}"),
            Problem::InvalidVariableName { name, .. } => format!("invalid name: {name}"),
            Problem::RemoteBase { url, available, .. } => {
                format!("remote: {url} available={available}")
            }
            other => format!("{other:?}"),
        })
        .collect()
}
