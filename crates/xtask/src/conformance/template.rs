//! Go's own template rows: `gotemplate_cases.jsonl`.
//!
//! Rows of the lexer's tables state no result; their texts must only be read
//! to an end.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::engine::template::Case;
use crate::lines;
use crate::ratchet::Outcome;

#[derive(Deserialize)]
struct Row {
    name: String,
    status: String,
    table: String,
    template: Option<Value>,
    data_fixture: Option<Value>,
    expected: Option<Value>,
    ok: Option<bool>,
    case: Option<Parse>,
}

/// A row about parsing.
#[derive(Deserialize)]
struct Parse {
    input: Option<String>,
    ok: Option<bool>,
    result: Option<String>,
    empty: Option<bool>,
    text: Option<String>,
    #[serde(flatten)]
    number: Number,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Number {
    is_int: bool,
    is_uint: bool,
    is_float: bool,
    is_complex: bool,
    int64: Value,
    uint64: Value,
    float64: f64,
}

/// Runs all rows.
pub fn run(vectors: &Path, engine: &dyn Engine) -> Result<Vec<Outcome>, String> {
    let mut rows: Vec<Row> = lines::read(&vectors.join("gotemplate_cases.jsonl"))?;
    rows.retain(|row| row.status == "complete");
    Ok(rows
        .iter()
        .map(|row| Outcome::new(format!("{}/{}", row.table, row.name), row.check(engine)))
        .collect())
}

impl Row {
    fn check(&self, engine: &dyn Engine) -> Result<(), String> {
        match &self.case {
            None => self.execute(engine),
            Some(case) => match self.table.as_str() {
                "parseTests" => self.parse(engine, case),
                "errorTests" => self.error(engine, case),
                "isEmptyTests" => self.emptiness(engine, case),
                "numberTests" => number(engine, case),
                _ => self.lex(engine, case),
            },
        }
    }

    fn ask(
        &self,
        engine: &dyn Engine,
        text: &str,
        change: impl Fn(&mut Case),
    ) -> Result<String, String> {
        let mut case = Case::new(&self.name, text, Value::Null);
        change(&mut case);
        one(engine, case)
    }

    fn execute(&self, engine: &dyn Engine) -> Result<(), String> {
        let text = self.template.as_ref().and_then(Value::as_str);
        let data = self.data_fixture.as_ref().map_or(Value::Null, data);
        let result = self.ask(engine, text.ok_or("no template")?, |case| {
            case.data = data.clone();
        });
        match (result, self.ok.unwrap_or(true), &self.expected) {
            (Err(_), false, _) => Ok(()),
            (Ok(text), true, Some(Value::String(expected))) if text == *expected => Ok(()),
            (other, ..) => Err(format!("{other:?}, expected {:?}", self.expected)),
        }
    }

    fn parse(&self, engine: &dyn Engine, case: &Parse) -> Result<(), String> {
        let input = case.input.as_deref().unwrap_or_default();
        let result = self.ask(engine, input, |case| case.show = true);
        match (result, case.ok) {
            (Err(_), Some(false)) => Ok(()),
            (Ok(shown), Some(true)) => {
                let expected = case.result.clone().unwrap_or_default();
                let expected = unquoted(&expected);
                match shown == expected {
                    true => Ok(()),
                    false => Err(format!("{shown:?}, expected {expected:?}")),
                }
            }
            (other, _) => Err(format!("{other:?}, expected {:?}", case.ok)),
        }
    }

    fn error(&self, engine: &dyn Engine, case: &Parse) -> Result<(), String> {
        let input = case.input.as_deref().unwrap_or_default();
        let expected = case.result.as_deref().unwrap_or_default();
        match self.ask(engine, input, |case| case.show = true) {
            Err(message) if message.contains(expected) => Ok(()),
            other => Err(format!("{other:?}, expected {expected:?}")),
        }
    }

    fn emptiness(&self, engine: &dyn Engine, case: &Parse) -> Result<(), String> {
        let input = case.input.as_deref().unwrap_or_default();
        let result = self.ask(engine, input, |case| case.empty = true)?;
        match Some(result == "true") == case.empty {
            true => Ok(()),
            false => Err(format!("{result}, expected {:?}", case.empty)),
        }
    }

    fn lex(&self, engine: &dyn Engine, case: &Parse) -> Result<(), String> {
        let input = case.input.as_deref().unwrap_or_default();
        // Whether these texts are templates is not stated.
        let _ = self.ask(engine, input, |case| {
            case.show = true;
            if self.table == "lexDelimTests" {
                case.delims = ("$$".to_owned(), "@@".to_owned());
            }
        });
        Ok(())
    }
}

fn one(engine: &dyn Engine, case: Case) -> Result<String, String> {
    let mut results = engine.render(&[case]);
    results.pop().unwrap_or_else(|| Err("no answer".to_owned()))
}

/// Rows show plain text between quotes. A part in quotes behind an action, or
/// at the start, is such text.
fn unquoted(shown: &str) -> String {
    let mut out = String::new();
    let (mut rest, mut inside) = (shown, false);
    while let Some(next) = rest.chars().next() {
        let text = !inside && next == '"';
        if text && let Some(end) = literal(rest) {
            let (quoted, behind) = rest.split_at(end);
            let bytes = gotmpl::strconv::unquote(quoted.as_bytes()).unwrap_or_default();
            out.push_str(&String::from_utf8_lossy(&bytes));
            rest = behind;
            continue;
        }
        if rest.starts_with("{{") {
            inside = true;
        } else if rest.starts_with("}}") {
            inside = false;
            out.push('}');
            rest = rest.get(1..).unwrap_or_default();
        }
        out.push(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    out
}

/// Where the literal at the start of a text ends.
fn literal(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A constant is accepted for the parameters whose kind of number it is.
fn number(engine: &dyn Engine, case: &Parse) -> Result<(), String> {
    let text = case.text.as_deref().unwrap_or_default();
    let number = &case.number;
    let ask = |function: &str| {
        let text = format!("{{{{printf \"%v\" ({function} {text})}}}}");
        one(engine, Case::new("number", &text, Value::Null))
    };
    let checks = [
        ("int64", number.is_int, whole(&number.int64)),
        ("uint64", number.is_uint, whole(&number.uint64)),
        ("float", number.is_float, float_text(number.float64)),
        ("complex", number.is_complex, String::new()),
    ];
    for (function, is, expected) in checks {
        match (ask(function), is) {
            (Err(_), false) => {}
            (Ok(_), true) if function == "complex" => {}
            (Ok(got), true) if got == expected => {}
            (other, _) => return Err(format!("{function}: {other:?}, expected {is} {expected}")),
        }
    }
    Ok(())
}

/// An integer, which some rows write as a float.
fn whole(number: &Value) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => format!("{float:.0}"),
        _ => number.to_string(),
    }
}

fn float_text(number: f64) -> String {
    gotmpl::strconv::format_float(number, gotmpl::strconv::FloatForm::General, None, false)
}

/// The data of a row with Go's types.
fn data(fixture: &Value) -> Value {
    let items = |all: bool, text: &'static str, number: &'static str| match all {
        true => number,
        false => text,
    };
    let ty = match fixture {
        Value::Null => return Value::Null,
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int",
        Value::String(_) => "string",
        Value::Array(list) => items(list.iter().all(Value::is_number), "[]string", "[]int"),
        Value::Object(map) if map.contains_key("unexported") => "fixture",
        Value::Object(map) => items(
            map.values().all(Value::is_number),
            "map[string]string",
            "map[string]int",
        ),
    };
    json!({"t": ty, "v": fixture})
}
