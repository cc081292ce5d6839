//! What a configuration is to declare.

use std::collections::{BTreeMap, BTreeSet};

use ecow::EcoString;
use yaml::Location;

/// Who needs something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Need {
    /// The components, in the order they were found.
    pub components: Vec<EcoString>,
    /// Where the first of them demands it.
    pub place: Option<Location>,
}

impl Need {
    /// Adds those of another finding about the same thing.
    pub fn add(&mut self, components: impl IntoIterator<Item = EcoString>, at: Option<Location>) {
        for component in components {
            if !self.components.contains(&component) {
                self.components.push(component);
            }
        }
        if self.place.is_none() {
            self.place = at;
        }
    }
}

/// A ConfigMap or Secret: kind, namespace, name.
pub(crate) type Source = (EcoString, EcoString, EcoString);

/// A substitution source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Substitution {
    /// Who reads it.
    pub need: Need,
    /// The variables that nothing else defines.
    pub variables: BTreeSet<EcoString>,
}

/// Everything to be declared, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    /// Directories clusters start from.
    pub entrypoints: Vec<EcoString>,
    /// `externals.namespaces`.
    pub namespaces: BTreeMap<EcoString, Need>,
    /// `externals.crdGroups`.
    pub crd_groups: BTreeMap<EcoString, Need>,
    /// `externals.secrets`, by namespace and name.
    pub secrets: BTreeMap<(EcoString, EcoString), Need>,
    /// `externals.substitutions`.
    pub substitutions: BTreeMap<Source, Substitution>,
}

impl Draft {
    /// How many entries of `externals` there are.
    pub fn len(&self) -> usize {
        self.namespaces.len()
            + self.crd_groups.len()
            + self.secrets.len()
            + self.substitutions.len()
    }

    /// Grows with everything that is learnt; equal numbers mean nothing was.
    pub fn weight(&self) -> usize {
        let variables = self.substitutions.values().map(|s| s.variables.len());
        self.len() + variables.sum::<usize>()
    }
}
