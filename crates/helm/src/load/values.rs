//! `values.yaml`, and YAML files as data.

use yaml::{FileId, Node, Tag};

use crate::data::Data;
use crate::given::lay_over;
use crate::tree::data;

/// Default values: the documents of the file, later ones over earlier ones.
pub(super) fn read(text: &[u8]) -> Result<Data, String> {
    let mut merged = Data::map();
    for document in documents(text)? {
        let node = parse(&document).map_err(|e| format!("cannot unmarshal yaml document: {e}"))?;
        let kind = match &node.tag {
            _ if node.is_map() || node.is_null() => None,
            _ if node.is_seq() => Some("array"),
            Tag::Int | Tag::Float => Some("number"),
            Tag::Bool => Some("bool"),
            _ => Some("string"),
        };
        if let Some(kind) = kind {
            return Err(format!(
                "cannot unmarshal yaml document: error unmarshaling JSON: while decoding JSON: \
                 json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
            ));
        }
        lay_over(&mut merged, data(&node));
    }
    Ok(merged)
}

/// A YAML text as JSON has it.
pub(super) fn parse(text: &[u8]) -> Result<Node, String> {
    let converting = |e: yaml::Error| format!("error converting YAML to JSON: {e}");
    let text = yaml::decode(text, FileId::NONE).map_err(converting)?;
    yaml::sigs_to_json(&text, FileId::NONE, false).map_err(converting)
}

/// The documents of a text, parted by lines that begin with `---`.
fn documents(text: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let mut documents = vec![Vec::new()];
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if let Some(behind) = line.strip_prefix(b"---") {
            let behind = String::from_utf8_lossy(behind);
            let behind = behind.trim();
            if !behind.is_empty() && !behind.starts_with('#') {
                return Err(format!(
                    "error reading yaml document: invalid Yaml document separator: {behind}"
                ));
            }
            documents.push(Vec::new());
        } else if let Some(last) = documents.last_mut() {
            last.extend_from_slice(line);
        }
    }
    documents.retain(|document| !document.is_empty());
    Ok(documents)
}
