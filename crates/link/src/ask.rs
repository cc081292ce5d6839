//! What can be asked about time.

use crate::Linked;

/// What happens to the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scenario {
    /// Nothing is there but what the bootstrap installs.
    #[default]
    Empty,
    /// Everything is ready, and a commit changes what this component, by index,
    /// applies.
    Commit(usize),
    /// As empty, but this component never becomes ready.
    Failure(usize),
    /// Everything has been applied; all components are reconciled anew and
    /// their health is waited for again.
    Restart,
}

/// A question about time. The default is a bootstrap of the repository as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ask {
    /// What happens.
    pub scenario: Scenario,
    /// Dependencies taken away, by index in [`Linked::imports`].
    pub without: Vec<usize>,
    /// Components, by index, with another `timeout` in nanoseconds.
    pub timeouts: Vec<(usize, u64)>,
}

impl Ask {
    pub(crate) fn timeout(&self, component: usize) -> Option<u64> {
        let mut timeouts = self.timeouts.iter().rev();
        let (_, timeout) = timeouts.find(|(at, _)| *at == component)?;
        Some(*timeout)
    }
}

impl Linked<'_> {
    /// The `dependsOn` entries of one component that name another, by index in
    /// [`Linked::imports`].
    pub fn dependencies(&self, of: usize, on: usize) -> Vec<usize> {
        let imports = self.imports_of(of);
        imports
            .filter(|(_, import)| {
                matches!(import.cause, crate::Cause::DependsOn { .. })
                    && self.target(import) == crate::Target::Component(on)
            })
            .map(|(at, _)| at)
            .collect()
    }
}
