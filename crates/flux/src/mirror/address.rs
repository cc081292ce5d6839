//! A directory that stands for everything below an address.

use std::sync::Arc;

use ecow::EcoString;
use vfs::{Subtree, Tree};

use crate::mirror::url::canonical_url;
use crate::mirror::{BucketAddress, ChartContent, ChartDirectory, Mirror};

/// A directory that stands for an address: the content of every address below
/// it lies below the directory, whatever its reference.
#[derive(Clone)]
pub struct AddressMirror {
    address: EcoString,
    tree: Tree,
}

impl AddressMirror {
    /// `tree` stands for `address`.
    pub fn new(address: &str, tree: Tree) -> Self {
        AddressMirror {
            // A host alone ends with the slash of its empty path.
            address: canonical_url(address).trim_end_matches('/').into(),
            tree,
        }
    }

    /// What lies below the mirrored address.
    fn below(&self, url: &str) -> Option<EcoString> {
        let url = canonical_url(url);
        let rest = url.strip_prefix(self.address.as_str())?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(rest.into()),
            None => rest.is_empty().then(EcoString::new),
        }
    }

    fn charts<T>(&self, url: &str, look: impl FnOnce(ChartDirectory<'_>) -> T) -> Option<T> {
        let path = self.below(url)?;
        Some(look(ChartDirectory {
            tree: &self.tree,
            path: &path,
        }))
    }

    fn directory(&self, url: &str) -> Option<Tree> {
        let below = self.below(url)?;
        Subtree::new(self.tree.clone(), &below).ok().map(Tree::new)
    }
}

impl Mirror for AddressMirror {
    fn git(&self, url: &str, _reference: &str) -> Option<Tree> {
        self.directory(url)
    }

    fn oci(&self, url: &str, _tag: &str) -> Option<Tree> {
        self.directory(url)
    }

    fn bucket(&self, bucket: &BucketAddress) -> Option<Tree> {
        self.directory(&bucket.address())
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        self.tree.read(&self.below(url)?).ok()
    }

    fn chart_versions(&self, url: &str, chart: &str) -> Vec<EcoString> {
        self.charts(url, |charts| charts.versions(chart))
            .unwrap_or_default()
    }

    fn chart(&self, url: &str, chart: &str, version: &str) -> Option<ChartContent> {
        self.charts(url, |charts| charts.chart(chart, version))?
    }

    fn tags(&self, url: &str) -> Vec<EcoString> {
        let own = self.charts(url, |charts| charts.tags()).unwrap_or_default();
        match (own.is_empty(), chart_of(url)) {
            (true, Some((url, chart))) => self.chart_versions(url, chart),
            _ => own,
        }
    }

    fn oci_chart(&self, url: &str, reference: &str) -> Option<ChartContent> {
        let own = self.charts(url, |charts| charts.at_tag(reference))?;
        own.or_else(|| {
            let (url, chart) = chart_of(url)?;
            self.chart(url, chart, reference)
        })
    }
}

/// The repository and the chart that an artifact's address names.
fn chart_of(url: &str) -> Option<(&str, &str)> {
    url.trim_end_matches('/').rsplit_once('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use vfs::Memory;

    #[test]
    fn addresses_lie_below_a_mirrored_one() {
        let files = [("fleet/a.yaml", b"a: 1\n".to_vec())];
        let mirror = AddressMirror::new(
            "https://git.example.com/team",
            Tree::new(Memory::new(files).unwrap()),
        );
        let tree = mirror
            .git("ssh://git@git.example.com/team/fleet.git", "main")
            .unwrap();
        assert!(tree.read("a.yaml").is_ok());
        assert!(
            mirror
                .git("https://git.example.com/teammates/fleet", "main")
                .is_none()
        );
        assert!(
            mirror
                .git("https://git.example.com/team/other", "main")
                .is_none()
        );
        assert!(
            mirror
                .file("https://git.example.com/team/fleet/a.yaml")
                .is_some()
        );
    }
}
