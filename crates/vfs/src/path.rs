//! Paths inside a tree.

use ecow::EcoString;

use crate::Error;

/// The canonical form of a path relative to a tree's root: no empty, `.` or
/// `..` parts, the root is `""`. A leading `/` means the root. Fails when `..`
/// leads out of the tree.
pub fn normalize(path: &str) -> Result<EcoString, Error> {
    if is_canonical(path) {
        return Ok(path.into());
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err(Error::Outside(path.into()));
                }
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/").into())
}

fn is_canonical(path: &str) -> bool {
    path.is_empty() || path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// `path` seen from directory `base`, canonical. An absolute `path` starts at
/// the root.
pub fn join(base: &str, path: &str) -> Result<EcoString, Error> {
    if path.starts_with('/') || base.is_empty() {
        return normalize(path);
    }
    normalize(&format!("{base}/{path}"))
}

/// The path of `name` in directory `dir`, both canonical.
pub(crate) fn child(dir: &str, name: &str) -> EcoString {
    if dir.is_empty() {
        name.into()
    } else {
        ecow::eco_format!("{dir}/{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_and_never_leave_the_tree() {
        assert_eq!(normalize("./a//b/../c/").unwrap(), "a/c");
        assert_eq!(normalize("/").unwrap(), "");
        assert_eq!(join("a/b", "../../c").unwrap(), "c");
        assert!(matches!(join("a", "../../c"), Err(Error::Outside(_))));
    }
}
