//! Keys, certificates and passwords. What Go makes at random is a placeholder
//! of the place that asks, valid for those who read it.

mod certificates;
mod der;
mod keys;
mod passwords;

use gotmpl::{Functions, Value};

use super::{TEXT, made, unstable};

pub(super) fn add(all: &mut Functions) {
    all.add("genPrivateKey", &[TEXT], |cx, args| {
        let ty = args.text(0).into_owned();
        unstable::record(cx, "genPrivateKey");
        cx.steps(20_000)?;
        let place = format!("key {}", unstable::place(cx));
        match keys::placeholder(&ty, &place) {
            Some(text) => made(cx, text),
            None => Ok(Value::from(format!("Unknown type {ty}"))),
        }
    });
    certificates::add(all);
    passwords::add(all);
}
