//! Findings that many components share by habit become one: told one by one they
//! would hide the rest. It comes after what the user accepts was left out, so that
//! a comment still speaks of its own place.

use ecow::EcoString;

use crate::timing::retry_cliff;
use crate::{Detail, Finding};

/// Gathers the findings of rules that are about habits.
pub(crate) fn gather(findings: &mut Vec<Finding>) {
    one_for_all(findings, retry_cliff::RULE.id, retry_cliff::of_many);
}

/// Makes one finding of all those of a rule, at the place of the first.
fn one_for_all(findings: &mut Vec<Finding>, rule: &str, message: impl Fn(usize) -> EcoString) {
    let Some(first) = findings.iter().position(|finding| finding.rule == rule) else {
        return;
    };
    let (mut all, others): (Vec<Finding>, Vec<Finding>) = std::mem::take(findings)
        .into_iter()
        .partition(|finding| finding.rule == rule);
    *findings = others;
    // In no order but that of names.
    all.sort_by(|a, b| a.components.cmp(&b.components));
    let number = all.len();
    let mut all = all.into_iter();
    let Some(mut story) = all.next() else {
        return;
    };
    if number > 1 {
        let told = std::mem::replace(&mut story.message, message(number));
        story.details.insert(
            0,
            Detail {
                message: told,
                span: story.span,
                component: story.components.first().cloned(),
            },
        );
    }
    for further in all {
        story.details.push(Detail {
            message: further.message,
            span: further.span,
            component: further.components.first().cloned(),
        });
        story.details.extend(further.details);
        story.severity = story.severity.max(further.severity);
        for component in further.components {
            if !story.components.contains(&component) {
                story.components.push(component);
            }
        }
        story.fix.extend(further.fix);
    }
    findings.insert(first, story);
}
