//! Schemas in comments: `key: # {"x-kubernetes-patch-merge-key": "name", …}` says
//! how the value of the key merges, whatever is known of the kind. The comment
//! stands behind the value or key, or above.

use ecow::EcoString;
use memchr::memchr_iter;
use rustc_hash::FxHashMap;
use yaml::{FileId, Node, Tag};

use super::openapi::Reader;
use super::schema::{Definition, Schema, Shape, UNKNOWN};

/// A schema that stands in a comment.
#[derive(Clone, Debug)]
pub struct CommentSchema {
    /// The comment as it was written, without its `#`.
    comment: EcoString,
    schema: Node,
}

/// The schemas in what may be comments of a YAML text. Which are, and whose, the
/// nodes themselves tell.
pub fn comment_schemas(text: &str) -> Vec<CommentSchema> {
    let found = memchr_iter(b'#', text.as_bytes()).filter_map(|at| {
        let comment = without_marks(text.get(at..)?.lines().next()?);
        if !comment.trim_start().starts_with('{') {
            return None;
        }
        let schema = yaml::from_json(comment.trim(), FileId::NONE).ok()?;
        is_schema(&schema).then(|| CommentSchema {
            comment: comment.into(),
            schema,
        })
    });
    found.collect()
}

fn without_marks(comment: &str) -> &str {
    comment.trim_start_matches('#')
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
            extended.comments.insert(comment.comment.clone(), number);
        }
        extended
    }

    /// What a comment at a node says about it: the one behind it, else the one above.
    pub(crate) fn of_comment(&self, node: &Node) -> Option<Shape<'_>> {
        if self.comments.is_empty() || node.comments.is_empty() {
            return None;
        }
        let comments = [node.comments.line(), node.comments.head()];
        let comment = comments.into_iter().find(|comment| !comment.is_empty())?;
        self.shape(*self.comments.get(without_marks(comment))?)
    }
}

/// What comments say, by their text.
pub(super) type Comments = FxHashMap<EcoString, usize>;

#[cfg(test)]
mod tests {
    use super::*;
    use yaml::Limits;

    /// The keys whose value a comment says something about.
    fn keys(text: &str) -> Vec<String> {
        let schema = Schema::built_in().with_comments(&comment_schemas(text));
        let documents = yaml::parse(text, FileId(0), &Limits::default()).unwrap();
        let entries = documents.iter().flat_map(Node::entries);
        let said = entries.filter(|entry| {
            let nodes = [&entry.value, &entry.key];
            nodes.iter().any(|node| schema.of_comment(node).is_some())
        });
        said.map(|entry| entry.key.text().unwrap().to_string())
            .collect()
    }

    #[test]
    fn a_schema_stands_behind_a_key_or_value_or_above() {
        let text =
            "a: # {\"type\": \"array\"}\n- b\nc: [b] #{\"x\": 1}\n# {\"y\": 1}\nd:\n  e: 1\n";
        assert_eq!(keys(text), ["a", "c", "d"]);
    }

    #[test]
    fn other_comments_are_none() {
        let text = "a: # {}\nb: # note\nc: # {\"type\": 1}\nd: '# {\"x\": 1}'\n";
        assert!(keys(text).is_empty());
        // Only the first of several counts.
        let text = "# {\"x\": 1}\na: # note\n- b\n# {\"x\": 1}\n# note\nc:\n- d\n";
        assert!(keys(text).is_empty());
        assert!(keys("# {\"x\": 1}").is_empty());
    }

    #[test]
    fn references_reach_the_definitions() {
        let text = "spec: # {\"$ref\": \"#/definitions/io.k8s.api.core.v1.PodSpec\"}\n  a: 1\n";
        let schema = Schema::built_in().with_comments(&comment_schemas(text));
        let documents = yaml::parse(text, FileId(3), &Limits::default()).unwrap();
        let shape = schema.of_comment(&documents[0].entries()[0].key).unwrap();
        assert!(shape.field("containers").unwrap().merge_keys().is_some());
    }
}
