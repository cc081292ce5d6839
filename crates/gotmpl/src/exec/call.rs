//! Calls: arguments are counted, evaluated and checked, then passed on.

use smallvec::SmallVec;

use super::context::Context;
use super::eval::{Given, checked};
use super::machine::{Eval, Machine};
use super::operand::Operand;
use crate::builtin::{self, Builtin};
use crate::error::Failure;
use crate::parse::ast::{Callee, Id, Name};
use crate::template::Function;
use crate::value::{Func, List, Map, Method, Str, Type, Value};

/// Arguments of a call, checked to be of the parameters' types.
#[derive(Debug)]
pub struct Args<'a>(&'a mut [Value]);

impl<'a> Args<'a> {
    /// Arguments for calling a function from the host.
    pub fn new(values: &'a mut [Value]) -> Self {
        Args(values)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One of them; nil beyond the last.
    pub fn get(&self, at: usize) -> &Value {
        self.0.get(at).unwrap_or(&Value::Nil)
    }

    /// All of them.
    pub fn all(&self) -> &[Value] {
        self.0
    }

    /// All from one on.
    pub fn rest(&self, from: usize) -> &[Value] {
        self.0.get(from..).unwrap_or_default()
    }

    /// Takes one out.
    pub fn take(&mut self, at: usize) -> Value {
        self.0.get_mut(at).map(std::mem::take).unwrap_or_default()
    }

    /// The bytes of a `string` or `[]byte` parameter.
    pub fn bytes(&self, at: usize) -> &[u8] {
        match self.get(at) {
            Value::String(text) => text,
            Value::Bytes(bytes) => bytes,
            _ => b"",
        }
    }

    /// The text of a `string` parameter, with U+FFFD for bytes that are no
    /// UTF-8.
    pub fn text(&self, at: usize) -> std::borrow::Cow<'_, str> {
        crate::unicode::text(self.bytes(at))
    }

    /// A `string` parameter.
    pub fn string(&self, at: usize) -> Str {
        match self.get(at) {
            Value::String(text) => text.clone(),
            Value::Bytes(bytes) => (**bytes).clone(),
            _ => Str::EMPTY,
        }
    }

    /// An integer parameter.
    pub fn int(&self, at: usize) -> i64 {
        match self.get(at) {
            Value::Int(number, _) => *number,
            Value::Uint(number, _) => i64::try_from(*number).unwrap_or(i64::MAX),
            _ => 0,
        }
    }

    /// A `bool` parameter.
    pub fn bool(&self, at: usize) -> bool {
        matches!(self.get(at), Value::Bool(true))
    }

    /// A float parameter.
    pub fn float(&self, at: usize) -> f64 {
        match self.get(at) {
            Value::Float(number) => *number,
            _ => 0.0,
        }
    }

    /// A map parameter.
    pub fn map(&self, at: usize) -> Option<&Map> {
        match self.get(at) {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// A slice parameter.
    pub fn list(&self, at: usize) -> Option<&List> {
        match self.get(at) {
            Value::List(list) => Some(list),
            _ => None,
        }
    }
}

/// What is called.
pub(super) enum Target<'t> {
    Function(&'t Function),
    Method(&'t Value, &'static Method),
}

impl<'t> Target<'t> {
    fn params(&self) -> (&'t [Type], bool) {
        match self {
            Target::Function(function) => (&function.params, function.variadic),
            Target::Method(_, method) => (method.params, method.variadic),
        }
    }
}

/// Evaluated arguments; mostly few.
type Operands = SmallVec<[Operand; 3]>;

impl Machine<'_> {
    /// Calls a function by name. `node` is what errors of the call show.
    pub(super) fn function(
        &mut self,
        callee: Callee,
        name: &Name,
        node: Id,
        given: Given<'_>,
    ) -> Eval {
        match callee {
            Callee::Builtin(builtin) => self.call_builtin(builtin, name, node, given),
            Callee::Host(index) => match self.set.functions().get(index) {
                Some(function) => self.call(Target::Function(function), name, node, given),
                None => Err("function is not there".into()),
            },
        }
    }

    pub(super) fn call(
        &mut self,
        target: Target<'_>,
        name: &[u8],
        node: Id,
        given: Given<'_>,
    ) -> Eval {
        let (params, variadic) = target.params();
        let operands = self.operands(params, variadic, name, given)?;
        let mut values: SmallVec<[Value; 4]> = operands.into_iter().map(|o| o.value).collect();
        self.run.step()?;
        let mut cx = Context {
            set: self.set,
            run: self.run,
            template: self.template,
            at: node,
        };
        let args = Args(&mut values);
        let result = match target {
            Target::Function(function) => (function.body)(&mut cx, args),
            Target::Method(receiver, method) => (method.call)(&mut cx, receiver, args),
        };
        self.returned(result.map(Operand::plain), name, node)
    }

    fn returned(&mut self, result: Eval, name: &[u8], node: Id) -> Eval {
        result.map_err(|failure| {
            self.at = node;
            let name = crate::unicode::text(name);
            failure.within(&format!("error calling {name}: "))
        })
    }

    /// Counts and evaluates arguments.
    fn operands(
        &mut self,
        params: &[Type],
        variadic: bool,
        name: &[u8],
        given: Given<'_>,
    ) -> Eval<Operands> {
        count(params, variadic, name, &given)?;
        let fixed = params.len() - usize::from(variadic);
        let repeated = params.last().copied().unwrap_or(Type::Any);
        let param = |at: usize| match at < fixed {
            true => params.get(at).copied().unwrap_or(Type::Any),
            false => repeated,
        };
        let mut operands = Operands::new();
        for (at, node) in given.nodes.iter().enumerate() {
            operands.push(self.argument(*node, param(at))?);
        }
        if let Some(last) = given.last {
            let ty = match variadic {
                true => param(operands.len()),
                false => repeated,
            };
            operands.push(checked(last, ty)?);
        }
        Ok(operands)
    }

    fn call_builtin(&mut self, builtin: Builtin, name: &Name, node: Id, given: Given<'_>) -> Eval {
        let (params, variadic) = builtin.params();
        match builtin {
            Builtin::And | Builtin::Or => {
                count(params, variadic, name, &given)?;
                return self.short_circuit(builtin == Builtin::Or, given);
            }
            Builtin::Call => {
                let callee = match given.nodes.first() {
                    Some(node) => self.shown(*node),
                    None => given.last.as_ref().map(described).unwrap_or_default(),
                };
                let operands = self.operands(params, variadic, name, given)?;
                self.run.step()?;
                let result = self.call_value(&callee, operands, node);
                return self.returned(result, name, node);
            }
            _ => {}
        }
        let operands = self.operands(params, variadic, name, given)?;
        self.run.step()?;
        let result = builtin::call(builtin, operands.as_slice(), self.run);
        self.returned(result, name, node)
    }

    /// `and` and `or`: arguments behind the one that decides are not
    /// evaluated.
    fn short_circuit(&mut self, or: bool, given: Given<'_>) -> Eval {
        let mut value = Operand::NONE;
        for node in given.nodes {
            value = self.argument(*node, Type::Raw)?;
            if value.value.is_true() == or {
                return Ok(value);
            }
        }
        Ok(given.last.unwrap_or(value))
    }

    /// `call`: a function that is a value.
    fn call_value(&mut self, callee: &str, operands: Operands, node: Id) -> Eval {
        let mut operands = operands.into_iter();
        let func = match operands.next().unwrap_or_default().value {
            Value::Nil => return Err("call of nil".into()),
            Value::Func(func) => func,
            other => {
                let ty = other.type_name();
                return Err(format!("non-function {callee} of type {ty}").into());
            }
        };
        let mut values: SmallVec<[Value; 4]> = operands.map(|operand| operand.value).collect();
        prepare(callee, &func, &mut values)?;
        let mut cx = Context {
            set: self.set,
            run: self.run,
            template: self.template,
            at: node,
        };
        func.call(&mut cx, Args(&mut values)).map(Operand::plain)
    }
}

/// What Go's `reflect.Value.String` says of a value.
fn described(operand: &Operand) -> String {
    match &operand.value {
        Value::String(text) => text.text().into_owned(),
        Value::Nil => "<invalid Value>".to_owned(),
        value => format!("<{} Value>", value.type_name()),
    }
}

/// The number of arguments fits.
fn count(params: &[Type], variadic: bool, name: &[u8], given: &Given<'_>) -> Eval<()> {
    let got = given.nodes.len() + usize::from(given.last.is_some());
    let want = params.len();
    let shown = || crate::unicode::text(name);
    if variadic {
        let least = want - 1;
        if got < least {
            // Go counts the arguments of the command only.
            let got = given.nodes.len();
            return Err(format!(
                "wrong number of args for {}: want at least {least} got {got}",
                shown()
            )
            .into());
        }
    } else if got != want {
        let text = shown();
        return Err(format!("wrong number of args for {text}: want {want} got {got}").into());
    }
    Ok(())
}

/// Checks the arguments of a function that is a value.
fn prepare(callee: &str, func: &Func, values: &mut [Value]) -> Result<(), Failure> {
    let (params, variadic) = func.params();
    let (got, want) = (values.len(), params.len());
    if variadic && got < want.saturating_sub(1) {
        let least = want - 1;
        return Err(
            format!("wrong number of args for {callee}: got {got} want at least {least}").into(),
        );
    }
    if !variadic && got != want {
        return Err(format!("wrong number of args for {callee}: got {got} want {want}").into());
    }
    for (at, value) in values.iter_mut().enumerate() {
        let fixed = !variadic || at + 1 < want;
        let param = if fixed { params.get(at) } else { params.last() };
        let ty = param.copied().unwrap_or(Type::Any);
        let taken = prepare_one(std::mem::take(value), ty);
        *value = taken.map_err(|failure| failure.within(&format!("arg {at}: ")))?;
    }
    Ok(())
}

fn prepare_one(value: Value, ty: Type) -> Result<Value, Failure> {
    let Some(got) = value.ty() else {
        return match ty.can_be_nil() {
            true => Ok(Value::zero(ty)),
            false => Err(format!("value is nil; should be of type {ty}").into()),
        };
    };
    if ty.takes(got) {
        return Ok(value);
    }
    match (&value, ty) {
        (Value::Int(number, _), Type::Int(kind)) => Ok(Value::Int(*number, kind)),
        (Value::Int(number, _), Type::Uint(kind)) => Ok(Value::Uint(*number as u64, kind)),
        (Value::Uint(number, _), Type::Int(kind)) => Ok(Value::Int(*number as i64, kind)),
        (Value::Uint(number, _), Type::Uint(kind)) => Ok(Value::Uint(*number, kind)),
        _ => Err(format!("value has type {got}; should be {ty}").into()),
    }
}
