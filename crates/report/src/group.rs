//! The same finding met several times is told once.

use std::collections::HashMap;

use ecow::EcoString;
use lint::Severity;
use model::ComponentKey;

use crate::order::{Placed, compare};

/// One finding, and everything it holds for.
pub(crate) struct Group<'a> {
    /// The first of them.
    pub first: Placed<'a>,
    /// All components, the primary one of the first finding first.
    pub components: Vec<&'a ComponentKey>,
    /// All entrypoints, in order.
    pub entrypoints: Vec<&'a EcoString>,
}

/// Groups findings of the same rule, place and message, in order.
pub(crate) fn groups(mut findings: Vec<Placed<'_>>) -> Vec<Group<'_>> {
    findings.sort_by(compare);
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut by_content: HashMap<Content<'_>, usize> = HashMap::new();
    for placed in findings {
        let at = *by_content
            .entry(Content::of(&placed))
            .or_insert(groups.len());
        if at == groups.len() {
            groups.push(Group {
                first: placed.clone(),
                components: Vec::new(),
                entrypoints: Vec::new(),
            });
        }
        if let Some(group) = groups.get_mut(at) {
            let finding = placed.finding;
            add(&mut group.components, finding.components.iter());
            add(&mut group.entrypoints, [&finding.entrypoint].into_iter());
        }
    }
    groups
}

fn add<'a, T: PartialEq>(list: &mut Vec<&'a T>, items: impl Iterator<Item = &'a T>) {
    for item in items {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// What makes findings the same.
#[derive(PartialEq, Eq, Hash)]
struct Content<'a> {
    rule: &'a str,
    severity: Severity,
    place: Option<(EcoString, u32, u32)>,
    message: &'a str,
    /// Findings without a place are told apart by component and object.
    about: Option<String>,
}

impl<'a> Content<'a> {
    fn of(placed: &Placed<'a>) -> Self {
        let finding = placed.finding;
        let location = placed.location.as_ref();
        let place = location.map(|at| (at.file.clone(), at.line, at.column));
        let about = place.is_none().then(|| {
            let component = finding.components.first();
            let component = component.map(ToString::to_string).unwrap_or_default();
            let object = finding.object.as_ref();
            format!(
                "{component} {}",
                object.map(ToString::to_string).unwrap_or_default()
            )
        });
        Content {
            rule: finding.rule,
            severity: finding.severity,
            place,
            message: &finding.message,
            about,
        }
    }
}
