//! Both answers in words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use link::{Linked, Phase};
use schedule::Time;

use super::check::{Difference, Prediction, reached};
use super::prepare::SECOND;
use super::run::Outcome;

/// What the graph says of every phase, what each run saw, and the difference.
pub fn answers(
    linked: &Linked<'_>,
    prediction: &Prediction<'_>,
    outcomes: &[(Outcome, bool)],
    differences: &BTreeSet<Difference>,
) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for difference in differences {
        let _ = match difference {
            Difference::Unforeseen(at, phase)
            | Difference::Missed(at, phase)
            | Difference::Early(at, phase)
            | Difference::Late(at, phase) => {
                writeln!(
                    text,
                    "{}: {} {phase:?}",
                    difference.name(),
                    linked.name(*at)
                )
            }
            Difference::Overdue | Difference::Restless => writeln!(text, "{}", difference.name()),
        };
    }
    if let Some(timing) = linked.timing() {
        let _ = writeln!(text, "bound {:?}", timing.bound.map(seconds));
    }
    for at in 0..linked.world.components.len() {
        for phase in [Phase::Start, Phase::Applied, Phase::Ready] {
            let latest = match prediction.latest(at, phase) {
                Time::At(time) => seconds(time),
                Time::Unlimited => "any time".into(),
                Time::Never => "never".into(),
            };
            let seen: Vec<String> = outcomes
                .iter()
                .map(|(outcome, _)| reached(outcome, at, phase).map_or("never".into(), seconds))
                .collect();
            let _ = writeln!(
                text,
                "{} {phase:?}: at the latest {latest}; seen {}",
                linked.name(at),
                seen.join(", ")
            );
        }
    }
    for (_, need) in linked.graph.needs() {
        let name = |event| linked.graph.key(event).map(|key| linked.event_name(key));
        let from: Vec<String> = need
            .producers
            .iter()
            .filter_map(|p| {
                let worst = p.delay.worst.map_or("any time".into(), seconds);
                Some(format!("{} +{worst}", name(p.event)?))
            })
            .collect();
        let event = name(need.event).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {event} <- {:?} {}",
            need.reason.why,
            from.join(" | ")
        );
    }
    text
}

fn seconds(nanos: u64) -> String {
    #[allow(clippy::cast_precision_loss)]
    let seconds = nanos as f64 / SECOND as f64;
    format!("{seconds:.1}s")
}
