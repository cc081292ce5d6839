use kustomize::Documents;
use kustomize::kustomization::Kustomization;
use vfs::{Memory, Tree};
use yaml::{FileId, Node, Sources};

use super::format::Format;
use super::*;

fn node(text: &str) -> Node {
    yaml::sigs_to_json(text, FileId::NONE, false).unwrap()
}

const VALUE: &str = "ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]";

#[test]
fn an_encrypted_object_keeps_what_is_readable() {
    let text = format!(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  a: {VALUE}\n  b: plain\n  list: ['{VALUE}']\nsops:\n  mac: {VALUE}\n"
    );
    let mut object = node(&text);
    assert!(matches!(encrypted(&object), Some(Encrypted::Object(_))));
    decrypt(&mut object, "seed");
    assert_eq!(encrypted(&object), None);
    assert!(object.get("sops").is_none());
    let value = object.path(&["stringData", "a"]).unwrap();
    assert!(value.unknown);
    assert_eq!(
        value.as_str(),
        Some(yaml::unknown::marker("seed/stringData/a").as_str())
    );
    let plain = object.path(&["stringData", "b"]).unwrap();
    assert_eq!((plain.as_str(), plain.unknown), (Some("plain"), false));
    assert!(object.path(&["stringData", "list"]).unwrap().items()[0].unknown);
}

#[test]
fn the_switch_keeps_an_object_encrypted() {
    let mut object = node(&format!(
        "kind: Secret\nmetadata:\n  annotations:\n    kustomize.toolkit.fluxcd.io/decrypt: Disabled\ndata: {{a: '{VALUE}'}}\nsops: {{mac: m}}\n"
    ));
    let before = object.clone();
    assert!(is_disabled(&object));
    decrypt(&mut object, "seed");
    assert_eq!(object, before);
}

#[test]
fn values_of_secrets_may_be_encrypted_files() {
    use base64::Engine;
    let encode = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    let file = encode(&format!("a: {VALUE}\nsops:\n    mac: {VALUE}\n"));
    let text = format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\ndata:\n  f: {file}\n  g: {}\n",
        encode("plain")
    );
    let mut object = node(&text);
    assert!(matches!(encrypted(&object), Some(Encrypted::Value(_))));
    decrypt(&mut object, "seed");
    assert!(object.path(&["data", "f"]).unwrap().unknown);
    assert!(!object.path(&["data", "g"]).unwrap().unknown);
    // Nobody decrypts what a ConfigMap holds.
    let map =
        format!("kind: ConfigMap\ndata:\n  f: |\n    a: {VALUE}\n    sops:\n      mac: {VALUE}\n");
    let mut map = node(&map);
    assert!(matches!(encrypted(&map), Some(Encrypted::Text(_))));
    let before = map.clone();
    decrypt(&mut map, "seed");
    assert_eq!(map, before);
}

#[test]
fn formats_by_path() {
    for (path, format) in [
        ("a.yaml", Format::Yaml),
        ("a.yml", Format::Yaml),
        ("a.json", Format::Json),
        (".dockerconfigjson", Format::Json),
        ("a.env", Format::Dotenv),
        (".env", Format::Dotenv),
        ("a.ini", Format::Ini),
        ("a.txt", Format::Binary),
    ] {
        assert_eq!(Format::of_path(path), format, "{path}");
    }
}

#[test]
fn files_keep_their_keys_and_lines() {
    let dotenv = format!("#{VALUE}\nA={VALUE}\nB=plain\nsops_mac={VALUE}\nsops_version=3\n");
    let marker = |seed: &str| yaml::unknown::marker(seed);
    assert!(Format::Dotenv.is_encrypted(dotenv.as_bytes()));
    assert_eq!(
        Format::Dotenv.decrypt(&dotenv, "p"),
        format!("A={}\nB=plain\n", marker("p#A"))
    );
    let yaml = format!("# note\na: {VALUE}\nsops:\n    lastmodified: x\n    mac: {VALUE}\nb: c\n");
    assert!(Format::Yaml.is_encrypted(yaml.as_bytes()));
    assert_eq!(
        Format::Yaml.decrypt(&yaml, "p"),
        format!("# note\na: {}\nb: c\n", marker("p#0"))
    );
    let json = format!(r#"{{"a": "{VALUE}", "sops": {{"mac": "{VALUE}"}}}}"#);
    assert!(Format::Json.is_encrypted(json.as_bytes()));
    let decrypted = Format::Json.decrypt(&json, "p");
    assert_eq!(
        decrypted.trim_end(),
        format!(r#"{{"a":"{}"}}"#, marker("p/a"))
    );
    assert_eq!(Format::Binary.decrypt(&json, "p"), marker("p").as_str());
}

#[test]
fn inputs_of_secret_generators_and_patches_are_decrypted() {
    let secret = format!("A={VALUE}\nsops_mac={VALUE}\n");
    let patch = format!("kind: x\nv: {VALUE}\nsops:\n  mac: {VALUE}\n");
    let files = [
        (
            "app/kustomization.yaml",
            "resources: [../base]\npatches: [{path: p.yaml}]\n",
        ),
        ("app/p.yaml", patch.as_str()),
        (
            "base/kustomization.yaml",
            "secretGenerator: [{name: s, envs: [s.env]}, {name: t, files: [key.yaml=plain]}]\nconfigMapGenerator: [{name: c, envs: [c.env]}]\n",
        ),
        ("base/s.env", secret.as_str()),
        ("base/c.env", secret.as_str()),
        ("base/plain", "mac: no\n"),
    ];
    let tree = Memory::new(files.map(|(p, t)| (p, t.as_bytes().to_vec()))).unwrap();
    let documents = Documents::new(Tree::new(tree), Sources::new());
    let root = documents.kustomization("app/kustomization.yaml").unwrap();
    let root: &Kustomization = &root;
    let decrypted = decrypt_inputs(&documents, "app", root).unwrap();
    let text = |path: &str| String::from_utf8(decrypted.bytes(path).unwrap().to_vec()).unwrap();
    assert!(text("base/s.env").starts_with("A=unknown-value-"));
    assert!(!text("base/s.env").contains("sops_mac"));
    assert!(yaml::unknown::contains(&text("app/p.yaml")));
    assert_eq!(text("base/c.env"), secret);
    let plain = documents.kustomization("base/kustomization.yaml").unwrap();
    assert!(decrypt_inputs(&documents, "elsewhere", &plain).is_none());
}
