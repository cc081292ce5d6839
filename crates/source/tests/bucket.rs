//! Buckets, from a server that speaks as much S3 as reading takes.
#![cfg(feature = "bucket")]

mod common;

use common::{Body, Request, Response, Server, offline, ok, options, serve, sources, status};
use source::{Access, Bucket, Error, Login, Sources};

fn bucket(server: &Server, prefix: &str) -> Bucket {
    Bucket {
        endpoint: format!("127.0.0.1:{}", server.port()).into(),
        name: "fleet".into(),
        prefix: prefix.into(),
        region: "".into(),
        insecure: true,
    }
}

/// A page of a list: keys with sizes, and where the next begins.
fn page(keys: &[(&str, usize)], next: Option<&str>) -> String {
    let entry = |(key, size): &(&str, usize)| {
        format!(
            "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
             <ETag>&quot;0&quot;</ETag><Size>{size}</Size></Contents>"
        )
    };
    let entries: String = keys.iter().map(entry).collect();
    let next = next.map_or("<IsTruncated>false</IsTruncated>".into(), |token| {
        format!(
            "<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
        )
    });
    format!("<ListBucketResult><Name>fleet</Name>{entries}{next}</ListBucketResult>")
}

/// A bucket of two pages.
fn answer(request: &Request) -> Response {
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((&request.target, ""));
    match path {
        "/fleet" if query.contains("prefix=apps") => ok(page(&[("apps/a.yaml", 5)], None)),
        "/fleet" if query.contains("continuation-token=second") => {
            ok(page(&[("base/b.yaml", 5), ("gone.yaml", 1)], None))
        }
        "/fleet" => ok(page(&[("apps/", 0), ("apps/a.yaml", 5)], Some("second"))),
        "/fleet/apps/a.yaml" => ok("a: 1\n"),
        "/fleet/base/b.yaml" => ok("b: 1\n"),
        "/fleet/apps" => ok(""),
        _ => status(404, "<Error><Code>NoSuchKey</Code></Error>"),
    }
}

#[test]
fn objects_are_had_once_and_then_offline() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(answer);
    let mut asked = 0;
    for sources in [sources(directory.path()), offline(directory.path())] {
        let all = sources.bucket(&bucket(&server, "")).unwrap();
        assert_eq!(&*all.read("apps/a.yaml").unwrap(), b"a: 1\n");
        assert_eq!(&*all.read("base/b.yaml").unwrap(), b"b: 1\n");
        assert!(
            all.read("gone.yaml").is_err(),
            "it went while it was listed"
        );
        let some = sources.bucket(&bucket(&server, "apps")).unwrap();
        assert!(some.read("apps/a.yaml").is_ok() && some.read("base/b.yaml").is_err());
        match asked {
            0 => asked = server.requests().len(),
            before => assert_eq!(server.requests().len(), before),
        }
    }
    // What came in the very millisecond in which a run begins is of that run.
    std::thread::sleep(std::time::Duration::from_millis(5));
    let mut fresh = options(directory.path());
    fresh.refresh = true;
    Sources::new(fresh)
        .bucket(&bucket(&server, "apps"))
        .unwrap();
    assert_eq!(server.requests().len(), asked + 2, "a bucket moves");
    let anonymous = server.requests();
    assert!(
        anonymous
            .iter()
            .all(|r| r.header("authorization").is_none())
    );
}

#[test]
fn requests_are_signed_with_the_keys_of_the_repository() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request| match request.header("authorization") {
        Some(signed) if signed.starts_with("AWS4-HMAC-SHA256 Credential=key/") => answer(request),
        Some(_) => status(403, "<Error><Code>InvalidAccessKeyId</Code></Error>"),
        None => status(403, "<Error><Code>AccessDenied</Code></Error>"),
    });
    let wanted = bucket(&server, "");
    let with = |place: &str, key: &str| {
        let sources = sources(&directory.path().join(place));
        sources.tell(
            &wanted.address(),
            Access {
                login: Some(Login::basic(key, "s3cret", "Secret flux-system/keys")),
                ..Access::default()
            },
        );
        sources
    };
    assert!(with("a", "key").bucket(&wanted).is_ok());
    assert!(!common::holds(&directory.path().join("a"), "s3cret"));
    let refused = with("b", "other").bucket(&wanted).map(|_| ()).unwrap_err();
    assert!(
        matches!(refused, Error::Unauthorized { sent: Some(_), .. }),
        "{refused}"
    );
    let nobody = sources(&directory.path().join("c"))
        .bucket(&wanted)
        .map(|_| ());
    let nobody = nobody.unwrap_err();
    assert!(
        matches!(nobody, Error::Unauthorized { sent: None, .. }),
        "{nobody}"
    );
    let cloud = sources(&directory.path().join("d"));
    let access = Access {
        provider: Some("aws".into()),
        ..Access::default()
    };
    cloud.tell(&wanted.address(), access);
    let cloud = cloud.bucket(&wanted).map(|_| ()).unwrap_err();
    assert!(cloud.to_string().contains("`provider: aws`"), "{cloud}");
}

#[test]
fn failures_are_told_apart() {
    let fails = |answer: fn(&Request) -> Response| {
        let directory = tempfile::tempdir().unwrap();
        let server = serve(answer);
        let result = sources(directory.path()).bucket(&bucket(&server, ""));
        (result.map(|_| ()).unwrap_err(), server)
    };
    let (error, server) = fails(|_| status(404, "<Error><Code>NoSuchBucket</Code></Error>"));
    let address = bucket(&server, "").address();
    assert_eq!(error, Error::RepositoryMissing(address));
    let (error, server) = fails(|_| status(503, ""));
    assert!(
        matches!(error, Error::Status { status: 503, .. }),
        "{error}"
    );
    assert_eq!(
        server.requests().len(),
        3,
        "it is tried again, by one who counts"
    );
    let (error, _) = fails(|_| ok("no list"));
    assert!(matches!(error, Error::Answer { .. }), "{error}");
    let (error, _) = fails(|_| ok("").body(Body::Endless));
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    let (error, server) = fails(|_| status(307, "").with("location", "http://127.0.0.1:1/"));
    assert!(
        error
            .to_string()
            .contains("redirects to http://127.0.0.1:1/"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1);
    for key in ["../x", "/etc/passwd", "a/../../x"] {
        let directory = tempfile::tempdir().unwrap();
        let server = serve(
            move |request: &Request| match request.target.contains("list-type") {
                true => ok(page(&[(key, 1)], None)),
                false => ok("x"),
            },
        );
        let result = sources(directory.path()).bucket(&bucket(&server, ""));
        // Refused, or kept inside.
        if let Ok(tree) = result {
            assert!(tree.read("etc/passwd").is_ok(), "{key}");
        }
    }
    let names: Vec<String> = (0..9).map(|at| format!("{at}.yaml")).collect();
    let keys: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 60 << 20)).collect();
    let many = page(&keys, None);
    let directory = tempfile::tempdir().unwrap();
    let server = serve(move |_: &Request| ok(many.clone()));
    let error = sources(directory.path())
        .bucket(&bucket(&server, ""))
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    assert_eq!(server.requests().len(), 1, "nothing of it is fetched");
}
