//! What all directories of one build share.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashSet;
use yaml::{FileId, Node, Sources};

use crate::error::Error;
use crate::id::Gvk;
use crate::kustomization::Pairs;
use crate::load::Loader;
use crate::options::Options;
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::step::Step;
use crate::syntax;
use crate::tables::{self, BuiltIn, CommentSchema, Schema, comment_schemas};

/// The OpenAPI document kustomize has built in.
const BUILT_IN_SCHEMA: &str = "v1.21.2";

/// How many times a build may enter a directory.
const MOST_DIRECTORIES: usize = 50_000;

/// Faults of one build that are kept.
const MOST_FAULTS: usize = 50;

/// The state of one build.
pub(crate) struct Build<'a> {
    pub options: &'a Options,
    /// The schema the first `openapi` field chose. What is wrong with it matters
    /// when it is needed.
    schema: RefCell<Option<Result<Arc<Schema>, Error>>>,
    /// Whether an object was read whose kind's scope is not known beforehand:
    /// from then on the built-in schemas count as loaded.
    asked_scope: Cell<bool>,
    pub warnings: RefCell<Vec<EcoString>>,
    /// What was left out, with [`Options::keep_going`].
    pub faults: RefCell<Vec<Error>>,
    /// Directories entered so far.
    entered: Cell<usize>,
    sources: &'a Sources,
    /// Of the files that patches met so far.
    comments: RefCell<Comments>,
}

/// Schemas in comments.
#[derive(Default)]
struct Comments {
    seen: FxHashSet<FileId>,
    schemas: Vec<CommentSchema>,
}

impl Comments {
    /// Reads those of the files that objects stand in.
    fn note<'r>(&mut self, objects: impl IntoIterator<Item = &'r Resource>, sources: &Sources) {
        for object in objects {
            let file = object.node().span.file;
            if self.seen.insert(file)
                && let Some(source) = sources.get(file)
            {
                self.schemas.extend(comment_schemas(&source.text));
            }
        }
    }
}

impl<'a> Build<'a> {
    pub fn new(options: &'a Options, sources: &'a Sources) -> Self {
        Build {
            options,
            schema: RefCell::default(),
            asked_scope: Cell::default(),
            warnings: RefCell::default(),
            faults: RefCell::default(),
            entered: Cell::default(),
            sources,
            comments: RefCell::default(),
        }
    }

    /// Passes over a failure where the build is to go on. Remote addresses have
    /// a way of their own.
    pub fn tolerate(&self, result: Result<(), Error>) -> Result<(), Error> {
        match result {
            Err(error) if self.options.keep_going && error.remote.is_none() => {
                let mut faults = self.faults.borrow_mut();
                if faults.len() < MOST_FAULTS {
                    faults.push(error);
                }
                Ok(())
            }
            result => result,
        }
    }

    /// Counts a directory. Directories that each name others twice multiply, so
    /// their number has a bound.
    pub fn enter(&self) -> Result<(), Error> {
        self.entered.set(self.entered.get() + 1);
        if self.entered.get() <= MOST_DIRECTORIES {
            return Ok(());
        }
        Err(Error::new(eco_format!(
            "more than {MOST_DIRECTORIES} directories are built"
        )))
    }

    /// Changes objects, with the schema in force.
    pub fn run(&self, step: &Step, map: &mut ResMap) -> Result<(), Error> {
        map.check_pasts()?;
        let schema = self.schema.borrow().clone();
        if let Step::StrategicMerge(patches) = step {
            let mut comments = self.comments.borrow_mut();
            comments.note(&patches.patches, self.sources);
            comments.note(map.iter(), self.sources);
            if !comments.schemas.is_empty() {
                let base = match &schema {
                    None => Schema::built_in(),
                    Some(chosen) => chosen.as_ref().map_err(Clone::clone)?,
                };
                return step.run(map, &base.with_comments(&comments.schemas));
            }
        }
        match schema {
            None => step.run(map, Schema::built_in()),
            Some(Ok(schema)) => step.run(map, &schema),
            Some(Err(error)) if step.needs_schema(map) => Err(error),
            Some(Err(_)) => step.run(map, Schema::built_in()),
        }
    }

    /// Notes that objects were read. Of kinds that are not built in the schema in
    /// force is asked: fails when that could not be read.
    pub fn note_kinds(&self, objects: &[Node]) -> Result<(), Error> {
        let unknown = |object: &Node| {
            let gvk = Gvk::of(object);
            let scope = Schema::built_in().is_namespaced(&gvk.api_version(), &gvk.kind);
            scope.is_none()
        };
        if !objects.iter().any(unknown) {
            return Ok(());
        }
        if self.options.custom_schema_only {
            self.asked_scope.set(true);
        }
        match &*self.schema.borrow() {
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Chooses the schema an `openapi` field asks for. The first file that
    /// chooses one wins, and the root comes first. Fails when the field names
    /// what is not there.
    pub fn choose_schema(&self, openapi: &Pairs, loader: &Loader<'_>) -> Result<(), Error> {
        let field = |name: &str| openapi.iter().find(|(key, _)| key == name).map(|(_, v)| v);
        let text = match field("path") {
            Some(path) => Some((path, loader.text(path).map_err(|e| e.at(path.span))?)),
            None => None,
        };
        if self.schema.borrow().is_some() {
            return Ok(());
        }
        let schema = match (text, field("version")) {
            (Some(_), Some(version)) => {
                return Err(Error::new(
                    "builtin version and custom schema provided, cannot use both",
                )
                .at(version.span));
            }
            (Some((path, (_, text))), None) if text.is_empty() => {
                let cause = "json: cannot unmarshal into Go spec.Swagger: EOF";
                Some(Err(Error::new(cause)
                    .during("invalid schema file")
                    .at(path.span)))
            }
            (Some((path, (id, text))), None) => Some(
                syntax::json(&text, id)
                    .map(|document| Arc::new(tables::read_openapi(&document, self.place())))
                    .map_err(|e| e.during("invalid schema file").at(path.span)),
            ),
            (None, Some(version)) if version.text == BUILT_IN_SCHEMA => {
                Some(Ok(Arc::new(Schema::built_in().clone())))
            }
            (None, Some(version)) if !version.text.is_empty() => {
                return Err(
                    Error::new("the specified OpenAPI version is not built in").at(version.span)
                );
            }
            (None, _) => None,
        };
        if schema.is_some() {
            *self.schema.borrow_mut() = schema;
        }
        Ok(())
    }

    /// Where the built-in schema lies when a file brings another.
    fn place(&self) -> BuiltIn {
        match (self.options.custom_schema_only, self.asked_scope.get()) {
            (false, _) => BuiltIn::Below,
            (true, true) => BuiltIn::Above,
            (true, false) => BuiltIn::Absent,
        }
    }
}
