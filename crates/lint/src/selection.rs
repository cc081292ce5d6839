//! Some of the rules instead of all.

use config::{Config, Level};
use ecow::EcoString;

use crate::{Finding, RULES, Rule, find};

/// The rules of a run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// None are named: all run.
    named: Vec<&'static Rule>,
}

/// A name that no rule has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// The name.
    pub name: EcoString,
    /// The id or name that was probably meant.
    pub near: Option<&'static str>,
}

impl UnknownRule {
    /// That no rule has a name.
    pub fn new(name: &str) -> Self {
        let names = RULES.iter().flat_map(|rule| [rule.id, rule.name]);
        UnknownRule {
            name: name.into(),
            near: config::nearest(name, names),
        }
    }
}

impl Selection {
    /// The rules of some ids or names; all of them when there are none.
    ///
    /// # Errors
    ///
    /// The first name that no rule has.
    pub fn of(names: &[String]) -> Result<Selection, UnknownRule> {
        let rules = names.iter();
        let named = rules.map(|name| find(name).ok_or_else(|| UnknownRule::new(name)));
        Ok(Selection {
            named: named.collect::<Result<_, _>>()?,
        })
    }

    /// Whether a rule, by id or name, is one of them.
    pub fn has(&self, rule: &str) -> bool {
        self.named.is_empty()
            || find(rule).is_some_and(|rule| self.named.iter().any(|named| named.id == rule.id))
    }

    /// Switches on the rules that are named, where the configuration has them
    /// off.
    pub fn switch_on(&self, config: &mut Config) {
        let levels = &mut config.rules.0;
        let is_named = |rule: &str| !self.named.is_empty() && self.has(rule);
        levels.retain(|(rule, level)| level.value != Level::Off || !is_named(rule));
    }

    /// Leaves out the findings of other rules. They run all the same: what one
    /// finds may rest on what another found.
    pub fn keep(&self, findings: &mut Vec<Finding>) {
        findings.retain(|finding| self.has(finding.rule));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaml::Sources;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).into()).collect()
    }

    #[test]
    fn named_rules_run_and_others_do_not() {
        let selection = Selection::of(&names(&["fl-g001", "missing-namespace"])).unwrap();
        let text = "rules: {FL-G001: off, FL-G004: warning, FL-G003: info}";
        let mut config = Config::parse("config", text, &Sources::new()).unwrap();
        selection.switch_on(&mut config);
        let level = |id, name| config.rules.level(id, name);
        assert_eq!(level("FL-G001", "dangling-reference"), None);
        assert_eq!(level("FL-G004", "missing-namespace"), Some(Level::Warning));
        assert!(selection.has("FL-G001") && !selection.has("FL-G003"));
    }

    #[test]
    fn no_names_select_all() {
        let mut config = Config::parse("config", "rules: {FL-G001: off}", &Sources::new()).unwrap();
        let selection = Selection::of(&[]).unwrap();
        selection.switch_on(&mut config);
        assert!(config.rules.0.len() == 1 && selection.has("FL-G003"));
    }

    #[test]
    fn an_unknown_name_is_told_with_the_nearest() {
        let unknown = Selection::of(&names(&["dangling-refrence"])).unwrap_err();
        assert_eq!(unknown.near, Some("dangling-reference"));
    }
}
