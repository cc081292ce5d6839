//! Asks every rule about a world.

use config::{Config, Date, Level};
use link::{Linked, Timing};
use model::World;
use yaml::Sources;

use crate::{Finding, RULES, Sink, accepted};

/// What was judged about one world.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The findings, in the order of the rules.
    pub findings: Vec<Finding>,
    /// How long a bootstrap takes; `None` where nothing becomes ready.
    pub timing: Option<Timing>,
    /// Which entries of `ignore`, by position, accepted a finding.
    pub used_ignores: Vec<bool>,
}

/// Links a world and asks every rule about it.
///
/// `texts` are those that the world's spans point into; `today` decides which
/// entries of `ignore` still hold (all of them without it).
pub fn judge(world: &World, config: &Config, texts: &Sources, today: Option<Date>) -> Judgement {
    judge_linked(&Linked::new(world, config), texts, today)
}

/// Asks every rule about a linked world.
pub fn judge_linked(linked: &Linked<'_>, texts: &Sources, today: Option<Date>) -> Judgement {
    let config = linked.config;
    let mut findings = Vec::new();
    for rule in RULES {
        if config.rules.level(rule.id, rule.name) == Some(Level::Off) {
            continue;
        }
        let mut sink = Sink::new(linked, rule);
        (rule.check)(linked, &mut sink);
        findings.append(&mut sink.into_findings());
    }
    let mut used_ignores = vec![false; config.ignore.len()];
    accepted::by_config(&mut findings, config, today, &mut used_ignores);
    accepted::by_comment(&mut findings, texts);
    Judgement {
        findings,
        timing: linked.timing().cloned(),
        used_ignores,
    }
}
