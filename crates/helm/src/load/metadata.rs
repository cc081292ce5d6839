//! `Chart.yaml`, `Chart.lock` and the older files that listed dependencies.

use std::collections::BTreeSet;

use gotmpl::strconv::quote;

use super::fields::{Field, Struct};
use super::values::parse;
use crate::data::Data;
use crate::semver::Version;

static METADATA: Struct = Struct {
    name: "Metadata",
    fields: &[
        ("name", "Name", Field::Text),
        ("home", "Home", Field::Text),
        ("sources", "Sources", Field::Texts),
        ("version", "Version", Field::Text),
        ("description", "Description", Field::Text),
        ("keywords", "Keywords", Field::Texts),
        ("maintainers", "Maintainers", Field::Structs(&MAINTAINER)),
        ("icon", "Icon", Field::Text),
        ("apiVersion", "APIVersion", Field::Text),
        ("condition", "Condition", Field::Text),
        ("tags", "Tags", Field::Text),
        ("appVersion", "AppVersion", Field::Text),
        ("deprecated", "Deprecated", Field::Bool),
        ("annotations", "Annotations", Field::TextMap),
        ("kubeVersion", "KubeVersion", Field::Text),
        ("dependencies", "Dependencies", Field::Structs(&DEPENDENCY)),
        ("type", "Type", Field::Text),
    ],
};

static MAINTAINER: Struct = Struct {
    name: "Maintainer",
    fields: &[
        ("name", "Name", Field::Text),
        ("email", "Email", Field::Text),
        ("url", "URL", Field::Text),
    ],
};

static DEPENDENCY: Struct = Struct {
    name: "Dependency",
    fields: &[
        ("name", "Name", Field::Text),
        ("version", "Version", Field::Text),
        ("repository", "Repository", Field::Text),
        ("condition", "Condition", Field::Text),
        ("tags", "Tags", Field::Texts),
        ("enabled", "Enabled", Field::Bool),
        ("import-values", "ImportValues", Field::List),
        ("alias", "Alias", Field::Text),
    ],
};

static LOCK: Struct = Struct {
    name: "Lock",
    fields: &[
        ("generated", "Generated", Field::Time),
        ("digest", "Digest", Field::Text),
        ("dependencies", "Dependencies", Field::Structs(&DEPENDENCY)),
    ],
};

static BASE: Struct = Struct {
    name: "chartBase",
    fields: &[("apiVersion", "APIVersion", Field::Text)],
};

fn decode(known: &'static Struct, text: &[u8], name: &str, before: Data) -> Result<Data, String> {
    parse(text)
        .and_then(|node| known.decode(&node, before))
        .map_err(|e| format!("cannot load {name}: {e}"))
}

/// The version of the format alone.
pub(super) fn api_version(text: &[u8]) -> Result<String, String> {
    let base = decode(&BASE, super::plain(text), "Chart.yaml", BASE.zero())?;
    Ok(base.text_at("APIVersion"))
}

/// No field is set.
pub(super) fn empty() -> Data {
    METADATA.zero()
}

/// `Chart.yaml`, over what another one has set.
pub(super) fn read(text: &[u8], known: Option<Data>) -> Result<Data, String> {
    let known = known.unwrap_or_else(empty);
    let mut metadata = decode(&METADATA, text, "Chart.yaml", known)?;
    if metadata.text_at("APIVersion").is_empty() {
        metadata.set("APIVersion", Data::text("v1"));
    }
    Ok(metadata)
}

/// `Chart.yaml` as [`read`] reads it, by the names of JSON.
pub(crate) fn written(metadata: &Data) -> Data {
    METADATA.encode(metadata)
}

/// `Chart.lock` in the same way.
pub(crate) fn written_lock(lock: &Data) -> Data {
    LOCK.encode(lock)
}

/// `requirements.yaml`, which sets fields of `Chart.yaml`.
pub(super) fn requirements(text: &[u8], known: Option<Data>) -> Result<Data, String> {
    let known = known.unwrap_or_else(empty);
    decode(&METADATA, text, "requirements.yaml", known)
}

/// A lock file; null where it is empty.
pub(super) fn lock(text: &[u8], name: &str) -> Result<Data, String> {
    match parse(text) {
        Ok(node) if node.is_null() => Ok(Data::Null),
        _ => decode(&LOCK, text, name, LOCK.zero()),
    }
}

/// Fields of `Chart.yaml` that are one line of text.
const CLEANED: &[&str] = &[
    "Name",
    "Description",
    "Home",
    "Icon",
    "Condition",
    "Tags",
    "AppVersion",
    "KubeVersion",
];

/// Takes out of texts what cannot be shown, and checks what must hold.
pub(super) fn validate(metadata: &mut Data) -> Result<(), String> {
    check(metadata).map_err(|e| format!("validation: {e}"))
}

fn check(metadata: &mut Data) -> Result<(), String> {
    clean(metadata, CLEANED, &["Sources", "Keywords"]);
    let required = |field: &str, json: &str| match metadata.text_at(field) {
        text if text.is_empty() => Err(format!("chart.metadata.{json} is required")),
        text => Ok(text),
    };
    required("APIVersion", "apiVersion")?;
    let name = required("Name", "name")?;
    let shown = quote(name.as_bytes());
    if name == "." || name == ".." {
        return Err(format!("chart.metadata.name {shown} is not allowed"));
    }
    if name.contains('/') {
        return Err(format!("chart.metadata.name {shown} is invalid"));
    }
    let version = required("Version", "version")?;
    if Version::parse(&version).is_err() {
        let shown = quote(version.as_bytes());
        return Err(format!("chart.metadata.version {shown} is invalid"));
    }
    if !["", "application", "library"].contains(&metadata.text_at("Type").as_str()) {
        return Err("chart.metadata.type must be application or library".to_owned());
    }
    each(metadata, "Maintainers", "maintainers", |maintainer| {
        clean(maintainer, &["Name", "Email", "URL"], &[]);
        Ok(())
    })?;
    let mut names = BTreeSet::new();
    each(metadata, "Dependencies", "dependencies", |dependency| {
        dependency_fits(dependency)?;
        let (name, alias) = (dependency.text_at("Name"), dependency.text_at("Alias"));
        let key = if alias.is_empty() { name } else { alias };
        match names.insert(key.clone()) {
            true => Ok(()),
            false => Err(format!(
                "more than one dependency with name or alias {}",
                quote(key.as_bytes())
            )),
        }
    })
}

fn each(
    metadata: &mut Data,
    field: &str,
    json: &str,
    mut check: impl FnMut(&mut Data) -> Result<(), String>,
) -> Result<(), String> {
    let Some(Data::List(items)) = metadata.get(field) else {
        return Ok(());
    };
    let mut items = items.clone();
    for item in &mut items {
        if *item == Data::Null {
            return Err(format!("{json} must not contain empty or null nodes"));
        }
        check(item)?;
    }
    metadata.set(field, Data::List(items));
    Ok(())
}

fn dependency_fits(dependency: &mut Data) -> Result<(), String> {
    clean(
        dependency,
        &["Name", "Version", "Repository", "Condition"],
        &["Tags"],
    );
    let alias = dependency.text_at("Alias");
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    match alias.bytes().all(allowed) {
        true => Ok(()),
        false => Err(format!(
            "dependency {} has disallowed characters in the alias",
            quote(dependency.text_at("Name").as_bytes())
        )),
    }
}

fn clean(data: &mut Data, texts: &[&str], lists: &[&str]) {
    for field in texts {
        let text = data.text_at(field);
        data.set(field, Data::text(&visible(&text)));
    }
    for field in lists {
        let items = data.items_at(field).iter().map(|item| match item {
            Data::String(text) => Data::text(&visible(&String::from_utf8_lossy(text))),
            other => other.clone(),
        });
        let items = Data::List(items.collect());
        data.set(field, items);
    }
}

/// Spaces for all that is space, and nothing for what cannot be printed.
fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        c if c.is_whitespace() => Some(' '),
        ' '..='~' => Some(c),
        c if c.is_ascii() => None,
        // What Go quotes as it is can be printed.
        c => (quote(c.encode_utf8(&mut [0; 4]).as_bytes()).chars().nth(1) == Some(c)).then_some(c),
    };
    text.chars().filter_map(shown).collect()
}
