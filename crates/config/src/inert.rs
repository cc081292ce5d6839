//! Keys that the schema knows and this version does nothing with.

use yaml::Span;

use crate::Config;

/// A key that is set and has no effect yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inert {
    /// The dotted key.
    pub key: &'static str,
    /// Why it has no effect, in a few words.
    pub why: &'static str,
    /// Where its value is written.
    pub span: Span,
}

/// Where a key is set, if it is; the first place of a list.
type Place = fn(&Config) -> Option<Span>;

const REGISTRIES: &str = "registries are not asked yet";

/// All keys without effect. An entry leaves when what it needs arrives.
pub(crate) const KEYS: &[(&str, &str, Place)] = &[
    (
        "externals.secrets[].keys",
        "keys are not compared yet",
        |c| {
            let mut keys = c.externals.secrets.iter().filter_map(|s| s.keys.as_ref());
            Some(keys.next()?.span)
        },
    ),
    ("assertions", "expressions are not evaluated yet", |c| {
        Some(c.assertions.first()?.span)
    }),
    ("contracts.images", "contracts are not read yet", |c| {
        Some(c.contracts.images.first()?.span)
    }),
    ("images.verify", REGISTRIES, |c| {
        Some(c.images.verify.first()?.span)
    }),
    ("images.platforms", REGISTRIES, |c| {
        Some(c.images.platforms.first()?.span)
    }),
];

/// The keys without effect that are set, in written order.
pub(crate) fn find(config: &Config) -> Vec<Inert> {
    let keys = KEYS.iter();
    let mut found: Vec<_> = keys
        .filter_map(|(key, why, place)| {
            let span = place(config)?;
            Some(Inert { key, why, span })
        })
        .collect();
    found.sort_by_key(|inert| (inert.span.file, inert.span.start));
    found
}
