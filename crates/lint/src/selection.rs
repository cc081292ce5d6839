//! Some of the rules instead of all.

use config::{Config, Level, Spanned};
use ecow::EcoString;

use crate::{RULES, Rule, find};

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

    /// Switches the other rules off, and those that are named on.
    pub fn apply(&self, config: &mut Config) {
        if self.named.is_empty() {
            return;
        }
        let levels = &mut config.rules.0;
        levels.retain(|(rule, level)| level.value != Level::Off || !self.has(rule));
        let others = RULES.iter().filter(|rule| !self.has(rule.id));
        levels.extend(others.map(|rule| {
            let name = Spanned::made(rule.id.to_owned());
            (name, Spanned::made(Level::Off))
        }));
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
        selection.apply(&mut config);
        let level = |id, name| config.rules.level(id, name);
        assert_eq!(level("FL-G001", "dangling-reference"), None);
        assert_eq!(level("FL-G004", "missing-namespace"), Some(Level::Warning));
        assert_eq!(level("FL-G003", "dual-ownership"), Some(Level::Off));
    }

    #[test]
    fn no_names_select_all() {
        let mut config = Config::default();
        let selection = Selection::of(&[]).unwrap();
        selection.apply(&mut config);
        assert!(config.rules.0.is_empty() && selection.has("FL-G003"));
    }

    #[test]
    fn an_unknown_name_is_told_with_the_nearest() {
        let unknown = Selection::of(&names(&["dangling-refrence"])).unwrap_err();
        assert_eq!(unknown.near, Some("dangling-reference"));
    }
}
