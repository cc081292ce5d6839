//! Keys for SSH that Secrets hold, with `sshd` at the other end; skipped where
//! there is no such program.
#![cfg(unix)]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::git::git;
use common::{options, sources};
use source::auth::SshKey;
use source::{Access, Checkout, Error, Sources};

/// A server that lets in whoever has one of its keys; ended when it is dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn keygen(path: &Path, passphrase: &str) -> Option<()> {
    let done = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f"])
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    done.status.success().then_some(())
}

/// The server; `None` where there is none to start.
fn serve(place: &Path) -> Option<Server> {
    let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"];
    let program = program.iter().find(|path| Path::new(path).exists())?;
    keygen(&place.join("host"), "")?;
    for (name, passphrase) in [("plain", ""), ("locked", "open sesame"), ("stranger", "")] {
        keygen(&place.join(name), passphrase)?;
    }
    let known = ["plain.pub", "locked.pub"].map(|name| read(place, name));
    std::fs::write(place.join("authorized"), known.concat()).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let path = |name: &str| place.join(name).display().to_string();
    let settings = format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
         StrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n",
        path("host"),
        path("authorized"),
    );
    std::fs::write(place.join("settings"), settings).unwrap();
    let child = Command::new(program)
        .args(["-D", "-f", &path("settings"), "-E", &path("log")])
        .stdin(Stdio::null())
        .spawn()
        .ok()?;
    let mut server = Server { child, port };
    for _ in 0..200 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Some(server);
        }
        if server.child.try_wait().unwrap().is_some() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

fn read(place: &Path, name: &str) -> String {
    std::fs::read_to_string(place.join(name)).unwrap()
}

/// A bare repository.
fn fleet(root: &Path) -> PathBuf {
    let work = root.join("work");
    std::fs::create_dir_all(&work).unwrap();
    git(&work, &["init", "--quiet", "--initial-branch=main", "."]);
    std::fs::write(work.join("a.yaml"), "a: 1\n").unwrap();
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "x"]);
    git(root, &["clone", "--quiet", "--bare", "work", "fleet.git"]);
    root.join("fleet.git")
}

fn me() -> String {
    let done = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

#[test]
fn keys_of_secrets_are_used_and_leave_no_trace() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let Some(server) = serve(place) else {
        println!("skipped: no sshd");
        return;
    };
    let repository = fleet(place);
    let port = server.port;
    let address = format!("ssh://{}@127.0.0.1:{port}{}", me(), repository.display());
    let host = format!("[127.0.0.1]:{port} {}", read(place, "host.pub"));
    let other = format!("[127.0.0.1]:{port} {}", read(place, "plain.pub"));
    let key = |name: &str, passphrase: Option<&str>, known_hosts: &str| SshKey {
        // As editors leave it.
        identity: read(place, name)
            .trim_end()
            .replace('\n', "\r\n")
            .as_bytes()
            .into(),
        known_hosts: known_hosts.as_bytes().into(),
        passphrase: passphrase.map(Into::into),
        whence: "Secret flux-system/fleet".into(),
    };
    let ask = |sources: &Sources, ssh: SshKey| {
        let ssh = Some(ssh);
        sources.tell(
            &address,
            Access {
                ssh,
                ..Access::default()
            },
        );
        let tree = sources.git(&address, "main", Checkout::default(), &|_, _| None);
        tree.map(|tree| String::from_utf8(tree.read("a.yaml").unwrap().to_vec()).unwrap())
    };
    for (directory, ssh) in [
        ("a", key("plain", None, &host)),
        ("b", key("locked", Some("open sesame"), &host)),
    ] {
        let directory = place.join(directory);
        let found = ask(&sources(&directory), ssh);
        assert_eq!(found.as_deref(), Ok("a: 1\n"), "{}", read(place, "log"));
        for secret in ["OPENSSH PRIVATE KEY", "open sesame"] {
            assert!(!common::holds(&directory, secret), "{secret}");
        }
    }
    for (directory, ssh) in [
        ("c", key("stranger", None, &host)),
        ("d", key("locked", Some("wrong"), &host)),
        ("e", key("locked", None, &host)),
    ] {
        let error = ask(&sources(&place.join(directory)), ssh).unwrap_err();
        let sent = matches!(&error, Error::Unauthorized { sent: Some(whence), .. }
            if whence == "Secret flux-system/fleet");
        assert!(sent, "{directory}: {error}");
    }
    // A host that is not who the Secret says; that is no news for others.
    let patient = sources(&place.join("f"));
    let error = ask(&patient, key("plain", None, &other)).unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error}");
    let again = place.join("g");
    std::os::unix::fs::symlink(&repository, &again).unwrap();
    let second = format!("ssh://{}@127.0.0.1:{port}{}", me(), again.display());
    let ssh = Some(key("plain", None, &host));
    patient.tell(
        &second,
        Access {
            ssh,
            ..Access::default()
        },
    );
    let tree = patient.git(&second, "main", Checkout::default(), &|_, _| None);
    assert!(tree.is_ok(), "{:?}", tree.map(|_| ()));
    // Who logs in is `git` where the address does not say it.
    let nobody = format!("ssh://127.0.0.1:{port}{}", repository.display());
    let ssh = Some(key("plain", None, &host));
    let asked = sources(&place.join("h"));
    asked.tell(
        &nobody,
        Access {
            ssh,
            ..Access::default()
        },
    );
    let tree = asked.git(&nobody, "main", Checkout::default(), &|_, _| None);
    assert!(tree.is_err());
    assert!(
        read(place, "log").contains("user git"),
        "{}",
        read(place, "log")
    );
    let mut offline = options(&place.join("a"));
    offline.offline = true;
    let found = ask(&Sources::new(offline), key("stranger", None, &other));
    assert_eq!(found.as_deref(), Ok("a: 1\n"));
}
