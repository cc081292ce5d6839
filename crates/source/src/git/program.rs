//! Running `git` so that it asks nobody, waits for nothing and touches nothing.

use std::io::Read;
use std::net::ToSocketAddrs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ecow::{EcoString, eco_format};

use super::failure;
use crate::Error;
use crate::auth::Login;
use crate::fetch::Sources;
use crate::http::is_private_address;
use crate::url::{Url, shown};

/// Bytes of a list of names.
const MAX_LIST: u64 = 64 << 20;
/// Bytes of what git says to people.
const MAX_SAID: u64 = 64 << 10;
/// Bytes of what is fetched, packed.
const MAX_FETCHED: u64 = 1 << 30;
/// How often a running git is looked at.
const STEP: Duration = Duration::from_millis(10);
/// How often its directory is measured.
const MEASURE: Duration = Duration::from_secs(1);

/// A repository and how it is asked.
pub(super) struct Git<'a> {
    sources: &'a Sources,
    /// The address without credentials.
    pub shown: EcoString,
    host: EcoString,
    transport: Transport,
    login: Option<Login>,
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
        let (shown, login) = match transport {
            Transport::Http => {
                let url = Url::parse(address)?;
                let access = sources.credentials.access(address);
                let own = url
                    .user()
                    .map(|(user, password)| Login::basic(user, password, "the address itself"));
                (eco_format!("{url}"), access.login.or(own))
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
        })
    }

    /// The names of the repository and their commits.
    pub fn list(&self) -> Result<Vec<u8>, Error> {
        let arguments = ["ls-remote", "--quiet", "--", self.shown.as_str()];
        self.run(None, &arguments)
    }

    /// Fetches a commit into an empty directory, without its history where the
    /// server lets it.
    pub fn fetch(&self, into: &Path, commit: &str) -> Result<(), Error> {
        let format = match commit.len() {
            64 => "--object-format=sha256",
            _ => "--object-format=sha1",
        };
        self.run_here(into, &["init", "--quiet", "--bare", format, "."])?;
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
        let result = self.run_once(Some(directory), arguments)?;
        result.map(|_| ()).map_err(|(error, _)| error)
    }

    /// Runs git, again when it may help, and returns what it printed.
    fn run(&self, directory: Option<&Path>, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let client = &self.sources.client;
        let patience = client.patience();
        let mut pause = patience.pause;
        for tried in 1.. {
            let result = client.guard(&self.host, || self.run_once(directory, arguments));
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

    /// Outside: errors of the host. Inside: git's own, with its words.
    fn run_once(
        &self,
        directory: Option<&Path>,
        arguments: &[&str],
    ) -> Result<Result<Vec<u8>, (Error, String)>, Error> {
        // A git that is left alone would go on.
        let _busy = self.sources.busy();
        let mut command = self.command(arguments)?;
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        let child = command.spawn().map_err(|error| {
            Error::Address(eco_format!(
                "{}: Git repositories are fetched by the program git, which does not run: {error}",
                self.shown
            ))
        })?;
        let (done, printed, said) = self.watch(child, directory)?;
        if done {
            return Ok(Ok(printed));
        }
        let said = String::from_utf8_lossy(&said).into_owned();
        let sent = self.login.as_ref().map(|login| login.whence.clone());
        let error = failure::of(&said, &self.shown, &self.host, sent);
        match error {
            Error::Unreachable { .. } | Error::Tls { .. } => Err(error),
            error => Ok(Err((error, said))),
        }
    }

    fn command(&self, arguments: &[&str]) -> Result<Command, Error> {
        let client = &self.sources.client;
        let patience = client.patience();
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
        if client.no_private_network() {
            let pinned = self.public_address()?;
            command.args(["-c", &format!("http.curloptResolve={pinned}")]);
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
        if std::env::var_os("GIT_SSH_COMMAND").is_none() && std::env::var_os("GIT_SSH").is_none() {
            let wait = patience.connect.as_secs().max(1);
            let ssh = format!("ssh -oBatchMode=yes -oConnectTimeout={wait}");
            command.env("GIT_SSH_COMMAND", ssh);
        }
        if let Some(login) = &self.login {
            // Not among the arguments: those are for all to see. Settings that
            // the environment has already stay.
            let known = std::env::var("GIT_CONFIG_COUNT").ok();
            let known: usize = known.and_then(|count| count.parse().ok()).unwrap_or(0);
            let header = format!("Authorization: {}", login.header());
            command
                .env("GIT_CONFIG_COUNT", (known + 1).to_string())
                .env(
                    format!("GIT_CONFIG_KEY_{known}"),
                    format!("http.{}.extraHeader", self.server()),
                )
                .env(format!("GIT_CONFIG_VALUE_{known}"), header);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
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

    /// `host:port:address` of a host that is in no private network.
    fn public_address(&self) -> Result<String, Error> {
        let refuse = || Error::PrivateNetwork {
            host: self.host.clone(),
        };
        if self.transport == Transport::File {
            return Err(refuse());
        }
        let port = match (self.transport, self.shown.starts_with("https:")) {
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
        let addresses: Vec<_> = found.map(|address| address.ip()).collect();
        match addresses.first() {
            Some(first) if !addresses.iter().any(|ip| is_private_address(*ip)) => {
                Ok(format!("{name}:{port}:{first}"))
            }
            _ => Err(refuse()),
        }
    }

    /// Waits for git within limits of time and size: whether it succeeded, what
    /// it printed, what it said.
    fn watch(
        &self,
        mut child: Child,
        directory: Option<&Path>,
    ) -> Result<(bool, Vec<u8>, Vec<u8>), Error> {
        let printed = reader(child.stdout.take(), MAX_LIST);
        let said = reader(child.stderr.take(), MAX_SAID);
        let stopped = self.wait(&mut child, directory);
        if stopped.is_err() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let success = stopped?;
        let read = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
        let printed = read(printed);
        if printed.len() as u64 >= MAX_LIST {
            return Err(self.too_large(MAX_LIST));
        }
        Ok((success, printed, read(said)))
    }

    fn wait(&self, child: &mut Child, directory: Option<&Path>) -> Result<bool, Error> {
        let started = Instant::now();
        let mut measured = started;
        let whole = self.sources.client.patience().whole;
        loop {
            let state = child.try_wait();
            if let Some(status) = state.map_err(|error| Error::answer(&self.shown, error))? {
                return Ok(status.success());
            }
            if self.sources.stop.is_stopped() {
                return Err(Error::Stopped);
            }
            if started.elapsed() > whole {
                return Err(Error::TooSlow {
                    at: self.shown.clone(),
                    why: eco_format!("not done within {} s", whole.as_secs()),
                });
            }
            if measured.elapsed() > MEASURE {
                measured = Instant::now();
                if directory.is_some_and(|directory| size(directory) > MAX_FETCHED) {
                    return Err(self.too_large(MAX_FETCHED));
                }
            }
            std::thread::sleep(STEP);
        }
    }

    fn too_large(&self, limit: u64) -> Error {
        Error::TooLarge {
            at: self.shown.clone(),
            limit,
        }
    }
}

/// Reads to the end in a thread of its own, and keeps so many bytes.
fn reader(
    stream: Option<impl Read + Send + 'static>,
    limit: u64,
) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(limit).read_to_end(&mut kept);
            // A full pipe would stop git.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
        kept
    })
}

/// Bytes of the files below a directory.
fn size(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => size(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}
