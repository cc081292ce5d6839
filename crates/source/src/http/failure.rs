//! What went wrong between here and a server.

use std::io;
use std::time::Instant;

use ecow::eco_format;
use ureq::Timeout;

use super::private;
use crate::Error;
use crate::url::Url;

/// Whether an error is the host's, whatever is asked of it.
pub(super) fn concerns_host(error: &Error) -> bool {
    matches!(
        error,
        Error::Unreachable { .. } | Error::PrivateNetwork { .. } | Error::Tls { .. }
    )
}

/// The error of a request that got no answer.
pub(super) fn of(error: ureq::Error, at: &Url, started: Instant) -> Error {
    let host = at.authority();
    let unreachable = |why: &dyn std::fmt::Display| Error::Unreachable {
        host: host.clone(),
        why: eco_format!("{why}"),
    };
    let waited = || eco_format!("no answer within {} s", started.elapsed().as_secs().max(1));
    match error {
        ureq::Error::HostNotFound => unreachable(&"there is no host of that name"),
        ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => unreachable(&waited()),
        ureq::Error::Timeout(_) => Error::TooSlow {
            at: at.bare(),
            why: waited(),
        },
        ureq::Error::ConnectionFailed => unreachable(&"no connection"),
        ureq::Error::InvalidProxyUrl => unreachable(&"the address of the proxy is not valid"),
        ureq::Error::ConnectProxyFailed(why) => unreachable(&eco_format!("the proxy says: {why}")),
        ureq::Error::Tls(why) => tls(at, &why),
        ureq::Error::Rustls(error) => tls(at, &error),
        ureq::Error::Pem(_) => tls(at, &"a certificate or key file is not valid"),
        ureq::Error::Io(error) => of_io(&error, at),
        error => Error::answer(at.bare(), error),
    }
}

fn tls(at: &Url, why: &dyn std::fmt::Display) -> Error {
    Error::Tls {
        host: at.authority(),
        why: eco_format!("{why}"),
    }
}

fn of_io(error: &io::Error, at: &Url) -> Error {
    let host = at.authority();
    if private::is_refusal(error) {
        return Error::PrivateNetwork { host };
    }
    match error.kind() {
        // The only reader of anything at this point is the handshake.
        io::ErrorKind::InvalidData if at.is_secure() => tls(at, error),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::InvalidData => Error::answer(at.bare(), error),
        _ => Error::Unreachable {
            host,
            why: match error.to_string() {
                // What the system's resolver says is long.
                text if text.contains("lookup address") => "there is no host of that name".into(),
                text => eco_format!("{text}"),
            },
        },
    }
}
