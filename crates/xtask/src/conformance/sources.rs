//! Settings of rows that the vectors lack: read from upstream's own test files,
//! which stand in the Go module cache beside the pinned libraries.

use std::collections::BTreeMap;
use std::process::Command;

use regex::Regex;

/// Text fields of the test cases of a file, by `Test/case` and field.
pub type Cases = BTreeMap<String, BTreeMap<String, String>>;

/// The cases of a test file of the pinned kustomize libraries; none where the
/// module cache does not hold it.
pub fn cases(file: &str) -> Cases {
    let read = || {
        let output = Command::new("go")
            .args(["env", "GOMODCACHE"])
            .output()
            .ok()?;
        let cache = String::from_utf8(output.stdout).ok()?;
        let path = format!("{}/sigs.k8s.io/kustomize/{file}", cache.trim());
        parse(&std::fs::read_to_string(path).ok()?)
    };
    read().unwrap_or_default()
}

fn parse(source: &str) -> Option<Cases> {
    let test = Regex::new(r"^func (Test\w+)\(").ok()?;
    let case = Regex::new(r#"^\t\t"([^"]+)": \{$"#).ok()?;
    let field = Regex::new(r"^\t\t\t(\w+): *(?:yaml\.MustParse\()?(`[^`]*`|`[^`]*$|.*)").ok()?;
    let mut cases = Cases::new();
    let (mut name, mut current) = (String::new(), String::new());
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if let Some(found) = test.captures(line) {
            name = found[1].to_owned();
        } else if let Some(found) = case.captures(line) {
            current = format!("{name}/{}", &found[1]);
        } else if let Some(found) = field.captures(line) {
            let value = literal(&found[2], &mut lines);
            let fields = cases.entry(current.clone()).or_default();
            fields.insert(found[1].to_owned(), value);
        }
    }
    Some(cases)
}

/// The text of a literal that begins on a line, up to the backquote that ends it.
fn literal<'s>(begin: &str, lines: &mut impl Iterator<Item = &'s str>) -> String {
    let Some(raw) = begin.strip_prefix('`') else {
        let quoted = begin.trim_end_matches(',').trim_matches('"');
        return quoted.replace("\\\"", "\"");
    };
    if let Some((text, _)) = raw.split_once('`') {
        return text.to_owned();
    }
    let mut text = format!("{raw}\n");
    for line in lines {
        match line.split_once('`') {
            Some((last, _)) => return text + last,
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn texts_of_cases_are_found() {
        let source = "func TestOne(t *testing.T) {\n\t\t\"a b\": {\n\t\t\tinput: `x\ny\n`,\n\t\t\tpatch: yaml.MustParse(`p`),\n\t\t\texpectedErr: \"no\",\n\t\t},\n";
        let cases = parse(source).unwrap();
        let case = &cases["TestOne/a b"];
        assert_eq!(case["input"], "x\ny\n");
        assert_eq!(case["patch"], "p");
        assert_eq!(case["expectedErr"], "no");
    }
}
