//! Addresses that stand for others: `sources.mirrors` whose path is an address.

use std::borrow::Cow;
use std::sync::Arc;

use ecow::EcoString;
use flux::{Absence, Asked, ChartContent, Introduction, Mirror};
use vfs::Tree;

/// A mirror that is asked with other addresses than it was written.
pub struct Replaced<M> {
    inner: M,
    /// Beginnings of addresses and what stands for them; the first that fits
    /// counts.
    pairs: Vec<(String, String)>,
}

impl<M: Mirror> Replaced<M> {
    /// Replaces the beginnings of addresses before `inner` is asked.
    pub fn new(inner: M, pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let trimmed = |text: String| text.trim_end_matches('/').to_owned();
        let pairs = pairs.into_iter();
        Replaced {
            inner,
            pairs: pairs
                .map(|(from, to)| (trimmed(from), trimmed(to)))
                .collect(),
        }
    }

    fn at<'a>(&self, url: &'a str) -> Cow<'a, str> {
        let mut pairs = self.pairs.iter();
        let found = pairs.find_map(|(from, to)| {
            let rest = url.strip_prefix(from.as_str())?;
            let fits = rest.is_empty() || rest.starts_with('/');
            fits.then(|| format!("{to}{rest}"))
        });
        found.map_or(Cow::Borrowed(url), Cow::Owned)
    }

    fn asked<T>(&self, asked: &Asked<'_>, ask: impl FnOnce(&M, &Asked<'_>) -> T) -> T {
        let (Asked::Git(url, _) | Asked::Oci(url, _) | Asked::File(url) | Asked::Chart(url, ..)) =
            asked;
        let url = self.at(url);
        let asked = match asked {
            Asked::Git(_, reference) => Asked::Git(&url, reference),
            Asked::Oci(_, reference) => Asked::Oci(&url, reference),
            Asked::File(_) => Asked::File(&url),
            Asked::Chart(_, chart, version) => Asked::Chart(&url, chart, version),
        };
        ask(&self.inner, &asked)
    }
}

impl<M: Mirror> Mirror for Replaced<M> {
    fn git(&self, url: &str, reference: &str) -> Option<Tree> {
        self.inner.git(&self.at(url), reference)
    }

    fn oci(&self, url: &str, tag: &str) -> Option<Tree> {
        self.inner.oci(&self.at(url), tag)
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        self.inner.file(&self.at(url))
    }

    fn chart_versions(&self, url: &str, chart: &str) -> Vec<EcoString> {
        self.inner.chart_versions(&self.at(url), chart)
    }

    fn chart(&self, url: &str, chart: &str, version: &str) -> Option<ChartContent> {
        self.inner.chart(&self.at(url), chart, version)
    }

    fn tags(&self, url: &str) -> Vec<EcoString> {
        self.inner.tags(&self.at(url))
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo;

    impl Mirror for Echo {
        fn git(&self, _: &str, _: &str) -> Option<Tree> {
            None
        }
        fn oci(&self, _: &str, _: &str) -> Option<Tree> {
            None
        }
        fn file(&self, url: &str) -> Option<Arc<[u8]>> {
            Some(url.as_bytes().into())
        }
    }

    #[test]
    fn beginnings_are_replaced() {
        let pairs = [
            ("https://a.example.com/x/", "http://mirror/x"),
            ("https://a.example.com", "http://mirror/"),
        ];
        let pairs = pairs.map(|(from, to)| (from.to_owned(), to.to_owned()));
        let mirror = Replaced::new(Echo, pairs);
        for (url, expected) in [
            ("https://a.example.com/x/y", "http://mirror/x/y"),
            ("https://a.example.com/z", "http://mirror/z"),
            ("https://a.example.com", "http://mirror"),
            ("https://a.example.comx/y", "https://a.example.comx/y"),
        ] {
            assert_eq!(*mirror.file(url).unwrap(), *expected.as_bytes(), "{url}");
        }
    }
}
