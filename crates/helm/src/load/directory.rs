//! Charts that stand unpacked in a directory.

use gotmpl::strconv::quote;
use vfs::{Kind, Tree};

use super::Limits;
use super::ignore::Rules;
use crate::chart::File;

const IGNORE: &str = ".helmignore";

/// The files of a directory that `.helmignore` leaves in, by name.
pub(super) fn files(tree: &Tree, path: &str, limits: Limits) -> Result<Vec<File>, String> {
    let prefix = match path.trim_matches('/') {
        "" | "." => String::new(),
        path => format!("{path}/"),
    };
    let rules = match tree.probe(&format!("{prefix}{IGNORE}")) {
        Some(Kind::File) => {
            let text = tree.read(&format!("{prefix}{IGNORE}"));
            Rules::parse(&text.map_err(|e| e.to_string())?)?
        }
        _ => Rules::default(),
    };
    let rules = rules.with_defaults();
    let mut names = Vec::new();
    let mut seen = 0usize;
    let walked = tree.walk(path, &mut |name, kind| {
        seen += 1;
        let inside = name.strip_prefix(&prefix).unwrap_or(name);
        let directory = kind == Kind::Directory;
        let ignored = seen > limits.entries || rules.ignores(inside, directory);
        if !ignored && !directory {
            names.push(inside.to_owned());
        }
        !ignored
    });
    walked.map_err(|e| e.to_string())?;
    if seen > limits.entries {
        return Err(format!("the chart has more than {} files", limits.entries));
    }
    let mut left = limits.total;
    let mut files = Vec::new();
    for name in names {
        let data = tree
            .read(&format!("{prefix}{name}"))
            .map_err(|e| format!("error reading {name}: {e}"))?;
        let size = data.len() as u64;
        if size > limits.file {
            let base = name.rsplit('/').next().unwrap_or_default();
            return Err(format!(
                "chart file {} is larger than the maximum file size {}",
                quote(base.as_bytes()),
                limits.file
            ));
        }
        left = left
            .checked_sub(size)
            .ok_or_else(|| format!("the chart has more than {} bytes", limits.total))?;
        files.push(File {
            name,
            data: super::plain(&data).to_vec(),
        });
    }
    Ok(files)
}
