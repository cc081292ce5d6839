//! Functions as values: for `call`, and iterators for `range`.

use std::fmt;
use std::rc::Rc;

use super::Value;
use super::types::Type;
use crate::exec::{Args, Context, Failure};

/// A function that is a value.
#[derive(Clone)]
pub struct Func(Rc<Data>);

struct Data {
    signature: &'static str,
    params: Vec<Type>,
    variadic: bool,
    body: Body,
}

/// What a call does.
type Call = Box<dyn Fn(&mut Context<'_>, Args<'_>) -> Result<Value, Failure>>;
/// What a `range` goes through: one value, or a pair, at a time.
pub(crate) type Pairs = Box<dyn Iterator<Item = (Value, Option<Value>)>>;
/// What starts an iteration.
type Start = Box<dyn Fn() -> Pairs>;

enum Body {
    Call(Call),
    Each { pairs: bool, start: Start },
}

impl Func {
    /// A function that `call` calls. `signature` is its type as Go prints it.
    pub fn new(
        signature: &'static str,
        params: Vec<Type>,
        variadic: bool,
        body: impl Fn(&mut Context<'_>, Args<'_>) -> Result<Value, Failure> + 'static,
    ) -> Self {
        Func(Rc::new(Data {
            signature,
            params,
            variadic,
            body: Body::Call(Box::new(body)),
        }))
    }

    /// An iterator function that `range` goes through: of single values, or
    /// of `pairs`.
    pub fn iterator(
        signature: &'static str,
        pairs: bool,
        start: impl Fn() -> Box<dyn Iterator<Item = (Value, Option<Value>)>> + 'static,
    ) -> Self {
        Func(Rc::new(Data {
            signature,
            params: Vec::new(),
            variadic: false,
            body: Body::Each {
                pairs,
                start: Box::new(start),
            },
        }))
    }

    /// Its type as Go prints it.
    pub fn signature(&self) -> &'static str {
        self.0.signature
    }

    pub(crate) fn params(&self) -> (&[Type], bool) {
        (&self.0.params, self.0.variadic)
    }

    pub(crate) fn call(&self, cx: &mut Context<'_>, args: Args<'_>) -> Result<Value, Failure> {
        match &self.0.body {
            Body::Call(body) => body(cx, args),
            Body::Each { .. } => Err(Failure::from("an iterator cannot be called")),
        }
    }

    /// Starts an iteration, and says whether it gives pairs.
    pub(crate) fn iterate(&self) -> Option<(bool, Pairs)> {
        match &self.0.body {
            Body::Call(_) => None,
            Body::Each { pairs, start } => Some((*pairs, start())),
        }
    }

    /// Where the function is, as a number.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0).cast::<u8>() as usize
    }
}

impl fmt::Debug for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.signature)
    }
}
