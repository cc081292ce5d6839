//! Addresses of Git repositories and artifacts, compared.

use ecow::{EcoString, eco_format};

/// The form in which two spellings of one repository's address are equal:
/// `host/path` with the host in lower case, without scheme, user, default port,
/// `.git` and slashes at the end. `git@host:path` is understood. An `oci://`
/// address keeps its scheme: a registry is no Git server.
pub(crate) fn canonical_url(url: &str) -> EcoString {
    let url = url.trim();
    if let Some(rest) = url.strip_prefix("oci://") {
        return eco_format!("oci://{}", host_and_path(rest));
    }
    match url.split_once("://") {
        Some((_, rest)) => host_and_path(rest),
        None => match url.split_once(':') {
            // The scp form has no slash before the colon.
            Some((host, path)) if !host.contains('/') => {
                host_and_path(&format!("{host}/{}", path.trim_start_matches('/')))
            }
            _ => host_and_path(url),
        },
    }
}

/// An address without the user and the password in it.
pub(crate) fn without_user(url: &str) -> EcoString {
    let parts = url.split_once("://").and_then(|(scheme, rest)| {
        let authority = rest.split('/').next()?;
        let (user, _) = authority.rsplit_once('@')?;
        Some((scheme, rest.get(user.len() + 1..)?))
    });
    match parts {
        Some((scheme, rest)) => eco_format!("{scheme}://{rest}"),
        None => url.into(),
    }
}

fn host_and_path(rest: &str) -> EcoString {
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = [":443", ":22", ":80"]
        .iter()
        .find_map(|port| host.strip_suffix(port))
        .unwrap_or(host);
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_matches('/');
    eco_format!("{}/{path}", host.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_repository_are_equal() {
        let expected = "git.example.com/Team/fleet";
        for url in [
            "https://git.example.com/Team/fleet",
            "https://git.example.com/Team/fleet.git",
            "https://user:token@Git.Example.com/Team/fleet/",
            "ssh://git@git.example.com/Team/fleet",
            "ssh://git@git.example.com:22/Team/fleet.git",
            "git@git.example.com:Team/fleet.git",
            "git@git.example.com:/Team/fleet.git",
            "git.example.com/Team/fleet",
        ] {
            assert_eq!(canonical_url(url), expected, "{url}");
        }
        assert_eq!(
            canonical_url("oci://R.example.com/a/b"),
            "oci://r.example.com/a/b"
        );
        assert_ne!(
            canonical_url("https://git.example.com/team/fleet"),
            expected
        );
    }
}
