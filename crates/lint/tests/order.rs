//! What a repository means does not hang on the order in which its components
//! and objects were found.

// This test reads examples without what they expect.
#[allow(dead_code)]
mod page;

use std::sync::Arc;

use config::Config;
use flux::Settings;
use link::{Event, Linked};
use lint::Finding;
use model::{Object, State, World};
use page::{Example, examples};
use vfs::{Memory, Tree};
use yaml::Sources;

#[test]
fn no_order_of_components_and_objects_changes_what_is_found() {
    let mut random = Random(7);
    let mut judged = 0;
    let mut wrong = Vec::new();
    for rule in lint::RULES {
        let page = lint::explain(rule.id).expect("a page");
        for example in examples(page).expect("examples") {
            let (config, repository) = render(&example);
            for world in &repository.worlds {
                let straight = judge(world, &config, &repository.texts);
                for _ in 0..3 {
                    let shuffled = shuffled(world, &mut random);
                    let found = judge(&shuffled, &config, &repository.texts);
                    judged += 1;
                    if let Some(difference) = straight.difference(&found) {
                        wrong.push(format!("{} \"{}\":\n{difference}", rule.id, example.title));
                        break;
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(judged > 150, "only {judged} worlds");
}

fn render(example: &Example) -> (Config, model::Repository) {
    let texts = Sources::new();
    let written = example.files.iter();
    let config = match written.clone().find(|(path, _)| path == config::FILE_NAME) {
        Some((path, text)) => Config::parse(path, text, &texts).expect("a configuration"),
        None => Config::default(),
    };
    let files = written.map(|(path, text)| (path, text.as_bytes()));
    let tree = Tree::new(Memory::new(files).expect("a tree"));
    let mut settings = Settings::from_config(&config);
    settings.entrypoints = vec!["clusters/main".into()];
    let repository = flux::render(tree, texts, &settings, &|_| {});
    (config, repository)
}

/// The graph, the deadlocks and the findings, without any order.
struct Judged {
    graph: Vec<String>,
    deadlocks: Vec<String>,
    findings: Vec<String>,
}

impl Judged {
    fn difference(&self, other: &Judged) -> Option<String> {
        let lines = |judged: &Judged| {
            [&judged.graph, &judged.deadlocks, &judged.findings]
                .map(Clone::clone)
                .concat()
        };
        let (own, other) = (lines(self), lines(other));
        let gone = own
            .iter()
            .filter(|line| !other.contains(line))
            .map(|line| format!("- {line}"));
        let come = other
            .iter()
            .filter(|line| !own.contains(line))
            .map(|line| format!("+ {line}"));
        let all: Vec<String> = gone.chain(come).collect();
        (own != other).then(|| all.join("\n"))
    }
}

fn judge(world: &World, config: &Config, texts: &Sources) -> Judged {
    let linked = Linked::new(world, config);
    let findings = lint::judge_linked(&linked, texts, None).findings;
    Judged {
        graph: graph(&linked),
        deadlocks: deadlocks(&linked),
        findings: sorted(findings.iter().map(|finding| said(finding, texts))),
    }
}

fn graph(linked: &Linked<'_>) -> Vec<String> {
    let name = |event| {
        let key: Option<&Event> = linked.graph.key(event);
        key.map_or_else(String::new, |key| linked.event_name(key).to_string())
    };
    let needs = linked.graph.needs().map(|(_, need)| {
        let producers = need.producers.iter();
        let producers = producers.map(|producer| {
            let reason = &producer.reason;
            let delay = producer.delay;
            format!("{} {:?} {delay:?}", name(producer.event), reason.why)
        });
        let fired = linked.firing.fired(need.event);
        format!(
            "{} {fired} {:?} after {:?}",
            name(need.event),
            need.reason.why,
            sorted(producers)
        )
    });
    sorted(needs)
}

fn deadlocks(linked: &Linked<'_>) -> Vec<String> {
    let names = |list: &[usize]| sorted(list.iter().map(|at| linked.name(*at).to_string()));
    sorted(linked.deadlocks.iter().map(|deadlock| {
        let circle: Vec<&str> = deadlock.circle.iter().map(|w| w.message.as_str()).collect();
        let breaks = deadlock.breaks.iter();
        let breaks: Vec<String> = breaks
            .map(|b| linked.name(b.component).to_string())
            .collect();
        let (others, blocked) = (names(&deadlock.others), names(&deadlock.blocked));
        format!(
            "{circle:?} {others:?} {blocked:?} {breaks:?} {}",
            deadlock.likely
        )
    }))
}

/// A finding as text. Lists in sentences may be in any order.
fn said(finding: &Finding, texts: &Sources) -> String {
    let words = |text: &str| {
        let words = text.split([' ', ',', '\n']).filter(|word| *word != "and");
        sorted(words.map(str::to_string)).join(" ")
    };
    let place = |span: Option<yaml::Span>| {
        let place = span.and_then(|span| texts.location(span));
        place.map_or_else(String::new, |place| {
            format!("{}:{}", place.file, place.line)
        })
    };
    let details = finding.details.iter();
    let details =
        details.map(|detail| format!("{} {}", words(&detail.message), place(detail.span)));
    let components = sorted(finding.components.iter().map(ToString::to_string));
    format!(
        "{:?} {} {} {components:?} {} {:?} {}",
        finding.severity,
        finding.rule,
        place(finding.span),
        words(&finding.message),
        sorted(details),
        words(finding.help.as_deref().unwrap_or_default()),
    )
}

fn sorted(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut items: Vec<String> = items.collect();
    items.sort();
    items
}

/// The world with its components, but for the root, and the objects of each in
/// another order.
fn shuffled(world: &World, random: &mut Random) -> World {
    let mut from: Vec<usize> = (0..world.components.len()).collect();
    if let Some(rest) = from.get_mut(1..) {
        random.shuffle(rest);
    }
    let mut to = vec![0; from.len()];
    for (new, old) in from.iter().enumerate() {
        to[*old] = new;
    }
    let mut world = world.clone();
    let old = std::mem::take(&mut world.components);
    for at in from {
        let mut component = old[at].clone();
        for parent in &mut component.parents {
            *parent = to[*parent];
        }
        component.parents.sort_unstable();
        if let Some(objects) = objects(&mut component.state) {
            random.shuffle(objects);
        }
        world.components.push(component);
    }
    world
}

fn objects(state: &mut State) -> Option<&mut Vec<Arc<Object>>> {
    match state {
        State::Rendered(rendered) | State::Failed(rendered) => Some(&mut rendered.objects),
        _ => None,
    }
}

/// Numbers that are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = self.below(at + 1);
            items.swap(at, other);
        }
    }
}
