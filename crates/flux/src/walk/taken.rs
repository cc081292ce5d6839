//! What the builds of a walk's components take in.

use model::Spec;

use crate::taken::Taken;
use crate::walk::world::{Walk, alive};

impl Walk<'_> {
    /// What the builds of its components take in.
    pub(super) fn taken(&self) -> Vec<Taken> {
        let mut all: Vec<Taken> = Vec::new();
        let repository = self.workspace.repository().ok();
        for slot in alive(&self.slots) {
            if !matches!(slot.spec, Spec::Kustomization(_)) {
                continue;
            }
            // What is suspended has no artifact here, but a reason to stand there.
            let Some(documents) = slot.documents().or(repository.as_ref()) else {
                continue;
            };
            let at = all.iter().position(|taken| taken.is_of(documents));
            let at = at.unwrap_or_else(|| {
                all.push(Taken::new(documents.clone()));
                all.len() - 1
            });
            if let Some(taken) = all.get_mut(at) {
                taken.kustomization(&slot.node);
            }
        }
        for taken in &mut all {
            taken.nested();
        }
        all
    }
}
