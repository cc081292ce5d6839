//! Fetching ahead: what will be asked for is fetched beside the rendering, many
//! things at once.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use flux::{Asked, BucketAddress, Checkout};
use source::Sources;

use crate::network::ask;

/// Fetches at once. How many of them one host gets is limited elsewhere.
const WORKERS: usize = 12;

/// What is to be fetched.
#[derive(Clone, Default)]
pub struct Ahead(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    known: HashSet<Item>,
    open: VecDeque<Item>,
    workers: usize,
}

/// An [`Asked`] that lasts.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Item {
    Git(String, String),
    Checkout(String, String, Checkout),
    Layer(String, String, String),
    Bucket(BucketAddress),
    Oci(String, String),
    File(String),
    Chart(String, String, String),
}

impl Ahead {
    /// Begins to fetch something, unless that was done.
    pub fn fetch(&self, sources: &Arc<Sources>, asked: &Asked<'_>) {
        let item = Item::from(asked);
        let mut queue = self.lock();
        if !queue.known.insert(item.clone()) {
            return;
        }
        queue.open.push_back(item);
        if queue.workers >= WORKERS {
            return;
        }
        let (ahead, sources) = (self.clone(), sources.clone());
        let worker = std::thread::Builder::new();
        // Without a thread it is fetched when it is asked for.
        if worker.spawn(move || ahead.work(&sources)).is_ok() {
            queue.workers += 1;
        }
    }

    /// Fetches until nothing is left. What fails is told to whoever asks.
    fn work(&self, sources: &Sources) {
        loop {
            let next = {
                let mut queue = self.lock();
                let next = queue.open.pop_front();
                if next.is_none() {
                    queue.workers -= 1;
                }
                next
            };
            match next {
                Some(item) => drop(ask(sources, &item.asked())),
                None => return,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        match self.0.lock() {
            Ok(queue) => queue,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

impl Item {
    fn from(asked: &Asked<'_>) -> Item {
        let own = |text: &str| text.to_owned();
        match asked {
            Asked::Git(url, reference) => Item::Git(own(url), own(reference)),
            Asked::Checkout(url, reference, checkout) => {
                Item::Checkout(own(url), own(reference), *checkout)
            }
            Asked::Layer(url, reference, kind) => Item::Layer(own(url), own(reference), own(kind)),
            Asked::Bucket(bucket) => Item::Bucket((*bucket).clone()),
            Asked::Oci(url, reference) => Item::Oci(own(url), own(reference)),
            Asked::File(url) => Item::File(own(url)),
            Asked::Chart(url, chart, version) => Item::Chart(own(url), own(chart), own(version)),
        }
    }

    fn asked(&self) -> Asked<'_> {
        match self {
            Item::Git(url, reference) => Asked::Git(url, reference),
            Item::Checkout(url, reference, checkout) => Asked::Checkout(url, reference, *checkout),
            Item::Layer(url, reference, kind) => Asked::Layer(url, reference, kind),
            Item::Bucket(bucket) => Asked::Bucket(bucket),
            Item::Oci(url, reference) => Asked::Oci(url, reference),
            Item::File(url) => Asked::File(url),
            Item::Chart(url, chart, version) => Asked::Chart(url, chart, version),
        }
    }
}
