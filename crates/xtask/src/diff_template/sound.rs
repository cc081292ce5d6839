//! Random pipelines whose types fit, on data that is below `$`.

use super::expression::Scope;
use super::format;
use crate::random::Random;

/// Nested parentheses.
const DEEPEST: usize = 4;

/// Kinds of values.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Int,
    Float,
    Bool,
    List,
    Map,
    Any,
}

const ALL: &[Kind] = &[
    Kind::Text,
    Kind::Int,
    Kind::Float,
    Kind::Bool,
    Kind::List,
    Kind::Map,
];

/// A pipeline of any kind.
pub fn any(random: &mut Random, scope: &Scope, depth: usize) -> String {
    let text = of(random, scope, Kind::Any, depth);
    match random.below(8) {
        0 => format!("{text} | print"),
        1 => format!("{text} | printf {} 5", format::literal(random)),
        2 => format!("{text} | typeOf | html"),
        3 => format!("{text}|js | len"),
        4 => format!("{text} | list \"p\""),
        _ => text,
    }
}

/// What a range can go through.
pub fn range(random: &mut Random, scope: &Scope) -> String {
    match random.below(5) {
        0 => random.pick(&["3", "0", "1"]).to_owned(),
        1 | 2 => of(random, scope, Kind::Map, 2),
        _ => of(random, scope, Kind::List, 2),
    }
}

fn operand(random: &mut Random, scope: &Scope, kind: Kind, depth: usize) -> String {
    let text = of(random, scope, kind, depth + 1);
    let literal = text.starts_with(['"', '`', '\'']);
    match text.contains(' ') && !literal {
        true => format!("({text})"),
        false => text,
    }
}

fn of(random: &mut Random, scope: &Scope, kind: Kind, depth: usize) -> String {
    if depth >= DEEPEST || random.once_in(4) {
        return simple(random, scope, kind);
    }
    let arg = |random: &mut Random, kind: Kind| operand(random, scope, kind, depth);
    match kind {
        Kind::Any => {
            if random.once_in(4) {
                let (a, b) = (
                    operand(random, scope, Kind::Any, depth),
                    operand(random, scope, Kind::Any, depth),
                );
                return format!("{} {a} {b}", random.pick(&["and", "or"]));
            }
            let kind = random.pick(ALL);
            of(random, scope, kind, depth)
        }
        Kind::Text => {
            let (any, text) = (arg(random, Kind::Any), arg(random, Kind::Text));
            let format = format::literal(random);
            match random.below(9) {
                0 => format!("print {any} {text} {any}"),
                1 => format!("println {text} {any}"),
                2 => format!("printf {format} {any} {text}"),
                3 => format!("html {any}"),
                4 => format!("js {text}"),
                5 => format!("urlquery {any} {text}"),
                6 => format!("typeOf {any}"),
                7 => format!("slice {text} 0 0"),
                _ => format!("upper (html $.s)| print {any}"),
            }
        }
        Kind::Int => match random.below(4) {
            0 => format!("len {}", arg(random, Kind::Text)),
            1 => format!("len {}", arg(random, Kind::List)),
            2 => format!("len {}", arg(random, Kind::Map)),
            _ => format!("int {}", arg(random, Kind::Int)),
        },
        Kind::Float => format!("float {}", arg(random, Kind::Float)),
        Kind::Bool => {
            let same = [Kind::Text, Kind::Int, Kind::Float][random.below(3)];
            let (a, b) = (
                operand(random, scope, same, depth),
                operand(random, scope, same, depth),
            );
            let word = random.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
            match random.below(4) {
                0 => format!("not {}", operand(random, scope, Kind::Any, depth)),
                1 => format!("eq {a} {b} {b}"),
                _ => format!("{word} {a} {b}"),
            }
        }
        Kind::List => {
            let (any, text) = (arg(random, Kind::Any), arg(random, Kind::Text));
            match random.below(4) {
                0 => format!("list {any} {text} {any}"),
                1 => format!("slice (list {any} 1 {text}) 1 {}", 1 + random.below(3)),
                2 => format!("strings {text} \"s\""),
                _ => format!("index (list (list {any})) 0"),
            }
        }
        Kind::Map => {
            let any = arg(random, Kind::Any);
            match random.below(3) {
                0 => format!("dict \"k\" {any}"),
                1 => "index (dict \"m\" $.m.m) \"m\"".to_owned(),
                _ => format!("set (dict \"a\" {any}) \"b\" 2"),
            }
        }
    }
}

/// A constant, a field or a variable.
fn simple(random: &mut Random, scope: &Scope, kind: Kind) -> String {
    let choices: &[&str] = match kind {
        Kind::Text => &[
            "$.s", "$.e", "$.u", "$.q", "$.bad", "\"a\"", "`b c`", "\"\\n<\"", "$.m.m.s",
        ],
        Kind::Int => &["$.i", "$.z", "$.n", "1", "0x10", "-3", "'x'", "1_000"],
        Kind::Float => &["$.f", "$.fz", "$.fb", "1.5", "1e6", "-0.25", "2.0"],
        Kind::Bool => &["$.b", "$.no", "true", "false"],
        Kind::List => &["$.l", "$.le", "$.ln", "$.m.m.l"],
        Kind::Map => &["$.m", "$.me", "$.mn", "$.m.m", "$"],
        Kind::Any => {
            if scope.variables > 0 && random.once_in(2) {
                return format!("$v{}", random.below(scope.variables));
            }
            &[
                ".",
                "$.nil",
                "$.c",
                "$.by",
                "$.f32",
                "$.u8",
                "$.i64",
                "$.u64",
                "$.mi",
                "$.ms",
                "$.li",
                "$.ls",
                "$.s",
                "$.i",
                "$.missing",
                "$.m.i",
                "1i",
                "$.l",
                "$.m",
            ]
        }
    };
    random.pick(choices).to_owned()
}
