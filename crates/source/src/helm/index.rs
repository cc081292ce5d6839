//! What an `index.yaml` says that matters.
//!
//! An index may be larger than all else that is fetched, and only a small part
//! of it is kept. So it is read in passing, where that is possible.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use serde::{Deserialize, Serialize};
use yaml::{Event, FileId, Node, Step};

/// Versions of all charts together: more than any index of its largest size
/// holds that Helm wrote.
const MAX_VERSIONS: usize = 400_000;
/// Bytes of an index that is read as a whole when it cannot be in passing.
const MAX_WHOLE: usize = 4 << 20;

/// What a repository's index says that matters: by chart, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    charts: BTreeMap<String, Vec<IndexEntry>>,
}

/// A version of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The version.
    #[serde(rename = "v")]
    pub version: String,
    /// Where the archive is; relative to the repository or absolute.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The archive's digest, as written.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Index {
    /// The versions of a chart; empty when there is no such chart.
    pub fn versions(&self, chart: &str) -> &[IndexEntry] {
        self.charts.get(chart).map_or(&[], Vec::as_slice)
    }

    /// The names of its charts.
    pub fn charts(&self) -> impl Iterator<Item = &str> {
        self.charts.keys().map(String::as_str)
    }

    /// Reads an `index.yaml`.
    pub(super) fn read(text: &str) -> Result<Index, EcoString> {
        let mut reader = Reader::default();
        let mut visit = |path: &[Step<'_>], event: Event| reader.meet(path, event);
        let in_passing = yaml::events(text, FileId::NONE, &mut visit);
        match in_passing.map_err(|error| eco_format!("{error}"))? {
            true => reader.finish(),
            false if text.len() <= MAX_WHOLE => read_whole(text),
            false => {
                Err("it has anchors, tags or odd keys, and is too large to follow them".into())
            }
        }
    }
}

/// Reads an index of any form, with many times its size in memory.
fn read_whole(text: &str) -> Result<Index, EcoString> {
    let root =
        yaml::sigs_to_json(text, FileId::NONE, false).map_err(|error| eco_format!("{error}"))?;
    let mut reader = Reader::default();
    tell(&root, &mut Vec::new(), &mut |path, event| {
        reader.meet(path, event);
    });
    reader.finish()
}

/// Goes through a tree as [`yaml::events`] goes through a text. No deeper than
/// anything matters.
fn tell<'a>(node: &'a Node, path: &mut Vec<Step<'a>>, visit: &mut dyn FnMut(&[Step<'a>], Event)) {
    if node.is_scalar() {
        return visit(path, Event::Scalar(node.clone()));
    }
    visit(path, Event::Open);
    if path.len() < 5 {
        for entry in node.entries() {
            path.push(Step::Key(entry.key.text().map_or("", |key| key.as_str())));
            tell(&entry.value, path, visit);
            path.pop();
        }
        for (at, item) in node.items().iter().enumerate() {
            path.push(Step::Index(at));
            tell(item, path, visit);
            path.pop();
        }
    }
    visit(path, Event::Close);
}

/// Takes what matters from what is met.
#[derive(Default)]
struct Reader {
    has_api_version: bool,
    index: Index,
    versions: usize,
    /// The version that is being read.
    entry: IndexEntry,
}

impl Reader {
    /// Of what is told twice, the last counts: it begins anew.
    fn meet(&mut self, path: &[Step<'_>], event: Event) {
        use Step::{Index as At, Key};
        match path {
            [Key("apiVersion")] => self.has_api_version = text(event).is_some(),
            [Key("entries")] if event != Event::Close => self.index.charts.clear(),
            [Key("entries"), Key(chart)] if event != Event::Close => {
                self.index.charts.insert((*chart).to_owned(), Vec::new());
            }
            [Key("entries"), Key(chart), At(_)] => match event {
                Event::Close => self.add(chart),
                Event::Open | Event::Scalar(_) => self.entry = IndexEntry::default(),
            },
            [Key("entries"), Key(_), At(_), Key(field), rest @ ..] if event != Event::Close => {
                match (*field, rest) {
                    ("version", []) => self.entry.version = text(event).unwrap_or_default(),
                    ("digest", []) => self.entry.digest = text(event),
                    ("urls", []) => self.entry.url = None,
                    ("urls", [At(0)]) => self.entry.url = text(event),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, chart: &str) {
        let entry = std::mem::take(&mut self.entry);
        self.versions += 1;
        if entry.version.is_empty() || self.versions > MAX_VERSIONS {
            return;
        }
        if let Some(versions) = self.index.charts.get_mut(chart) {
            versions.push(entry);
        }
    }

    fn finish(self) -> Result<Index, EcoString> {
        // Helm refuses it, too: an error page is YAML of some kind.
        if !self.has_api_version {
            return Err("it is no index of a chart repository: it has no apiVersion".into());
        }
        if self.versions > MAX_VERSIONS {
            return Err(eco_format!("it has more than {MAX_VERSIONS} versions"));
        }
        Ok(self.index)
    }
}

/// A scalar's text, if it is not empty.
fn text(event: Event) -> Option<String> {
    let Event::Scalar(node) = event else {
        return None;
    };
    let text = node.text()?;
    (!text.is_empty()).then(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "apiVersion: v1\nentries:\n  app:\n  - version: 1.1.0\n    \
                         urls: [a.tgz, b.tgz]\n    digest: 00\n  - version: 1.0.0\n  - urls: [x]\n";

    #[test]
    fn an_index_is_read() {
        let index = Index::read(PLAIN).unwrap();
        let versions = index.versions("app");
        assert_eq!(versions.len(), 2);
        assert_eq!(versions[0].url.as_deref(), Some("a.tgz"));
        assert_eq!(versions[1].digest, None);
        let json = serde_json::to_vec(&index).unwrap();
        assert_eq!(serde_json::from_slice::<Index>(&json).unwrap(), index);
        for wrong in [
            "",
            "<html>",
            "entries: {}",
            "a: [",
            "null",
            "apiVersion: ''",
        ] {
            assert!(Index::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn reading_in_passing_gives_the_same_as_reading_it_all() {
        for text in [
            PLAIN,
            "{\"apiVersion\": \"v1\", \"entries\": {\"a\": [{\"version\": \"1\", \"urls\": [\"x\"]}]}}",
            "apiVersion: v1\n",
            "apiVersion: v1\nentries: []\n",
            "apiVersion: v1\nentries:\n  a:\n  b: ~\n  c: text\n  d: {version: 1}\n",
            "apiVersion: v1\nentries:\n  a: [~, x, [], {version: [1]}, {version: 1.10}]\n",
            "apiVersion: v1\nentries:\n  a:\n  - version: 1\n    urls: x\n  - version: 2\n    urls: [[x], y]\n",
            "apiVersion: v1\nentries:\n  a:\n  - version: 1\n    version: [2]\n  - digest: a\n    digest: b\n    version: 3\n",
            "apiVersion: v1\nentries:\n  a: [{version: 1}]\n  b: [{version: 1}]\n  a: [{version: 2}]\n",
            "entries:\n  a: [{version: 1}]\napiVersion: v1\nentries:\n  b: [{version: 2}]\n",
            "apiVersion: v1\nentries:\n  a:\n  - version: 2001-01-01\n    dependencies: [{version: 9, urls: [y]}]\n",
        ] {
            assert_eq!(Index::read(text), read_whole(text), "{text}");
        }
    }

    #[test]
    fn what_has_anchors_is_read_too() {
        let text = "apiVersion: v1\nentries:\n  a: &a\n  - version: 1.0.0\n  b: *a\n";
        let index = Index::read(text).unwrap();
        assert_eq!(index.versions("b"), index.versions("a"));
        let large = format!("{text}#{}\n", "x".repeat(MAX_WHOLE));
        assert!(Index::read(&large).is_err());
    }

    #[test]
    fn versions_have_a_limit() {
        let versions = "{version: 1},".repeat(MAX_VERSIONS + 1);
        let text = format!("apiVersion: v1\nentries: {{a: [{versions}]}}");
        assert!(Index::read(&text).unwrap_err().contains("more than"));
    }
}
