//! Who asks: the credentials that this machine or the repository has.
//!
//! Nothing here is shown or stored. What is read is read when the first server
//! is asked, and kept for the run.

#[cfg(feature = "bucket")]
mod aws;
mod docker;
mod helm;
mod netrc;
mod ssh;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ecow::{EcoString, eco_format};

use crate::http::{Proxy, TlsFiles};
use crate::lock;
use crate::url::Url;
#[cfg(feature = "bucket")]
pub(crate) use aws::Keys;
use docker::DockerConfig;
use helm::HelmRepositories;
use netrc::Netrc;
pub use ssh::SshKey;

/// Files of credentials are small.
const MAX_FILE: u64 = 4 << 20;

/// Credentials, and where they come from.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    secret: Secret,
    /// Where they come from, as messages name it.
    pub whence: EcoString,
}

#[derive(Clone, PartialEq, Eq)]
enum Secret {
    Basic(EcoString, EcoString),
    Bearer(EcoString),
    /// Exchanged for a token where registries ask for one.
    Identity(EcoString),
}

impl Login {
    /// A name and a password.
    pub fn basic(user: &str, password: &str, whence: impl Into<EcoString>) -> Self {
        Login {
            secret: Secret::Basic(user.into(), password.into()),
            whence: whence.into(),
        }
    }

    /// A token.
    pub fn bearer(token: &str, whence: impl Into<EcoString>) -> Self {
        Login {
            secret: Secret::Bearer(token.into()),
            whence: whence.into(),
        }
    }

    pub(crate) fn identity(token: &str, whence: impl Into<EcoString>) -> Self {
        Login {
            secret: Secret::Identity(token.into()),
            whence: whence.into(),
        }
    }

    /// The token to be exchanged, if it is one.
    pub(crate) fn identity_token(&self) -> Option<&str> {
        match &self.secret {
            Secret::Identity(token) => Some(token),
            _ => None,
        }
    }

    /// The name and the password, if it is such a pair.
    #[cfg(feature = "bucket")]
    pub(crate) fn pair(&self) -> Option<(&str, &str)> {
        match &self.secret {
            Secret::Basic(name, password) => Some((name, password)),
            _ => None,
        }
    }

    /// The value of an `Authorization` header.
    pub(crate) fn header(&self) -> String {
        match &self.secret {
            Secret::Basic(user, password) => {
                format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
            }
            Secret::Bearer(token) | Secret::Identity(token) => format!("Bearer {token}"),
        }
    }
}

/// Without what is secret.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({})", self.whence)
    }
}

/// How a source is to be asked: what its object in the repository says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Credentials the repository holds readably.
    pub login: Option<Login>,
    /// Certificates the repository holds readably.
    pub tls: Option<TlsFiles>,
    /// A key for SSH the repository holds readably.
    pub ssh: Option<SshKey>,
    /// Credentials of a chart repository also go to other hosts that its
    /// index names.
    pub pass_credentials: bool,
    /// The registry speaks plain HTTP.
    pub insecure: bool,
    /// Through which requests go.
    pub proxy: Option<Proxy>,
    /// A cloud whose own way of logging in the source asks for, by its name in
    /// `spec.provider`. It is not gone here.
    pub provider: Option<EcoString>,
}

impl Access {
    /// Whether it says who asks.
    fn names_who_asks(&self) -> bool {
        let certificate = self.tls.as_ref().is_some_and(|tls| tls.client.is_some());
        self.login.is_some() || self.ssh.is_some() || certificate
    }
}

/// The environment of a process.
pub type Environment = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// The credentials of a machine and of the repository.
pub struct Credentials {
    environment: Environment,
    netrc: OnceLock<Netrc>,
    docker: OnceLock<DockerConfig>,
    helm: OnceLock<HelmRepositories>,
    told: Mutex<HashMap<EcoString, Access>>,
}

impl Credentials {
    /// Those of the machine, as environment variables name their places.
    pub fn new(environment: Environment) -> Self {
        Credentials {
            environment,
            netrc: OnceLock::new(),
            docker: OnceLock::new(),
            helm: OnceLock::new(),
            told: Mutex::default(),
        }
    }

    /// Says how sources at an address are to be asked. The first word counts,
    /// and the first that names credentials.
    pub fn tell(&self, address: &str, access: Access) {
        let mut told = lock(&self.told);
        let known = told.entry(address_key(address)).or_default();
        let says_more = access.names_who_asks() && !known.names_who_asks();
        if *known == Access::default() || says_more {
            *known = access;
        }
    }

    /// How an address is to be asked: as is said of it, or of the nearest
    /// address above.
    pub fn access(&self, address: &str) -> Access {
        let told = lock(&self.told);
        let key = address_key(address);
        let mut above = Some(key.as_str());
        while let Some(address) = above {
            if let Some(access) = told.get(address) {
                return access.clone();
            }
            let parent = address.rsplit_once('/').map(|(parent, _)| parent);
            above = parent.filter(|parent| !parent.ends_with('/'));
        }
        Access::default()
    }

    /// Who asks a server: the address itself says it, or Helm's or curl's
    /// configuration.
    pub fn of_server(&self, url: &Url) -> Option<Login> {
        if let Some((user, password)) = url.user() {
            return Some(Login::basic(user, password, "the address itself"));
        }
        self.helm().login(url).or_else(|| self.netrc().login(url))
    }

    /// The certificates that Helm's configuration has for a chart repository.
    pub fn tls_of_server(&self, url: &Url) -> Option<TlsFiles> {
        self.helm().tls(url)
    }

    /// Who asks a registry.
    pub fn of_registry(&self, registry: &str) -> Option<Login> {
        let docker = || DockerConfig::open(&*self.environment);
        let found = self.docker.get_or_init(docker).login(registry);
        found.or_else(|| {
            let url = Url::parse(&format!("https://{registry}/")).ok()?;
            self.netrc().login(&url)
        })
    }

    /// Who asks a bucket at a server.
    #[cfg(feature = "bucket")]
    pub(crate) fn of_bucket(&self, server: &Url) -> Option<Keys> {
        aws::keys(&*self.environment, server)
    }

    fn netrc(&self) -> &Netrc {
        self.netrc.get_or_init(|| Netrc::open(&*self.environment))
    }

    fn helm(&self) -> &HelmRepositories {
        let open = || HelmRepositories::open(&*self.environment);
        self.helm.get_or_init(open)
    }
}

/// Addresses that differ in a slash at the end, or in who asks, are one.
fn address_key(address: &str) -> EcoString {
    let shown = crate::url::shown(address);
    shown.trim_end_matches('/').into()
}

type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

fn variable(environment: Variables<'_>, name: &str) -> Option<PathBuf> {
    environment(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn home(environment: Variables<'_>) -> Option<PathBuf> {
    variable(environment, "HOME").or_else(|| variable(environment, "USERPROFILE"))
}

fn read_small(path: &Path) -> Option<Vec<u8>> {
    let found = std::fs::metadata(path).ok()?;
    if !found.is_file() || found.len() > MAX_FILE {
        return None;
    }
    std::fs::read(path).ok()
}

fn whence(path: &Path) -> EcoString {
    // Names of users are nobody's business in a report.
    let name = path.file_name().and_then(|name| name.to_str());
    match name {
        Some("config.json") => "Docker's config.json".into(),
        Some("repositories.yaml") => "Helm's repositories.yaml".into(),
        Some(name) => eco_format!("{name}"),
        None => "this machine".into(),
    }
}

/// The credentials for a registry in Docker's form, as a Secret of type
/// `kubernetes.io/dockerconfigjson` has it.
pub fn docker_login(json: &[u8], registry: &str, whence: &str) -> Option<Login> {
    docker::of_secret(json, registry, &whence.into())
}

/// `user:password` in Base64.
fn decoded_pair(text: &str) -> Option<(EcoString, EcoString)> {
    let bytes = STANDARD.decode(text.trim()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (user, password) = text.split_once(':')?;
    Some((user.into(), password.trim_end_matches('\0').into()))
}
