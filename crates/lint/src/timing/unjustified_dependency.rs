//! FL-T004: a dependency for which nothing rendered gives a reason.

use ecow::eco_format;
use link::{Ask, Cause, Import, Linked, Phase, Target, Timing};
use rustc_hash::{FxHashMap, FxHashSet};
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
    let timing = linked.timing().zip(linked.critical_of(&Ask::default()));
    let mut found: Vec<Unjustified<'_>> = Vec::new();
    let mut known: FxHashMap<usize, Brought<'_>> = FxHashMap::default();
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
        let brought = known.entry(on).or_insert_with(|| Brought::by(linked, on));
        let needy = linked.subtree(import.component);
        if brought.acts_unseen || is_needed(linked, &needy, &brought.components) {
            continue;
        }
        let (blind, hidden) = (hidden(linked, &needy), hidden(linked, &linked.subtree(on)));
        // Of two that are both not rendered, nothing is known.
        if !blind.is_empty() && !hidden.is_empty() || mentions(linked, &needy, &brought.names) {
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

/// What a dependency brings, itself or through what it depends on in turn, whose
/// order it keeps.
struct Brought<'a> {
    components: Vec<bool>,
    /// Names of components and objects.
    names: FxHashSet<&'a str>,
    /// It brings something that acts without being named, or is there to wait for
    /// something applied elsewhere (its `healthChecks` say so): what that is
    /// for, nobody can see.
    acts_unseen: bool,
}

impl<'a> Brought<'a> {
    fn by(linked: &Linked<'a>, on: usize) -> Self {
        let mut brought = Brought {
            components: vec![false; linked.world.components.len()],
            names: FxHashSet::default(),
            acts_unseen: false,
        };
        let below = linked.subtree(on);
        let mut stack = vec![on];
        while let Some(at) = stack.pop() {
            match brought.components.get_mut(at) {
                Some(slot) if !*slot => *slot = true,
                _ => continue,
            }
            brought.name(linked, at);
            stack.extend(linked.children(at));
            for (_, import) in linked.imports_of(at) {
                match (import.cause, linked.target(import)) {
                    (Cause::DependsOn { .. }, Target::Component(next)) => stack.push(next),
                    (Cause::HealthCheck, _) => {
                        let makers = linked.makers(import);
                        let own = makers.iter().any(|at| below.get(*at) == Some(&true));
                        brought.acts_unseen |= !own;
                    }
                    _ => {}
                }
            }
        }
        brought
    }

    fn name(&mut self, linked: &Linked<'a>, at: usize) {
        let Some(component) = linked.component(at) else {
            return;
        };
        self.names.insert(&component.key.name);
        for object in component.objects() {
            self.acts_unseen |= acts_unnamed(&object.identity.kind);
            self.names.insert(&object.identity.name);
        }
    }
}

/// Whether anything on the needy side may come from what is brought.
fn is_needed(linked: &Linked<'_>, needy: &[bool], brings: &[bool]) -> bool {
    let brought = |makers: &[usize]| {
        let has = |side: &[bool], at: usize| side.get(at) == Some(&true);
        makers.iter().any(|at| has(brings, *at) && !has(needy, *at))
    };
    let mut needy_ones = (0..needy.len()).filter(|at| needy.get(*at) == Some(&true));
    needy_ones.any(|at| {
        let declared = |import: &Import| matches!(import.cause, Cause::DependsOn { .. });
        let mut imports = linked.imports_of(at);
        imports.any(|(_, import)| !declared(import) && brought(&linked.makers(import)))
            || linked.hints(at).any(|hint| brought(&hint.makers))
    })
}

/// Whether anything on the needy side, values of releases included, has one of
/// these names: in an address, as a class, as an issuer.
fn mentions(linked: &Linked<'_>, needy: &[bool], names: &FxHashSet<&str>) -> bool {
    let components = linked.world.components.iter().enumerate();
    let objects = components
        .filter(|(at, _)| needy.get(*at) == Some(&true))
        .flat_map(|(_, component)| component.objects().iter().chain(&component.object));
    let mut objects = objects.filter(|object| object.identity.kind != "Kustomization");
    objects.any(|object| names_any(&object.node, names))
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
fn saving(
    linked: &Linked<'_>,
    (timing, as_is): (&Timing, u64),
    at: usize,
    import: &Import,
    on: usize,
) -> u64 {
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
    let without = linked.critical_of(&ask);
    as_is.saturating_sub(without.unwrap_or(as_is))
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
