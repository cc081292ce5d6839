//! Where this repository lives, and which Kustomizations take their files from
//! elsewhere: their paths mean nothing here.

use std::collections::BTreeMap;

use ecow::EcoString;
use kustomize::Documents;
use model::SourceKey;
use rustc_hash::FxHashSet;

use crate::entrypoint::source_of;
use crate::entrypoint::survey::{Held, Survey};
use crate::mirror::url::canonical_url;
use crate::source::definition::Definition;
use crate::spec::text;

/// Where this repository lives, as far as its files tell.
#[derive(Default)]
pub(crate) struct Home {
    /// The source that most take its directories from.
    usual: Option<SourceKey>,
    /// Its addresses, in the form that is compared.
    addresses: FxHashSet<EcoString>,
}

impl Home {
    /// The sources that bootstraps make, and the usual one of some Kustomizations.
    pub fn of(documents: &Documents, survey: &Survey, kustomizations: &[Held]) -> Home {
        let sources = survey.syncs.iter().flat_map(|sync| sync.sources());
        let definitions = sources.filter_map(Definition::read);
        let addresses = definitions.filter_map(|d| address(&d)).collect();
        let mut home = Home {
            usual: None,
            addresses,
        };
        home.usual = home.usual_source(documents, kustomizations);
        let sources = survey.kustomizations.iter().flat_map(|held| &held.sources);
        let definitions = sources.filter_map(Definition::read);
        let usuals = definitions.filter(|d| Some(&d.key) == home.usual.as_ref());
        let more: Vec<EcoString> = usuals.filter_map(|d| address(&d)).collect();
        home.addresses.extend(more);
        home
    }

    /// Whether a Kustomization takes its files from elsewhere: its source lies beside
    /// it and has another address, or, where `path` is the root of the source, it is
    /// not known to be this repository.
    pub fn is_elsewhere(&self, held: &Held, path: &str) -> bool {
        let key = source_of(&held.object);
        self.usual.as_ref() != Some(&key) && (path.is_empty() || self.has_other_address(held, &key))
    }

    fn has_other_address(&self, held: &Held, key: &SourceKey) -> bool {
        let definitions = held.sources.iter().filter_map(Definition::read);
        let own = definitions.filter(|definition| definition.key == *key);
        let mut addresses = own.filter_map(|definition| address(&definition));
        addresses.any(|address| self.is_other(&address))
    }

    /// Whether an address is none of this repository's. What is pushed to a registry
    /// lives in a Git repository as well: only addresses of one kind are compared.
    fn is_other(&self, address: &EcoString) -> bool {
        let is_artifact = |address: &EcoString| address.starts_with("oci://");
        let mut known = self.addresses.iter();
        known.any(|known| is_artifact(known) == is_artifact(address))
            && !self.addresses.contains(address)
    }

    /// The source that most Kustomizations take directories of this repository
    /// from; of equals the first by key.
    fn usual_source(&self, documents: &Documents, kustomizations: &[Held]) -> Option<SourceKey> {
        let mut votes: BTreeMap<SourceKey, usize> = BTreeMap::new();
        for held in kustomizations {
            let key = source_of(&held.object);
            let here = path_of(held)
                .is_some_and(|path| !path.is_empty() && documents.tree().probe(&path).is_some());
            if here && !self.has_other_address(held, &key) {
                *votes.entry(key).or_default() += 1;
            }
        }
        let most = votes.values().max().copied()?;
        let usual = votes.into_iter().find(|(_, count)| *count == most);
        usual.map(|(source, _)| source)
    }
}

/// The directory a Kustomization applies, when that can be read off it.
pub(crate) fn path_of(held: &Held) -> Option<EcoString> {
    let path = text(held.object.node.path(&["spec", "path"]))?;
    if path.contains("${") {
        return None;
    }
    vfs::normalize(&path).ok()
}

/// An address that is written out.
fn address(definition: &Definition) -> Option<EcoString> {
    let url = definition.url.as_ref().filter(|url| !url.contains("${"))?;
    Some(canonical_url(url))
}
