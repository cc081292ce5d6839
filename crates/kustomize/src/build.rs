//! A build from start to end.

use std::sync::Arc;

use ecow::eco_format;
use yaml::Node;

use crate::accumulate::{Gathered, Target, check};
use crate::documents::Documents;
use crate::error::Error;
use crate::field_spec::{FieldSpec, FieldSpecs};
use crate::hash;
use crate::kustomization::{Item, Kustomization};
use crate::load::Loader;
use crate::name_reference;
use crate::options::Options;
use crate::output::{Keep, Output, finish};
use crate::resmap::ResMap;
use crate::shared::Build;
use crate::sort;
use crate::step::Step;
use crate::syntax;
use crate::vars;

/// Objects with this annotation, unless it is `false`, are for tools only.
const LOCAL_CONFIG: &str = "config.kubernetes.io/local-config";

/// The version of kustomize that the controllers, which only link it, name.
const DEFAULT_VERSION: &str = "(devel)";

/// Builds a directory of a tree: what `kustomize build dir` prints. Fails with
/// kustomize's own words; the error's span is the place to blame.
pub fn build(documents: &Documents, dir: &str, options: &Options) -> Result<Output, Error> {
    run(documents, dir, None, options)
}

/// The same, with `kustomization` in place of the directory's kustomization
/// file, which need not be there.
pub fn build_root(
    documents: &Documents,
    dir: &str,
    kustomization: Node,
    options: &Options,
) -> Result<Output, Error> {
    let kustomization = Kustomization::decode(&kustomization)?;
    run(documents, dir, Some(Arc::new(kustomization)), options)
}

fn run(
    documents: &Documents,
    dir: &str,
    given: Option<Arc<Kustomization>>,
    options: &Options,
) -> Result<Output, Error> {
    let loader = Loader::new(documents, dir, options)?;
    if let Some(given) = &given {
        check(given, &loader)?;
    }
    let build = Build::new(options, documents.sources());
    let target = Target::root(&build, loader, given)?;
    let gathered = target.accumulate(Gathered::default())?;
    let tables = gathered.tables();
    let Gathered { mut map, vars, .. } = gathered;
    map.check_pasts()?;
    hash::append(&mut map)?;
    map.check_pasts()?;
    name_reference::fix(&mut map, &tables)?;
    vars::expand(&mut map, &vars, &tables.var_reference)?;
    drop_local(&mut map)?;
    let file = &*target.kustomization;
    sort::apply(&mut map, file.sort_options.as_ref(), options.reorder)?;
    let asks = |option: &str| file.build_metadata.iter().any(|known| known == option);
    if options.managed_by_label || asks("managedByLabel") {
        add_managed_by(&build, &mut map)?;
    }
    let keep = Keep {
        origins: asks("originAnnotations"),
        transformations: asks("transformerAnnotations"),
    };
    Ok(Output {
        resources: finish(map, keep)?,
        remotes: target.loader.take_remotes(),
        warnings: build.warnings.take(),
        faults: build.faults.take(),
    })
}

fn drop_local(map: &mut ResMap) -> Result<(), Error> {
    map.iter()
        .filter(|resource| !resource.is_empty())
        .try_for_each(|resource| {
            syntax::check_metadata(resource.node(), resource.record.is_visible())
        })?;
    map.retain(|resource| {
        let annotation = resource
            .node()
            .path(&["metadata", "annotations", LOCAL_CONFIG]);
        let local = annotation.is_some_and(|value| value.text().is_none_or(|text| text != "false"));
        !resource.is_empty() && !local
    });
    // Patches and replacements may have given two objects one identity.
    let kept = map.take();
    map.extend(kept)
}

fn add_managed_by(build: &Build<'_>, map: &mut ResMap) -> Result<(), Error> {
    let version = match build.options.version.as_str() {
        "" => DEFAULT_VERSION,
        version => version,
    };
    let label = Item::made(eco_format!("kustomize-{version}"));
    let fields = FieldSpecs(vec![FieldSpec {
        path: "metadata/labels".into(),
        create: true,
        ..FieldSpec::default()
    }]);
    let step = Step::Labels(vec![("app.kubernetes.io/managed-by".into(), label)], fields);
    build.run(&step, map)
}
