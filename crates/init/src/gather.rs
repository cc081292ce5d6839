//! Reads a judged world for what is missing from it.

use ecow::{EcoString, eco_format};
use link::{Cause, Import, Item, Linked, Supply};
use lint::{External, Finding};
use yaml::Sources;

use crate::draft::Draft;

/// Adds what the findings about a world would have declared.
pub(crate) fn findings(draft: &mut Draft, findings: &[Finding], texts: &Sources) {
    for finding in findings {
        let Some(external) = &finding.external else {
            continue;
        };
        let at = finding.span.and_then(|span| texts.location(span));
        let components = finding.components.iter();
        let components = components.map(|component| eco_format!("{component}"));
        let need = match external {
            External::Namespace(name) => draft.namespaces.entry(name.clone()).or_default(),
            External::CrdGroup(group) => draft.crd_groups.entry(group.clone()).or_default(),
            External::Substitution {
                kind,
                namespace,
                name,
                variable,
            } => {
                let key = (kind.clone(), namespace.clone(), name.clone());
                let entry = draft.substitutions.entry(key).or_default();
                entry.variables.extend(variable.clone());
                &mut entry.need
            }
        };
        need.add(components, at);
    }
}

/// Adds the Secrets that Flux's own objects, stores and issuers name and nothing
/// makes. No finding is about them: the key of an encrypted repository and the
/// password of a store are always made by hand.
pub(crate) fn secrets(draft: &mut Draft, linked: &Linked<'_>, texts: &Sources) {
    for import in &linked.imports {
        let is_own = matches!(
            import.cause,
            Cause::Decryption | Cause::KubeConfig | Cause::Values | Cause::Credentials
        );
        if !is_own || import.optional || !linked.is_known(&import.place.cluster) {
            continue;
        }
        let Some((namespace, name)) = secret(import) else {
            continue;
        };
        if !is_made_outside(linked, import, namespace, name) {
            continue;
        }
        let key = (namespace.clone(), name.clone());
        let need = draft.secrets.entry(key).or_default();
        let component = linked.name(import.component);
        need.add([component], texts.location(import.span));
    }
}

fn secret(import: &Import) -> Option<(&EcoString, &EcoString)> {
    match &import.place.item {
        Item::Object {
            group,
            kind,
            namespace,
            name,
        } if group.is_empty() && kind == "Secret" && !name.is_empty() => Some((namespace, name)),
        _ => None,
    }
}

/// Whether nothing makes a Secret or, of a key that what it decrypts makes, the
/// first one comes from outside.
fn is_made_outside(linked: &Linked<'_>, import: &Import, namespace: &str, name: &str) -> bool {
    let is_missing = match linked.supply(import) {
        Supply::Nothing => true,
        Supply::Given => !linked.given.has(&import.place) && !import.place.item.is_undecided(),
        _ => false,
    };
    let names = linked.exports.names(&import.place.cluster, "", "Secret");
    let here = names.iter().filter(|(other, _)| other == namespace);
    let near = lint::nearest(name, here.map(|(_, name)| name.as_str()));
    is_missing && near.is_none()
}
