//! Schemas in comments: `key: # {"x-kubernetes-patch-merge-key": "name", …}` says
//! how the value of the key merges, whatever is known of the kind. The comment
//! stands behind the key or on the line before it.

use memchr::memchr_iter;
use rustc_hash::FxHashMap;
use yaml::{FileId, Node, Tag};

use super::openapi::Reader;
use super::schema::{Definition, Schema, Shape, UNKNOWN};

/// Where a key begins.
pub(super) type KeyPlace = (FileId, u32);

/// One schema in a comment, and the key it is for.
#[derive(Clone, Debug)]
pub struct CommentSchema {
    place: KeyPlace,
    schema: Node,
}

/// The schemas in the comments of a YAML text, of keys whose value is a list or
/// mapping.
pub fn comment_schemas(text: &str, file: FileId) -> Vec<CommentSchema> {
    let found = memchr_iter(b'#', text.as_bytes()).filter_map(|at| {
        let (before, comment) = text.split_at_checked(at)?;
        let comment = comment.trim_start_matches('#');
        if !comment.trim_start_matches([' ', '\t']).starts_with('{') {
            return None;
        }
        let comment = comment.lines().next().unwrap_or_default();
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let key = match text.get(line..at)?.trim_matches([' ', '\t']) {
            "" => key_at(text, at + text.get(at..)?.find('\n')? + 1)?,
            _ => key_at(text, line)?,
        };
        let schema = yaml::from_json(comment.trim(), FileId::NONE).ok()?;
        is_schema(&schema).then_some(CommentSchema {
            place: (file, u32::try_from(key).ok()?),
            schema,
        })
    });
    found.collect()
}

/// The offset of the key with which the line at an offset begins, if a list or
/// mapping may follow it.
fn key_at(text: &str, line: usize) -> Option<usize> {
    let content = text.get(line..)?.lines().next()?;
    let key = content.trim_start_matches([' ', '-', '?']);
    let (_, value) = key.split_once(": ").or(key.split_once(':'))?;
    let collection = |c: char| matches!(c, '[' | '{' | '#' | '&' | '!');
    let value = value.trim_start();
    (value.is_empty() || value.starts_with(collection)).then_some(line + content.len() - key.len())
}

/// Whether an object is what Go takes for a schema that says anything.
fn is_schema(schema: &Node) -> bool {
    let fits = |name: &str, fits: fn(&Node) -> bool| schema.get(name).is_none_or(fits);
    let is_text = |node: &Node| node.tag == Tag::Str;
    !schema.entries().is_empty()
        && fits("$ref", is_text)
        && fits("type", |node| node.tag == Tag::Str || node.is_seq())
        && fits("properties", Node::is_map)
        && fits("items", |node| node.is_map() || node.is_seq())
}

impl Schema {
    /// The same, and what comments say.
    pub fn with_comments(&self, comments: &[CommentSchema]) -> Schema {
        let mut extended = self.clone();
        for comment in comments {
            let none = Node::null();
            let mut reader = Reader {
                document: &none,
                schema: extended,
            };
            let number = reader.number(&comment.schema);
            extended = reader.schema;
            let number = match number {
                UNKNOWN => extended.add(Definition::default()),
                number => number,
            };
            extended.comments.insert(comment.place, number);
        }
        extended
    }

    /// What a comment says about the value of a key.
    pub(crate) fn of_key(&self, key: &Node) -> Option<Shape<'_>> {
        if self.comments.is_empty() {
            return None;
        }
        self.shape(*self.comments.get(&(key.span.file, key.span.start))?)
    }
}

/// What comments say about keys, by place.
pub(super) type Comments = FxHashMap<KeyPlace, usize>;

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<&str> {
        let found = comment_schemas(text, FileId(0));
        let rest = |c: &CommentSchema| &text[c.place.1 as usize..];
        found
            .iter()
            .map(|c| rest(c).split(':').next().unwrap())
            .collect()
    }

    #[test]
    fn a_schema_stands_behind_a_key_or_before_it() {
        let text =
            "a: # {\"type\": \"array\"}\n- b: #{\"x\": 1}\n    c: 1\n# {\"y\": 1}\nd:\n  e: 1\n";
        assert_eq!(keys(text), ["a", "b", "d"]);
    }

    #[test]
    fn other_comments_and_those_of_scalars_are_none() {
        let text =
            "image: x # {\"$imagepolicy\": \"a:b\"}\na: # {}\nb: # note\nc: # {\"type\": 1}\n";
        assert!(keys(text).is_empty());
        assert!(keys("# {\"x\": 1}").is_empty());
    }

    #[test]
    fn references_reach_the_definitions() {
        let text = "spec: # {\"$ref\": \"#/definitions/io.k8s.api.core.v1.PodSpec\"}\n  a: 1\n";
        let schema = Schema::built_in().with_comments(&comment_schemas(text, FileId(3)));
        let documents = yaml::parse(text, FileId(3), &yaml::Limits::default()).unwrap();
        let shape = schema.of_key(&documents[0].entries()[0].key).unwrap();
        assert!(shape.field("containers").unwrap().merge_keys().is_some());
    }
}
