//! Chart repositories over HTTP.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{Body, Request, Response, Server, environment, ok, options, serve, sources, status};
use source::cache::Digest;
use source::{Access, Error, Login, Sources};

const CHART: &[u8] = b"the archive of a chart";

fn index(entries: &str) -> String {
    format!("apiVersion: v1\nentries:\n{entries}")
}

fn one_chart(url: &str, digest: &str) -> String {
    index(&format!(
        "  app:\n  - version: 1.2.0\n    urls: [{url}]\n    digest: {digest}\n  - version: 1.1.0\n    \
         urls: [app-1.1.0.tgz]\n  - version: 2.0.0\n    urls: [app-2.0.0.tgz]\n"
    ))
}

/// A repository with one chart.
fn repository() -> Server {
    serve(|request| match request.target.as_str() {
        "/charts/index.yaml" => ok(one_chart("app-1.2.0.tgz", Digest::of(CHART).hex())),
        "/charts/app-1.2.0.tgz" => ok(CHART),
        _ => status(404, "no"),
    })
}

#[test]
fn a_chart_is_fetched_once_and_then_had_offline() {
    let directory = tempfile::tempdir().unwrap();
    let server = repository();
    let address = server.http("/charts");
    let first = sources(directory.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let chart = first.chart(&address, "app", "1.2.0").unwrap();
                assert_eq!(&*chart, CHART);
            });
        }
    });
    assert_eq!(first.statistics().fetched, 2);
    let versions = first.index(&address).unwrap();
    assert_eq!(versions.versions("app").len(), 3);
    for sources in [sources(directory.path()), common::offline(directory.path())] {
        assert_eq!(&*sources.chart(&address, "app", "1.2.0").unwrap(), CHART);
        assert_eq!(sources.statistics().traffic.requests, 0);
    }
    assert_eq!((server.count("index.yaml"), server.count("tgz")), (1, 1));
}

#[test]
fn without_network_nothing_is_asked() {
    let directory = tempfile::tempdir().unwrap();
    let server = repository();
    let sources = common::offline(directory.path());
    let error = sources.index(&server.http("/charts")).unwrap_err();
    assert!(matches!(error, Error::Offline(_)), "{error}");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn only_what_moves_is_refreshed() {
    let directory = tempfile::tempdir().unwrap();
    let server = repository();
    let address = server.http("/charts");
    sources(directory.path())
        .chart(&address, "app", "1.2.0")
        .unwrap();
    std::thread::sleep(Duration::from_millis(5));
    let mut options = options(directory.path());
    options.refresh = true;
    let sources = Sources::new(options);
    for _ in 0..3 {
        sources.chart(&address, "app", "1.2.0").unwrap();
    }
    assert_eq!((server.count("index.yaml"), server.count("tgz")), (2, 1));
}

#[test]
fn damaged_content_is_fetched_again() {
    let directory = tempfile::tempdir().unwrap();
    let server = repository();
    let address = server.http("/charts");
    sources(directory.path())
        .chart(&address, "app", "1.2.0")
        .unwrap();
    let digest = Digest::of(CHART);
    let blob = directory
        .path()
        .join("cache/v1/blobs")
        .join(&digest.hex()[..2])
        .join(digest.hex());
    std::fs::write(&blob, "damaged").unwrap();
    let again = sources(directory.path());
    assert_eq!(&*again.chart(&address, "app", "1.2.0").unwrap(), CHART);
    assert_eq!(server.count("tgz"), 2);
    std::fs::write(&blob, "damaged").unwrap();
    let error = common::offline(directory.path())
        .chart(&address, "app", "1.2.0")
        .unwrap_err();
    assert!(matches!(error, Error::Offline(_)), "{error}");
}

/// Answers those who know the password.
fn guarded(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Server {
    serve(move |request| match request.header("authorization") {
        // `me:s3cret`
        Some("Basic bWU6czNjcmV0") => answer(request),
        _ => status(401, "who?").with("www-authenticate", "Basic realm=\"x\""),
    })
}

fn guarded_repository() -> Server {
    guarded(|request| match request.target.as_str() {
        "/index.yaml" => ok(one_chart("app-1.2.0.tgz", "''")),
        "/app-1.2.0.tgz" => ok(CHART),
        _ => status(404, "no"),
    })
}

#[test]
fn credentials_come_from_the_machine_and_are_kept_nowhere() {
    let directory = tempfile::tempdir().unwrap();
    let server = guarded_repository();
    let address = server.http("");
    let error = sources(directory.path()).index(&address).unwrap_err();
    assert!(
        matches!(error, Error::Unauthorized { sent: None, .. }),
        "{error}"
    );

    let netrc = directory.path().join("netrc");
    std::fs::write(&netrc, "machine 127.0.0.1 login me password wrong\n").unwrap();
    let with_netrc = || {
        let mut options = options(directory.path());
        options.environment = environment(&[("NETRC", &netrc)]);
        Sources::new(options)
    };
    let error = with_netrc().index(&address).unwrap_err();
    let expected = format!(
        "http://127.0.0.1:{}/ refused the credentials of netrc",
        server.port()
    );
    assert_eq!(error.to_string(), expected);

    std::fs::write(&netrc, "machine 127.0.0.1 login me password s3cret\n").unwrap();
    assert_eq!(
        &*with_netrc().chart(&address, "app", "1.2.0").unwrap(),
        CHART
    );
    assert!(!common::holds(&directory.path().join("cache"), "s3cret"));
    assert_eq!(
        &*common::offline(directory.path())
            .chart(&address, "app", "1.2.0")
            .unwrap(),
        CHART
    );
}

#[test]
fn credentials_come_from_helm_the_address_and_the_repository() {
    let directory = tempfile::tempdir().unwrap();
    let server = guarded_repository();
    let address = server.http("");
    let file = directory.path().join("repositories.yaml");
    let text = format!("repositories:\n- url: {address}\n  username: me\n  password: s3cret\n");
    std::fs::write(&file, text).unwrap();
    let mut with_helm = options(&directory.path().join("a"));
    with_helm.environment = environment(&[("HELM_REPOSITORY_CONFIG", &file)]);
    Sources::new(with_helm)
        .chart(&address, "app", "1.2.0")
        .unwrap();

    let named = format!("http://me:s3cret@127.0.0.1:{}", server.port());
    let place = directory.path().join("b");
    sources(&place).chart(&named, "app", "1.2.0").unwrap();
    assert!(!common::holds(&place, "s3cret"));

    let told = sources(&directory.path().join("c"));
    told.tell(
        &format!("{address}/"),
        Access {
            login: Some(Login::basic("me", "s3cret", "Secret flux-system/x")),
            ..Access::default()
        },
    );
    told.chart(&address, "app", "1.2.0").unwrap();
}

#[test]
fn credentials_stay_with_their_host() {
    let directory = tempfile::tempdir().unwrap();
    let other = serve(|_| ok(CHART));
    let target = other.http("/x.tgz");
    let archive = target.clone();
    let server = guarded(move |request| match request.target.as_str() {
        // One chart is elsewhere, the other is redirected there.
        "/index.yaml" => ok(index(&format!(
            "  app:\n  - version: 1.0.0\n    urls: ['{archive}']\n  - version: 2.0.0\n    urls: [b.tgz]\n"
        ))),
        _ => status(302, "").with("location", target.clone()),
    });
    let named = format!("http://me:s3cret@127.0.0.1:{}", server.port());
    let own = sources(&directory.path().join("a"));
    own.chart(&named, "app", "1.0.0").unwrap();
    own.chart(&named, "app", "2.0.0").unwrap();
    assert_eq!(other.requests().len(), 2);
    assert!(
        other
            .requests()
            .iter()
            .all(|request| request.header("authorization").is_none())
    );

    let passing = sources(&directory.path().join("b"));
    let access = Access {
        login: Some(Login::basic("me", "s3cret", "x")),
        pass_credentials: true,
        ..Access::default()
    };
    passing.tell(&server.http(""), access);
    passing.chart(&server.http(""), "app", "1.0.0").unwrap();
    assert!(
        other
            .requests()
            .last()
            .unwrap()
            .header("authorization")
            .is_some()
    );
}

#[test]
fn what_is_missing_is_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let server = repository();
    let sources = sources(directory.path());
    let address = server.http("/charts");
    let error = sources.chart(&address, "app", "1.3.0").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{address} has no version 1.3.0 of chart app; nearest are 1.2.0, 2.0.0, 1.1.0")
    );
    assert!(error.is_missing());
    let error = sources.chart(&address, "ap", "1.2.0").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{address} has no chart ap; nearest is app")
    );
    let error = sources.index(&server.http("/other")).unwrap_err();
    assert!(matches!(error, Error::RepositoryMissing(_)), "{error}");
    let error = sources.chart(&address, "app", "1.1.0").unwrap_err();
    assert!(matches!(error, Error::RepositoryMissing(_)), "{error}");
}

#[test]
fn a_host_that_is_not_there_is_tried_once() {
    let directory = tempfile::tempdir().unwrap();
    // Nobody listens where somebody just did.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let sources = sources(directory.path());
    for repository in 0..20 {
        let error = sources
            .index(&format!("http://127.0.0.1:{port}/{repository}"))
            .unwrap_err();
        assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    }
    assert_eq!(sources.statistics().traffic.requests, 1);
}

#[test]
fn a_busy_host_is_asked_again_when_it_says() {
    let directory = tempfile::tempdir().unwrap();
    let asked = AtomicUsize::new(0);
    let server = serve(move |request| {
        match (
            request.target.as_str(),
            asked.fetch_add(1, Ordering::Relaxed),
        ) {
            (_, 0) => status(429, "").with("retry-after", "1"),
            (_, 1) => status(503, ""),
            ("/index.yaml", _) => ok(one_chart("x", "''")),
            _ => status(429, "").with("retry-after", "3600"),
        }
    });
    let sources = sources(directory.path());
    let started = Instant::now();
    sources.index(&server.http("")).unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.requests().len(), 3);
    let error = sources.chart(&server.http(""), "app", "1.2.0").unwrap_err();
    assert!(
        matches!(
            error,
            Error::RateLimited {
                after: Some(3600),
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn answers_have_limits() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request| match request.target.as_str() {
        "/huge/index.yaml" => ok("").body(Body::Endless),
        "/drip/index.yaml" => ok("").body(Body::Drip(Duration::from_millis(50))),
        "/silent/index.yaml" => ok("").body(Body::Silence),
        "/cut/index.yaml" => ok("").body(Body::Cut(b"apiVersion: v1\n".to_vec())),
        "/page/index.yaml" => ok("<html>hello</html>"),
        "/broken/index.yaml" => status(500, ""),
        "/lost/index.yaml" => status(302, ""),
        path => status(302, "").with("location", format!("{path}x")),
    });
    let sources = sources(directory.path());
    let error = |path: &str| sources.index(&server.http(path)).unwrap_err();
    let started = Instant::now();
    assert!(matches!(error("/huge"), Error::TooLarge { limit, .. } if limit == 50 << 20));
    assert!(
        matches!(error("/drip"), Error::TooSlow { .. }),
        "{}",
        error("/drip")
    );
    assert!(
        matches!(error("/silent"), Error::TooSlow { .. }),
        "{}",
        error("/silent")
    );
    assert!(
        matches!(error("/cut"), Error::Answer { .. }),
        "{}",
        error("/cut")
    );
    assert!(
        matches!(error("/page"), Error::Answer { .. }),
        "{}",
        error("/page")
    );
    assert!(matches!(
        error("/broken"),
        Error::Status { status: 500, .. }
    ));
    assert!(matches!(error("/lost"), Error::Answer { .. }));
    assert!(
        error("/loop")
            .to_string()
            .contains("more than 10 redirects")
    );
    assert_eq!(server.count("/cut"), 3, "what broke off is tried again");
    assert_eq!(server.count("/broken"), 3);
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn a_wrong_digest_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request| match request.target.as_str() {
        "/index.yaml" => ok(one_chart("app.tgz", Digest::of(b"something else").hex())),
        _ => ok(CHART),
    });
    let sources = sources(directory.path());
    let error = sources.chart(&server.http(""), "app", "1.2.0").unwrap_err();
    assert!(matches!(error, Error::Digest { .. }), "{error}");
    assert!(!common::holds(
        &directory.path().join("cache"),
        "the archive"
    ));
}

#[test]
fn private_networks_can_be_refused() {
    let directory = tempfile::tempdir().unwrap();
    let server = repository();
    let mut options = options(directory.path());
    options.no_private_network = true;
    let sources = Sources::new(options);
    for host in ["127.0.0.1", "localhost", "[::1]", "2130706433"] {
        let error = sources
            .index(&format!("http://{host}:{}/charts", server.port()))
            .unwrap_err();
        assert!(
            matches!(
                error,
                Error::PrivateNetwork { .. } | Error::Unreachable { .. }
            ),
            "{host}: {error}"
        );
    }
    assert_eq!(server.requests().len(), 0);
}
