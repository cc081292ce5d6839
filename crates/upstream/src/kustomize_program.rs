//! `kustomize build` as a program, or another that builds with kustomize.

use std::ffi::OsStr;

use ecow::EcoString;
use flux::KustomizeBuild;
use yaml::Node;

use crate::checkout::Checkouts;
use crate::program::{Failure, Program};
use crate::{flux_program, objects};

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
            let printed = match program.is_flux() {
                true => flux_program::run(program, build.component, dir),
                false => {
                    let flags = ["--load-restrictor", "LoadRestrictionsNone"].map(OsStr::new);
                    let arguments: Vec<_> = flags.into_iter().chain([dir.as_os_str()]).collect();
                    program.run(&arguments, dir)
                }
            };
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
        Ok(text) => {
            let mut objects = objects::read(&text)?;
            if program.is_flux() {
                for object in &mut objects {
                    flux_program::without_labels(object, build.component);
                }
            }
            Ok(Ok(objects))
        }
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
