//! Random scalars, with a liking for what readers and writers treat apart.

use crate::random::Random;

/// Texts that some reader takes for something else than a string.
#[rustfmt::skip]
const ODD: &[&str] = &[
    "", "~", "null", "Null", "NULL", "nULL", "y", "Y", "n", "N", "yes", "Yes", "YES", "no", "No", "on", "On",
    "ON", "off", "Off", "true", "True", "TRUE", "tRUE", "false", "False", "FALSE", "0", "-0", "+0", "1", "-1",
    "+1", "00", "007", "08", "0o17", "0O17", "-0o17", "0x1F", "0X1f", "-0x1f", "0x", "0b101", "-0b1", "0b",
    "0b2", "1_000", "_1", "1_", "0_7", "0x_f", "1e3", "1E3", "1e+3", "1e-3", "1e", "e3", "1.", ".1", ".",
    "..", "-.5", "+.5", "1.0", "1.5", "1_0.5", "1.e3", "12e03", "-1e400", "1e400", "1e21", "1e20",
    "123456789.0", "0.1", "1e-7", "0.000001", "3.0e8", "6.02e23", "9007199254740993", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "100000000000000000000000", "0xffffffffffffffff", "0x10000000000000000",
    "0777777777777777777777", "01777777777777777777777", ".inf", ".Inf", ".INF", "+.inf", "-.inf", ".nan",
    ".NaN", ".NAN", "inf", "nan", "NaN", "Infinity", "1:30", "1:30:45", "190:20:30", "-1:30", "1:60", "1:2.5",
    "2001-01-01", "2001-1-1", "2001-13-01", "2001-01-01T00:00:00Z", "2001-01-01t00:00:00z",
    "2001-12-14 21:59:43.10 -5", "2001-12-14T21:59:43.10-05:00", "2001-01-01 00:00:00", "2001-01-01T1:2:3Z",
    "12-12-12", "1-1", "<<", "=", "-", "--", "---", "--- a", "...", "?", "? a", ":", ": a", "- a", "-a", "?a",
    ":a", "a:", "a: b", "a:b", "a #b", "a# b", "#a", "# a", "a,b", "a, b", "[", "]", "{", "}", "[]", "{}",
    "[a]", "{a: b}", "a]", "a}", "@a", "`a", "%a", "%YAML 1.1", "!a", "!", "!!str a", "&a", "&a b", "*a", "|",
    ">", "| a", ">-", "'", "\"", "''", "\"\"", "'a'", "\"a\"", "a'b", "a\"b", "\\", "\\n", "a\\", "/", "a/b",
    "$a", "${a}", "a=b", "=a", "a|b", "a>b", "a&b", "a*b", "a!b", "a%b", "a@b", "a`b", "a?b", "a? b", "a?",
    "a-", "a -b", "a - b", "é", "ü b", "日本", "\u{1f600}", "\u{feff}", "\u{feff}a", "a\u{feff}", "\u{85}",
    "a\u{85}b", "\u{2028}", "a\u{2028}b", "\u{2029}", "\u{a0}", "a\u{a0}", "\u{7f}", "\u{1}", "\u{0}",
    "\u{1b}[0m", "\u{fffd}", "\u{ffff}", "\u{fffe}", "\u{e000}", "\u{10ffff}", "\u{200b}", "\t", "a\tb",
    "\ta", "a\t", " ", "  ", " a", "a ", "a  b", "\n", "\n\n", "a\n", "\na", "a\nb", "a\nb\n", "a\n\nb",
    "a\n\n", "a\n b", " a\nb", "\n a", "\n\n a\n", "a \nb", "a\n \nb", "a\n\t\nb", "#a\nb", "a\n#b",
    "- a\n- b\n", "a: b\nc: d\n", "a\r\nb", "\r", "a\rb", "a\r", "---\na", "a\n---\nb", "...\n", "0\n",
    "true\n", "1Gi", "100m", "0.5", "1.2.3", "v1.2", "1.2.3.4", "10.0.0.0/8", "::1", "fe80::1",
    "12:34:56:78:9a:bc", "http://a.b/c?d=e&f#g", "a.b.c/d", "*/5 * * * *", "0 0 * * *", "@daily",
    "-----BEGIN A-----\nb\n-----END A-----\n", "{{ a }}", "{{ a }} b", "$(A)", "a$$b", "%(a)s", "a\u{301}",
    "ÿ",
];

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "a", "b", "ab", "word", "x1", "0", "1", "7", "9", "12", "é", "\u{1f600}", "日", " ", " ", " ", "  ", "\n",
    "\n", "\t", ":", ": ", "#", " #", "-", "- ", "?", "? ", ",", ", ", "[", "]", "{", "}", "&", "*", "!", "|",
    ">", "'", "\"", "%", "@", "`", "\\", "/", ".", "_", "+", "e", "=", "~", "$", "(", ")", ";", "<", "^",
    "true", "null", "\u{85}", "\u{2028}", "\u{a0}", "\u{feff}", "\r", "\u{7}", "\u{0}",
];

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "a", "I", "of", "configuration",
    "kubernetes", "https://example.org/a/long/path", "x:", "#1", "-", "'quoted'", "\"double\"",
    "averyveryverylongwordwithoutanyspace",
];

/// A scalar's value.
pub fn value(random: &mut Random) -> String {
    match random.below(10) {
        0..=3 => (random.pick(ODD)).to_owned(),
        4 => format!("{}{}", random.pick(ODD), random.pick(ODD)),
        5 => long(random),
        6 => number(random),
        7 => (random.pick(&["a", "b", "name", "value", "x-y", "a.b/c"])).to_owned(),
        _ => (0..random.below(8)).map(|_| random.pick(PIECES)).collect(),
    }
}

/// Text that a writer may fold.
fn long(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(40) {
        text.push_str(random.pick(WORDS));
        text.push_str(match random.below(30) {
            0 => "\n",
            1 => "  ",
            2 => "\n\n",
            3 => " \n",
            4 => "\n ",
            5 => "\t",
            _ => " ",
        });
    }
    if random.once_in(2) {
        text.truncate(text.trim_end().len());
    }
    text
}

/// Something near a number.
fn number(random: &mut Random) -> String {
    const DIGITS: &[u8] = b"0123456789abcdefx_.+-eEoOb:";
    let length = 1 + random.below(12);
    let pick = |random: &mut Random| {
        let few = if random.once_in(4) { DIGITS.len() } else { 10 };
        char::from(DIGITS[random.below(few)])
    };
    (0..length).map(|_| pick(random)).collect()
}
