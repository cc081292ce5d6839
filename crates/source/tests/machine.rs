//! What a machine is set up with: git's credential helpers, `insteadOf`, `.netrc`
//! and ssh, and proxies, its own and those of sources.
//!
//! Environments are those of processes of their own.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::git::{backend, git};
use common::{Request, Response, Server, ok, options, serve, sources, status};
use source::http::Proxy;
use source::{Access, Checkout, Error, Sources};

/// Set for the processes that tests start: the cache's directory and what is
/// asked for.
const DIRECTORY: &str = "FLUXLINT_TEST_DIRECTORY";
const GIT: &str = "FLUXLINT_TEST_GIT";
const INDEX: &str = "FLUXLINT_TEST_INDEX";

/// This is what the started processes run; alone it does nothing.
#[test]
fn a_process() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else {
        return;
    };
    let result = match (std::env::var(GIT), std::env::var(INDEX)) {
        (Ok(address), _) => sources(&directory)
            .git(&address, "main", Checkout::default(), &|_, _| None)
            .map(|tree| String::from_utf8(tree.read("a.yaml").unwrap().to_vec()).unwrap()),
        (_, Ok(address)) => {
            let mut options = options(&directory);
            options.no_private_network = true;
            let index = Sources::new(options).index(&address);
            index.map(|index| index.charts().count().to_string())
        }
        _ => return,
    };
    let said = result.unwrap_or_else(|error| format!("{} {error}", error.class()));
    std::fs::write(directory.join("said"), said).unwrap();
}

/// What a process says in an environment.
fn run(directory: &Path, environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "a_process"])
        .env(DIRECTORY, directory);
    for name in [
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
    ] {
        command.env_remove(name);
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", directory);
    let done = command.envs(environment.iter().copied()).output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
    std::fs::read_to_string(directory.join("said")).unwrap()
}

/// A bare repository at `<root>/fleet.git`.
fn fleet(root: &Path) {
    let work = root.join("work");
    std::fs::create_dir_all(&work).unwrap();
    git(&work, &["init", "--quiet", "--initial-branch=main", "."]);
    std::fs::write(work.join("a.yaml"), "a: 1\n").unwrap();
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "x"]);
    git(root, &["clone", "--quiet", "--bare", "work", "fleet.git"]);
}

/// A server that only knows `me:s3cret`.
fn guarded(root: &Path) -> Server {
    let root = root.to_path_buf();
    serve(move |request| match request.header("authorization") {
        Some("Basic bWU6czNjcmV0") => backend(&root, request),
        _ => status(401, "").with("www-authenticate", "Basic realm=\"x\""),
    })
}

#[test]
fn git_asks_as_it_is_set_up() {
    let place = tempfile::tempdir().unwrap();
    fleet(place.path());
    let server = guarded(place.path());
    let address = server.http("/fleet.git");
    let nobody = run(&place.path().join("a"), &[(GIT, &address)]);
    assert!(nobody.starts_with("authentication-required"), "{nobody}");
    let helper = "!f() { echo username=me; echo password=s3cret; }; f";
    let helped = run(
        &place.path().join("b"),
        &[
            (GIT, &address),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "credential.helper"),
            ("GIT_CONFIG_VALUE_0", helper),
        ],
    );
    assert_eq!(helped, "a: 1\n");
    let instead = format!("url.{}.insteadOf", server.http("/"));
    let replaced = run(
        &place.path().join("c"),
        &[
            (GIT, "https://git.example.com/fleet.git"),
            ("GIT_CONFIG_COUNT", "2"),
            ("GIT_CONFIG_KEY_0", "credential.helper"),
            ("GIT_CONFIG_VALUE_0", helper),
            ("GIT_CONFIG_KEY_1", &instead),
            ("GIT_CONFIG_VALUE_1", "https://git.example.com/"),
        ],
    );
    assert_eq!(replaced, "a: 1\n");
    let home = place.path().join("d");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(
        home.join(".netrc"),
        "machine 127.0.0.1 login me password s3cret\n",
    )
    .unwrap();
    assert_eq!(run(&home, &[(GIT, &address)]), "a: 1\n");
    for directory in ["b", "c"] {
        assert!(!common::holds(&place.path().join(directory), "s3cret"));
    }
}

#[test]
fn ssh_is_a_program() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    fleet(place.path());
    let program = place.path().join("ssh");
    let log = place.path().join("log");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> {}\nfor last; do :; done\nexec sh -c \"$last\"\n",
        log.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        place.path().display(),
        std::env::var("PATH").unwrap()
    );
    let repository = place.path().join("fleet.git");
    for address in [
        format!("ssh://git@git.example.com{}", repository.display()),
        format!("git@git.example.com:{}", repository.display()),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let said = run(directory.path(), &[(GIT, &address), ("PATH", &path)]);
        assert_eq!(said, "a: 1\n", "{address}");
    }
    let asked = std::fs::read_to_string(log).unwrap();
    assert!(
        asked.contains("BatchMode=yes") && asked.contains("git@git.example.com"),
        "{asked}"
    );
    let broken =
        "#!/bin/sh\necho 'git@git.example.com: Permission denied (publickey).' >&2\nexit 255\n";
    std::fs::write(&program, broken).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let address = "ssh://git@git.example.com/x";
    let said = run(directory.path(), &[(GIT, address), ("PATH", &path)]);
    assert!(said.starts_with("authentication-required"), "{said}");
}

/// A proxy and, behind it, every host there is.
fn proxy(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Server {
    serve(move |request| match request.method.as_str() {
        "CONNECT" => ok(""),
        _ => answer(request),
    })
}

const EMPTY: &str = "apiVersion: v1\nentries:\n  app: []\n";

#[test]
fn a_source_has_its_own_proxy() {
    let directory = tempfile::tempdir().unwrap();
    let server = proxy(|_| ok(EMPTY));
    let address = "http://charts.example.test";
    let access = Access {
        proxy: Some(Proxy::new(&server.http(""), Some(("me", "s3cret")))),
        ..Access::default()
    };
    let told = sources(directory.path());
    told.tell(address, access.clone());
    assert_eq!(told.index(address).unwrap().charts().count(), 1);
    let first = server.requests().remove(0);
    let who = first.header("proxy-authorization");
    assert_eq!(
        who.map(str::to_lowercase).as_deref(),
        Some("basic bwu6cznjcmv0")
    );
    assert!(!common::holds(directory.path(), "s3cret"));
    // A proxy that the repository names is somebody else's choice.
    let mut guarded = options(&directory.path().join("g"));
    guarded.no_private_network = true;
    let guarded = Sources::new(guarded);
    guarded.tell(address, access);
    let asked = server.requests().len();
    let error = guarded.index(address).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::PrivateNetwork { .. }), "{error}");
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn redirects_do_not_lead_into_private_networks() {
    let address = "http://charts.example.test/x";
    let through = |server: &Server| {
        let directory = tempfile::tempdir().unwrap();
        let own = server.http("");
        run(
            directory.path(),
            &[(INDEX, address), ("HTTP_PROXY", &own), ("ALL_PROXY", &own)],
        )
    };
    assert_eq!(
        through(&proxy(|_| ok(EMPTY))),
        "1",
        "the machine's own proxy may be private"
    );
    for target in [
        "http://127.0.0.1:1/index.yaml",
        "http://10.1.2.3/index.yaml",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/x",
        "http://localhost/x",
        "http://registry.default.svc/x",
    ] {
        let server = proxy(move |_| status(302, "").with("location", target));
        let said = through(&server);
        assert!(said.starts_with("private-network"), "{target}: {said}");
        let requests = server.requests();
        let host = target.split('/').nth(2).unwrap();
        assert!(
            !requests.iter().any(|r| r.target.contains(host)),
            "{requests:?}"
        );
    }
}

#[test]
fn names_do_not_lead_into_private_networks() {
    use std::net::ToSocketAddrs;
    let Ok(name) = std::fs::read_to_string("/proc/sys/kernel/hostname") else {
        return;
    };
    let name = name.trim().to_lowercase();
    let found = (name.as_str(), 80)
        .to_socket_addrs()
        .map(|found| found.collect::<Vec<_>>());
    let private = |ip: std::net::IpAddr| match ip {
        std::net::IpAddr::V4(ip) => ip.is_private() || ip.is_loopback() || ip.is_link_local(),
        std::net::IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local(),
    };
    let known = found.is_ok_and(|found| !found.is_empty() && found.iter().all(|a| private(a.ip())));
    if !known || name == "localhost" {
        println!("skipped: this machine's name stands for no private address");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut guarded = options(directory.path());
    guarded.no_private_network = true;
    let guarded = Sources::new(guarded);
    let error = guarded
        .index(&format!("http://{name}:1/"))
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, Error::PrivateNetwork { .. }), "{error}");
    let address = format!("http://{name}:1/x.git");
    let tree = guarded.git(&address, "main", Checkout::default(), &|_, _| None);
    let error = tree.map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::PrivateNetwork { .. }), "{error}");
}
