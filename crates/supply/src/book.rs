//! What mirrors gave, and what none of them had.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use ecow::{EcoString, eco_format};
use flux::{
    Absence, Asked, BucketAddress, ChartContent, Checkout, Choose, IndexMirror, Introduction,
    Mirror, Name,
};
use vfs::Tree;

/// Everything that was given in answer to an address and a reference.
#[derive(Default)]
pub struct Book(Mutex<Entries>);

/// The entries of a [`Book`]. Addresses and references are as written.
#[derive(Clone, Default)]
pub struct Entries {
    /// Trees of Git repositories, by address and reference.
    pub git: BTreeMap<(EcoString, EcoString), Tree>,
    /// Commits of references, where they are known.
    pub commits: BTreeMap<(EcoString, EcoString), EcoString>,
    /// Artifacts and charts of registries, by address and tag or digest.
    pub oci: BTreeMap<(EcoString, EcoString), Held>,
    /// Digests of registries' tags.
    pub digests: BTreeMap<(EcoString, EcoString), EcoString>,
    /// Charts of Helm repositories, by address, chart and version.
    pub helm: BTreeMap<(EcoString, EcoString, EcoString), Held>,
    /// Buckets, by address and prefix.
    pub buckets: BTreeMap<(EcoString, EcoString), Tree>,
    /// Files, by address.
    pub http: BTreeMap<EcoString, Arc<[u8]>>,
    /// Why something could not be had.
    pub absent: BTreeMap<Name, Absence>,
}

/// Content in the form it came in.
#[derive(Clone)]
pub enum Held {
    /// A gzipped tar archive.
    Archive(Arc<[u8]>),
    /// Files.
    Files(Tree),
}

impl Book {
    /// What it holds now.
    pub fn entries(&self) -> Entries {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        match self.0.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

impl From<ChartContent> for Held {
    fn from(content: ChartContent) -> Self {
        match content {
            ChartContent::Archive(bytes) => Held::Archive(bytes),
            ChartContent::Directory(tree) => Held::Files(tree),
        }
    }
}

/// A mirror whose answers are noted.
pub struct Noted {
    inner: Arc<dyn Mirror>,
    book: Arc<Book>,
}

impl Noted {
    /// Notes in `book` what `inner` answers.
    pub fn new(inner: Arc<dyn Mirror>, book: Arc<Book>) -> Self {
        Noted { inner, book }
    }
}

fn pair(url: &str, reference: &str) -> (EcoString, EcoString) {
    (url.into(), reference.into())
}

impl Mirror for Noted {
    fn git(&self, url: &str, reference: &str) -> Option<Tree> {
        let tree = self.inner.git(url, reference)?;
        let commit = self.inner.commit(url, reference);
        let mut book = self.book.lock();
        if let Some(commit) = commit {
            book.commits.insert(pair(url, reference), commit);
        }
        // With submodules it is the better copy.
        book.git
            .entry(pair(url, reference))
            .or_insert_with(|| tree.clone());
        Some(tree)
    }

    fn checkout(&self, url: &str, reference: &str, checkout: Checkout) -> Option<Tree> {
        let tree = self.inner.checkout(url, reference, checkout)?;
        let commit = self.inner.commit(url, reference);
        let mut book = self.book.lock();
        if let Some(commit) = commit {
            book.commits.insert(pair(url, reference), commit);
        }
        book.git.insert(pair(url, reference), tree.clone());
        Some(tree)
    }

    fn oci(&self, url: &str, tag: &str) -> Option<Tree> {
        let tree = self.inner.oci(url, tag)?;
        let mut book = self.book.lock();
        let held = || Held::Files(tree.clone());
        // The archive, where it was asked for, too, is the better copy.
        book.oci.entry(pair(url, tag)).or_insert_with(held);
        Some(tree)
    }

    fn oci_layer(&self, url: &str, tag: &str, media_type: &str) -> Option<Tree> {
        let tree = self.inner.oci_layer(url, tag, media_type)?;
        let at = pair(url, &IndexMirror::layer(tag, media_type));
        self.book.lock().oci.insert(at, Held::Files(tree.clone()));
        Some(tree)
    }

    fn bucket(&self, bucket: &BucketAddress) -> Option<Tree> {
        let tree = self.inner.bucket(bucket)?;
        let at = (bucket.address(), bucket.prefix.clone());
        self.book.lock().buckets.insert(at, tree.clone());
        Some(tree)
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        let bytes = self.inner.file(url)?;
        self.book.lock().http.insert(url.into(), bytes.clone());
        Some(bytes)
    }

    fn chart_versions(&self, url: &str, chart: &str) -> Vec<EcoString> {
        self.inner.chart_versions(url, chart)
    }

    fn choose_version(&self, url: &str, chart: &str, choose: Choose<'_>) -> Option<EcoString> {
        self.inner.choose_version(url, chart, choose)
    }

    fn chart(&self, url: &str, chart: &str, version: &str) -> Option<ChartContent> {
        let content = self.inner.chart(url, chart, version)?;
        let at = (url.into(), chart.into(), version.into());
        self.book.lock().helm.insert(at, content.clone().into());
        Some(content)
    }

    fn tags(&self, url: &str) -> Vec<EcoString> {
        self.inner.tags(url)
    }

    fn choose_tag(&self, url: &str, choose: Choose<'_>) -> Option<EcoString> {
        self.inner.choose_tag(url, choose)
    }

    fn oci_chart(&self, url: &str, reference: &str) -> Option<ChartContent> {
        let content = self.inner.oci_chart(url, reference)?;
        let mut book = self.book.lock();
        book.oci
            .insert(pair(url, reference), content.clone().into());
        Some(content)
    }

    fn commit(&self, url: &str, reference: &str) -> Option<EcoString> {
        self.inner.commit(url, reference)
    }

    fn digest(&self, url: &str, tag: &str) -> Option<EcoString> {
        let digest = self.inner.digest(url, tag)?;
        let mut book = self.book.lock();
        book.digests.insert(pair(url, tag), digest.clone());
        Some(digest)
    }

    fn absence(&self, asked: &Asked<'_>) -> Option<Absence> {
        let absence = self.inner.absence(asked)?;
        let mut book = self.book.lock();
        let known = book.absent.entry(asked.name());
        let known = known.or_insert_with(|| absence.clone());
        if known.grounds <= absence.grounds {
            known.clone_from(&absence);
        }
        Some(absence)
    }

    fn expect(&self, asked: &Asked<'_>) -> bool {
        self.inner.expect(asked)
    }

    fn introduce(&self, source: &Introduction<'_>) {
        self.inner.introduce(source);
    }
}

/// An address without a password in it.
pub(crate) fn without_user(url: &str) -> EcoString {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.into();
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    match authority.rsplit_once('@') {
        // The user of SSH is part of the address.
        Some((user, _)) if scheme.contains("ssh") && !user.contains(':') => url.into(),
        Some((_, host)) => eco_format!("{scheme}://{host}{path}"),
        None => url.into(),
    }
}
