//! Settings of git that are not for all to see.

use std::process::Command;

/// Settings handed over in the environment: arguments are for all to see.
#[derive(Default)]
pub(super) struct Settings(Vec<(String, String)>);

impl Settings {
    /// Adds one.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.push((name.into(), value.into()));
    }

    /// Hands them to a command. Settings that the environment has already stay.
    pub fn hand_to(&self, command: &mut Command) {
        if self.0.is_empty() {
            return;
        }
        let known = std::env::var("GIT_CONFIG_COUNT").ok();
        let known: usize = known.and_then(|count| count.parse().ok()).unwrap_or(0);
        for (at, (name, value)) in self.0.iter().enumerate() {
            let at = known.saturating_add(at);
            command
                .env(format!("GIT_CONFIG_KEY_{at}"), name)
                .env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        let count = known.saturating_add(self.0.len());
        command.env("GIT_CONFIG_COUNT", count.to_string());
    }
}
