//! What source objects say: where a source's files come from, what is taken of
//! them, and how the place is asked.

pub(crate) mod definition;
pub(crate) mod introduction;

use ecow::EcoString;

/// What keeps texts that say where something is, or which, from being asked for:
/// part of them is not known. The words follow "holds".
pub(crate) fn unsettled<'a>(
    texts: impl IntoIterator<Item = &'a EcoString>,
) -> Option<&'static str> {
    texts.into_iter().find_map(|text| {
        if yaml::unknown::contains(text) {
            Some("a value that no file tells")
        } else {
            // Left as it is, it is part of no address and no version.
            text.contains("${")
                .then_some("a variable that nothing replaces")
        }
    })
}
