//! The repository and its configuration, as the flags name them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::Config;
use model::Repository;
use vfs::{Tree, WorkTree};
use yaml::{Sources, Span};

use crate::cli::RepoArgs;
use crate::failure::Failure;
use crate::revision;

/// A repository, ready to be read.
pub struct Input {
    /// Its root on disk.
    pub root: PathBuf,
    /// Its files: tracked and untracked-not-ignored, or those of a commit.
    pub tree: Tree,
    /// The texts read from it.
    pub texts: Arc<Sources>,
    /// Its configuration.
    pub config: Config,
}

impl Input {
    /// Opens the repository and reads its configuration.
    pub fn open(args: &RepoArgs) -> Result<Input, Failure> {
        let (root, tree) = open_tree(args.repo.as_deref(), args.rev.as_deref())?;
        let texts = Sources::new();
        let written = match &args.rev {
            Some(_) => Written::Tree(&tree),
            None => Written::Disk(&root),
        };
        let config = read_config(written, args.config.as_deref(), &texts)?;
        Ok(Input {
            root,
            tree,
            texts,
            config,
        })
    }

    /// Opens the repository as if it had no configuration.
    pub fn bare(repo: Option<&Path>) -> Result<Input, Failure> {
        let (root, tree) = open_tree(repo, None)?;
        Ok(Input {
            root,
            tree,
            texts: Sources::new(),
            config: Config::default(),
        })
    }

    /// Fails when there is nothing to start from.
    pub fn require_entrypoints(&self, repository: &Repository) -> Result<(), Failure> {
        match repository.worlds.is_empty() {
            true => Err(self.no_entrypoint("check")),
            false => Ok(()),
        }
    }

    /// That there is nothing a command could start from.
    pub fn no_entrypoint(&self, command: &str) -> Failure {
        Failure::new(format!("no entrypoint found in {}", self.root.display()))
            .because(
                "there is no gotk-sync.yaml, no FluxInstance and no Kustomization \
                 that nothing else applies",
            )
            .help(format!(
                "name the directory that `flux bootstrap` was given as --path: \
                 fluxlint {command} DIR"
            ))
    }

    /// A place in the configuration as `file:line:column`.
    pub fn place(&self, span: Span) -> String {
        self.texts.location(span).map_or_else(String::new, |at| {
            format!("{}:{}:{}", at.file, at.line, at.column)
        })
    }
}

/// The root and the files of the repository a flag names, or of the one around
/// the current directory: of its working tree, or of a commit.
fn open_tree(repo: Option<&Path>, revision: Option<&str>) -> Result<(PathBuf, Tree), Failure> {
    let root = match repo {
        Some(root) => root.to_path_buf(),
        None => find_root()?,
    };
    let tree = match revision {
        None => working_tree(&root)?,
        Some(revision) => revision::tree(&root, revision)?,
    };
    Ok((root, tree))
}

/// The nearest directory upwards that is a repository or has a configuration,
/// else the current one.
fn find_root() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::new("cannot tell the current directory").because(error))?;
    let is_root = |dir: &&Path| dir.join(".git").exists() || dir.join(config::FILE_NAME).is_file();
    let root = here.ancestors().find(is_root).unwrap_or(&here);
    Ok(root.to_path_buf())
}

fn working_tree(root: &Path) -> Result<Tree, Failure> {
    match WorkTree::new(root) {
        Ok(tree) => Ok(Tree::new(tree)),
        Err(error) => Err(
            Failure::new(format!("cannot read the repository {}", root.display()))
                .because(error)
                .help("name the root of a repository with --repo"),
        ),
    }
}

/// Where the configuration is, unless a flag names one.
enum Written<'a> {
    /// In this directory, whether git would commit it or not.
    Disk(&'a Path),
    /// In the root of a tree.
    Tree(&'a Tree),
}

/// Reads the configuration a flag names, or the repository's own, if there is
/// one.
fn read_config(
    written: Written<'_>,
    named: Option<&Path>,
    texts: &Sources,
) -> Result<Config, Failure> {
    let name = match named {
        Some(path) => path.display().to_string(),
        None => config::FILE_NAME.to_owned(),
    };
    let cannot = |error: &dyn std::fmt::Display| {
        Failure::new(format!("cannot read the configuration {name}")).because(error)
    };
    let bytes = match (named, written) {
        (Some(path), _) => std::fs::read(path).map_err(|error| cannot(&error))?,
        (None, Written::Disk(root)) => match std::fs::read(root.join(config::FILE_NAME)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Config::default());
            }
            Err(error) => return Err(cannot(&error)),
        },
        (None, Written::Tree(tree)) => match tree.read(config::FILE_NAME) {
            Ok(bytes) => bytes.to_vec(),
            Err(vfs::Error::NotFound(_)) => return Ok(Config::default()),
            Err(error) => return Err(cannot(&error)),
        },
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        Failure::new(format!("the configuration {name} is not UTF-8 text"))
            .because(error.utf8_error())
    })?;
    let config = Config::parse(&name, &text, texts).map_err(|error| wrong(&name, &error, texts))?;
    let rules: Vec<_> = lint::RULES
        .iter()
        .map(|rule| (rule.id, rule.name))
        .collect();
    match config.check_rules(&rules) {
        Ok(()) => Ok(config),
        Err(error) => Err(wrong(&name, &error, texts)),
    }
}

/// A refused configuration, with its place.
fn wrong(name: &str, error: &config::Error, texts: &Sources) -> Failure {
    let place = match error.location(texts) {
        Some(at) => format!("{}:{}:{}", at.file, at.line, at.column),
        None => name.to_owned(),
    };
    let failure = Failure::new(format!("{place}: {error}"));
    match &error.help {
        Some(help) => failure.help(help),
        None => failure,
    }
}
