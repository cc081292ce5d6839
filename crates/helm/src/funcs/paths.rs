//! Paths.

use gotmpl::{Functions, Value};

use super::{TEXT, text_of};

pub(super) fn add(all: &mut Functions) {
    for prefix in ["", "os"] {
        let name = |word: &str| match prefix {
            "" => word.to_owned(),
            _ => {
                let (first, rest) = word.split_at(1);
                format!("{prefix}{}{rest}", first.to_uppercase())
            }
        };
        text_of(all, &name("base"), &[TEXT], |args| {
            base(&args.text(0)).to_owned()
        });
        text_of(all, &name("dir"), &[TEXT], |args| {
            let path = args.text(0);
            let end = path.rfind('/').map_or(0, |at| at + 1);
            clean(path.get(..end).unwrap_or_default())
        });
        text_of(all, &name("clean"), &[TEXT], |args| clean(&args.text(0)));
        text_of(all, &name("ext"), &[TEXT], |args| {
            let path = args.text(0);
            let last = path.rsplit('/').next().unwrap_or_default();
            last.rfind('.')
                .and_then(|at| last.get(at..))
                .unwrap_or_default()
                .to_owned()
        });
        all.add(&name("isAbs"), &[TEXT], |_, args| {
            Ok(Value::Bool(args.bytes(0).starts_with(b"/")))
        });
    }
}

fn base(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match (path, trimmed) {
        ("", _) => ".",
        (_, "") => "/",
        _ => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

/// The shortest path that means the same.
pub(crate) fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match kept.last() {
                Some(&last) if last != ".." => {
                    kept.pop();
                }
                _ if rooted => {}
                _ => kept.push(".."),
            },
            part => kept.push(part),
        }
    }
    let joined = kept.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
