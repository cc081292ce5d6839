//! Statements: text, actions, blocks and template calls.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use super::context::{Run, error_at, stack_pointer};
use super::limits::Limits;
use super::operand::Operand;
use super::range::Items;
use super::trace::{Output, Trace};
use crate::error::{Error, Failure};
use crate::fmt::print_value;
use crate::parse::ast::{Ast, Branch, Id, Kind, ROOT, Span};
use crate::strconv::quote;
use crate::template::{Template, Templates, no_template};
use crate::value::Value;

/// Executes a template of a set.
pub(crate) fn run(
    set: &Templates,
    name: &str,
    dot: Value,
    limits: &Limits,
    host: Rc<dyn Any>,
) -> Result<Output, Error> {
    let template = set
        .get(name.as_bytes())
        .ok_or_else(|| no_template(set, name))?;
    let mut run = Run {
        limits: limits.clone(),
        steps: 0,
        bytes: 0,
        nesting: 0,
        stack: stack_pointer(),
        out: Vec::new(),
        inner: 0,
        trace: limits.trace.then(Trace::default),
        host,
        spare: Vec::new(),
    };
    Machine::new(set, &mut run, template, dot).run()?;
    Ok(Output {
        text: run.out,
        steps: run.steps,
        bytes: run.bytes,
        segments: run.trace.map(|trace| trace.segments).unwrap_or_default(),
    })
}

/// One execution of a template, and of those it calls by `{{template}}`.
pub(crate) struct Machine<'m> {
    pub(super) set: &'m Templates,
    pub(super) run: &'m mut Run,
    pub(super) template: &'m Template,
    /// The node that errors name.
    pub(super) at: Id,
    pub(super) dot: Operand,
    variables: Vec<(u32, Operand)>,
    /// The first variable of the template that is executing.
    base: usize,
    pub(super) frames: Vec<Frame<'m>>,
    /// Template calls among the frames.
    depth: usize,
}

/// What goes on when what is above it is done.
pub(super) enum Frame<'m> {
    List {
        list: Span,
        next: usize,
        /// Variables that outlive the list.
        mark: usize,
        /// The dot outside, if the list has its own.
        dot: Option<Operand>,
    },
    Range(RangeFrame<'m>),
    Call {
        template: &'m Template,
        at: Id,
        base: usize,
        dot: Operand,
    },
}

pub(super) struct RangeFrame<'m> {
    pub branch: &'m Branch,
    pub items: Items,
    /// Variables outside the range, and with those it declares.
    pub outside: usize,
    pub inside: usize,
    pub dot: Operand,
}

/// What an evaluation gives: an operand, or the failure at [`Machine::at`].
pub(super) type Eval<T = Operand> = Result<T, Failure>;

impl<'m> Machine<'m> {
    pub fn new(
        set: &'m Templates,
        run: &'m mut Run,
        template: &'m Template,
        dot: Value,
    ) -> Machine<'m> {
        let dot = Operand::plain(dot);
        Machine {
            set,
            run,
            template,
            at: 0,
            variables: vec![(ROOT, dot.clone())],
            dot,
            base: 0,
            frames: vec![Frame::List {
                list: template.list,
                next: 0,
                mark: 0,
                dot: None,
            }],
            depth: 0,
        }
    }

    pub(super) fn ast(&self) -> &'m Ast {
        &self.template.ast
    }

    /// Executes all there is.
    pub fn run(mut self) -> Result<(), Error> {
        self.go()
            .map_err(|failure| error_at(self.template, self.at, failure))
    }

    fn go(&mut self) -> Eval<()> {
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::List { list, next, .. } => {
                    let ast: &'m Ast = &self.template.ast;
                    match ast.list(*list).get(*next) {
                        Some(id) => {
                            *next += 1;
                            self.node(*id)?;
                        }
                        None => self.leave(),
                    }
                }
                Frame::Range(_) => self.iterate()?,
                Frame::Call { .. } => self.leave(),
            }
        }
        Ok(())
    }

    /// Takes the topmost frame off.
    fn leave(&mut self) {
        match self.frames.pop() {
            Some(Frame::List { mark, dot, .. }) => {
                self.variables.truncate(mark.max(self.base + 1));
                if let Some(dot) = dot {
                    self.dot = dot;
                }
            }
            Some(Frame::Range(range)) => {
                self.variables.truncate(range.outside);
                self.dot = range.dot;
            }
            Some(Frame::Call {
                template,
                at,
                base,
                dot,
            }) => {
                self.variables.truncate(self.base);
                self.template = template;
                self.at = at;
                self.base = base;
                self.dot = dot;
                self.depth -= 1;
            }
            None => {}
        }
    }

    fn node(&mut self, id: Id) -> Eval<()> {
        self.run.step()?;
        self.at = id;
        let ast = self.ast();
        let node = ast.node(id);
        match &node.kind {
            Kind::Text { end } => {
                let text = ast.text(node.at, *end);
                self.run.charge(text.len())?;
                self.run.out.extend_from_slice(text);
                self.wrote(node.at);
            }
            Kind::Action(pipe) => {
                let (value, declares) = self.pipeline_declaring(*pipe)?;
                if !declares {
                    self.at = id;
                    self.print(&value)?;
                    self.wrote(node.at);
                }
            }
            Kind::If(branch) => {
                let mark = self.variables.len();
                let value = self.pipeline(branch.pipe)?;
                self.enter(branch, mark, value.value.is_true(), None);
            }
            Kind::With(branch) => {
                let mark = self.variables.len();
                let value = self.pipeline(branch.pipe)?;
                let truth = value.value.is_true();
                self.enter(branch, mark, truth, Some(value));
            }
            Kind::Range(branch) => self.begin_range(branch)?,
            Kind::Template { name, pipe } => self.call_template(name, *pipe)?,
            Kind::Break => self.unwind(true),
            Kind::Continue => self.unwind(false),
            _ => {}
        }
        Ok(())
    }

    fn enter(&mut self, branch: &'m Branch, mark: usize, truth: bool, dot: Option<Operand>) {
        let (list, dot) = match (truth, branch.otherwise) {
            (true, _) => (branch.list, dot),
            (false, Some(list)) => (list, None),
            (false, None) => return self.variables.truncate(mark),
        };
        let dot = dot.map(|dot| std::mem::replace(&mut self.dot, dot));
        self.frames.push(Frame::List {
            list,
            next: 0,
            mark,
            dot,
        });
    }

    /// `break` and `continue`: back to the innermost range.
    fn unwind(&mut self, leaves: bool) {
        while let Some(frame) = self.frames.last() {
            let range = matches!(frame, Frame::Range(_));
            if range && !leaves {
                return;
            }
            self.leave();
            if range {
                return;
            }
        }
    }

    fn begin_range(&mut self, branch: &'m Branch) -> Eval<()> {
        let outside = self.variables.len();
        let value = self.pipeline(branch.pipe)?;
        let inside = self.variables.len();
        let declared = match self.ast().node(branch.pipe).kind {
            Kind::Pipe { declared, .. } => declared.len,
            _ => 0,
        };
        let items = Items::of(value.value, declared > 1)?;
        if items.is_empty() {
            return match branch.otherwise {
                Some(list) => {
                    self.frames.push(Frame::List {
                        list,
                        next: 0,
                        mark: outside,
                        dot: None,
                    });
                    Ok(())
                }
                None => {
                    self.variables.truncate(outside);
                    Ok(())
                }
            };
        }
        self.frames.push(Frame::Range(RangeFrame {
            branch,
            items,
            outside,
            inside,
            dot: self.dot.clone(),
        }));
        Ok(())
    }

    /// Goes on with the range on top.
    fn iterate(&mut self) -> Eval<()> {
        self.run.step()?;
        let Some(Frame::Range(range)) = self.frames.last_mut() else {
            return Ok(());
        };
        let Some((index, item)) = range.items.next() else {
            self.leave();
            return Ok(());
        };
        self.variables.truncate(range.inside);
        let branch = range.branch;
        let ast: &'m Ast = &self.template.ast;
        if let Kind::Pipe {
            assigns, declared, ..
        } = &ast.node(branch.pipe).kind
        {
            let declared = ast.list(*declared);
            self.set_loop_variables(declared, *assigns, index, &item)?;
        }
        self.dot = item;
        self.frames.push(Frame::List {
            list: branch.list,
            next: 0,
            mark: self.variables.len(),
            dot: None,
        });
        Ok(())
    }

    fn set_loop_variables(
        &mut self,
        declared: &[Id],
        assigns: bool,
        index: Operand,
        item: &Operand,
    ) -> Eval<()> {
        let values = match declared.len() {
            0 => return Ok(()),
            1 => [item.clone(), Operand::NONE],
            _ => [index, item.clone()],
        };
        for (at, (id, value)) in declared.iter().zip(values).enumerate() {
            if assigns {
                self.assign(*id, value)?;
            } else if let Some(slot) = self.variables.iter_mut().rev().nth(declared.len() - 1 - at)
            {
                slot.1 = value;
            }
        }
        Ok(())
    }

    fn call_template(&mut self, name: &[u8], pipe: Option<Id>) -> Eval<()> {
        let Some(template) = self.set.get(name) else {
            return Err(format!("template {} not defined", quote(name)).into());
        };
        if self.depth >= self.run.limits.depth {
            let most = self.run.limits.depth;
            return Err(Failure::limit(format!(
                "exceeded maximum template depth ({most})"
            )));
        }
        let dot = match pipe {
            Some(pipe) => self.pipeline(pipe)?,
            None => Operand::NONE,
        };
        self.frames.push(Frame::Call {
            template: std::mem::replace(&mut self.template, template),
            at: self.at,
            base: std::mem::replace(&mut self.base, self.variables.len()),
            dot: std::mem::replace(&mut self.dot, dot.clone()),
        });
        self.variables.push((ROOT, dot));
        self.depth += 1;
        self.frames.push(Frame::List {
            list: template.list,
            next: 0,
            mark: self.variables.len(),
            dot: None,
        });
        Ok(())
    }

    /// Prints what an action evaluated to.
    fn print(&mut self, value: &Operand) -> Eval<()> {
        let before = self.run.out.len();
        match &value.value {
            Value::Nil => self.run.out.extend_from_slice(b"<no value>"),
            Value::Func(func) => {
                let node = crate::parse::show(self.ast(), self.at, false);
                let node = crate::unicode::text(&node);
                let signature = func.signature();
                return Err(format!("can't print {node} of type {signature}").into());
            }
            value => print_value(&mut self.run.out, value),
        }
        let made = self.run.out.len() - before;
        self.run.charge(made)
    }

    /// Records where the last piece of output came from.
    fn wrote(&mut self, at: u32) {
        if self.run.inner == 0
            && let Some(trace) = &mut self.run.trace
        {
            let text: &Arc<str> = &self.template.ast.name;
            trace.wrote(self.run.out.len(), text, at);
        }
    }

    // Variables.

    pub(super) fn declare(&mut self, id: Id, value: Operand) {
        if let Kind::Variable { name, .. } = self.ast().node(id).kind {
            self.variables.push((name, value));
        }
    }

    pub(super) fn assign(&mut self, id: Id, value: Operand) -> Eval<()> {
        let Kind::Variable { name, .. } = self.ast().node(id).kind else {
            return Ok(());
        };
        let visible = self.variables.get_mut(self.base..).unwrap_or_default();
        match visible.iter_mut().rev().find(|(known, _)| *known == name) {
            Some(slot) => {
                slot.1 = value;
                Ok(())
            }
            None => Err(self.undefined(name)),
        }
    }

    pub(super) fn variable(&self, name: u32) -> Eval<&Operand> {
        let visible = self.variables.get(self.base..).unwrap_or_default();
        match visible.iter().rev().find(|(known, _)| *known == name) {
            Some((_, value)) => Ok(value),
            None => Err(self.undefined(name)),
        }
    }

    fn undefined(&self, name: u32) -> Failure {
        let name = crate::unicode::text(self.ast().variable(name)).into_owned();
        Failure::from(format!("undefined variable: {name}"))
    }
}
