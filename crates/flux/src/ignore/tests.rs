use vfs::{Memory, Tree};

use super::*;

fn tree(files: &[(&str, &str)]) -> Tree {
    Tree::new(Memory::new(files.iter().map(|(p, t)| (*p, t.as_bytes().to_vec()))).unwrap())
}

fn kept(files: &[(&str, &str)], spec_ignore: Option<&str>) -> Vec<String> {
    files_of(&artifact(&tree(files), spec_ignore).unwrap())
}

fn files_of(artifact: &Tree) -> Vec<String> {
    let mut kept = Vec::new();
    let mut visit = |path: &str, kind| {
        if kind == Kind::File {
            kept.push(path.to_owned());
        }
        true
    };
    artifact.walk("", &mut visit).unwrap();
    kept
}

fn of(paths: &'static [&'static str]) -> Vec<(&'static str, &'static str)> {
    paths.iter().map(|path| (*path, "")).collect()
}

#[test]
fn built_in_exclusions() {
    let files = of(&[
        ".gitignore",
        ".github/x.yaml",
        "a/.github/x.yaml",
        "a/photo.png",
        "a/photo.PNG",
        "deep/er/.sops.yaml",
        ".flux.yaml",
        "x.tar.gz",
        "sub/cloudbuild.yaml",
        "a/app.yaml",
        ".hidden.yaml",
    ]);
    assert_eq!(
        kept(&files, None),
        [".hidden.yaml", "a/app.yaml", "a/photo.PNG"]
    );
}

#[test]
fn own_rules_replace_all_but_version_control() {
    let mut files = of(&[".gitignore", "x.zip", ".github/x.yaml", "docs/a.md"]);
    assert_eq!(kept(&files, Some("docs/")), [".github/x.yaml", "x.zip"]);
    // No rule, no replacement.
    assert_eq!(kept(&files, Some("\n# nothing\n")), ["docs/a.md"]);
    files.push((".sourceignore", "docs/\n"));
    assert_eq!(
        kept(&files, None),
        [".github/x.yaml", ".sourceignore", "x.zip"]
    );
}

#[test]
fn the_last_match_wins_and_files_come_back_below_ignored_folders() {
    let files = of(&[
        "apps/a.yaml",
        "apps/b/c.yaml",
        "clusters/x/y.yaml",
        "z.yaml",
    ]);
    let only_clusters = "# all\n/*\n!/clusters/\n";
    assert_eq!(kept(&files, Some(only_clusters)), ["clusters/x/y.yaml"]);
    assert_eq!(
        kept(&files, Some("apps/\n!c.yaml")),
        ["apps/b/c.yaml", "clusters/x/y.yaml", "z.yaml"]
    );
}

#[test]
fn an_ignore_file_holds_below_its_folder() {
    let files = [
        ("a/.sourceignore", "x.yaml\n/y.yaml\n"),
        ("a/x.yaml", ""),
        ("a/b/x.yaml", ""),
        ("a/b/y.yaml", ""),
        ("a/y.yaml", ""),
        ("x.yaml", ""),
        ("ab/x.yaml", ""),
    ];
    assert_eq!(
        kept(&files, None),
        ["a/.sourceignore", "a/b/y.yaml", "ab/x.yaml", "x.yaml"]
    );
    // The source's own rules come last.
    assert_eq!(kept(&files, Some("!a/b/x.yaml")).len(), 5);
}

/// Line by line: pattern, path, whether it is a folder, whether it matches.
#[test]
fn patterns() {
    let table = [
        ("**/middle/v[uo]l?ano", "head/middle/vulkano", false, true),
        ("**/middle/v[uo]l?ano", "a/b/middle/vulkano/x", false, true),
        ("**/middle/v[uo]l?ano", "middle/tail/vulkano", false, false),
        ("volcano", "a/volcano/b", false, true),
        ("*.yaml", "a/b.yaml", false, true),
        ("*.yaml", "a.yaml/b", false, true),
        ("dir/", "dir", true, true),
        ("dir/", "dir", false, false),
        ("dir/", "dir/file", false, true),
        ("a/dir/", "a/dir", false, false),
        ("/a", "a", false, true),
        ("/a", "b/a", false, false),
        ("a/b", "a/b/c", false, true),
        ("a/b", "x/a/b", false, false),
        ("a/*", "a/b/c", false, true),
        ("a/**", "a", true, true),
        ("a/**", "a/b/c", false, true),
        ("/**", "a", false, false),
        ("**", "a/b", false, true),
        ("a**/b", "ab/b", false, false),
        ("a/**/b", "a/b", false, true),
        ("a/**/b", "a/x/y/b/z", false, true),
        ("a/**/b", "a/x/y", false, false),
        ("[", "[", false, false),
        ("[]]", "]", false, false),
        ("[^a]b", "cb", false, true),
        ("[!a]", "!", false, true),
        ("[a-c-e]", "b", false, false),
        ("\\#x", "#x", false, true),
        ("x\\", "x\\", false, false),
        ("trailing  ", "trailing", false, true),
        ("kept\\ ", "kept ", false, true),
        ("*a*b*c", "xxaxxbxxbc", false, true),
        ("*a*b*c", "xxaxxbxxbcd", false, false),
        ("?", "é", false, true),
        ("", "a", false, false),
    ];
    for (pattern, path, directory, result) in table {
        let matched = Pattern::new(pattern, "").matches(path, directory);
        assert_eq!(matched, result, "{pattern} {path}");
    }
}

/// Upstream's own tables; rows that need Go values are not assertions.
#[test]
fn upstream_vectors() {
    let shared = std::env::var_os("FLUXLINT_SHARED").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        std::path::PathBuf::from,
    );
    let Ok(packed) = std::fs::read(shared.join("conformance/misc_tables.jsonl.gz")) else {
        println!("skipped: no corpus");
        return;
    };
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&*packed), &mut text).unwrap();
    let mut seen = 0;
    for line in text.lines().filter(|line| line.contains("ignore\"")) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let case = &row["case"];
        let domain: Vec<_> = strings(&case["domain"]);
        let domain = domain.join("/");
        let lines: Vec<&str> = match (row["suite"].as_str(), row["test"].as_str()) {
            _ if row["status"] != "complete" => continue,
            (Some("sourceignore"), Some("TestVCSPatterns")) => VERSION_CONTROL.to_vec(),
            (Some("sourceignore"), Some("TestDefaultPatterns")) => DEFAULTS.to_vec(),
            (Some("sourceignore"), Some("TestReadPatterns")) => {
                case["ignore"].as_str().unwrap().lines().collect()
            }
            _ => continue,
        };
        let rules = Rules {
            patterns: read(&lines.join("\n"), &domain),
        };
        for path in strings(&case["matches"]) {
            assert!(rules.exclude(path, false), "{} {path}", row["name"]);
        }
        for path in strings(&case["mismatches"]) {
            assert!(!rules.exclude(path, false), "{} {path}", row["name"]);
        }
        seen += 1;
    }
    assert_eq!(seen, 7);
}

fn strings(value: &serde_json::Value) -> Vec<&str> {
    let list = value.as_array().into_iter().flatten();
    list.map(|item| item.as_str().unwrap()).collect()
}

#[test]
fn of_buckets_only_the_file_at_the_top_counts() {
    let files = [
        (".sourceignore", "no.yaml\ndir/\n"),
        (".gitignore", ""),
        (".sops.yaml", ""),
        ("dir/x.yaml", ""),
        ("no.yaml", ""),
        ("own.yaml", ""),
        ("sub/.sourceignore", "*\n"),
        ("sub/a.yaml", ""),
    ];
    let left = bucket(&tree(&files), Some("own.yaml")).unwrap();
    let expected = [
        ".gitignore",
        ".sops.yaml",
        "sub/.sourceignore",
        "sub/a.yaml",
    ];
    assert_eq!(files_of(&left), expected);
    assert_eq!(
        files_of(&bucket(&tree(&files[1..]), None).unwrap()).len(),
        7
    );
}
