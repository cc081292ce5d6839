//! Sets of templates, and the functions they can call.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::exec::{Args, Context, Failure, Limits, Output, run};
use crate::parse::ast::{Ast, Name, Span};
use crate::parse::{Settings, parse, show_list};
use crate::strconv::quote;
use crate::unicode;
use crate::value::{Type, Value};

/// What a function of the host does.
type Body = dyn Fn(&mut Context<'_>, Args<'_>) -> Result<Value, Failure> + Send + Sync;

/// A function of the host.
pub(crate) struct Function {
    pub params: Box<[Type]>,
    pub variadic: bool,
    pub body: Box<Body>,
}

/// The functions that templates can call beside the built-in ones, which they
/// hide where names are equal.
#[derive(Default)]
pub struct Functions {
    functions: Vec<Function>,
    by_name: FxHashMap<Box<[u8]>, u32>,
}

impl Functions {
    /// No functions.
    pub fn new() -> Self {
        Functions::default()
    }

    /// Adds a function with parameters of these types. Arguments are checked
    /// before it is called, with Go's messages.
    pub fn add(
        &mut self,
        name: &str,
        params: &[Type],
        body: impl Fn(&mut Context<'_>, Args<'_>) -> Result<Value, Failure> + Send + Sync + 'static,
    ) {
        self.insert(name, params, false, Box::new(body));
    }

    /// Adds a function whose last parameter may be given any number of times.
    pub fn add_variadic(
        &mut self,
        name: &str,
        params: &[Type],
        body: impl Fn(&mut Context<'_>, Args<'_>) -> Result<Value, Failure> + Send + Sync + 'static,
    ) {
        self.insert(name, params, true, Box::new(body));
    }

    fn insert(&mut self, name: &str, params: &[Type], variadic: bool, body: Box<Body>) {
        let index = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
        self.functions.push(Function {
            params: params.into(),
            variadic: variadic && !params.is_empty(),
            body,
        });
        self.by_name.insert(name.as_bytes().into(), index);
    }

    /// There is a function of this name.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name.as_bytes())
    }

    /// The names, sorted.
    pub fn names(&self) -> Vec<String> {
        let text = |name: &[u8]| crate::unicode::text(name).into_owned();
        let mut names: Vec<String> = self.by_name.keys().map(|name| text(name)).collect();
        names.sort();
        names
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn get(&self, index: u32) -> Option<&Function> {
        self.functions.get(index as usize)
    }
}

/// What a key that a map does not have stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKey {
    /// No value at all.
    #[default]
    Invalid,
    /// The zero value of the map's element type.
    Zero,
    /// An error.
    Error,
}

/// A parsed template.
pub(crate) struct Template {
    pub name: Name,
    pub ast: Arc<Ast>,
    pub list: Span,
    pub is_empty: bool,
}

/// Templates that can call each other. Copies share the parsed texts, so one
/// that adds a template to its copy disturbs nobody.
#[derive(Clone)]
pub struct Templates {
    functions: Arc<Functions>,
    /// Shared with copies; what they change stands in `changed`.
    by_name: Arc<FxHashMap<Name, Arc<Template>>>,
    /// Templates that are others, or gone, in this copy alone.
    changed: FxHashMap<Name, Option<Arc<Template>>>,
    missing_key: MissingKey,
    left: Arc<[u8]>,
    right: Arc<[u8]>,
    name: Arc<str>,
}

impl Templates {
    /// No templates yet.
    pub fn new(functions: impl Into<Arc<Functions>>) -> Self {
        Templates {
            functions: functions.into(),
            by_name: Arc::default(),
            changed: FxHashMap::default(),
            missing_key: MissingKey::default(),
            left: Arc::from(&b"{{"[..]),
            right: Arc::from(&b"}}"[..]),
            name: Arc::from(""),
        }
    }

    /// Names the set, for the error of a template that it does not have.
    pub fn named(mut self, name: &str) -> Self {
        self.name = Arc::from(name);
        self
    }

    /// Sets what a missing key of a map stands for.
    pub fn missing_key(mut self, missing_key: MissingKey) -> Self {
        self.missing_key = missing_key;
        self
    }

    /// Sets what actions stand between, for texts parsed from now on. An
    /// empty delimiter means the usual one.
    pub fn delimiters(mut self, left: &str, right: &str) -> Self {
        let or = |text: &str, usual: &str| match text {
            "" => Arc::from(usual.as_bytes()),
            _ => Arc::from(text.as_bytes()),
        };
        self.left = or(left, "{{");
        self.right = or(right, "}}");
        self
    }

    /// Parses a text as the template `name`, and adds it and those that it
    /// defines. A definition replaces an earlier one unless it is empty.
    pub fn parse(&mut self, name: &str, source: impl AsRef<[u8]>) -> Result<(), Error> {
        let settings = Settings {
            functions: &self.functions,
            left: &self.left,
            right: &self.right,
        };
        let (ast, parsed) = parse(name, Arc::from(source.as_ref()), &settings)?;
        let ast = Arc::new(ast);
        for parsed in parsed {
            if parsed.is_empty && self.get(&parsed.name).is_some() {
                continue;
            }
            let template = Template {
                name: parsed.name.clone(),
                ast: ast.clone(),
                list: parsed.list,
                is_empty: parsed.is_empty,
            };
            self.change(parsed.name, Some(Arc::new(template)));
        }
        Ok(())
    }

    /// There is a template of this name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name.as_bytes()).is_some()
    }

    /// Takes a template out.
    pub fn remove(&mut self, name: &str) {
        if self.has(name) {
            self.change(name.as_bytes().into(), None);
        }
    }

    /// Copies are made to be changed a little: what they share stays shared.
    fn change(&mut self, name: Name, template: Option<Arc<Template>>) {
        match (Arc::get_mut(&mut self.by_name), template) {
            (Some(own), Some(template)) if self.changed.is_empty() => {
                own.insert(name, template);
            }
            (Some(own), None) if self.changed.is_empty() => {
                own.remove(&name);
            }
            (_, template) => {
                self.changed.insert(name, template);
            }
        }
    }

    /// A template has nothing but space, comments and definitions.
    pub fn is_empty(&self, name: &str) -> Option<bool> {
        Some(self.get(name.as_bytes())?.is_empty)
    }

    /// The names of all templates, sorted.
    pub fn names(&self) -> Vec<String> {
        let text = |name: &Name| crate::unicode::text(name).into_owned();
        let all = self.by_name.keys().chain(self.changed.keys());
        let there = all.filter(|name| self.get(name).is_some());
        let mut names: Vec<String> = there.map(text).collect();
        names.sort();
        names.dedup();
        names
    }

    /// A template as text again: what the parser understood. With `quoted`,
    /// plain text stands between quotes.
    pub fn show(&self, name: &str, quoted: bool) -> Option<String> {
        let template = self.get(name.as_bytes())?;
        let text = show_list(&template.ast, template.list, quoted);
        Some(crate::unicode::text(&text).into_owned())
    }

    /// Executes a template on a value.
    pub fn execute(&self, name: &str, dot: Value, limits: &Limits) -> Result<Output, Error> {
        run(self, name, dot, limits, std::rc::Rc::new(()))
    }

    /// Executes a template on a value, with something that functions of the
    /// host ask for ([`Context::host`]).
    pub fn execute_with(
        &self,
        name: &str,
        dot: Value,
        limits: &Limits,
        host: std::rc::Rc<dyn std::any::Any>,
    ) -> Result<Output, Error> {
        run(self, name, dot, limits, host)
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<&Template> {
        match self.changed.get(name) {
            Some(changed) => changed.as_deref(),
            None => self.by_name.get(name).map(|template| &**template),
        }
    }

    pub(crate) fn functions(&self) -> &Functions {
        &self.functions
    }

    pub(crate) fn missing(&self) -> MissingKey {
        self.missing_key
    }
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// A name that templates can write as a function's.
pub fn is_function_name(name: &str) -> bool {
    let starts = |rune| rune == '_' || unicode::is_letter(rune);
    name.starts_with(starts)
        && name
            .chars()
            .all(|rune| starts(rune) || unicode::is_digit(rune))
}

/// The error of executing a template that is not there.
pub(crate) fn no_template(set: &Templates, name: &str) -> Error {
    let (name, set) = (quote(name.as_bytes()), quote(set.name.as_bytes()));
    Error::missing(format!("no template {name} associated with template {set}"))
}
