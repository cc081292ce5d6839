//! Setting the namespace of an object and of what it names.

use ecow::{EcoString, EcoVec};
use yaml::{Node, Tag};

use super::field::each_place;
use super::kind::{Kind, expect_kind};
use super::path::lookup_mut;
use super::scalar::{Written, replace};
use crate::error::Error;
use crate::field_spec::FieldSpec;
use crate::id::Gvk;
use crate::kustomization::Item;

/// The subjects of role bindings that get the namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subjects {
    /// Those named `default`.
    #[default]
    NamedDefault,
    /// All service accounts.
    ServiceAccounts,
    /// None.
    None,
}

impl Subjects {
    /// Reads the field `setRoleBindingSubjects`; empty is the default. `None`
    /// for an unknown word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "" | "defaultOnly" => Some(Subjects::NamedDefault),
            "allServiceAccounts" => Some(Subjects::ServiceAccounts),
            "none" => Some(Subjects::None),
            _ => None,
        }
    }
}

/// A namespace to set.
#[derive(Clone, Debug)]
pub struct SetNamespace<'a> {
    /// The namespace.
    pub namespace: &'a Item,
    /// Fields besides `metadata.namespace`.
    pub specs: &'a [FieldSpec],
    /// Only where none is set.
    pub unset_only: bool,
    /// The subjects of role bindings.
    pub subjects: Subjects,
}

const NAMESPACE_PATH: &str = "metadata/namespace";
const NAME_PATH: &str = "metadata/name";
const SUBJECTS_PATH: &str = "subjects/namespace";

fn is_role_binding(kind: &str) -> bool {
    matches!(kind, "RoleBinding" | "ClusterRoleBinding")
}

impl SetNamespace<'_> {
    /// Sets the namespace of one object, unless its kind is `cluster_scoped`,
    /// and of the fields and subjects it has. Fails where a field is no scalar.
    pub fn apply(&self, object: &mut Node, cluster_scoped: bool) -> Result<(), Error> {
        let gvk = Gvk::of(object);
        if !cluster_scoped {
            let own = FieldSpec {
                path: NAMESPACE_PATH.into(),
                create: true,
                ..FieldSpec::default()
            };
            self.set_field(object, &own)?;
        }
        if is_role_binding(&gvk.kind) {
            self.set_subjects(object)?;
        }
        self.specs
            .iter()
            .filter(|spec| self.applies(spec, &gvk))
            .try_for_each(|spec| self.set_field(object, spec))
            .map_err(|error| {
                let no_scalar = error.message.starts_with("wrong node kind");
                error.during(match no_scalar {
                    true => "namespace field specs must target scalar nodes",
                    false => "namespace transformation failed",
                })
            })
    }

    /// The fields that were dealt with before, or that are names of anything
    /// but core objects, are left out.
    fn applies(&self, spec: &FieldSpec, gvk: &Gvk) -> bool {
        let core = gvk.api_version() == "v1";
        let subjects = is_role_binding(&gvk.kind)
            && is_role_binding(&spec.gvk.kind)
            && spec.path == SUBJECTS_PATH;
        spec.path != NAMESPACE_PATH && (core || spec.path != NAME_PATH) && !subjects
    }

    fn set_field(&self, object: &mut Node, spec: &FieldSpec) -> Result<(), Error> {
        each_place(object, spec, Some(Kind::Scalar), &mut |place| {
            self.set(place)
        })
    }

    fn set(&self, place: &mut Node) -> Result<(), Error> {
        let has_value = || !place.is_null() && place.text().is_some_and(|text| !text.is_empty());
        if self.unset_only && has_value() {
            return Ok(());
        }
        let Item { text, span } = self.namespace;
        replace(place, text.clone(), Written::Typed(Tag::Str), *span)
    }

    fn set_subjects(&self, object: &mut Node) -> Result<(), Error> {
        let (key, value) = match self.subjects {
            Subjects::None => return Ok(()),
            Subjects::NamedDefault => ("name", "default"),
            Subjects::ServiceAccounts => ("kind", "ServiceAccount"),
        };
        let Some(subjects) = object.get_mut("subjects").filter(|s| !s.is_null()) else {
            return Ok(());
        };
        expect_kind(Kind::Sequence, subjects)?;
        let Some(subjects) = subjects.items_mut() else {
            return Ok(());
        };
        for subject in EcoVec::make_mut(subjects) {
            self.set_subject(subject, key, value).map_err(|error| {
                error.during("setting namespace on (cluster)role binding subjects")
            })?;
        }
        Ok(())
    }

    fn set_subject(&self, subject: &mut Node, key: &str, value: &str) -> Result<(), Error> {
        expect_kind(Kind::Mapping, subject)?;
        let Some(found) = subject.get(key).filter(|field| !field.is_null()) else {
            return Ok(());
        };
        expect_kind(Kind::Scalar, found)?;
        if found.text().is_none_or(|text| text != value) {
            return Ok(());
        }
        match lookup_mut(subject, &[EcoString::from("namespace")], Some(Kind::Scalar))? {
            Some(place) => self.set(place),
            None => Ok(()),
        }
    }
}
