//! Addresses that stand for others.

use std::borrow::Cow;

/// Beginnings of addresses and what is asked instead of them; the first that fits
/// counts.
#[derive(Clone, Debug, Default)]
pub struct Instead(Vec<(String, String)>);

impl Instead {
    /// Pairs of a beginning and what stands for it.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let trimmed = |text: String| text.trim_end_matches('/').to_owned();
        let pairs = pairs.into_iter();
        let pairs = pairs.map(|(from, to)| (trimmed(from), trimmed(to)));
        Instead(pairs.collect())
    }

    /// What is asked instead of an address: itself where none fits.
    pub fn of<'a>(&self, address: &'a str) -> Cow<'a, str> {
        let mut pairs = self.0.iter();
        let found = pairs.find_map(|(from, to)| {
            let rest = address.strip_prefix(from.as_str())?;
            let fits = rest.is_empty() || rest.starts_with('/');
            fits.then(|| format!("{to}{rest}"))
        });
        found.map_or(Cow::Borrowed(address), Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_replaced() {
        let pairs = [
            ("https://a.example.com/x/", "http://mirror/x"),
            ("https://a.example.com", "http://mirror/"),
        ];
        let instead = Instead::new(pairs.map(|(from, to)| (from.to_owned(), to.to_owned())));
        for (url, expected) in [
            ("https://a.example.com/x/y", "http://mirror/x/y"),
            ("https://a.example.com/z", "http://mirror/z"),
            ("https://a.example.com", "http://mirror"),
            ("https://a.example.comx/y", "https://a.example.comx/y"),
        ] {
            assert_eq!(instead.of(url), expected, "{url}");
        }
    }
}
