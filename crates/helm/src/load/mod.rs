//! Loading charts: from directories, and from the archives that repositories
//! hold.
//!
//! Errors have Helm's text. Charts are somebody else's input: sizes, numbers
//! and depths have limits ([`Limits`]).

mod archive;
mod directory;
mod fields;
mod ignore;
pub(crate) mod metadata;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use vfs::Tree;

use crate::chart::{Chart, File};
use crate::data::Data;

/// What a chart and those inside it may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one file; Helm's own limit.
    pub file: u64,
    /// Bytes of one unpacked archive; Helm's own limit.
    pub archive: u64,
    /// Bytes of all charts in each other; Helm has no limit.
    pub total: u64,
    /// Files of a directory, and entries of an archive; Helm has no limit.
    pub entries: usize,
    /// Charts; Helm has no limit.
    pub charts: usize,
    /// Charts in charts; Helm has no limit.
    pub depth: usize,
}

/// 5 MiB a file, 100 MiB an archive, 512 MiB in all, 100,000 entries, 1,000
/// charts, 32 in each other.
impl Default for Limits {
    fn default() -> Self {
        Limits {
            file: 5 << 20,
            archive: 100 << 20,
            total: 512 << 20,
            entries: 100_000,
            charts: 1000,
            depth: 32,
        }
    }
}

/// A chart of a gzipped tar archive, whose files stand in one directory.
/// `.helmignore` does not matter here.
///
/// # Errors
///
/// Where Helm refuses the archive or the chart, or a limit is reached.
pub fn archive(bytes: &[u8]) -> Result<Chart, String> {
    archive_within(bytes, Limits::default())
}

/// As [`archive`], with limits.
///
/// # Errors
///
/// As [`archive`].
pub fn archive_within(bytes: &[u8], limits: Limits) -> Result<Chart, String> {
    let mut loader = Loader::new(limits);
    let files = loader.unpack(bytes).map_err(|e| e.of_stream())?;
    let found = files.iter().find(|file| file.name == "Chart.yaml");
    let found = found.ok_or("unable to detect chart version, no Chart.yaml found")?;
    supported(&found.data)?;
    loader.chart(files, 0)
}

/// A chart that stands unpacked in a directory of a tree. What `.helmignore`
/// names is left out.
///
/// Symbolic links count as what they lead to, where the tree follows them.
///
/// # Errors
///
/// Where Helm refuses the chart, or a limit is reached.
pub fn directory(tree: &Tree, path: &str) -> Result<Chart, String> {
    let limits = Limits::default();
    let name = match path.trim_matches('/') {
        "" | "." => "Chart.yaml".to_owned(),
        path => format!("{path}/Chart.yaml"),
    };
    let found = tree
        .read(&name)
        .map_err(|e| format!("unable to detect chart at {e}"))?;
    supported(&found)?;
    let files = directory::files(tree, path, limits)?;
    Loader::new(limits).chart(files, 0)
}

/// Values of a file: its documents, later ones over earlier ones.
///
/// # Errors
///
/// Helm's message about what is no map of values.
pub fn values(text: &[u8]) -> Result<Data, String> {
    values::read(text)
}

/// A chart of its files, named relative to it, in the order in which Helm's
/// loader meets them: later ones win.
///
/// # Errors
///
/// Where Helm refuses the chart, or a limit is reached.
pub fn files(files: Vec<File>) -> Result<Chart, String> {
    Loader::new(Limits::default()).chart(files, 0)
}

/// The version of charts' own format is one that Helm releases render.
fn supported(chart_yaml: &[u8]) -> Result<(), String> {
    match &*metadata::api_version(chart_yaml)? {
        "" | "v1" | "v2" => Ok(()),
        "v3" => Err(
            "charts of apiVersion v3 are not supported: Helm has them as an experiment \
                     that is off; use v2"
                .to_owned(),
        ),
        _ => Err("unsupported chart version".to_owned()),
    }
}

/// Without a byte order mark.
fn plain(data: &[u8]) -> &[u8] {
    data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data)
}

/// Loads a chart and those in it.
struct Loader {
    limits: Limits,
    /// Bytes that are left for unpacked archives.
    bytes: u64,
    /// Charts that are left.
    charts: usize,
}

impl Loader {
    fn new(limits: Limits) -> Self {
        Loader {
            limits,
            bytes: limits.total,
            charts: limits.charts,
        }
    }

    fn chart(&mut self, files: Vec<File>, depth: usize) -> Result<Chart, String> {
        self.charts = match self.charts.checked_sub(1) {
            Some(left) if depth <= self.limits.depth => left,
            Some(_) => return Err(format!("charts nest deeper than {}", self.limits.depth)),
            None => return Err(format!("more than {} charts", self.limits.charts)),
        };
        let mut parts = Parts::default();
        for file in files.iter().filter(|file| file.name == "Chart.yaml") {
            parts.metadata = Some(metadata::read(&file.data, parts.metadata.take())?);
        }
        for file in files {
            parts.add(file)?;
        }
        let Parts {
            mut chart,
            metadata,
            templates,
            plain,
            below,
        } = parts;
        chart.metadata = metadata.ok_or("Chart.yaml file is missing")?;
        metadata::validate(&mut chart.metadata)?;
        chart.templates = Arc::new(templates);
        chart.files = Arc::new(plain);
        for (name, files) in below {
            if !name.starts_with(['_', '.']) {
                let loaded = self.subchart(&chart, &name, files, depth + 1)?;
                chart.dependencies.push(loaded);
            }
        }
        Ok(chart)
    }

    /// A chart in `charts/`: an archive, or a directory.
    fn subchart(
        &mut self,
        above: &Chart,
        name: &str,
        files: Vec<File>,
        depth: usize,
    ) -> Result<Chart, String> {
        let above = above.name();
        let files = if name.ends_with(".tgz") {
            let Some(file) = files.first().filter(|file| file.name == name) else {
                let found = files.first().map_or("", |file| &file.name);
                return Err(format!(
                    "error unpacking subchart tar in {above}: expected {name}, got {found}"
                ));
            };
            self.unpack(&file.data).map_err(|e| e.to_string())
        } else {
            let inside = files.into_iter().filter_map(|file| {
                let name = file.name.split_once('/')?.1.to_owned();
                Some(File { name, ..file })
            });
            Ok(inside.collect())
        };
        files
            .and_then(|files| self.chart(files, depth))
            .map_err(|e| format!("error unpacking subchart {name} in {above}: {e}"))
    }
}

/// What the files of a chart are.
#[derive(Default)]
struct Parts {
    chart: Chart,
    metadata: Option<Data>,
    templates: Vec<File>,
    plain: Vec<File>,
    /// Files below `charts/`, by the first part of their paths.
    below: BTreeMap<String, Vec<File>>,
}

impl Parts {
    fn add(&mut self, file: File) -> Result<(), String> {
        match file.name.as_str() {
            "Chart.yaml" => {}
            "Chart.lock" => self.chart.lock = metadata::lock(&file.data, "Chart.lock")?,
            "values.yaml" => {
                self.chart.values = values::read(&file.data)
                    .map_err(|e| format!("cannot load values.yaml: {e}"))?;
            }
            "values.schema.json" => self.chart.schema = Some(Arc::from(file.data)),
            "requirements.yaml" => {
                let known = self.metadata.take();
                self.metadata = Some(metadata::requirements(&file.data, known)?);
                self.keep_old(file);
            }
            "requirements.lock" => {
                self.chart.lock = metadata::lock(&file.data, "requirements.lock")?;
                self.metadata.get_or_insert_with(metadata::empty);
                self.keep_old(file);
            }
            name if name.starts_with("templates/") => self.templates.push(file),
            name => match name.strip_prefix("charts/") {
                Some(name) if !name.ends_with(".prov") => {
                    let first = name.split('/').next().unwrap_or_default().to_owned();
                    let name = name.to_owned();
                    let files = self.below.entry(first).or_default();
                    files.push(File { name, ..file });
                }
                _ => self.plain.push(file),
            },
        }
        Ok(())
    }

    /// Charts of the first version can read how they list dependencies.
    fn keep_old(&mut self, file: File) {
        let version = self
            .metadata
            .as_ref()
            .map(|data| data.text_at("APIVersion"));
        if version.as_deref() == Some("v1") {
            self.plain.push(file);
        }
    }
}

#[cfg(test)]
mod tests;
