//! The recursion of a build: what a kustomization file names is read, then
//! changed, then handed to the file that named it.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use yaml::Node;

use crate::error::Error;
use crate::field_spec::FieldTables;
use crate::generate;
use crate::git_url::GitUrl;
use crate::kustomization::{Item, Kustomization};
use crate::load::{Loader, is_malformed};
use crate::origin::{Origin, transformations_of};
use crate::plugin::{self, Configured};
use crate::resmap::ResMap;
use crate::resource::{Behavior, Resource};
use crate::scalar;
use crate::shared::Build;
use crate::step;
use crate::syntax;
use crate::tables;
use crate::vars::{self, VarSet};

/// The names of a kustomization file.
const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// How deep directories may name each other. A chain cannot come back to where
/// it was, so only made-up trees get here.
const DEEPEST: usize = 200;

/// What a directory gathered.
#[derive(Clone, Default)]
pub(crate) struct Gathered {
    pub map: ResMap,
    tables: Option<Arc<FieldTables>>,
    pub vars: VarSet,
}

impl Gathered {
    /// The field tables, the defaults where no file said anything.
    pub fn tables(&self) -> Arc<FieldTables> {
        match &self.tables {
            Some(tables) => tables.clone(),
            None => tables::built_in_fields().clone(),
        }
    }

    fn merge_tables(&mut self, more: &Arc<FieldTables>) -> Result<(), Error> {
        match &self.tables {
            None if Arc::ptr_eq(more, tables::built_in_fields()) => {
                self.tables = Some(more.clone());
            }
            // Merging into nothing is not idle: of entries that cover each
            // other only the first stays.
            None => {
                let merged = tables::merge_fields(&FieldTables::default(), more)?;
                self.tables = Some(Arc::new(merged));
            }
            // Nearly always both are the defaults.
            Some(known) if Arc::ptr_eq(known, more) => {}
            Some(known) => self.tables = Some(Arc::new(tables::merge_fields(known, more)?)),
        }
        Ok(())
    }

    fn merge(&mut self, other: Gathered) -> Result<(), Error> {
        let Gathered { map, tables, vars } = other;
        let mut map = map;
        let extended = self.map.extend(map.take());
        let merged = tables.map_or(Ok(()), |tables| self.merge_tables(&tables));
        extended.and(merged).and(self.vars.merge(&vars))
    }
}

/// One kustomization file and the place it is in.
pub(crate) struct Target<'b, 'a> {
    pub build: &'b Build<'a>,
    pub loader: Loader<'a>,
    pub kustomization: Arc<Kustomization>,
    file_name: EcoString,
    /// `buildMetadata` of the root.
    pub origin: Option<Origin>,
    depth: usize,
}

impl<'b, 'a> Target<'b, 'a> {
    /// The root of a build.
    pub fn root(
        build: &'b Build<'a>,
        loader: Loader<'a>,
        given: Option<Arc<Kustomization>>,
    ) -> Result<Self, Error> {
        let (kustomization, file_name) = match given {
            Some(given) => (given, FILE_NAMES.map(EcoString::from)[0].clone()),
            None => load_file(build, &loader)?,
        };
        let tracked = !kustomization.build_metadata.is_empty();
        let target = Target {
            build,
            loader,
            kustomization,
            file_name,
            origin: tracked.then(Origin::default),
            depth: 0,
        };
        build.choose_schema(&target.kustomization.openapi, &target.loader)?;
        Ok(target)
    }

    /// A directory that this one names.
    fn child(&self, loader: Loader<'a>, origin: Option<Origin>) -> Result<Self, Error> {
        self.build.enter()?;
        if self.depth >= DEEPEST {
            return Err(Error::new(eco_format!(
                "more than {DEEPEST} kustomizations name each other"
            )));
        }
        let (kustomization, file_name) = load_file(self.build, &loader).map_err(|e| {
            e.during(eco_format!(
                "couldn't make target for path '{}'",
                loader.root()
            ))
        })?;
        let target = Target {
            build: self.build,
            loader,
            kustomization,
            file_name,
            origin,
            depth: self.depth + 1,
        };
        self.build
            .choose_schema(&target.kustomization.openapi, &target.loader)?;
        Ok(target)
    }

    /// Everything the file names, changed as it says, on top of `gathered`: of
    /// a component the parent's objects, else nothing.
    pub fn accumulate(&self, mut gathered: Gathered) -> Result<Gathered, Error> {
        let file = &*self.kustomization;
        self.add_resources(&mut gathered, &file.resources)
            .map_err(|e| e.during("accumulating resources"))?;
        self.add_tables(&mut gathered)?;
        self.generate(&mut gathered)?;
        for component in &file.components {
            let before = self.build.options.keep_going.then(|| gathered.clone());
            let result = self
                .add_component(gathered, component)
                .map_err(|e| e.at(component.span).during("accumulating components"));
            gathered = match (result, before) {
                (Err(error), Some(before)) => {
                    self.build.tolerate(Err(error))?;
                    before
                }
                (result, _) => result?,
            };
        }
        self.transform(&mut gathered)?;
        self.validate(&mut gathered)?;
        vars::attach(&mut gathered.map, &file.vars)
            .and_then(|()| gathered.vars.extend(&file.vars))
            .map_err(|e| e.during("merging vars"))?;
        Ok(gathered)
    }

    /// Each entry as a file, else as a directory or repository.
    fn add_resources(&self, gathered: &mut Gathered, entries: &[Item]) -> Result<(), Error> {
        entries.iter().try_for_each(|entry| {
            let result = self.add_resource(gathered, entry);
            self.build.tolerate(result.map_err(|e| e.at(entry.span)))
        })
    }

    fn add_resource(&self, gathered: &mut Gathered, entry: &Item) -> Result<(), Error> {
        let objects = self.loader.objects(entry);
        if let Ok(objects) = &objects {
            self.build.note_kinds(objects)?;
        }
        let Err(as_file) = self.add_file(gathered, entry, objects) else {
            return Ok(());
        };
        let left_out = |error: &Error| error.remote.is_some() && self.loader.leaves_out();
        // What was refused as a file for another reason than not being one
        // stays refused.
        if as_file.remote.is_some() && GitUrl::parse(&entry.text).is_none() {
            return match left_out(&as_file) {
                true => Ok(()),
                false => Err(as_file),
            };
        }
        let context = |error: Error| {
            let mut error = error.during(eco_format!("accumulation err='{as_file}'"));
            if error.span.is_none() {
                error.span = as_file.span;
            }
            error
        };
        let loader = match self.loader.enter(entry) {
            Ok(loader) => loader,
            Err(_) if is_malformed(&as_file) => return Err(as_file),
            Err(error) if left_out(&error) => return Ok(()),
            Err(error) => return Err(context(error)),
        };
        let origin = self.origin.as_ref().map(|o| o.below(&entry.text));
        let result = self.child(loader, origin).and_then(|child| {
            if child.kustomization.component {
                return Err(Error::new(eco_format!(
                    "expected kind != 'Component' for path '{}'",
                    child.loader.root()
                )));
            }
            let sub = child
                .accumulate(Gathered::default())
                .map_err(|e| recursed(e, "accumulation of", &child.loader))?;
            gathered
                .merge(sub)
                .map_err(|e| recursed(e, "merging from", &child.loader))
        });
        result.map_err(context)
    }

    fn add_file(
        &self,
        gathered: &mut Gathered,
        entry: &Item,
        objects: Result<Arc<[Node]>, Error>,
    ) -> Result<(), Error> {
        let objects = objects
            .map_err(|e| e.during(eco_format!("accumulating resources from '{}'", entry.text)))?;
        let origin = self.origin.as_ref().map(|o| o.below(&entry.text));
        let resources = objects.iter().map(|node| tracked(node, origin.as_ref()));
        // The objects of one file must differ, before those of the build.
        let mut own = ResMap::new();
        let distinct = own
            .extend(resources)
            .map_err(|e| e.during(eco_format!("accumulating resources from '{}'", entry.text)));
        let merged = gathered
            .map
            .extend(own.take())
            .map_err(|e| e.during(eco_format!("merging resources from '{}'", entry.text)));
        distinct.and(merged)
    }

    fn add_component(&self, gathered: Gathered, entry: &Item) -> Result<Gathered, Error> {
        let quoted = |what: &str, error: Error| {
            let mut quoted = Error::new(eco_format!("{what} {:?}", error.to_string()));
            quoted.span = error.span;
            quoted.remote = error.remote;
            quoted
        };
        let loader = self
            .loader
            .enter(entry)
            .map_err(|e| quoted("loader.New", e))?;
        let origin = self.origin.as_ref().map(|o| o.below(&entry.text));
        let run = || {
            let child = self.child(loader, origin)?;
            if !child.kustomization.component {
                return Err(Error::new(eco_format!(
                    "expected kind 'Component' for path '{}' but got '{}'",
                    child.loader.root(),
                    child.kustomization.kind
                )));
            }
            let mut gathered = child
                .accumulate(gathered)
                .map_err(|e| recursed(e, "accumulation of", &child.loader))?;
            let all = gathered.map.take();
            let merged = gathered.map.extend(all);
            merged.map_err(|e| recursed(e, "merging from", &child.loader))?;
            Ok(gathered)
        };
        run().map_err(|e| quoted("accumulateDirectory:", e))
    }

    /// The defaults, then `configurations`, then `crds`.
    fn add_tables(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let file = &*self.kustomization;
        let mut own = tables::built_in_fields().clone();
        if !file.configurations.is_empty() {
            let mut custom = FieldTables::default();
            for item in &file.configurations {
                let read = || {
                    let (id, text) = self.loader.text(item)?;
                    tables::read_configuration(&syntax::json(&text, id)?)
                };
                let more = read().map_err(|e| e.at(item.span))?;
                custom = tables::merge_fields(&custom, &more).map_err(|e| e.at(item.span))?;
            }
            own = Arc::new(tables::merge_fields(&own, &custom)?);
        }
        gathered
            .merge_tables(&own)
            .map_err(|e| e.during("merging config"))?;
        for item in &file.crds {
            let read = || {
                let (id, text) = self.loader.text(item)?;
                if text.is_empty() {
                    return Err(Error::new("index out of range [0] with length 0"));
                }
                let document = syntax::json(&text, id);
                let tables = document.and_then(|document| tables::read_definitions(&document));
                tables.map_err(|e| {
                    e.during(eco_format!(
                        "unable to parse open API definition from '{}'",
                        item.text
                    ))
                })
            };
            let more = read().map_err(|e| e.at(item.span).during("loading CRDs"))?;
            gathered
                .merge_tables(&Arc::new(more))
                .map_err(|e| e.at(item.span).during("merging CRDs"))?;
        }
        Ok(())
    }

    fn generate(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let file = &*self.kustomization;
        let global = file.generator_options.as_ref();
        let fields = [
            (
                generate::Kind::ConfigMap,
                &file.config_maps,
                "ConfigMapGenerator",
            ),
            (generate::Kind::Secret, &file.secrets, "SecretGenerator"),
        ];
        // What cannot be configured fails before anything is made.
        if let Some(chart) = file.helm_charts.first() {
            return Err(step::refuse_helm(chart));
        }
        let mut plugins = Vec::new();
        for Configured { plugin, origin } in self.plugins(&file.generators)? {
            let generator = plugin::Generator::configure(&plugin)?;
            plugins.push((generator, plugin.node().span, origin));
        }
        for (kind, generators, name) in fields {
            let origin = self.built_in_origin(name);
            for generator in generators {
                match generate::object(kind, generator, global, &self.loader) {
                    Ok(object) => add_generated(gathered, object, origin.as_ref())?,
                    Err(error) => self.build.tolerate(Err(error))?,
                }
            }
        }
        for (generator, span, origin) in plugins {
            let objects = generator.run(&self.loader).map_err(|e| e.at(span))?;
            for object in objects {
                add_generated(gathered, object, origin.as_ref())?;
            }
        }
        Ok(())
    }

    pub fn built_in_origin(&self, kind: &str) -> Option<Origin> {
        let origin = self.origin.as_ref()?;
        Some(origin.built_in(&self.file_name, kind))
    }

    /// The configuration objects that `generators`, `transformers` or
    /// `validators` name or hold.
    fn plugins(&self, entries: &[Item]) -> Result<Vec<Configured>, Error> {
        let mut gathered = Gathered::default();
        let mut paths = Vec::new();
        for entry in entries {
            // What does not parse as objects is a path.
            let Ok(objects) = self.loader.inline_objects(entry) else {
                paths.push(entry.clone());
                continue;
            };
            self.build.note_kinds(&objects)?;
            let origin = self.origin.as_ref().map(|o| o.below(&self.file_name));
            let objects = objects.iter();
            gathered
                .map
                .extend(objects.map(|node| tracked(node, origin.as_ref())))?;
        }
        self.add_resources(&mut gathered, &paths)?;
        Ok(gathered
            .map
            .take()
            .into_iter()
            .map(|plugin| Configured {
                origin: Origin::of_plugin(&plugin),
                plugin,
            })
            .collect())
    }

    fn transform(&self, gathered: &mut Gathered) -> Result<(), Error> {
        let mut steps = step::of_file(self, &gathered.tables())?;
        for Configured { plugin, origin } in self.plugins(&self.kustomization.transformers)? {
            // However many steps it takes, a plugin is recorded once.
            let own = plugin::transformer(&plugin, &self.loader)?;
            let count = own.len();
            steps.extend(own.into_iter().enumerate().map(|(index, step)| {
                let is_last = index + 1 == count;
                (step, origin.clone().filter(|_| is_last))
            }));
        }
        for (step, origin) in &steps {
            self.build.run(step, &mut gathered.map)?;
            if let Some(origin) = origin {
                note_transformer(&mut gathered.map, origin);
            }
            gathered.map.drop_empty();
        }
        Ok(())
    }

    /// A validator is a transformer that must leave everything as it is.
    fn validate(&self, gathered: &mut Gathered) -> Result<(), Error> {
        for Configured { plugin, .. } in self.plugins(&self.kustomization.validators)? {
            for step in plugin::transformer(&plugin, &self.loader)? {
                let before = gathered.map.clone();
                self.build.run(&step, &mut gathered.map)?;
                if !plugin::is_unchanged(&before, &gathered.map) {
                    return Err(Error::new("validator shouldn't modify the resource map")
                        .at(plugin.node().span));
                }
            }
        }
        Ok(())
    }
}

/// An object with its origin, if the build tracks that, and the transformers that
/// an earlier build noted on it.
fn tracked(node: &Node, origin: Option<&Origin>) -> Resource {
    let mut resource = Resource::new(node.clone());
    if let Some(origin) = origin {
        resource.record.origin = Some(origin.clone());
        resource.record.transformations = transformations_of(node);
    }
    resource
}

fn recursed(error: Error, what: &str, loader: &Loader<'_>) -> Error {
    error.during(eco_format!("recursed {what} path '{}'", loader.root()))
}

/// Finds and reads the one kustomization file of a directory.
fn load_file(
    build: &Build<'_>,
    loader: &Loader<'_>,
) -> Result<(Arc<Kustomization>, EcoString), Error> {
    let mut found = FILE_NAMES
        .into_iter()
        .filter_map(|name| Some((name, loader.probe(name)?)));
    let Some((name, path)) = found.next() else {
        return Err(Error::new(eco_format!(
            "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{}'",
            loader.root()
        )));
    };
    if found.next().is_some() {
        return Err(Error::new(eco_format!(
            "Found multiple kustomization files under: {}\n",
            loader.root()
        )));
    }
    let kustomization = loader.documents().kustomization(&path)?;
    check(&kustomization, loader)?;
    build
        .warnings
        .borrow_mut()
        .extend(kustomization.deprecations.iter().cloned());
    Ok((kustomization, name.into()))
}

/// Checks kind and API version.
pub(crate) fn check(kustomization: &Kustomization, loader: &Loader<'_>) -> Result<(), Error> {
    let problems = kustomization.problems();
    if problems.is_empty() {
        return Ok(());
    }
    Err(Error::new(eco_format!(
        "Failed to read kustomization file under {}:\n{}",
        loader.root(),
        problems.join("\n")
    )))
}

/// Adds an object with what it comes from.
fn add_generated(
    gathered: &mut Gathered,
    mut object: Resource,
    origin: Option<&Origin>,
) -> Result<(), Error> {
    if object.record.origin.is_none() {
        object.record.origin = origin.cloned();
    }
    absorb(&mut gathered.map, object).map_err(|e| e.during("merging from generator"))
}

/// Adds a generated object, or lays it over the one that is there.
fn absorb(map: &mut ResMap, mut new: Resource) -> Result<(), Error> {
    let id = new.id().clone();
    map.check_pasts()?;
    let found = map.with_any_id(|other| id.same(other));
    let behavior = new.record.behavior;
    let replaces = matches!(behavior, Behavior::Merge | Behavior::Replace);
    match found.as_slice() {
        [] if replaces => Err(Error::new(eco_format!(
            "id {id} does not exist; cannot merge or replace"
        ))
        .at(new.node().span)),
        [] => map.push(new),
        [at] if replaces => {
            let Some(old) = map.get(*at) else {
                return Ok(());
            };
            new.lay_over(old);
            // What takes the place must still be the only one of its identity.
            let now = new.id();
            let same = map.iter().filter(|r| now.same(r.id())).count();
            if same != 1 {
                return Err(Error::new(eco_format!("id matched {same} resources"))
                    .during("in Replace")
                    .at(new.node().span));
            }
            if let Some(slot) = map.get_mut(*at) {
                *slot = new;
            }
            Ok(())
        }
        [_] => Err(Error::new(eco_format!(
            "id {id} exists; can not use behavior: '{}', behavior must be merge or replace",
            behavior.as_str()
        ))
        .at(new.node().span)),
        many => {
            let ids: Vec<String> = many
                .iter()
                .filter_map(|at| Some(map.get(*at)?.id().to_string()))
                .collect();
            Err(Error::new(eco_format!(
                "found multiple objects [{}] that could accept merge of {id}",
                ids.join(" ")
            ))
            .at(new.node().span))
        }
    }
}

/// What has no origin yet was made by the transformer; else it saw it. All annotations
/// are written anew for that, as texts.
fn note_transformer(map: &mut ResMap, origin: &Origin) {
    for resource in map {
        if resource.record.origin.is_none() {
            resource.record.origin = Some(origin.clone());
        } else {
            resource.record.transformations.push(origin.clone());
        }
        resource.rebuild_annotations();
        scalar::make_text(resource.node_mut(), "annotations");
    }
}
