//! What components that could not be rendered may hide.

use model::{Component, ComponentKind, Identity, Problem, Spec, State};

use crate::{Import, Item, Linked, Place};

/// What kind of thing is looked for among components nobody could render.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sought {
    /// A component or a source of Flux.
    Flux,
    /// Anything else.
    Other,
}

impl Sought {
    pub(crate) fn of(item: &Item) -> Self {
        match item.is_flux() {
            true => Sought::Flux,
            false => Sought::Other,
        }
    }
}

impl Linked<'_> {
    /// The component whose failed build keeps from Flux what an import names: it
    /// stands below the entry that could not be taken in.
    pub fn lost(&self, import: &Import) -> Option<usize> {
        let Item::Object {
            group,
            kind,
            namespace,
            name,
        } = &import.place.item
        else {
            return None;
        };
        // A namespace may be set above, where the entry is listed.
        let is_it = |lost: &Identity| {
            lost.group == *group
                && lost.kind == *kind
                && lost.name == *name
                && (lost.namespace == *namespace || lost.namespace.is_empty())
        };
        self.ranked.iter().copied().find(|at| {
            let problems = self.component(*at).map_or(&[][..], |c| &c.problems);
            problems.iter().any(|problem| match problem {
                Problem::Build { lost, .. } => lost.iter().any(is_it),
                _ => false,
            })
        })
    }

    /// The components of the place's cluster that could not be rendered and
    /// might make it. While there is one, "nothing makes it" is not certain.
    ///
    /// Objects of Flux come out of other repositories, whose Kustomizations and
    /// own charts deliver whole sets of them. A packaged chart delivers
    /// namespaces, CRDs and workloads, so it is not suspected of them.
    pub fn suspects(&self, place: &Place) -> Vec<usize> {
        self.unrendered(&place.cluster, Sought::of(&place.item))
    }

    /// Whether the repository says what a cluster holds from the start. Of one
    /// that Flux only reaches through a kubeconfig, it does not.
    pub fn is_known(&self, cluster: &str) -> bool {
        cluster.is_empty()
    }

    /// The components that could not be rendered and whose name or chart is that
    /// of the CRD's group: `cert-manager` for `acme.cert-manager.io`.
    pub fn likely_installers(&self, import: &Import) -> Vec<usize> {
        let Item::Crd { group, .. } = &import.place.item else {
            return Vec::new();
        };
        let Some(owner) = owner(group) else {
            return Vec::new();
        };
        let mut suspects = self.suspects_of(import);
        suspects.retain(|at| {
            self.component(*at).is_some_and(|component| {
                let chart = match &component.spec {
                    Spec::HelmRelease(spec) => spec.chart.as_deref(),
                    Spec::Kustomization(_) => None,
                };
                let source = component.spec.source().map(|source| source.name.as_str());
                [Some(component.key.name.as_str()), chart, source]
                    .into_iter()
                    .flatten()
                    .any(|name| is_named_after(name, owner))
            })
        });
        suspects
    }

    pub(crate) fn unrendered(&self, cluster: &str, sought: Sought) -> Vec<usize> {
        let ranked = self.ranked.iter();
        ranked
            .filter_map(|at| Some((*at, self.component(*at)?)))
            .filter(|(at, component)| {
                component.cluster == cluster
                    && self.hides.get(*at) == Some(&true)
                    && match (sought, component.key.kind) {
                        (Sought::Other, _) | (_, ComponentKind::Kustomization) => true,
                        (Sought::Flux, ComponentKind::HelmRelease) => component
                            .spec
                            .source()
                            .is_some_and(|s| s.kind == "GitRepository" || s.kind == "Bucket"),
                    }
            })
            .map(|(at, _)| at)
            .collect()
    }
}

/// Whether its objects, or some of what they make, are not known. A component
/// that Flux fails to build shows what it would apply unless nothing could be
/// read.
pub(crate) fn hides_objects(component: &Component) -> bool {
    match &component.state {
        State::Opaque(_) | State::Partial(..) => true,
        State::Failed(would) if would.objects.is_empty() => true,
        // What the failing entries would bring is left out.
        State::Failed(_) if component.problems.iter().any(is_build) => true,
        State::Rendered(_) | State::Failed(_) => component.objects().iter().any(|object| {
            let identity = &object.identity;
            match (identity.group.as_str(), identity.kind.as_str()) {
                // It makes objects of any kind from its inputs.
                ("fluxcd.controlplane.io", "ResourceSet") => true,
                // One artifact a directory it finds.
                ("source.extensions.fluxcd.io", "ArtifactGenerator") => {
                    object.node.path(&["spec", "pathPattern"]).is_some()
                }
                _ => false,
            }
        }),
    }
}

fn is_build(problem: &Problem) -> bool {
    matches!(problem, Problem::Build { .. })
}

/// The name in a group that says whose it is: the label below the top-level
/// domain. `None` for short ones and those of Kubernetes, which say nothing.
fn owner(group: &str) -> Option<&str> {
    let owner = group.rsplit('.').nth(1)?;
    (owner.len() >= 4 && !owner.ends_with("k8s") && owner != "kubernetes").then_some(owner)
}

fn is_named_after(name: &str, owner: &str) -> bool {
    name.strip_prefix(owner)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
