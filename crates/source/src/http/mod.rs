//! Asking servers politely and carefully.
//!
//! One [`Client`] serves a whole run. Whatever is fetched goes through it, so
//! its limits hold for all: how many requests a host gets at once, how often a
//! request is tried again and when, how much and how long an answer may be,
//! which networks may be reached, and where credentials go.

mod body;
mod failure;
mod host;
mod private;
mod proxy;
mod retry;
mod tls;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ecow::{EcoString, eco_format};
use ureq::Agent;
use ureq::unversioned::transport::DefaultConnector;

pub(crate) use private::is_private as is_private_address;
pub use proxy::Proxy;
pub use tls::{Pem, TlsFiles};

use crate::auth::Login;
use crate::url::Url;
use crate::{Error, lock};
use host::Host;
pub(crate) use host::Trust;
use private::Guarded;

/// Redirects of one request.
const MAX_REDIRECTS: usize = 10;
const USER_AGENT: &str = concat!("fluxlint/", env!("CARGO_PKG_VERSION"));

/// How long to wait for what, and how often to try.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Until a connection stands, names included.
    pub connect: Duration,
    /// Until the head of an answer is there.
    pub answer: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// From when on an answer must have come with [`Patience::least`].
    pub grace: Duration,
    /// Bytes a second that an answer must come with on average.
    pub least: u64,
    /// For a whole answer.
    pub whole: Duration,
    /// Tries of one request.
    pub tries: u32,
    /// Wait before the second try; doubles with each.
    pub pause: Duration,
    /// The longest wait that is waited at all.
    pub longest_pause: Duration,
    /// Requests to one host at once.
    pub parallel: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            connect: Duration::from_secs(10),
            answer: Duration::from_secs(60),
            idle: Duration::from_secs(30),
            grace: Duration::from_secs(15),
            least: 1 << 10,
            whole: Duration::from_secs(600),
            tries: 4,
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
            parallel: 6,
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Where.
    pub url: &'a Url,
    /// `GET` or, with content, `POST`.
    pub content: Option<(&'a str, &'a [u8])>,
    /// Further headers. None of them may hold credentials, unless the request
    /// [stays](Ask::stays).
    pub headers: &'a [(&'a str, &'a str)],
    /// Who asks. Not sent to other servers a redirect leads to.
    pub login: Option<&'a Login>,
    /// Certificates to be used instead of the machine's.
    pub tls: Option<&'a TlsFiles>,
    /// A proxy to be used instead of the machine's.
    pub proxy: Option<&'a Proxy>,
    /// Only this server is asked: redirects to another are an error.
    pub stays: bool,
    /// Bytes of the answer.
    pub limit: u64,
}

impl<'a> Ask<'a> {
    /// A plain request.
    pub fn new(url: &'a Url, limit: u64) -> Self {
        Ask {
            url,
            content: None,
            headers: &[],
            login: None,
            tls: None,
            proxy: None,
            stays: false,
            limit,
        }
    }
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Headers by lower-case name.
    pub headers: Vec<(String, String)>,
    /// Content, whole.
    pub body: Vec<u8>,
    /// Where it came from in the end.
    pub url: Url,
}

impl Reply {
    /// The first header of a name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name)?;
        Some(&found.1)
    }

    /// Whether it is what was asked for.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// What a status that is no success says of a thing at an address.
    pub fn failure(&self, at: EcoString, login: Option<&Login>) -> Error {
        match self.status {
            401 | 403 => Error::Unauthorized {
                at,
                sent: login.map(|login| login.whence.clone()),
            },
            404 | 410 => Error::RepositoryMissing(at),
            status => Error::Status { at, status },
        }
    }
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests sent, repeated and redirected ones included.
    pub requests: u64,
    /// Bytes of content received.
    pub bytes: u64,
}

/// Scheme, name and port of a host, and the proxy behind which it is.
type Place = (EcoString, Option<Proxy>);

/// How a server is reached.
#[derive(PartialEq, Eq, Hash)]
struct Way {
    tls: Option<TlsFiles>,
    proxy: Option<Proxy>,
}

/// Asks servers.
pub struct Client {
    patience: Patience,
    no_private_network: bool,
    agents: Mutex<HashMap<Way, Agent>>,
    hosts: Mutex<HashMap<Place, Arc<Host>>>,
    requests: AtomicU64,
    bytes: AtomicU64,
}

impl Client {
    /// A client that waits so long and, if told, refuses private networks.
    pub fn new(patience: Patience, no_private_network: bool) -> Self {
        Client {
            patience,
            no_private_network,
            agents: Mutex::default(),
            hosts: Mutex::default(),
            requests: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    /// What was asked and received so far.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            requests: self.requests.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }

    /// Sends a request and follows redirects. Any status that is no redirect
    /// is an answer.
    pub fn send(&self, ask: &Ask<'_>) -> Result<Reply, Error> {
        let mut ask = ask.clone();
        let mut at = ask.url.clone();
        let trust = ask.tls.map(TlsFiles::without_client);
        for _ in 0..=MAX_REDIRECTS {
            let reply = self.send_patiently(&ask, &at)?;
            let Some(next) = redirect(&reply)? else {
                return Ok(reply);
            };
            if !at.same_server(&next) {
                if ask.stays {
                    let why = format!("it redirects to {}", next.bare());
                    return Err(Error::answer(at.bare(), why));
                }
                ask.login = None;
                ask.tls = trust.as_ref();
            }
            if ask.content.is_some() && !matches!(reply.status, 307 | 308) {
                ask.content = None;
            }
            at = next;
        }
        let why = format!("more than {MAX_REDIRECTS} redirects");
        Err(Error::answer(ask.url.bare(), why))
    }

    /// Sends a request until there is an answer other than "later".
    fn send_patiently(&self, ask: &Ask<'_>, at: &Url) -> Result<Reply, Error> {
        let host = self.host(at, ask.proxy);
        let trust = match ask.tls {
            Some(_) => Trust::Own,
            None => Trust::Machine,
        };
        for tried in 1.. {
            host.wait_until_welcome(self.patience.longest_pause)?;
            let result = {
                let _turn = host.turn();
                host.try_reach(trust, || self.send_once(ask, at))
            };
            let last = tried >= self.patience.tries;
            match retry::verdict(&result, last, tried, &self.patience) {
                retry::Verdict::Done => return result,
                retry::Verdict::GiveUp { after } => {
                    return Err(retry::given_up(result, at, after));
                }
                retry::Verdict::Again { pause, for_all } => {
                    if for_all {
                        host.hold(pause);
                    } else {
                        std::thread::sleep(pause);
                    }
                }
            }
        }
        Err(Error::answer(at.bare(), "it was never asked"))
    }

    fn send_once(&self, ask: &Ask<'_>, at: &Url) -> Result<Reply, Error> {
        if self.no_private_network && private::is_private_name(at.host()) {
            return Err(Error::PrivateNetwork {
                host: at.authority(),
            });
        }
        let agent = self.agent(ask, at)?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let started = Instant::now();
        let answer = run(&agent, ask, at).map_err(|error| failure::of(error, at, started))?;
        let status = answer.status().as_u16();
        let headers = answer.headers().iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        });
        let headers = headers.collect();
        let body = body::read(answer.into_body(), ask.limit, at, &self.patience)?;
        self.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
        Ok(Reply {
            status,
            headers,
            body,
            url: at.clone(),
        })
    }

    /// Runs something else that asks a host, as politely: not too many at once,
    /// and not at all when the host cannot be reached.
    pub(crate) fn guard<T>(
        &self,
        host: &str,
        trust: Trust,
        proxy: Option<&Proxy>,
        ask: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let host = self.host_of("other", host.into(), proxy);
        let _turn = host.turn();
        host.try_reach(trust, || {
            self.requests.fetch_add(1, Ordering::Relaxed);
            ask()
        })
    }

    pub(crate) fn patience(&self) -> &Patience {
        &self.patience
    }

    pub(crate) fn no_private_network(&self) -> bool {
        self.no_private_network
    }

    fn host(&self, at: &Url, proxy: Option<&Proxy>) -> Arc<Host> {
        let scheme = if at.is_secure() { "https" } else { "http" };
        self.host_of(scheme, at.authority(), proxy)
    }

    /// A host as it is reached: through another proxy it is another one.
    fn host_of(&self, scheme: &str, name: EcoString, proxy: Option<&Proxy>) -> Arc<Host> {
        let key = (eco_format!("{scheme} {name}"), proxy.cloned());
        let mut hosts = lock(&self.hosts);
        let new = || Arc::new(Host::new(name, self.patience.parallel));
        hosts.entry(key).or_insert_with(new).clone()
    }

    fn agent(&self, ask: &Ask<'_>, at: &Url) -> Result<Agent, Error> {
        let way = Way {
            tls: ask.tls.cloned(),
            proxy: ask.proxy.cloned(),
        };
        let mut agents = lock(&self.agents);
        if let Some(agent) = agents.get(&way) {
            return Ok(agent.clone());
        }
        let proxy = match &way.proxy {
            Some(proxy) => Some(proxy.open()?),
            None => ureq::Proxy::try_from_env(),
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(USER_AGENT)
            .tls_config(tls::config(ask.tls, at)?)
            .proxy(proxy)
            .timeout_resolve(Some(self.patience.connect))
            .timeout_connect(Some(self.patience.connect))
            .timeout_recv_response(Some(self.patience.answer))
            .timeout_per_read(Some(self.patience.idle))
            .timeout_global(Some(self.patience.whole))
            .max_idle_connections_per_host(self.patience.parallel)
            .build();
        let own_proxy = way.proxy.is_none();
        let resolver = Guarded::new(self.no_private_network, own_proxy);
        let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
        agents.insert(way, agent.clone());
        Ok(agent)
    }
}

type Answer = ureq::http::Response<ureq::Body>;

fn run(agent: &Agent, ask: &Ask<'_>, at: &Url) -> Result<Answer, ureq::Error> {
    let mut headers: Vec<(&str, String)> = ask
        .headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    if let Some(login) = ask.login {
        headers.push(("authorization", login.header()));
    }
    match ask.content {
        None => {
            let mut request = agent.get(at.wire());
            for (name, value) in headers {
                request = request.header(name, value);
            }
            request.call()
        }
        Some((kind, content)) => {
            let mut request = agent.post(at.wire()).header("content-type", kind);
            for (name, value) in headers {
                request = request.header(name, value);
            }
            request.send(content)
        }
    }
}

/// Where an answer sends whoever asked.
fn redirect(reply: &Reply) -> Result<Option<Url>, Error> {
    if !matches!(reply.status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = reply.header("location") else {
        return Err(Error::answer(reply.url.bare(), "a redirect to nowhere"));
    };
    let next = reply.url.join(location)?;
    if reply.url.is_secure() && !next.is_secure() {
        let why = format!("it redirects to the insecure {}", next.bare());
        return Err(Error::answer(reply.url.bare(), why));
    }
    Ok(Some(next))
}
