//! What a rule is.

use link::Linked;

use crate::{Evidence, Question, Severity, Sink};

/// A rule: one question to the linked repository.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its id, `FL-G001`. Never changes.
    pub id: &'static str,
    /// Its name, `dangling-reference`. Never changes.
    pub name: &'static str,
    /// What its findings count as unless they say otherwise.
    pub severity: Severity,
    /// How far its findings can be trusted.
    pub evidence: Evidence,
    /// What it reads.
    pub question: Question,
    /// In one sentence, what it finds.
    pub summary: &'static str,
    /// Looks at one world.
    pub check: fn(&Linked<'_>, &mut Sink<'_>),
}
