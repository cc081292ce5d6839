//! Which of its values a chart reads, taken from its texts: every `.Values.key` of
//! its templates, its files, the charts it depends on and texts among the values. A
//! chart that hands all its values on is taken to read everything.

use std::collections::BTreeSet;

use ecow::EcoString;
use helm::Data;
use helm::chart::Chart;
use memchr::memmem;
use yaml::{Node, Value};

/// Values nest no deeper.
const DEEPEST: usize = 100;

/// What a chart reads of its values.
#[derive(Default)]
pub(crate) struct Reads {
    keys: BTreeSet<EcoString>,
    /// All, or nobody can tell.
    all: bool,
}

impl Reads {
    /// What values read of others: texts that a chart puts through its templates.
    pub(crate) fn of_values(values: &Node) -> Self {
        let mut reads = Reads::default();
        reads.node(values, 0);
        reads
    }

    /// Their keys; `None` when it is all of them, or nobody can tell.
    pub(crate) fn keys(&self) -> Option<&BTreeSet<EcoString>> {
        (!self.all).then_some(&self.keys)
    }

    /// What a chart reads whatever values it is given.
    pub(crate) fn of(chart: &Chart) -> Self {
        let mut reads = Reads::default();
        reads.keys.extend(["global", "tags"].map(EcoString::from));
        reads.chart(chart);
        if !reads.all {
            reads.dependencies(chart);
            reads.schema(chart.schema.as_deref());
            reads.data(&chart.values, 0);
        }
        reads
    }

    fn chart(&mut self, chart: &Chart) {
        for file in chart.templates.iter() {
            self.text(&file.data);
        }
        for file in chart.files.iter() {
            // Prose speaks of values without reading them.
            if !file.name.ends_with(".md") {
                self.text(&file.data);
            }
        }
        for dependency in &chart.dependencies {
            self.chart(dependency);
        }
    }

    /// Names and conditions of the charts it depends on.
    fn dependencies(&mut self, chart: &Chart) {
        for dependency in chart.metadata.items_at("Dependencies") {
            for field in ["Name", "Alias"] {
                self.key(&dependency.text_at(field));
            }
            for path in dependency.text_at("Condition").split(',') {
                self.key(path.trim().split('.').next().unwrap_or_default());
            }
        }
        for dependency in &chart.dependencies {
            self.key(&dependency.name());
        }
    }

    fn key(&mut self, key: &str) {
        if !key.is_empty() {
            self.keys.insert(key.into());
        }
    }

    /// What a schema describes. One that leaves the rest to other schemas may
    /// describe more.
    fn schema(&mut self, schema: Option<&[u8]>) {
        let Some(text) = schema.and_then(|schema| std::str::from_utf8(schema).ok()) else {
            return;
        };
        let Ok(schema) = yaml::from_json(text, yaml::FileId::NONE) else {
            return;
        };
        for entry in schema.get("properties").map_or(&[][..], Node::entries) {
            self.key(entry.key.text().map_or("", |key| key.as_str()));
        }
        let open = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"];
        self.all |= open.iter().any(|field| schema.get(field).is_some());
    }

    fn data(&mut self, data: &Data, depth: usize) {
        match data {
            _ if depth > DEEPEST => self.all = true,
            Data::String(text) => self.text(text),
            Data::List(items) => items.iter().for_each(|item| self.data(item, depth + 1)),
            Data::Map(entries) => entries.values().for_each(|item| self.data(item, depth + 1)),
            _ => {}
        }
    }

    fn node(&mut self, node: &Node, depth: usize) {
        match &node.value {
            _ if depth > DEEPEST => self.all = true,
            Value::Scalar(text) => self.text(text.as_bytes()),
            Value::Sequence(items) => items.iter().for_each(|item| self.node(item, depth + 1)),
            Value::Mapping(entries) => {
                entries
                    .iter()
                    .for_each(|entry| self.node(&entry.value, depth + 1));
            }
        }
    }

    fn text(&mut self, text: &[u8]) {
        const NAME: &[u8] = b".Values";
        for at in memmem::find_iter(text, NAME) {
            let rest = text.get(at + NAME.len()..).unwrap_or_default();
            let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let (quoted, name) = match rest {
                [b'.', name @ ..] => (false, name),
                [byte, ..] if word(&byte) => continue,
                // `index .Values "key"` and its kin.
                _ => match rest.trim_ascii_start() {
                    [b'"', name @ ..] => (true, name),
                    _ => {
                        self.all = true;
                        return;
                    }
                },
            };
            let length = match quoted {
                true => name.iter().take_while(|byte| **byte != b'"').count(),
                false => name.iter().take_while(word).count(),
            };
            let key = name
                .get(..length)
                .and_then(|key| std::str::from_utf8(key).ok());
            match key {
                Some(key) if !key.is_empty() => self.key(key),
                _ => self.all = true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> Reads {
        let mut reads = Reads::default();
        reads.text(text.as_bytes());
        reads
    }

    #[test]
    fn keys_are_read_off_expressions() {
        let found = reads(
            "{{ .Values.image.tag }} {{ $.Values.ports }} {{ index .Values \"a-b\" }} .ValuesX",
        );
        let keys: Vec<&str> = found.keys.iter().map(EcoString::as_str).collect();
        assert_eq!(keys, ["a-b", "image", "ports"]);
        assert!(!found.all);
        assert!(reads("{{ toYaml .Values | nindent 2 }}").all);
        assert!(reads("{{ $values := .Values }}").all);
    }
}
