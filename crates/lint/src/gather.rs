//! Findings that many components share by habit become one: told one by one they
//! would hide the rest. It comes after what the user accepts was left out, so that
//! a comment still speaks of its own place.

use ecow::EcoString;

use crate::graph::retry_budget;
use crate::timing::{implicit_ordering, retry_cliff, timeout_inversion};
use crate::{Detail, Finding};

/// How the findings of a rule become fewer.
pub(crate) struct Habit {
    /// The rule's id.
    pub rule: &'static str,
    /// What findings that are told as one have in common; `None` for one that is
    /// told alone.
    pub alike: fn(&Finding) -> Option<EcoString>,
    /// What is said of so many, one of which is given.
    pub message: fn(usize, &Finding) -> EcoString,
    /// What to do about them, where that of the first does not say it for all.
    pub help: Option<&'static str>,
    /// What to do about each is told as well.
    pub each: bool,
}

/// Gathers the findings of rules that are about habits.
pub(crate) fn gather(findings: &mut Vec<Finding>) {
    for habit in [
        &retry_budget::HABIT,
        &retry_cliff::HABIT,
        &implicit_ordering::HABIT,
        &timeout_inversion::HABIT,
    ] {
        gather_habit(findings, habit);
    }
}

/// Each group at the place of its first finding.
fn gather_habit(findings: &mut Vec<Finding>, habit: &Habit) {
    let mut groups: Vec<(EcoString, usize, Vec<Finding>)> = Vec::new();
    let mut others: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in std::mem::take(findings) {
        let alike = match finding.rule == habit.rule {
            true => (habit.alike)(&finding),
            false => None,
        };
        let Some(alike) = alike else {
            others.push(finding);
            continue;
        };
        match groups.iter_mut().find(|(known, ..)| *known == alike) {
            Some((.., group)) => group.push(finding),
            None => groups.push((alike, others.len(), vec![finding])),
        }
    }
    // From the back: places before one that is filled stay right.
    for (_, at, group) in groups.into_iter().rev() {
        if let Some(story) = one_for_all(group, habit) {
            others.insert(at, story);
        }
    }
    *findings = others;
}

/// Makes one finding of several.
fn one_for_all(mut all: Vec<Finding>, habit: &Habit) -> Option<Finding> {
    // In no order but that of names.
    all.sort_by(|a, b| a.components.cmp(&b.components));
    let number = all.len();
    let mut all = all.into_iter();
    let mut story = all.next()?;
    if number > 1 {
        let message = (habit.message)(number, &story);
        let told = std::mem::replace(&mut story.message, message);
        story.details.insert(0, detail(told, &story));
        if let Some(help) = habit.help {
            let first = story.help.replace(help.into());
            story.details.extend(advice(first, habit));
        }
    }
    for further in all {
        let told = detail(further.message.clone(), &further);
        story.details.push(told);
        story.details.extend(further.details);
        story.details.extend(advice(further.help, habit));
        story.severity = story.severity.max(further.severity);
        for component in further.components {
            if !story.components.contains(&component) {
                story.components.push(component);
            }
        }
        story.fix.extend(further.fix);
    }
    Some(story)
}

fn advice(help: Option<EcoString>, habit: &Habit) -> Option<Detail> {
    help.filter(|_| habit.each).map(|message| Detail {
        message,
        span: None,
        component: None,
    })
}

fn detail(message: EcoString, of: &Finding) -> Detail {
    Detail {
        message,
        span: of.span,
        component: of.components.first().cloned(),
    }
}
