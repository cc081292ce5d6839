//! The table of defects, and what counts as naming one.

use std::path::Path;

use super::analysis::{Analysis, Found, Placed};

/// One defect.
pub struct Row {
    /// `ks-dep`, `hr-dep`, `ks-path`, `kz-ref` or `ks-cycle`.
    pub kind: String,
    /// `owner/name`.
    pub repo: String,
    /// Where it was; empty for a cycle.
    pub file: String,
    /// The object's name; of a cycle, the names of its ring.
    pub object: String,
    /// What was missing.
    pub refers_to: String,
    /// The last commit that has it.
    pub broken: String,
    /// The commit after.
    pub fixed: String,
}

/// Reads the table.
pub fn read(path: &Path) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| {
        let at = header.iter().position(|column| *column == name);
        at.ok_or_else(|| format!("{}: no column {name}", path.display()))
    };
    let columns = [
        column("kind")?,
        column("repo")?,
        column("file")?,
        column("object")?,
        column("refers_to")?,
        column("broken_commit")?,
        column("fixed_commit")?,
    ];
    let rows = lines.map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        // No field of the table holds a comma or a quote.
        if fields.len() != header.len() || line.contains('"') {
            return Err(format!("{}: {line}", path.display()));
        }
        let [kind, repo, file, object, refers_to, broken, fixed] =
            columns.map(|at| fields.get(at).copied().unwrap_or_default().to_owned());
        Ok(Row {
            kind,
            repo,
            file,
            object,
            refers_to,
            broken,
            fixed,
        })
    });
    rows.collect()
}

impl Row {
    /// The rule that must name it.
    pub fn rule(&self) -> &'static str {
        match self.kind.as_str() {
            "kz-ref" | "ks-path" => "FL-G008",
            "ks-cycle" => "FL-G002",
            _ => "FL-G001",
        }
    }

    /// Whether a finding of the rule names it.
    pub fn is_named_by(&self, found: &Found) -> bool {
        if found.rule != self.rule() {
            return false;
        }
        match self.kind.as_str() {
            "kz-ref" => self.names_entry(found),
            "ks-path" => self.is_about(found) && found.text.contains(self.path()),
            "ks-cycle" => (self.object.split('>'))
                .all(|name| words(&found.text).any(|word| last(word) == name)),
            _ => {
                self.is_about(found)
                    && words(&found.text).any(|word| last(word) == last(&self.refers_to))
            }
        }
    }

    /// Whether it is named in the very file and of the very object: a reference
    /// that was moved to another is another defect.
    pub fn is_still_named_by(&self, found: &Found) -> bool {
        let here = self.file.is_empty() || found.file == self.file;
        let same = match self.kind.as_str() {
            "ks-dep" | "hr-dep" => has_component(found, last(&self.object)),
            _ => true,
        };
        here && same && self.is_named_by(found)
    }

    /// Whether the Kustomization that builds its directory fails for another
    /// reason, which comes first.
    pub fn is_shadowed(&self, analysis: &Analysis) -> bool {
        let dir = self.file.rsplit_once('/').map_or("", |(dir, _)| dir);
        let here = |found: &Found| found.rule == "FL-G008" && found.file == self.file;
        self.kind == "kz-ref" && (analysis.unbuilt.contains(dir) || analysis.found.iter().any(here))
    }

    /// Whether what a HelmRelease depends on is there: the table's reader does not
    /// follow all that YAML and kustomize allow.
    pub fn is_met(&self, analysis: &Analysis) -> bool {
        let ends = format!("/{}", last(&self.refers_to));
        self.kind == "hr-dep"
            && !analysis.found.iter().any(|found| self.is_named_by(found))
            && analysis
                .keys
                .iter()
                .any(|key| key.starts_with("HelmRelease/") && key.ends_with(&ends))
            && analysis.keys.iter().any(|key| {
                key.starts_with("HelmRelease/") && key.ends_with(&format!("/{}", self.object))
            })
    }

    /// The name of the release that it calls missing.
    pub fn release(&self) -> &str {
        last(&self.refers_to)
    }

    /// Where the release that it calls missing comes from.
    pub fn placed<'a>(&self, analysis: &'a Analysis) -> Option<&'a Placed> {
        let ends = format!("/{}", self.release());
        let mut placed = analysis.placed.iter();
        placed
            .find(|(key, _)| key.ends_with(&ends))
            .map(|(_, placed)| placed)
    }

    /// Whether no entrypoint leads to its file.
    pub fn is_unreached(&self, analysis: &Analysis) -> bool {
        analysis.unreached.contains(&self.file)
    }

    /// The missing path as messages have it.
    fn path(&self) -> &str {
        self.refers_to.trim_start_matches("./").trim_matches('/')
    }

    /// The missing entry as it is written, or as the path it means.
    fn names_entry(&self, found: &Found) -> bool {
        let dir = self.file.rsplit_once('/').map_or("", |(dir, _)| dir);
        let full = vfs::join(dir, &self.refers_to);
        let is_full = |word: &str| {
            full.as_ref()
                .is_ok_and(|full| word.trim_matches('/') == *full)
        };
        let is_written = |word: &str| found.file == self.file && word == self.refers_to;
        words(&found.text).any(|word| is_full(word) || is_written(word))
    }

    fn is_about(&self, found: &Found) -> bool {
        found.file == self.file || has_component(found, last(&self.object))
    }
}

fn has_component(found: &Found, name: &str) -> bool {
    found.components.iter().any(|key| last(key) == name)
}

fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The names and paths in a message.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "`'\",:;()".contains(c))
        .map(|word| word.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: &str, object: &str, refers_to: &str) -> Row {
        Row {
            kind: kind.into(),
            repo: String::new(),
            file: "apps/shop/kustomization.yaml".into(),
            object: object.into(),
            refers_to: refers_to.into(),
            broken: String::new(),
            fixed: String::new(),
        }
    }

    fn found(rule: &'static str, component: &str, text: &str) -> Found {
        Found {
            rule,
            components: vec![format!("flux-system/{component}")],
            file: String::new(),
            text: text.into(),
        }
    }

    #[test]
    fn a_defect_is_named_by_what_is_missing() {
        let entry = row("kz-ref", "", "./service.yaml");
        let about = |text: &str| entry.is_named_by(&found("FL-G008", "shop", text));
        assert!(about(
            "cannot be built: '/apps/shop/service.yaml' doesn't exist"
        ));
        assert!(!about(
            "cannot be built: '/apps/shop/other.yaml' doesn't exist"
        ));
        assert!(!about(
            "cannot be built: '/apps/mail/service.yaml' doesn't exist"
        ));
        let dependency = row("ks-dep", "shop", "data");
        let about = |component: &str, text: &str| {
            dependency.is_named_by(&found("FL-G001", component, text))
        };
        assert!(about(
            "shop",
            "`shop` depends on `flux-system/data`, which nothing defines"
        ));
        assert!(!about("shop", "`shop` depends on `flux-system/database`"));
        assert!(!about("mail", "`mail` depends on `flux-system/data`"));
    }
}
