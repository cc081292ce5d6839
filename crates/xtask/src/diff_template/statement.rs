//! Random templates.

use super::expression::{Scope, pipeline};
use super::sound;
use crate::random::Random;

/// Nested blocks.
const DEEPEST: usize = 4;

/// A random text with a few definitions.
pub fn text(random: &mut Random) -> String {
    let mut text = String::new();
    let templates = random.below(3);
    let sound = !random.once_in(3);
    for at in 0..templates {
        let mut scope = Scope {
            sound,
            ..Scope::default()
        };
        let body = list(random, &mut scope, 1);
        text.push_str(&format!("{{{{define \"t{at}\"}}}}{body}{{{{end}}}}"));
    }
    let mut scope = Scope {
        sound,
        templates,
        ..Scope::default()
    };
    text.push_str(&list(random, &mut scope, 0));
    text
}

fn list(random: &mut Random, scope: &mut Scope, depth: usize) -> String {
    let count = random.below(4) + usize::from(depth == 0);
    (0..count)
        .map(|_| statement(random, scope, depth))
        .collect()
}

/// A block with variables of its own.
fn body(random: &mut Random, scope: &Scope, depth: usize, in_loop: bool) -> String {
    let mut inner = scope.clone();
    inner.in_loop |= in_loop;
    list(random, &mut inner, depth + 1)
}

fn open(random: &mut Random) -> &'static str {
    random.pick(&["{{", "{{", "{{", "{{- ", "{{ "])
}

fn close(random: &mut Random) -> &'static str {
    random.pick(&["}}", "}}", "}}", " -}}", " }}"])
}

fn action(random: &mut Random, inner: &str) -> String {
    format!("{}{inner}{}", open(random), close(random))
}

fn statement(random: &mut Random, scope: &mut Scope, depth: usize) -> String {
    let deep = depth >= DEEPEST;
    match random.below(if deep { 8 } else { 14 }) {
        0 | 1 => random
            .pick(&["text", " ", "\n", " a\n ", "é", "\t-", "{", "}", "-}}", ""])
            .to_owned(),
        2..=4 => {
            let pipe = pipeline(random, scope, 0);
            action(random, &pipe)
        }
        5 => declaration(random, scope),
        6 => match random.below(4) {
            0 => "{{/* comment */}}".to_owned(),
            1 => "{{- /* c */ -}}".to_owned(),
            2 if scope.in_loop => {
                let word = random.pick(&["break", "continue"]);
                action(random, word)
            }
            _ => String::new(),
        },
        7 => match scope.templates {
            0 => String::new(),
            templates => {
                let name = random.below(templates);
                let argument = match random.once_in(3) {
                    _ if scope.sound => "$".to_owned(),
                    true => String::new(),
                    false => pipeline(random, scope, 1),
                };
                action(random, &format!("template \"t{name}\" {argument}"))
            }
        },
        8 | 9 => branch(random, scope, depth, "if"),
        10 | 11 => branch(random, scope, depth, "with"),
        12 => range(random, scope, depth),
        _ if depth == 0 && random.once_in(3) => {
            let pipe = pipeline(random, scope, 1);
            let inner = list(random, &mut Scope::default(), depth + 1);
            format!(
                "{{{{block \"b{}\" {pipe}}}}}{inner}{{{{end}}}}",
                random.below(9)
            )
        }
        _ => range(random, scope, depth),
    }
}

fn declaration(random: &mut Random, scope: &mut Scope) -> String {
    let pipe = pipeline(random, scope, 1);
    if scope.variables > 0 && random.once_in(2) {
        let name = random.below(scope.variables);
        return action(random, &format!("$v{name} = {pipe}"));
    }
    let name = scope.variables.min(4);
    scope.variables = name + 1;
    action(random, &format!("$v{name} := {pipe}"))
}

fn branch(random: &mut Random, scope: &Scope, depth: usize, word: &str) -> String {
    let mut inner = scope.clone();
    let pipe = head(random, &mut inner);
    let mut text = action(random, &format!("{word} {pipe}"));
    text.push_str(&body(random, &inner, depth, false));
    for _ in 0..random.below(3) {
        if random.once_in(2) {
            let pipe = head(random, &mut inner);
            text.push_str(&action(random, &format!("else {word} {pipe}")));
        } else {
            text.push_str(&action(random, "else"));
            text.push_str(&body(random, &inner, depth, false));
            break;
        }
        text.push_str(&body(random, &inner, depth, false));
    }
    text.push_str(&action(random, "end"));
    text
}

/// A condition, sometimes with a variable that takes it.
fn head(random: &mut Random, scope: &mut Scope) -> String {
    let pipe = pipeline(random, scope, 0);
    if !random.once_in(4) {
        return pipe;
    }
    let name = scope.variables.min(4);
    scope.variables = name + 1;
    format!("$v{name} := {pipe}")
}

fn range(random: &mut Random, scope: &Scope, depth: usize) -> String {
    let mut inner = scope.clone();
    let over = match random.below(3) {
        _ if scope.sound => sound::range(random, scope),
        0 => pipeline(random, scope, 1),
        _ => random
            .pick(&[
                ".l", ".li", ".ls", ".m", ".mi", ".ms", "3", ".i", ".by", "$.l", "$.m", ".nil",
                ".le",
            ])
            .to_owned(),
    };
    // Two variables cannot count.
    let counts = scope.sound && over.chars().all(|c| c.is_ascii_digit());
    let declared = match random.below(if counts { 1 } else { 5 }) {
        0 => {
            let name = inner.variables.min(4);
            inner.variables = name + 1;
            format!("$v{name} := ")
        }
        1 | 2 => {
            let name = inner.variables.min(3);
            inner.variables = name + 2;
            format!("$v{name}, $v{} := ", name + 1)
        }
        3 if scope.variables > 1 => "$v0, $v1 = ".to_owned(),
        _ => String::new(),
    };
    let mut text = action(random, &format!("range {declared}{over}"));
    text.push_str(&body(random, &inner, depth, true));
    if random.once_in(3) {
        text.push_str(&action(random, "else"));
        text.push_str(&body(random, &inner, depth, false));
    }
    text.push_str(&action(random, "end"));
    text
}
