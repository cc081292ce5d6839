//! Which fields a transformer touches.

use ecow::EcoString;

use crate::error::Error;
use crate::id::Gvk;

/// One field of the objects a pattern selects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldSpec {
    /// The objects; empty parts match anything.
    pub gvk: Gvk,
    /// The field: names joined by `/`, a `/` inside of a name written `\/`, a
    /// list marked by `[]`.
    pub path: EcoString,
    /// Whether to create the field where it is missing.
    pub create: bool,
}

/// A list of fields in which no entry repeats another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSpecs(pub Vec<FieldSpec>);

impl FieldSpecs {
    /// Adds an entry unless one covers it already. Fails when that one differs
    /// in whether the field is created.
    pub fn add(&mut self, spec: FieldSpec) -> Result<(), Error> {
        // "Covers" is one-sided: the entry there must lie in the pattern of the
        // new one.
        let known = self
            .0
            .iter()
            .find(|known| spec.gvk.selects(&known.gvk) && known.path == spec.path);
        match known {
            Some(known) if known.create != spec.create => {
                return Err(Error::new("conflicting fieldspecs"));
            }
            Some(_) => {}
            None => self.0.push(spec),
        }
        Ok(())
    }

    /// Adds every entry of another list.
    pub fn extend(&mut self, other: &FieldSpecs) -> Result<(), Error> {
        other.0.iter().try_for_each(|spec| self.add(spec.clone()))
    }
}

/// The fields that hold names of objects of one type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameReference {
    /// The type of the objects that are named.
    pub target: Gvk,
    /// The fields that name them.
    pub referrers: FieldSpecs,
}

/// Every table a build consults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldTables {
    /// `namePrefix`
    pub name_prefix: FieldSpecs,
    /// `nameSuffix`
    pub name_suffix: FieldSpecs,
    /// `namespace`
    pub namespace: FieldSpecs,
    /// `commonLabels`
    pub common_labels: FieldSpecs,
    /// `labels`
    pub labels: FieldSpecs,
    /// `labels` with `includeTemplates`
    pub template_labels: FieldSpecs,
    /// `commonAnnotations`
    pub common_annotations: FieldSpecs,
    /// Name references.
    pub name_reference: Vec<NameReference>,
    /// Where `$(VAR)` is expanded.
    pub var_reference: FieldSpecs,
    /// `images`
    pub images: FieldSpecs,
    /// `replicas`
    pub replicas: FieldSpecs,
}
