//! Random pipelines.

use super::{format, sound};
use crate::random::Random;

/// What a place in a template knows.
#[derive(Clone, Default)]
pub struct Scope {
    /// Variables `$v0`, `$v1`, ….
    pub variables: usize,
    /// Templates `t0`, `t1`, ….
    pub templates: usize,
    /// Inside a range.
    pub in_loop: bool,
    /// Types must fit.
    pub sound: bool,
}

/// Nested parentheses.
const DEEPEST: usize = 3;

const FIELDS: &[&str] = &[
    "s", "e", "u", "q", "bad", "i", "z", "n", "i64", "u8", "u64", "f", "fz", "fb", "f32", "c", "b",
    "no", "nil", "by", "l", "le", "ln", "li", "ls", "m", "me", "mn", "mi", "ms", "missing", "a",
    "one", "x", "k",
];

/// A random pipeline.
pub fn pipeline(random: &mut Random, scope: &Scope, depth: usize) -> String {
    if scope.sound {
        return sound::any(random, scope, depth);
    }
    let mut text = command(random, scope, depth);
    while random.once_in(4) {
        let bar = random.pick(&[" | ", "|", " |"]);
        text.push_str(bar);
        text.push_str(&stage(random, scope, depth));
    }
    text
}

fn command(random: &mut Random, scope: &Scope, depth: usize) -> String {
    match random.below(6) {
        0..=2 => operand(random, scope, depth),
        _ => call(random, scope, depth, false),
    }
}

/// A command that the value of another is passed to.
fn stage(random: &mut Random, scope: &Scope, depth: usize) -> String {
    match random.once_in(12) {
        true => operand(random, scope, depth),
        false => call(random, scope, depth, true),
    }
}

/// Names of functions and how many arguments they mostly take.
const FUNCTIONS: &[(&str, usize)] = &[
    ("and", 2),
    ("or", 2),
    ("not", 1),
    ("index", 2),
    ("index", 3),
    ("slice", 2),
    ("slice", 3),
    ("len", 1),
    ("print", 2),
    ("println", 2),
    ("html", 1),
    ("js", 1),
    ("urlquery", 1),
    ("eq", 2),
    ("eq", 3),
    ("ne", 2),
    ("lt", 2),
    ("le", 2),
    ("gt", 2),
    ("ge", 2),
    ("typeOf", 1),
    ("same", 1),
    ("int", 1),
    ("int64", 1),
    ("uint8", 1),
    ("float", 1),
    ("bool", 1),
    ("text", 1),
    ("upper", 1),
    ("contains", 2),
    ("list", 3),
    ("strings", 2),
    ("ints", 2),
    ("first", 1),
    ("join", 2),
    ("get", 2),
    ("dict", 2),
    ("count", 3),
    ("fail", 1),
    ("null", 0),
    ("call", 1),
    ("printf", 2),
    ("printf", 3),
    ("set", 3),
];

fn call(random: &mut Random, scope: &Scope, depth: usize, piped: bool) -> String {
    let (name, count) = random.pick(FUNCTIONS);
    let mut count = count.saturating_sub(usize::from(piped));
    if random.once_in(10) {
        count = random.below(4);
    }
    let mut text = name.to_owned();
    for at in 0..count {
        text.push(' ');
        let argument = match (name, at) {
            ("printf", 0) => format::literal(random),
            // A map must not get to hold itself.
            ("set", 2) => constant(random),
            ("set", 0) => random
                .pick(&[".m", ".me", "$.m", ".mn", "(dict \"a\" 1)"])
                .to_owned(),
            ("get", 0) => random.pick(&[".m", ".me", "$.m", ".mn", ".ms"]).to_owned(),
            _ => operand(random, scope, depth),
        };
        text.push_str(&argument);
    }
    text
}

/// A random operand.
pub fn operand(random: &mut Random, scope: &Scope, depth: usize) -> String {
    match random.below(12) {
        0 => ".".to_owned(),
        1..=4 => {
            let root = random.pick(&["", "", "", "$"]);
            fields(random, root)
        }
        5 if scope.variables > 0 => {
            let name = format!("$v{}", random.below(scope.variables));
            match random.once_in(3) {
                true => fields(random, &name),
                false => name,
            }
        }
        6 | 7 if depth < DEEPEST => {
            let inner = pipeline(random, scope, depth + 1);
            let text = format!("({inner})");
            match random.once_in(4) {
                true => fields(random, &text),
                false => text,
            }
        }
        8 if random.once_in(3) => "$".to_owned(),
        _ => constant(random),
    }
}

fn fields(random: &mut Random, base: &str) -> String {
    let mut text = base.to_owned();
    for _ in 0..=usize::from(random.once_in(3)) + usize::from(random.once_in(6)) {
        text.push('.');
        text.push_str(random.pick(FIELDS));
    }
    text
}

/// A random constant.
pub fn constant(random: &mut Random) -> String {
    random
        .pick(&[
            "0",
            "1",
            "2",
            "3",
            "-1",
            "7",
            "0x1F",
            "0b11",
            "0o7",
            "07",
            "1_0",
            "1.5",
            "1e3",
            "-0",
            "0.0",
            ".5",
            "1.",
            "'a'",
            "'\\n'",
            "'é'",
            "1i",
            "1+2i",
            "true",
            "false",
            "nil",
            "\"a\"",
            "\"\"",
            "\"s\"",
            "\"one\"",
            "\"two\"",
            "`raw`",
            "`a\nb`",
            "\"\\u00e9\\x41\"",
            "\"k\"",
            "\"%d\"",
            "\"<a&b>\"",
            "1e-7",
            "123456789.0",
            "0x1p4",
            "08",
            "1__0",
            "3k",
            "0x",
            "\"\\q\"",
            "''",
            "'ab'",
            "+3",
            "\"m\"",
            "\"x\"",
            "2.0",
            "5",
            "\"two\"",
        ])
        .to_owned()
}
