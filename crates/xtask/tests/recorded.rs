//! The native crates give the answers that upstream gave to our own questions
//! (`oracle/recorded`). Runs without a Go toolchain.

use std::collections::BTreeMap;

use serde_json::Value;
use xtask::engine::{Build, Engine, Expand, Native, Yaml};
use xtask::oracle::{Answer, Question, Recording};

#[test]
fn native_answers_are_the_recorded_ones() {
    let mut wrong = Vec::new();
    for (file, row) in Recording::all().unwrap() {
        let differences = match &row.question {
            Question::Case(case) => flux(&row.answer, &case.native()),
            Question::Request(request) => match request["op"].as_str() {
                Some("yaml") => yaml(request, &row.answer),
                Some("envsubst") => envsubst(request, &row.answer),
                Some("kustomize") => kustomize(request, &row.answer),
                other => vec![format!("no native operation {other:?}")],
            },
        };
        wrong.extend(differences.into_iter().map(|d| format!("{file}: {d}")));
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} differ",
        wrong.join("\n"),
        wrong.len()
    );
}

/// Nothing when both succeed with the same result or both fail.
fn difference(what: &str, native: &Result<String, String>, answer: &Answer) -> Option<String> {
    let expected = match &answer.output {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    match (native, &answer.error) {
        (Ok(got), None) if *got == expected => None,
        (Err(_), Some(_)) => None,
        (got, error) => Some(format!(
            "{what}\n  native   {got:?}\n  upstream {:?}",
            error.as_ref().map_or(Ok(&expected), Err)
        )),
    }
}

fn yaml(request: &Value, answer: &Answer) -> Vec<String> {
    let texts = request["texts"].as_array().unwrap().iter();
    let texts: Vec<String> = texts.map(|t| t.as_str().unwrap().to_owned()).collect();
    let way = request["how"].as_str().unwrap();
    let native = Native::default().yaml(way, &texts);
    let answers = answer.answers.as_deref().unwrap();
    let rows = texts.iter().zip(native.iter().zip(answers));
    rows.filter_map(|(text, (native, answer))| {
        let answer = xtask::engine::comparable(way, answer);
        difference(&format!("{way} {text:?}"), native, &answer)
    })
    .collect()
}

fn envsubst(request: &Value, answer: &Answer) -> Vec<String> {
    let cases = request["cases"].as_array().unwrap().iter();
    let answers = answer.answers.as_deref().unwrap();
    cases
        .zip(answers)
        .filter_map(|(case, answer)| {
            let vars: BTreeMap<String, String> =
                serde_json::from_value(case["vars"].clone()).unwrap();
            let text = case["text"].as_str().unwrap();
            let strict = case["strict"] == true;
            let native = Native::default().envsubst(text, &vars, strict);
            difference(&format!("{text:?}"), &native, answer)
        })
        .collect()
}

fn kustomize(request: &Value, answer: &Answer) -> Vec<String> {
    use base64::Engine as _;
    let mut build = Build::in_memory(request["path"].as_str().unwrap());
    for (path, text) in request["files"].as_object().unwrap() {
        build.file(path, text.as_str().unwrap());
    }
    for (path, data) in request["filesBase64"].as_object().unwrap() {
        let decoder = base64::engine::general_purpose::STANDARD;
        build.bytes(path, decoder.decode(data.as_str().unwrap()).unwrap());
    }
    let native = Native::default().kustomize(&build);
    difference(&request["files"].to_string(), &native, answer)
        .into_iter()
        .collect()
}

fn flux(answer: &Answer, native: &Result<Vec<Value>, Vec<String>>) -> Vec<String> {
    let same = match (native, &answer.error) {
        (Ok(got), None) => *got == answer.objects.clone().unwrap_or_default(),
        (Err(_), Some(_)) => true,
        _ => false,
    };
    if same {
        return Vec::new();
    }
    vec![format!(
        "\n  native   {native:?}\n  upstream {:?} {:?}",
        answer.objects, answer.error
    )]
}
