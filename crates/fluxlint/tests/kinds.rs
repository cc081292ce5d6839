//! Every kind of source from servers on loopback, and then without them.

mod common;
#[path = "../../source/tests/common/mod.rs"]
mod serving;

use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use common::tree;
use flate2::Compression;
use flate2::write::GzEncoder;
use serving::git::{backend, git};
use serving::{Request, Response, Server, ok, serve, status};
use source::cache::Digest;

const CHART_LAYER: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
const OWN_LAYER: &str = "application/vnd.example.manifests.tar+gzip";

/// A ConfigMap.
fn config(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: default\n")
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder
            .append_data(&mut header, path, content.as_bytes())
            .unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

fn chart(name: &str) -> Vec<u8> {
    let about = format!("apiVersion: v2\nname: {name}\nversion: 1.2.0\n");
    let files = [
        (format!("{name}/Chart.yaml"), about),
        (
            format!("{name}/templates/c.yaml"),
            config(&format!("of-chart-{name}")),
        ),
    ];
    let files = files
        .each_ref()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    archive(&files)
}

/// Bare repositories: `base` with a submodule, `shared`, and `inner`.
fn repositories(root: &Path) {
    let commit = |name: &str, files: &[(&str, String)], submodule: Option<(&str, &str)>| {
        let work = root.join(format!("work-{name}"));
        std::fs::create_dir_all(&work).unwrap();
        git(&work, &["init", "--quiet", "--initial-branch=main", "."]);
        for (path, content) in files {
            let path = work.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        git(&work, &["add", "."]);
        if let Some((path, commit)) = submodule {
            let entry = format!("160000,{commit},{path}");
            git(&work, &["update-index", "--add", "--cacheinfo", &entry]);
        }
        git(&work, &["commit", "--quiet", "-m", "x"]);
        git(&work, &["tag", "v1.0.0"]);
        git(&work, &["update-ref", "refs/pull/1/head", "HEAD"]);
        let bare = root.join(format!("{name}.git"));
        git(
            &work,
            &["clone", "--quiet", "--mirror", ".", bare.to_str().unwrap()],
        );
        git(&work, &["rev-parse", "HEAD"])
    };
    let inner = commit("inner", &[("i.yaml", config("of-submodule"))], None);
    let modules = "[submodule \"x\"]\n\tpath = deploy/inner\n\turl = ../inner.git\n".to_owned();
    let files = [
        ("deploy/d.yaml", config("of-base")),
        (
            "deploy/kustomization.yaml",
            "resources: [d.yaml, inner/i.yaml]\n".to_owned(),
        ),
        ("left-out/x.yaml", config("left-out")),
        (".gitmodules", modules),
    ];
    commit("base", &files, Some(("deploy/inner", &inner)));
    commit("shared", &[("s/s.yaml", config("of-include"))], None);
}

/// One server for all of it.
fn server(root: &Path) -> Server {
    let root = root.to_path_buf();
    let charts = [chart("app"), chart("packed")];
    let layer = archive(&[("l.yaml", &config("of-layer"))]);
    let described = |kind: &str, bytes: &[u8]| {
        let (digest, size) = (Digest::of(bytes), bytes.len());
        format!(r#"{{"mediaType": "{kind}", "digest": "{digest}", "size": {size}}}"#)
    };
    let manifest = format!(
        r#"{{"schemaVersion": 2, "layers": [{}, {}]}}"#,
        described(CHART_LAYER, &charts[0]),
        described(OWN_LAYER, &layer)
    );
    serve(move |request| {
        let path = request.target.split('?').next().unwrap_or_default();
        match path {
            _ if path.contains(".git/") => backend(&root, request),
            "/v2/app/manifests/1.2.0" => ok(manifest.clone()).with(
                "docker-content-digest",
                Digest::of(manifest.as_bytes()).to_string(),
            ),
            "/v2/app/tags/list" => ok(r#"{"tags": ["1.2.0"]}"#),
            _ if path.starts_with("/v2/") && path.ends_with(&Digest::of(&layer).to_string()) => {
                ok(layer.clone())
            }
            _ if path.starts_with("/v2/app/blobs/") => ok(charts[0].clone()),
            "/files/v1.0.0/f.yaml" => ok(config("of-file")),
            _ if path.starts_with("/charts/") => guarded(request, &charts[0]),
            _ if path.starts_with("/fleet") => stored(request, &charts[1]),
            _ => status(404, ""),
        }
    })
}

/// A chart repository for `me:s3cret`.
fn guarded(request: &Request, chart: &[u8]) -> Response {
    if request.header("authorization") != Some("Basic bWU6czNjcmV0") {
        return status(401, "");
    }
    match request.target.as_str() {
        "/charts/index.yaml" => {
            ok("apiVersion: v1\nentries:\n  app:\n  - version: 1.2.0\n    urls: [app-1.2.0.tgz]\n")
        }
        "/charts/app-1.2.0.tgz" => ok(chart),
        _ => status(404, ""),
    }
}

/// A bucket for the key `key`.
fn stored(request: &Request, chart: &[u8]) -> Response {
    let signed = request.header("authorization").unwrap_or_default();
    if !signed.contains("Credential=key/") {
        return status(403, "<Error><Code>AccessDenied</Code></Error>");
    }
    let entry = |key: &str, size: usize| {
        format!(
            "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
             <ETag>&quot;0&quot;</ETag><Size>{size}</Size></Contents>"
        )
    };
    match request.target.split('?').next().unwrap_or_default() {
        "/fleet" => {
            let keys = ["b/b.yaml", "b/no.yaml", ".sourceignore", "packed.tgz"];
            let keys: String = keys.iter().map(|key| entry(key, 9)).collect();
            ok(format!(
                "<ListBucketResult>{keys}<IsTruncated>false</IsTruncated></ListBucketResult>"
            ))
        }
        "/fleet/b/b.yaml" => ok(config("of-bucket")),
        "/fleet/b/no.yaml" => ok(config("left-out")),
        "/fleet/.sourceignore" => ok("no.yaml\n"),
        "/fleet/packed.tgz" => ok(chart),
        _ => status(404, ""),
    }
}

fn kustomization(name: &str, kind: &str, source: &str, path: &str) -> String {
    format!(
        "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: {name}\n  \
         namespace: flux-system\nspec:\n  interval: 1h\n  prune: true\n  path: {path}\n  sourceRef:\n    \
         kind: {kind}\n    name: {source}\n"
    )
}

fn release(name: &str, chart: &str) -> String {
    format!(
        "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: {name}\n  \
         namespace: flux-system\nspec:\n  interval: 1h\n  {chart}\n"
    )
}

fn source_object(kind: &str, name: &str, spec: &str) -> String {
    format!(
        "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: {kind}\nmetadata:\n  name: {name}\n  \
         namespace: flux-system\nspec: {{interval: 1h, {spec}}}\n"
    )
}

fn secret(name: &str, data: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n  namespace: flux-system\n\
         stringData: {{{data}}}\n"
    )
}

/// A repository that asks the server for everything.
fn fleet(port: u16) -> tempfile::TempDir {
    let at = format!("127.0.0.1:{port}");
    let sources = [
        source_object(
            "GitRepository",
            "base",
            &format!(
                "url: 'http://{at}/base.git', ref: {{semver: '1.x'}}, recurseSubmodules: true, \
                 sparseCheckout: [deploy], include: [{{repository: {{name: shared}}, fromPath: s, toPath: deploy/s}}]"
            ),
        ),
        source_object(
            "GitRepository",
            "shared",
            &format!("url: 'http://{at}/shared.git', ref: {{name: refs/pull/1/head}}"),
        ),
        source_object(
            "OCIRepository",
            "layer",
            &format!(
                "url: 'oci://{at}/app', ref: {{semver: '>=1.0.0'}}, \
                 layerSelector: {{mediaType: {OWN_LAYER}, operation: extract}}"
            ),
        ),
        source_object(
            "OCIRepository",
            "chart",
            &format!(
                "url: 'oci://{at}/app', ref: {{tag: 1.2.0}}, \
                 layerSelector: {{mediaType: {CHART_LAYER}, operation: copy}}"
            ),
        ),
        source_object(
            "Bucket",
            "bucket",
            &format!(
                "endpoint: '{at}', bucketName: fleet, insecure: true, secretRef: {{name: keys}}"
            ),
        ),
        source_object(
            "HelmRepository",
            "charts",
            &format!("url: 'http://{at}/charts', secretRef: {{name: login}}"),
        ),
        secret("keys", "accesskey: key, secretkey: s3cret"),
        secret("login", "username: me, password: s3cret"),
    ];
    let users = [
        kustomization("git", "GitRepository", "base", "./deploy"),
        kustomization("include", "GitRepository", "base", "./deploy/s"),
        kustomization("oci", "OCIRepository", "layer", "./"),
        kustomization("bucket", "Bucket", "bucket", "./b"),
        kustomization("remote", "GitRepository", "flux-system", "./remote"),
        release(
            "by-chart-ref",
            "chartRef: {kind: OCIRepository, name: chart}",
        ),
        release(
            "by-repository",
            "chart: {spec: {chart: app, version: 1.x, sourceRef: {kind: HelmRepository, name: charts}}}",
        ),
        release(
            "by-bucket",
            "chart: {spec: {chart: ./packed.tgz, sourceRef: {kind: Bucket, name: bucket}}}",
        ),
    ];
    let remote = format!(
        "resources:\n- http://{at}/base.git//deploy?ref=v1.0.0\n- http://{at}/files/v1.0.0/f.yaml\n"
    );
    tree(&[
        ("clusters/main/sources.yaml", &sources.concat()),
        ("clusters/main/users.yaml", &users.concat()),
        ("clusters/main/flux-system/gotk-sync.yaml", SYNC),
        ("remote/kustomization.yaml", &remote),
    ])
}

const SYNC: &str = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: flux-system\n  \
namespace: flux-system\nspec:\n  interval: 1m\n  url: https://git.example.org/fleet\n---\n\
apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: flux-system\n  \
namespace: flux-system\nspec:\n  interval: 10m\n  path: ./clusters/main\n  prune: true\n  sourceRef:\n    \
kind: GitRepository\n    name: flux-system\n";

fn run(cache: &Path, args: &[&str]) -> Output {
    common::fluxlint(args)
        .env_remove("FLUXLINT_OFFLINE")
        .env("FLUXLINT_CACHE_DIR", cache)
        .env("HOME", cache)
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap()
}

fn result(output: &Output) -> String {
    assert!(output.status.success(), "{}", printed(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn printed(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(&[out.as_slice(), err.as_slice()].concat()).into_owned()
}

#[test]
fn every_kind_is_had_once_and_then_offline() {
    let place = tempfile::tempdir().unwrap();
    repositories(place.path());
    let server = Arc::new(server(place.path()));
    let fleet = fleet(server.port());
    let repo = fleet.path().to_str().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let mut first: Vec<String> = Vec::new();
    for (component, parts) in [
        ("flux-system/git", &["of-base", "of-submodule"][..]),
        ("flux-system/include", &["of-include"]),
        ("flux-system/oci", &["of-layer"]),
        ("flux-system/bucket", &["of-bucket"]),
        (
            "flux-system/remote",
            &["of-base", "of-submodule", "of-file"],
        ),
        ("HelmRelease/flux-system/by-chart-ref", &["of-chart-app"]),
        ("HelmRelease/flux-system/by-repository", &["of-chart-app"]),
        ("HelmRelease/flux-system/by-bucket", &["of-chart-packed"]),
    ] {
        let text = result(&run(cache.path(), &["render", "--repo", repo, component]));
        for part in parts {
            assert!(
                text.contains(&format!("name: {part}")),
                "{component}: {text}"
            );
        }
        assert!(!text.contains("left-out"), "{component}: {text}");
        first.push(text);
    }
    let check = printed(&run(cache.path(), &["check", "--repo", repo, "-v"]));
    assert!(!check.contains("FL-X001"), "{check}");
    let asked = server.requests().len();
    for (at, component) in [
        (0, "flux-system/git"),
        (3, "flux-system/bucket"),
        (4, "flux-system/remote"),
        (7, "HelmRelease/flux-system/by-bucket"),
    ] {
        let args = ["render", "--repo", repo, component, "--offline"];
        assert_eq!(result(&run(cache.path(), &args)), first[at], "{component}");
    }
    let offline = printed(&run(
        cache.path(),
        &["check", "--repo", repo, "-v", "--offline"],
    ));
    let findings = |text: &str| {
        let lines = text.lines();
        let lines =
            lines.filter(|line| !line.starts_with("checked") && !line.starts_with("fetched"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(findings(&offline), findings(&check));
    assert_eq!(server.requests().len(), asked, "nothing is asked again");
    for once in [
        "/charts/app-1.2.0.tgz",
        "/charts/index.yaml",
        "/fleet/b/b.yaml",
        "/files/",
    ] {
        assert_eq!(server.count(once), 1, "{once}");
    }
    for text in first.iter().chain([&check, &offline]) {
        assert!(!text.contains("s3cret"), "{text}");
    }
    assert!(!serving::holds(cache.path(), "s3cret"));
}

#[test]
fn what_is_wrong_names_the_source_and_its_place() {
    let place = tempfile::tempdir().unwrap();
    repositories(place.path());
    let server = server(place.path());
    let at = format!("127.0.0.1:{}", server.port());
    let cache = tempfile::tempdir().unwrap();
    let check = |kind: &str, spec: &str| {
        let text = [
            source_object(kind, "broken", spec),
            kustomization("user", kind, "broken", "./"),
        ];
        let repo = tree(&[
            ("clusters/main/broken.yaml", &text.concat()),
            ("clusters/main/flux-system/gotk-sync.yaml", SYNC),
        ]);
        let args = ["check", "--repo", repo.path().to_str().unwrap(), "-v"];
        printed(&run(cache.path(), &args))
    };
    let git = |reference: &str| {
        let spec = format!("url: 'http://{at}/base.git', ref: {{{reference}}}");
        check("GitRepository", &spec)
    };
    let none = "0".repeat(40);
    for (text, severity, reason) in [
        (
            git("tag: v1.0.1"),
            "error",
            "has no tag v1.0.1; nearest is v1.0.0",
        ),
        (
            git("branch: mian"),
            "error",
            "has no branch mian; nearest is main",
        ),
        (
            git("semver: '>=2'"),
            "error",
            "has no tag that satisfies >=2; nearest is v1.0.0",
        ),
        (
            git(&format!("commit: '{none}'")),
            "error",
            "has no commit 0000",
        ),
        (
            check(
                "GitRepository",
                &format!("url: 'http://{at}/none.git', ref: {{tag: v1}}"),
            ),
            "warning",
            "/none.git does not exist",
        ),
        (
            check(
                "OCIRepository",
                &format!("url: 'oci://{at}/app', ref: {{tag: 9.9.9}}"),
            ),
            "error",
            "has no tag 9.9.9; nearest is 1.2.0",
        ),
        (
            check(
                "OCIRepository",
                &format!(
                    "url: 'oci://{at}/app', ref: {{tag: 1.2.0}}, layerSelector: {{mediaType: a/b}}"
                ),
            ),
            "error",
            "has no layer of media type a/b at 1.2.0; nearest are application/",
        ),
        (
            check(
                "Bucket",
                &format!("endpoint: '{at}', bucketName: fleet, insecure: true"),
            ),
            "warning",
            "/fleet requires authentication",
        ),
        (
            check(
                "Bucket",
                &format!("endpoint: '{at}', bucketName: other, insecure: true"),
            ),
            "warning",
            "/other does not exist",
        ),
        (
            check(
                "Bucket",
                &format!("endpoint: '{at}', bucketName: x, provider: azure"),
            ),
            "warning",
            "only buckets of the providers",
        ),
        (
            check(
                "GitRepository",
                "url: 'http://127.0.0.1:1/x', ref: {tag: v1}",
            ),
            "warning",
            "127.0.0.1:1 is unreachable",
        ),
    ] {
        let head = format!("{severity}[FL-X001]");
        for part in [
            head.as_str(),
            "/broken`",
            "--> clusters/main/broken.yaml:",
            reason,
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    let verified =
        format!("url: 'oci://{at}/app', ref: {{tag: 1.2.0}}, verify: {{provider: cosign}}");
    let text = check("OCIRepository", &verified);
    assert!(
        text.contains("the signature that `verify` asks for"),
        "{text}"
    );
}

/// A program `ssh` that shows the files it is given, and the passphrase, before it
/// does what it is to do here.
#[cfg(unix)]
const SSH: &str = r#"#!/bin/sh
for each; do
  case "$each" in
    -oIdentityFile=* | -oUserKnownHostsFile=*)
      file=${each#*=\"}
      cat "${file%\"}" >> "$LOG"
      ;;
  esac
done
"$SSH_ASKPASS" >> "$LOG"
exec sh -c "$each"
"#;

#[cfg(unix)]
#[test]
fn a_key_in_the_tree_is_the_one_that_ssh_gets() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    repositories(root);
    let (program, log) = (root.join("ssh"), root.join("log"));
    std::fs::write(&program, SSH).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let url = format!("ssh://git@git.example.com{}/shared.git", root.display());
    let key = "identity: the-key, known_hosts: the-hosts, password: the-words";
    let source = source_object(
        "GitRepository",
        "shared",
        &format!("url: '{url}', ref: {{branch: main}}, secretRef: {{name: key}}"),
    );
    let user = kustomization("git", "GitRepository", "shared", "./s");
    let fleet = tree(&[
        (
            "clusters/main/all.yaml",
            &[source, user, secret("key", key)].concat(),
        ),
        ("clusters/main/flux-system/gotk-sync.yaml", SYNC),
    ]);
    let cache = tempfile::tempdir().unwrap();
    let repo = fleet.path().to_str().unwrap();
    let path = format!("{}:{}", root.display(), std::env::var("PATH").unwrap());
    let render = || {
        common::fluxlint(&["render", "--repo", repo, "flux-system/git"])
            .env_remove("FLUXLINT_OFFLINE")
            .env("FLUXLINT_CACHE_DIR", cache.path())
            .envs([("PATH", path.as_str()), ("LOG", log.to_str().unwrap())])
            .output()
            .unwrap()
    };
    let text = result(&render());
    assert!(text.contains("name: of-include"), "{text}");
    let shown = std::fs::read_to_string(&log).unwrap();
    for part in ["the-key\n", "the-hosts\n", "the-words"] {
        assert!(shown.contains(part), "{shown}");
        assert!(!serving::holds(cache.path(), part.trim()), "{part}");
    }
    // A key without hosts is none to Flux.
    std::fs::remove_file(&log).unwrap();
    let all = fleet.path().join("clusters/main/all.yaml");
    let text = std::fs::read_to_string(&all).unwrap();
    std::fs::write(&all, text.replace("known_hosts: the-hosts, ", "")).unwrap();
    std::fs::remove_dir_all(cache.path()).unwrap();
    let _ = render();
    let shown = std::fs::read_to_string(&log).unwrap_or_default();
    assert!(!shown.contains("the-key"), "{shown}");
}
