//! Lists of what a host has: an index, the tags of an artifact, the names of a
//! repository. They are kept, so that what moves stays where it was; but what is
//! new since then is in none of them. So before anything is said to be missing,
//! the list is asked for anew, and kept beside the other.

use ecow::{EcoString, eco_format};

use crate::Error;
use crate::fetch::{Lasts, Sources, Wanted};

/// Which of the lists of one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Edition {
    /// The one that counts until it is refreshed.
    Kept,
    /// A newer one that an earlier run asked for.
    Newer,
    /// One that is asked for in this run.
    Newest,
}

/// A list, and when it was asked for.
pub(crate) type Dated<L> = (L, u64);

impl Edition {
    /// What is wanted of the cache; `key` and `what` are those of the list.
    pub fn wanted(self, key: EcoString, what: EcoString) -> Wanted {
        let lasts = match self {
            Edition::Kept => Lasts::UntilRefresh,
            Edition::Newer => Lasts::ForGood,
            Edition::Newest => Lasts::ThisRun,
        };
        match self {
            Edition::Kept => Wanted {
                key,
                what,
                lasts,
                like: None,
            },
            Edition::Newer | Edition::Newest => Wanted {
                key: newer(&key),
                what,
                lasts,
                like: Some(key),
            },
        }
    }
}

/// The key of the newer list.
fn newer(key: &str) -> EcoString {
    eco_format!("{key}\nnewer")
}

impl Sources {
    /// Looks something up in a list, of which `get` has the editions. Returns the
    /// newest list that is known besides, for what else there is.
    pub(crate) fn search<L, T>(
        &self,
        key: &str,
        get: impl Fn(Edition) -> Result<Dated<L>, Error>,
        find: impl Fn(&L) -> Option<T>,
    ) -> Result<(Option<T>, L), Error> {
        let (kept, when) = get(Edition::Kept)?;
        if let Some(found) = find(&kept) {
            return Ok((Some(found), kept));
        }
        if self.is_of_this_run(when) {
            return Ok((None, kept));
        }
        let mut newest = kept;
        let newer = self.cache.record(&newer(key));
        if newer.is_some_and(|newer| newer.fetched > when)
            && let Ok((list, _)) = get(Edition::Newer)
        {
            newest = list;
            if let Some(found) = find(&newest) {
                return Ok((Some(found), newest));
            }
        }
        if !self.is_offline() {
            newest = get(Edition::Newest)?.0;
        }
        Ok((find(&newest), newest))
    }
}
