//! Copies of trees on disk, for programs to read.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ecow::{EcoString, eco_format};
use tempfile::TempDir;
use vfs::{Kind, Tree};

/// Copies of trees. A copy is lent to one user at a time, so that files can be
/// put into it; as many of a tree are made as there are users at once.
#[derive(Default)]
pub(crate) struct Checkouts {
    /// Copies nobody uses now, each with its tree.
    idle: Mutex<Vec<Checkout>>,
}

/// A copy of a tree.
pub(crate) struct Checkout {
    tree: Tree,
    dir: TempDir,
}

impl Checkouts {
    /// Lends a copy of a tree. It comes back unchanged.
    pub fn lend<R>(
        &self,
        tree: &Tree,
        using: impl FnOnce(&Checkout) -> Result<R, EcoString>,
    ) -> Result<R, EcoString> {
        let known = {
            let mut idle = self.idle();
            let at = idle.iter().position(|known| known.tree.is(tree));
            at.map(|at| idle.swap_remove(at))
        };
        let checkout = match known {
            Some(checkout) => checkout,
            None => Checkout::make(tree)?,
        };
        let result = using(&checkout);
        self.idle().push(checkout);
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Checkout>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Checkout {
    fn make(tree: &Tree) -> Result<Checkout, EcoString> {
        let dir = TempDir::with_prefix("fluxlint-").map_err(|error| not_made(&error))?;
        let mut fault = None;
        let walked = tree.walk("", &mut |path, kind| {
            let to = dir.path().join(path);
            let made = match kind {
                Kind::Directory => std::fs::create_dir_all(&to),
                Kind::File => match tree.read(path) {
                    Ok(bytes) => std::fs::write(&to, &bytes),
                    // What cannot be read here is not there for the program either.
                    Err(_) => Ok(()),
                },
            };
            if let Err(error) = made {
                fault.get_or_insert(not_made(&error));
            }
            fault.is_none()
        });
        walked.map_err(|error| eco_format!("{error}"))?;
        match fault {
            Some(fault) => Err(fault),
            None => Ok(Checkout {
                tree: tree.clone(),
                dir,
            }),
        }
    }

    /// Where a path of the tree is.
    pub fn path(&self, path: &str) -> PathBuf {
        match path {
            "" => self.dir.path().to_path_buf(),
            path => self.dir.path().join(path),
        }
    }

    /// Has `file` in `dir` hold a text, and `others` beside it not be there, while
    /// `using` runs.
    pub fn with_file<R>(
        &self,
        dir: &str,
        (file, text): (&str, &str),
        others: &[&str],
        using: impl FnOnce(&Path) -> R,
    ) -> Result<R, EcoString> {
        let to = self.path(dir);
        for name in others.iter().chain([&file]) {
            // Most are not there.
            let _ = std::fs::remove_file(to.join(name));
        }
        std::fs::write(to.join(file), text).map_err(|error| not_made(&error))?;
        let result = using(&to);
        std::fs::remove_file(to.join(file)).map_err(|error| not_made(&error))?;
        for name in others.iter().chain([&file]) {
            let path = match dir {
                "" => (*name).to_owned(),
                dir => format!("{dir}/{name}"),
            };
            if let Ok(bytes) = self.tree.read(&path) {
                std::fs::write(to.join(name), &bytes).map_err(|error| not_made(&error))?;
            }
        }
        Ok(result)
    }
}

fn not_made(error: &std::io::Error) -> EcoString {
    eco_format!("cannot copy the files for the program: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use vfs::Memory;

    #[test]
    fn a_copy_comes_back_unchanged() {
        let files = [
            ("a/kustomization.yml", b"x: 1\n".to_vec()),
            ("b", b"2".to_vec()),
        ];
        let tree = Tree::new(Memory::new(files).unwrap());
        let checkouts = Checkouts::default();
        let names = ["kustomization.yml", "Kustomization"];
        let place = |checkout: &Checkout| checkout.path("");
        let first = checkouts.lend(&tree, |checkout| {
            let seen = checkout.with_file("a", ("kustomization.yaml", "y"), &names, |dir| {
                let names = std::fs::read_dir(dir).unwrap();
                names
                    .map(|name| name.unwrap().file_name())
                    .collect::<Vec<_>>()
            })?;
            assert_eq!(seen, ["kustomization.yaml"]);
            Ok(place(checkout))
        });
        let again = checkouts.lend(&tree, |checkout| {
            let text = std::fs::read(checkout.path("a/kustomization.yml")).unwrap();
            assert_eq!(text, b"x: 1\n");
            assert!(!checkout.path("a/kustomization.yaml").exists());
            // Another user at the same time gets another copy.
            let other = checkouts.lend(&tree, |other| Ok(place(other)))?;
            assert_ne!(other, place(checkout));
            Ok(place(checkout))
        });
        assert_eq!(first, again);
    }
}
