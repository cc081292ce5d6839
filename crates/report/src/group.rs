//! The same finding met several times is told once, and findings that differ
//! only in who they are about are told together.

use std::collections::HashMap;

use ecow::EcoString;
use lint::{Finding, Severity};
use model::ComponentKey;

use crate::order::{Placed, compare};

/// One finding, and all it holds for: other entrypoints, other components.
pub(crate) struct Group<'a> {
    /// The first of them.
    pub first: Placed<'a>,
    /// All components, the primary one of the first finding first.
    pub components: Vec<&'a ComponentKey>,
    /// All entrypoints, in order.
    pub entrypoints: Vec<&'a EcoString>,
}

/// Findings alike: they say the same of several places.
pub(crate) struct Family<'a> {
    /// The first, told in full.
    pub first: Group<'a>,
    /// The others, in order.
    pub others: Vec<Group<'a>>,
}

impl Family<'_> {
    /// How many findings there are.
    pub fn len(&self) -> usize {
        1 + self.others.len()
    }
}

/// Families of findings, in order.
pub(crate) fn families(findings: Vec<Placed<'_>>) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    let mut by_likeness: HashMap<Likeness<'_>, usize> = HashMap::new();
    for group in groups(findings) {
        let likeness = Likeness::of(group.first.finding);
        let at = *by_likeness.entry(likeness).or_insert(families.len());
        match families.get_mut(at) {
            Some(family) => family.others.push(group),
            None => families.push(Family {
                first: group,
                others: Vec::new(),
            }),
        }
    }
    families
}

/// Groups findings of the same rule, place and message, in order.
pub(crate) fn groups(mut findings: Vec<Placed<'_>>) -> Vec<Group<'_>> {
    findings.sort_by(compare);
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut by_content: HashMap<Content<'_>, usize> = HashMap::new();
    for placed in findings {
        let content = Content::of(&placed);
        let at = *by_content.entry(content).or_insert(groups.len());
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
            let object = finding.object.as_ref().map(ToString::to_string);
            format!("{component} {}", object.unwrap_or_default())
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

/// What makes findings alike: the rule, and the message with the names of
/// component and object left out.
#[derive(PartialEq, Eq, Hash)]
struct Likeness<'a> {
    rule: &'a str,
    severity: Severity,
    message: String,
}

impl<'a> Likeness<'a> {
    fn of(finding: &'a Finding) -> Self {
        let mut message = finding.message.to_string();
        let mut leave_out = |name: String| message = message.replace(&format!("`{name}`"), "`*`");
        if let Some(component) = finding.components.first() {
            leave_out(component.to_string());
        }
        if let Some(object) = &finding.object {
            leave_out(format!("{}/{}", object.namespace, object.name));
            leave_out(object.name.to_string());
        }
        Likeness {
            rule: finding.rule,
            severity: finding.severity,
            message,
        }
    }
}
