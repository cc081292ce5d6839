//! How much a template may use.

/// Limits of one execution, functions and templates that it calls included.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Actions and calls.
    pub steps: u64,
    /// Bytes of text that are made, be they printed or not.
    pub bytes: u64,
    /// `{{template}}` calls inside each other. Go's own limit is 100000.
    pub depth: usize,
    /// Pipelines inside each other, through parentheses and through functions
    /// that execute templates.
    pub nesting: usize,
    /// Bytes of stack that they may take; the thread must have some more. Each
    /// pipeline takes about 10 KiB in an unoptimized build and 2 KiB in an
    /// optimized one. An error of this limit is tagged [`Limits::STACK`].
    pub stack: usize,
    /// Where each piece of output comes from is recorded.
    pub trace: bool,
}

impl Limits {
    /// The tag of an error that a thread with more stack might not meet.
    pub const STACK: &'static str = "stack";
}

impl Default for Limits {
    /// Enough for every template that is meant to end, on a stack of 2 MiB.
    fn default() -> Self {
        Limits {
            steps: 100_000_000,
            bytes: 1 << 30,
            depth: 100_000,
            nesting: 4000,
            stack: 1 << 20,
            trace: false,
        }
    }
}
