//! Scalars: what they mean to each reader, and how numbers are printed.

use yaml::{
    FileId, Limits, Node, Tag, canonical, emit_v2, from_json, json_to_yaml, numbers_as_floats,
    parse, sigs_to_json, to_json,
};

fn value(text: &str) -> String {
    let document = format!("v: {text}\n");
    let nodes = parse(&document, FileId(0), &Limits::default()).unwrap();
    let json = to_json(&canonical(&nodes[0]).unwrap());
    json["{\"v\":".len()..json.len() - 1].to_owned()
}

fn sigs(text: &str) -> String {
    let document = format!("v: {text}\n");
    let json = to_json(&sigs_to_json(&document, FileId(0), false).unwrap());
    json["{\"v\":".len()..json.len() - 1].to_owned()
}

#[test]
fn resources_read_like_yaml_1_2_but_for_octals_and_dates() {
    for (text, expected) in [
        ("yes", r#""yes""#),
        ("0123", "83"),
        ("08", "8"),
        ("0o14", "12"),
        ("0x1F", "31"),
        ("-0b11", "-3"),
        ("0b-1", "-1"),
        ("1_000", "1000"),
        ("1e3", "1000"),
        (".5", "0.5"),
        (".1_5", "0.15"),
        ("._5", r#""._5""#),
        ("1.0", "1"),
        ("0.10", "0.1"),
        ("1e400", r#""1e400""#),
        ("1e21", "1e+21"),
        ("1e20", "100000000000000000000"),
        ("0.0000001", "1e-7"),
        ("-0", "0"),
        ("-0.0", "-0"),
        ("12345678901234567890", "12345678901234567890"),
        ("123456789012345678901", "123456789012345680000"),
        ("12:30:45", r#""12:30:45""#),
        ("2024-01-01", r#""2024-01-01T00:00:00Z""#),
        ("2024-1-1 1:2:3", r#""2024-01-01T01:02:03Z""#),
        (
            "2001-12-14t21:59:43.10-05:00",
            r#""2001-12-14T21:59:43.1-05:00""#,
        ),
        ("2024-02-30", r#""2024-02-30""#),
        (r#""1e3""#, r#""1e3""#),
        ("!!str 12", r#""12""#),
        ("!!int '0x10'", "16"),
        ("!!float 3", "3"),
        ("!!binary aGk=", r#""hi""#),
        ("!local x", r#""x""#),
        ("~", "null"),
        ("", "null"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn the_older_reader_has_more_booleans_and_no_dates() {
    for (text, expected) in [
        ("yes", "true"),
        ("Off", "false"),
        ("tRue", r#""tRue""#),
        ("2024-01-01", r#""2024-01-01""#),
        ("0o14", "12"),
        ("!!bool 'on'", "true"),
    ] {
        assert_eq!(sigs(text), expected, "{text}");
    }
}

#[test]
fn what_json_cannot_hold_is_refused() {
    for (text, cause) in [
        ("v: .nan\n", "json: unsupported value: NaN"),
        ("v: -.inf\n", "json: unsupported value: -Inf"),
        (
            "v: {1: a}\n",
            "json: unsupported type: map[interface {}]interface {}",
        ),
        (
            "a: 1\na: 2\n",
            "unmarshal errors:\n  line 2: mapping key \"a\" already defined at line 1",
        ),
        ("v: !!int x\n", "cannot decode !!str `x` as a !!int"),
        (
            "v: !!binary '%'\n",
            "!!binary value contains invalid base64 data",
        ),
    ] {
        let nodes = parse(text, FileId(0), &Limits::default()).unwrap();
        let error = canonical(&nodes[0]).unwrap_err();
        assert_eq!(error.cause, cause, "{text}");
    }
}

#[test]
fn strict_reading_refuses_what_is_set_twice() {
    let error = sigs_to_json("a: 1\nb: 2\na: 3\n", FileId(0), true).unwrap_err();
    assert_eq!(
        error.cause,
        "unmarshal errors:\n  line 3: key \"a\" already set in map"
    );
    let node = sigs_to_json("a: 1\na: 3\n", FileId(0), false).unwrap();
    assert_eq!(to_json(&node), r#"{"a":3}"#);
}

#[test]
fn floats_are_printed_as_go_prints_them() {
    let float = |text: &str| {
        let mut node = Node::string(text);
        node.tag = Tag::Float;
        emit_v2(&node).trim_end().to_owned()
    };
    assert_eq!(float("1e+21"), "1e+21");
    assert_eq!(float("100000000000000000000"), "1e+20");
    assert_eq!(float("1e-7"), "1e-07");
    assert_eq!(float("0.0001"), "0.0001");
    assert_eq!(float("123456.5"), "123456.5");
    assert_eq!(float("1234567.5"), "1.2345675e+06");
    // Between two forms that are equally near, the even one.
    assert_eq!(float("900000000000000.25"), "9.000000000000002e+14");
    assert_eq!(float("900000000000000.2"), "9.000000000000002e+14");
}

/// Keys that are floats are printed with 32 bits, there too with the even digit.
#[test]
fn keys_are_printed_with_half_the_digits() {
    for (key, expected) in [
        ("17000.312", "17000.312"),
        ("17000.313", "17000.312"),
        ("17000.3125", "17000.312"),
        ("1.1", "1.1"),
        ("0.30000001", "0.3"),
        ("1e30", "1e+30"),
    ] {
        let node = sigs_to_json(&format!("{key}: v\n"), FileId(0), false).unwrap();
        assert_eq!(to_json(&node), format!("{{\"{expected}\":\"v\"}}"), "{key}");
    }
}

/// The way through JSON text that odd strings and long keys need changes no number.
#[test]
fn numbers_print_alike_beside_odd_strings() {
    let long = "k".repeat(200);
    for text in [
        "[\"\u{85}\",3e8]".to_owned(),
        format!("{{\"{long}\":3000000.0}}"),
        "[3e8,3000000.0]".to_owned(),
    ] {
        let node = from_json(&text, FileId(0)).unwrap();
        let printed = json_to_yaml(&node).unwrap();
        assert!(printed.contains("3e+0"), "{printed}");
    }
}

#[test]
fn json_numbers_become_floats() {
    let node = sigs_to_json("a: 12345678901234567890\nb: [1, 1.5]\n", FileId(0), false).unwrap();
    assert_eq!(
        to_json(&numbers_as_floats(&node)),
        r#"{"a":12345678901234567000,"b":[1,1.5]}"#
    );
}
