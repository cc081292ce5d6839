//! Addresses that stand for others: `sources.mirrors` whose path is an address.

use std::borrow::Cow;
use std::sync::Arc;

use ecow::EcoString;
use flux::{Absence, Asked, BucketAddress, ChartContent, Checkout, Choose, Introduction, Mirror};
use source::Instead;
use vfs::Tree;

/// A mirror that is asked with other addresses than it was written.
pub struct Replaced<M> {
    inner: M,
    instead: Instead,
}

impl<M: Mirror> Replaced<M> {
    /// Replaces the beginnings of addresses before `inner` is asked.
    pub fn new(inner: M, instead: Instead) -> Self {
        Replaced { inner, instead }
    }

    fn at<'a>(&self, url: &'a str) -> Cow<'a, str> {
        self.instead.of(url)
    }

    fn asked<T>(&self, asked: &Asked<'_>, ask: impl FnOnce(&M, &Asked<'_>) -> T) -> T {
        let url = match asked {
            Asked::Git(url, _) | Asked::Checkout(url, ..) => url,
            Asked::Oci(url, _) | Asked::Layer(url, ..) => url,
            Asked::File(url) | Asked::Chart(url, ..) => url,
            // An endpoint, not an address.
            Asked::Bucket(_) => return ask(&self.inner, asked),
        };
        let url = self.at(url);
        let asked = match asked {
            Asked::Git(_, reference) => Asked::Git(&url, reference),
            Asked::Checkout(_, reference, more) => Asked::Checkout(&url, reference, *more),
            Asked::Oci(_, reference) => Asked::Oci(&url, reference),
            Asked::Layer(_, reference, kind) => Asked::Layer(&url, reference, kind),
            Asked::File(_) => Asked::File(&url),
            Asked::Chart(_, chart, version) => Asked::Chart(&url, chart, version),
            Asked::Bucket(bucket) => Asked::Bucket(bucket),
        };
        ask(&self.inner, &asked)
    }
}

impl<M: Mirror> Mirror for Replaced<M> {
    fn git(&self, url: &str, reference: &str) -> Option<Tree> {
        self.inner.git(&self.at(url), reference)
    }

    fn checkout(&self, url: &str, reference: &str, checkout: Checkout) -> Option<Tree> {
        self.inner.checkout(&self.at(url), reference, checkout)
    }

    fn oci(&self, url: &str, tag: &str) -> Option<Tree> {
        self.inner.oci(&self.at(url), tag)
    }

    fn oci_layer(&self, url: &str, tag: &str, media_type: &str) -> Option<Tree> {
        self.inner.oci_layer(&self.at(url), tag, media_type)
    }

    fn bucket(&self, bucket: &BucketAddress) -> Option<Tree> {
        self.inner.bucket(bucket)
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        self.inner.file(&self.at(url))
    }

    fn chart_versions(&self, url: &str, chart: &str) -> Vec<EcoString> {
        self.inner.chart_versions(&self.at(url), chart)
    }

    fn choose_version(&self, url: &str, chart: &str, choose: Choose<'_>) -> Option<EcoString> {
        self.inner.choose_version(&self.at(url), chart, choose)
    }

    fn chart(&self, url: &str, chart: &str, version: &str) -> Option<ChartContent> {
        self.inner.chart(&self.at(url), chart, version)
    }

    fn tags(&self, url: &str) -> Vec<EcoString> {
        self.inner.tags(&self.at(url))
    }

    fn choose_tag(&self, url: &str, choose: Choose<'_>) -> Option<EcoString> {
        self.inner.choose_tag(&self.at(url), choose)
    }

    fn oci_chart(&self, url: &str, reference: &str) -> Option<ChartContent> {
        self.inner.oci_chart(&self.at(url), reference)
    }

    fn commit(&self, url: &str, reference: &str) -> Option<EcoString> {
        self.inner.commit(&self.at(url), reference)
    }

    fn digest(&self, url: &str, tag: &str) -> Option<EcoString> {
        self.inner.digest(&self.at(url), tag)
    }

    fn absence(&self, asked: &Asked<'_>) -> Option<Absence> {
        self.asked(asked, |inner, asked| inner.absence(asked))
    }

    fn expect(&self, asked: &Asked<'_>) -> bool {
        self.asked(asked, |inner, asked| inner.expect(asked))
    }

    fn introduce(&self, source: &Introduction<'_>) {
        let url = self.at(source.url);
        self.inner.introduce(&Introduction {
            url: &url,
            ..*source
        });
    }
}
