//! The default field specs. Upstream keeps them as YAML in Go string constants,
//! in a form plain enough to be read line by line.

use std::path::Path;

use super::text;

/// Files and the constants of other files they end with.
const FILES: [(&str, Option<&str>); 10] = [
    ("nameprefix.go", None),
    ("namesuffix.go", None),
    ("commonlabels.go", Some("metadatalabels.go")),
    ("templatelabels.go", Some("metadatalabels.go")),
    ("commonannotations.go", None),
    ("namespace.go", None),
    ("varreference.go", None),
    ("namereference.go", None),
    ("images.go", None),
    ("replicas.go", None),
];

/// One line a field: table, group, version, kind, `create` or nothing, path.
/// A name reference's line is preceded by one with its target: `target`, group,
/// version, kind.
pub fn table(dir: &Path) -> Result<String, String> {
    let mut table = String::new();
    for (file, appended) in FILES {
        let mut yaml = constant(&text(&dir.join(file))?)?;
        if let Some(other) = appended {
            yaml.push_str(&constant(&text(&dir.join(other))?)?);
        }
        table.push_str(&rows(&yaml).map_err(|e| format!("{file}: {e}"))?);
    }
    Ok(table)
}

/// The first raw string of a Go file.
fn constant(go: &str) -> Result<String, String> {
    let mut parts = go.split('`');
    parts.next();
    parts
        .next()
        .map(str::to_owned)
        .ok_or_else(|| "no raw string".into())
}

#[derive(Default)]
struct Row {
    group: String,
    version: String,
    kind: String,
    create: bool,
    path: Option<String>,
}

impl Row {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "group" => self.group = value.into(),
            "version" => self.version = value.into(),
            "kind" => self.kind = value.into(),
            "create" => self.create = value == "true",
            "path" => self.path = Some(value.into()),
            _ => return Err(format!("unknown key {key:?}")),
        }
        Ok(())
    }

    fn print(&self, table: &str) -> String {
        let Row {
            group,
            version,
            kind,
            create,
            path,
        } = self;
        match path {
            None if kind.is_empty() => String::new(),
            None => format!("target\t{group}\t{version}\t{kind}\n"),
            Some(path) => {
                let create = if *create { "create" } else { "" };
                format!("{table}\t{group}\t{version}\t{kind}\t{create}\t{path}\n")
            }
        }
    }
}

fn rows(yaml: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut table = "";
    let mut row = Row::default();
    for line in yaml.lines().filter(|line| !line.trim().is_empty()) {
        let (key, value) = line.split_once(':').ok_or("no colon in a line")?;
        if !key.starts_with([' ', '-']) {
            table = key;
            continue;
        }
        // A list item begins; `fieldSpecs:` ends what is said about the target.
        if key.trim_start().starts_with('-') || key.trim() == "fieldSpecs" {
            out.push_str(&std::mem::take(&mut row).print(table));
        }
        let key = key.trim_start_matches([' ', '-']);
        if key != "fieldSpecs" {
            row.set(key, value.trim())?;
        }
    }
    out.push_str(&row.print(table));
    Ok(out)
}
