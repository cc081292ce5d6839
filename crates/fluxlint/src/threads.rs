//! The threads that commands run on.

use std::thread::JoinHandle;

use crate::failure::Failure;

/// Bytes of stack of every thread that walks trees. Trees of manifests are walked
/// recursively, within limits that fit a stack of this size.
const STACK: usize = 64 << 20;

/// Runs something on a thread with a deep stack. `None` when it panicked.
pub fn deep<T: Send + 'static>(
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>, Failure> {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    match thread.map(JoinHandle::join) {
        Ok(result) => Ok(result.ok()),
        Err(error) => Err(Failure::new("cannot start a thread").because(error)),
    }
}

/// Starts the threads that share the work on a repository, if they do not run
/// yet. Commands without a repository are done before these would be up.
pub fn start() {
    // It fails when they run already, or when the system gives no threads: then the
    // first who asks for one is told.
    let _ = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .build_global();
}
