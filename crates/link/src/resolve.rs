//! Who meets an import.

use model::ComponentKind;

use crate::imports::component_key;
use crate::{Cause, Event, Export, How, Import, Item, Linked, Phase};

/// What a reference to a Flux component leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// This component, by index.
    Component(usize),
    /// An object that is no component, or a component nobody has.
    Object,
}

/// Who meets an import.
#[derive(Clone, Debug)]
pub enum Supply<'a> {
    /// It is there from the start.
    Given,
    /// A component itself: what a dependency or a health check names.
    Component(usize),
    /// Any of these makes it.
    Made(Vec<&'a Export>),
    /// These components make CRDs of the group while they run.
    Runtime(Vec<usize>),
    /// Nothing that is known.
    Nothing,
}

impl Linked<'_> {
    /// The component that an import names, where it names one.
    pub fn target(&self, import: &Import) -> Target {
        let names_component = matches!(import.cause, Cause::DependsOn { .. } | Cause::HealthCheck);
        component_key(&import.place.item)
            .filter(|_| names_component)
            .and_then(|key| self.find(&import.place.cluster, &key))
            .map_or(Target::Object, Target::Component)
    }

    /// Who meets an import.
    pub fn supply(&self, import: &Import) -> Supply<'_> {
        if let Target::Component(component) = self.target(import) {
            return Supply::Component(component);
        }
        if import.place.item.is_undecided() || self.given.has(&import.place) {
            return Supply::Given;
        }
        if import.cause == Cause::Controller {
            return self.controllers(import);
        }
        let made = self.exports.producers(&import.place);
        if import.cause == Cause::Decryption && self.is_made_of_itself(import, &made) {
            return Supply::Given;
        }
        if !made.is_empty() {
            return Supply::Made(made);
        }
        if import.cause == Cause::HealthCheck {
            let made = self.exports.whatever_namespace(&import.place);
            if !made.is_empty() {
                return Supply::Made(made);
            }
        }
        if let Some(group) = import.place.item.defined_group() {
            let providers = self.runtime_providers(group);
            if let Some(mut providers) = providers {
                // What runs in one cluster makes nothing in another.
                providers.retain(|at| {
                    let provider = self.component(*at);
                    provider.is_some_and(|p| p.cluster == import.place.cluster)
                });
                return match providers.is_empty() {
                    true => Supply::Given,
                    false => Supply::Runtime(providers),
                };
            }
        }
        Supply::Nothing
    }

    /// Who runs the controller of a kind. One that makes its CRDs itself, or
    /// whose chart is not rendered, is not among the workloads that are known.
    fn controllers(&self, import: &Import) -> Supply<'_> {
        let Item::Crd { group, kind } = &import.place.item else {
            return Supply::Nothing;
        };
        if self.runtime_providers(group).is_some() {
            return Supply::Given;
        }
        let known = self.exports.controllers(&import.place.cluster, group, kind);
        match known.is_empty() || !self.likely_installers(import).is_empty() {
            true => Supply::Nothing,
            false => Supply::Made(known.iter().collect()),
        }
    }

    /// The event from which on an export meets an import.
    pub(crate) fn event_of(&self, import: &Import, export: &Export) -> Event {
        match import.is_for_work() {
            true => self.worked(export, true),
            false => self.work_of(export),
        }
    }

    /// The event from which on an export is there.
    pub(crate) fn work_of(&self, export: &Export) -> Event {
        self.worked(export, matches!(export.how, How::Derived(_)))
    }

    fn worked(&self, export: &Export, for_work: bool) -> Event {
        match export.object {
            Some(object) if for_work && self.is_working(export.component, object) => {
                Event::Working(export.component, object)
            }
            _ => Event::Component(export.component, export.phase),
        }
    }

    /// Whether a key is made by a component that needs it to be read: then the
    /// first one comes from outside, as the key of any encrypted repository.
    fn is_made_of_itself(&self, import: &Import, made: &[&Export]) -> bool {
        made.iter().any(|export| {
            export.component == import.component
                || self.imports.iter().any(|other| {
                    other.component == export.component
                        && other.cause == Cause::Decryption
                        && other.place == import.place
                })
        })
    }

    /// The components that make CRDs of a group while they run; `None` where
    /// none is declared. Declared ones that this world does not have are left
    /// out.
    fn runtime_providers(&self, group: &str) -> Option<Vec<usize>> {
        let declared: Vec<_> = self.given.runtime_crds(group).collect();
        if declared.is_empty() {
            return None;
        }
        let ranked = self.ranked.iter();
        Some(
            ranked
                .filter_map(|at| Some((*at, self.component(*at)?)))
                .filter(|(_, component)| {
                    let name = ecow::eco_format!("{}", component.key);
                    declared.contains(&name)
                })
                .map(|(at, _)| at)
                .collect(),
        )
    }

    /// Components with a workload whose account may make the definition that an
    /// import names while it runs; none for what is no definition.
    pub fn may_define(&self, import: &Import) -> Vec<usize> {
        let Item::Object { name, .. } = &import.place.item else {
            return Vec::new();
        };
        match import.place.item.defined_group() {
            Some(_) => self.exports.access.may_define(&import.place.cluster, name),
            None => Vec::new(),
        }
    }

    /// Whether the component's own earlier phase already meets the import:
    /// definitions come before what they define, and classes before what is of
    /// them.
    pub fn is_met_by_itself(&self, import: &Import, export: &Export) -> bool {
        let Event::Component(component, phase) = self.event_of(import, export) else {
            return false;
        };
        let by_kind = || {
            let kind = self.component(component).map(|c| c.key.kind);
            match import.cause {
                Cause::Class => kind == Some(ComponentKind::Kustomization),
                // Helm makes a chart's objects kind by kind: namespaces and
                // accounts first.
                Cause::Namespace | Cause::TargetNamespace | Cause::PodAccount => {
                    kind == Some(ComponentKind::HelmRelease)
                }
                _ => false,
            }
        };
        component == import.component
            && (import.acting.is_some() || phase < import.phase || by_kind())
    }

    /// Components that could not be rendered and might meet the import. The
    /// component in need cannot be one before it has started.
    pub fn suspects_of(&self, import: &Import) -> Vec<usize> {
        let mut suspects = self.suspects(&import.place);
        if import.phase == Phase::Start {
            suspects.retain(|suspect| *suspect != import.component);
        }
        suspects
    }
}
