//! Labels and annotations that upstream keeps in one place though they stand at
//! several.
//!
//! Where a transformer *adds* a label at several fields of an object, upstream
//! adds one and the same node to all of them. A later change of one of these
//! places, by a patch, a replacement or another label transformer, therefore
//! changes all. Our nodes are values, so an object remembers which were added
//! together, and each step that may change them is followed by [`Links::settle`].
//!
//! The places are found again by a mark: the span of the key is that of the
//! value in the kustomization file, which no key of a read file has.

use ecow::{EcoString, EcoVec};
use yaml::{Node, Span, Tag, Value};

/// The labels and annotations of one object that were added together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links(EcoVec<Link>);

#[derive(Clone, Debug, PartialEq)]
struct Link {
    key: EcoString,
    mark: Span,
    tag: Tag,
    text: EcoString,
}

impl Links {
    /// Remembers that `value` was added under `key` at several places, with
    /// keys whose span is `mark`.
    pub fn add(&mut self, key: &str, mark: Span, value: &Node) {
        if mark.is_none() {
            return;
        }
        let text = value.text().cloned().unwrap_or_default();
        self.0.push(Link {
            key: key.into(),
            mark,
            tag: value.tag.clone(),
            text,
        });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all: the object was built anew.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Frees the entries of the mapping at a path: they change alone from now on.
    pub fn release(&self, object: &mut Node, path: &[&str]) {
        let map = path
            .iter()
            .try_fold(object, |node, key| node.get_mut(key))
            .and_then(Node::entries_mut);
        for entry in map.map(EcoVec::make_mut).unwrap_or_default() {
            if self.0.iter().any(|link| link.marks(entry)) {
                entry.key.span = Span::NONE;
            }
        }
    }

    /// Makes the places of each link equal again. Of several that were changed
    /// the last one counts, in the order in which a patch is applied.
    pub fn settle(&mut self, object: &mut Node) {
        if self.is_settled(object) {
            return;
        }
        for link in self.0.make_mut() {
            let mut changed = None;
            link.find_change(object, &mut changed);
            if let Some(value) = changed {
                link.tag = value.tag.clone();
                link.text = value.text().cloned().unwrap_or_default();
                link.write(object, &value);
            }
        }
    }
}

impl Links {
    /// Whether every place has the value its link had. One cheap pass, since
    /// that is what nearly every step leaves.
    fn is_settled(&self, node: &Node) -> bool {
        match &node.value {
            _ if self.0.is_empty() => true,
            Value::Scalar(_) => true,
            Value::Sequence(items) => items.iter().all(|item| self.is_settled(item)),
            Value::Mapping(entries) => {
                entries
                    .iter()
                    .all(|entry| match self.0.iter().find(|link| link.marks(entry)) {
                        Some(link) => link.is_unchanged(&entry.value),
                        None => entry.value.is_scalar() || self.is_settled(&entry.value),
                    })
            }
        }
    }
}

impl Link {
    fn is_unchanged(&self, value: &Node) -> bool {
        value.tag == self.tag && value.text().is_some_and(|text| *text == self.text)
    }

    fn marks(&self, entry: &yaml::Entry) -> bool {
        entry.key.span == self.mark && entry.key.text().is_some_and(|text| *text == self.key)
    }

    /// The last value that differs from the one all had.
    fn find_change(&self, node: &Node, changed: &mut Option<Node>) {
        match &node.value {
            Value::Scalar(_) => {}
            Value::Sequence(items) => {
                items
                    .iter()
                    .for_each(|item| self.find_change(item, changed));
            }
            Value::Mapping(entries) => {
                let mut sorted: Vec<&yaml::Entry> = entries.iter().collect();
                sorted.sort_by_key(|entry| entry.key.text());
                for entry in sorted {
                    if self.marks(entry) {
                        if !self.is_unchanged(&entry.value) {
                            *changed = Some(entry.value.clone());
                        }
                    } else {
                        self.find_change(&entry.value, changed);
                    }
                }
            }
        }
    }

    fn write(&self, node: &mut Node, value: &Node) {
        match &mut node.value {
            Value::Scalar(_) => {}
            Value::Sequence(items) => {
                for item in EcoVec::make_mut(items) {
                    self.write(item, value);
                }
            }
            Value::Mapping(entries) => {
                for entry in EcoVec::make_mut(entries) {
                    if self.marks(entry) {
                        entry.value = value.clone();
                    } else {
                        self.write(&mut entry.value, value);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaml::{Entry, FileId};

    const MARK: Span = Span {
        file: FileId(7),
        start: 1,
        end: 2,
    };

    fn labels(value: &str) -> Node {
        let mut map = Node::map::<&str>([]);
        if let Some(entries) = map.entries_mut() {
            entries.push(Entry {
                key: Node::string("app").at(MARK),
                value: Node::string(value),
            });
        }
        map
    }

    #[test]
    fn the_last_change_goes_everywhere() {
        let mut links = Links::default();
        links.add("app", MARK, &Node::string("old"));
        let mut object = Node::map([
            ("selector", labels("old")),
            ("metadata", labels("new")),
            ("other", Node::map([("app", Node::string("old"))])),
        ]);
        links.settle(&mut object);
        assert_eq!(object.str_at(&["selector", "app"]), Some("new"));
        assert_eq!(object.str_at(&["metadata", "app"]), Some("new"));
        assert_eq!(object.str_at(&["other", "app"]), Some("old"));
        links.clear();
        object.insert("metadata", labels("newer"));
        links.settle(&mut object);
        assert_eq!(object.str_at(&["selector", "app"]), Some("new"));
    }
}
