//! Room for recursion.

use crate::{Error, ErrorKind, Span};

/// Nesting that any thread's stack takes.
pub(crate) const SHALLOW: usize = 100;
/// Stack one level may need, without optimisation.
const PER_LEVEL: usize = 16 << 10;

/// Runs `work`, which recurses `depth` levels, on a thread of its own when
/// that may be more than the caller's stack takes. Documents that deep are
/// rare, so the thread costs nothing in practice.
///
/// # Errors
///
/// When there is no memory for such a thread; else what `work` returns.
pub(crate) fn with_room<T: Send>(
    depth: usize,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    if depth <= SHALLOW {
        return work();
    }
    let size = depth.saturating_add(SHALLOW).saturating_mul(PER_LEVEL);
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(size);
        match builder.spawn_scoped(scope, work) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => {
                let cause = format!("no stack for {depth} levels of nesting");
                Err(Error::new(ErrorKind::Limit, cause, Span::NONE))
            }
        }
    })
}
