//! Asks every rule about a world.

use ::observed::ClusterState;
use config::{Config, Date, Level};
use ecow::EcoString;
use link::{Linked, Timing};
use model::World;
use rayon::prelude::*;
use yaml::Sources;

use crate::gather::gather;
use crate::observed::{self, Observed};
use crate::{Finding, RULES, Rule, Sink, accepted};

/// What was judged about one world.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The findings, in the order of the rules.
    pub findings: Vec<Finding>,
    /// How long a bootstrap takes; `None` where nothing becomes ready.
    pub timing: Option<Timing>,
    /// Which entries of `ignore`, by position, accepted a finding.
    pub used_ignores: Vec<bool>,
    /// File and line of the comments that accepted a finding.
    pub used_comments: Vec<(EcoString, u32)>,
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
    judge_against(linked, None, texts, today)
}

/// [`judge_linked`], and compares what was found with what a cluster reported.
/// What the user accepts is not compared.
pub fn judge_against(
    linked: &Linked<'_>,
    state: Option<&ClusterState>,
    texts: &Sources,
    today: Option<Date>,
) -> Judgement {
    let config = linked.config;
    let mut used_ignores = vec![false; config.ignore.len()];
    let mut used_comments = Vec::new();
    let mut accept = |findings: &mut Vec<Finding>| {
        accepted::by_config(findings, config, today, &mut used_ignores);
        accepted::by_comment(findings, texts, &mut used_comments);
    };
    let compares = |rule: &Rule| observed::RULES.iter().any(|other| other.id == rule.id);
    let asked = RULES.par_iter().filter(|rule| !compares(rule));
    let found: Vec<Vec<Finding>> = asked.map(|rule| ask(rule, linked, None)).collect();
    let mut findings: Vec<Finding> = found.into_iter().flatten().collect();
    accept(&mut findings);
    gather(&mut findings);
    if let Some(state) = state {
        let observed = Observed {
            state,
            findings: &findings,
        };
        let asked = RULES.iter().filter(|rule| compares(rule));
        let mut compared = asked
            .flat_map(|rule| ask(rule, linked, Some(observed)))
            .collect();
        accept(&mut compared);
        findings.append(&mut compared);
    }
    Judgement {
        findings,
        timing: linked.timing().cloned(),
        used_ignores,
        used_comments,
    }
}

/// What one rule finds.
fn ask<'a>(
    rule: &'static Rule,
    linked: &'a Linked<'a>,
    observed: Option<Observed<'a>>,
) -> Vec<Finding> {
    if linked.config.rules.level(rule.id, rule.name) == Some(Level::Off) {
        return Vec::new();
    }
    let sink = Sink::new(linked, rule);
    let mut sink = match observed {
        Some(observed) => sink.against(observed),
        None => sink,
    };
    (rule.check)(linked, &mut sink);
    sink.into_findings()
}
