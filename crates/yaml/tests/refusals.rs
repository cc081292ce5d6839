//! Texts that are refused, with upstream's words and the true place.

use yaml::{ErrorKind, FileId, Limits, Node, decode, parse, parse_with_duplicates, sigs_to_json};

fn refused(text: &str) -> (String, u32) {
    let error = parse(text, FileId(0), &Limits::default()).unwrap_err();
    (error.to_string(), error.span.start)
}

#[test]
fn syntax() {
    for (text, message, at) in [
        (
            "a:\n  - b\n c: d\n",
            "line 2: did not find expected key",
            10,
        ),
        (
            "a: b: c\n",
            "mapping values are not allowed in this context",
            4,
        ),
        (
            "a: [1\nb: 2\n",
            "line 1: did not find expected ',' or ']'",
            7,
        ),
        ("a: \"x\n", "line 2: found unexpected end of stream", 6),
        ("a: @x\n", "found character that cannot start any token", 3),
        (
            "a\nb: 1\n",
            "line 2: mapping values are not allowed in this context",
            3,
        ),
        ("a: *x\n", "unknown anchor 'x' referenced", 3),
        (
            "%YAML 1.2\n---\na: 1\n",
            "found incompatible YAML document",
            0,
        ),
        ("a: \"\\/\"\n", "found unknown escape character", 4),
        (
            "a: \"\\ud83d\\ude00\"\n",
            "found invalid Unicode character escape code",
            6,
        ),
        (
            "a: |\n\tx\n",
            "line 2: found a tab character where an indentation space is expected",
            5,
        ),
        ("a: \u{7f}\n", "control characters are not allowed", 3),
        ("a: !e!x y\n", "found undefined tag handle", 3),
    ] {
        let (found, place) = refused(text);
        assert_eq!(
            found,
            format!("MalformedYAMLError: yaml: {message}"),
            "{text:?}"
        );
        assert_eq!(place, at, "{text:?}");
    }
}

#[test]
fn an_empty_flow_collection_is_no_key_to_the_older_reader() {
    // It ends the document there, and no one reads on.
    let node = sigs_to_json("[]: x\n", FileId(0), false).unwrap();
    assert_eq!(node, Node::seq([]));
    assert!(parse("[]: x\n", FileId(0), &Limits::default()).is_ok());
}

#[test]
fn lines_count_from_the_part() {
    let (found, place) = refused("a: 1\n---\nb: 1\nc: d: e\n");
    assert!(
        found.ends_with("line 2: mapping values are not allowed in this context"),
        "{found}"
    );
    assert_eq!(place, 18);
}

#[test]
fn separators_with_something_behind_them() {
    let (found, _) = refused("a: 1\n--- b: 2\nc: 3\n");
    assert_eq!(found, "invalid document separator: --- b: 2");
}

#[test]
fn merges() {
    for (text, message) in [
        (
            "a: {<<: 1}\n",
            "map merge requires map or sequence of maps as the value",
        ),
        (
            "a: &x [1]\nb: {<<: *x}\n",
            "invalid map merge: received alias for a non-map value",
        ),
        (
            "b: {<<: [[{a: 1}]]}\n",
            "invalid map merge: received a nested sequence",
        ),
        ("b: {<<: {a: 1}, <<: {b: 1}}\n", "duplicate merge key"),
        ("a: &a {b: *a}\n", "anchor 'a' value contains itself"),
    ] {
        let (found, _) = refused(text);
        assert_eq!(found, message, "{text:?}");
    }
}

#[test]
fn a_key_has_its_colon_within_1024_characters() {
    let text = |length: usize| format!("{}: v\n", "k".repeat(length));
    assert!(parse(&text(1024), FileId(0), &Limits::default()).is_ok());
    assert!(parse(&text(1025), FileId(0), &Limits::default()).is_err());
    let wide = format!("{}: v\n", "é".repeat(1024));
    assert!(parse(&wide, FileId(0), &Limits::default()).is_ok());
}

#[test]
fn limits() {
    let small = Limits {
        bytes: 10,
        ..Limits::default()
    };
    let error = parse("a: 123456789\n", FileId(0), &small).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Limit);
    let few = Limits {
        nodes: 1_000,
        ..Limits::default()
    };
    let mut bomb = String::from("a0: &a0 [x, x]\n");
    for level in 1..40 {
        bomb += &format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1);
    }
    for limits in [few, Limits::default()] {
        let error = parse(&bomb, FileId(0), &limits).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Limit, "{error}");
        assert_eq!(error.cause, "document contains excessive aliasing");
    }
}

#[test]
fn duplicates_are_kept_and_told() {
    let text = "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n";
    let parsed = parse_with_duplicates(text, FileId(0), &Limits::default()).unwrap();
    let told: Vec<(&str, u32, u32)> = parsed
        .duplicates
        .iter()
        .map(|d| (d.key.as_str(), d.first.start, d.again.start))
        .collect();
    assert_eq!(told, [("a", 0, 22), ("c", 10, 17)]);
    assert_eq!(parsed.documents[0].entries().len(), 3);
}

#[test]
fn bytes() {
    let utf16: Vec<u8> = "\u{FEFF}a: é\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(decode(&utf16, FileId(0)).unwrap(), "a: é\n");
    assert_eq!(
        decode("\u{FEFF}a: 1".as_bytes(), FileId(0)).unwrap(),
        "a: 1"
    );
    for (bytes, cause) in [
        (&b"a: \xFF"[..], "invalid leading UTF-8 octet"),
        (b"a: \xC3", "incomplete UTF-8 octet sequence"),
        (b"a: \xC3(", "invalid trailing UTF-8 octet"),
        (b"a: \xC0\x80", "invalid length of a UTF-8 sequence"),
        (b"a: \xED\xA0\x80", "invalid Unicode character"),
        (b"\xFE\xFF\xDC\x00", "unexpected low surrogate area"),
        (b"\xFE\xFF\x00", "incomplete UTF-16 character"),
    ] {
        assert_eq!(decode(bytes, FileId(0)).unwrap_err().cause, cause);
    }
}

/// Upstream drops one byte order mark, and takes a second one for the start of every
/// line, whose first character it skips.
#[test]
fn a_second_byte_order_mark_eats() {
    let read = |text: &str| {
        let node = yaml::sigs_to_json(text, FileId(0), false);
        node.map(|node| yaml::to_json(&node)).map_err(|e| e.cause)
    };
    assert_eq!(read("\u{feff}\u{feff}").unwrap(), "null");
    assert_eq!(
        read("\u{feff}\u{feff}a: 1\nxb: 2\n").unwrap(),
        r#"{"a":1,"b":2}"#
    );
    assert!(read("\u{feff}\u{feff}\"").is_err());
    // Anywhere else it is a character.
    assert_eq!(read("\n\u{feff}: a\n").unwrap(), "{\"\u{feff}\":\"a\"}");
}

/// A key that has no text only matters where it stays.
#[test]
fn what_is_replaced_may_have_null_keys() {
    let read = |text: &str| {
        let node = yaml::sigs_to_json(text, FileId(0), false);
        node.map(|node| yaml::to_json(&node)).map_err(|e| e.cause)
    };
    assert_eq!(read("s:\n  ~: 1\ns: 2\n").unwrap(), r#"{"s":2}"#);
    let error = read("s:\n  ~: 1\n").unwrap_err();
    assert!(error.starts_with("unsupported map key of type"), "{error}");
}

/// Near its end a text is moved to the start of upstream's buffer, where a byte
/// order mark takes the first character of each line that follows.
#[test]
fn a_mark_near_the_end_takes_what_begins_the_last_line() {
    for (text, taken) in [
        ("a: \u{FEFF}\na", true),
        ("- \u{FEFF}\na", true),
        ("a:\n  \u{FEFF}\na", true),
        ("a: b \u{FEFF}\na", true),
        ("k: [\u{FEFF}\n]", true),
        ("a: b\u{FEFF}\na", false),
        ("a: \u{FEFF}b\na", false),
        ("a: \u{FEFF} \na", false),
        ("a: \u{FEFF}\nb\nc", false),
    ] {
        let parsed = parse(text, FileId(0), &Limits::default());
        assert_eq!(parsed.is_ok(), taken, "{text:?}");
    }
}
