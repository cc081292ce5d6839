//! `configMapGenerator` and `secretGenerator`.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ecow::{EcoString, eco_format};
use yaml::{FileId, Node, Span};

use crate::error::Error;
use crate::kustomization::{Generator, GeneratorOptions, Item, Pairs};
use crate::load::Loader;
use crate::resource::{Behavior, Resource};
use crate::scalar;

/// Encoded values longer than a line are broken into lines of this length; the
/// breaks are part of the value.
const BASE64_LINE: usize = 70;

/// Lines of an environment file from this length on end the reading of it.
const LONGEST_LINE: usize = 64 * 1024;

/// Which kind of object a generator makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ConfigMap,
    Secret,
}

/// A key, its value and where it was written.
struct Pair {
    key: EcoString,
    value: Value,
    span: Span,
}

enum Value {
    Text(EcoString),
    Bytes(Arc<[u8]>),
}

/// Makes the object of one generator. `global` are the `generatorOptions` of
/// the file. Fails on a missing name or file, and on malformed or repeated
/// keys.
pub(crate) fn object(
    kind: Kind,
    generator: &Generator,
    global: Option<&GeneratorOptions>,
    loader: &Loader<'_>,
) -> Result<Resource, Error> {
    make(kind, generator, global, loader).map_err(|error| match generator.span {
        Some(span) => error.at(span),
        None => error,
    })
}

fn make(
    kind: Kind,
    generator: &Generator,
    global: Option<&GeneratorOptions>,
    loader: &Loader<'_>,
) -> Result<Resource, Error> {
    if generator.name.is_empty() {
        return Err(Error::new("a configmap must have a name"));
    }
    let pairs = unique(generator, pairs(generator, loader)?)?;
    let options = merge_options(generator.options.as_ref(), global);
    let span = generator.span.unwrap_or(Span::NONE);
    let mut node = base(kind, generator);
    node.span = span;
    fill(kind, &mut node, pairs);
    let mut resource = Resource::new(node);
    resource.record.generated = true;
    resource.record.behavior = Behavior::parse(&generator.behavior);
    resource.record.needs_hash = options.as_ref().is_none_or(|o| !o.disable_name_suffix_hash);
    if let Some(options) = &options {
        set_options(resource.node_mut(), options);
    }
    Ok(resource)
}

fn base(kind: Kind, generator: &Generator) -> Node {
    let mut metadata = vec![("name", Node::string(generator.name.clone()))];
    if !generator.namespace.is_empty() {
        metadata.push(("namespace", Node::string(generator.namespace.clone())));
    }
    let name = match kind {
        Kind::ConfigMap => "ConfigMap",
        Kind::Secret => "Secret",
    };
    let mut fields = vec![
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string(name)),
        ("metadata", Node::map(metadata)),
    ];
    if kind == Kind::Secret {
        let given = &generator.secret_type;
        let secret_type = if given.is_empty() { "Opaque" } else { given };
        fields.push(("type", Node::string(secret_type)));
    }
    Node::map(fields)
}

/// Puts the values into `data`, or `binaryData` for what a ConfigMap cannot
/// hold as text.
fn fill(kind: Kind, node: &mut Node, pairs: Vec<Pair>) {
    let mut data = Vec::new();
    let mut binary = Vec::new();
    for Pair { key, value, span } in pairs {
        let bytes = match &value {
            Value::Text(text) => text.as_bytes(),
            Value::Bytes(bytes) => bytes,
        };
        match (kind, std::str::from_utf8(bytes)) {
            (Kind::ConfigMap, Ok(text)) => data.push((key, Node::string(text).at(span))),
            (Kind::ConfigMap, Err(_)) => binary.push((key, Node::string(encode(bytes)).at(span))),
            (Kind::Secret, _) => data.push((key, Node::string(encode(bytes)).at(span))),
        }
    }
    if !data.is_empty() || kind == Kind::Secret {
        node.insert("data", scalar::map(data));
    }
    if !binary.is_empty() {
        node.insert("binaryData", scalar::map(binary));
    }
}

fn set_options(node: &mut Node, options: &GeneratorOptions) {
    let map = |pairs: &Pairs| {
        let entry = |(key, item): &(EcoString, Item)| {
            (key.clone(), Node::string(item.text.clone()).at(item.span))
        };
        scalar::map(pairs.iter().map(entry))
    };
    if let Some(metadata) = node.get_mut("metadata") {
        if !options.labels.is_empty() {
            metadata.insert("labels", map(&options.labels));
        }
        if !options.annotations.is_empty() {
            metadata.insert("annotations", map(&options.annotations));
        }
    }
    if options.immutable {
        node.insert("immutable", Node::bool(true));
    }
}

/// The options of one generator over those of the file: labels and annotations
/// of the generator win, switches of either count.
fn merge_options(
    local: Option<&GeneratorOptions>,
    global: Option<&GeneratorOptions>,
) -> Option<GeneratorOptions> {
    let Some(global) = global else {
        return local.cloned();
    };
    let mut merged = local.cloned().unwrap_or_default();
    merge_pairs(&mut merged.labels, &global.labels);
    merge_pairs(&mut merged.annotations, &global.annotations);
    merged.disable_name_suffix_hash |= global.disable_name_suffix_hash;
    merged.immutable |= global.immutable;
    Some(merged)
}

fn merge_pairs(local: &mut Pairs, global: &Pairs) {
    for (key, value) in global {
        if !local.iter().any(|(known, _)| known == key) {
            local.push((key.clone(), value.clone()));
        }
    }
}

/// Sorted by key; a repeated one fails.
fn unique(generator: &Generator, pairs: Vec<Pair>) -> Result<Vec<Pair>, Error> {
    let mut known: BTreeMap<EcoString, Pair> = BTreeMap::new();
    for pair in pairs {
        if known.contains_key(&pair.key) {
            return Err(Error::new(eco_format!(
                "configmap {} illegally repeats the key `{}`",
                generator.name,
                pair.key
            ))
            .at(pair.span));
        }
        known.insert(pair.key.clone(), pair);
    }
    Ok(known.into_values().collect())
}

fn pairs(generator: &Generator, loader: &Loader<'_>) -> Result<Vec<Pair>, Error> {
    let mut pairs = Vec::new();
    let listed = |items: &[Item]| -> EcoString {
        let texts: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
        eco_format!("[{}]", texts.join(" "))
    };
    let context = |error: Error, what: EcoString, item: &Item| {
        error.at(item.span).during(what).during("loading KV pairs")
    };
    for item in &generator.envs {
        let what = || eco_format!("env source files: {}", listed(&generator.envs));
        let found = env_file(item, loader).map_err(|e| context(e, what(), item))?;
        pairs.extend(found);
    }
    for item in &generator.literals {
        let what = || eco_format!("literal sources {}", listed(&generator.literals));
        pairs.push(literal(item).map_err(|e| context(e, what(), item))?);
    }
    for item in &generator.files {
        let what = || eco_format!("file sources: {}", listed(&generator.files));
        pairs.push(file(item, loader).map_err(|e| context(e, what(), item))?);
    }
    Ok(pairs)
}

/// `key=value`; one pair of quotes around the value goes.
fn literal(item: &Item) -> Result<Pair, Error> {
    let invalid = || {
        Error::new(eco_format!(
            "invalid literal source {}, expected key=value",
            item.text
        ))
    };
    let (key, value) = item.text.split_once('=').ok_or_else(invalid)?;
    if key.is_empty() {
        return Err(invalid());
    }
    let unquoted = ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    Ok(Pair {
        key: key.into(),
        value: Value::Text(unquoted.unwrap_or(value).into()),
        span: item.span,
    })
}

/// `path`, or `key=path`.
fn file(item: &Item, loader: &Loader<'_>) -> Result<Pair, Error> {
    let source = item.text.as_str();
    let (key, path) = match source.split_once('=') {
        None => (base_name(source), source),
        Some((_, path)) if path.contains('=') => {
            return Err(Error::new(eco_format!(
                "source {source:?} key name or file path contains '='"
            )));
        }
        Some(("", path)) => {
            return Err(Error::new(eco_format!(
                "missing key name for file path {path:?} in source {source:?}"
            )));
        }
        Some((key, "")) => {
            return Err(Error::new(eco_format!(
                "missing file path for key name {key:?} in source {source:?}"
            )));
        }
        Some(split) => split,
    };
    let item = Item {
        text: path.into(),
        span: item.span,
    };
    let bytes = match loader.bytes(&item) {
        Err(error) if error.remote.is_some() && loader.leaves_out() => {
            return Ok(Pair {
                key: key.into(),
                value: Value::Text(yaml::unknown::marker(&item.text).as_str().into()),
                span: item.span,
            });
        }
        bytes => bytes?,
    };
    Ok(Pair {
        key: key.into(),
        span: match text_file(&item, &bytes, loader) {
            Some(file) => Span::new(file, 0, bytes.len()),
            None => item.span,
        },
        value: Value::Bytes(bytes),
    })
}

/// The id, in the sources, of a file that is text: values from it are written
/// there, not where the file is named.
fn text_file(item: &Item, bytes: &[u8], loader: &Loader<'_>) -> Option<FileId> {
    std::str::from_utf8(bytes).ok()?;
    loader.text(item).ok().map(|(file, _)| file)
}

/// The last part of a path, as Go's `path.Base` has it.
fn base_name(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match (path, trimmed) {
        ("", _) => ".",
        (_, "") => "/",
        (_, trimmed) => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

/// A line `key=value`, or only the key; blank lines and comments are skipped.
fn env_file(item: &Item, loader: &Loader<'_>) -> Result<Vec<Pair>, Error> {
    let bytes = loader.bytes(item)?;
    let file_id = text_file(item, &bytes, loader);
    let mut pairs = Vec::new();
    let mut next = 0;
    for (number, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let start = next;
        next += line.len() + 1;
        if line.len() >= LONGEST_LINE {
            break;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = std::str::from_utf8(line)
            .map_err(|_| Error::new(eco_format!("line {} has invalid utf8 bytes", number + 1)))?;
        let text = match number {
            0 => text.strip_prefix('\u{feff}').unwrap_or(text),
            _ => text,
        };
        let text = text.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        if key.is_empty() {
            continue;
        }
        // The value ends where the line does.
        let end = start + line.len();
        pairs.push(Pair {
            key: key.into(),
            value: Value::Text(value.into()),
            span: file_id.map_or(item.span, |file| Span::new(file, end - value.len(), end)),
        });
    }
    Ok(pairs)
}

fn encode(bytes: &[u8]) -> EcoString {
    let text = STANDARD.encode(bytes);
    // One more line is reckoned than a text that fills its last line needs.
    if text.len() / BASE64_LINE == 0 {
        return text.into();
    }
    let mut lines = EcoString::with_capacity(text.len() + text.len() / BASE64_LINE + 1);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, tail) = rest.split_at_checked(BASE64_LINE).unwrap_or((rest, ""));
        lines.push_str(line);
        lines.push('\n');
        rest = tail;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_broken_into_lines() {
        assert_eq!(encode(b"abc"), "YWJj");
        let long = encode(&[0; 60]);
        assert_eq!(long.lines().map(str::len).collect::<Vec<_>>(), [70, 10]);
        assert!(long.ends_with('\n'));
        assert!(!encode(&[0; 51]).contains('\n'));
    }

    #[test]
    fn literals_lose_one_pair_of_quotes() {
        let value = |text: &str| match literal(&Item::made(text)).map(|pair| pair.value) {
            Ok(Value::Text(text)) => text.to_string(),
            _ => panic!("{text}"),
        };
        assert_eq!(value("a=b=c"), "b=c");
        assert_eq!(value("a='b'"), "b");
        assert_eq!(value("a=\""), "\"");
        assert!(literal(&Item::made("=b")).is_err());
        assert!(literal(&Item::made("b")).is_err());
    }

    #[test]
    fn a_file_is_known_by_its_name() {
        assert_eq!(base_name("a/b.txt"), "b.txt");
        assert_eq!(base_name("b.txt"), "b.txt");
        assert_eq!(base_name("a/"), "a");
    }
}
