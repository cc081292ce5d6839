//! `kustomize build` as a program.

use std::ffi::OsStr;

use ecow::{EcoString, eco_format};
use flux::KustomizeBuild;
use kustomize::Documents;
use yaml::{Node, Sources, Span};

use crate::checkout::Checkouts;
use crate::program::{Failure, Program};

/// The names a kustomization file may have, besides the one that is written.
const OTHER_NAMES: [&str; 2] = ["kustomization.yml", "Kustomization"];

/// What the program makes of a build's input: its objects in order, or its
/// refusal. Fails when it could not be asked.
pub(crate) fn build(
    program: &Program,
    checkouts: &Checkouts,
    build: &KustomizeBuild<'_>,
) -> Result<Result<Vec<Node>, EcoString>, EcoString> {
    let tree = build.documents.tree();
    let text = yaml::emit_v2(&in_order(build.kustomization));
    let printed = checkouts.lend(tree, |checkout| {
        let file = ("kustomization.yaml", text.as_str());
        checkout.with_file(build.dir, file, &OTHER_NAMES, |dir| {
            let flags = ["--load-restrictor", "LoadRestrictionsNone"].map(OsStr::new);
            let arguments: Vec<_> = flags.into_iter().chain([dir.as_os_str()]).collect();
            let printed = program.run(&arguments, dir);
            let root = checkout.path("").display().to_string();
            // Where the copy lies means nothing to a reader.
            let without_root = |text: EcoString| text.replace(&root, "");
            match printed {
                Ok(text) => Ok(Ok(text)),
                Err(Failure::Refused(text)) => Ok(Err(without_root(text))),
                Err(Failure::NotRun(why)) => Err(why),
            }
        })
    })??;
    match printed {
        Ok(text) => objects(&text).map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// The programs sort by kind unless the file says otherwise; the controllers do
/// not.
fn in_order(kustomization: &Node) -> Node {
    let mut node = kustomization.clone();
    if node.get("sortOptions").is_none() {
        let order = Node::map([("order", Node::string("fifo"))]);
        node.insert("sortOptions", order);
    }
    node
}

/// The objects of a text.
pub(crate) fn objects(text: &str) -> Result<Vec<Node>, EcoString> {
    let empty = vfs::Memory::new::<&str, Vec<u8>>([]).map_err(|error| eco_format!("{error}"))?;
    let documents = Documents::new(vfs::Tree::new(empty), Sources::new());
    let parsed = documents.inline_objects(text, Span::NONE);
    let parsed = parsed.map_err(|error| eco_format!("cannot read the output: {error}"))?;
    let canonical = parsed.iter().map(|node| {
        yaml::canonical(node).map_err(|error| eco_format!("cannot read the output: {error}"))
    });
    canonical.collect()
}
