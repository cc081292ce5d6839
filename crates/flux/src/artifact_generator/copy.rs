//! One copy operation of an ArtifactGenerator. What the controller does decides,
//! also where its documentation says otherwise: a path with wildcards keeps its
//! directories, unless it ends in `/**`; wildcards reach one level, and a
//! directory that matches comes with all it holds.

use ecow::{EcoString, eco_format};
use vfs::{Kind, Mapped, Tree};

use crate::artifact_generator::glob::{is_pattern, part_matches, path_matches};

/// One copy operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Copy {
    /// Alias of the source.
    pub alias: EcoString,
    /// Path or pattern in the source.
    pub from: EcoString,
    /// Path in the artifact; a directory when it ends with `/`.
    pub to: EcoString,
    /// Patterns of paths to leave out.
    pub exclude: Vec<EcoString>,
    /// Nothing to copy is no failure.
    pub optional: bool,
}

impl Copy {
    /// Copies from a source's tree. Fails with the reason the controller would
    /// give.
    pub fn apply(&self, tree: &Tree, made: &mut Mapped) -> Result<(), EcoString> {
        if is_pattern(&self.from) {
            return self.apply_pattern(tree, made);
        }
        let from = vfs::normalize(&self.from).map_err(|error| eco_format!("{error}"))?;
        match tree.probe(&from) {
            None if self.optional => Ok(()),
            None => Err(eco_format!("source '{from}' does not exist")),
            Some(Kind::File) if self.excludes("", &from) => Ok(()),
            Some(Kind::File) => {
                let to = match self.to.as_str() {
                    "" => last_part(&from).into(),
                    to if to.ends_with('/') => join(to, last_part(&from)),
                    to => to.into(),
                };
                put(made, tree, &from, &to)
            }
            // A directory arrives under its own name; the root has none.
            Some(Kind::Directory) => {
                let to = join(&self.to, last_part(&from));
                self.copy_directory(tree, made, &from, &from, &to)
            }
        }
    }

    fn apply_pattern(&self, tree: &Tree, made: &mut Mapped) -> Result<(), EcoString> {
        let matches = expand(tree, &self.from)
            .ok_or_else(|| eco_format!("invalid glob pattern '{}'", self.from))?;
        if matches.is_empty() && !self.optional {
            let (from, alias) = (&self.from, &self.alias);
            return Err(eco_format!(
                "no files match pattern '{from}' in source '{alias}'"
            ));
        }
        let base = literal_base(&self.from);
        let stripped = self
            .from
            .strip_suffix("/**")
            .map(|dir| eco_format!("{dir}/"));
        for (path, kind) in matches {
            if self.excludes(base, &path) {
                continue;
            }
            let kept = stripped
                .as_deref()
                .and_then(|dir| path.strip_prefix(dir))
                .unwrap_or(&path);
            let to = join(&self.to, kept);
            match kind {
                Kind::File => put(made, tree, &path, &to)?,
                Kind::Directory => self.copy_directory(tree, made, base, &path, &to)?,
            }
        }
        Ok(())
    }

    fn copy_directory(
        &self,
        tree: &Tree,
        made: &mut Mapped,
        base: &str,
        dir: &str,
        to: &str,
    ) -> Result<(), EcoString> {
        let mut files = Vec::new();
        tree.walk(dir, &mut |path, kind| {
            let kept = !self.excludes(base, path);
            if kept && kind == Kind::File {
                files.push(EcoString::from(path));
            }
            kept
        })
        .map_err(|error| eco_format!("{error}"))?;
        for path in files {
            let rest = path
                .strip_prefix(dir)
                .unwrap_or(&path)
                .trim_start_matches('/');
            put(made, tree, &path, &join(to, rest))?;
        }
        Ok(())
    }

    /// Patterns meet the path from the source's root and from the copy's base;
    /// one without a slash also meets the file name.
    fn excludes(&self, base: &str, path: &str) -> bool {
        let rest = match base {
            "" => None,
            base => path
                .strip_prefix(base)
                .and_then(|rest| rest.strip_prefix('/')),
        };
        self.exclude.iter().any(|pattern| {
            let meets = |path: &str| {
                path_matches(pattern, path)
                    || (!pattern.contains('/') && path_matches(pattern, last_part(path)))
            };
            meets(path) || rest.is_some_and(meets)
        })
    }
}

fn put(made: &mut Mapped, tree: &Tree, from: &str, to: &str) -> Result<(), EcoString> {
    made.copy(tree, from, to)
        .map_err(|error| eco_format!("{error}"))
}

/// What stands at the paths a pattern matches, level by level. `None` for a
/// pattern that is none.
fn expand(tree: &Tree, pattern: &str) -> Option<Vec<(EcoString, Kind)>> {
    let parts: Vec<&str> = pattern
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    let mut found = vec![(EcoString::new(), Kind::Directory)];
    for part in parts {
        // Also tells whether it is a pattern at all.
        part_matches(part, "")?;
        let mut next = Vec::new();
        for (dir, kind) in found {
            if kind == Kind::File {
                continue;
            }
            if !is_pattern(part) {
                let path = join(&dir, part);
                next.extend(tree.probe(&path).map(|kind| (path, kind)));
                continue;
            }
            for entry in tree.list(&dir).unwrap_or_default() {
                if part_matches(part, &entry.name)? {
                    let kind = if entry.directory {
                        Kind::Directory
                    } else {
                        Kind::File
                    };
                    next.push((join(&dir, &entry.name), kind));
                }
            }
        }
        found = next;
    }
    found.retain(|(path, _)| !path.is_empty());
    Some(found)
}

/// The directories before the first part with a wildcard.
fn literal_base(pattern: &str) -> &str {
    let mut end = 0;
    for part in pattern.split('/') {
        if is_pattern(part) {
            break;
        }
        end += part.len() + 1;
    }
    pattern.get(..end.saturating_sub(1)).unwrap_or("")
}

fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn join(dir: &str, rest: &str) -> EcoString {
    match (dir.trim_end_matches('/'), rest) {
        ("", rest) => rest.into(),
        (dir, "") => dir.into(),
        (dir, rest) => eco_format!("{dir}/{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vfs::Memory;

    /// The paths of the artifact that one copy makes.
    fn copied(from: &str, to: &str, exclude: &[&str]) -> Result<Vec<EcoString>, EcoString> {
        let files = [
            "config.yaml",
            "configs/a.yaml",
            "configs/b.md",
            "configs/sub/c.yaml",
        ];
        let tree =
            Tree::new(Memory::new(files.map(|file| (file, file.as_bytes().to_vec()))).unwrap());
        let copy = Copy {
            alias: "source".into(),
            from: from.into(),
            to: to.into(),
            exclude: exclude
                .iter()
                .map(|pattern| EcoString::from(*pattern))
                .collect(),
            optional: false,
        };
        let mut made = Mapped::new();
        copy.apply(&tree, &mut made)?;
        let mut paths = Vec::new();
        let made = made.into_tree();
        made.walk("", &mut |path, kind| {
            if kind == Kind::File {
                paths.push(path.into());
            }
            true
        })
        .unwrap();
        Ok(paths)
    }

    #[test]
    fn paths_land_as_the_controller_puts_them() {
        let all = ["apps/a.yaml", "apps/b.md", "apps/sub/c.yaml"];
        for (from, to, exclude, expected) in [
            (
                "config.yaml",
                "apps/app.yaml",
                &[][..],
                &["apps/app.yaml"][..],
            ),
            ("config.yaml", "apps/", &[], &["apps/config.yaml"]),
            ("config.yaml", "", &[], &["config.yaml"]),
            ("configs/**", "apps/", &[], &all),
            ("configs/**", "apps", &[], &all),
            ("configs/*.yaml", "apps/", &[], &["apps/configs/a.yaml"]),
            (
                "configs/",
                "apps/",
                &[],
                &[
                    "apps/configs/a.yaml",
                    "apps/configs/b.md",
                    "apps/configs/sub/c.yaml",
                ],
            ),
            ("configs/**", "", &["*.md"], &["a.yaml", "sub/c.yaml"]),
            ("configs/**", "", &["sub/**"], &["a.yaml", "b.md"]),
            ("configs/**", "", &["**/sub/**"], &["a.yaml", "b.md"]),
            (
                "./",
                "x/",
                &["configs/*.yaml"],
                &["x/config.yaml", "x/configs/b.md", "x/configs/sub/c.yaml"],
            ),
            ("**", "", &["configs"], &["config.yaml"]),
            ("configs/**/*.yaml", "", &[], &["configs/sub/c.yaml"]),
        ] {
            let paths = copied(from, to, exclude).unwrap();
            assert_eq!(paths, expected, "{from} -> {to}");
        }
    }

    #[test]
    fn nothing_to_copy_fails() {
        assert!(
            copied("nope.yaml", "", &[])
                .unwrap_err()
                .contains("does not exist")
        );
        assert!(
            copied("nope/**", "", &[])
                .unwrap_err()
                .contains("no files match")
        );
        assert!(copied("[a", "", &[]).unwrap_err().contains("invalid glob"));
        assert!(copied("../x", "", &[]).is_err());
    }
}
