//! Putting a value, such as a project's name, into a field or into a part of a
//! path that a field holds.

use ecow::EcoString;
use yaml::Node;

use super::kind::{Kind, expect_kind};
use super::path::{lookup_mut, split};
use super::scalar::{Written, replace};
use crate::error::Error;
use crate::kustomization::Item;

/// Sets the field at a path of names joined by `/`, made if it is missing. With
/// a position above 0 the value becomes that part of the file path the field
/// holds, counted from 1. Fails where the field is no scalar.
pub fn add_value(
    object: &mut Node,
    value: &Item,
    field_path: &str,
    position: usize,
) -> Result<(), Error> {
    let parts = split(field_path, '/');
    let Some(place) = lookup_mut(object, &parts, Some(Kind::Scalar))? else {
        return Ok(());
    };
    expect_kind(Kind::Scalar, place)?;
    let text = match position.checked_sub(1) {
        Some(at) => insert_part(
            place.text().map_or("", |text| text.as_str()),
            at,
            &value.text,
        ),
        None => value.text.clone(),
    };
    if text.is_empty() {
        return Ok(());
    }
    replace(place, text, Written::Untyped, value.span)
}

/// Inserts a part into a file path at an index; beyond the end it is appended.
/// An absolute path stays absolute.
fn insert_part(path: &str, at: usize, part: &str) -> EcoString {
    if part.is_empty() {
        return path.into();
    }
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts.insert(at.min(parts.len()), part);
    let joined = clean(&parts);
    match absolute {
        true => ecow::eco_format!("/{joined}"),
        false => joined.into(),
    }
}

/// Joins parts as Go joins file paths: `.` vanishes, `..` takes one away.
fn clean(parts: &[&str]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in parts.iter().flat_map(|part| part.split('/')) {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            part => kept.push(part),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_inserted_where_asked() {
        let rows = [
            ("", 0, "PEACH"),
            ("/", 0, "/PEACH"),
            ("pie", 0, "PEACH/pie"),
            ("/pie", 0, "/PEACH/pie"),
            ("raw", 1, "raw/PEACH"),
            ("/raw", 1, "/raw/PEACH"),
            ("a/nice/warm/pie", 3, "a/nice/warm/PEACH/pie"),
            ("/a/nice/warm/pie", 3, "/a/nice/warm/PEACH/pie"),
            ("raw", 9999, "raw/PEACH"),
        ];
        for (path, at, expected) in rows {
            assert_eq!(insert_part(path, at, "PEACH"), expected, "{path}");
        }
    }
}
