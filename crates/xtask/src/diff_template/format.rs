//! Random format strings.

use crate::random::Random;

/// A template that prints values in random formats.
pub fn text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(3) {
        let mut call = format!("printf {}", literal(random));
        for _ in 0..random.below(4) {
            call.push(' ');
            call.push_str(&argument(random));
        }
        text.push_str(&format!("{{{{{call}}}}}|"));
    }
    text
}

fn argument(random: &mut Random) -> String {
    random
        .pick(&[
            ".s",
            ".e",
            ".u",
            ".q",
            ".bad",
            ".i",
            ".z",
            ".n",
            ".i64",
            ".u8",
            ".u64",
            ".f",
            ".fz",
            ".fb",
            ".f32",
            ".c",
            ".b",
            ".nil",
            ".by",
            ".l",
            ".le",
            ".ln",
            ".li",
            ".ls",
            ".m",
            ".mn",
            ".mi",
            ".ms",
            "9007199254740993",
            "-9223372036854775808",
            "1e21",
            "1e20",
            "1e-7",
            "12345.678",
            "0.1",
            "1e100",
            "-1.5",
            "0x1F600",
            "97",
            "-1",
            "0",
            "3",
            "12",
            "1e6",
            "100000.0",
            "nil",
            "\"x\"",
            "`a\\b`",
            "\"a`b\"",
            "true",
            "'x'",
            "1+2i",
            "0.000001234",
            "2.5",
            "1e300",
            "5e-324",
            "1.7976931348623157e308",
            "255",
            "-42",
            "1048576",
            "(index .s 1)",
            "65536.0",
            "\"\\u200b\\ufeff\\u00a0\"",
            "0.5",
            "99999.5",
            "0.00001",
            "(list 1 nil \"a\")",
            "(list)",
            "(int64 5)",
            "(dict \"k\" nil)",
        ])
        .to_owned()
}

/// A format string as a literal.
pub fn literal(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(3) {
        text.push_str(random.pick(&["", "", "a", " ", "é", ":", "%%", "%"]));
        directive(random, &mut text);
    }
    format!("\"{text}\"")
}

fn directive(random: &mut Random, text: &mut String) {
    text.push('%');
    for _ in 0..random.below(3) {
        text.push(random.pick(&['+', '-', '#', ' ', '0']));
    }
    if random.once_in(12) {
        text.push_str(random.pick(&["[1]", "[2]", "[3]", "[9]", "[", "[x]", "[]", "[0]", "[-1]"]));
    }
    if random.once_in(3) {
        text.push_str(random.pick(&["1", "5", "12", "3", "08", "*", "20", "[1]*", "-4"]));
    }
    if random.once_in(3) {
        text.push_str(random.pick(&[".", ".0", ".1", ".3", ".10", ".*", ".20", ".-1", ".[1]*"]));
    }
    if random.once_in(20) {
        text.push_str(random.pick(&["[1]", "[2]"]));
    }
    text.push_str(random.pick(&[
        "v", "v", "v", "d", "d", "s", "s", "q", "q", "x", "X", "t", "T", "b", "o", "O", "c", "U",
        "e", "E", "f", "F", "g", "G", "w", "z", "!", "é", "y", "%", "",
    ]));
}
