//! Reaching into trees by path.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::{Node, Text, Value};

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step<'a> {
    /// Into a mapping.
    Key(&'a str),
    /// Into a sequence, from 0.
    Index(usize),
}

/// Shows a path as people write it: `spec.containers[0].image`.
pub fn display_path<'a>(steps: &'a [Step<'a>]) -> impl fmt::Display + 'a {
    fmt::from_fn(move |f| {
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if key.contains(['.', '[', ' ']) => write!(f, "[{key:?}]")?,
                Step::Key(key) if at == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    })
}

impl Node {
    /// The value under a path of keys, to change.
    pub fn path_mut(&mut self, path: &[&str]) -> Option<&mut Node> {
        path.iter().try_fold(self, |node, key| node.get_mut(key))
    }

    /// Sets the value under a path of keys, creating the mappings on the way.
    /// Nulls on the way become mappings, too. Tells whether it could: `false`
    /// when something else is in the way, or the path is empty.
    pub fn set_path(&mut self, path: &[&str], value: Node) -> bool {
        let Some((last, parents)) = path.split_last() else {
            return false;
        };
        let mut node = self;
        for key in parents {
            if !node.is_map() {
                return false;
            }
            if node.get(key).is_none_or(Node::is_null) {
                node.insert(key, Node::map::<Text>([]));
            }
            match node.get_mut(key) {
                Some(next) => node = next,
                None => return false,
            }
        }
        node.insert(last, value);
        node.is_map()
    }

    /// Removes the value under a path of keys and returns it.
    pub fn remove_path(&mut self, path: &[&str]) -> Option<Node> {
        let (last, parents) = path.split_last()?;
        self.path(parents)?.get(last)?;
        self.path_mut(parents)?.remove(last)
    }

    /// Calls `visit` for every scalar that is no key, in order, with the steps
    /// that lead there.
    pub fn each_scalar<'a>(&'a self, visit: &mut impl FnMut(&[Step<'a>], &'a Node)) {
        let mut steps = Vec::new();
        self.scalars_below(&mut steps, visit);
    }

    fn scalars_below<'a>(
        &'a self,
        steps: &mut Vec<Step<'a>>,
        visit: &mut impl FnMut(&[Step<'a>], &'a Node),
    ) {
        match &self.value {
            Value::Scalar(_) => visit(steps, self),
            Value::Sequence(items) => {
                for (index, item) in items.iter().enumerate() {
                    steps.push(Step::Index(index));
                    item.scalars_below(steps, visit);
                    steps.pop();
                }
            }
            Value::Mapping(entries) => {
                for entry in entries {
                    steps.push(Step::Key(entry.key.text().map_or("", |text| text)));
                    entry.value.scalars_below(steps, visit);
                    steps.pop();
                }
            }
        }
    }

    /// Whether two canonical trees hold the same, whatever the order of keys.
    pub fn same_value(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::Scalar(a), Value::Scalar(b)) => self.tag == other.tag && a == b,
            (Value::Sequence(a), Value::Sequence(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_value(b))
            }
            (Value::Mapping(a), Value::Mapping(b)) => {
                let in_order = |(a, b): (&crate::Entry, &crate::Entry)| {
                    a.key.text() == b.key.text() && a.value.same_value(&b.value)
                };
                if a.len() != b.len() {
                    return false;
                }
                if a.iter().zip(b).all(|(a, b)| a.key.text() == b.key.text()) {
                    return a.iter().zip(b).all(in_order);
                }
                let theirs: FxHashMap<Option<&Text>, &Node> =
                    b.iter().map(|e| (e.key.text(), &e.value)).collect();
                a.iter().all(|entry| {
                    let their = theirs.get(&entry.key.text());
                    their.is_some_and(|their| entry.value.same_value(their))
                })
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_created_and_removed() {
        let mut node = Node::map([("spec", Node::null())]);
        assert!(node.set_path(&["spec", "a", "b"], Node::int(1)));
        assert!(!node.set_path(&["spec", "a", "b", "c"], Node::int(2)));
        assert_eq!(node.path(&["spec", "a", "b"]), Some(&Node::int(1)));
        assert_eq!(node.remove_path(&["spec", "a", "b"]), Some(Node::int(1)));
        assert_eq!(node.remove_path(&["spec", "x", "b"]), None);
        assert!(node.path(&["spec", "a"]).is_some_and(Node::is_map));
    }

    #[test]
    fn scalars_come_with_their_paths() {
        let image = Node::map([("image", Node::string("x"))]);
        let node = Node::map([
            ("a.b", Node::bool(true)),
            ("containers", Node::seq([image])),
        ]);
        let mut paths = Vec::new();
        node.each_scalar(&mut |steps, _| paths.push(display_path(steps).to_string()));
        assert_eq!(paths, [r#"["a.b"]"#, "containers[0].image"]);
    }

    #[test]
    fn order_does_not_make_a_difference() {
        let a = Node::map([("a", Node::int(1)), ("b", Node::null())]);
        let b = Node::map([("b", Node::null()), ("a", Node::int(1))]);
        assert!(a.same_value(&b));
        assert_ne!(a, b);
        assert!(!a.same_value(&Node::map([("a", Node::int(1)), ("c", Node::null())])));
        assert!(!a.same_value(&Node::map([("a", Node::string("1")), ("b", Node::null())])));
    }
}
