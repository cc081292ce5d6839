//! `cargo xtask fuzz-seeds`: first inputs of the fuzz targets from the random
//! generators, the corpus and upstream's tests, so that a run begins behind the
//! parser's first refusals.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::args::Args;
use crate::diff_kustomize::fields::World;
use crate::diff_kustomize::{objects, patches, replacements, style};
use crate::engine::{Build, Files};
use crate::random::Random;
use crate::{diff_kustomize, diff_yaml, fuzz_charts, paths};

/// Writes `--count N` (300) seeds of `--seed S` for each target below a directory,
/// by default `fuzz/corpus`.
pub fn command(mut args: Args) -> Result<(), String> {
    let count = args.number("--count")?.unwrap_or(300);
    let seed = args.number("--seed")?.unwrap_or(1);
    let given = args.rest()?.first().map(PathBuf::from);
    let dir = given.unwrap_or_else(|| paths::root().join("fuzz/corpus"));
    let trees = diff_kustomize::builds(count, seed);
    let trees: Vec<Vec<u8>> = trees.iter().map(|build| tree(build).into()).collect();
    let mut random = Random::new(seed);
    let patches: Vec<Vec<u8>> = (0..count).map(|_| patched(&mut random).into()).collect();
    let texts = diff_yaml::texts("sigs-to-json", count, seed);
    let texts: Vec<Vec<u8>> = texts.into_iter().map(Into::into).collect();
    let charts = fuzz_charts::seeds(count)?;
    for (target, seeds) in [
        ("kustomize", &trees),
        ("patch", &patches),
        ("read", &texts),
        ("write", &texts),
        ("envsubst", &charts.variables),
        ("template", &charts.templates),
        ("release", &charts.trees),
        ("values", &charts.trees),
        ("chart", &charts.archives),
    ] {
        write(&dir.join(target), seeds)?;
        println!("{target}: {}", seeds.len());
    }
    Ok(())
}

/// The files of a build in one text, with its directory named at the root.
fn tree(build: &Build) -> String {
    let mut text = format!("resources: [{}]\n", build.path);
    if let Files::Memory(files) = &build.files {
        for (path, content) in files {
            text.push_str(&format!(
                "=== {path}\n{}\n",
                String::from_utf8_lossy(content)
            ));
        }
    }
    text
}

/// A patch or a replacement, and the object it is for.
fn patched(random: &mut Random) -> String {
    let object = objects::object(random);
    let known = [object.clone()];
    let mut world = World::new(random, &known);
    let patch = match world.below(3) {
        0 => patches::strategic(&mut world),
        1 => patches::operations(&mut world),
        _ => replacements::replacements(&mut world),
    };
    let mut text = |value: &Value| style::document_text(random, value);
    format!("{}\n---\n{}", text(&patch), text(&object))
}

fn write(dir: &Path, seeds: &[Vec<u8>]) -> Result<(), String> {
    std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    for (at, seed) in seeds.iter().enumerate() {
        let path = dir.join(format!("seed-{at}"));
        std::fs::write(&path, seed).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
