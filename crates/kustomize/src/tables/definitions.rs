//! What upstream takes for a definition: its types refuse fields of other kinds
//! before any hint is looked at.

use ecow::{EcoString, eco_format};
use yaml::{Node, Tag};

use super::decode::field;
use crate::error::Error;

/// What a field of a schema holds. Null is always taken.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Bool,
    Number,
    Integer,
    List,
    Texts,
    TextOrTexts,
    Schema,
    Schemas,
    SchemaMap,
    SchemaOrBool,
    /// Others are passed over.
    SchemaOrSchemas,
    DependencyMap,
    Documentation,
    /// What is no string is passed over.
    Address,
}

/// The fields of a schema that are no extensions.
const FIELDS: [(&str, Shape); 37] = [
    ("id", Shape::Text),
    ("description", Shape::Text),
    ("type", Shape::TextOrTexts),
    ("nullable", Shape::Bool),
    ("format", Shape::Text),
    ("title", Shape::Text),
    ("maximum", Shape::Number),
    ("exclusiveMaximum", Shape::Bool),
    ("minimum", Shape::Number),
    ("exclusiveMinimum", Shape::Bool),
    ("maxLength", Shape::Integer),
    ("minLength", Shape::Integer),
    ("pattern", Shape::Text),
    ("maxItems", Shape::Integer),
    ("minItems", Shape::Integer),
    ("uniqueItems", Shape::Bool),
    ("multipleOf", Shape::Number),
    ("enum", Shape::List),
    ("maxProperties", Shape::Integer),
    ("minProperties", Shape::Integer),
    ("required", Shape::Texts),
    ("items", Shape::SchemaOrSchemas),
    ("allOf", Shape::Schemas),
    ("oneOf", Shape::Schemas),
    ("anyOf", Shape::Schemas),
    ("not", Shape::Schema),
    ("properties", Shape::SchemaMap),
    ("additionalProperties", Shape::SchemaOrBool),
    ("patternProperties", Shape::SchemaMap),
    ("dependencies", Shape::DependencyMap),
    ("additionalItems", Shape::SchemaOrBool),
    ("definitions", Shape::SchemaMap),
    ("discriminator", Shape::Text),
    ("readOnly", Shape::Bool),
    ("externalDocs", Shape::Documentation),
    ("$ref", Shape::Address),
    ("$schema", Shape::Address),
];

/// Refuses what is no mapping from names to definitions.
pub(super) fn check(document: &Node) -> Result<(), Error> {
    if !document.is_map() && !document.is_null() {
        return Err(wrong(document, "a mapping"));
    }
    for entry in document.entries() {
        let definition = &entry.value;
        if !definition.is_map() && !definition.is_null() {
            return Err(wrong(definition, "a definition"));
        }
        if let Some(schema) = field(definition, "Schema") {
            check_as(schema, Shape::Schema)?;
        }
        if let Some(names) = field(definition, "Dependencies") {
            // Here numbers become strings.
            expect(
                names.is_seq() || names.is_null(),
                names,
                "a list of strings",
            )?;
            for name in names.items() {
                expect(name.is_scalar(), name, "a string")?;
            }
        }
    }
    Ok(())
}

fn check_as(node: &Node, shape: Shape) -> Result<(), Error> {
    if node.is_null() {
        return Ok(());
    }
    let is_text = node.tag == Tag::Str;
    let is_bool = node.tag == Tag::Bool;
    match shape {
        Shape::Text => expect(is_text, node, "a string"),
        Shape::Bool => expect(is_bool, node, "a boolean"),
        Shape::Number => {
            let is_number = matches!(node.tag, Tag::Int | Tag::Float);
            expect(is_number, node, "a number")
        }
        Shape::Integer => expect(node.as_i64().is_some(), node, "an integer"),
        Shape::List => expect(node.is_seq(), node, "a list"),
        Shape::Texts => {
            expect(node.is_seq(), node, "a list of strings")?;
            each(node.items(), Shape::Text)
        }
        Shape::TextOrTexts if is_text => Ok(()),
        Shape::TextOrTexts => check_as(node, Shape::Texts),
        Shape::Schema => schema(node),
        Shape::Schemas => {
            expect(node.is_seq(), node, "a list of schemas")?;
            each(node.items(), Shape::Schema)
        }
        Shape::SchemaMap => {
            expect(node.is_map(), node, "a mapping of schemas")?;
            each(values(node), Shape::Schema)
        }
        Shape::SchemaOrBool if is_bool => Ok(()),
        Shape::SchemaOrBool => {
            expect(node.is_map(), node, "a schema or a boolean")?;
            schema(node)
        }
        Shape::SchemaOrSchemas if node.is_map() => schema(node),
        Shape::SchemaOrSchemas => each(node.items(), Shape::Schema),
        Shape::DependencyMap => {
            expect(node.is_map(), node, "a mapping")?;
            for value in values(node) {
                if value.is_map() {
                    schema(value)?;
                }
                each(value.items(), Shape::Text)?;
            }
            Ok(())
        }
        Shape::Documentation => {
            expect(node.is_map(), node, "a mapping")?;
            let known = ["description", "url"].iter();
            each(known.filter_map(|name| node.get(name)), Shape::Text)
        }
        Shape::Address => address(node),
    }
}

fn schema(node: &Node) -> Result<(), Error> {
    expect(node.is_map(), node, "a schema")?;
    for entry in node.entries() {
        let Some(name) = entry.key.text() else {
            continue;
        };
        if let Some((_, shape)) = FIELDS.iter().find(|(known, _)| name == known) {
            let checked = check_as(&entry.value, *shape);
            checked.map_err(|e| e.during(eco_format!("`{name}`")))?;
        }
    }
    Ok(())
}

fn address(node: &Node) -> Result<(), Error> {
    let Some(text) = node.text().filter(|_| node.tag == Tag::Str) else {
        return Ok(());
    };
    match gourl::Url::parse(text.as_bytes()) {
        Ok(_) => Ok(()),
        Err((fault, part)) => {
            let quote = |text: &[u8]| format!("{:?}", String::from_utf8_lossy(text));
            let why: EcoString = eco_format!("parse {}: {}", quote(part), fault.message(quote));
            Err(Error::new(why).at(node.span))
        }
    }
}

fn values(node: &Node) -> impl Iterator<Item = &Node> {
    node.entries().iter().map(|entry| &entry.value)
}

fn each<'a>(nodes: impl IntoIterator<Item = &'a Node>, shape: Shape) -> Result<(), Error> {
    nodes.into_iter().try_for_each(|node| check_as(node, shape))
}

fn expect(fits: bool, node: &Node, what: &str) -> Result<(), Error> {
    fits.then_some(()).ok_or_else(|| wrong(node, what))
}

fn wrong(node: &Node, what: &str) -> Error {
    Error::new(eco_format!("json: cannot unmarshal: it must be {what}")).at(node.span)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What upstream (kustomize 5.8.1) says of the same files.
    #[test]
    fn fields_of_other_kinds_are_refused() {
        let checked = |schema: &str| {
            let text = format!("example.org/v1.A: {{Schema: {{{schema}}}}}\n");
            let document = yaml::sigs_to_json(&text, yaml::FileId::NONE, false).unwrap();
            check(&document).map_err(|e| e.to_string())
        };
        for taken in [
            "type: object",
            "type: [object, 'null']",
            "type: null",
            "maximum: 1.5",
            "maxLength: 3",
            "items: text",
            "items: [{type: string}]",
            "additionalProperties: true",
            "properties: {a: null}",
            "dependencies: {a: 1, b: [c], d: {type: object}}",
            "$ref: 1",
            "$ref: '#/definitions/x'",
            "default: {a: 1}",
            "x-kubernetes-annotation: 1",
            "unknown: [1]",
        ] {
            assert_eq!(checked(taken), Ok(()), "{taken}");
        }
        for refused in [
            "type: 1",
            "type: [1]",
            "maxLength: 1.5",
            "maximum: '1'",
            "required: a",
            "properties: []",
            "properties: {a: 1}",
            "properties: {a: {properties: {b: {nullable: 1}}}}",
            "additionalProperties: text",
            "items: [1]",
            "enum: a",
            "externalDocs: {url: 1}",
            "properties: {a: {$ref: '%zz'}}",
            "properties: {a: {$ref: '${X:=y}'}}",
        ] {
            assert!(checked(refused).is_err(), "{refused}");
        }
    }
}
