//! What `git` says when it fails, told apart.

use ecow::{EcoString, eco_format};

use crate::Error;

/// The error behind what git wrote in its own language-neutral locale. `sent`
/// says where credentials came from that were handed to it.
pub(super) fn of(said: &str, at: &EcoString, host: &EcoString, sent: Option<EcoString>) -> Error {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let why = first_line(said);
    if has(&[
        "Could not resolve host",
        "Failed to connect",
        "Couldn't connect",
        "Connection refused",
        "Connection timed out",
        "Operation timed out",
        "Network is unreachable",
        "No route to host",
        "Could not resolve proxy",
        "Name or service not known",
    ]) {
        return Error::Unreachable {
            host: host.clone(),
            why,
        };
    }
    if has(&[
        "SSL certificate problem",
        "certificate verification failed",
        "SSL peer certificate",
        "Host key verification failed",
        "gnutls_handshake",
        "SSL_ERROR",
        "unable to get local issuer",
    ]) {
        return Error::Tls {
            host: host.clone(),
            why,
        };
    }
    if let Some(status) = redirect(said) {
        let at = at.clone();
        return Error::Status { at, status };
    }
    if has(&["requested URL returned error: 429"]) {
        return Error::RateLimited {
            host: host.clone(),
            after: None,
        };
    }
    if has(&[
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "Permission denied",
        "returned error: 401",
        "returned error: 403",
        "terminal prompts disabled",
    ]) {
        return Error::Unauthorized {
            at: at.clone(),
            sent,
        };
    }
    if has(&[
        "not found",
        "returned error: 404",
        "does not appear to be a git repository",
        "does not exist",
        "No such file or directory",
    ]) {
        return Error::RepositoryMissing(at.clone());
    }
    if has(&["Operation too slow", "too slow"]) {
        return Error::TooSlow {
            at: at.clone(),
            why,
        };
    }
    Error::answer(at, why)
}

/// The status with which a server sends whoever asks elsewhere.
fn redirect(said: &str) -> Option<u16> {
    let (_, rest) = said.split_once("requested URL returned error: 3")?;
    let digits = rest.get(..2)?;
    format!("3{digits}").parse().ok()
}

/// Whether it may go better another time.
pub(super) fn may_pass(error: &Error, said: &str) -> bool {
    let server = (500..=504).any(|status| said.contains(&format!("returned error: {status}")));
    let broken = [
        "early EOF",
        "hung up unexpectedly",
        "RPC failed",
        "reset by peer",
    ];
    matches!(error, Error::RateLimited { .. })
        || (matches!(error, Error::Answer { .. })
            && (server || broken.iter().any(|word| said.contains(word))))
}

/// The line that says most, without addresses that may hold credentials.
fn first_line(said: &str) -> EcoString {
    let mut lines = said.lines().map(str::trim);
    let telling = lines
        .clone()
        .find(|line| line.starts_with("fatal:") || line.starts_with("ssh:"))
        .or_else(|| lines.find(|line| !line.is_empty()));
    let line = telling.unwrap_or("git failed");
    let line = line.strip_prefix("fatal: ").unwrap_or(line);
    let words = line.split(' ').map(|word| match word.contains("://") {
        true => crate::url::shown(word.trim_matches(['\'', '"', ':', ','])),
        false => word.chars().filter(|c| !c.is_control()).collect(),
    });
    let words: Vec<EcoString> = words.collect();
    eco_format!("{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_apart_and_hide_credentials() {
        let of = |said: &str| of(said, &"https://h/x".into(), &"h".into(), None);
        for (said, class) in [
            (
                "fatal: unable to access 'https://h/x/': Could not resolve host: h",
                "unreachable",
            ),
            (
                "fatal: could not read Username for 'https://h': terminal prompts disabled",
                "authentication-required",
            ),
            (
                "remote: Repository not found.\nfatal: repository 'https://h/x/' not found",
                "repository-missing",
            ),
            (
                "fatal: unable to access 'https://h/': server certificate verification failed. CAfile: none",
                "tls",
            ),
            (
                "fatal: unable to access 'https://h/': The requested URL returned error: 429",
                "rate-limited",
            ),
            ("fatal: the moon is full", "answer"),
        ] {
            assert_eq!(of(said).class(), class, "{said}");
        }
        let error =
            of("fatal: unable to access 'https://u:secret@h/x?token=secret': Failed to connect");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
