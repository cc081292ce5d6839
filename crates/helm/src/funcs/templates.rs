//! Functions that execute templates, or end the render.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

use gotmpl::value::Str;
use gotmpl::{Context, Failure, Functions, MissingKey, Value};

use super::serial::Read;
use super::unstable::Unstable;
use super::{ANY, Answer, TEXT};

/// A template includes itself no more often.
const MOST: usize = 1000;
/// What a message of `required` and `fail` stands between, as in Helm.
pub(crate) const START: &str = "HELM_ERR_START";
pub(crate) const END: &str = "HELM_ERR_END";
/// The name of a set, and of the texts that `tpl` executes.
pub(crate) const SET: &str = "gotpl";

/// What functions share while a chart renders. It is the host of the
/// execution.
#[derive(Debug, Default)]
pub struct Rendering {
    /// Calls that are not the same in each run of Helm.
    pub unstable: Unstable,
    /// A key that a map does not have is an error.
    pub strict: bool,
    /// `required` and `fail` only note what they miss.
    pub lint: bool,
    /// Placeholders do not depend on the place of the call.
    pub uniform: bool,
    /// APIs that templates asked the cluster for.
    pub(crate) apis: RefCell<BTreeSet<String>>,
    /// The template that is executed has looked up an object in the cluster.
    pub(crate) looked_up: Cell<bool>,
    /// Placeholders and clock of another run.
    pub again: bool,
    included: RefCell<HashMap<String, usize>>,
    /// What `fromYaml` has read.
    pub(super) read: Read,
}

impl Rendering {
    /// A render that has asked for nothing yet.
    pub fn new(strict: bool, lint: bool) -> Self {
        Rendering {
            strict,
            lint,
            ..Rendering::default()
        }
    }
}

pub(super) fn add(all: &mut Functions) {
    all.add("include", &[TEXT, ANY], |cx, mut args| {
        let dot = args.take(1);
        include(cx, &args.text(0), dot)
    });
    all.add("tpl", &[TEXT, ANY], |cx, mut args| {
        let dot = args.take(1);
        tpl(cx, args.bytes(0), dot)
    });
    all.add("required", &[TEXT, ANY], |cx, mut args| {
        let value = args.take(1);
        let missing = match &value {
            Value::Nil => true,
            Value::String(text) => text.is_empty(),
            _ => false,
        };
        match (missing, lint(cx)) {
            (false, _) => Ok(value),
            (true, true) => Ok(Value::from("")),
            (true, false) => Err(wrapped("required", &args.text(0))),
        }
    });
    all.add("fail", &[TEXT], |cx, args| match lint(cx) {
        true => Ok(Value::from("")),
        false => Err(wrapped("fail", &args.text(0))),
    });
}

fn lint(cx: &Context<'_>) -> bool {
    cx.host::<Rendering>().is_some_and(|host| host.lint)
}

fn wrapped(tag: &'static str, message: &str) -> Failure {
    Failure::tagged(tag, format!("{START}{message}{END}"))
}

fn include(cx: &mut Context<'_>, name: &str, dot: Value) -> Answer {
    let host = cx.host::<Rendering>();
    if let Some(host) = &host {
        let mut included = host.included.borrow_mut();
        let count = included.entry(name.to_owned()).or_default();
        if *count > MOST {
            return Err(format!(
                "rendering template has a nested reference name: {name}: unable to execute template"
            )
            .into());
        }
        *count += 1;
    }
    let text = cx.execute(name, dot);
    if let Some(host) = &host
        && let Some(count) = host.included.borrow_mut().get_mut(name)
    {
        *count -= 1;
    }
    Ok(Value::String(text?))
}

fn tpl(cx: &mut Context<'_>, text: &[u8], dot: Value) -> Answer {
    // Text without an action is itself.
    if memchr::memmem::find(text, b"{{").is_none() {
        return Ok(Value::String(without_no_value(text)));
    }
    let quoted = || gotmpl::strconv::quote(text);
    let strict = cx.host::<Rendering>().is_some_and(|host| host.strict);
    let missing_key = match strict {
        true => MissingKey::Error,
        false => MissingKey::Zero,
    };
    let mut set = cx.templates().clone().missing_key(missing_key);
    set.remove(SET);
    set.parse(SET, text)
        .map_err(|e| Failure::from(e).within(&format!("cannot parse template {}: ", quoted())))?;
    let made = cx.execute_in(&set, SET, dot).map_err(|failure| {
        failure.within(&format!(
            "error during tpl function execution for {}: ",
            quoted()
        ))
    })?;
    Ok(Value::String(without_no_value(&made)))
}

/// A text without Go's mark of a missing value.
pub(crate) fn without_no_value(text: &[u8]) -> Str {
    const MARK: &[u8] = b"<no value>";
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, MARK) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + MARK.len()..).unwrap_or_default();
    }
    match rest.len() == text.len() {
        true => Str::from(text),
        false => {
            out.extend_from_slice(rest);
            Str::from(out)
        }
    }
}
