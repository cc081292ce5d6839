//! Trees over real directories.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use vfs::{Disk, Error, Kind, Tree, WorkTree};

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn files(tree: &Tree) -> Vec<String> {
    let mut files = Vec::new();
    let mut visit = |path: &str, kind| {
        if kind == Kind::File {
            files.push(path.to_owned());
        }
        true
    };
    tree.walk("", &mut visit).unwrap();
    files
}

/// An index of version 2 that names these files.
fn index_of(paths: &[&str]) -> Vec<u8> {
    let mut out = b"DIRC\0\0\0\x02".to_vec();
    out.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
    for path in paths {
        let start = out.len();
        out.extend([0; 24]);
        out.extend(0o100_644u32.to_be_bytes());
        out.extend([0; 12 + 20]);
        out.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
        out.extend(path.as_bytes());
        out.push(0);
        while !(out.len() - start).is_multiple_of(8) {
            out.push(0);
        }
    }
    out.extend([0; 20]);
    out
}

#[test]
fn without_links_they_do_not_exist() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(root, &[("a/x.yaml", "x"), (".git/HEAD", "")]);
    symlink("x.yaml", root.join("a/link")).unwrap();
    symlink("a", root.join("b")).unwrap();
    let tree = Tree::new(Disk::new(root).unwrap());
    assert_eq!(files(&tree), ["a/x.yaml"]);
    assert_eq!(tree.probe("a/link"), None);
    assert_eq!(tree.probe("b"), None);
    assert_eq!(tree.real("a/link"), "a/link");
    assert!(matches!(tree.read("b/x.yaml"), Err(Error::NotFound(_))));
    assert!(matches!(tree.read("a"), Err(Error::IsDirectory(_))));
    assert!(matches!(tree.list("a/x.yaml"), Err(Error::NotDirectory(_))));
    assert!(matches!(tree.read("a/x.yaml/y"), Err(Error::NotFound(_))));
    assert!(matches!(tree.read("../x"), Err(Error::Outside(_))));
}

#[test]
fn links_are_followed_inside_only() {
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), &[("secret", "s")]);
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(root, &[("a/x.yaml", "x")]);
    symlink("x.yaml", root.join("a/link")).unwrap();
    symlink("a", root.join("b")).unwrap();
    symlink(outside.path(), root.join("out")).unwrap();
    symlink("nowhere", root.join("broken")).unwrap();
    let tree = Tree::new(Disk::new(root).unwrap().with_symlinks());
    assert_eq!(&*tree.read("b/link").unwrap(), b"x");
    assert!(matches!(tree.read("out/secret"), Err(Error::Outside(_))));
    assert_eq!(tree.probe("out"), None);
    let names: Vec<_> = tree.list("").unwrap();
    let names: Vec<_> = names
        .iter()
        .map(|e| (e.name.as_str(), e.directory))
        .collect();
    assert_eq!(names, [("a", true), ("b", true)]);
}

#[test]
fn large_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("big", "12345"), ("fits", "1234")]);
    let tree = Tree::new(Disk::new(dir.path()).unwrap().with_max_file(4));
    assert_eq!(tree.read("big"), Err(Error::TooLarge("big".into(), 5)));
    assert!(tree.read("fits").is_ok());
    let tree = Tree::new(WorkTree::new(dir.path()).unwrap().with_max_file(4));
    assert_eq!(tree.read("big"), Err(Error::TooLarge("big".into(), 5)));
}

#[test]
fn a_plain_directory_has_all_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(
        root,
        &[(".gitignore", "*.log"), ("a.log", ""), ("b/.hidden", "")],
    );
    symlink("a.log", root.join("link")).unwrap();
    let tree = WorkTree::new(root).unwrap();
    assert!(!tree.is_git());
    assert_eq!(
        files(&Tree::new(tree)),
        [".gitignore", "a.log", "b/.hidden"]
    );
    assert!(matches!(
        WorkTree::new(&root.join("a.log")),
        Err(Error::NotDirectory(_))
    ));
}

#[test]
fn a_working_tree_has_what_git_would_commit() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(
        root,
        &[
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".git/info/exclude", "/local\n"),
            (
                ".gitignore",
                "# logs\n*.log\n/build/\nsecrets/\n!keep.log\n",
            ),
            ("a.log", ""),
            ("keep.log", ""),
            ("tracked.log", ""),
            ("local", ""),
            ("sub/local", ""),
            ("build/out.yaml", ""),
            ("build/deep/tracked.yaml", ""),
            ("build/deep/other.yaml", ""),
            ("sub/build/x.yaml", ""),
            ("sub/.gitignore", "!a.log\n*.tmp"),
            ("sub/a.log", ""),
            ("sub/b.tmp", ""),
            ("b.tmp", ""),
            ("sub/secrets/x", ""),
            ("nested/.git/HEAD", ""),
            ("nested/x.yaml", ""),
            ("new.yaml", ""),
        ],
    );
    let tracked = ["build/deep/tracked.yaml", "deleted.yaml", "tracked.log"];
    fs::write(root.join(".git/index"), index_of(&tracked)).unwrap();
    let tree = WorkTree::new(root).unwrap();
    assert!(tree.is_git());
    assert_eq!(
        files(&Tree::new(tree)),
        [
            ".gitignore",
            "b.tmp",
            "build/deep/tracked.yaml",
            "keep.log",
            "new.yaml",
            "sub/.gitignore",
            "sub/a.log",
            "sub/build/x.yaml",
            "sub/local",
            "tracked.log",
        ]
    );
}

#[test]
fn a_linked_working_tree_has_its_own_index() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(
        root,
        &[
            ("main/.git/HEAD", ""),
            ("main/.git/info/exclude", "*.out\n"),
            ("main/.git/worktrees/w/HEAD", ""),
            ("main/.git/worktrees/w/commondir", "../..\n"),
            ("w/.git", "gitdir: ../main/.git/worktrees/w\n"),
            ("w/a.out", ""),
            ("w/b.out", ""),
        ],
    );
    let index = root.join("main/.git/worktrees/w/index");
    fs::write(index, index_of(&["b.out"])).unwrap();
    let tree = Tree::new(WorkTree::new(&root.join("w")).unwrap());
    assert_eq!(files(&tree), ["b.out"]);
}

#[test]
fn a_broken_index_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[(".git/HEAD", ""), (".git/index", "nonsense"), ("a", "")],
    );
    assert!(matches!(WorkTree::new(dir.path()), Err(Error::Io(..))));
}
