//! What functions of the host can ask for.

use std::any::Any;
use std::rc::Rc;

use super::limits::Limits;
use super::machine::Machine;
use super::trace::Trace;
use crate::error::{Error, Failure, Place};
use crate::parse::ast::Id;
use crate::parse::show;
use crate::template::{Template, Templates, no_template};
use crate::value::{Str, Value};

/// What all templates of one execution share.
pub(crate) struct Run {
    pub limits: Limits,
    pub steps: u64,
    pub bytes: u64,
    /// Pipelines that are being evaluated.
    pub nesting: usize,
    /// Where the stack was when the execution began.
    pub stack: usize,
    pub out: Vec<u8>,
    /// Executions by functions: their output is no output yet.
    pub inner: usize,
    pub trace: Option<Trace>,
    pub host: Rc<dyn Any>,
    /// A buffer that is not used now.
    pub spare: Vec<u8>,
}

const END: &str = "do templates include each other without end?";

/// About where the stack is.
#[inline(never)]
pub(super) fn stack_pointer() -> usize {
    let here = 0u8;
    std::hint::black_box(std::ptr::from_ref(&here)).addr()
}

impl Run {
    pub fn step(&mut self) -> Result<(), Failure> {
        self.steps += 1;
        match self.steps > self.limits.steps {
            true => Err(self.too_many_steps()),
            false => Ok(()),
        }
    }

    /// Goes one pipeline deeper.
    pub fn deeper(&mut self) -> Result<(), Failure> {
        if self.nesting >= self.limits.nesting {
            return Err(self.too_deep());
        }
        if stack_pointer().abs_diff(self.stack) > self.limits.stack {
            return Err(self.no_stack());
        }
        self.nesting += 1;
        Ok(())
    }

    #[cold]
    fn too_deep(&self) -> Failure {
        let most = self.limits.nesting;
        Failure::limit(format!(
            "pipelines and included templates nest deeper than {most}; {END}"
        ))
    }

    #[cold]
    fn no_stack(&self) -> Failure {
        let (depth, most) = (self.nesting, self.limits.stack >> 10);
        Failure::limit(format!(
            "pipelines and included templates nest deeper than {most} KiB of stack allow, {depth} of \
             them; {END}"
        ))
        .with_tag(Limits::STACK)
    }

    #[cold]
    fn too_many_steps(&self) -> Failure {
        let most = self.limits.steps;
        Failure::limit(format!(
            "the template takes more than {most} steps; does it end?"
        ))
    }

    pub fn charge(&mut self, bytes: usize) -> Result<(), Failure> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        match self.bytes > self.limits.bytes {
            true => Err(self.too_many_bytes()),
            false => Ok(()),
        }
    }

    #[cold]
    fn too_many_bytes(&self) -> Failure {
        let most = self.limits.bytes;
        Failure::limit(format!("the template makes more than {most} bytes of text"))
    }
}

/// Where a function is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The name of the parsed text.
    pub text: std::sync::Arc<str>,
    /// The byte in that text where the call begins.
    pub at: u32,
}

/// The execution that a function is called in.
pub struct Context<'c> {
    pub(crate) set: &'c Templates,
    pub(crate) run: &'c mut Run,
    pub(crate) template: &'c Template,
    pub(crate) at: Id,
}

impl Context<'_> {
    /// What the host gave to [`Templates::execute_with`], if it is a `T`.
    pub fn host<T: 'static>(&self) -> Option<Rc<T>> {
        self.run.host.clone().downcast().ok()
    }

    /// The templates that are executing.
    pub fn templates(&self) -> &Templates {
        self.set
    }

    /// The name of the template that calls.
    pub fn template(&self) -> String {
        crate::unicode::text(&self.template.name).into_owned()
    }

    /// Where the function is called.
    pub fn site(&self) -> Site {
        let ast = &self.template.ast;
        Site {
            text: ast.name.clone(),
            at: ast.node(self.at).at,
        }
    }

    /// Counts bytes that a function is about to make.
    pub fn charge(&mut self, bytes: usize) -> Result<(), Failure> {
        self.run.charge(bytes)
    }

    /// Counts steps that a function is about to take.
    pub fn steps(&mut self, steps: u64) -> Result<(), Failure> {
        self.run.steps = self.run.steps.saturating_add(steps);
        self.run.step()
    }

    /// Executes another template of the set: its text.
    pub fn execute(&mut self, name: &str, dot: Value) -> Result<Str, Failure> {
        execute(self.set, self.run, name, dot)
    }

    /// Executes a template of another set, within the same limits.
    pub fn execute_in(&mut self, set: &Templates, name: &str, dot: Value) -> Result<Str, Failure> {
        execute(set, self.run, name, dot)
    }
}

fn execute(set: &Templates, run: &mut Run, name: &str, dot: Value) -> Result<Str, Failure> {
    let Some(template) = set.get(name.as_bytes()) else {
        return Err(no_template(set, name).into());
    };
    let buffer = std::mem::take(&mut run.spare);
    let outer = std::mem::replace(&mut run.out, buffer);
    run.inner += 1;
    let result = Machine::new(set, run, template, dot).run();
    run.inner -= 1;
    let mut made = std::mem::replace(&mut run.out, outer);
    let text = Str::from(made.as_slice());
    made.clear();
    run.spare = made;
    result?;
    Ok(text)
}

/// An error at a node.
pub(crate) fn error_at(template: &Template, at: Id, failure: Failure) -> Error {
    let ast = &template.ast;
    let (line, column) = ast.line_column(ast.node(at).at);
    let place = Place {
        text: ast.name.to_string(),
        executing: Some(crate::unicode::text(&template.name).into_owned()),
        line,
        column,
        node: crate::unicode::text(&show(ast, at, false)).into_owned(),
    };
    Error::execute(place, failure)
}
