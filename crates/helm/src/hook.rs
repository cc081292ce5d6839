//! Hooks: objects that Helm makes at points of a release's life.

use yaml::Node;

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookEvent {
    /// Before the objects of an install.
    PreInstall,
    /// After the objects of an install.
    PostInstall,
    /// Before an uninstall.
    PreDelete,
    /// After an uninstall.
    PostDelete,
    /// Before the objects of an upgrade.
    PreUpgrade,
    /// After the objects of an upgrade.
    PostUpgrade,
    /// Before a rollback.
    PreRollback,
    /// After a rollback.
    PostRollback,
    /// On `helm test`.
    Test,
}

const EVENTS: &[(&str, HookEvent)] = &[
    ("pre-install", HookEvent::PreInstall),
    ("post-install", HookEvent::PostInstall),
    ("pre-delete", HookEvent::PreDelete),
    ("post-delete", HookEvent::PostDelete),
    ("pre-upgrade", HookEvent::PreUpgrade),
    ("post-upgrade", HookEvent::PostUpgrade),
    ("pre-rollback", HookEvent::PreRollback),
    ("post-rollback", HookEvent::PostRollback),
    ("test", HookEvent::Test),
    // Helm 2's name.
    ("test-success", HookEvent::Test),
];

impl HookEvent {
    /// The event of a name in `helm.sh/hook`. `crd-install` of Helm 2 is none.
    pub fn of(name: &str) -> Option<Self> {
        let known = EVENTS.iter().find(|(known, _)| *known == name);
        known.map(|(_, event)| *event)
    }

    /// The name in `helm.sh/hook`.
    pub fn name(self) -> &'static str {
        let known = EVENTS.iter().find(|(_, event)| *event == self);
        known.map_or("", |(name, _)| *name)
    }
}

/// A document that is a hook.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hook {
    /// Path of the template, the chart's name first.
    pub path: String,
    /// The document.
    pub text: String,
    /// Kind of the object.
    pub kind: String,
    /// Name of the object.
    pub name: String,
    /// When it runs.
    pub events: Vec<HookEvent>,
    /// Lower ones run first: `helm.sh/hook-weight`, 0 where it is no number.
    pub weight: i64,
    /// `helm.sh/hook-delete-policy`, in lower case: `before-hook-creation`,
    /// `hook-succeeded`, `hook-failed`. Helm takes others as they are.
    pub delete_policies: Vec<String>,
    /// `helm.sh/hook-output-log-policy`, in lower case.
    pub log_policies: Vec<String>,
    /// As [`crate::Manifest::tree`].
    pub tree: Option<Vec<Node>>,
}

impl Hook {
    /// It runs on an event.
    pub fn runs_on(&self, event: HookEvent) -> bool {
        self.events.contains(&event)
    }
}

/// The hooks of an event in the order in which Helm runs them, each after the
/// one before it has succeeded: by weight, then by name, then by kind.
pub fn of_event(hooks: &[Hook], event: HookEvent) -> Vec<&Hook> {
    let mut of: Vec<&Hook> = hooks.iter().filter(|hook| hook.runs_on(event)).collect();
    of.sort_by(|a, b| (a.weight, &a.name).cmp(&(b.weight, &b.name)));
    of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_run_by_weight_then_name() {
        let hook = |name: &str, weight: i64, event: HookEvent| Hook {
            name: name.to_owned(),
            weight,
            events: vec![event],
            ..Hook::default()
        };
        let hooks = [
            hook("c", 0, HookEvent::PreInstall),
            hook("b", 5, HookEvent::PreInstall),
            hook("x", 0, HookEvent::Test),
            hook("a", 5, HookEvent::PreInstall),
        ];
        let names: Vec<&str> = of_event(&hooks, HookEvent::PreInstall)
            .iter()
            .map(|hook| hook.name.as_str())
            .collect();
        assert_eq!(names, ["c", "a", "b"]);
        assert_eq!(HookEvent::of("crd-install"), None);
        assert_eq!(HookEvent::of("test-success"), Some(HookEvent::Test));
        assert_eq!(HookEvent::Test.name(), "test");
    }
}
