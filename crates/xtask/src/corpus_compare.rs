//! Every Kustomization of a corpus repository, rendered natively and by the
//! upstream libraries from the same artifact.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use model::{Component, ComponentKind, Problem, Repository as Rendered, State, World};
use serde_json::{Value, json};
use yaml::Node;

use crate::corpus_list::Repository;
use crate::oracle::{Answer, Pool};
use crate::{parallel, paths};

/// How the Kustomizations of a repository compare.
#[derive(Default)]
pub struct Comparison {
    /// Rendered to equal objects by both.
    pub equal: usize,
    /// Refused by both: the native cause and upstream's, one pair a line.
    pub both_refuse: Vec<String>,
    /// Remote bases that neither can fetch here.
    pub remote: usize,
    /// Not compared (another source, no oracle answer in time), by reason.
    pub left_out: Vec<String>,
    /// Differences, one a line.
    pub differences: Vec<String>,
}

/// Renders a repository natively, from these entrypoints.
pub fn render(tree: &Path, entrypoints: &[String]) -> Result<Rendered, String> {
    let settings = flux::Settings {
        entrypoints: entrypoints.iter().map(EcoString::from).collect(),
        ..flux::Settings::default()
    };
    let disk = vfs::Tree::new(vfs::WorkTree::new(tree).map_err(|e| e.to_string())?);
    Ok(flux::render(disk, yaml::Sources::new(), &settings, &|_| {}))
}

/// Compares every Kustomization of the repository's own source.
pub fn compare(pool: &Pool, repository: &Repository) -> Result<Comparison, String> {
    let tree = repository.unpack()?;
    let rendered = render(&tree, &repository.entrypoints)?;
    let mut artifacts = Artifacts::new(pool, &tree, repository);
    let mut comparison = Comparison::default();
    for world in &rendered.worlds {
        let mut asked = Vec::new();
        for component in &world.components {
            if component.key.kind != ComponentKind::Kustomization {
                continue;
            }
            match artifacts.of(&rendered, world, component)? {
                Ok(root) => asked.push((component, request(pool, world, component, &root))),
                Err(reason) => comparison
                    .left_out
                    .push(format!("{}: {reason}", component.key)),
            }
        }
        let outcomes = parallel::map(&asked, |(component, request)| {
            judge(component, &pool.ask(request))
        });
        for ((component, _), outcome) in asked.iter().zip(outcomes) {
            match outcome {
                Ok(Same::Objects) => comparison.equal += 1,
                Ok(Same::Remote) => comparison.remote += 1,
                Ok(Same::Refusal(upstream)) => comparison.both_refuse.push(format!(
                    "{} {}: {} | {upstream}",
                    world.entrypoint,
                    component.key,
                    problems(component)
                )),
                Err(difference) => comparison.differences.push(format!(
                    "{} {}: {difference}",
                    world.entrypoint, component.key
                )),
            }
        }
    }
    Ok(comparison)
}

/// Artifacts of the repository's own sources, packed by upstream, one for each
/// `spec.ignore`.
struct Artifacts<'a> {
    pool: &'a Pool,
    tree: PathBuf,
    base: PathBuf,
    made: HashMap<Option<String>, PathBuf>,
}

impl<'a> Artifacts<'a> {
    fn new(pool: &'a Pool, tree: &Path, repository: &Repository) -> Self {
        // Upstream's file system in memory refuses names with an `@`.
        let name = format!(
            "{}-{}",
            repository.name.replace('/', "__"),
            repository.commit
        );
        Artifacts {
            pool,
            tree: tree.to_path_buf(),
            base: paths::target().join("artifacts").join(name),
            made: HashMap::new(),
        }
    }

    /// The directory a component is built from, or why it is not compared.
    fn of(
        &mut self,
        rendered: &Rendered,
        world: &World,
        component: &Component,
    ) -> Result<Result<PathBuf, String>, String> {
        if let Some(reference) = component.spec.source()
            && !is_own(world, component)
        {
            return Ok(Err(format!(
                "of another source, {} {}",
                reference.kind, reference.name
            )));
        }
        let ignore = ignore_of(world, component).or_else(|| ignore_of_problem(rendered, component));
        let root = self.packed(ignore)?;
        // A root named by hand that its own source leaves out comes from another
        // source of the repository, which nothing shows.
        let path = path(component);
        match component.object.is_none() && !root.join(path.trim_matches('/')).exists() {
            true => self.packed(None).map(Ok),
            false => Ok(Ok(root)),
        }
    }

    /// The artifact for the ignore rules of a source.
    fn packed(&mut self, ignore: Option<String>) -> Result<PathBuf, String> {
        if let Some(made) = self.made.get(&ignore) {
            return Ok(made.clone());
        }
        let dest = self.base.join(self.made.len().to_string());
        if dest.exists() {
            std::fs::remove_dir_all(&dest).map_err(|e| format!("{}: {e}", dest.display()))?;
        }
        let answer = self.pool.ask(&json!({
            "op": "artifact", "root": self.tree, "ignore": ignore, "dest": dest, "timeoutMs": 120_000,
        }));
        if let Some(error) = answer.error {
            return Err(format!("artifact: {error}"));
        }
        self.made.insert(ignore, dest.clone());
        Ok(dest)
    }
}

/// Whether the component's source is this repository.
pub fn is_own(world: &World, component: &Component) -> bool {
    component.source.as_ref().is_some_and(|key| {
        world.sources.iter().any(|(source, artifact, _, _)| {
            source == key && *artifact == model::Artifact::Repository
        })
    })
}

/// `spec.ignore` of the component's source, where an object of the tree has it.
fn ignore_of(world: &World, component: &Component) -> Option<String> {
    let key = component.source.as_ref()?;
    let objects = world.components.iter().flat_map(Component::objects);
    objects
        .filter(|o| {
            *o.identity.kind == *key.kind
                && o.identity.namespace == key.namespace
                && o.identity.name == key.name
        })
        .find_map(|o| o.node.str_at(&["spec", "ignore"]).map(str::to_owned))
}

/// The ignore rules that leave a path out, read from where they are written:
/// their source object is not among the objects of a world that cannot start.
fn ignore_of_problem(rendered: &Rendered, component: &Component) -> Option<String> {
    let span = component
        .problems
        .iter()
        .find_map(|problem| match problem {
            Problem::PathMissing { ignored, .. } => *ignored,
            _ => None,
        })?;
    let file = rendered.texts.get(span.file)?;
    let written = file.text.get(span.start as usize..span.end as usize)?;
    let text = format!("ignore: {written}");
    let documents = yaml::parse(&text, yaml::FileId::NONE, &yaml::Limits::default()).ok()?;
    documents.first()?.str_at(&["ignore"]).map(str::to_owned)
}

fn request(pool: &Pool, world: &World, component: &Component, root: &Path) -> Value {
    let object = component
        .object
        .as_ref()
        .map(|object| json_of(&object.node))
        .unwrap_or_else(|| implied(component));
    let mut request = json!({
        "op": "flux",
        "root": root,
        "kustomization": object,
        "timeoutMs": 120_000,
    });
    let (mut from, missing) = sources(world, component);
    if !missing.is_empty() && component.is_rendered() {
        // Made at run time: the native side takes any variable as unknown.
        let built = pool.ask(&request);
        let data = variables(built.text().unwrap_or_default());
        from.extend(missing.into_iter().map(|mut object| {
            object["data"] = data.clone();
            object
        }));
    }
    request["after"] = "read".into();
    request["substitute"] = json!({ "strict": world.strict_substitution, "from": from });
    request
}

/// A marker for every variable that occurs in a text.
fn variables(text: &str) -> Value {
    let mut found = serde_json::Map::new();
    for (at, _) in text.match_indices("${") {
        let name: String = text[at + 2..]
            .trim_start_matches('#')
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        if !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) {
            let marker = yaml::unknown::marker(&name).to_string();
            found.insert(name, marker.into());
        }
    }
    found.into()
}

fn path(component: &Component) -> &str {
    match &component.spec {
        model::Spec::Kustomization(spec) => spec.path.as_str(),
        model::Spec::HelmRelease(_) => "",
    }
}

/// The Kustomization of a root that no file holds.
fn implied(component: &Component) -> Value {
    let path = path(component);
    json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": { "name": component.key.name.as_str(), "namespace": component.key.namespace.as_str() },
        "spec": { "path": path, "interval": "10m", "prune": true },
    })
}

/// ConfigMaps and Secrets the component substitutes from, as the native world
/// has them, with a marker for a value that Git does not hold; and those that
/// it knows only to be made at run time, without data.
fn sources(world: &World, component: &Component) -> (Vec<Value>, Vec<Value>) {
    let objects = || world.components.iter().flat_map(Component::objects);
    let (mut known, mut missing) = (Vec::new(), Vec::new());
    for wanted in &component.substitutes_from {
        let object = objects().find(|o| {
            o.identity.group.is_empty()
                && o.identity.kind == wanted.kind
                && o.identity.namespace == wanted.namespace
                && o.identity.name == wanted.name
        });
        let mut source = json!({
            "kind": wanted.kind.as_str(),
            "name": wanted.name.as_str(),
            "namespace": wanted.namespace.as_str(),
        });
        match object {
            Some(object) => {
                source["data"] = data(&object.node, wanted.kind == "Secret").into();
                known.push(source);
            }
            None => missing.push(source),
        }
    }
    (known, missing)
}

fn data(node: &Node, secret: bool) -> serde_json::Map<String, Value> {
    let mut data = serde_json::Map::new();
    let texts = |key: &str| node.get(key).map(Node::entries).unwrap_or_default();
    for entry in texts("data") {
        if let (Some(key), Some(text)) = (entry.key.text(), entry.value.text()) {
            let plain = if secret && !entry.value.unknown {
                decoded(text)
            } else {
                text.to_string()
            };
            data.insert(key.to_string(), plain.into());
        }
    }
    for entry in texts("stringData") {
        if let (Some(key), Some(text)) = (entry.key.text(), entry.value.text()) {
            data.insert(key.to_string(), text.as_str().into());
        }
    }
    data
}

fn decoded(text: &str) -> String {
    use base64::Engine as _;
    let text: String = text.split_whitespace().collect();
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

fn json_of(node: &Node) -> Value {
    serde_json::from_str(&yaml::to_json(node)).unwrap_or(Value::Null)
}

/// In what both agree.
enum Same {
    /// Equal objects.
    Objects,
    /// A refusal; upstream's message.
    Refusal(String),
    /// A remote base that cannot be fetched here.
    Remote,
}

fn judge(component: &Component, answer: &Answer) -> Result<Same, String> {
    match (&component.state, &answer.error) {
        (State::Rendered(rendered), None) => {
            let upstream = answer.objects.as_deref().unwrap_or_default();
            same_objects(component, &rendered.objects, upstream).map(|()| Same::Objects)
        }
        (State::Failed(_), Some(error)) => Ok(Same::Refusal(error.clone())),
        (State::Failed(_), None) => Err(format!(
            "only the native renderer refuses: {}",
            problems(component)
        )),
        (State::Opaque(_) | State::Partial(..), Some(_)) if waits_for_remote(component) => {
            Ok(Same::Remote)
        }
        (State::Opaque(reason) | State::Partial(_, reason), Some(error)) => {
            Err(format!("opaque ({reason}), upstream refuses: {error}"))
        }
        (State::Opaque(reason) | State::Partial(_, reason), None) => {
            Err(format!("opaque: {reason}"))
        }
        (State::Rendered(_), Some(error)) => Err(format!("only upstream refuses: {error}")),
    }
}

fn waits_for_remote(component: &Component) -> bool {
    component.problems.iter().any(|problem| {
        matches!(
            problem,
            Problem::RemoteBase {
                available: false,
                ..
            }
        )
    })
}

fn problems(component: &Component) -> String {
    component
        .problems
        .iter()
        .filter(|p| !matches!(p, Problem::RenderGap { .. }))
        .map(|p| format!("{p:?}"))
        .collect::<Vec<_>>()
        .join("; ")
}

fn same_objects(
    component: &Component,
    native: &[Arc<model::Object>],
    upstream: &[Value],
) -> Result<(), String> {
    let metadata = component
        .object
        .as_ref()
        .and_then(|o| o.node.path(&["spec", "commonMetadata"]))
        .map(json_of);
    for (at, (ours, theirs)) in native.iter().zip(upstream).enumerate() {
        let mut theirs = theirs.clone();
        if let Some(metadata) = &metadata {
            add_metadata(&mut theirs, metadata);
        }
        // What is encrypted cannot be read here; its metadata is dropped by
        // decryption, which the other side does not do.
        if let Some(map) = theirs.as_object_mut() {
            map.remove("sops");
        }
        same_value(&ours.node, &theirs, &mut String::new())
            .map_err(|e| format!("object {at} {}: {e}", ours.identity))?;
    }
    if native.len() != upstream.len() {
        return Err(format!(
            "{} objects, upstream {}",
            native.len(),
            upstream.len()
        ));
    }
    Ok(())
}

fn add_metadata(object: &mut Value, metadata: &Value) {
    for field in ["labels", "annotations"] {
        let Some(added) = metadata[field].as_object().filter(|map| !map.is_empty()) else {
            continue;
        };
        let Some(map) = object["metadata"].as_object_mut() else {
            continue;
        };
        let target = map.entry(field).or_insert_with(|| json!({}));
        if let Some(target) = target.as_object_mut() {
            target.extend(added.clone());
        }
    }
}

/// Compares, skipping what is unknown; the error names the place.
fn same_value(ours: &Node, theirs: &Value, path: &mut String) -> Result<(), String> {
    if ours.unknown {
        return Ok(());
    }
    let length = path.len();
    match theirs {
        Value::Object(map) if ours.is_map() => {
            for entry in ours.entries() {
                let key = entry.key.text().map(EcoString::as_str).unwrap_or_default();
                path.push('.');
                path.push_str(key);
                let Some(value) = map.get(key) else {
                    return Err(format!("{path} is only native"));
                };
                same_value(&entry.value, value, path)?;
                path.truncate(length);
            }
            match map.keys().find(|key| ours.get(key).is_none()) {
                Some(key) => Err(format!("{path}.{key} is only upstream")),
                None => Ok(()),
            }
        }
        Value::Array(items) if ours.is_seq() => {
            for (at, (item, value)) in ours.items().iter().zip(items).enumerate() {
                path.push_str(&format!("[{at}]"));
                same_value(item, value, path)?;
                path.truncate(length);
            }
            if ours.items().len() == items.len() {
                Ok(())
            } else {
                Err(format!(
                    "{path} has {} items, upstream {}",
                    ours.items().len(),
                    items.len()
                ))
            }
        }
        theirs => {
            let ours = json_of(ours);
            if ours == *theirs {
                Ok(())
            } else {
                Err(format!("{path} is {ours}, upstream {theirs}"))
            }
        }
    }
}
