use std::io::Write as _;

use super::*;

const CHART: &str = "apiVersion: v2\nname: a\nversion: 1.0.0\n";

fn file(name: &str, text: &str) -> File {
    File {
        name: name.to_owned(),
        data: text.as_bytes().to_vec(),
    }
}

fn of(chart: &str) -> Result<Chart, String> {
    files(vec![file("Chart.yaml", chart)])
}

fn fault(chart: &str) -> String {
    of(chart).err().unwrap_or_default()
}

/// An archive as tar writes it, names unchecked.
fn packed(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_cksum();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&bytes).unwrap();
    encoder.finish().unwrap()
}

fn archived(files: &[(&str, &[u8])]) -> Vec<u8> {
    let entry =
        |(name, data): &(&'static str, &'static [u8])| (*name, tar::EntryType::Regular, *data);
    let _ = entry;
    let entries: Vec<_> = files
        .iter()
        .map(|(name, data)| (*name, tar::EntryType::Regular, *data))
        .collect();
    packed(&entries)
}

#[test]
fn charts_of_files() {
    let chart = files(vec![
        file(
            "Chart.yaml",
            "apiVersion: v2\nname: a\nversion: 1\nappVersion: 1.250\n",
        ),
        file("values.yaml", "a: {b: 1}\n--- # next\na: {c: 2}\n"),
        file("values.schema.json", "{}"),
        file(
            "Chart.lock",
            "digest: x\ngenerated: \"2020-01-01T00:00:00Z\"\n",
        ),
        file("templates/x.yaml", "x"),
        file("charts/b/Chart.yaml", "name: b\nversion: 0.1.0\n"),
        file("charts/_c/Chart.yaml", "name: c\n"),
        file("README.md", ""),
    ]);
    let chart = chart.unwrap();
    assert_eq!(chart.metadata.text_at("AppVersion"), "1.25");
    assert_eq!(
        chart.values.get("a").and_then(|a| a.get("c")),
        Some(&Data::Float(2.0))
    );
    assert_eq!(chart.dependencies.len(), 1);
    assert_eq!((chart.templates.len(), chart.files.len()), (1, 1));
    assert_eq!(chart.schema.as_deref(), Some(&b"{}"[..]));
    assert_eq!(chart.lock.text_at("Digest"), "x");
    assert_eq!(files(Vec::new()).unwrap_err(), "Chart.yaml file is missing");
}

#[test]
fn what_chart_yaml_must_hold() {
    assert_eq!(
        fault("name: a\n"),
        "validation: chart.metadata.version is required"
    );
    assert_eq!(
        fault("version: 1\n"),
        "validation: chart.metadata.name is required"
    );
    assert_eq!(
        fault("name: a/b\nversion: 1\n"),
        "validation: chart.metadata.name \"a/b\" is invalid"
    );
    assert_eq!(
        fault("name: a\nversion: x\n"),
        "validation: chart.metadata.version \"x\" is invalid"
    );
    assert_eq!(
        fault("name: a\nversion: 1\ntype: x\n"),
        "validation: chart.metadata.type must be application or library"
    );
    assert_eq!(
        fault(&format!(
            "{CHART}dependencies: [{{name: b}}, {{name: c, alias: b}}]\n"
        )),
        "validation: more than one dependency with name or alias \"b\""
    );
    assert_eq!(
        fault(&format!("{CHART}dependencies: [{{name: b, alias: b.c}}]\n")),
        "validation: dependency \"b\" has disallowed characters in the alias"
    );
    assert_eq!(
        fault(&format!("{CHART}dependencies: [null]\n")),
        "validation: dependencies must not contain empty or null nodes"
    );
    let chart = of(&format!("{CHART}description: \"a\\tb\\u200bc\"\n")).unwrap();
    assert_eq!(chart.metadata.text_at("Description"), "a bc");
}

#[test]
fn fields_that_do_not_fit() {
    let decoding = "cannot load Chart.yaml: error unmarshaling JSON: while decoding JSON: json: ";
    assert_eq!(
        fault(&format!("{CHART}keywords: x\n")),
        format!(
            "{decoding}cannot unmarshal string into Go struct field Metadata.keywords of type []string"
        )
    );
    assert_eq!(
        fault(&format!("{CHART}deprecated: \"true\"\n")),
        format!(
            "{decoding}cannot unmarshal string into Go struct field Metadata.deprecated of type bool"
        )
    );
    assert_eq!(
        fault(&format!("{CHART}dependencies: [{{name: {{}}}}]\n")),
        format!(
            "{decoding}cannot unmarshal object into Go struct field Dependency.dependencies.name of type string"
        )
    );
    assert_eq!(
        fault("- a\n"),
        format!("{decoding}cannot unmarshal array into Go value of type v2.Metadata")
    );
    assert!(
        fault("a: b: c\n")
            .starts_with("cannot load Chart.yaml: error converting YAML to JSON: yaml: ")
    );
}

#[test]
fn older_charts_list_dependencies_elsewhere() {
    let chart = files(vec![
        file(
            "requirements.yaml",
            "dependencies: [{name: b, version: '1', enabled: true}]\n",
        ),
        file("requirements.lock", "digest: x\n"),
        file("Chart.yaml", "name: a\nversion: 1.0.0\n"),
    ]);
    let chart = chart.unwrap();
    assert_eq!(
        chart.metadata.items_at("Dependencies")[0].text_at("Name"),
        "b"
    );
    assert_eq!(chart.files.len(), 2);
    assert_eq!(chart.lock.text_at("Digest"), "x");
}

#[test]
fn values_of_several_documents() {
    let with = |values: &str| files(vec![file("Chart.yaml", CHART), file("values.yaml", values)]);
    assert_eq!(
        with("a: 1\n---b\n").unwrap_err(),
        "cannot load values.yaml: error reading yaml document: invalid Yaml document separator: b"
    );
    assert_eq!(
        with("- a\n").unwrap_err(),
        "cannot load values.yaml: cannot unmarshal yaml document: error unmarshaling JSON: while \
         decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}"
    );
    assert!(with("").unwrap().values == Data::map());
}

#[test]
fn archives() {
    let inner = archived(&[("b/Chart.yaml", b"name: b\nversion: 1.0.0\n")]);
    let bytes = archived(&[
        ("a/templates/z.yaml", b"z"),
        ("a/Chart.yaml", CHART.as_bytes()),
        ("a/crds/b.yaml", b""),
        ("a/crds/a.yaml", b""),
        ("a/charts/b-1.0.0.tgz", &inner),
    ]);
    let chart = archive(&bytes).unwrap();
    assert_eq!(chart.dependencies[0].name(), "b");
    assert_eq!(chart.files[0].name, "crds/b.yaml", "the archive's order");
    let refused = |bytes: &[u8]| archive(bytes).unwrap_err();
    let whole = "unable to load chart archive: ";
    assert_eq!(refused(b""), format!("{whole}EOF"));
    assert_eq!(
        refused(b"no archive"),
        "stream does not appear to be a valid chart file (details: gzip: invalid header)"
    );
    assert_eq!(
        refused(&packed(&[])),
        format!("{whole}no files in chart archive")
    );
    assert!(refused(&bytes[..bytes.len() / 2]).starts_with(whole));
    assert_eq!(
        refused(&archived(&[("a/x", b"")])),
        "unable to detect chart version, no Chart.yaml found"
    );
    assert_eq!(
        refused(&archived(&[("a/Chart.yaml", b"apiVersion: v9\n")])),
        "unsupported chart version"
    );
    assert!(refused(&archived(&[("a/Chart.yaml", b"apiVersion: v3\n")])).contains("v3"));
    assert_eq!(
        refused(&archived(&[
            ("a/Chart.yaml", CHART.as_bytes()),
            ("a/charts/b.tgz", b"x")
        ])),
        "error unpacking subchart b.tgz in a: gzip: invalid header"
    );
}

#[test]
fn names_stay_inside() {
    let refused = |name: &str| archive(&archived(&[(name, b"")])).unwrap_err();
    let ends = |name: &str, message: &str| {
        let refused = refused(name);
        assert!(refused.ends_with(message), "{name}: {refused}");
    };
    ends("a/../../x", "chart illegally references parent directory");
    ends("a//x", "chart illegally contains absolute paths");
    ends("x", "content outside the base directory: \"x\"");
    ends("a/c:/x", "chart contains illegally named files");
    ends("a\\..\\x", "chart illegally references parent directory");
}

#[test]
fn limits_hold() {
    let limits = Limits {
        file: 1000,
        archive: 1500,
        ..Limits::default()
    };
    let zeros = [b'#'; 1001];
    let refused =
        |files: &[(&str, &[u8])], limits| archive_within(&archived(files), limits).unwrap_err();
    assert_eq!(
        refused(&[("a/x", &zeros)], limits),
        "unable to load chart archive: decompressed chart file \"a/x\" is larger than the maximum \
         file size 1000"
    );
    assert_eq!(
        refused(&[("a/x", &zeros[1..]), ("a/y", &zeros[1..])], limits),
        "unable to load chart archive: decompressed chart is larger than the maximum size 1500"
    );
    let entries = Limits {
        entries: 1,
        ..Limits::default()
    };
    assert!(refused(&[("a/x", b""), ("a/y", b"")], entries).ends_with("more than 1 entries"));
    let deep = (0..40).map(|depth| {
        let name = format!("{}Chart.yaml", "charts/a/".repeat(depth));
        file(&name, CHART)
    });
    assert!(
        files(deep.collect())
            .unwrap_err()
            .ends_with("charts nest deeper than 32")
    );
}

#[test]
fn directories() {
    let texts = [
        ("c/Chart.yaml", CHART),
        ("c/.helmignore", "*.txt\nignored/\n"),
        ("c/a.txt", ""),
        ("c/ignored/x", ""),
        ("c/templates/.x.yaml", ""),
        ("c/templates/x.yaml", ""),
        ("c/charts/b/Chart.yaml", "name: b\nversion: 1.0.0\n"),
        ("c/charts/b/ignored/x", ""),
        ("d/x", ""),
    ];
    let tree = texts.map(|(name, text)| (name, text.as_bytes()));
    let tree = Tree::new(vfs::Memory::new(tree).unwrap());
    let chart = directory(&tree, "c").unwrap();
    let names = |files: &[File]| {
        files
            .iter()
            .map(|file| file.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&chart.files), [".helmignore"]);
    assert_eq!(names(&chart.templates), ["templates/x.yaml"]);
    assert!(chart.dependencies[0].files.is_empty());
    assert!(
        directory(&tree, "d")
            .unwrap_err()
            .starts_with("unable to detect chart at d/Chart.yaml")
    );
}
