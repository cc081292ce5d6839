//! What an execution gives.

use std::sync::Arc;

/// The text that a template made.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The text.
    pub text: Vec<u8>,
    /// Where its pieces come from, in order, if [`crate::Limits::trace`] asks
    /// for it. Text that a function made of several pieces is the piece of the
    /// action that printed it.
    pub segments: Vec<Segment>,
    /// Steps that it took, as [`crate::Limits::steps`] counts them.
    pub steps: u64,
    /// Bytes that were made, as [`crate::Limits::bytes`] counts them.
    pub bytes: u64,
}

/// A piece of output and the action or text that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where the piece ends in the output; it begins where the one before ends.
    pub end: usize,
    /// The name of the parsed text.
    pub text: Arc<str>,
    /// The byte in that text where the action or the text begins.
    pub at: u32,
}

/// Pieces while they are recorded.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub segments: Vec<Segment>,
}

impl Trace {
    /// The output now ends here.
    pub fn wrote(&mut self, end: usize, text: &Arc<str>, at: u32) {
        let before = self.segments.last().map_or(0, |segment| segment.end);
        if end > before {
            self.segments.push(Segment {
                end,
                text: text.clone(),
                at,
            });
        }
    }
}
