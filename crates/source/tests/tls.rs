//! Secure connections, with `openssl s_server` at the other end; skipped where
//! there is no such program.

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use source::http::TlsFiles;
use source::{Access, Checkout, Error};

fn openssl(directory: &Path, arguments: &str) -> Option<()> {
    let done = Command::new("openssl")
        .args(arguments.split(' '))
        .current_dir(directory)
        .output()
        .ok()?;
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    Some(())
}

/// A server of the files of a directory; ended when it is dropped.
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

fn serve(directory: &Path, more: &[&str]) -> Server {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let child = Command::new("openssl")
        .args([
            "s_server",
            "-quiet",
            "-WWW",
            "-cert",
            "server.crt",
            "-key",
            "server.key",
        ])
        .args(["-accept", &format!("127.0.0.1:{port}")])
        .args(more)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..100 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Server { child, port }
}

/// An authority, a server and a client that it vouches for, and an index.
fn prepare(directory: &Path) -> Option<()> {
    let san = "subjectAltName=DNS:localhost,IP:127.0.0.1\n";
    std::fs::write(directory.join("server.ext"), san).unwrap();
    std::fs::write(
        directory.join("client.ext"),
        "extendedKeyUsage=clientAuth\n",
    )
    .unwrap();
    std::fs::write(
        directory.join("index.yaml"),
        "apiVersion: v1\nentries: {}\n",
    )
    .unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(
        directory,
        &format!("req -x509 {key} -keyout ca.key -out ca.crt -days 2 -subj /CN=ca"),
    )?;
    for name in ["server", "client"] {
        openssl(
            directory,
            &format!("req {key} -keyout {name}.key -out {name}.csr -subj /CN={name}"),
        )?;
        openssl(
            directory,
            &format!(
                "x509 -req -in {name}.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \
                 -extfile {name}.ext -out {name}.crt"
            ),
        )?;
    }
    Some(())
}

fn file(directory: &Path, name: &str) -> Arc<[u8]> {
    std::fs::read(directory.join(name)).unwrap().into()
}

#[test]
fn a_server_must_prove_who_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    if prepare(place).is_none() {
        println!("skipped: no openssl");
        return;
    }
    let server = serve(place, &[]);
    let address = format!("https://localhost:{}", server.port);
    let unknown = common::sources(&place.join("a"));
    let error = unknown.index(&address).unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error}");

    let known = common::sources(&place.join("b"));
    let tls = TlsFiles {
        authority: Some(file(place, "ca.crt")),
        ..TlsFiles::default()
    };
    let access = Access {
        tls: Some(tls.clone()),
        ..Access::default()
    };
    known.tell(&address, access);
    known.index(&address).unwrap();

    let strict = serve(
        place,
        &["-Verify", "1", "-verify_return_error", "-CAfile", "ca.crt"],
    );
    let address = format!("https://localhost:{}", strict.port);
    let nobody = common::sources(&place.join("c"));
    let access = Access {
        tls: Some(tls.clone()),
        ..Access::default()
    };
    nobody.tell(&address, access);
    assert!(nobody.index(&address).is_err());
    let somebody = common::sources(&place.join("d"));
    let client = Some((file(place, "client.crt"), file(place, "client.key")));
    let access = Access {
        tls: Some(TlsFiles { client, ..tls }),
        ..Access::default()
    };
    somebody.tell(&address, access);
    somebody.index(&address).unwrap();
}

/// Puts a repository there that can be fetched as plain files.
fn repository(directory: &Path) {
    use common::git::git;
    let work = directory.join("work");
    std::fs::create_dir_all(&work).unwrap();
    git(&work, &["init", "--quiet", "--initial-branch=main", "."]);
    std::fs::write(work.join("a.yaml"), "a: 1\n").unwrap();
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "x"]);
    git(
        directory,
        &["clone", "--quiet", "--bare", "work", "fleet.git"],
    );
    let bare = directory.join("fleet.git");
    git(&bare, &["update-server-info"]);
    let refs = bare.join("info/refs");
    let asked = bare.join("info/refs?service=git-upload-pack");
    std::fs::copy(refs, asked).unwrap();
}

#[test]
fn git_shows_the_certificate_of_a_secret() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    if prepare(place).is_none() {
        println!("skipped: no openssl");
        return;
    }
    repository(place);
    let strict = serve(
        place,
        &["-Verify", "1", "-verify_return_error", "-CAfile", "ca.crt"],
    );
    let address = format!("https://localhost:{}/fleet.git", strict.port);
    let trusting = TlsFiles {
        authority: Some(file(place, "ca.crt")),
        ..TlsFiles::default()
    };
    let client = Some((file(place, "client.crt"), file(place, "client.key")));
    let known = TlsFiles {
        client,
        ..trusting.clone()
    };
    let ask = |name: &str, tls: Option<TlsFiles>| {
        let sources = common::sources(&place.join(name));
        let access = Access {
            tls,
            ..Access::default()
        };
        sources.tell(&address, access);
        let tree = sources.git(&address, "main", Checkout::default(), &|_, _| None);
        tree.map(|tree| tree.read("a.yaml").unwrap().to_vec())
    };
    let error = ask("a", None).unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error}");
    assert!(ask("b", Some(trusting)).is_err());
    assert_eq!(ask("c", Some(known)).as_deref(), Ok(&b"a: 1\n"[..]));
    assert!(!common::holds(&place.join("c"), "PRIVATE KEY"));
}

#[test]
fn an_authority_is_trusted_besides_the_machines() {
    let machine = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    if prepare(machine.path()).and(prepare(other.path())).is_none() {
        println!("skipped: no openssl");
        return;
    }
    let server = serve(machine.path(), &[]);
    let address = format!("https://localhost:{}", server.port);
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "trusts"])
        .env("SSL_CERT_FILE", machine.path().join("ca.crt"))
        .env("FLUXLINT_TEST_AT", address)
        .env("FLUXLINT_TEST_CA", other.path().join("ca.crt"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{said}");
}

/// What the test above starts; alone it does nothing.
#[test]
fn trusts() {
    let at = std::env::var("FLUXLINT_TEST_AT");
    let authority = std::env::var_os("FLUXLINT_TEST_CA");
    let Some((at, authority)) = at.ok().zip(authority) else {
        return;
    };
    let authority: Option<Arc<[u8]>> = Some(std::fs::read(authority).unwrap().into());
    for (alone, trusted) in [(false, true), (true, false)] {
        let directory = tempfile::tempdir().unwrap();
        let sources = common::sources(directory.path());
        let tls = Some(TlsFiles {
            authority: authority.clone(),
            alone,
            client: None,
        });
        sources.tell(
            &at,
            Access {
                tls,
                ..Access::default()
            },
        );
        assert_eq!(sources.index(&at).is_ok(), trusted, "alone: {alone}");
    }
}
