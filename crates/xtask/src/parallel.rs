//! The same work on many items, on every core.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// How many threads work at once.
pub fn workers() -> usize {
    thread::available_parallelism().map_or(2, usize::from)
}

/// Applies `work` to every item; results stand in the items' order.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_on(workers(), items, work)
}

/// The same on so many threads.
pub fn map_on<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            let send = send.clone();
            let (next, work) = (&next, &work);
            // Deep inputs are part of the tests: a thread's default stack is
            // a fraction of the main thread's.
            let thread = thread::Builder::new().stack_size(512 << 20);
            let spawned = thread.spawn_scoped(scope, move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if send.send((index, work(item))).is_err() {
                        break;
                    }
                }
            });
            if let Err(e) = spawned {
                panic!("no thread: {e}");
            }
        }
        drop(send);
        let mut results: Vec<(usize, R)> = receive.iter().collect();
        results.sort_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled = super::map(&items, |item| item * 2);
        assert!(doubled.iter().enumerate().all(|(i, d)| *d == i * 2));
    }
}
