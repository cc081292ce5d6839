//! Findings that the user accepts: `ignore` entries of the configuration and
//! comments in files.

use config::{Config, Date};
use ecow::{EcoString, eco_format};
use yaml::{SourceFile, Sources, Span};

use crate::Finding;

/// What starts a comment that accepts the finding on its line or the next one:
/// `# fluxlint: ignore FL-G004 why`.
const COMMENT: &str = "fluxlint: ignore ";

/// Leaves accepted findings out, and remembers which entries were of use.
pub struct Acceptance<'a> {
    config: &'a Config,
    texts: &'a Sources,
    today: Date,
    used: Vec<bool>,
}

/// What is to be said about an `ignore` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What, in a sentence.
    pub message: EcoString,
    /// The entry.
    pub span: Span,
}

impl<'a> Acceptance<'a> {
    /// What `config` and the comments of `texts` accept on a day.
    pub fn new(config: &'a Config, texts: &'a Sources, today: Date) -> Self {
        Acceptance {
            config,
            texts,
            today,
            used: vec![false; config.ignore.len()],
        }
    }

    /// The findings that are not accepted.
    pub fn filter(&mut self, mut findings: Vec<Finding>) -> Vec<Finding> {
        findings.retain(|finding| !self.by_entry(finding) && !self.by_comment(finding));
        findings
    }

    /// What is to be said about entries, once all findings were filtered: those
    /// that match nothing, and those that are over although they still would.
    pub fn remarks(&self) -> Vec<Remark> {
        let entries = self.config.ignore.iter().zip(&self.used);
        entries
            .filter_map(|(entry, used)| {
                let rule = &entry.rule.value;
                let message = match (entry.until, used) {
                    (_, false) => {
                        eco_format!("this `ignore` entry for {rule} matches no finding; remove it")
                    }
                    (Some(until), true) if entry.is_over(self.today) => eco_format!(
                        "this `ignore` entry for {rule} ended on {until}: its findings count again"
                    ),
                    _ => return None,
                };
                Some(Remark {
                    message,
                    span: entry.span,
                })
            })
            .collect()
    }

    fn by_entry(&mut self, finding: &Finding) -> bool {
        if self.config.ignore.is_empty() {
            return false;
        }
        let components: Vec<_> = finding.components.iter().map(ToString::to_string).collect();
        let object = finding.object.as_ref().map(ToString::to_string);
        let mut accepted = false;
        for (entry, used) in self.config.ignore.iter().zip(&mut self.used) {
            if entry.matches(finding.rule, finding.name, &components, object.as_deref()) {
                *used = true;
                accepted |= !entry.is_over(self.today);
            }
        }
        accepted
    }

    fn by_comment(&self, finding: &Finding) -> bool {
        let Some(location) = finding.span.and_then(|span| self.texts.location(span)) else {
            return false;
        };
        let Some(file) = self.texts.get(location.span.file) else {
            return false;
        };
        let on_line = accepts(file.line(location.line), finding);
        on_line || accepts(comment_above(&file, location.line), finding)
    }
}

/// The line above, when it is nothing but a comment.
fn comment_above(file: &SourceFile, line: u32) -> Option<&str> {
    let above = file.line(line.checked_sub(1)?)?;
    above.trim_start().starts_with('#').then_some(above)
}

/// Whether the comment of a line names the finding's rule.
fn accepts(line: Option<&str>, finding: &Finding) -> bool {
    let comment = line.and_then(|line| Some(line.split_once('#')?.1));
    let rules = comment.and_then(|comment| Some(comment.split_once(COMMENT)?.1));
    // Rules are separated by commas; the reason follows the last one.
    let mut names = rules.into_iter().flat_map(|rules| rules.split(','));
    names.any(|name| {
        let name = name.split_whitespace().next().unwrap_or_default();
        name.eq_ignore_ascii_case(finding.rule) || name == finding.name
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evidence, Question, Severity};
    use model::{ComponentKey, ComponentKind};

    fn finding(span: Option<Span>) -> Finding {
        Finding {
            rule: "FL-G004",
            name: "missing-namespace",
            severity: Severity::Error,
            evidence: Evidence::Authoritative,
            source: Question::Graph,
            entrypoint: "".into(),
            components: vec![ComponentKey {
                kind: ComponentKind::Kustomization,
                namespace: "flux-system".into(),
                name: "apps".into(),
            }],
            object: None,
            span,
            message: "".into(),
            details: vec![],
            help: None,
            fix: vec![],
        }
    }

    fn config(text: &str) -> Config {
        Config::parse("c", text, &Sources::new()).unwrap()
    }

    fn kept(text: &str, today: &str) -> (usize, Vec<EcoString>) {
        let (config, texts) = (config(text), Sources::new());
        let mut acceptance = Acceptance::new(&config, &texts, today.parse().unwrap());
        let kept = acceptance.filter(vec![finding(None)]).len();
        let remarks = acceptance
            .remarks()
            .into_iter()
            .map(|remark| remark.message);
        (kept, remarks.collect())
    }

    #[test]
    fn entries_hold_until_their_last_day() {
        let entry = "ignore: [{rule: FL-G004, component: '*/apps', until: 2027-01-31}]";
        assert_eq!(kept(entry, "2027-01-31"), (0, vec![]));
        let (count, remarks) = kept(entry, "2027-02-01");
        assert_eq!(count, 1);
        assert!(remarks[0].contains("ended on 2027-01-31"));
    }

    #[test]
    fn entries_that_match_nothing_are_remarked() {
        let (count, remarks) = kept("ignore: [{rule: FL-G001}]", "2027-01-01");
        assert_eq!(count, 1);
        assert!(remarks[0].contains("matches no finding"));
    }

    #[test]
    fn comments_accept_their_line_and_the_next() {
        let (config, texts) = (Config::default(), Sources::new());
        let text = "a: 1 # fluxlint: ignore FL-G004 because\n\
                    # fluxlint: ignore FL-G001, missing-namespace because\n\
                    b: 1\n\
                    c: 1\n";
        let file = texts.add("a.yaml", text);
        let today = "2027-01-01".parse().unwrap();
        let mut acceptance = Acceptance::new(&config, &texts, today);
        let mut counts = |key: &str| {
            let at = text.find(key).unwrap();
            acceptance
                .filter(vec![finding(Some(Span::new(file, at, at + 1)))])
                .len()
        };
        assert_eq!((counts("a: 1"), counts("b: 1"), counts("c: 1")), (0, 0, 1));
    }
}
