//! Which parts of a text are secret. Read from the lines, not from a parse, so
//! that it also works for texts that do not parse and for manifests inside
//! block scalars. When in doubt more is masked, never less.

use std::collections::BTreeMap;

/// Where the secret part of each line starts: line (from 0) to byte column.
#[derive(Debug, Default)]
pub(crate) struct Mask(BTreeMap<usize, usize>);

/// What stands in place of a secret.
pub(crate) const STARS: &str = "********";

impl Mask {
    /// The mask of the text of a file.
    pub fn of(name: &str, text: &str) -> Mask {
        let mut mask = Mask::default();
        if !is_manifest(name) {
            // An environment or properties file: a generator may read it.
            for (number, line) in text.lines().enumerate() {
                mask.behind_sign(number, line, 0);
            }
            return mask;
        }
        if !["Secret", "secretGenerator", "sops", "ENC["]
            .iter()
            .any(|word| text.contains(word))
        {
            return mask;
        }
        let lines: Vec<Line<'_>> = text.lines().map(Line::read).collect();
        for (at, line) in lines.iter().enumerate() {
            match line.key {
                "kind" if line.plain_value() == "Secret" => mask.secret(&lines, at),
                "secretGenerator" => mask.generator(&lines, at),
                "sops" => mask.below(&lines, at),
                "path" if is_secret_pointer(line.plain_value()) => mask.patch_value(&lines, at),
                _ => {}
            }
            mask.inline(at, line);
        }
        mask
    }

    /// A line (from 0) with its secret part replaced, and the byte column the
    /// replacement starts at.
    pub fn apply(&self, number: usize, line: &str) -> (String, Option<usize>) {
        match self.0.get(&number) {
            Some(column) if *column < line.len() => {
                let shown = line.get(..*column).unwrap_or_default();
                (format!("{shown}{STARS}"), Some(*column))
            }
            _ => (line.into(), None),
        }
    }

    fn hide(&mut self, number: usize, column: usize) {
        let start = self.0.entry(number).or_insert(column);
        *start = column.min(*start);
    }

    /// `NAME=value`: hides behind the sign, or all of the text when there is
    /// none.
    fn behind_sign(&mut self, number: usize, line: &str, text_start: usize) {
        let text = line.get(text_start..).unwrap_or_default();
        match text.find('=') {
            Some(sign) => self.hide(number, text_start + sign + 1),
            None if !text.trim().is_empty() && !text.trim_start().starts_with('#') => {
                self.hide(number, text_start);
            }
            None => {}
        }
    }

    /// Hides the data of the Secret whose `kind` stands at line `at`.
    fn secret(&mut self, lines: &[Line<'_>], at: usize) {
        for number in siblings(lines, at, &["data", "stringData"]) {
            self.below(lines, number);
        }
    }

    /// Hides the value of the key at line `at`: behind it and in the deeper
    /// lines below it.
    fn below(&mut self, lines: &[Line<'_>], at: usize) {
        let Some(top) = lines.get(at) else { return };
        if !top.value().is_empty() {
            self.hide(at, top.value_start);
        }
        for (number, line) in lines.iter().enumerate().skip(at + 1) {
            if line.is_blank() {
                continue;
            }
            let child = line.indent > top.indent && line.dash_indent >= top.indent;
            if !child || line.is_separator() {
                break;
            }
            // Text without a key belongs to a scalar that started above.
            let start = if line.key.is_empty() {
                line.indent
            } else {
                line.value_start
            };
            if !line.raw.get(start..).unwrap_or_default().trim().is_empty() {
                self.hide(number, start);
            }
        }
    }

    /// Hides the values of the literals of a secretGenerator.
    fn generator(&mut self, lines: &[Line<'_>], at: usize) {
        let Some(top) = lines.get(at) else { return };
        for (number, line) in lines.iter().enumerate().skip(at + 1) {
            if line.is_blank() {
                continue;
            }
            if line.indent <= top.indent || line.is_separator() {
                break;
            }
            if line.key.is_empty() || line.raw.contains('=') {
                self.behind_sign(number, line.raw, line.indent);
            }
        }
    }

    /// Hides the value of a JSON patch into the data of a Secret.
    fn patch_value(&mut self, lines: &[Line<'_>], at: usize) {
        for number in siblings(lines, at, &["value"]) {
            self.below(lines, number);
        }
    }

    /// Hides what one line alone shows to be secret.
    fn inline(&mut self, number: usize, line: &Line<'_>) {
        if let Some(start) = line.raw.find("ENC[") {
            self.hide(number, start);
        }
        // Flow style: {kind: Secret, data: {…}}.
        if line.raw.contains("Secret") && line.raw.contains("kind") {
            let data = ["stringData", "data"].iter();
            let start = data
                .filter_map(|key| Some(line.raw.find(key)? + key.len()))
                .min();
            if let Some(start) = start {
                self.hide(number, start);
            }
        }
    }
}

fn is_manifest(name: &str) -> bool {
    let extension = name.rsplit('.').next().unwrap_or_default();
    matches!(extension, "yaml" | "yml" | "json" | "tpl") || name.ends_with("Kustomization")
}

fn is_secret_pointer(pointer: &str) -> bool {
    pointer.starts_with("/data") || pointer.starts_with("/stringData")
}

/// The lines with these keys in the mapping that line `at` is a key of.
fn siblings(lines: &[Line<'_>], at: usize, keys: &[&str]) -> Vec<usize> {
    let (above, rest) = lines.split_at(at.min(lines.len()));
    let Some((own, below)) = rest.split_first() else {
        return Vec::new();
    };
    let ends =
        |line: &Line<'_>| !line.is_blank() && (line.indent < own.indent || line.is_separator());
    let starts = |line: &Line<'_>| line.dash_indent < line.indent && line.indent == own.indent;
    let wanted = |line: &Line<'_>| line.indent == own.indent && keys.contains(&line.key);
    let mut found = Vec::new();
    if !starts(own) {
        for (number, line) in above
            .iter()
            .enumerate()
            .rev()
            .take_while(|(_, line)| !ends(line))
        {
            if wanted(line) {
                found.push(number);
            }
            if starts(line) {
                break;
            }
        }
    }
    let below = below.iter().enumerate();
    let below = below.take_while(|(_, line)| !ends(line) && !starts(line));
    found.extend(
        below
            .filter(|(_, line)| wanted(line))
            .map(|(offset, _)| at + 1 + offset),
    );
    found
}

/// A line as YAML in block style reads it.
struct Line<'a> {
    raw: &'a str,
    /// Where text starts, behind spaces and the dashes of list items.
    indent: usize,
    /// Where the first dash stands, or else the text.
    dash_indent: usize,
    /// The key without quotes; empty when there is none.
    key: &'a str,
    /// Where the value starts.
    value_start: usize,
}

impl<'a> Line<'a> {
    fn read(raw: &'a str) -> Self {
        let dash_indent = raw.len() - raw.trim_start().len();
        let mut indent = dash_indent;
        while let Some(rest) = raw.get(indent..).and_then(|text| text.strip_prefix("- ")) {
            indent = raw.len() - rest.trim_start().len();
        }
        let text = raw.get(indent..).unwrap_or_default();
        let colon = text.find(": ").or_else(|| {
            let trimmed = text.trim_end();
            trimmed.ends_with(':').then(|| trimmed.len() - 1)
        });
        let (key, value_start) = match colon {
            Some(colon) => {
                let behind = text.get(colon + 1..).unwrap_or_default();
                let blank = behind.len() - behind.trim_start().len();
                (
                    text.get(..colon).unwrap_or_default(),
                    indent + colon + 1 + blank,
                )
            }
            None => ("", raw.len()),
        };
        Line {
            raw,
            indent,
            dash_indent,
            key: unquote(key),
            value_start,
        }
    }

    fn value(&self) -> &'a str {
        self.raw
            .get(self.value_start..)
            .unwrap_or_default()
            .trim_end()
    }

    fn plain_value(&self) -> &'a str {
        let value = self.value().trim_end_matches(',');
        let value = value.split(" #").next().unwrap_or_default();
        unquote(value.trim())
    }

    fn is_blank(&self) -> bool {
        self.raw.trim().is_empty() || self.raw.trim_start().starts_with('#')
    }

    fn is_separator(&self) -> bool {
        self.raw.trim() == "---"
    }
}

fn unquote(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(name: &str, text: &str) -> String {
        let mask = Mask::of(name, text);
        let lines = text.lines().enumerate();
        let lines: Vec<_> = lines.map(|(n, line)| mask.apply(n, line).0).collect();
        lines.join("\n")
    }

    #[test]
    fn the_data_of_secrets_is_hidden() {
        let text = "kind: ConfigMap\ndata:\n  a: b\n---\nstringData:\n  user: me\n  key: |\n    line one\n    x: y\nkind: Secret\nmetadata:\n  name: s";
        let expected = "kind: ConfigMap\ndata:\n  a: b\n---\nstringData:\n  user: ********\n  key: ********\n    ********\n    x: ********\nkind: Secret\nmetadata:\n  name: s";
        assert_eq!(masked("a.yaml", text), expected);
    }

    #[test]
    fn patches_inside_block_scalars_count() {
        let text = "patches:\n  - patch: |\n      kind: Secret\n      stringData:\n        token: abc\n    target:\n      name: s";
        assert!(masked("kustomization.yaml", text).contains("token: ********"));
        assert!(masked("kustomization.yaml", text).contains("      name: s"));
        let json = "- op: add\n  path: /stringData/token\n  value: abc # Secret";
        assert!(masked("p.yaml", json).contains("value: ********"));
    }

    #[test]
    fn generators_environment_files_and_sops_are_hidden() {
        let text = "secretGenerator:\n- name: a\n  literals:\n  - token=abc\nconfigMapGenerator:\n- name: b";
        let shown = masked("kustomization.yaml", text);
        assert!(shown.contains("- token=********"), "{shown}");
        assert!(shown.contains("- name: b"));
        assert_eq!(masked("app.env", "# c\nTOKEN=abc"), "# c\nTOKEN=********");
        let sops = "password: ENC[AES256_GCM,data:x]\nsops:\n  mac: abc";
        assert_eq!(
            masked("s.yaml", sops),
            "password: ********\nsops:\n  mac: ********"
        );
    }

    #[test]
    fn flow_style_and_json_are_hidden() {
        let json = "{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"a\": \"b\"\n  }\n}";
        assert!(masked("a.json", json).contains("\"a\": ********"));
        let flow = "{kind: Secret, data: {a: b}}";
        assert_eq!(masked("a.yaml", flow), "{kind: Secret, data********");
    }
}
