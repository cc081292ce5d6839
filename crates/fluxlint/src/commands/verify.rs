//! `fluxlint verify`: the native renderers beside the upstream programs.

use std::fmt::Write;
use std::sync::Arc;

use upstream::{Change, Comparison, Difference, Engine, Programs, Role, Verdict};

use crate::Outcome;
use crate::cli::{Format, VerifyArgs};
use crate::failure::Failure;
use crate::input::Input;
use crate::{output, rendered};

/// Renders everything twice and prints what differs.
pub fn run(args: &VerifyArgs, quiet: bool) -> Result<Outcome, Failure> {
    let engine = Arc::new(Engine::new(programs()?, Role::Compare));
    let input = Input::open(&args.repo)?;
    rendered::repository(
        &input,
        &args.repo,
        &args.entrypoints,
        Some(engine.clone()),
        quiet,
    )?;
    let comparisons = engine.comparisons();
    let text = match args.format {
        Format::Text => text(&comparisons, &missing(&engine), quiet),
        Format::Json => json(&comparisons),
    };
    output::write(&text, args.output.as_deref())?;
    let differs = |comparison: &Comparison| matches!(comparison.verdict, Verdict::Differs(_));
    match comparisons.iter().any(differs) {
        true => Ok(Outcome::Findings),
        false => Ok(Outcome::Clean),
    }
}

/// The programs, of which there must be one.
pub fn programs() -> Result<Programs, Failure> {
    let programs = Programs::on_path();
    match programs.kustomize.is_some() || programs.helm.is_some() {
        true => Ok(programs),
        false => Err(Failure::new("there is no upstream program to render with")
            .because("none of kustomize, flux, kubectl and helm is on PATH")
            .help("install kustomize and helm: both are single files")),
    }
}

/// What is not compared for want of a program.
fn missing(engine: &Engine) -> Vec<&'static str> {
    let programs = engine.programs();
    let mut missing = Vec::new();
    if programs.kustomize.is_none() {
        missing.push("kustomize is not on PATH: Kustomizations are not compared");
    }
    if programs.helm.is_none() {
        missing.push("helm is not on PATH: HelmReleases are not compared");
    }
    missing
}

fn text(comparisons: &[Comparison], missing: &[&str], quiet: bool) -> String {
    let mut text = String::new();
    let mut counts = Counts::default();
    for comparison in comparisons {
        counts.add(comparison);
        let Comparison {
            component, program, ..
        } = comparison;
        match &comparison.verdict {
            Verdict::Equal(_) | Verdict::BothRefuse => {}
            Verdict::NotCompared(reason) => {
                let _ = writeln!(text, "{component}: not compared: {reason}");
            }
            Verdict::Differs(differences) => {
                let _ = writeln!(text, "{component}: differs from {program}");
                for difference in differences {
                    tell(difference, &mut text);
                }
            }
        }
    }
    if !quiet {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&counts.summary());
        for line in missing {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn tell(difference: &Difference, text: &mut String) {
    let _ = match difference {
        Difference::OnlyNative(object) => writeln!(text, "  only fluxlint makes {object}"),
        Difference::OnlyUpstream(object) => writeln!(text, "  only the program makes {object}"),
        Difference::Order(ours, theirs) => writeln!(
            text,
            "  the order differs: {ours} comes where the program has {theirs}"
        ),
        Difference::OnlyUpstreamRefuses(words) => {
            writeln!(text, "  only the program refuses it: {}", indented(words))
        }
        Difference::OnlyNativeRefuses(words) => {
            writeln!(text, "  only fluxlint refuses it: {}", indented(words))
        }
        Difference::Content { object, changes } => {
            let _ = writeln!(text, "  {object}");
            for change in changes {
                let Change {
                    path,
                    native,
                    upstream,
                } = change;
                let or_nothing = |value: &Option<_>| match value {
                    Some(value) => ToString::to_string(value),
                    None => "nothing".to_owned(),
                };
                let _ = writeln!(
                    text,
                    "    {path}\n      fluxlint: {}\n      program:  {}",
                    or_nothing(native),
                    or_nothing(upstream)
                );
            }
            Ok(())
        }
    };
}

fn indented(words: &str) -> String {
    words.trim().replace('\n', "\n    ")
}

/// Components by what came of them.
#[derive(Default)]
struct Counts {
    programs: Vec<String>,
    equal: usize,
    objects: usize,
    refused: usize,
    differ: usize,
    not_compared: usize,
}

impl Counts {
    fn add(&mut self, comparison: &Comparison) {
        if !self
            .programs
            .iter()
            .any(|known| known == comparison.program.as_str())
        {
            self.programs.push(comparison.program.to_string());
        }
        match comparison.verdict {
            Verdict::Equal(objects) => {
                self.equal += 1;
                self.objects += objects;
            }
            Verdict::BothRefuse => self.refused += 1,
            Verdict::Differs(_) => self.differ += 1,
            Verdict::NotCompared(_) => self.not_compared += 1,
        }
    }

    fn summary(&self) -> String {
        let mut text = format!(
            "{} components equal ({} objects), {} differ; rendered by {}\n",
            self.equal + self.refused,
            self.objects,
            self.differ,
            self.programs.join(", ")
        );
        if self.refused > 0 {
            let _ = writeln!(text, "{} of them are refused by both", self.refused);
        }
        if self.not_compared > 0 {
            let _ = writeln!(text, "{} not compared", self.not_compared);
        }
        text
    }
}

fn json(comparisons: &[Comparison]) -> String {
    let entries = comparisons.iter().map(|comparison| {
        let (verdict, detail) = match &comparison.verdict {
            Verdict::Equal(objects) => ("equal", serde_json::json!({ "objects": objects })),
            Verdict::BothRefuse => ("refused", serde_json::json!({})),
            Verdict::NotCompared(reason) => (
                "notCompared",
                serde_json::json!({ "reason": reason.as_str() }),
            ),
            Verdict::Differs(differences) => {
                let differences: Vec<_> = differences.iter().map(difference_json).collect();
                ("differs", serde_json::json!({ "differences": differences }))
            }
        };
        let mut entry = serde_json::json!({
            "component": comparison.component.to_string(),
            "program": comparison.program.as_str(),
            "verdict": verdict,
        });
        if let (Some(entry), Some(detail)) = (entry.as_object_mut(), detail.as_object()) {
            entry.extend(detail.clone());
        }
        entry
    });
    let whole = serde_json::json!({ "components": entries.collect::<Vec<_>>() });
    format!("{whole:#}\n")
}

fn difference_json(difference: &Difference) -> serde_json::Value {
    match difference {
        Difference::OnlyNative(object) => {
            serde_json::json!({ "kind": "onlyNative", "object": object.as_str() })
        }
        Difference::OnlyUpstream(object) => {
            serde_json::json!({ "kind": "onlyUpstream", "object": object.as_str() })
        }
        Difference::Order(native, upstream) => serde_json::json!({
            "kind": "order", "native": native.as_str(), "upstream": upstream.as_str()
        }),
        Difference::OnlyUpstreamRefuses(words) => {
            serde_json::json!({ "kind": "onlyUpstreamRefuses", "message": words.as_str() })
        }
        Difference::OnlyNativeRefuses(words) => {
            serde_json::json!({ "kind": "onlyNativeRefuses", "message": words.as_str() })
        }
        Difference::Content { object, changes } => {
            let changes = changes.iter().map(|change| {
                serde_json::json!({
                    "path": change.path.as_str(),
                    "native": change.native.as_deref(),
                    "upstream": change.upstream.as_deref(),
                })
            });
            serde_json::json!({
                "kind": "content",
                "object": object.as_str(),
                "changes": changes.collect::<Vec<_>>(),
            })
        }
    }
}
