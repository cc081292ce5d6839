//! Charts as files again, for programs to read.

use crate::chart::{Chart, File};
use crate::data::Data;
use crate::json::{self, Style};
use crate::load::metadata;

/// The files of a chart and of those it depends on, which are directories in
/// `charts/`. Loaded again, they are the same chart.
pub fn files(chart: &Chart) -> Vec<File> {
    let mut files = Vec::new();
    collect(chart, "", &mut files);
    files
}

fn collect(chart: &Chart, dir: &str, files: &mut Vec<File>) {
    let mut put = |name: &str, data: Vec<u8>| {
        files.push(File {
            name: format!("{dir}{name}"),
            data,
        });
    };
    put("Chart.yaml", text(&metadata::written(&chart.metadata)));
    if chart.lock != Data::Null {
        put("Chart.lock", text(&metadata::written_lock(&chart.lock)));
    }
    if chart.values != Data::Null {
        put("values.yaml", text(&chart.values));
    }
    if let Some(schema) = &chart.schema {
        put("values.schema.json", schema.to_vec());
    }
    for file in chart.files.iter().chain(chart.templates.iter()) {
        put(&file.name, file.data.clone());
    }
    for (at, dependency) in chart.dependencies.iter().enumerate() {
        // Two versions of a chart have one name: the number parts them, and keeps
        // their order.
        let dir = format!("{dir}charts/{at:04}-{}/", dependency.name());
        collect(dependency, &dir, files);
    }
}

/// JSON, which is YAML.
fn text(data: &Data) -> Vec<u8> {
    json::write(&data.to_value(), Style::default())
        .unwrap_or_default()
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    #[test]
    fn saved_charts_are_the_same() {
        let file = |name: &str, text: &str| File {
            name: name.to_owned(),
            data: text.as_bytes().to_vec(),
        };
        let chart = load::files(vec![
            file(
                "Chart.yaml",
                "apiVersion: v2\nname: a\nversion: 1.0.0\nappVersion: 1.25\nannotations: {x: y}\ndependencies:\n- {name: b, version: '*', alias: c, import-values: [data], condition: c.on}\n",
            ),
            file("Chart.lock", "digest: x\ndependencies:\n- {name: b, version: 0.1.0}\n"),
            file("values.yaml", "a: {b: 1, c: [1.5, null, x]}\nbig: 1e+30\n"),
            file("values.schema.json", "{}"),
            file("templates/x.yaml", "x: {{ .Values.a }}"),
            file("crds/y.yaml", "y"),
            file("charts/b/Chart.yaml", "apiVersion: v2\nname: b\nversion: 0.1.0\n"),
            file("charts/b/templates/z.yaml", "z"),
        ])
        .unwrap();
        let again = load::files(files(&chart)).unwrap();
        assert_eq!(format!("{chart:?}"), format!("{again:?}"));
    }
}
