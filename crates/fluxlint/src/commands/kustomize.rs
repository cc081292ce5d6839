//! `fluxlint kustomize DIR`: what `kustomize build DIR` prints, and its exit
//! status 1 when the build fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kustomize::{Documents, LoadRestrictions, Options, Output, Resource};
use vfs::{Disk, Tree};
use yaml::Sources;

use crate::Outcome;
use crate::cli::{KustomizeArgs, LoadRestrictor, Reorder};
use crate::failure::Failure;
use crate::output;

/// Builds a directory.
pub fn run(args: &KustomizeArgs) -> Result<Outcome, Failure> {
    let failed = |failure: Failure| failure.status(1);
    refuse_programs(args).map_err(failed)?;
    let directory = absolute(&args.directory).map_err(failed)?;
    let built = build(&directory, args).map_err(failed)?;
    for warning in &built.warnings {
        anstream::eprintln!("# Warning: {warning}");
    }
    match args.output.as_deref() {
        Some(path) if path.is_dir() => write_each(&built, path).map_err(failed)?,
        path => output::write(&built.to_yaml(), path).map_err(failed)?,
    }
    Ok(Outcome::Clean)
}

/// Fails where flags of kustomize ask for programs to be run.
fn refuse_programs(args: &KustomizeArgs) -> Result<(), Failure> {
    let flags = [
        (args.enable_alpha_plugins, "--enable-alpha-plugins"),
        (args.enable_helm, "--enable-helm"),
        (args.enable_exec, "--enable-exec"),
    ];
    match flags.into_iter().find(|(given, _)| *given) {
        Some((_, flag)) => Err(Failure::new(format!("{flag} is refused"))
            .because("a build here runs no programs: built-in plugins work, others do not")
            .help("leave the flag out, or build what needs it with kustomize itself")),
        None => Ok(()),
    }
}

/// The directory from the root of the file system, links followed: bases may
/// lie anywhere on it.
fn absolute(directory: &Path) -> Result<PathBuf, Failure> {
    directory.canonicalize().map_err(|error| {
        Failure::new(format!("cannot read the directory {}", directory.display()))
            .because(error)
            .help("name a directory that holds a kustomization.yaml")
    })
}

fn build(directory: &Path, args: &KustomizeArgs) -> Result<Output, Failure> {
    let root = directory.ancestors().last().unwrap_or(directory);
    let disk = Disk::new(root)
        .map_err(|error| Failure::new("cannot read the file system").because(error))?;
    let path = directory.strip_prefix(root).unwrap_or(directory);
    let path = path
        .to_str()
        .ok_or_else(|| Failure::new(format!("the name of {} is not UTF-8", directory.display())))?;
    let texts = Sources::new();
    let documents = Documents::new(Tree::new(disk.with_symlinks()), texts.clone());
    let options = Options {
        load_restrictions: match args.load_restrictor {
            LoadRestrictor::RootOnly => LoadRestrictions::RootOnly,
            LoadRestrictor::None => LoadRestrictions::None,
        },
        reorder: match args.reorder {
            None => kustomize::Reorder::Unspecified,
            Some(Reorder::Legacy) => kustomize::Reorder::Legacy,
            Some(Reorder::None) => kustomize::Reorder::None,
        },
        absolute_paths: true,
        custom_schema_only: true,
        version: "v5.8.1".into(),
        ..Options::default()
    };
    kustomize::build(&documents, path, &options).map_err(|error| {
        let failure = Failure::new(error.to_string());
        match error.span.and_then(|span| texts.location(span)) {
            Some(at) => failure.because(format!("at /{}:{}:{}", at.file, at.line, at.column)),
            None => failure,
        }
    })
}

/// A file an object, named as kustomize names it.
fn write_each(built: &Output, directory: &Path) -> Result<(), Failure> {
    let namespaces: BTreeSet<_> = built.resources.iter().filter_map(namespace).collect();
    for resource in &built.resources {
        let name = match namespace(resource) {
            Some(namespace) if namespaces.len() > 1 => {
                format!("{}_{}", namespace.to_lowercase(), file_name(resource))
            }
            _ => file_name(resource),
        };
        // Names of objects are no paths, whatever a manifest says.
        if name.contains(['/', '\\']) {
            return Err(Failure::new(format!("`{name}` is no file name")));
        }
        let text = yaml::emit_v2(resource.node());
        output::write(&text, Some(&directory.join(name)))?;
    }
    Ok(())
}

/// The namespace of an object that has one.
fn namespace(resource: &Resource) -> Option<&str> {
    let id = resource.id();
    (!id.gvk.is_cluster_scoped()).then(|| id.effective_namespace())
}

fn file_name(resource: &Resource) -> String {
    let id = resource.id();
    let parts = [&id.gvk.group, &id.gvk.version, &id.gvk.kind, &id.name];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let parts: Vec<_> = parts.iter().map(|part| part.to_lowercase()).collect();
    format!("{}.yaml", parts.join("_"))
}
