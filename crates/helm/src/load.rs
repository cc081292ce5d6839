//! Loading charts: from files, and from the archives that repositories hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::strconv::{FloatForm, format_float};
use vfs::{ArchiveLimits, Kind, Tree, unpack_tar_gz};
use yaml::FileId;

use crate::chart::{Chart, File};
use crate::data::Data;

/// Charts inside charts.
const DEEPEST: usize = 32;

/// A chart of a gzipped tar archive, whose files stand in one directory.
pub fn archive(bytes: &[u8]) -> Result<Chart, String> {
    archive_below(bytes, 0)
}

fn archive_below(bytes: &[u8], depth: usize) -> Result<Chart, String> {
    let unpacked = unpack_tar_gz(bytes, ArchiveLimits::default()).map_err(|e| e.to_string())?;
    let inside = files_below(&Tree::new(unpacked), "")?
        .into_iter()
        .filter_map(|file| {
            // The directory's own name does not matter.
            let name = file.name.split_once('/')?.1.to_owned();
            Some(File { name, ..file })
        });
    files_at(inside.collect(), depth)
}

/// A chart that stands unpacked in a directory of a tree. `.helmignore` is
/// not looked at.
pub fn directory(tree: &Tree, path: &str) -> Result<Chart, String> {
    files_at(files_below(tree, path)?, 0)
}

/// A chart of its files, named relative to it.
pub fn files(files: Vec<File>) -> Result<Chart, String> {
    files_at(files, 0)
}

fn files_below(tree: &Tree, path: &str) -> Result<Vec<File>, String> {
    let mut names = Vec::new();
    tree.walk(path, &mut |name, kind| {
        if kind == Kind::File {
            names.push(name.to_owned());
        }
        true
    })
    .map_err(|e| e.to_string())?;
    let prefix = if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    };
    let read = |name: String| {
        let data = tree.read(&name).map_err(|e| e.to_string())?;
        // A byte order mark is no content.
        let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&data).to_vec();
        let name = name.strip_prefix(&prefix).unwrap_or(&name).to_owned();
        Ok(File { name, data })
    };
    names.into_iter().map(read).collect()
}

fn files_at(files: Vec<File>, depth: usize) -> Result<Chart, String> {
    if depth > DEEPEST {
        return Err("charts nest too deeply".to_owned());
    }
    let metadata = files.iter().find(|file| file.name == "Chart.yaml");
    let metadata = metadata.ok_or("Chart.yaml file is missing")?;
    let mut chart = Chart {
        metadata: fields(METADATA, &parse(&metadata.data, "Chart.yaml")?),
        values: Data::map(),
        ..Chart::default()
    };
    if chart.metadata.text_at("APIVersion").is_empty() {
        chart.metadata.set("APIVersion", Data::text("v1"));
    }
    let old = chart.metadata.text_at("APIVersion") == "v1";
    let (mut templates, mut plain) = (Vec::new(), Vec::new());
    let mut below: BTreeMap<String, Vec<File>> = BTreeMap::new();
    for file in files {
        match file.name.as_str() {
            "Chart.yaml" | "Chart.lock" | "values.schema.json" => {}
            "values.yaml" => chart.values = values(&file.data)?,
            "requirements.yaml" => {
                let required = fields(METADATA, &parse(&file.data, "requirements.yaml")?);
                if let Some(dependencies) = required.get("Dependencies") {
                    chart.metadata.set("Dependencies", dependencies.clone());
                }
                if old {
                    plain.push(file);
                }
            }
            "requirements.lock" if !old => {}
            name if name.starts_with("templates/") => templates.push(file),
            name if name.starts_with("charts/") && !name.ends_with(".prov") => {
                let name = name.strip_prefix("charts/").unwrap_or_default().to_owned();
                let first = name.split('/').next().unwrap_or_default().to_owned();
                below.entry(first).or_default().push(File { name, ..file });
            }
            _ => plain.push(file),
        }
    }
    chart.templates = Arc::new(templates);
    chart.files = Arc::new(plain);
    for (name, files) in below {
        if name.starts_with(['_', '.']) {
            continue;
        }
        let loaded = subchart(&name, files, depth + 1);
        let loaded = loaded
            .map_err(|e| format!("error unpacking subchart {name} in {}: {e}", chart.name()))?;
        chart.dependencies.push(loaded);
    }
    Ok(chart)
}

fn subchart(name: &str, files: Vec<File>, depth: usize) -> Result<Chart, String> {
    if name.ends_with(".tgz") {
        let file = files.first().filter(|file| file.name == name);
        return archive_below(&file.ok_or("no archive")?.data, depth);
    }
    let inside = files.into_iter().filter_map(|file| {
        let name = file.name.split_once('/')?.1.to_owned();
        Some(File { name, ..file })
    });
    files_at(inside.collect(), depth)
}

fn parse(text: &[u8], name: &str) -> Result<Data, String> {
    let text = String::from_utf8_lossy(text);
    let cannot = |e: String| format!("cannot load {name}: {e}");
    let node = yaml::sigs_to_json(&text, FileId::NONE, false).map_err(|e| cannot(e.to_string()))?;
    let value = crate::json::read(&yaml::to_json(&node)).map_err(cannot)?;
    Ok(Data::of(&value))
}

/// Default values: the documents of the file, later ones over earlier ones.
fn values(text: &[u8]) -> Result<Data, String> {
    let text = String::from_utf8_lossy(text);
    let mut merged = Data::map();
    for document in documents(&text) {
        merge(&mut merged, parse(document.as_bytes(), "values.yaml")?);
    }
    Ok(merged)
}

/// The documents of a text, parted by lines that begin with `---`.
fn documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.starts_with("---") {
            documents.push(String::new());
        } else if let Some(last) = documents.last_mut() {
            last.push_str(line);
        }
    }
    documents.retain(|document| !document.trim().is_empty());
    documents
}

fn merge(below: &mut Data, above: Data) {
    let (Data::Map(below), Data::Map(above)) = (below, above) else {
        return;
    };
    for (key, value) in above {
        match (below.get_mut(&key), &value) {
            (Some(known @ Data::Map(_)), Data::Map(_)) => merge(known, value),
            _ => {
                below.insert(key, value);
            }
        }
    }
}

/// What a field of a struct holds.
#[derive(Clone, Copy)]
enum Field {
    Text,
    Bool,
    Texts,
    TextMap,
    Any,
    Structs(&'static [(&'static str, &'static str, Field)]),
}

/// Fields by the names of JSON and of Go.
type Fields = &'static [(&'static str, &'static str, Field)];

const METADATA: Fields = &[
    ("name", "Name", Field::Text),
    ("home", "Home", Field::Text),
    ("sources", "Sources", Field::Texts),
    ("version", "Version", Field::Text),
    ("description", "Description", Field::Text),
    ("keywords", "Keywords", Field::Texts),
    (
        "maintainers",
        "Maintainers",
        Field::Structs(&[
            ("name", "Name", Field::Text),
            ("email", "Email", Field::Text),
            ("url", "URL", Field::Text),
        ]),
    ),
    ("icon", "Icon", Field::Text),
    ("apiVersion", "APIVersion", Field::Text),
    ("condition", "Condition", Field::Text),
    ("tags", "Tags", Field::Text),
    ("appVersion", "AppVersion", Field::Text),
    ("deprecated", "Deprecated", Field::Bool),
    ("annotations", "Annotations", Field::TextMap),
    ("kubeVersion", "KubeVersion", Field::Text),
    (
        "dependencies",
        "Dependencies",
        Field::Structs(&[
            ("name", "Name", Field::Text),
            ("version", "Version", Field::Text),
            ("repository", "Repository", Field::Text),
            ("condition", "Condition", Field::Text),
            ("tags", "Tags", Field::Texts),
            ("enabled", "Enabled", Field::Bool),
            ("import-values", "ImportValues", Field::Any),
            ("alias", "Alias", Field::Text),
        ]),
    ),
    ("type", "Type", Field::Text),
];

/// The fields of a struct, under Go's names; those that are not set have
/// their zero values.
fn fields(known: Fields, data: &Data) -> Data {
    let Data::Map(entries) = data else {
        return Data::map();
    };
    let mut out = Data::map();
    for (json, go, field) in known {
        let exact = entries.get(json.as_bytes());
        let found = exact.or_else(|| {
            let mut same = entries
                .iter()
                .filter(|(key, _)| key.eq_ignore_ascii_case(json.as_bytes()));
            same.next().map(|(_, value)| value)
        });
        out.set(go, field.read(found));
    }
    out
}

impl Field {
    fn read(self, data: Option<&Data>) -> Data {
        let items = match data {
            Some(Data::List(items)) => items.as_slice(),
            _ => &[],
        };
        match self {
            Field::Text => text(data),
            Field::Bool => Data::Bool(data == Some(&Data::Bool(true))),
            Field::Texts => Data::List(items.iter().map(|item| text(Some(item))).collect()),
            Field::Any => data.cloned().unwrap_or(Data::List(Vec::new())),
            Field::Structs(known) => {
                Data::List(items.iter().map(|item| fields(known, item)).collect())
            }
            Field::TextMap => match data {
                Some(Data::Map(entries)) => {
                    let entry =
                        |(key, value): (&Arc<[u8]>, &Data)| (key.clone(), text(Some(value)));
                    Data::Map(entries.iter().map(entry).collect())
                }
                _ => Data::map(),
            },
        }
    }
}

/// A field that is a text: numbers and truths are taken as texts.
fn text(data: Option<&Data>) -> Data {
    match data {
        Some(Data::String(text)) => Data::String(text.clone()),
        Some(Data::Bool(truth)) => Data::text(if *truth { "true" } else { "false" }),
        Some(Data::Int(number)) => Data::text(&number.to_string()),
        Some(Data::Float(number)) => {
            let form = match number.fract() == 0.0 && number.abs() < 1e15 {
                true => FloatForm::Fixed,
                false => FloatForm::General,
            };
            Data::text(&format_float(*number, form, None, false))
        }
        _ => Data::text(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_of_files() {
        let file = |name: &str, text: &str| File {
            name: name.to_owned(),
            data: text.as_bytes().to_vec(),
        };
        let chart = files(vec![
            file("Chart.yaml", "apiVersion: v2\nname: a\nappVersion: 1.25\n"),
            file("values.yaml", "a: {b: 1}\n---\na: {c: 2}\n"),
            file("templates/x.yaml", "x"),
            file("charts/b/Chart.yaml", "name: b\n"),
            file("charts/_c/Chart.yaml", "name: c\n"),
            file("README.md", ""),
        ]);
        let chart = chart.unwrap();
        assert_eq!(chart.metadata.text_at("AppVersion"), "1.25");
        assert_eq!(
            chart.values.get("a").and_then(|a| a.get("c")),
            Some(&Data::Float(2.0))
        );
        assert_eq!(chart.dependencies.len(), 1);
        assert_eq!((chart.templates.len(), chart.files.len()), (1, 1));
        assert!(files(Vec::new()).is_err());
    }
}
