//! That something is not held, and how that is known.

use ecow::EcoString;
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::mirror::url::{canonical_url, without_user};
use crate::mirror::{Asked, IndexMirror};

/// Why something is not held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The reason, as a clause without a full stop.
    pub reason: EcoString,
    /// How it is known.
    pub grounds: Grounds,
}

/// How it is known that something is not there, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grounds {
    /// Nobody was asked.
    NotAsked,
    /// It could not be had, though it may be there.
    Failed,
    /// The place was reached and has nothing at the address for whoever asks.
    /// It may be hidden.
    Nothing,
    /// The place was reached, has other things there, and no such thing: nobody
    /// gets it there.
    Missing,
}

impl Absence {
    /// Nobody gets it there.
    pub fn is_certain(&self) -> bool {
        self.grounds == Grounds::Missing
    }

    /// The place said so.
    pub fn is_answer(&self) -> bool {
        self.grounds >= Grounds::Nothing
    }
}

/// What names something that was asked for: its kind, address, name and
/// reference, empty where it has none.
pub type Name = (&'static str, EcoString, EcoString, EcoString);

impl Asked<'_> {
    /// What names it in the index of a directory.
    pub fn name(&self) -> Name {
        let none = EcoString::new;
        match *self {
            Asked::Git(url, reference) | Asked::Checkout(url, reference, _) => {
                ("git", url.into(), none(), reference.into())
            }
            Asked::Oci(url, reference) => ("oci", url.into(), none(), reference.into()),
            Asked::Layer(url, reference, kind) => (
                "oci",
                url.into(),
                none(),
                IndexMirror::layer(reference, kind),
            ),
            Asked::Bucket(bucket) => ("bucket", bucket.address(), none(), bucket.prefix.clone()),
            Asked::File(url) => ("http", url.into(), none(), none()),
            Asked::Chart(url, chart, version) => ("helm", url.into(), chart.into(), version.into()),
        }
    }
}

/// What the places that a directory stands for were found not to have.
#[derive(Default)]
pub(crate) struct Absences(FxHashMap<Name, Absence>);

impl Absences {
    /// Reads the part `absent` of an index: a list of what [`Absences::entry`]
    /// makes.
    pub fn read(list: Option<&Value>) -> Self {
        let list = list.and_then(Value::as_array).into_iter().flatten();
        Absences(list.filter_map(read).collect())
    }

    /// What the index says of something.
    pub fn of(&self, asked: &Asked<'_>) -> Option<&Absence> {
        self.0.get(&normal(asked.name()))
    }
}

/// An entry of the part `absent` of an index.
pub fn absent_entry(name: &Name, absence: &Absence) -> Value {
    let (kind, url, chart, reference) = name;
    let mut entry = serde_json::json!({
        "kind": kind,
        "url": without_user(url).as_str(),
        "reason": absence.reason.as_str(),
        "missing": absence.is_certain(),
    });
    for (key, text) in [("chart", chart), ("reference", reference)] {
        if !text.is_empty() {
            entry[key] = text.as_str().into();
        }
    }
    entry
}

fn read(entry: &Value) -> Option<(Name, Absence)> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let or_none = |key: &str| EcoString::from(text(key).unwrap_or_default());
    let kinds = ["git", "oci", "bucket", "http", "helm"];
    let kind = kinds.into_iter().find(|kind| text("kind") == Some(kind))?;
    let is_missing = entry.get("missing").and_then(Value::as_bool)?;
    let absence = Absence {
        reason: text("reason")?.into(),
        grounds: match is_missing {
            true => Grounds::Missing,
            false => Grounds::Nothing,
        },
    };
    let name = (
        kind,
        text("url")?.into(),
        or_none("chart"),
        or_none("reference"),
    );
    Some((normal(name), absence))
}

/// The name with its address in the form in which addresses are compared.
fn normal((kind, url, chart, reference): Name) -> Name {
    let url = match kind {
        "http" | "bucket" => without_user(&url),
        _ => canonical_url(&url),
    };
    (kind, url, chart, reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Checkout;

    #[test]
    fn what_is_written_is_read() {
        let absence = |grounds| Absence {
            reason: "no".into(),
            grounds,
        };
        let url = "https://me:secret@h.example/x";
        let asked = [
            Asked::Chart(url, "app", "1.x"),
            Asked::Checkout(url, "refs/tags/v1", Checkout::Clone),
            Asked::File(url),
            Asked::Layer("oci://h.example/x", "v1", "a/b"),
        ];
        for grounds in [Grounds::Nothing, Grounds::Missing] {
            let entries = asked
                .iter()
                .map(|asked| absent_entry(&asked.name(), &absence(grounds)));
            let list = Value::Array(entries.collect());
            assert!(!list.to_string().contains("secret"));
            let read = Absences::read(Some(&list));
            for asked in &asked {
                assert_eq!(read.of(asked), Some(&absence(grounds)), "{asked:?}");
            }
            assert_eq!(
                read.of(&Asked::Git(url, "refs/tags/v1")),
                Some(&absence(grounds))
            );
            assert_eq!(read.of(&Asked::Git(url, "refs/tags/v2")), None);
            assert_eq!(read.of(&Asked::Chart(url, "other", "1.x")), None);
        }
        assert!(
            Absences::read(Some(&serde_json::json!([{"kind": "git"}, 1])))
                .0
                .is_empty()
        );
    }
}
