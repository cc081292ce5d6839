//! Charts in a directory that stands for a repository.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use vfs::{Kind, Subtree, Tree};
use yaml::{FileId, Node};

/// A chart as a mirror holds it.
#[derive(Clone)]
pub enum ChartContent {
    /// A gzipped tar archive.
    Archive(Arc<[u8]>),
    /// A tree with `Chart.yaml` in its root.
    Directory(Tree),
}

/// A directory with charts: a Helm repository with its `index.yaml`, or
/// archives `<chart>-<version>.tgz` and directories `<chart>` without one.
pub(crate) struct ChartDirectory<'a> {
    pub tree: &'a Tree,
    /// The repository's directory; empty for the root.
    pub path: &'a str,
}

const INDEX: &str = "index.yaml";

impl ChartDirectory<'_> {
    fn join(&self, name: &str) -> Option<EcoString> {
        vfs::join(self.path, name).ok()
    }

    /// The entries of the index for a chart: versions and where they are.
    fn index(&self, chart: &str) -> Option<Vec<(EcoString, Vec<EcoString>)>> {
        let bytes = self.tree.read(&self.join(INDEX)?).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let index = yaml::sigs_to_json(text, FileId::NONE, false).ok()?;
        let entries = index.get("entries")?.get(chart).map(Node::items);
        let read = |entry: &Node| {
            let urls = entry.get("urls").map(Node::items).unwrap_or_default();
            let urls = urls.iter().filter_map(|url| url.text().cloned());
            Some((entry.get("version")?.text()?.clone(), urls.collect()))
        };
        Some(entries?.iter().filter_map(read).collect())
    }

    /// The versions there are of a chart.
    pub fn versions(&self, chart: &str) -> Vec<EcoString> {
        if let Some(index) = self.index(chart) {
            return index.into_iter().map(|(version, _)| version).collect();
        }
        let listed = self.tree.list(self.path).unwrap_or_default();
        let archives = listed.iter().filter_map(|entry| {
            let rest = entry.name.strip_prefix(chart)?.strip_prefix('-')?;
            let version = rest.strip_suffix(".tgz")?;
            version
                .trim_start_matches('v')
                .starts_with(|c: char| c.is_ascii_digit())
                .then(|| EcoString::from(version))
        });
        let mut versions: Vec<EcoString> = archives.collect();
        versions.extend(self.version_of_directory(chart));
        versions
    }

    /// One version of a chart.
    pub fn chart(&self, chart: &str, version: &str) -> Option<ChartContent> {
        let indexed = self.index(chart).into_iter().flatten();
        let urls = indexed
            .filter(|(known, _)| known == version)
            .flat_map(|(_, urls)| urls);
        let base = |url: EcoString| EcoString::from(url.rsplit('/').next().unwrap_or_default());
        let relative = |url: &EcoString| !url.contains("://");
        let paths = urls.flat_map(|url| {
            let whole = relative(&url).then(|| url.clone());
            whole.into_iter().chain([base(url)])
        });
        let usual = eco_format!("{chart}-{version}.tgz");
        let found = paths.chain([usual]).find_map(|path| {
            let bytes = self.tree.read(&self.join(&path)?).ok()?;
            Some(ChartContent::Archive(bytes))
        });
        found.or_else(|| {
            let held = self.version_of_directory(chart)?;
            (held == version).then(|| self.directory(chart)).flatten()
        })
    }

    fn directory(&self, chart: &str) -> Option<ChartContent> {
        let path = self.join(chart)?;
        let tree = Subtree::new(self.tree.clone(), &path).ok()?;
        Some(ChartContent::Directory(Tree::new(tree)))
    }

    fn version_of_directory(&self, chart: &str) -> Option<EcoString> {
        let path = self.join(&eco_format!("{chart}/Chart.yaml"))?;
        if self.tree.probe(&path) != Some(Kind::File) {
            return None;
        }
        let bytes = self.tree.read(&path).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let metadata = yaml::sigs_to_json(text, FileId::NONE, false).ok()?;
        metadata.get("version")?.text().cloned()
    }

    /// The artifact at a tag: an archive named after it, or the directory
    /// itself.
    pub fn at_tag(&self, tag: &str) -> Option<ChartContent> {
        let archive = self.join(&eco_format!("{tag}.tgz"))?;
        if let Ok(bytes) = self.tree.read(&archive) {
            return Some(ChartContent::Archive(bytes));
        }
        let has_chart = |path: &str| {
            let file = vfs::join(path, "Chart.yaml").ok();
            file.is_some_and(|file| self.tree.probe(&file) == Some(Kind::File))
        };
        let below = self.join(tag);
        let path = [below.as_deref(), Some(self.path)]
            .into_iter()
            .flatten()
            .find(|path| has_chart(path))?;
        let tree = Subtree::new(self.tree.clone(), path).ok()?;
        Some(ChartContent::Directory(Tree::new(tree)))
    }

    /// Tags of archives that stand in the directory.
    pub fn tags(&self) -> Vec<EcoString> {
        let listed = self.tree.list(self.path).unwrap_or_default();
        let archives = listed
            .iter()
            .filter_map(|entry| entry.name.strip_suffix(".tgz"));
        archives.map(EcoString::from).collect()
    }
}
