//! Why something could not be had.

use std::fmt;

use ecow::{EcoString, eco_format};

/// Why something could not be had. Its text names no credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// It is not in the cache, and no network is to be used.
    Offline(EcoString),
    /// The host did not answer: no such name, no route, refused, no answer in
    /// time.
    Unreachable {
        /// Name and port.
        host: EcoString,
        /// What happened.
        why: EcoString,
    },
    /// The host is in a private network, and those are not to be used.
    PrivateNetwork {
        /// Name and port.
        host: EcoString,
    },
    /// The host wants to know who asks (nothing was sent), or did not accept
    /// what was sent.
    Unauthorized {
        /// Address without query.
        at: EcoString,
        /// Whether credentials were sent, and where they come from.
        sent: Option<EcoString>,
    },
    /// The host wants a login that a cloud gives its own machines, which is not
    /// asked for here, and took none that this machine has.
    Provider {
        /// Address without query.
        at: EcoString,
        /// The cloud, as `spec.provider` names it.
        provider: EcoString,
    },
    /// There is no such repository or file.
    RepositoryMissing(EcoString),
    /// The repository exists, and has no such tag, version, branch, commit or
    /// chart.
    ReferenceMissing {
        /// What was asked for, such as `version 1.2.3 of chart app`.
        what: EcoString,
        /// The repository's address.
        at: EcoString,
        /// What there is instead, nearest first.
        nearest: Vec<EcoString>,
    },
    /// The host cannot prove who it is, or speaks no TLS.
    Tls {
        /// Name and port.
        host: EcoString,
        /// What is wrong.
        why: EcoString,
    },
    /// What came is not what the digest names.
    Digest {
        /// Address.
        at: EcoString,
        /// The digest it should have.
        wanted: EcoString,
        /// The digest it has.
        found: EcoString,
    },
    /// More than is allowed.
    TooLarge {
        /// Address.
        at: EcoString,
        /// The limit, in bytes.
        limit: u64,
    },
    /// It comes too slowly to wait for.
    TooSlow {
        /// Address.
        at: EcoString,
        /// What was waited for.
        why: EcoString,
    },
    /// The host asks to come back later than is worth waiting for, or again and
    /// again.
    RateLimited {
        /// Name and port.
        host: EcoString,
        /// Seconds it asked for at last, if it did.
        after: Option<u64>,
    },
    /// The host answered with a status that says no more.
    Status {
        /// Address.
        at: EcoString,
        /// The status.
        status: u16,
    },
    /// The address is not understood, or is of a kind that is not fetched.
    Address(EcoString),
    /// The answer makes no sense.
    Answer {
        /// Address.
        at: EcoString,
        /// What is wrong.
        why: EcoString,
    },
    /// The cache cannot be read or written.
    Cache(EcoString),
    /// The run ends before its time.
    Stopped,
}

impl Error {
    /// That an answer makes no sense.
    pub fn answer(at: impl fmt::Display, why: impl fmt::Display) -> Self {
        Error::Answer {
            at: eco_format!("{at}"),
            why: eco_format!("{why}"),
        }
    }

    /// Whether it is sure that what was asked for does not exist: the place was
    /// reached and said so.
    pub fn is_missing(&self) -> bool {
        matches!(self, Error::ReferenceMissing { .. })
    }

    /// Whether it is a host's answer that something is not there, and no failure
    /// to ask it. A repository that is not there may only be hidden from whoever
    /// asks.
    pub fn is_answer(&self) -> bool {
        self.is_missing() || matches!(self, Error::RepositoryMissing(_))
    }

    /// The class of the failure in a word or two, for programs.
    pub fn class(&self) -> &'static str {
        match self {
            Error::Offline(_) => "offline",
            Error::Unreachable { .. } => "unreachable",
            Error::PrivateNetwork { .. } => "private-network",
            Error::Unauthorized { sent: None, .. } => "authentication-required",
            Error::Unauthorized { .. } => "authentication-refused",
            Error::Provider { .. } => "authentication-required",
            Error::RepositoryMissing(_) => "repository-missing",
            Error::ReferenceMissing { .. } => "reference-missing",
            Error::Tls { .. } => "tls",
            Error::Digest { .. } => "digest-mismatch",
            Error::TooLarge { .. } => "too-large",
            Error::TooSlow { .. } => "too-slow",
            Error::RateLimited { .. } => "rate-limited",
            Error::Status { .. } => "status",
            Error::Address(_) => "address",
            Error::Answer { .. } => "answer",
            Error::Cache(_) => "cache",
            Error::Stopped => "stopped",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Offline(what) => write!(
                f,
                "{what} is not in the cache, and --offline forbids to fetch it"
            ),
            Error::Unreachable { host, why } => write!(f, "{host} is unreachable: {why}"),
            Error::PrivateNetwork { host } => write!(
                f,
                "{host} is in a private network, and --no-private-network forbids to ask it"
            ),
            Error::Unauthorized { at, sent: None } => write!(
                f,
                "{at} requires authentication, and this machine has no credentials for it"
            ),
            Error::Unauthorized {
                at,
                sent: Some(whence),
            } => write!(f, "{at} refused the credentials of {whence}"),
            Error::Provider { at, provider } => write!(
                f,
                "{at} requires authentication, and `provider: {provider}` logs in as only machines \
                 of that provider can; log this machine in to it in another way, such as by a \
                 credential helper"
            ),
            Error::RepositoryMissing(at) => write!(f, "{at} does not exist"),
            Error::ReferenceMissing { what, at, nearest } => {
                write!(f, "{at} has no {what}")?;
                match nearest.as_slice() {
                    [] => Ok(()),
                    [one] => write!(f, "; nearest is {one}"),
                    many => write!(f, "; nearest are {}", many.join(", ")),
                }
            }
            Error::Tls { host, why } => write!(f, "no secure connection to {host}: {why}"),
            Error::Digest { at, wanted, found } => write!(
                f,
                "{at} is not what its digest names: {wanted} was promised, {found} came"
            ),
            Error::TooLarge { at, limit } => {
                write!(f, "{at} is larger than the limit of {}", Bytes(*limit))
            }
            Error::TooSlow { at, why } => write!(f, "{at} comes too slowly: {why}"),
            Error::RateLimited { host, after } => {
                write!(f, "{host} limits how often it may be asked")?;
                match after {
                    // The same for all who ask within a while: it is one reason.
                    Some(seconds) => write!(
                        f,
                        " and wants to be left alone for {} min",
                        seconds.div_ceil(60)
                    ),
                    None => Ok(()),
                }
            }
            Error::Status { at, status } => write!(f, "{at} answered with status {status}"),
            Error::Address(why) => write!(f, "{why}"),
            Error::Answer { at, why } => write!(f, "the answer of {at} makes no sense: {why}"),
            Error::Cache(why) => write!(f, "the cache cannot be used: {why}"),
            Error::Stopped => write!(f, "the run was ended"),
        }
    }
}

impl std::error::Error for Error {}

/// A size as people read it.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes % (1 << 20) == 0 => write!(f, "{} MiB", bytes >> 20),
            bytes if bytes % (1 << 10) == 0 => write!(f, "{} KiB", bytes >> 10),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}
