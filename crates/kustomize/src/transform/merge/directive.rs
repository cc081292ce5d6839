//! `$patch`: how a mapping or list of a patch is to be applied.

use ecow::eco_format;
use yaml::Node;

use super::elements;
use crate::error::Error;

/// The key of a directive.
const KEY: &str = "$patch";

/// What a patch asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Field by field, the default.
    Merge,
    /// Instead of what is there.
    Replace,
    /// Remove what is there.
    Delete,
}

impl Directive {
    fn parse(node: &Node) -> Result<Self, Error> {
        let text = node.text().map_or("", |text| text.as_str());
        match text {
            "delete" => Ok(Directive::Delete),
            "replace" => Ok(Directive::Replace),
            "merge" => Ok(Directive::Merge),
            _ => Err(Error::new(eco_format!("unknown patch strategy '{text}'")).at(node.span)),
        }
    }
}

/// Takes the directive out of a mapping. An unknown one is left there.
pub fn take_from_map(map: &mut Node) -> Result<Directive, Error> {
    let Some(value) = map.get(KEY) else {
        return Ok(Directive::Merge);
    };
    let directive = Directive::parse(value)?;
    map.remove(KEY);
    Ok(directive)
}

/// Takes the directive out of a list: the first element that has the key, if it
/// has nothing else. With it go all elements that have the same directive.
pub fn take_from_list(list: &mut Node) -> Result<Directive, Error> {
    let first = list.items().iter().find_map(|item| {
        let value = item.get(KEY)?;
        Some((item.entries().len(), value.clone()))
    });
    let Some((1, value)) = first else {
        return Ok(Directive::Merge);
    };
    let directive = Directive::parse(&value)?;
    let text = value.text().cloned().unwrap_or_default();
    if let Some(items) = list.items_mut() {
        elements::remove(items, &[KEY.into()], &[text])?;
    }
    Ok(directive)
}
