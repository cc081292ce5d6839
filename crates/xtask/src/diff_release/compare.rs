//! Holds the native objects of a release against upstream's.

use serde_json::{Value, json};

use super::record::Recorded;
use crate::diff_helm::Placeholders;
use crate::oracle::{Answer, Pool};

/// What the two have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// All objects.
    Objects,
    /// All objects, and neither looked at a schema on another server.
    WithoutSchema,
    /// Both refuse it for one cause.
    Refusal,
    /// Both refuse it.
    OtherWords,
    /// What no file tells decides.
    Unknown,
    /// Less.
    Different,
}

impl Same {
    /// As a report says it.
    pub fn name(self) -> &'static str {
        match self {
            Same::Objects => "same objects",
            Same::WithoutSchema => "same objects, a schema on another server left out",
            Same::Refusal => "both refuse",
            Same::OtherWords => "both refuse, in other words",
            Same::Unknown => "values not readable",
            Same::Different => "different",
        }
    }

    /// Whether a name is that of a difference.
    pub fn is_difference(name: &str) -> bool {
        name == Same::Different.name() || name == Same::OtherWords.name()
    }
}

/// Compares one release.
pub fn judge(pool: &Pool, placeholders: &Placeholders, release: &Recorded) -> (Same, String) {
    if release.unreadable {
        return (
            Same::Unknown,
            "not compared: `valuesFrom` names what no file tells\n".to_owned(),
        );
    }
    let mut request = release.request.clone();
    request["placeholders"] = placeholders.json().clone();
    request["timeoutMs"] = json!(600_000);
    let answer = pool.ask(&request);
    match (&release.objects, &answer.error) {
        (Ok(_), Some(error)) => (Same::Different, format!("only upstream refuses: {error}\n")),
        (Err(reason), None) => (Same::Different, format!("only native stops: {reason}\n")),
        (Err(reason), Some(error)) if cause(reason) == cause(error) => {
            (Same::Refusal, String::new())
        }
        (Err(reason), Some(error)) => (
            Same::OtherWords,
            format!("native   {reason}\nupstream {error}\n"),
        ),
        (Ok(objects), None) => match compare(objects, &answer, &release.namespace) {
            (Same::Objects, _) if release.unjudged => (
                Same::WithoutSchema,
                "compared without the schema of its values: it refers to another server\n"
                    .to_owned(),
            ),
            judged => judged,
        },
    }
}

fn cause(message: &str) -> &str {
    message.trim_end().rsplit(": ").next().unwrap_or_default()
}

fn compare(native: &[Value], answer: &Answer, namespace: &str) -> (Same, String) {
    let upstream = answer.objects.clone().unwrap_or_default();
    let settled = |mut object: Value| {
        settle(&mut object, namespace);
        object
    };
    let mut native: Vec<Value> = native.to_vec();
    let mut upstream: Vec<Value> = upstream.into_iter().map(settled).collect();
    upstream.retain(|object| object["kind"].is_string());
    // A custom kind's scope is its definition's matter, which only the native
    // side knows here.
    for object in &mut upstream {
        let of_release = |other: &&Value| {
            let mut other = (*other).clone();
            let moved = other["metadata"]["namespace"] == namespace;
            if let Some(metadata) = other["metadata"].as_object_mut() {
                metadata.remove("namespace");
            }
            moved && other == *object
        };
        if object["metadata"].get("namespace").is_none() && native.iter().any(|o| of_release(&o)) {
            object["metadata"]["namespace"] = json!(namespace);
        }
    }
    native.retain(|object| {
        !upstream.iter().position(|o| o == object).is_some_and(|at| {
            upstream.remove(at);
            true
        })
    });
    if native.is_empty() && upstream.is_empty() {
        return (Same::Objects, String::new());
    }
    let mut detail = String::new();
    for object in &native {
        let other = upstream
            .iter()
            .position(|other| name(other) == name(object));
        match other.map(|at| upstream.remove(at)) {
            Some(other) => {
                let (at, a, b) = first(object, &other, String::new());
                detail += &format!("{} at {at}\n  native   {a}\n  upstream {b}\n", name(object));
            }
            None => detail += &format!("only native has {}\n", name(object)),
        }
    }
    for object in &upstream {
        detail += &format!("only upstream has {}\n", name(object));
    }
    (Same::Different, detail)
}

/// Gives an object of a namespaced kind the release's namespace.
fn settle(object: &mut Value, namespace: &str) {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = object["kind"].as_str().unwrap_or_default();
    let namespaced = kubeapi::scope(group, kind) == Some(kubeapi::Scope::Namespaced);
    let metadata = &mut object["metadata"];
    let none = metadata["namespace"]
        .as_str()
        .unwrap_or_default()
        .is_empty();
    if namespaced && none && metadata.is_object() {
        metadata["namespace"] = json!(namespace);
    }
}

fn name(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    format!(
        "{} {} {}/{}",
        text(&object["apiVersion"]),
        text(&object["kind"]),
        text(&metadata["namespace"]),
        text(&metadata["name"])
    )
}

/// The first place where two values differ, and what stands there.
fn first(a: &Value, b: &Value, at: String) -> (String, String, String) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                let other = b.get(key).unwrap_or(&Value::Null);
                if value != other || !b.contains_key(key) {
                    return first(value, other, format!("{at}/{key}"));
                }
            }
            let missing = b.iter().find(|(key, _)| !a.contains_key(*key));
            if let Some((key, value)) = missing {
                return (format!("{at}/{key}"), "(nothing)".to_owned(), short(value));
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (value, other)) in a.iter().zip(b).enumerate() {
                if value != other {
                    return first(value, other, format!("{at}/{index}"));
                }
            }
        }
        (Value::String(a), Value::String(b)) => {
            let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            let from = same.saturating_sub(60);
            return (
                format!("{at}, character {same}"),
                part(a, from),
                part(b, from),
            );
        }
        _ => {}
    }
    (at, short(a), short(b))
}

/// Some of a text, from a character on.
fn part(text: &str, from: usize) -> String {
    format!(
        "{:?}",
        text.chars().skip(from).take(160).collect::<String>()
    )
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(400).collect()
}
