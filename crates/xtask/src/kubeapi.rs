//! `cargo xtask kubeapi DIR…`: the kinds Kubernetes serves itself, read from
//! the Go modules that define them.
//!
//! Each `DIR` is an unpacked module (`k8s.io/api`, `k8s.io/apiextensions-apiserver`,
//! `k8s.io/kube-aggregator`); of a kind that several hold, the first counts. A
//! kind is a type marked for client generation; its group and version come from
//! the package's registration, its life from the generated lifecycle functions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Group, version, kind.
type Key = (String, String, String);

#[derive(Default)]
struct Row {
    cluster: bool,
    introduced: String,
    deprecated: String,
    removed: String,
    replacement: String,
}

/// The table's text for these module directories.
pub fn table(modules: &[PathBuf]) -> Result<String, String> {
    let mut rows: BTreeMap<Key, Row> = BTreeMap::new();
    for module in modules {
        for package in packages(module)? {
            for (key, row) in kinds(&package)? {
                rows.entry(key).or_insert(row);
            }
        }
    }
    if rows.is_empty() {
        return Err("no API types below the given directories".to_owned());
    }
    Ok(print(&rows))
}

fn print(rows: &BTreeMap<Key, Row>) -> String {
    let mut text =
        String::from("group\tversion\tkind\tscope\tintroduced\tdeprecated\tremoved\treplacement\n");
    for ((group, version, kind), row) in rows {
        let scope = if row.cluster { "C" } else { "N" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{group}\t{version}\t{kind}\t{scope}\t{}\t{}\t{}\t{}",
            row.introduced, row.deprecated, row.removed, row.replacement
        );
    }
    text
}

/// Every directory with a `register.go` and a `types.go`.
fn packages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut queue = vec![root.to_path_buf()];
    while let Some(dir) = queue.pop() {
        if dir.join("register.go").is_file() && dir.join("types.go").is_file() {
            found.push(dir.clone());
        }
        let entries = fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let skipped = path.file_name().is_some_and(|n| n == "testdata");
            if path.is_dir() && !skipped {
                queue.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn kinds(package: &Path) -> Result<Vec<(Key, Row)>, String> {
    let read = |name: &str| {
        fs::read_to_string(package.join(name))
            .map_err(|e| format!("{}: {e}", package.join(name).display()))
    };
    let version = package
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    // Internal packages (`apiextensions`) hold unversioned types.
    if !version.starts_with('v') || !version[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(Vec::new());
    }
    let Some(group) = group_name(&read("register.go")?) else {
        return Ok(Vec::new());
    };
    let lives = read("zz_generated.prerelease-lifecycle.go")
        .map(|text| lifecycles(&text))
        .unwrap_or_default();
    Ok(marked_types(&read("types.go")?)
        .into_iter()
        .map(|(kind, cluster)| {
            let life = lives.get(&kind);
            let part = |name: &str| life.and_then(|l| l.get(name)).cloned().unwrap_or_default();
            let row = Row {
                cluster,
                introduced: part("Introduced"),
                deprecated: part("Deprecated"),
                removed: part("Removed"),
                replacement: part("Replacement"),
            };
            ((group.clone(), version.clone(), kind), row)
        })
        .collect())
}

fn group_name(register: &str) -> Option<String> {
    let line = register.lines().find(|line| {
        line.trim_start_matches("const ")
            .trim()
            .starts_with("GroupName")
    })?;
    Some(line.split('"').nth(1)?.to_owned())
}

/// Types marked `+genclient`, with whether they are cluster-scoped.
fn marked_types(types: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let (mut marked, mut cluster) = (false, false);
    for line in types.lines() {
        let line = line.trim();
        match line.strip_prefix("//").map(str::trim) {
            Some("+genclient") => marked = true,
            Some("+genclient:nonNamespaced") => cluster = true,
            _ => {}
        }
        if let Some(rest) = line.strip_prefix("type ") {
            let name = rest.split_whitespace().next().unwrap_or_default();
            if marked && rest.ends_with("struct {") {
                found.push((name.to_owned(), cluster));
            }
            (marked, cluster) = (false, false);
        }
    }
    found
}

/// For each type, what each generated lifecycle function returns: a release
/// `1.25`, or a replacement `group/version/Kind`.
fn lifecycles(text: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut lives: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("func (in *") {
            current = rest.split_once(") APILifecycle").and_then(|(kind, rest)| {
                Some((kind.to_owned(), rest.split_once('(')?.0.to_owned()))
            });
        } else if let (Some((kind, what)), Some(value)) =
            (&current, line.trim().strip_prefix("return "))
        {
            let value = match what.as_str() {
                "Replacement" => quoted(value).join("/"),
                _ => value.replace(", ", "."),
            };
            lives
                .entry(kind.clone())
                .or_default()
                .insert(what.clone(), value);
        }
    }
    lives
}

fn quoted(text: &str) -> Vec<&str> {
    text.split('"').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marked_type_is_a_kind_and_its_list_is_not() {
        let types = "// +genclient\n// +genclient:nonNamespaced\n\n// A is one.\ntype A struct {\n}\n\ntype AList struct {\n}\n";
        assert_eq!(marked_types(types), [("A".to_owned(), true)]);
    }

    #[test]
    fn lifecycle_functions_are_read() {
        let text = "func (in *A) APILifecycleRemoved() (major, minor int) {\n\treturn 1, 25\n}\nfunc (in *A) APILifecycleReplacement() schema.GroupVersionKind {\n\treturn schema.GroupVersionKind{Group: \"g\", Version: \"v1\", Kind: \"A\"}\n}\n";
        let lives = lifecycles(text);
        assert_eq!(lives["A"]["Removed"], "1.25");
        assert_eq!(lives["A"]["Replacement"], "g/v1/A");
    }
}
