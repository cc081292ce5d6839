//! Regular expressions.

use std::cell::RefCell;
use std::collections::HashMap;

use gotmpl::regexp::{Regexp, quote_meta};
use gotmpl::value::types::STRING_SLICE;
use gotmpl::value::{List, Str, Type};
use gotmpl::{Args, Context, Failure, Functions, Value};

use super::{Answer, TEXT, list_of, made};

/// Patterns that are kept compiled.
const KEPT: usize = 256;

thread_local! {
    /// Patterns of this thread: charts use few, and each many times.
    static COMPILED: RefCell<HashMap<String, Regexp>> = RefCell::default();
}

fn compiled(pattern: &str) -> Result<Regexp, String> {
    COMPILED.with_borrow_mut(|known| {
        if let Some(regexp) = known.get(pattern) {
            return Ok(regexp.clone());
        }
        let regexp = Regexp::new(pattern)?;
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(pattern.to_owned(), regexp.clone());
        Ok(regexp)
    })
}

type Use = fn(&mut Context<'_>, &Regexp, &Args<'_>) -> Answer;

/// Adds a function that takes a pattern first, and its `must` twin: they
/// differ in their message for a wrong pattern only.
fn both(all: &mut Functions, name: &str, params: &[Type], body: Use) {
    all.add(name, params, move |cx, args| {
        let pattern = args.text(0);
        let regexp = compiled(&pattern).map_err(|e| {
            let quoted = if pattern.contains('`') {
                gotmpl::strconv::quote(pattern.as_bytes())
            } else {
                format!("`{pattern}`")
            };
            Failure::from(format!("regexp: Compile({quoted}): {e}"))
        })?;
        body(cx, &regexp, &args)
    });
    let must = format!("mustR{}", name.strip_prefix('r').unwrap_or(name));
    all.add(&must, params, move |cx, args| {
        body(cx, &compiled(&args.text(0))?, &args)
    });
}

pub(super) fn add(all: &mut Functions) {
    all.add("regexMatch", &[TEXT, TEXT], |_, args| {
        let found = compiled(&args.text(0)).is_ok_and(|regexp| regexp.is_match(args.bytes(1)));
        Ok(Value::Bool(found))
    });
    all.add("mustRegexMatch", &[TEXT, TEXT], |_, args| {
        Ok(Value::Bool(
            compiled(&args.text(0))?.is_match(args.bytes(1)),
        ))
    });
    both(all, "regexFind", &[TEXT, TEXT], |_, regexp, args| {
        let found = regexp
            .find(args.bytes(1))
            .and_then(|range| args.bytes(1).get(range));
        Ok(Value::string(found.unwrap_or_default()))
    });
    both(
        all,
        "regexFindAll",
        &[TEXT, TEXT, Type::INT],
        |cx, regexp, args| {
            let found = regexp.find_all(args.bytes(1), args.int(2));
            if found.is_empty() {
                return Ok(Value::List(List::nil(&STRING_SLICE)));
            }
            let text = |range| Value::string(args.bytes(1).get(range).unwrap_or_default());
            list_of(cx, &STRING_SLICE, found.into_iter().map(text).collect())
        },
    );
    both(
        all,
        "regexReplaceAll",
        &[TEXT, TEXT, TEXT],
        |cx, regexp, args| made(cx, regexp.replace_all(args.bytes(1), args.bytes(2))),
    );
    both(
        all,
        "regexReplaceAllLiteral",
        &[TEXT, TEXT, TEXT],
        |cx, regexp, args| made(cx, regexp.replace_all_literal(args.bytes(1), args.bytes(2))),
    );
    both(
        all,
        "regexSplit",
        &[TEXT, TEXT, Type::INT],
        |cx, regexp, args| {
            if args.int(2) == 0 {
                return Ok(Value::List(List::nil(&STRING_SLICE)));
            }
            let parts = regexp.split(args.bytes(1), args.int(2));
            list_of(
                cx,
                &STRING_SLICE,
                parts
                    .into_iter()
                    .map(|part| Value::String(Str::from(part)))
                    .collect(),
            )
        },
    );
    all.add("regexQuoteMeta", &[TEXT], |cx, args| {
        made(cx, quote_meta(args.bytes(0)))
    });
}
