//! Running `git` so that it asks nobody, waits for nothing and touches nothing.

use std::net::{IpAddr, ToSocketAddrs};
use std::path::Path;
use std::process::{Command, Stdio};

use ecow::{EcoString, eco_format};

use super::failure;
use super::handed::Handed;
use super::settings::Settings;
use super::ssh::{self, KeyFiles, Pinned};
use super::watch::{self, Watch};
use crate::Error;
use crate::auth::{Access, Login, SshKey};
use crate::fetch::Sources;
use crate::http::{Ask, Trust, is_private_address};
use crate::url::{Url, shown};

/// Bytes of the answer that tells where a server redirects to.
const MAX_PROBE: u64 = 64 << 20;

/// The one address of a host that may be asked.
struct Guard {
    name: EcoString,
    port: u16,
    address: IpAddr,
}

/// A repository and how it is asked.
pub(super) struct Git<'a> {
    sources: &'a Sources,
    /// The address without credentials.
    pub shown: EcoString,
    host: EcoString,
    transport: Transport,
    login: Option<Login>,
    access: Access,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Transport {
    Http,
    Ssh,
    File,
}

impl<'a> Git<'a> {
    /// Reads an address: `https://`, `http://`, `ssh://`, `file://` or
    /// `user@host:path`.
    pub fn new(sources: &'a Sources, address: &str) -> Result<Self, Error> {
        let address = address.trim();
        let refuse = |why: &str| Err(Error::Address(eco_format!("{} {why}", shown(address))));
        if address.starts_with('-') || address.chars().any(|c| c.is_control() || c == ' ') {
            return refuse("is no address of a Git repository");
        }
        let (transport, rest) = match address.split_once("://") {
            Some(("http" | "https", rest)) => (Transport::Http, rest),
            Some(("ssh" | "git+ssh", rest)) => (Transport::Ssh, rest),
            Some(("file", rest)) => (Transport::File, rest),
            Some(_) => return refuse("is of a kind that is not fetched"),
            None => match address.split_once(':') {
                Some((host, _)) if !host.contains('/') => (Transport::Ssh, host),
                _ => return refuse("is no address of a Git repository"),
            },
        };
        let authority = rest.split('/').next().unwrap_or_default();
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        if host.starts_with('-') {
            return refuse("has no valid host");
        }
        let mut access = sources.credentials.access(address);
        let (shown, login) = match transport {
            Transport::Http => {
                let url = Url::parse(address)?;
                let own = url
                    .user()
                    .map(|(user, password)| Login::basic(user, password, "the address itself"));
                (eco_format!("{url}"), access.login.take().or(own))
            }
            // A user of SSH is part of the address, and no secret.
            Transport::Ssh => (address.into(), None),
            Transport::File => (shown(address), None),
        };
        Ok(Git {
            sources,
            shown,
            host: host.into(),
            transport,
            login,
            access,
        })
    }

    /// A submodule of this repository. Who asks this one asks the other, where
    /// that is on the same host; nobody's submodule is a directory of this
    /// machine.
    pub fn submodule(&self, address: &str) -> Result<Git<'a>, Error> {
        let mut inner = Git::new(self.sources, address)?;
        if inner.transport == Transport::File && self.transport != Transport::File {
            let why = eco_format!(
                "it has a submodule at {}, which is of this machine",
                inner.shown
            );
            return Err(Error::answer(&self.shown, why));
        }
        let alike = inner.host == self.host && inner.transport == self.transport;
        if alike && (inner.is_secure() || !self.is_secure()) {
            inner.login = inner.login.or_else(|| self.login.clone());
            if inner.access == Access::default() {
                inner.access = self.access.clone();
            }
        }
        Ok(inner)
    }

    fn is_secure(&self) -> bool {
        !self.shown.starts_with("http:")
    }

    /// The names of the repository and their commits.
    pub fn list(&self) -> Result<Vec<u8>, Error> {
        self.where_it_leads(|git| {
            let arguments = ["ls-remote", "--quiet", "--", git.shown.as_str()];
            git.run(None, &arguments)
        })
    }

    /// Fetches a commit into an empty directory, without its history where the
    /// server lets it.
    pub fn fetch(&self, into: &Path, commit: &str) -> Result<(), Error> {
        let format = match commit.len() {
            64 => "--object-format=sha256",
            _ => "--object-format=sha1",
        };
        self.run_here(into, &["init", "--quiet", "--bare", format, "."])?;
        self.where_it_leads(|git| git.fetch_into(into, commit))
    }

    fn fetch_into(&self, into: &Path, commit: &str) -> Result<(), Error> {
        let address = self.shown.as_str();
        let common = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
        let shallow = [&common[..], &["--depth=1", "--", address, commit]].concat();
        let all = "+refs/heads/*:refs/heads/*";
        let tags = "+refs/tags/*:refs/tags/*";
        match self.run(Some(into), &shallow) {
            // Servers may refuse what no name stands for.
            Err(Error::Answer { .. }) => {
                let whole = [&common[..], &["--", address, all, tags]].concat();
                self.run(Some(into), &whole)?;
                self.require(into, commit)
            }
            result => result.map(|_| ()),
        }
    }

    fn require(&self, repository: &Path, commit: &str) -> Result<(), Error> {
        let object = format!("{commit}^{{commit}}");
        let found = self.run_here(repository, &["cat-file", "-e", &object]);
        found.map_err(|_| Error::ReferenceMissing {
            what: eco_format!("commit {commit}"),
            at: self.shown.clone(),
            nearest: Vec::new(),
        })
    }

    /// Runs a git that asks nobody.
    fn run_here(&self, directory: &Path, arguments: &[&str]) -> Result<(), Error> {
        let result = self.run_once(Some(directory), arguments, false)?;
        result.map(|_| ()).map_err(|(error, _)| error)
    }

    /// Runs git, again when it may help, and returns what it printed.
    fn run(&self, directory: Option<&Path>, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let client = &self.sources.client;
        let patience = client.patience();
        let mut pause = patience.pause;
        for tried in 1.. {
            let proxy = self.access.proxy.as_ref();
            let result = client.guard(&self.host, self.trust(), proxy, || {
                self.run_once(directory, arguments, true)
            });
            let again = match &result {
                Ok(Err((error, said))) => failure::may_pass(error, said),
                _ => false,
            };
            if !again || tried >= patience.tries {
                return result?.map_err(|(error, _)| error);
            }
            if !self.sources.stop.sleep(pause) {
                return Err(Error::Stopped);
            }
            pause = pause.saturating_mul(2).min(patience.longest_pause);
        }
        Err(Error::answer(&self.shown, "it was never asked"))
    }

    /// Outside: errors of the host. Inside: git's own, with its words. `asks` says
    /// whether it asks the host at all.
    fn run_once(
        &self,
        directory: Option<&Path>,
        arguments: &[&str],
        asks: bool,
    ) -> Result<Result<Vec<u8>, (Error, String)>, Error> {
        // A git that is left alone would go on.
        let _busy = self.sources.busy();
        let guard = self.guard()?;
        let mut settings = self.settings(guard.as_ref());
        let mut command = self.command(arguments);
        // A git that asks nobody needs no secret.
        let _handed = match asks {
            true => Some((
                self.certificates(&mut settings, &mut command)?,
                self.secure_shell(guard.as_ref(), &mut command)?,
            )),
            false => None,
        };
        settings.hand_to(&mut command);
        let connects = asks && self.transport == Transport::Http;
        if connects {
            command.envs(watch::TRACE);
        }
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        let child = command.spawn().map_err(|error| {
            Error::Address(eco_format!(
                "{}: Git repositories are fetched by the program git, which does not run: {error}",
                self.shown
            ))
        })?;
        let watch = Watch {
            at: &self.shown,
            host: &self.host,
            patience: self.sources.client.patience(),
            stop: &self.sources.stop,
            directory,
            connects,
        };
        let done = watch.watch(child)?;
        if done.success {
            return Ok(Ok(done.printed));
        }
        let said = String::from_utf8_lossy(&done.said).into_owned();
        let error = failure::of(&said, &self.shown, &self.host, self.sent());
        match error {
            Error::Unreachable { .. } | Error::Tls { .. } => Err(error),
            error => Ok(Err((error, said))),
        }
    }

    /// Where the credentials come from that are handed to git.
    fn sent(&self) -> Option<EcoString> {
        let login = self.login.as_ref().map(|login| &login.whence);
        let key = self.key().map(|key| &key.whence);
        login.or(key).cloned()
    }

    fn key(&self) -> Option<&SshKey> {
        let key = self.access.ssh.as_ref();
        key.filter(|_| self.transport == Transport::Ssh)
    }

    fn trust(&self) -> Trust {
        match self.access.tls.is_some() || self.key().is_some() {
            true => Trust::Own,
            false => Trust::Machine,
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let patience = self.sources.client.patience();
        let mut command = Command::new("git");
        let settings = [
            "core.hooksPath=/dev/null".to_owned(),
            "gc.auto=0".to_owned(),
            "maintenance.auto=false".to_owned(),
            "credential.interactive=false".to_owned(),
            format!("http.lowSpeedLimit={}", patience.least),
            format!("http.lowSpeedTime={}", patience.idle.as_secs().max(1)),
        ];
        for setting in settings {
            command.args(["-c", &setting]);
        }
        command.args(arguments);
        // What hooks of the repository that is checked have set for it.
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_PREFIX",
            "GIT_OBJECT_DIRECTORY",
        ] {
            command.env_remove(name);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("GIT_ALLOW_PROTOCOL", self.protocols());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// What git is told besides: who asks, whom to trust, and through what.
    fn settings(&self, guard: Option<&Guard>) -> Settings {
        let mut settings = Settings::default();
        if let Some(login) = &self.login {
            let header = format!("Authorization: {}", login.header());
            settings.set(format!("http.{}.extraHeader", self.server()), header);
        }
        if let Some(proxy) = &self.access.proxy {
            settings.set("http.proxy", proxy.address());
        }
        if let Some(guard) = guard {
            let Guard {
                name,
                port,
                address,
            } = guard;
            settings.set("http.curloptResolve", format!("{name}:{port}:{address}"));
        }
        if guard.is_some() || self.login.is_some() {
            settings.set("http.followRedirects", "false");
        }
        settings
    }

    /// Has git trust the authorities, and show the certificate, that the
    /// repository names: in files that are gone when the result is dropped.
    fn certificates(
        &self,
        settings: &mut Settings,
        command: &mut Command,
    ) -> Result<Option<Handed>, Error> {
        let tls = self.access.tls.as_ref();
        let Some(tls) = tls.filter(|_| self.transport == Transport::Http) else {
            return Ok(None);
        };
        let sources = self.sources;
        let handed = Handed::new(&sources.cache.temporaries(), &sources.stop)?;
        // The machine's variables would win over settings.
        let mut hand = |setting: String, variable: &str, name: &str, bytes: &[u8]| {
            let file = handed.write(name, bytes)?;
            settings.set(setting, file.to_string_lossy());
            command.env_remove(variable);
            Ok::<(), Error>(())
        };
        if let Some(trusted) = tls.trusted() {
            let setting = "http.sslCAInfo".to_owned();
            hand(setting, "GIT_SSL_CAINFO", "ca.pem", &trusted)?;
        }
        if let Some((certificate, key)) = &tls.client {
            // Other servers that this one redirects to are not shown it.
            let server = self.server();
            let setting = format!("http.{server}.sslCert");
            hand(setting, "GIT_SSL_CERT", "client.pem", certificate)?;
            let setting = format!("http.{server}.sslKey");
            hand(setting, "GIT_SSL_KEY", "client.key", key)?;
        }
        Ok(Some(handed))
    }

    /// Has git run ssh so that it asks nobody, with the key that the repository
    /// names: in files that are gone when the result is dropped.
    fn secure_shell(
        &self,
        guard: Option<&Guard>,
        command: &mut Command,
    ) -> Result<Option<KeyFiles>, Error> {
        if self.transport == Transport::File {
            return Ok(None);
        }
        let sources = self.sources;
        let place = sources.cache.temporaries();
        let key = self.key();
        let key = key.map(|key| KeyFiles::new(key, &self.shown, &place, &sources.stop));
        let key = key.transpose()?;
        if let Some(key) = &key {
            key.hand_to(command);
        }
        let pinned = guard.map(|guard| Pinned {
            name: &guard.name,
            port: guard.port,
            address: guard.address,
        });
        let seconds = sources.client.patience().connect.as_secs().max(1);
        let own = sources.ssh.get_or_init(ssh::own_command);
        let whole = ssh::command(own, seconds, pinned.as_ref(), key.as_ref());
        command.env("GIT_SSH_COMMAND", whole);
        Ok(key)
    }

    /// Scheme and host.
    fn server(&self) -> &str {
        let start = self.shown.find("://").map_or(0, |at| at + 3);
        let path = self.shown.get(start..).and_then(|rest| rest.find('/'));
        let end = path.map_or(self.shown.len(), |path| start + path);
        self.shown.get(..end).unwrap_or_default()
    }

    fn protocols(&self) -> &'static str {
        match self.transport {
            // `insteadOf` may turn one into the other.
            Transport::Http | Transport::Ssh => "http:https:ssh",
            Transport::File => "file",
        }
    }

    /// The address of the host, which is in no private network; `None` when any
    /// may be asked.
    fn guard(&self) -> Result<Option<Guard>, Error> {
        if !self.sources.client.no_private_network() {
            return Ok(None);
        }
        let refuse = || Error::PrivateNetwork {
            host: self.host.clone(),
        };
        if self.transport == Transport::File {
            return Err(refuse());
        }
        let port = match (self.transport, self.is_secure()) {
            (Transport::Ssh, _) => 22,
            (_, true) => 443,
            (_, false) => 80,
        };
        let (name, port) = match self.host.rsplit_once(':') {
            Some((name, text)) => (name, text.parse().unwrap_or(port)),
            None => (self.host.as_str(), port),
        };
        let name = name.trim_matches(['[', ']']);
        let found = (name, port)
            .to_socket_addrs()
            .map_err(|_| Error::Unreachable {
                host: self.host.clone(),
                why: "there is no host of that name".into(),
            })?;
        let addresses: Vec<IpAddr> = found.map(|address| address.ip()).collect();
        match addresses.first() {
            Some(first) if !addresses.iter().any(|ip| is_private_address(*ip)) => Ok(Some(Guard {
                name: name.into(),
                port,
                address: *first,
            })),
            _ => Err(refuse()),
        }
    }

    /// Asks a server, and where that redirects to. Git does not follow redirects
    /// itself where it is given credentials, which it would send along, or where
    /// a redirect might lead into a private network.
    fn where_it_leads<T>(&self, ask: impl Fn(&Git<'_>) -> Result<T, Error>) -> Result<T, Error> {
        match ask(self) {
            Err(Error::Status { status, .. }) if is_redirect(status) => ask(&self.redirected()?),
            result => result,
        }
    }

    /// The repository at the end of the server's redirects.
    fn redirected(&self) -> Result<Git<'a>, Error> {
        const PROBE: &str = "/info/refs?service=git-upload-pack";
        let own = Url::parse(&self.shown)?;
        let probe = Url::parse(&format!("{}{PROBE}", own.wire().trim_end_matches('/')))?;
        let reply = self.sources.client.send(&Ask {
            login: self.login.as_ref(),
            tls: self.access.tls.as_ref(),
            proxy: self.access.proxy.as_ref(),
            ..Ask::new(&probe, MAX_PROBE)
        })?;
        let found = eco_format!("{}", reply.url);
        let Some(found) = found.strip_suffix(PROBE) else {
            let why = eco_format!(
                "it redirects to {}, which is no repository",
                reply.url.bare()
            );
            return Err(Error::answer(&self.shown, why));
        };
        let mut there = Git::new(self.sources, found)?;
        if own.same_server(&reply.url) {
            there.login = self.login.clone();
            there.access = self.access.clone();
        } else if there.access == Access::default() {
            there.access.proxy = self.access.proxy.clone();
        }
        Ok(there)
    }
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}
