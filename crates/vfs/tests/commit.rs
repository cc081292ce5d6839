//! Commits as trees, in repositories made by the `git` program.

use std::path::{Path, PathBuf};
use std::process::Command;

use vfs::{Error, GitRepository, Kind, RevisionError, Tree};

/// A repository in a directory that is removed afterwards.
struct Repo(tempfile::TempDir);

impl Repo {
    fn new() -> Self {
        let repo = Repo(tempfile::tempdir().unwrap());
        repo.git(&["init", "-q", "-b", "main"]);
        repo
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, args: &[&str]) -> String {
        git(self.path(), args)
    }

    fn write(&self, path: &str, text: &str) {
        let full = self.path().join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }

    /// Commits everything; the commit's hash.
    fn commit(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn open(&self) -> GitRepository {
        GitRepository::open(self.path()).unwrap()
    }

    fn tree(&self, revision: &str) -> Tree {
        Tree::new(self.open().commit(revision).unwrap())
    }
}

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@example.org"])
        .args(["-c", "protocol.file.allow=always", "-C"])
        .arg(dir)
        .args(args)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {error}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn text(tree: &Tree, path: &str) -> String {
    String::from_utf8(tree.read(path).unwrap().to_vec()).unwrap()
}

/// Two commits, the first tagged `v1`, and a branch at the first.
fn two_commits() -> (Repo, [String; 2]) {
    let repo = Repo::new();
    repo.write("a.yaml", "one\n");
    repo.write("apps/old/x.yaml", "x\n");
    let first = repo.commit();
    repo.git(&["tag", "-a", "-m", "x", "v1"]);
    repo.git(&["branch", "release/one"]);
    repo.git(&["mv", "apps/old", "apps/new"]);
    repo.write("a.yaml", "two\n");
    let second = repo.commit();
    (repo, [first, second])
}

fn check_names(repo: &Repo, [first, second]: &[String; 2]) {
    let open = repo.open();
    let firsts = ["v1", "release/one", "HEAD~1", "main^", &first[..8], first];
    for revision in firsts {
        assert_eq!(
            open.commit(revision).unwrap().id(),
            first.as_str(),
            "{revision}"
        );
    }
    for revision in ["HEAD", "main", "refs/heads/main", &second[..7]] {
        assert_eq!(
            open.commit(revision).unwrap().id(),
            second.as_str(),
            "{revision}"
        );
    }
}

#[test]
fn a_commit_is_a_tree_whatever_the_working_tree_holds() {
    let (repo, _) = two_commits();
    repo.write("a.yaml", "three\n");
    repo.write("new.yaml", "new\n");
    let head = repo.tree("HEAD");
    assert_eq!(text(&head, "a.yaml"), "two\n");
    assert_eq!(head.probe("new.yaml"), None);
    assert_eq!(head.probe("apps/old"), None);
    assert_eq!(head.probe(".git"), None);
    let names: Vec<_> = head.list("").unwrap().into_iter().map(|e| e.name).collect();
    assert_eq!(names, ["a.yaml", "apps"]);
    let before = repo.tree("v1");
    assert_eq!(text(&before, "a.yaml"), "one\n");
    assert_eq!(before.probe("apps/old"), Some(Kind::Directory));
    assert!(matches!(before.read("apps"), Err(Error::IsDirectory(_))));
    assert!(matches!(before.read("b"), Err(Error::NotFound(_))));
    assert!(matches!(before.read("../a"), Err(Error::Outside(_))));
}

#[test]
fn loose_packed_and_borrowed_objects_read_alike() {
    let (repo, commits) = two_commits();
    check_names(&repo, &commits);
    repo.git(&["gc", "-q"]);
    check_names(&repo, &commits);
    assert_eq!(text(&repo.tree("v1"), "apps/old/x.yaml"), "x\n");
    // A clone that borrows its objects, and a bare one.
    let into = tempfile::tempdir().unwrap();
    let source = repo.path().to_str().unwrap();
    git(into.path(), &["clone", "-q", "--shared", source, "borrows"]);
    git(into.path(), &["clone", "-q", "--bare", source, "bare"]);
    for name in ["borrows", "bare"] {
        let open = GitRepository::open(&into.path().join(name)).unwrap();
        let tree = Tree::new(open.commit("HEAD~1").unwrap());
        assert_eq!(text(&tree, "a.yaml"), "one\n", "{name}");
    }
}

#[test]
fn what_is_no_file_or_directory_is_absent() {
    let inner = Repo::new();
    inner.write("x", "x");
    inner.commit();
    let repo = Repo::new();
    repo.write("dir/file", "x");
    std::os::unix::fs::symlink("dir", repo.path().join("link")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", repo.path().join("out")).unwrap();
    let source = inner.path().to_str().unwrap();
    repo.git(&["submodule", "add", "-q", source, "module"]);
    repo.commit();
    let tree = repo.tree("HEAD");
    for path in ["link", "link/file", "out", "module", "module/x"] {
        assert_eq!(tree.probe(path), None, "{path}");
        assert!(tree.read(path).is_err(), "{path}");
    }
    assert_eq!(tree.probe("dir/file"), Some(Kind::File));
}

#[test]
fn a_directory_inside_of_a_repository_finds_it() {
    let (repo, _) = two_commits();
    let dir: PathBuf = repo.path().join("apps/new");
    let around = GitRepository::around(&dir).unwrap();
    assert_eq!(around.prefix(), "apps/new");
    assert!(around.commit("HEAD").is_ok());
    assert_eq!(around.remotes(), [""; 0]);
    repo.git(&["remote", "add", "origin", "git@git.example.org:a/fleet.git"]);
    let again = GitRepository::around(&dir).unwrap();
    assert_eq!(again.remotes(), ["git@git.example.org:a/fleet.git"]);
    assert!(GitRepository::open(&dir).is_err());
}

#[test]
fn what_gives_no_commit_says_why() {
    let (repo, _) = two_commits();
    let open = repo.open();
    let why = |revision: &str| open.commit(revision).err().unwrap();
    assert!(matches!(why("nowhere"), RevisionError::Unknown(_)));
    assert!(matches!(why("HEAD~9"), RevisionError::Unknown(_)));
    assert!(matches!(why(""), RevisionError::Unknown(_)));
    for range in ["v1..main", "HEAD:a.yaml", "HEAD^{tree}"] {
        assert!(matches!(why(range), RevisionError::NoCommit(_)), "{range}");
    }
    let none = tempfile::tempdir().unwrap();
    let none = GitRepository::open(none.path()).err().unwrap();
    assert!(matches!(none, RevisionError::NoRepository(_)));
    // A clone whose history was cut off.
    let into = tempfile::tempdir().unwrap();
    let source = format!("file://{}", repo.path().display());
    git(
        into.path(),
        &["clone", "-q", "--depth", "1", &source, "cut"],
    );
    let cut = GitRepository::open(&into.path().join("cut")).unwrap();
    assert!(cut.commit("HEAD").is_ok());
    let why = cut.commit("HEAD~1").err().unwrap();
    assert!(matches!(why, RevisionError::Shallow(_)), "{why:?}");
}

#[test]
fn an_object_that_is_not_there_is_told() {
    let (repo, _) = two_commits();
    let id = repo.git(&["rev-parse", "HEAD:a.yaml"]);
    let (dir, file) = id.split_at(2);
    std::fs::remove_file(repo.path().join(".git/objects").join(dir).join(file)).unwrap();
    let tree = repo.tree("HEAD");
    assert_eq!(tree.probe("a.yaml"), Some(Kind::File));
    let why = tree.read("a.yaml").unwrap_err().to_string();
    assert_eq!(
        why,
        format!("a.yaml: git object {id} is not in the repository")
    );
}

#[test]
fn many_threads_read_one_commit() {
    let repo = Repo::new();
    let bulk: String = (0..200).map(|line| format!("line {line}\n")).collect();
    for at in 0..100 {
        repo.write(&format!("d{}/f{at}", at % 7), &format!("{bulk}{at}"));
    }
    repo.commit();
    repo.git(&["gc", "-q"]);
    let tree = repo.tree("HEAD");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for at in 0..100 {
                    let path = format!("d{}/f{at}", at % 7);
                    assert_eq!(text(&tree, &path), format!("{bulk}{at}"));
                }
            });
        }
    });
}

#[test]
fn large_files_are_refused() {
    let repo = Repo::new();
    repo.write("big", &"x".repeat(1000));
    repo.commit();
    let tree = Tree::new(repo.open().commit("HEAD").unwrap().with_max_file(999));
    assert!(matches!(tree.read("big"), Err(Error::TooLarge(_, 1000))));
}
