//! Findings as a JUnit report: a suite an entrypoint, a case a component.

use std::collections::HashSet;
use std::fmt::Write;

use lint::Finding;
use model::{ComponentKey, State, World};
use yaml::Sources;

use crate::document::directory;
use crate::escape::{xml, xml_lines};
use crate::order::{Placed, placed};
use crate::text::{place, reason, severity_name};
use crate::{Judged, Run};

/// The run as JUnit XML, ending in a line break. A component fails when one of
/// its findings does, as `fails` tells; its other findings are its output. One
/// that cannot be rendered and has no such finding is skipped.
pub fn junit(run: &Run<'_>, fails: &dyn Fn(&Finding) -> bool) -> String {
    let texts = &run.repository.texts;
    let worlds = run.repository.worlds.iter().zip(&run.judged);
    let suites: Vec<Suite> = worlds
        .map(|(world, judged)| suite(world, judged, texts, fails))
        .collect();
    let total = |of: fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
    let (tests, failures) = (total(|s| s.tests), total(|s| s.failures));
    let (skipped, time) = (total(|s| s.skipped), run.elapsed.as_secs_f64());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"fluxlint\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" \
         skipped=\"{skipped}\" time=\"{time:.3}\">",
    );
    for suite in &suites {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">",
            suite.name, suite.tests, suite.failures, suite.skipped
        );
        out.push_str(&suite.cases);
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

struct Suite {
    /// Escaped.
    name: String,
    tests: usize,
    failures: usize,
    skipped: usize,
    /// The test cases as XML.
    cases: String,
}

fn suite(
    world: &World,
    judged: &Judged,
    texts: &Sources,
    fails: &dyn Fn(&Finding) -> bool,
) -> Suite {
    let findings = placed(&judged.findings, texts);
    let mut suite = Suite {
        name: xml(&directory(&world.entrypoint)),
        tests: 0,
        failures: 0,
        skipped: 0,
        cases: String::new(),
    };
    let known: HashSet<&ComponentKey> = world.components.iter().map(|c| &c.key).collect();
    // What fails fails all it is about; the rest is told once.
    let about = |placed: &Placed<'_>, key: &ComponentKey| {
        let finding = placed.finding;
        match fails(finding) {
            true => finding.components.contains(key),
            false => finding.components.first() == Some(key),
        }
    };
    for component in &world.components {
        let unknown = match &component.state {
            State::Opaque(reason) | State::Partial(_, reason) => Some(reason.as_str()),
            _ => None,
        };
        let found = findings
            .iter()
            .filter(|placed| about(placed, &component.key));
        let found: Vec<&Placed<'_>> = found.collect();
        suite.case(&component.key.to_string(), &found, unknown, texts, fails);
    }
    let is_known = |placed: &Placed<'_>| {
        let mut components = placed.finding.components.iter();
        components.any(|key| known.contains(key))
    };
    let rest: Vec<&Placed<'_>> = findings.iter().filter(|placed| !is_known(placed)).collect();
    if !rest.is_empty() {
        suite.case("repository", &rest, None, texts, fails);
    }
    suite
}

impl Suite {
    fn case(
        &mut self,
        name: &str,
        findings: &[&Placed<'_>],
        unknown: Option<&str>,
        texts: &Sources,
        fails: &dyn Fn(&Finding) -> bool,
    ) {
        self.tests += 1;
        let (failing, others): (Vec<&Placed<'_>>, Vec<&Placed<'_>>) =
            findings.iter().partition(|placed| fails(placed.finding));
        let mut body = String::new();
        if let Some(first) = failing.first() {
            self.failures += 1;
            let message = match failing.len() {
                1 => first.finding.message.to_string(),
                more => format!("{} (and {} more)", first.finding.message, more - 1),
            };
            // One element with all of them: several are not read everywhere.
            let _ = writeln!(
                body,
                "      <failure type=\"{}\" message=\"{}\">{}</failure>",
                first.finding.rule,
                xml(&message),
                xml_lines(&told(&failing, texts))
            );
        } else if let Some(reason) = unknown {
            self.skipped += 1;
            let _ = writeln!(body, "      <skipped message=\"{}\"/>", xml(reason));
        }
        if !others.is_empty() {
            let text = xml_lines(&told(&others, texts));
            let _ = writeln!(body, "      <system-out>{text}</system-out>");
        }
        let (class, name) = (&self.name, xml(name));
        let _ = match body.is_empty() {
            true => writeln!(
                self.cases,
                "    <testcase classname=\"{class}\" name=\"{name}\"/>"
            ),
            false => writeln!(
                self.cases,
                "    <testcase classname=\"{class}\" name=\"{name}\">\n{body}    </testcase>"
            ),
        };
    }
}

/// Findings as plain text.
fn told(findings: &[&Placed<'_>], texts: &Sources) -> String {
    let mut out = String::new();
    for placed in findings {
        let finding = placed.finding;
        let severity = severity_name(finding.severity);
        let _ = writeln!(
            out,
            "{severity}[{}] {}: {}",
            finding.rule, finding.name, finding.message
        );
        if let Some(location) = &placed.location {
            let _ = writeln!(out, "  --> {}", place(location));
        }
        if let Some(object) = &finding.object {
            let _ = writeln!(out, "  object: {object}");
        }
        for detail in &finding.details {
            let _ = writeln!(out, "  note: {}", reason(detail, texts));
        }
        if let Some(help) = &finding.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}
