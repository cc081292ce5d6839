//! How long components took in a real cluster.

use std::collections::BTreeMap;

use ecow::EcoString;

use crate::{ComponentKey, Duration};

/// What was measured about one component, whoever measured it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The shortest time it took from its start to `Ready`, in nanoseconds.
    pub least: Duration,
    /// The longest, never below `least`. Both are equal where only one figure
    /// is known.
    pub most: Duration,
    /// The figure is a mean over many reconciliations, or the last of several:
    /// most of them had nothing to do, so a bootstrap may well take longer.
    pub average: bool,
    /// Where the figure comes from, as people write it: `file:line`, or the
    /// file's name.
    pub origin: EcoString,
}

impl Measured {
    /// One figure.
    pub fn exactly(nanos: Duration, origin: impl Into<EcoString>) -> Self {
        Measured {
            least: nanos,
            most: nanos,
            average: false,
            origin: origin.into(),
        }
    }

    /// Both figures together. A measurement says more than a mean, which then
    /// counts for nothing.
    fn join(&mut self, other: Measured) {
        match (self.average, other.average) {
            (true, false) => *self = other,
            (false, true) => {}
            _ => {
                if other.most > self.most {
                    self.most = other.most;
                    self.origin = other.origin;
                }
                self.least = self.least.min(other.least);
            }
        }
    }
}

/// Measured times by component. Empty where nothing was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    by_key: BTreeMap<ComponentKey, Measured>,
}

impl Durations {
    /// Adds a measurement. A second one of the same component widens the
    /// first; a measurement replaces a mean.
    pub fn add(&mut self, key: ComponentKey, measured: Measured) {
        match self.by_key.get_mut(&key) {
            Some(known) => known.join(measured),
            None => {
                self.by_key.insert(key, measured);
            }
        }
    }

    /// What was measured about a component.
    pub fn get(&self, key: &ComponentKey) -> Option<&Measured> {
        self.by_key.get(key)
    }

    /// All measurements, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&ComponentKey, &Measured)> {
        self.by_key.iter()
    }

    /// How many components were measured.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ComponentKind;

    fn key() -> ComponentKey {
        ComponentKey {
            kind: ComponentKind::Kustomization,
            namespace: "flux-system".into(),
            name: "apps".into(),
        }
    }

    #[test]
    fn measurements_widen_each_other_and_replace_means() {
        let mut durations = Durations::default();
        let mean = Measured {
            average: true,
            ..Measured::exactly(1, "metrics.txt:3")
        };
        durations.add(key(), mean.clone());
        durations.add(key(), Measured::exactly(40, "dump.json:7"));
        durations.add(key(), Measured::exactly(20, "other.json:7"));
        durations.add(key(), mean);
        let found = durations.get(&key()).expect("a measurement");
        assert_eq!((found.least, found.most), (20, 40));
        assert!(!found.average);
        assert_eq!(found.origin, "dump.json:7");
    }
}
