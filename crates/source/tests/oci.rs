//! OCI registries.

mod common;

use std::io::Write;

use common::{Request, Response, Server, environment, ok, options, serve, sources, status};
use flate2::Compression;
use flate2::write::GzEncoder;
use source::cache::Digest;
use source::{Error, Sources};

/// A gzipped tar file with one file.
fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = tar::Header::new_ustar();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    builder.append_data(&mut header, name, content).unwrap();
    builder.into_inner().unwrap().finish().unwrap()
}

fn manifest(layers: &[(&str, &[u8])]) -> String {
    let layers: Vec<String> = layers
        .iter()
        .map(|(kind, bytes)| {
            let digest = Digest::of(bytes);
            format!(
                r#"{{"mediaType": "{kind}", "digest": "{digest}", "size": {}}}"#,
                bytes.len()
            )
        })
        .collect();
    format!(
        r#"{{"schemaVersion": 2, "layers": [{}]}}"#,
        layers.join(", ")
    )
}

const HELM: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
const FLUX: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";

/// A registry with a chart and an artifact; what it lies about is up to the
/// caller.
fn registry(lies: impl Fn(&str) -> Option<Response> + Send + Sync + 'static) -> Server {
    let chart = archive("app/Chart.yaml", b"name: app\n");
    let files = archive("./deploy/a.yaml", b"a: 1\n");
    let of_chart = manifest(&[
        ("application/vnd.cncf.helm.chart.provenance.v1.prov", b"p"),
        (HELM, &chart),
    ]);
    let of_files = manifest(&[(FLUX, &files)]);
    let index = format!(
        r#"{{"manifests": [{{"digest": "sha256:{}", "platform": {{"os": "linux", "architecture": "arm64"}}}},
            {{"digest": "{}", "platform": {{"os": "linux", "architecture": "amd64"}}}}]}}"#,
        "0".repeat(64),
        Digest::of(of_files.as_bytes())
    );
    serve(move |request| {
        let path = request.target.as_str();
        if let Some(lie) = lies(path) {
            return lie;
        }
        let found =
            |bytes: &[u8]| ok(bytes).with("docker-content-digest", Digest::of(bytes).to_string());
        let is = |bytes: &[u8]| path.ends_with(&Digest::of(bytes).to_string());
        match path {
            "/v2/charts/app/manifests/1.2.0" => found(of_chart.as_bytes()),
            "/v2/flux/manifests/manifests/v2.6.0" => found(of_files.as_bytes()),
            "/v2/flux/manifests/manifests/many" => found(index.as_bytes()),
            "/v2/charts/app/tags/list?n=1000" => ok(r#"{"tags": ["1.0.0", "1.1.0"]}"#).with(
                "link",
                "</v2/charts/app/tags/list?n=1000&last=1.1.0>; rel=\"next\"",
            ),
            "/v2/charts/app/tags/list?n=1000&last=1.1.0" => ok(r#"{"tags": ["1.2.0"]}"#),
            _ if path.contains("/blobs/") && is(&chart) => ok(chart.clone()),
            _ if path.contains("/blobs/") && is(&files) => ok(files.clone()),
            _ if path.contains("/manifests/") && is(of_files.as_bytes()) => {
                found(of_files.as_bytes())
            }
            _ if path.contains("/charts/app/") => {
                status(404, r#"{"errors": [{"code": "MANIFEST_UNKNOWN"}]}"#)
            }
            _ => status(404, r#"{"errors": [{"code": "NAME_UNKNOWN"}]}"#),
        }
    })
}

#[test]
fn charts_and_artifacts_are_had_once() {
    let directory = tempfile::tempdir().unwrap();
    let server = registry(|_| None);
    let (chart, artifact) = (server.oci("/charts/app"), server.oci("/flux/manifests"));
    let digest = sources(directory.path()).digest(&chart, "1.2.0").unwrap();
    let pinned = archive("./deploy/a.yaml", b"a: 1\n");
    let by_digest = Digest::of(manifest(&[(FLUX, &pinned)]).as_bytes()).to_string();
    for sources in [sources(directory.path()), common::offline(directory.path())] {
        let bytes = sources.oci_chart(&chart, "1.2.0").unwrap();
        assert_eq!(&*bytes, archive("app/Chart.yaml", b"name: app\n"));
        assert_eq!(sources.digest(&chart, "1.2.0").unwrap(), digest.as_str());
        assert_eq!(sources.tags(&chart).unwrap(), ["1.0.0", "1.1.0", "1.2.0"]);
        for reference in ["v2.6.0", "many", by_digest.as_str()] {
            let tree = sources.oci_tree(&artifact, reference, None).unwrap();
            assert_eq!(&*tree.read("deploy/a.yaml").unwrap(), b"a: 1\n");
        }
    }
    assert_eq!(server.count("/blobs/"), 2);
    assert_eq!(server.count("manifests/1.2.0"), 1);
    assert_eq!(server.count("tags/list"), 2);
}

#[test]
fn what_is_missing_is_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let server = registry(|_| None);
    let sources = sources(directory.path());
    let chart = server.oci("/charts/app");
    let error = sources.oci_chart(&chart, "1.3.0").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{chart} has no tag 1.3.0; nearest are 1.2.0, 1.1.0, 1.0.0")
    );
    let error = sources
        .oci_chart(&server.oci("/charts/none"), "1.0.0")
        .unwrap_err();
    assert_eq!(
        error,
        Error::RepositoryMissing(server.oci("/charts/none").into())
    );
    let error = sources.oci_tag(&chart, ">=2", &|_| None).unwrap_err();
    assert!(error.is_missing(), "{error}");
    for wrong in ["https://h/x", "oci://h", "oci://h/a/../b", "oci://h/a b"] {
        assert!(
            matches!(sources.tags(wrong), Err(Error::Address(_))),
            "{wrong}"
        );
    }
    assert!(matches!(
        sources.oci_chart(&chart, "../../x"),
        Err(Error::Address(_))
    ));
}

#[test]
fn lies_are_found() {
    for (part, lie) in [
        ("/blobs/", "other bytes"),
        ("/manifests/1.2.0", "{\"layers\": []}"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let server = registry(move |path| {
            let digest = Digest::of(b"what it should be").to_string();
            path.contains(part)
                .then(|| ok(lie).with("docker-content-digest", digest))
        });
        let error = sources(directory.path())
            .oci_chart(&server.oci("/charts/app"), "1.2.0")
            .unwrap_err();
        assert!(matches!(error, Error::Digest { .. }), "{error}");
    }
    for (body, what) in [
        ("{}", "no layer"),
        ("nothing", "makes no sense"),
        (r#"{"layers": [{"digest": "sha512:00"}]}"#, "no SHA-256"),
        (r#"{"layers": [{"digest": "../../../etc"}]}"#, "no SHA-256"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let server = registry(move |path| path.contains("/manifests/").then(|| ok(body)));
        let error = sources(directory.path())
            .oci_chart(&server.oci("/charts/app"), "1.2.0")
            .unwrap_err();
        assert!(error.to_string().contains(what), "{body}: {error}");
    }
    let directory = tempfile::tempdir().unwrap();
    let huge = format!(
        r#"{{"layers": [{{"digest": "{}", "size": 999999999999}}]}}"#,
        Digest::of(b"")
    );
    let server = registry(move |path| path.contains("/manifests/").then(|| ok(huge.clone())));
    let error = sources(directory.path())
        .oci_tree(&server.oci("/charts/app"), "1.2.0", None)
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
}

/// A registry that wants a token, which another server gives to whom it knows.
fn guarded(known: &'static str) -> (Server, Server) {
    let tokens = serve(move |request: &Request| {
        let asks = request.target == "/token?service=test&scope=repository:charts/app:pull";
        match request.header("authorization").unwrap_or_default() == known && asks {
            true => ok(r#"{"token": "t0ken"}"#),
            false => status(401, ""),
        }
    });
    let realm = tokens.http("/token");
    let inner = registry(|_| None);
    let port = inner.port();
    let challenge =
        format!(r#"Bearer realm="{realm}",service="test",scope="repository:charts/app:pull""#);
    let outer = serve(move |request: &Request| {
        if request.header("authorization") != Some("Bearer t0ken") {
            return status(401, "").with("www-authenticate", challenge.clone());
        }
        // What it has lies elsewhere, as with registries that store at others.
        status(307, "").with(
            "location",
            format!("http://127.0.0.1:{port}{}", request.target),
        )
    });
    std::mem::forget(inner);
    (outer, tokens)
}

#[test]
fn a_token_is_asked_for_once() {
    let directory = tempfile::tempdir().unwrap();
    let (server, tokens) = guarded("");
    let anybody = sources(directory.path());
    anybody
        .oci_chart(&server.oci("/charts/app"), "1.2.0")
        .unwrap();
    assert_eq!(tokens.requests().len(), 1);
}

#[test]
fn credentials_of_docker_are_used_and_kept_nowhere() {
    let directory = tempfile::tempdir().unwrap();
    // `me:s3cret`
    let (server, tokens) = guarded("Basic bWU6czNjcmV0");
    let error = sources(directory.path())
        .oci_chart(&server.oci("/charts/app"), "1.2.0")
        .unwrap_err();
    assert!(
        matches!(error, Error::Unauthorized { sent: None, .. }),
        "{error}"
    );
    let config = directory.path().join("config.json");
    let text = format!(
        r#"{{"auths": {{"127.0.0.1:{}": {{"auth": "bWU6czNjcmV0"}}}}}}"#,
        server.port()
    );
    std::fs::File::create(&config)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let mut options = options(directory.path());
    options.environment = environment(&[("DOCKER_CONFIG", directory.path())]);
    Sources::new(options)
        .oci_chart(&server.oci("/charts/app"), "1.2.0")
        .unwrap();
    assert_eq!(tokens.requests().len(), 2);
    let cache = directory.path().join("cache");
    for secret in ["s3cret", "bWU6czNjcmV0", "t0ken"] {
        assert!(!common::holds(&cache, secret), "{secret}");
    }
    let outside = server
        .requests()
        .iter()
        .filter(|r| r.header("authorization").is_some())
        .count();
    assert_eq!(outside, 2, "the registry gets its token, once a request");
}

#[test]
fn layers_are_chosen_by_media_type() {
    let directory = tempfile::tempdir().unwrap();
    let server = registry(|_| None);
    let chart = server.oci("/charts/app");
    for sources in [sources(directory.path()), common::offline(directory.path())] {
        let bytes = sources.oci_layer(&chart, "1.2.0", Some(HELM)).unwrap();
        assert_eq!(&*bytes, archive("app/Chart.yaml", b"name: app\n"));
        let tree = sources.oci_tree(&chart, "1.2.0", Some(HELM)).unwrap();
        assert_eq!(&*tree.read("app/Chart.yaml").unwrap(), b"name: app\n");
        let error = sources.oci_layer(&chart, "1.2.0", Some(FLUX)).unwrap_err();
        assert!(error.is_missing(), "{error}");
        assert!(
            error
                .to_string()
                .contains(&format!("has no layer of media type {FLUX} at 1.2.0"))
        );
    }
    assert_eq!(server.count("/blobs/"), 1);
    // Without one the first counts: here it is no archive.
    let first = sources(directory.path()).oci_tree(&chart, "1.2.0", None);
    assert!(first.is_err());
}

#[test]
fn a_cloud_that_logs_in_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (server, _tokens) = guarded("Basic bWU6czNjcmV0");
    let sources = sources(directory.path());
    let chart = server.oci("/charts/app");
    let access = source::Access {
        provider: Some("aws".into()),
        ..source::Access::default()
    };
    sources.tell(&chart, access);
    let error = sources.oci_chart(&chart, "1.2.0").unwrap_err();
    assert_eq!(error.class(), "authentication-required");
    assert!(error.to_string().contains("`provider: aws`"), "{error}");
}
