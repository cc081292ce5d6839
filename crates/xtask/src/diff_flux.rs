//! `cargo xtask diff-flux`: random trees under random Flux Kustomizations, with
//! substitution, natively and by upstream.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::args::Args;
use crate::diff_kustomize::{
    DIRECTORIES, Tree, build, fields, patches, same_cause, shrink, texts, tree,
};
use crate::diff_yaml::scalar;
use crate::engine::{Engine, Native};
use crate::flux_case::{DataObject, FluxCase};
use crate::oracle::{Answer, Pool};
use crate::random::Random;
use crate::{parallel, paths};

/// Differences of one kind that are made small.
const SHRUNK: usize = 6;

/// Trees drawn in search of one that builds.
const DRAWS: usize = 3;

/// A case whose files are still JSON, so that it can be made smaller.
#[derive(Clone, Serialize, Deserialize)]
struct Draft {
    tree: Tree,
    spec: Value,
    from: Vec<DataObject>,
    strict: bool,
}

/// Compares `--cases N` random cases of `--seed S` and writes what differs to
/// `diff-flux.txt` in the build directory.
pub fn command(mut args: Args) -> Result<(), String> {
    let cases = args.number("--cases")?.unwrap_or(500);
    let seed = args.number("--seed")?.unwrap_or(1);
    args.done()?;
    let pool = Pool::new()?;
    let mut random = Random::new(seed);
    let drafts: Vec<Draft> = (0..cases).map(|_| draft(&mut random)).collect();
    let compare = |draft: &Draft| {
        let case = draft.case();
        verdict(&case.native(), &pool.ask(&case.request()))
    };
    let mut kinds: BTreeMap<&str, Vec<&Draft>> = BTreeMap::new();
    let verdicts = parallel::map(&drafts, compare);
    for (draft, (kind, _)) in drafts.iter().zip(&verdicts) {
        kinds.entry(kind).or_default().push(draft);
    }
    let mut listing = String::new();
    // Making differences small takes long: the counts come first.
    for (kind, found) in &kinds {
        println!("{kind}: {} of {cases}", found.len());
    }
    for (kind, mut found) in kinds {
        if matches!(
            kind,
            "same objects" | "fails for the same cause" | "upstream gives no answer"
        ) {
            continue;
        }
        found.truncate(SHRUNK);
        let still = |value: &Value| read(value).is_some_and(|draft| compare(&draft).0 == kind);
        let mut small = parallel::map(&found, |draft| shrink(&json!(draft), still));
        small.sort_by_key(|value| value.to_string().len());
        small.dedup();
        for value in small {
            let detail = read(&value).map(|draft| compare(&draft).1);
            // Writing to a string cannot fail.
            let _ = writeln!(
                listing,
                "== {kind}\n{value}\n{}\n",
                detail.unwrap_or_default()
            );
        }
    }
    let path = paths::target().join("diff-flux.txt");
    std::fs::write(&path, listing).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}

fn read(value: &Value) -> Option<Draft> {
    serde_json::from_value(value.clone()).ok()
}

impl Draft {
    fn case(&self) -> FluxCase {
        let mut files = texts(&self.tree);
        for dir in DIRECTORIES {
            files.insert(format!("{dir}/file.txt"), "one\ntwo\n".to_owned());
            files.insert(format!("{dir}/vars.env"), "E1=1\n".to_owned());
            files.insert(format!("{dir}/data.bin"), "b\n".to_owned());
        }
        FluxCase {
            files,
            spec: self.spec.clone(),
            from: self.from.clone(),
            strict: self.strict,
        }
    }
}

fn draft(random: &mut Random) -> Draft {
    let mut tree = buildable(random);
    // In a kustomization file an expression is mostly a fault.
    let everywhere = random.once_in(8);
    for (path, documents) in &mut tree {
        if path.ends_with("kustomization.yaml") && !everywhere {
            continue;
        }
        documents
            .iter_mut()
            .for_each(|document| sprinkle(random, document));
    }
    if random.once_in(4) {
        tree.remove("overlay/kustomization.yaml");
    }
    let known: Vec<Value> = tree
        .iter()
        .filter(|(path, _)| !path.ends_with("kustomization.yaml"))
        .flat_map(|(_, documents)| documents.clone())
        .collect();
    let mut spec = spec(random, &known);
    if random.once_in(if tree.contains_key("component/kustomization.yaml") {
        2
    } else {
        20
    }) {
        spec["components"] = json!(["../component"]);
        spec["ignoreMissingComponents"] = json!(random.once_in(2));
    }
    let from = ["ConfigMap", "Secret"].map(|kind| DataObject {
        kind: kind.to_owned(),
        name: "vars".to_owned(),
        data: BTreeMap::from([
            ("V".to_owned(), value(random)),
            ("W".to_owned(), value(random)),
        ]),
    });
    Draft {
        tree,
        spec,
        from: from.to_vec(),
        strict: random.once_in(4),
    }
}

/// A tree that kustomize mostly builds: of what fails before substitution there
/// is enough among the trees without Flux.
fn buildable(random: &mut Random) -> Tree {
    let builds = |tree: &Tree| Native::default().kustomize(&build(tree)).is_ok();
    let mut drawn = tree(random);
    for _ in 0..DRAWS {
        if builds(&drawn) {
            break;
        }
        drawn = tree(random);
    }
    drawn
}

/// A value of a variable: often plain.
fn value(random: &mut Random) -> String {
    if random.once_in(2) {
        (*random.pick(&["v1", "two", "8080", "true"])).to_owned()
    } else {
        scalar::value(random).replace(['\0', '\u{7f}'], "")
    }
}

/// Puts variable expressions into some texts.
fn sprinkle(random: &mut Random, value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| sprinkle(random, item)),
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                // Files are found by these before anything is substituted.
                if !matches!(
                    key.as_str(),
                    "kind"
                        | "apiVersion"
                        | "resources"
                        | "bases"
                        | "components"
                        | "transformers"
                        | "generators"
                        | "configurations"
                        | "crds"
                        | "openapi"
                        | "path"
                ) {
                    sprinkle(random, field);
                }
            }
        }
        Value::String(text) if random.once_in(12) => {
            let expression = random.pick(&[
                "${V}",
                "${W}",
                "${V}-${W}",
                "${NONE}",
                "${NONE:=d}",
                "${V:-x}",
                "$${V}",
                "${NONE:=${V}}",
                "${V/1/2}",
                "${V^^}",
                "${#V}",
            ]);
            *text = match random.below(3) {
                0 => format!("{text}{expression}"),
                _ => expression.to_owned(),
            };
        }
        _ => {}
    }
}

fn spec(random: &mut Random, known: &[Value]) -> Value {
    let rest = if random.once_in(3) { "." } else { "overlay" };
    let path = random.pick(&[
        "./overlay",
        "overlay",
        "./base",
        "overlay/",
        "/overlay",
        rest,
    ]);
    let mut spec = json!({"path": path});
    if random.once_in(3) {
        spec["targetNamespace"] = json!(random.pick(&["apps", "default"]));
    }
    if random.once_in(4) {
        spec["namePrefix"] = json!("f-");
    }
    if random.once_in(5) {
        spec["nameSuffix"] = json!("-f");
    }
    if random.once_in(5) {
        spec["commonMetadata"] = json!({"labels": {"team": "one"}, "annotations": {"own": "true"}});
    }
    let mut world = fields::World::new(random, known);
    if world.once_in(3) {
        let mut patches = patches::patches(&mut world);
        // The Flux type knows neither options nor files.
        if let Some(patches) = patches.as_array_mut() {
            patches.retain(|patch| patch.get("patch").is_some());
            for patch in patches {
                patch.as_object_mut().map(|fields| fields.remove("options"));
            }
        }
        spec["patches"] = patches;
    }
    if world.once_in(4) {
        spec["images"] = fields::images(&mut world);
    }
    match random.below(4) {
        0 => {}
        1 => spec["postBuild"] = json!({"substitute": {"V": value(random), "W": value(random)}}),
        2 => {
            spec["postBuild"] = json!({
                "substituteFrom": [{"kind": "ConfigMap", "name": "vars"}, {"kind": "Secret", "name": "vars"}],
                "substitute": {"X": "x"},
            });
        }
        _ => spec["postBuild"] = json!({"substituteStrategy": "Always"}),
    }
    spec
}

fn verdict(native: &Result<Vec<Value>, Vec<String>>, answer: &Answer) -> (&'static str, String) {
    let upstream = answer.objects.clone().unwrap_or_default();
    if answer.timeout || answer.crash {
        return ("upstream gives no answer", String::new());
    }
    match (native, &answer.error) {
        (Ok(objects), None) if *objects == upstream => ("same objects", String::new()),
        (Ok(objects), None) => {
            let pairs = objects
                .iter()
                .zip(&upstream)
                .find(|(ours, theirs)| ours != theirs);
            let detail = match pairs {
                Some((ours, theirs)) => format!("  native   {ours}\n  upstream {theirs}"),
                None => format!("  {} objects, upstream {}", objects.len(), upstream.len()),
            };
            ("other objects", detail)
        }
        // Natively a build goes on where upstream's ends.
        (Err(ours), Some(theirs)) if ours.iter().any(|ours| same_cause(ours, theirs)) => {
            ("fails for the same cause", String::new())
        }
        (Err(ours), Some(theirs)) => {
            let detail = format!(
                "  native   {}\n  upstream {theirs}",
                ours.join("\n           ")
            );
            ("fails in other words", detail)
        }
        (Err(message), None) => (
            "only native fails",
            format!("  native   {}", message.join("\n           ")),
        ),
        (Ok(_), Some(message)) => ("only upstream fails", format!("  upstream {message}")),
    }
}
