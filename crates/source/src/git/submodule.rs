//! Where a repository's submodules come from: `.gitmodules`.

use ecow::{EcoString, eco_format};

/// A submodule that a repository names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Where it lies in the repository.
    pub path: EcoString,
    /// Its address as written.
    pub url: EcoString,
}

/// Reads a `.gitmodules` file. Entries without a path or an address are left
/// out, as Git leaves them out.
pub(super) fn read(text: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            found.push(Named::default());
            continue;
        }
        let (Some(last), Some((name, value))) = (found.last_mut(), line.split_once('=')) else {
            continue;
        };
        let value = unquoted(value.trim());
        match name.trim().to_ascii_lowercase().as_str() {
            "path" => last.path = vfs::normalize(&value).unwrap_or_default(),
            "url" => last.url = value,
            _ => {}
        }
    }
    found.retain(|named| !named.path.is_empty() && !named.url.is_empty());
    found
}

fn unquoted(value: &str) -> EcoString {
    let inner = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    match inner {
        Some(inner) => inner.replace("\\\"", "\"").replace("\\\\", "\\").into(),
        None => {
            let comment = value.find([' ', '\t']).filter(|at| {
                let rest = value.get(*at..).unwrap_or_default().trim_start();
                rest.starts_with(['#', ';'])
            });
            value
                .get(..comment.unwrap_or(value.len()))
                .unwrap_or_default()
                .into()
        }
    }
}

/// The address of a submodule of the repository at another: `./` and `../` are
/// seen from there.
pub(super) fn address(base: &str, url: &str) -> EcoString {
    if !url.starts_with("./") && !url.starts_with("../") {
        return url.into();
    }
    let mut base = base.trim_end_matches('/');
    let (mut rest, mut joint) = (url, "/");
    loop {
        if let Some(behind) = rest.strip_prefix("../") {
            rest = behind;
            match base.rsplit_once('/') {
                // Not into the address's scheme or host.
                Some((above, _)) if !above.ends_with('/') => base = above,
                Some(_) => {}
                None => {
                    base = base.split_once(':').map_or(base, |(host, _)| host);
                    joint = ":";
                }
            }
        } else if let Some(behind) = rest.strip_prefix("./") {
            rest = behind;
        } else {
            return eco_format!("{base}{joint}{rest}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read() {
        let text = "# c\n[submodule \"a\"]\n\tpath = vendor/a\n\turl = ../a.git # x\n\
                    [submodule \"b\"]\n\turl = \"https://h/b \\\"\"\n\tPath = ./b/\n\tbranch = main\n\
                    [submodule \"c\"]\n\tpath = c\n[submodule \"d\"]\n\tpath = ../d\n\turl = x\n";
        let found = read(text);
        let pairs: Vec<(&str, &str)> = found
            .iter()
            .map(|named| (named.path.as_str(), named.url.as_str()))
            .collect();
        assert_eq!(pairs, [("vendor/a", "../a.git"), ("b", "https://h/b \"")]);
    }

    #[test]
    fn addresses_are_seen_from_the_repository() {
        for (base, url, expected) in [
            (
                "https://h/team/fleet.git",
                "../base.git",
                "https://h/team/base.git",
            ),
            ("https://h/team/fleet/", "../../o/base", "https://h/o/base"),
            ("https://h/fleet", "./sub", "https://h/fleet/sub"),
            ("https://h/fleet", "../../../x", "https://h/x"),
            ("git@h:team/fleet.git", "../base.git", "git@h:team/base.git"),
            ("git@h:fleet.git", "../base.git", "git@h:base.git"),
            ("https://h/fleet", "https://other/x", "https://other/x"),
        ] {
            assert_eq!(address(base, url), expected, "{base} {url}");
        }
    }
}
