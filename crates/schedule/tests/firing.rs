//! What fires, and what waits for itself.

mod common;

use common::{Plain, Random, events, random};
use schedule::{Deadlock, Delay, Event, Graph};

/// The definition, word for word, by repetition.
fn naive(graph: &Plain) -> Vec<bool> {
    let mut fired = vec![false; graph.len()];
    loop {
        let before = fired.clone();
        for event in graph.events() {
            let met = graph.needs_of(event).iter().all(|need| {
                let need = graph.get(*need).unwrap();
                need.producers.iter().any(|p| fired[p.event.index()])
            });
            fired[event.index()] = met;
        }
        if fired == before {
            return fired;
        }
    }
}

#[test]
fn an_event_fires_when_each_of_its_needs_has_a_fired_producer() {
    for seed in 0..4000 {
        let (graph, _) = random(seed, false, 3);
        let firing = graph.fire();
        let fired: Vec<bool> = graph.events().map(|e| firing.fired(e)).collect();
        assert_eq!(fired, naive(&graph), "seed {seed}");
        for event in firing.order() {
            for need in graph.needs_of(*event) {
                let rank = firing.rank(*event);
                let need = graph.get(*need).unwrap();
                assert!(
                    need.producers
                        .iter()
                        .any(|p| firing.rank(p.event).is_some_and(|r| Some(r) < rank)),
                    "seed {seed}: the order respects needs"
                );
            }
        }
    }
}

#[test]
fn what_does_not_fire_is_missing_something_or_waits_for_itself() {
    for seed in 0..4000 {
        let (graph, _) = random(seed, false, 3);
        let firing = graph.fire();
        let deadlocks = graph.deadlocks();
        for event in graph.events() {
            let reaches = |target: &dyn Fn(Event) -> bool| {
                let mut seen = vec![false; graph.len()];
                let mut stack = vec![event];
                while let Some(event) = stack.pop() {
                    if std::mem::replace(&mut seen[event.index()], true) {
                        continue;
                    }
                    if target(event) {
                        return true;
                    }
                    for need in firing.unmet(&graph, event) {
                        let need = graph.get(need).unwrap();
                        stack.extend(need.producers.iter().map(|p| p.event));
                    }
                }
                false
            };
            let missing = !firing.missing(&graph, event).is_empty();
            let stuck = reaches(&|e| deadlocks.iter().any(|d| d.members.contains(&e)));
            assert_eq!(
                firing.fired(event),
                !missing && (firing.fired(event) || !stuck),
                "seed {seed} event {event:?}"
            );
            if !firing.fired(event) {
                assert!(missing || stuck, "seed {seed} event {event:?}");
            }
        }
    }
}

fn is_cycle(graph: &Plain, deadlock: &Deadlock) -> bool {
    let links = &deadlock.cycle;
    (0..links.len()).all(|at| {
        let (need, producer) = graph.link(links[at]).unwrap();
        let (_, next) = graph.link(links[(at + 1) % links.len()]).unwrap();
        need.event == next.event && deadlock.members.contains(&producer.event)
    })
}

/// The length of the shortest cycle of a graph whose needs have one producer
/// each, by Floyd and Warshall.
fn girth(graph: &Plain) -> Option<usize> {
    let n = graph.len();
    let mut distance = vec![vec![usize::MAX / 4; n]; n];
    for (_, need) in graph.needs() {
        for producer in &need.producers {
            distance[producer.event.index()][need.event.index()] = 1;
        }
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                let length = distance[from][via] + distance[via][to];
                distance[from][to] = distance[from][to].min(length);
            }
        }
    }
    (0..n)
        .map(|at| distance[at][at])
        .min()
        .filter(|length| *length < usize::MAX / 4)
}

#[test]
fn the_cycles_of_single_needs_are_found_and_the_shortest_is_shown() {
    let mut cyclic = 0;
    for seed in 0..4000 {
        let (graph, _) = random(seed, false, 1);
        let deadlocks = graph.deadlocks();
        let shortest = deadlocks.iter().map(|d| d.cycle.len()).min();
        assert_eq!(shortest, girth(&graph), "seed {seed}");
        assert!(deadlocks.iter().all(|d| is_cycle(&graph, d)), "seed {seed}");
        cyclic += usize::from(shortest.is_some());
    }
    assert!(cyclic > 1000, "{cyclic} graphs had a cycle");
}

#[test]
fn a_planted_cycle_is_found() {
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let size = 40 + random.below(200);
        let (mut graph, list) = events(size);
        for _ in 0..3 * size {
            let to = 1 + random.below(size - 1);
            let from = random.below(to);
            graph.precede(list[from], list[to], Delay::ZERO, ());
        }
        assert!(graph.deadlocks().is_empty(), "seed {seed}: acyclic");
        let to = random.below(size);
        let from = to + random.below(size - to);
        let planted = graph.precede(list[from], list[to], Delay::ZERO, ());
        let reachable = reaches(&graph, list[to], list[from]);
        let deadlocks = graph.deadlocks();
        assert_eq!(deadlocks.is_empty(), !reachable, "seed {seed}");
        for deadlock in deadlocks {
            assert!(is_cycle(&graph, &deadlock), "seed {seed}");
            assert!(deadlock.cycle.iter().any(|link| link.need == planted));
            assert!(!graph.fires_within(&deadlock.members, |_| false));
            assert!(graph.fires_within(&deadlock.members, |need| need == planted));
        }
    }
}

fn reaches(graph: &Plain, from: Event, to: Event) -> bool {
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![from];
    while let Some(event) = stack.pop() {
        if event == to {
            return true;
        }
        if std::mem::replace(&mut seen[event.index()], true) {
            continue;
        }
        for link in graph.links_from(event) {
            stack.push(graph.link(*link).unwrap().0.event);
        }
    }
    false
}

#[test]
fn deadlocks_stay_stuck_whatever_happens_outside() {
    for seed in 0..4000 {
        let (graph, _) = random(seed, false, 3);
        for deadlock in graph.deadlocks() {
            assert!(is_cycle(&graph, &deadlock), "seed {seed}");
            for member in &deadlock.members {
                assert!(!graph.fire().fired(*member));
            }
            assert!(
                !graph.fires_within(&deadlock.members, |_| false),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn an_alternative_breaks_a_cycle() {
    let mut graph: Graph<&str, &str> = Graph::new();
    let (a, b, c) = (graph.event("a"), graph.event("b"), graph.event("c"));
    graph.precede(a, b, Delay::ZERO, "b after a");
    let either = [b, c].map(|event| schedule::Producer {
        event,
        delay: Delay::ZERO,
        reason: "either",
    });
    graph.need(a, "a after b or c", either);
    assert!(graph.deadlocks().is_empty());
    assert!(graph.fire().fired(b));
    graph.precede(a, c, Delay::ZERO, "c after a");
    let deadlocks = graph.deadlocks();
    assert_eq!(deadlocks.len(), 1);
    assert_eq!(deadlocks[0].members, [a, b, c]);
    assert_eq!(deadlocks[0].cycle.len(), 2);
}

#[test]
fn a_deep_chain_does_not_need_a_deep_stack() {
    let (mut graph, list) = events(200_000);
    for pair in list.windows(2) {
        graph.precede(pair[0], pair[1], Delay::ZERO, ());
    }
    graph.precede(list[199_999], list[0], Delay::ZERO, ());
    assert!(!graph.fire().fired(list[0]));
    let deadlocks = graph.deadlocks();
    assert_eq!(deadlocks.len(), 1);
    assert_eq!(deadlocks[0].members.len(), 200_000);
}
