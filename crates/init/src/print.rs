//! A draft as text.

use std::fmt::Write;

use ecow::EcoString;

use crate::draft::{Draft, Need, Substitution};

/// What one component does, what several do, and with what.
type Verb = (&'static str, &'static str, &'static str);

/// A variable nobody reads. A source that lists none may hold any, so that what
/// is needed of it would not show.
const PROBE: &str = "fluxlint_probe";

const HEAD: &str = "\
# What fluxlint cannot read from the files of this repository.
# Every key is optional; an unknown one is an error. `fluxlint config schema`
# prints a JSON Schema for editors.

";

const ENTRYPOINTS: &str = "\
# The directories clusters start from: what `flux bootstrap` was given as --path.
entrypoints:
";

const EXTERNALS: &str = "\
# What is there before Flux applies anything although no file here makes it.
# fluxlint takes every entry on trust. Keep what a person, a script or a provider
# makes; remove what Git should make, and the finding comes back.
externals:
";

const NO_EXTERNALS: &str = "\
# Nothing was found missing that people make outside Git. What there is later goes
# here: namespaces, crdGroups, secrets, substitutions, runtimeCRDs.
# externals: {}
";

const VALUES: &str = "      \
# With a value, `NAME: value`, what the variable goes into is checked as well.
";

/// The configuration.
pub(crate) fn text(draft: &Draft) -> String {
    let mut out = String::from(HEAD);
    out.push_str(ENTRYPOINTS);
    for entrypoint in &draft.entrypoints {
        let path = if entrypoint.is_empty() {
            "."
        } else {
            entrypoint
        };
        let _ = writeln!(out, "  - {}", scalar(path));
    }
    out.push('\n');
    externals(&mut out, draft, None);
    out
}

/// The configuration that shows which variables are needed of the sources.
pub(crate) fn probe(draft: &Draft) -> String {
    let mut out = String::new();
    externals(&mut out, draft, Some(PROBE));
    out
}

fn externals(out: &mut String, draft: &Draft, probe: Option<&str>) {
    if draft.len() == 0 {
        return out.push_str(NO_EXTERNALS);
    }
    out.push_str(EXTERNALS);
    names(
        out,
        "namespaces",
        ("lives", "live", "there"),
        draft.namespaces.iter(),
    );
    names(
        out,
        "crdGroups",
        ("has", "have", "objects of it"),
        draft.crd_groups.iter(),
    );
    if !draft.secrets.is_empty() {
        out.push_str("  secrets:\n");
    }
    for ((namespace, name), need) in &draft.secrets {
        comment(out, ("reads", "read", "it"), need);
        let _ = writeln!(out, "    - namespace: {}", scalar(namespace));
        let _ = writeln!(out, "      name: {}", scalar(name));
    }
    if !draft.substitutions.is_empty() {
        out.push_str("  substitutions:\n");
    }
    for ((kind, namespace, name), substitution) in &draft.substitutions {
        comment(
            out,
            ("reads", "read", "variables from it"),
            &substitution.need,
        );
        let _ = writeln!(out, "    - kind: {}", scalar(kind));
        let _ = writeln!(out, "      namespace: {}", scalar(namespace));
        let _ = writeln!(out, "      name: {}", scalar(name));
        variables(out, kind, substitution, probe);
    }
}

fn names<'a>(
    out: &mut String,
    key: &str,
    verb: Verb,
    entries: impl ExactSizeIterator<Item = (&'a EcoString, &'a Need)>,
) {
    if entries.len() > 0 {
        let _ = writeln!(out, "  {key}:");
    }
    for (name, need) in entries {
        comment(out, verb, need);
        let _ = writeln!(out, "    - {}", scalar(name));
    }
}

fn variables(out: &mut String, kind: &str, substitution: &Substitution, probe: Option<&str>) {
    let names = substitution.variables.iter().map(EcoString::as_str);
    let names: Vec<&str> = names.chain(probe).collect();
    if names.is_empty() {
        return;
    }
    if kind == "ConfigMap" {
        out.push_str(VALUES);
    }
    out.push_str("      variables:\n");
    for name in names {
        let _ = writeln!(out, "        {}:", scalar(name));
    }
}

/// Who needs the entry below it, and where.
fn comment(out: &mut String, (one, several, what): Verb, need: &Need) {
    let first = need.components.first().map(|first| clean(first));
    let mut who = first.unwrap_or_default();
    if let Some(at) = &need.place {
        let _ = write!(who, " ({}:{})", clean(&at.file), at.line);
    }
    match need.components.len().saturating_sub(1) {
        0 => {}
        1 => who.push_str(" and 1 other"),
        more => {
            let _ = write!(who, " and {more} others");
        }
    }
    let verb = if need.components.len() == 1 {
        one
    } else {
        several
    };
    let _ = writeln!(out, "    # {who} {verb} {what}");
}

/// A name as a YAML scalar that reads back as text.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if is_plain || text == "." {
        return text.to_owned();
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Plain words that YAML reads as something else.
const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];

/// Text of the repository, fit for a comment.
fn clean(text: &str) -> String {
    text.replace(
        |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'),
        "?",
    )
}
