//! Each thing once: from this run, from the cache, from the network.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use ecow::EcoString;

use crate::auth::{Access, Credentials, Environment, Login};
use crate::cache::{Absence, Cache, Entry, Facts, InUse, Record, now};
use crate::helm::Index;
use crate::http::{Client, Patience, Traffic};
use crate::list::{Dated, Edition};
use crate::phases::{Phase, Phases, Spent};
use crate::{Busy, Error, Instead, Stop, lock};

/// How sources are had.
pub struct Options {
    /// Directory of the cache. Made when something is first kept.
    pub cache: PathBuf,
    /// Use no network.
    pub offline: bool,
    /// Ask anew what things stand for that can move: branches, tags, indexes.
    pub refresh: bool,
    /// Reach no host of a private network.
    pub no_private_network: bool,
    /// How long to wait.
    pub patience: Patience,
    /// What is asked instead of addresses that fetched content names.
    pub instead: Instead,
    /// Where the machine's credentials are looked for.
    pub environment: Environment,
    /// Ends what is under way.
    pub stop: Stop,
    /// Told what happens. Called from many threads.
    pub progress: Option<Progress>,
}

/// Is told what happens.
pub type Progress = Arc<dyn Fn(Event<'_>) + Send + Sync>;

impl Options {
    /// A cache in a directory, and defaults.
    pub fn new(cache: PathBuf) -> Self {
        Options {
            cache,
            offline: false,
            refresh: false,
            no_private_network: false,
            patience: Patience::default(),
            instead: Instead::default(),
            environment: Arc::new(|name| std::env::var_os(name)),
            stop: Stop::default(),
            progress: None,
        }
    }
}

/// Something that happens while sources are had, for a progress display.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something is fetched now.
    Fetching(&'a str),
    /// It came, or failed to.
    Fetched(&'a str),
}

/// What a run had of what kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Distinct things asked for that the cache had.
    pub cached: u64,
    /// Distinct things fetched.
    pub fetched: u64,
    /// Their bytes, as they are kept.
    pub fetched_bytes: u64,
    /// Distinct things of which the server said that they are as they were.
    pub unchanged: u64,
    /// Distinct things that could not be had.
    pub failed: u64,
    /// What that took.
    pub traffic: Traffic,
    /// And how long.
    pub spent: Spent,
}

/// The sources of a run.
pub struct Sources {
    pub(crate) cache: Cache,
    pub(crate) stop: Stop,
    pub(crate) client: Arc<Client>,
    pub(crate) credentials: Credentials,
    pub(crate) instead: Instead,
    /// Tokens of registries, by host and repository.
    pub(crate) tokens: Mutex<HashMap<(EcoString, EcoString), Login>>,
    pub(crate) indexes: Mutex<HashMap<(EcoString, Edition), Parsed>>,
    /// How the machine has git run ssh.
    pub(crate) ssh: OnceLock<String>,
    in_use: OnceLock<InUse>,
    offline: bool,
    refresh: bool,
    started: u64,
    slots: Mutex<HashMap<(EcoString, Lasts), Slot>>,
    progress: Option<Progress>,
    counts: Counts,
    pub(crate) phases: Phases,
}

type Slot = Arc<OnceLock<Result<Record, Error>>>;
/// An index, read once.
pub(crate) type Parsed = Arc<OnceLock<Result<Dated<Arc<Index>>, Error>>>;

#[derive(Default)]
struct Counts {
    cached: AtomicU64,
    fetched: AtomicU64,
    fetched_bytes: AtomicU64,
    unchanged: AtomicU64,
    failed: AtomicU64,
}

/// Something to be had.
pub(crate) struct Wanted {
    /// Its key in the cache.
    pub key: EcoString,
    /// What people call it.
    pub what: EcoString,
    /// How long its key stands for what it stood for.
    pub lasts: Lasts,
    /// Another key, whose content this one's may be.
    pub like: Option<EcoString>,
}

impl Wanted {
    /// Something that is like nothing else.
    pub fn new(key: EcoString, what: EcoString, lasts: Lasts) -> Self {
        let like = None;
        Wanted {
            key,
            what,
            lasts,
            like,
        }
    }
}

/// How long what is kept counts. That something is not there counts in the run
/// that asked, and where there is nobody to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Lasts {
    /// The key names its content.
    ForGood,
    /// The key may stand for something else tomorrow.
    UntilRefresh,
    /// It is asked for to learn what is new.
    ThisRun,
}

/// What asking brought.
pub(crate) enum Answer {
    /// This.
    New(Fetched),
    /// What is known has not changed.
    Same,
}

/// What came.
pub(crate) struct Fetched {
    pub bytes: Vec<u8>,
    pub facts: Facts,
}

impl Sources {
    /// Sources as the options say.
    pub fn new(options: Options) -> Self {
        Sources {
            cache: Cache::stoppable(&options.cache, options.stop.clone()),
            stop: options.stop,
            client: Arc::new(Client::new(options.patience, options.no_private_network)),
            credentials: Credentials::new(options.environment),
            instead: options.instead,
            tokens: Mutex::default(),
            indexes: Mutex::default(),
            ssh: OnceLock::new(),
            in_use: OnceLock::new(),
            offline: options.offline,
            refresh: options.refresh,
            started: now(),
            slots: Mutex::default(),
            progress: options.progress,
            counts: Counts::default(),
            phases: Phases::default(),
        }
    }

    /// Says how the sources at an address are to be asked. Counts for what is
    /// asked afterwards; the first word about an address counts.
    pub fn tell(&self, address: &str, access: Access) {
        self.credentials.tell(address, access);
    }

    /// What the run had so far.
    pub fn statistics(&self) -> Statistics {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Statistics {
            cached: of(&self.counts.cached),
            fetched: of(&self.counts.fetched),
            fetched_bytes: of(&self.counts.fetched_bytes),
            unchanged: of(&self.counts.unchanged),
            failed: of(&self.counts.failed),
            traffic: self.client.traffic(),
            spent: self.phases.spent(),
        }
    }

    /// Keeps a run from being ended by [`Stop`] until it is dropped: something
    /// is under way.
    pub fn busy(&self) -> Busy {
        self.stop.busy()
    }

    /// What is wanted, and what is known of it. `fetch` is called at most once
    /// a run for a key, and by one process at a time.
    pub(crate) fn content(
        &self,
        wanted: &Wanted,
        fetch: impl Fn() -> Result<Fetched, Error>,
    ) -> Result<(Arc<[u8]>, Record), Error> {
        self.content_since(wanted, |_| fetch().map(Answer::New))
    }

    /// As [`Sources::content`], for what can be asked whether it has changed:
    /// `fetch` is given what is known of it.
    pub(crate) fn content_since(
        &self,
        wanted: &Wanted,
        fetch: impl Fn(Option<&Record>) -> Result<Answer, Error>,
    ) -> Result<(Arc<[u8]>, Record), Error> {
        let slot = lock(&self.slots)
            .entry((wanted.key.clone(), wanted.lasts))
            .or_default()
            .clone();
        let record = slot.get_or_init(|| self.resolve(wanted, &fetch)).clone()?;
        if let Some(bytes) = self.blob_of(&record) {
            return Ok((bytes, record));
        }
        // Damaged, or removed by hand: once more, for whoever finds it first.
        let record = self.resolve(wanted, &fetch)?;
        let bytes = self
            .blob_of(&record)
            .ok_or_else(|| Error::Cache(ecow::eco_format!("{} vanished from it", wanted.what)))?;
        Ok((bytes, record))
    }

    fn blob_of(&self, record: &Record) -> Option<Arc<[u8]>> {
        let read = || self.cache.blob(&record.digest);
        self.phases.time(Phase::Read, read)
    }

    fn resolve(
        &self,
        wanted: &Wanted,
        fetch: &impl Fn(Option<&Record>) -> Result<Answer, Error>,
    ) -> Result<Record, Error> {
        // Where nothing is, and nothing comes, there is nothing to protect.
        if !self.offline || self.cache.directory().exists() {
            self.in_use.get_or_init(|| self.cache.in_use());
        }
        let result = self.resolve_uncounted(wanted, fetch);
        if result.is_err() {
            self.counts.failed.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    fn resolve_uncounted(
        &self,
        wanted: &Wanted,
        fetch: &impl Fn(Option<&Record>) -> Result<Answer, Error>,
    ) -> Result<Record, Error> {
        if let Some(known) = self.phases.time(Phase::Look, || self.usable(wanted)) {
            return known;
        }
        if self.offline {
            return Err(Error::Offline(wanted.what.clone()));
        }
        self.phases.time(Phase::Fetch, || self.fetch(wanted, fetch))
    }

    fn fetch(
        &self,
        wanted: &Wanted,
        fetch: &impl Fn(Option<&Record>) -> Result<Answer, Error>,
    ) -> Result<Record, Error> {
        let _lock = self.cache.lock(&wanted.key)?;
        // Another process may have fetched it meanwhile.
        if let Some(known) = self.usable(wanted) {
            return known;
        }
        let known = self.kept(&wanted.key);
        let known = known.or_else(|| self.kept(wanted.like.as_ref()?));
        self.event(Event::Fetching(&wanted.what));
        let answer = fetch(known.as_ref());
        self.event(Event::Fetched(&wanted.what));
        if let Err(error) = &answer
            && let Some(absence) = Absence::new(&wanted.key, error)
        {
            self.cache.put_absence(&absence)?;
        }
        let record = match (answer?, known) {
            (Answer::New(fetched), _) => {
                let digest = self.cache.keep(&fetched.bytes)?;
                let bytes = fetched.bytes.len() as u64;
                self.counts.fetched.fetch_add(1, Ordering::Relaxed);
                self.counts
                    .fetched_bytes
                    .fetch_add(bytes, Ordering::Relaxed);
                Record::new(&wanted.key, digest, fetched.facts)
            }
            (Answer::Same, Some(known)) => {
                self.counts.unchanged.fetch_add(1, Ordering::Relaxed);
                Record::new(&wanted.key, known.digest, known.facts)
            }
            (Answer::Same, None) => {
                return Err(Error::answer(&wanted.what, "nothing was there to change"));
            }
        };
        self.cache.put(&record)?;
        Ok(record)
    }

    fn kept(&self, key: &str) -> Option<Record> {
        let known = self.cache.record(key)?;
        self.cache.holds(&known.digest).then_some(known)
    }

    /// What the cache knows, if it counts today.
    fn usable(&self, wanted: &Wanted) -> Option<Result<Record, Error>> {
        match self.cache.entry(&wanted.key)? {
            Entry::Content(record) => {
                let is_old = self.is_old(wanted.lasts, record.fetched);
                if is_old || !self.cache.holds(&record.digest) {
                    return None;
                }
                self.cache.touch(&wanted.key);
                self.counts.cached.fetch_add(1, Ordering::Relaxed);
                Some(Ok(record))
            }
            Entry::Absent(absence) => {
                let counts = self.offline || self.is_of_this_run(absence.answered);
                counts.then(|| {
                    self.cache.touch(&wanted.key);
                    Err(absence.error)
                })
            }
        }
    }

    fn is_old(&self, lasts: Lasts, fetched: u64) -> bool {
        !self.is_of_this_run(fetched)
            && match lasts {
                Lasts::ForGood => false,
                Lasts::UntilRefresh => self.refresh,
                Lasts::ThisRun => true,
            }
    }

    /// Whether something was learnt since this run began, by whomever.
    pub(crate) fn is_of_this_run(&self, when: u64) -> bool {
        when >= self.started
    }

    pub(crate) fn is_offline(&self) -> bool {
        self.offline
    }

    /// An error of a source, with what its object says of how to log in.
    pub(crate) fn explained(&self, address: &str, error: Error) -> Error {
        let Error::Unauthorized { at, .. } = &error else {
            return error;
        };
        match self.credentials.access(address).provider {
            Some(provider) => Error::Provider {
                at: at.clone(),
                provider,
            },
            None => error,
        }
    }

    fn event(&self, event: Event<'_>) {
        if let Some(progress) = &self.progress {
            progress(event);
        }
    }
}
