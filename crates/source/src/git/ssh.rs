//! How git runs `ssh`: so that it asks nobody, and with a key of the repository
//! where there is one.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ecow::EcoString;

use super::handed::Handed;
use crate::auth::SshKey;
use crate::{Error, Stop};

/// Prints what a key is encrypted with, for whoever runs ssh.
const ASKPASS: &str = "#!/bin/sh\nexec cat \"$FLUXLINT_PASSPHRASE\"\n";

/// The command that the machine has git run for SSH, as a shell takes it: that of
/// `GIT_SSH_COMMAND`, `GIT_SSH` or `core.sshCommand`, else `ssh`.
pub(super) fn own_command() -> String {
    let variable = |name: &str| {
        let value = std::env::var_os(name)?.into_string().ok()?;
        (!value.is_empty()).then_some(value)
    };
    if let Some(command) = variable("GIT_SSH_COMMAND") {
        return command;
    }
    if let Some(program) = variable("GIT_SSH") {
        return quoted(&program);
    }
    let asked = Command::new("git")
        .args(["config", "--get", "core.sshCommand"])
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let said = asked
        .ok()
        .and_then(|done| String::from_utf8(done.stdout).ok());
    let said = said.map(|said| said.trim().to_owned());
    said.filter(|said| !said.is_empty())
        .unwrap_or_else(|| "ssh".to_owned())
}

/// Whether a command is that of OpenSSH, which takes its options.
fn is_openssh(command: &str) -> bool {
    let program = command.trim_start();
    let program = match program.strip_prefix(['\'', '"']) {
        Some(rest) => rest.split(['\'', '"']).next(),
        None => program.split(' ').next(),
    };
    let name = program.unwrap_or_default().rsplit(['/', '\\']).next();
    matches!(name, Some("ssh" | "ssh.exe"))
}

/// The one address of a host that may be asked.
pub(super) struct Pinned<'a> {
    pub name: &'a str,
    pub port: u16,
    pub address: IpAddr,
}

/// The files of a key.
pub(super) struct KeyFiles {
    identity: PathBuf,
    known_hosts: PathBuf,
    /// The address says who logs in; else it is `git`, as in source-controller.
    names_user: bool,
    /// The file of the passphrase, and the program that prints it.
    passphrase: Option<(PathBuf, PathBuf)>,
    _handed: Handed,
    _program: Option<Handed>,
}

impl KeyFiles {
    /// Writes the files for an address; `program_in` is where programs can be run
    /// from.
    pub fn new(key: &SshKey, address: &str, program_in: &Path, stop: &Stop) -> Result<Self, Error> {
        let handed = Handed::new(program_in, stop)?;
        let passphrase = key.passphrase.as_ref();
        let mut program = None;
        let passphrase = match passphrase {
            Some(passphrase) => {
                // Places in memory may run no programs.
                let place = Handed::on_disk(program_in, stop)?;
                let file = handed.write("passphrase", passphrase.as_bytes())?;
                let path = place.write_program("askpass", ASKPASS.as_bytes())?;
                program = Some(place);
                Some((file, path))
            }
            None => None,
        };
        let authority = address.split_once("://").map_or(address, |(_, rest)| rest);
        let authority = authority.split('/').next().unwrap_or_default();
        Ok(KeyFiles {
            names_user: authority.contains('@'),
            identity: handed.write("identity", &lines(&key.identity))?,
            known_hosts: handed.write("known_hosts", &lines(&key.known_hosts))?,
            passphrase,
            _handed: handed,
            _program: program,
        })
    }

    /// Has ssh be told the passphrase.
    pub fn hand_to(&self, command: &mut Command) {
        if let Some((file, program)) = &self.passphrase {
            command
                .env("FLUXLINT_PASSPHRASE", file)
                .env("SSH_ASKPASS", program)
                .env("SSH_ASKPASS_REQUIRE", "force");
        }
    }
}

/// What OpenSSH reads: lines that end as Unix has it, the last one, too.
fn lines(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'\r').collect();
    if lines.last().is_some_and(|last| *last != b'\n') {
        lines.push(b'\n');
    }
    lines
}

/// The whole command for git.
pub(super) fn command(
    own: &str,
    seconds: u64,
    pinned: Option<&Pinned<'_>>,
    key: Option<&KeyFiles>,
) -> String {
    let mut command = own.to_owned();
    if !is_openssh(own) {
        return command;
    }
    let mut option = |name: &str, value: &str| {
        let _ = write!(command, " {}", quoted(&format!("-o{name}={value}")));
    };
    option("ConnectTimeout", &seconds.to_string());
    if let Some(pinned) = pinned {
        option("HostName", &pinned.address.to_string());
        option("HostKeyAlias", &known_as(pinned));
    }
    let Some(key) = key else {
        option("BatchMode", "yes");
        return command;
    };
    match key.passphrase {
        // Asks for it, and for nothing else.
        Some(_) => option("NumberOfPasswordPrompts", "1"),
        None => option("BatchMode", "yes"),
    }
    option("PreferredAuthentications", "publickey");
    option("IdentityFile", &path(&key.identity));
    option("IdentitiesOnly", "yes");
    option("IdentityAgent", "none");
    option("AddKeysToAgent", "no");
    option("ControlPath", "none");
    if !key.names_user {
        // It would win over the address.
        option("User", "git");
    }
    option("UserKnownHostsFile", &path(&key.known_hosts));
    option("GlobalKnownHostsFile", "/dev/null");
    option("StrictHostKeyChecking", "yes");
    option("UpdateHostKeys", "no");
    command
}

/// How a host stands in a file of known hosts.
fn known_as(pinned: &Pinned<'_>) -> EcoString {
    match pinned.port {
        22 => pinned.name.into(),
        port => ecow::eco_format!("[{}]:{port}", pinned.name),
    }
}

/// A path as ssh's configuration takes it.
fn path(path: &Path) -> String {
    let path = path.to_string_lossy();
    let mut escaped = String::from("\"");
    for c in path.chars() {
        match c {
            '%' => escaped.push_str("%%"),
            '"' | '\\' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped.push('"');
    escaped
}

/// One word of a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_openssh_takes_its_options() {
        for own in [
            "ssh",
            "/usr/bin/ssh -i key",
            "'/opt/my ssh/ssh' -v",
            "ssh.exe",
        ] {
            let whole = command(own, 10, None, None);
            assert!(whole.starts_with(own), "{whole}");
            assert!(whole.contains("'-oBatchMode=yes'"), "{whole}");
        }
        for own in ["plink -batch", "my-ssh", "sshpass ssh"] {
            assert_eq!(command(own, 10, None, None), own);
        }
    }

    #[test]
    fn a_pinned_host_is_known_by_its_name() {
        let of = |port| {
            let address = IpAddr::from([192, 0, 2, 1]);
            let name = "git.example.com";
            let pinned = Pinned {
                name,
                port,
                address,
            };
            command("ssh", 10, Some(&pinned), None)
        };
        assert!(of(22).contains("'-oHostName=192.0.2.1' '-oHostKeyAlias=git.example.com'"));
        assert!(of(2222).contains("'-oHostKeyAlias=[git.example.com]:2222'"));
    }

    #[test]
    fn words_and_paths_stay_whole() {
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(path(Path::new("/a b/%h")), "\"/a b/%%h\"");
        assert_eq!(lines(b"a\r\nb"), b"a\nb\n");
    }
}
