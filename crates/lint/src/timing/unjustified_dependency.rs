//! FL-T004: a dependency for which nothing rendered gives a reason.

use ecow::eco_format;
use link::{Ask, Cause, Import, Linked, Phase, Target, Timing};
use rustc_hash::FxHashSet;
use yaml::Node;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T004",
    name: "unjustified-dependency",
    severity: Severity::Info,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "`dependsOn` something of which nothing is needed, as far as can be seen",
    check,
};

/// A dependency without a visible reason.
struct Unjustified<'a> {
    import: &'a Import,
    on: usize,
    /// What a bootstrap would take less without it, in nanoseconds.
    saving: u64,
    /// Components on either side whose needs or products cannot be seen.
    hidden: Vec<usize>,
}

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let timing = linked.timing();
    let mut found: Vec<Unjustified<'_>> = Vec::new();
    for (at, import) in linked.imports.iter().enumerate() {
        let (Cause::DependsOn { ready_expr: false }, Target::Component(on)) =
            (import.cause, linked.target(import))
        else {
            continue;
        };
        let alive = |at| linked.reaches(at, Phase::Ready);
        if on == import.component || !alive(on) || !alive(import.component) {
            continue;
        }
        let (needy, maker) = (linked.subtree(import.component), linked.subtree(on));
        let Some(brings) = brings(linked, on, &maker) else {
            continue;
        };
        if is_needed(linked, &needy, &brings) {
            continue;
        }
        let (blind, hidden) = (hidden(linked, &needy), hidden(linked, &maker));
        // Of two that are both not rendered, nothing is known.
        if !blind.is_empty() && !hidden.is_empty() || mentions(linked, &needy, &brings) {
            continue;
        }
        let hidden: Vec<usize> = blind.into_iter().chain(hidden).collect();
        let saving = timing.map_or(0, |timing| saving(linked, timing, at, import, on));
        if !hidden.is_empty() && saving == 0 {
            continue;
        }
        found.push(Unjustified {
            import,
            on,
            saving,
            hidden,
        });
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.saving));
    for one in found {
        report(linked, &one, sink);
    }
}

/// What the dependency brings, itself or through what it depends on in turn,
/// whose order it keeps. None for one that is there to wait for something
/// applied elsewhere (its `healthChecks` say so): what that is for, nobody can see.
fn brings(linked: &Linked<'_>, on: usize, maker: &[bool]) -> Option<Vec<bool>> {
    let mut brings = maker.to_vec();
    let mut stack = vec![on];
    while let Some(at) = stack.pop() {
        for import in linked.imports.iter().filter(|i| i.component == at) {
            match (import.cause, linked.target(import)) {
                (Cause::DependsOn { .. }, Target::Component(next))
                    if brings.get(next) == Some(&false) =>
                {
                    for (slot, below) in brings.iter_mut().zip(linked.subtree(next)) {
                        *slot |= below;
                    }
                    stack.push(next);
                }
                (Cause::HealthCheck, _) => {
                    let makers = linked.makers(import);
                    if !makers.iter().any(|at| maker.get(*at) == Some(&true)) {
                        return None;
                    }
                }
                _ => {}
            }
        }
    }
    Some(brings)
}

/// Whether anything on the needy side may come from what is brought.
fn is_needed(linked: &Linked<'_>, needy: &[bool], brings: &[bool]) -> bool {
    let mut imports = linked.imports.iter().filter(|import| {
        needy.get(import.component) == Some(&true)
            && !matches!(import.cause, Cause::DependsOn { .. })
    });
    let brought = |makers: &[usize]| {
        let has = |side: &[bool], at: usize| side.get(at) == Some(&true);
        makers.iter().any(|at| has(brings, *at) && !has(needy, *at))
    };
    imports.any(|import| brought(&linked.makers(import)))
        || (0..needy.len())
            .filter(|at| needy.get(*at) == Some(&true))
            .any(|at| linked.hints(at).any(|hint| brought(&hint.makers)))
}

/// Whether anything on the needy side, values of releases included, names
/// something that is brought (an address, a class, an issuer), or something
/// brought acts without being named.
fn mentions(linked: &Linked<'_>, needy: &[bool], brings: &[bool]) -> bool {
    let mut names: FxHashSet<&str> = FxHashSet::default();
    for (at, component) in linked.world.components.iter().enumerate() {
        if brings.get(at) != Some(&true) || needy.get(at) == Some(&true) {
            continue;
        }
        names.insert(&component.key.name);
        for object in component.objects() {
            if acts_unnamed(&object.identity.kind) {
                return true;
            }
            names.insert(&object.identity.name);
        }
    }
    let components = linked.world.components.iter().enumerate();
    let objects = components
        .filter(|(at, _)| needy.get(*at) == Some(&true))
        .flat_map(|(_, component)| component.objects().iter().chain(&component.object));
    let mut objects = objects.filter(|object| object.identity.kind != "Kustomization");
    objects.any(|object| names_any(&object.node, &names))
}

/// Whether objects of a kind act on others that do not name them.
fn acts_unnamed(kind: &str) -> bool {
    [
        "Policy",
        "WebhookConfiguration",
        "Class",
        "ResourceQuota",
        "LimitRange",
    ]
    .iter()
    .any(|end| kind.ends_with(end))
}

fn names_any(node: &Node, names: &FxHashSet<&str>) -> bool {
    if let Some(text) = node.text() {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        // What a controller makes for an object is mostly called after it.
        let mut starts = words.flat_map(|word| {
            let parts = word.match_indices('-').map(|(at, _)| at);
            parts.chain([word.len()]).filter_map(|end| word.get(..end))
        });
        return starts.any(|start| start.len() >= 3 && names.contains(start));
    }
    let entries = node.entries().iter();
    entries
        .filter(|entry| entry.key.text().is_none_or(|key| key != "dependsOn"))
        .map(|entry| &entry.value)
        .chain(node.items())
        .any(|value| names_any(value, names))
}

/// Components of one side that are not rendered.
fn hidden(linked: &Linked<'_>, side: &[bool]) -> Vec<usize> {
    let components = linked.world.components.iter().enumerate();
    components
        .filter(|(at, component)| side.get(*at) == Some(&true) && !component.is_rendered())
        .map(|(at, _)| at)
        .collect()
}

/// What a bootstrap takes less without a dependency: nothing, unless the longest
/// chain goes through both ends.
fn saving(linked: &Linked<'_>, timing: &Timing, at: usize, import: &Import, on: usize) -> u64 {
    let critical = |component| {
        let mut lanes = timing.lanes.iter();
        lanes.any(|lane| lane.component == component && lane.critical)
    };
    if !critical(import.component) || !critical(on) {
        return 0;
    }
    let ask = Ask {
        without: vec![at],
        ..Ask::default()
    };
    let without = linked.timing_of(&ask);
    without.map_or(0, |without| {
        timing.critical.saturating_sub(without.critical)
    })
}

fn report(linked: &Linked<'_>, one: &Unjustified<'_>, sink: &mut Sink<'_>) {
    let (name, other) = (linked.name(one.import.component), linked.name(one.on));
    let message =
        eco_format!("`{name}` depends on `{other}`, but nothing it applies needs anything of it");
    let mut report = sink
        .report([one.import.component, one.on], message)
        .at(one.import.span);
    report = report.detail(match one.saving {
        0 => "a bootstrap would be no shorter without it".into(),
        saving => eco_format!(
            "without it, the longest chain of waits is {} shorter",
            words::duration(saving)
        ),
    });
    if !one.hidden.is_empty() {
        let are = if one.hidden.len() == 1 { "is" } else { "are" };
        report = report.detail(eco_format!(
            "not certain: {} {are} not rendered here",
            words::components(linked, &one.hidden)
        ));
    }
    report
        .help("keep it where a need shows only at run time; else remove it")
        .done();
}
