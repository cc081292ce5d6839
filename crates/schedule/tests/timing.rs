//! When events happen.

mod common;

use common::{Plain, Random, events, random};
use schedule::{Delay, End, Event, Graph, Producer, Time};

const ENDS: [End; 2] = [End::Best, End::Worst];

fn delay_at(delay: Delay, end: End) -> Option<u64> {
    match end {
        End::Best => Some(delay.best),
        End::Worst => delay.worst,
    }
}

/// The longest path to `event`, by trying every path. `None` without a limit.
fn longest(graph: &Plain, event: Event, end: End) -> Option<u64> {
    let mut longest = 0;
    for need in graph.needs_of(event) {
        for producer in &graph.get(*need).unwrap().producers {
            let before = longest_before(graph, producer, end)?;
            longest = longest.max(before);
        }
    }
    Some(longest)
}

fn longest_before(graph: &Plain, producer: &Producer<()>, end: End) -> Option<u64> {
    Some(longest(graph, producer.event, end)? + delay_at(producer.delay, end)?)
}

#[test]
fn a_time_is_the_longest_path() {
    for seed in 0..3000 {
        let (graph, _) = random(seed, true, 1);
        for end in ENDS {
            let times = graph.times(end);
            for event in graph.events() {
                let expected = longest(&graph, event, end).map_or(Time::Unlimited, Time::At);
                assert_eq!(times.at(event), expected, "seed {seed}");
            }
        }
    }
}

/// Time by relaxation from above: start with "never" and lower until nothing
/// changes.
fn relaxed(graph: &Plain, end: End) -> Vec<Option<u64>> {
    let mut at: Vec<Option<u64>> = vec![None; graph.len()];
    loop {
        let before = at.clone();
        for event in graph.events() {
            let needs = graph.needs_of(event).iter().map(|need| {
                let need = graph.get(*need).unwrap();
                let arrivals = need
                    .producers
                    .iter()
                    .filter_map(|p| Some(at[p.event.index()]? + delay_at(p.delay, end)?));
                arrivals.min()
            });
            at[event.index()] = needs
                .collect::<Option<Vec<_>>>()
                .map(|n| n.into_iter().max().unwrap_or(0));
        }
        if at == before {
            return at;
        }
    }
}

#[test]
fn with_alternatives_the_earliest_producer_counts() {
    for seed in 0..4000 {
        let (graph, _) = random(seed, false, 3);
        let firing = graph.fire();
        for end in ENDS {
            let times = graph.times(end);
            let expected = relaxed(&graph, end);
            for event in graph.events() {
                let wanted = match (firing.fired(event), expected[event.index()]) {
                    (false, _) => Time::Never,
                    (true, None) => Time::Unlimited,
                    (true, Some(time)) => Time::At(time),
                };
                assert_eq!(times.at(event), wanted, "seed {seed}");
            }
        }
    }
}

#[test]
fn a_path_explains_its_time() {
    for seed in 0..4000 {
        let (graph, _) = random(seed, false, 3);
        for end in ENDS {
            let times = graph.times(end);
            for event in graph.events() {
                let path = times.path(&graph, event);
                assert_eq!(path.is_empty(), times.at(event) == Time::Never);
                let Some(last) = path.last() else { continue };
                assert_eq!(last.event, event);
                assert_eq!(path[0].link, None, "seed {seed}");
                let sum: Option<u64> = path.iter().map(|step| step.added).sum();
                assert_eq!(sum, times.at(event).known(), "seed {seed}");
                for pair in path.windows(2) {
                    let (need, producer) = graph.link(pair[1].link.unwrap()).unwrap();
                    assert_eq!(need.event, pair[1].event);
                    assert_eq!(producer.event, pair[0].event);
                }
            }
        }
    }
}

/// Adds `extra` to what precedes `event`, by an event of its own.
fn delayed(graph: &Plain, event: Event, extra: u64) -> Plain {
    let mut graph = graph.clone();
    let start = graph.event(usize::MAX);
    graph.precede(start, event, Delay::between(extra, extra), ());
    graph
}

#[test]
fn slack_is_how_late_an_event_can_be() {
    for seed in 0..1500 {
        let (graph, _) = random(seed, true, 1);
        let times = graph.times(End::Worst);
        let ends: Option<Vec<u64>> = graph.events().map(|e| times.at(e).known()).collect();
        let Some(horizon) = ends.and_then(|ends| ends.into_iter().max()) else {
            continue;
        };
        let latest = times.latest(&graph, horizon);
        for event in graph.events() {
            let latest = latest[event.index()].unwrap();
            let Time::At(earliest) = times.at(event) else {
                panic!("seed {seed}")
            };
            assert!(earliest <= latest, "seed {seed}");
            let end = |at: u64| {
                let times = delayed(&graph, event, at).times(End::Worst);
                times.at(times.last().unwrap())
            };
            assert_eq!(end(latest), Time::At(horizon), "seed {seed}: in time");
            assert_eq!(end(latest + 1), Time::At(horizon + 1), "seed {seed}: late");
        }
        let critical = times.path(&graph, times.last().unwrap());
        for step in critical {
            let at = step.event.index();
            assert_eq!(latest[at], times.at(step.event).known(), "seed {seed}");
        }
    }
}

#[test]
fn an_unlimited_delay_is_named() {
    let mut graph: Graph<&str, &str> = Graph::new();
    let (a, b, c) = (graph.event("a"), graph.event("b"), graph.event("c"));
    graph.precede(a, b, Delay::unlimited(3), "endless");
    graph.precede(b, c, Delay::up_to(7), "short");
    assert_eq!(graph.times(End::Best).at(c), Time::At(3));
    let times = graph.times(End::Worst);
    assert_eq!(times.at(c), Time::Unlimited);
    assert_eq!(times.last(), Some(b), "the first event without a limit");
    let path = times.path(&graph, c);
    let unlimited: Vec<Event> = path
        .iter()
        .filter(|step| step.added.is_none())
        .map(|step| step.event)
        .collect();
    assert_eq!(unlimited, [b]);
}

#[test]
fn large_graphs_take_no_time_worth_mentioning() {
    let mut random = Random::new(7);
    let size = 20_000;
    let (mut graph, list) = events(size);
    for to in 1..size {
        for _ in 0..4 {
            graph.precede(list[random.below(to)], list[to], random.delay(), ());
        }
    }
    let times = graph.times(End::Best);
    assert!(matches!(times.at(times.last().unwrap()), Time::At(_)));
    assert!(graph.deadlocks().is_empty());
}
