//! Copying values between fields of objects.

mod places;
mod structured;

use ecow::{EcoString, EcoVec, eco_format};
use yaml::{Node, Span, Style};

use self::places::each_match;
use super::kind::Kind;
use super::path::{lookup, split_dotted};
use super::scalar::{untyped, with_text};
use crate::error::Error;
use crate::id::ResId;
use crate::kustomization::{FieldOptions, Replacement, ReplacementFrom, ReplacementTarget};
use crate::resmap::ResMap;
use crate::resource::{Resource, is_empty};

/// Runs replacements one after the other. Fails when a source is not exactly one
/// object with the field, and when a target lacks a field that is not created.
pub fn replace_all(map: &mut ResMap, replacements: &[Replacement]) -> Result<(), Error> {
    replacements
        .iter()
        .try_for_each(|replacement| replace(map, replacement))
}

fn replace(map: &mut ResMap, replacement: &Replacement) -> Result<(), Error> {
    let Replacement {
        source,
        source_value,
        targets,
    } = replacement;
    let targets = targets
        .as_ref()
        .filter(|_| source.is_some() || source_value.is_some());
    let Some(targets) = targets else {
        return Err(Error::new(
            "replacements must specify a source and at least one target",
        ));
    };
    let value = match (source, source_value) {
        (Some(_), Some(_)) => {
            return Err(Error::new(
                "value and resource selectors are mutually exclusive",
            ));
        }
        (None, Some(item)) => untyped(item.text.clone(), Style::Plain, item.span),
        (Some(source), None) => read(map, source)?,
        (None, None) => return Ok(()),
    };
    let mut copied = Copied { value, from: None };
    if let Some(source) = source {
        copied.track(map, source);
    }
    targets
        .iter()
        .try_for_each(|target| write(map, target, &mut copied))
}

/// A value that is copied. Upstream copies from the source itself, not from what
/// it was at first: where the source is a target too, the targets behind it get
/// what was written there.
struct Copied {
    value: Node,
    /// Index and path of the source, unless a part of its text is copied.
    from: Option<(usize, Vec<EcoString>)>,
}

impl Copied {
    fn track(&mut self, map: &ResMap, source: &ReplacementFrom) {
        let options = source.options.as_ref();
        if options.is_some_and(|options| !options.delimiter.is_empty()) {
            return;
        }
        let selected = |resource: &Resource| is_selected(resource, &source.id);
        let at = map.iter().position(selected);
        self.from = at.map(|at| (at, split_dotted(field_path(source))));
    }

    /// Reads the value anew if the object at an index is the source.
    fn refresh(&mut self, at: usize, object: &Node) {
        if let Some((source, path)) = &self.from
            && *source == at
            && let Ok(Some(value)) = lookup(object, path)
        {
            self.value = value.clone();
        }
    }
}

fn field_path(source: &ReplacementFrom) -> &str {
    match source.field_path.as_str() {
        "" => Replacement::DEFAULT_FIELD,
        path => path,
    }
}

/// The value of a source.
fn read(map: &ResMap, source: &ReplacementFrom) -> Result<Node, Error> {
    let mut selected = map
        .iter()
        .filter(|resource| is_selected(resource, &source.id));
    let Some(resource) = selected.next() else {
        return Err(Error::new(eco_format!(
            "nothing selected by {}",
            describe(source)
        )));
    };
    if selected.next().is_some() {
        return Err(Error::new(eco_format!(
            "multiple matches for selector {}",
            describe(source)
        )));
    }
    let path = field_path(source);
    let found = lookup(resource.node(), &split_dotted(path))
        .map_err(|e| e.during("error looking up replacement source"))?;
    let Some(value) = found.filter(|node| !is_empty(node)) else {
        let id = &source.id;
        return Err(Error::new(eco_format!(
            "fieldPath `{path}` is missing for replacement source {id}"
        ))
        .at(resource.node().span));
    };
    part(value, source.options.as_ref())
}

/// The part of a text that the options ask for.
fn part(value: &Node, options: Option<&FieldOptions>) -> Result<Node, Error> {
    let Some(options) = options.filter(|options| !options.delimiter.is_empty()) else {
        return Ok(value.clone());
    };
    let text = scalar_text(value)?;
    let mut parts = text.split(options.delimiter.as_str());
    let index = usize::try_from(options.index).ok();
    let Some(part) = index.and_then(|index| parts.nth(index)) else {
        let index = options.index;
        return Err(Error::new(eco_format!(
            "options.index {index} is out of bounds for value {text}"
        ))
        .at(value.span));
    };
    Ok(with_text(value, part.into()))
}

fn scalar_text(node: &Node) -> Result<&EcoString, Error> {
    node.text().ok_or_else(|| {
        Error::new("delimiter option can only be used with scalar nodes").at(node.span)
    })
}

/// Whether an object is meant as a source. Upstream forgets here which kinds have
/// no namespace, so objects without one count as in the default one.
fn is_selected(resource: &Resource, pattern: &ResId) -> bool {
    resource.any_id(|id| {
        (pattern.name.is_empty() || pattern.name == id.name)
            && (pattern.namespace.is_empty()
                || pattern.written_namespace() == id.written_namespace())
            && pattern.gvk.selects(&id.gvk)
    })
}

/// A source as messages have it.
fn describe(source: &ReplacementFrom) -> EcoString {
    let mut text = eco_format!("{}", source.id);
    if !source.field_path.is_empty() {
        text.push_str(&eco_format!(":{}", source.field_path));
    }
    let options = source.options.as_ref();
    if let Some(options) = options.filter(|o| !o.delimiter.is_empty() || o.create) {
        text.push_str(&eco_format!(
            ":{}({}), create={}",
            options.delimiter,
            options.index,
            options.create
        ));
    }
    text
}

/// Writes a value into every object a target selects.
fn write(map: &mut ResMap, target: &ReplacementTarget, copied: &mut Copied) -> Result<(), Error> {
    let Some(select) = &target.select else {
        return Err(Error::new("target must specify resources to select"));
    };
    let creating = |e: Error| e.during("error creating target selector");
    let selector = select.compile().map_err(creating)?;
    let mut rejectors = EcoVec::new();
    for reject in &target.reject {
        rejectors.push((reject, reject.compile().map_err(creating)?));
    }
    for (at, resource) in map.iter_mut().enumerate() {
        if !selector.matches_metadata(resource)? {
            continue;
        }
        // A rejection by type and name and one by labels count each on its own.
        let mut rejected = false;
        for (reject, compiled) in &rejectors {
            let by_metadata =
                !reject.label_selector.is_empty() || !reject.annotation_selector.is_empty();
            if by_metadata && compiled.matches_metadata(resource)? {
                rejected = true;
                break;
            }
        }
        rejected = rejected
            || rejectors.iter().any(|(reject, compiled)| {
                let by_id = reject.id != ResId::default();
                by_id && resource.any_id(|id| compiled.matches_id(id))
            });
        if rejected || !resource.any_id(|id| selector.matches_id(id)) {
            continue;
        }
        write_fields(resource, at, target, copied)?;
    }
    Ok(())
}

fn write_fields(
    resource: &mut Resource,
    at: usize,
    target: &ReplacementTarget,
    copied: &mut Copied,
) -> Result<(), Error> {
    let default = [EcoString::from(Replacement::DEFAULT_FIELD)];
    let paths = match target.field_paths.as_slice() {
        [] => &default[..],
        paths => paths,
    };
    let options = target.options.as_ref();
    for path in paths {
        let create = options
            .is_some_and(|options| options.create)
            .then(|| Kind::of(&copied.value));
        write_field(resource.node_mut(), path, &copied.value, options, create)?;
        resource.settle_links();
        copied.refresh(at, resource.node());
    }
    Ok(())
}

fn write_field(
    object: &mut Node,
    path: &EcoString,
    value: &Node,
    options: Option<&FieldOptions>,
    create: Option<Kind>,
) -> Result<(), Error> {
    let parts = split_dotted(path);
    if structured::write(object, &parts, value, create)? {
        return Ok(());
    }
    let found = if create.is_some() {
        "find or create"
    } else {
        "find"
    };
    let missing = eco_format!("unable to {found} field {path:?} in replacement target");
    let mut count = 0;
    let mut failed = None;
    let visited = each_match(object, &parts, create, &mut |place, fresh| {
        count += 1;
        if failed.is_none() {
            failed = put(place, value, options, fresh).err();
        }
    });
    visited.map_err(|e| e.during(missing.clone()))?;
    match failed {
        Some(error) => Err(error),
        None if count == 0 => Err(Error::new(missing).at(object.span)),
        None => Ok(()),
    }
}

/// Writes a value into one place. A scalar takes over the text only and keeps
/// its type and quotes; one that was made for it has none.
fn put(
    place: &mut Node,
    value: &Node,
    options: Option<&FieldOptions>,
    fresh: bool,
) -> Result<(), Error> {
    let text = match options.filter(|options| !options.delimiter.is_empty()) {
        Some(options) => insert(scalar_text(place)?, value, options),
        None => value.text().cloned().unwrap_or_default(),
    };
    if !place.is_scalar() {
        *place = match value.is_scalar() {
            true => with_text(value, text),
            false => value.clone(),
        };
        return Ok(());
    }
    let unknown = value.unknown;
    *place = match fresh {
        true => untyped(text, place.style, Span::NONE),
        false => with_text(place, text),
    };
    (place.span, place.unknown) = (value.span, unknown);
    Ok(())
}

/// A text with one of its parts replaced, or one put in front or behind.
fn insert(text: &EcoString, value: &Node, options: &FieldOptions) -> EcoString {
    let delimiter = options.delimiter.as_str();
    let value = match value.is_null() {
        true => "",
        false => value.text().map_or("", |text| text.as_str()),
    };
    let mut parts: Vec<&str> = text.split(delimiter).collect();
    match usize::try_from(options.index) {
        Err(_) => parts.insert(0, value),
        Ok(index) => match parts.get_mut(index) {
            Some(part) => *part = value,
            None => parts.push(value),
        },
    }
    parts.join(delimiter).into()
}
