//! The objects of a build, in order, one of each identity.

use ecow::eco_format;
use rustc_hash::FxHashSet;

use crate::error::Error;
use crate::id::ResId;
use crate::resource::Resource;
use crate::selector::Selector;

/// Objects in the order they were listed. No two have the same current
/// identity after a step that adds objects.
#[derive(Clone, Debug, Default)]
pub struct ResMap {
    resources: Vec<Resource>,
}

impl ResMap {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// All, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Resource> {
        self.resources.iter()
    }

    /// All, in order, to change.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Resource> {
        self.resources.iter_mut()
    }

    /// All, in order, as a slice.
    pub fn as_slice(&self) -> &[Resource] {
        &self.resources
    }

    /// The one at an index.
    pub fn get(&self, index: usize) -> Option<&Resource> {
        self.resources.get(index)
    }

    /// The one at an index, to change.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Resource> {
        self.resources.get_mut(index)
    }

    /// Adds one. Fails when its identity is taken.
    pub fn push(&mut self, resource: Resource) -> Result<(), Error> {
        if self.resources.iter().any(|r| r.id().same(resource.id())) {
            return Err(already_registered(&resource));
        }
        self.resources.push(resource);
        Ok(())
    }

    /// Adds many, in order. Fails when an identity is taken; the others are added
    /// all the same.
    pub fn extend(&mut self, resources: impl IntoIterator<Item = Resource>) -> Result<(), Error> {
        let mut taken: FxHashSet<ResId> = self.resources.iter().map(|r| key(r.id())).collect();
        let mut result = Ok(());
        for resource in resources {
            if taken.insert(key(resource.id())) {
                self.resources.push(resource);
            } else if result.is_ok() {
                result = Err(already_registered(&resource));
            }
        }
        result
    }

    /// Puts all back in another order or number. Fails when two have one
    /// identity.
    pub fn replace_all(
        &mut self,
        resources: impl IntoIterator<Item = Resource>,
    ) -> Result<(), Error> {
        self.resources.clear();
        self.extend(resources)
    }

    /// Takes all out.
    pub fn take(&mut self) -> Vec<Resource> {
        std::mem::take(&mut self.resources)
    }

    /// Fails when the past of an object cannot be told.
    pub fn check_pasts(&self) -> Result<(), Error> {
        let mut resources = self.resources.iter();
        resources.try_for_each(|resource| resource.record.check_past())
    }

    /// Drops what a transformer emptied. Identities are not checked.
    pub fn drop_empty(&mut self) {
        self.resources.retain(|resource| !resource.is_empty());
    }

    /// Keeps what the predicate accepts.
    pub fn retain(&mut self, keep: impl FnMut(&Resource) -> bool) {
        self.resources.retain(keep);
    }

    /// Indices of the objects that have, or had, an identity the predicate
    /// accepts.
    pub fn with_any_id(&self, mut matches: impl FnMut(&ResId) -> bool) -> Vec<usize> {
        let found = |(index, resource): (usize, &Resource)| {
            (!resource.is_empty() && resource.any_id(&mut matches)).then_some(index)
        };
        self.resources
            .iter()
            .enumerate()
            .filter_map(found)
            .collect()
    }

    /// Index of the only object that has, or had, this identity: the target of
    /// a patch without selector.
    pub fn patch_target(&self, id: &ResId) -> Result<usize, Error> {
        let problem = match self.with_any_id(|candidate| id.same(candidate)).as_slice() {
            [index] => return Ok(*index),
            [] => "no matches",
            _ => "multiple matches",
        };
        Err(Error::new(eco_format!(
            "{problem} for Id {id}; failed to find unique target for patch {id}"
        )))
    }

    /// Indices of the objects a selector takes. Fails on an invalid regular
    /// expression or label selector.
    pub fn select(&self, selector: &Selector) -> Result<Vec<usize>, Error> {
        let compiled = selector.compile()?;
        let mut selected = Vec::new();
        for (index, resource) in self.resources.iter().enumerate() {
            if compiled.matches(resource)? {
                selected.push(index);
            }
        }
        Ok(selected)
    }
}

/// Ids under which identical objects fall together.
pub(crate) fn key(id: &ResId) -> ResId {
    ResId {
        namespace: id.effective_namespace().into(),
        ..id.clone()
    }
}

fn already_registered(resource: &Resource) -> Error {
    let error = Error::new(eco_format!(
        "may not add resource with an already registered id: {}",
        resource.id()
    ));
    error.at(resource.node().span)
}

impl<'a> IntoIterator for &'a ResMap {
    type Item = &'a Resource;
    type IntoIter = std::slice::Iter<'a, Resource>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut ResMap {
    type Item = &'a mut Resource;
    type IntoIter = std::slice::IterMut<'a, Resource>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
