use super::*;

fn judge(schema: &str, values: &str) -> Result<Option<String>, String> {
    check_single(
        schema.as_bytes(),
        &Data::of(&crate::json::read(values).unwrap()),
    )
}

fn fault(schema: &str, values: &str) -> String {
    judge(schema, values).err().unwrap_or_default()
}

#[test]
fn faults_of_values_stand_in_a_tree() {
    assert_eq!(
        fault(
            r#"{"properties":{"a":{"required":["x"],"properties":{"y":{"type":"string"}},
                "additionalProperties":false}},"required":["z"]}"#,
            r#"{"a":{"y":1,"k":2,"m":1}}"#
        ),
        "- at '': missing property 'z'\n- at '/a': validation failed\n  - at '/a': missing property \
         'x'\n  - at '/a/y': got number, want string\n  - at '/a': additional properties 'k', 'm' \
         not allowed\n"
    );
    assert_eq!(
        fault(r#"{"contains":{"type":"string"}}"#, "[1]"),
        "- at '': no items match contains schema\n  - at '/0': got number, want string\n"
    );
    assert_eq!(
        fault(
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"null"}}}"##,
            "1"
        ),
        "- at '': got number, want null\n"
    );
}

#[test]
fn numbers_are_english() {
    assert_eq!(
        fault(r#"{"minimum":2e21}"#, "1234567"),
        "- at '': minimum: got 1.234567×10⁰⁶, want 2×10²¹\n"
    );
    assert_eq!(
        fault(r#"{"maximum":-0.5}"#, "1234.5"),
        "- at '': maximum: got 1,234.5, want -0.5\n"
    );
    assert!(judge(r#"{"multipleOf":0.1}"#, "0.3").is_ok());
    assert!(
        judge(
            r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}"#,
            "1.0"
        )
        .is_ok()
    );
}

#[test]
fn regular_expressions_are_gos() {
    assert!(judge(r#"{"pattern":"^\\d\\z"}"#, "\"1\"").is_ok());
    assert!(judge(r#"{"pattern":"^\\d$"}"#, "\"٣\"").is_err());
    assert!(fault(r#"{"pattern":"(?!a)"}"#, "1").ends_with(
        "\n- at '': 'allOf' failed\n  - at '/pattern': '(?!a)' is not valid regex: error parsing \
         regexp: invalid or unsupported Perl syntax: `(?!`"
    ));
}

#[test]
fn what_is_elsewhere_is_not_judged() {
    let why = judge(r##"{"$ref":"https://e.com/x.json#/a"}"##, "1")
        .unwrap()
        .unwrap_or_default();
    assert_eq!(
        why,
        "it refers to https://e.com/x.json, which is not fetched"
    );
    // What nothing leads to is not looked at.
    assert_eq!(
        judge(r#"{"$defs":{"a":{"$ref":"https://e.com/x.json"}}}"#, "1"),
        Ok(None)
    );
    assert_eq!(judge(r#"{"$ref":"urn:a:b"}"#, "1"), Ok(None));
    assert_eq!(
        fault(r#"{"$ref":"x.json"}"#, "1"),
        "failing loading \"file:///x.json\": open /x.json: no such file or directory"
    );
    assert!(
        judge(r#"{"$schema":"https://e.com/own"}"#, "1")
            .unwrap()
            .is_some()
    );
}

#[test]
fn schemas_that_refer_to_themselves_end() {
    assert!(fault(r##"{"$ref":"#"}"##, "1").contains("refers to itself"));
    let tree = r##"{"properties":{"a":{"$ref":"#"}},"required":["b"]}"##;
    assert_eq!(
        fault(tree, r#"{"b":1,"a":{"b":1,"a":{}}}"#),
        "- at '/a/a': missing property 'b'\n"
    );
}

#[test]
fn charts_below_are_judged_with_their_values() {
    let chart = |name: &str, schema: Option<&str>| Chart {
        metadata: Data::of(&crate::json::read(&format!(r#"{{"Name":"{name}"}}"#)).unwrap()),
        schema: schema.map(|text| text.as_bytes().into()),
        ..Chart::default()
    };
    let mut above = chart("above", None);
    above.dependencies = vec![
        chart("a", Some(r#"{"required":["x"]}"#)),
        chart("b", Some(r#"{"$ref":"http://e.com"}"#)),
        chart("c", Some("{}")),
    ];
    let schemas = Schemas::new(&above);
    let check = |text: &str| schemas.check(&Data::of(&crate::json::read(text).unwrap()).to_map());
    assert_eq!(
        check(r#"{"a":{},"c":1}"#).unwrap_err(),
        "values don't meet the specifications of the schema(s) in the following chart(s):\na:\n- at \
         '': missing property 'x'\nc:\ninvalid type for values: expected object (map), got float64\n"
    );
    assert_eq!(check(r#"{"a":{"x":1}}"#).unwrap(), Vec::<String>::new());
    assert_eq!(check(r#"{"b":{}}"#).unwrap().len(), 1);
}
