//! Asking whether something has changed: what a server said of it before is
//! sent along, and "not modified" answers.

use crate::cache::{Facts, Record};
use crate::http::Reply;

/// Names of facts, the headers that say them, and those that ask by them.
const HEADERS: [(&str, &str); 2] = [
    ("etag", "if-none-match"),
    ("last-modified", "if-modified-since"),
];

/// Headers that ask whether something has changed.
pub(crate) fn questions(known: Option<&Record>) -> Vec<(&'static str, &str)> {
    let facts = known.map(|record| &record.facts);
    let asked = HEADERS.iter().filter_map(|(fact, header)| {
        let value = facts?.get(*fact)?;
        Some((*header, value.as_str()))
    });
    asked.collect()
}

/// What an answer says for the next time.
pub(crate) fn facts(reply: &Reply) -> Facts {
    let said = HEADERS.iter().filter_map(|(fact, _)| {
        let value = reply.header(fact)?;
        // It is sent back as it is.
        let is_plain = value.len() <= 512 && value.bytes().all(|byte| (32..127).contains(&byte));
        is_plain.then(|| ((*fact).to_owned(), value.to_owned()))
    });
    said.collect()
}

/// Whether an answer says that nothing has changed since.
pub(crate) fn is_same(reply: &Reply, known: Option<&Record>) -> bool {
    reply.status == 304 && !questions(known).is_empty()
}
