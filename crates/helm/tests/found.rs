//! What random charts showed to differ from Helm's library, one small template
//! of each kind, with Helm's text or the end of its error.

use helm::chart::File;
use helm::{Capabilities, Data, Options, Package, Release, Request, load};

const FOUND: &[(&str, Result<&str, &str>)] = &[
    (
        "{{ deepCopy nil }}",
        Err("error calling deepCopy: reflect: call of reflect.Value.Type on zero Value"),
    ),
    (
        "{{ concat (list 1) nil }}",
        Err("runtime error: invalid memory address or nil pointer dereference"),
    ),
    ("{{ chunk -7 (list 1) }}", Ok("[[1]]")),
    ("{{ chunk -7 (list 1 2) }}", Ok("[]")),
    (
        "{{ chunk -1 (list 1) }}",
        Err("error calling chunk: runtime error: makeslice: len out of range"),
    ),
    ("{{ toJson (now) }}", Ok("\"2025-01-01T00:00:00Z\"")),
    ("{{ toYaml (now) }}", Ok("\"2025-01-01T00:00:00Z\"")),
    (
        "{{ merge (dict) (pick .Chart \"Annotations\") | toJson }}",
        Ok("{\"Annotations\":null}"),
    ),
    ("{{ typeOf . }}", Ok("common.Values")),
    (
        "{{ trimAll . \"x\" }}",
        Err("wrong type for value; expected string; got common.Values"),
    ),
    (
        "{{ toJson .Capabilities.HelmVersion }}",
        Ok("{\"version\":\"v4.2\",\"go_version\":\"go1.26\",\"kube_client_version\":\"v1.36\"}"),
    ),
];

fn render(template: &str) -> Result<String, String> {
    let file = |name: &str, text: &str| File {
        name: name.to_owned(),
        data: text.as_bytes().to_vec(),
    };
    let chart = load::files(vec![
        file("Chart.yaml", "{apiVersion: v2, name: c, version: 1.2.3}"),
        file("templates/NOTES.txt", template),
    ])?;
    let request = Request {
        values: &Data::map(),
        release: &Release {
            name: "rel".to_owned(),
            namespace: "ns".to_owned(),
            revision: 1,
            is_upgrade: false,
        },
        capabilities: &Capabilities {
            kube_version: "v1.36.0".to_owned(),
            api_versions: vec!["v1".to_owned()],
            helm_version: "v4.2".to_owned(),
        },
        options: &Options::default(),
        skip_schema: false,
    };
    let rendered = Package::new(chart).render(&request);
    Ok(rendered.map_err(|e| e.to_string())?.notes)
}

#[test]
fn found_differences_stay_mended() {
    for (template, expected) in FOUND {
        let got = render(template);
        let same = match (&got, expected) {
            (Ok(text), Ok(expected)) => text == expected,
            (Err(error), Err(end)) => error.trim_end().ends_with(end),
            _ => false,
        };
        assert!(same, "{template}: {got:?}, Helm: {expected:?}");
    }
}
