//! Walks every entrypoint of every repository of a corpus and prints what was
//! found: `cargo run --release -p fluxlint-flux --example walk -- SHARED [NAME]`,
//! where `SHARED/corpus/repos.yaml` names archives and entrypoints.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use flux::{IndexMirror, Settings};
use model::{ComponentKind, Problem, State, World};
use vfs::{ArchiveLimits, Disk, Tree, unpack_tar_gz};
use yaml::Node;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let shared = arguments
        .next()
        .ok_or("which directory holds corpus/repos.yaml?")?;
    let only: Vec<String> = arguments.collect();
    let corpus = Path::new(&shared).join("corpus");
    let text = std::fs::read_to_string(corpus.join("repos.yaml"))?;
    let repos = yaml::sigs_to_json(&text, yaml::FileId::NONE, false).map_err(|e| e.to_string())?;
    let mirror =
        IndexMirror::open(Tree::new(Disk::new(&corpus.join("mirror"))?)).map_err(String::from)?;
    let mirror: Arc<dyn flux::Mirror> = Arc::new(mirror);
    for repo in repos.items() {
        let name = repo.str_at(&["name"]).unwrap_or_default();
        if only.is_empty() || only.iter().any(|wanted| name.contains(wanted.as_str())) {
            walk(&corpus, repo, name, &mirror, !only.is_empty())?;
        }
    }
    Ok(())
}

fn walk(
    corpus: &Path,
    repo: &Node,
    name: &str,
    mirror: &Arc<dyn flux::Mirror>,
    verbose: bool,
) -> Result<(), Failure> {
    let bytes = std::fs::read(corpus.join(repo.str_at(&["archive"]).unwrap_or_default()))?;
    let tree = Tree::new(unpack_tar_gz(&bytes, ArchiveLimits::default())?);
    let entries: Vec<&Node> = repo
        .get("entrypoints")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .collect();
    let named: Vec<_> = entries
        .iter()
        .filter_map(|e| e.str_at(&["path"]).map(Into::into))
        .collect();
    let found = flux::render(
        tree.clone(),
        yaml::Sources::new(),
        &Settings::default(),
        &|_| {},
    );
    let settings = Settings {
        entrypoints: named,
        mirrors: vec![mirror.clone()],
        ..Settings::default()
    };
    let texts = yaml::Sources::new();
    let start = Instant::now();
    let builds = std::sync::atomic::AtomicUsize::new(0);
    let count = |progress: flux::Progress<'_>| {
        if matches!(progress, flux::Progress::Built(_)) {
            builds.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    };
    let repository = flux::render(tree, texts.clone(), &settings, &count);
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    println!("{name}: {elapsed:.1} ms, {} builds", builds.into_inner());
    let found: Vec<_> = found
        .worlds
        .iter()
        .map(|world| world.entrypoint.as_str())
        .collect();
    println!("  discovered: {found:?}");
    for (world, entry) in repository.worlds.iter().zip(&entries) {
        report(world, entry, &texts, verbose);
    }
    Ok(())
}

fn report(world: &World, entry: &Node, texts: &yaml::Sources, verbose: bool) {
    let number = |key: &str| entry.get(key).and_then(Node::as_i64).unwrap_or(0);
    let count = |kind: ComponentKind| {
        world
            .components
            .iter()
            .filter(|c| c.key.kind == kind)
            .count()
    };
    let (mut rendered, mut failed, mut objects) = (0, 0, 0);
    let mut opaque: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems: BTreeMap<String, usize> = BTreeMap::new();
    for component in &world.components {
        match &component.state {
            State::Rendered(found) => {
                rendered += 1;
                objects += found.objects.len();
            }
            State::Opaque(reason) | State::Partial(_, reason) => {
                *opaque.entry(reason.to_string()).or_default() += 1
            }
            State::Failed(_) => failed += 1,
        }
        for problem in &component.problems {
            *problems.entry(kind(problem)).or_default() += 1;
            if verbose {
                println!("      {}: {}", component.key, show(problem, texts));
            }
        }
    }
    println!(
        "  {:<42} K {} ({}) HR {} ({}) rendered {rendered} failed {failed} objects {objects} strict {} flux {}",
        world.entrypoint,
        count(ComponentKind::Kustomization),
        number("kustomizations"),
        count(ComponentKind::HelmRelease),
        number("releases"),
        world.strict_substitution,
        world.flux_version,
    );
    println!(
        "    root {} opaque {opaque:?} problems {problems:?}",
        world.components[0].key
    );
    if verbose {
        for assumption in &world.assumptions {
            println!("    assumed: {}", assumption.message);
        }
        println!(
            "    given: {:?}",
            world
                .given
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        );
    }
}

fn kind(problem: &Problem) -> String {
    let text = format!("{problem:?}");
    text.split([' ', '{']).next().unwrap_or_default().to_owned()
}

fn show(problem: &Problem, texts: &yaml::Sources) -> String {
    let at = |span: yaml::Span| {
        texts
            .location(span)
            .map_or("?".to_owned(), |l| format!("{}:{}", l.file, l.line))
    };
    match problem {
        Problem::PathMissing {
            path,
            candidates,
            ignored,
            span,
        } => format!(
            "{} path missing {path} {candidates:?} ignored={}",
            at(*span),
            ignored.is_some()
        ),
        Problem::Build { message, span, .. } => {
            format!("{} build: {message}", span.map_or("?".into(), at))
        }
        Problem::UndefinedVariable {
            name,
            object,
            span,
            strict,
        } => format!(
            "{} undefined ${{{name}}} in {object} strict={strict}",
            at(*span)
        ),
        Problem::MissingSubstituteSource { reference } => format!(
            "{} missing {} {}/{}",
            at(reference.span),
            reference.kind,
            reference.namespace,
            reference.name
        ),
        Problem::UnsupportedExpression {
            expression,
            message,
            object,
            span,
        } => format!("{} {expression}: {message} in {object}", at(*span)),
        Problem::InvalidVariableName {
            name,
            provider,
            span,
        } => format!("{} invalid name {name} of {provider}", at(*span)),
        Problem::SubstitutedTextInvalid {
            message,
            object,
            span,
        } => format!("{} {object}: {message}", span.map_or("?".into(), at)),
        Problem::NoVariables { span } => format!("{} no variables", at(*span)),
        Problem::DefaultInDefinition {
            expression,
            text,
            object,
            span,
        } => format!("{} {expression} is {text:?} in {object}", at(*span)),
        Problem::Retyped {
            object,
            field,
            value,
            span,
            ..
        } => format!("{} {object} {field:?} becomes {value:?}", at(*span)),
        Problem::EncryptedWithoutDecryption { object, span } => {
            format!("{} encrypted {object}", at(*span))
        }
        Problem::RemoteBase {
            url,
            pinned,
            available,
            span,
        } => format!(
            "{} remote {url} pinned={pinned} available={available}",
            at(*span)
        ),
        Problem::UnreadValues { keys, .. } => {
            let keys: Vec<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
            format!("values that nothing reads: {}", keys.join(", "))
        }
        Problem::UnstableRender { objects, span, .. } => {
            format!("{} renders {objects:?} differently each time", at(*span))
        }
        Problem::ChartUnavailable { reason, span } => {
            format!("{} no chart: {reason}", at(*span))
        }
        Problem::RenderGap { what, span } => format!("{} gap: {what}", at(*span)),
    }
}
