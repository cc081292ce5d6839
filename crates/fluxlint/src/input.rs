//! The repository and its configuration, as the flags name them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::Config;
use model::Repository;
use vfs::{Tree, WorkTree};
use yaml::{Sources, Span};

use crate::cli::RepoArgs;
use crate::failure::Failure;

/// A repository, ready to be read.
pub struct Input {
    /// Its root on disk.
    pub root: PathBuf,
    /// Its files: tracked and untracked-not-ignored.
    pub tree: Tree,
    /// The texts read from it.
    pub texts: Arc<Sources>,
    /// Its configuration.
    pub config: Config,
}

impl Input {
    /// Opens the repository and reads its configuration.
    pub fn open(args: &RepoArgs) -> Result<Input, Failure> {
        let (root, tree) = open_tree(args.repo.as_deref())?;
        let texts = Sources::new();
        let config = read_config(&root, args.config.as_deref(), &texts)?;
        Ok(Input {
            root,
            tree,
            texts,
            config,
        })
    }

    /// Opens the repository as if it had no configuration.
    pub fn bare(repo: Option<&Path>) -> Result<Input, Failure> {
        let (root, tree) = open_tree(repo)?;
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
/// the current directory.
fn open_tree(repo: Option<&Path>) -> Result<(PathBuf, Tree), Failure> {
    let root = match repo {
        Some(root) => root.to_path_buf(),
        None => find_root()?,
    };
    let worktree = WorkTree::new(&root).map_err(|error| {
        Failure::new(format!("cannot read the repository {}", root.display()))
            .because(error)
            .help("name the root of a repository with --repo")
    })?;
    Ok((root, Tree::new(worktree)))
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

/// Reads the configuration a flag names, or the one in the root, if there is
/// one.
fn read_config(root: &Path, named: Option<&Path>, texts: &Sources) -> Result<Config, Failure> {
    let path = named.map_or_else(|| root.join(config::FILE_NAME), Path::to_path_buf);
    let name = match named {
        Some(path) => path.display().to_string(),
        None => config::FILE_NAME.to_owned(),
    };
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Config::default());
        }
        Err(error) => {
            return Err(
                Failure::new(format!("cannot read the configuration {name}")).because(error),
            );
        }
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
