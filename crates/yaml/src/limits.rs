//! How much of an untrusted text is taken.

/// Bounds on one text. The defaults take any real repository and stop inputs
/// that are made to exhaust memory or the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of the text in bytes. Spans hold 32-bit offsets, so 4 GiB is the
    /// highest value that means anything.
    pub bytes: usize,
    /// Nesting of collections. Go's reader stops at 10,000; whoever walks a
    /// tree recursively on a 2 MB stack should stay near the default.
    pub depth: usize,
    /// Nodes of one document after its aliases are expanded.
    pub nodes: usize,
}

impl Limits {
    /// Go's own nesting limit.
    pub const GO_DEPTH: usize = 10_000;
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 256 << 20,
            depth: 1_000,
            nodes: 20_000_000,
        }
    }
}
