//! Waits for workers, against simulated list schedules.

mod common;

use common::{Plain, Random};
use schedule::{Delay, End, Event, Graph, Task, Time};

/// Tasks with an inner and an outer pool. A task of the outer pool may end only
/// after one of the inner pool, and sometimes after one of its own.
struct Case {
    graph: Plain,
    tasks: Vec<Task>,
    workers: Vec<usize>,
}

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let count = 2 + random.below(9);
    let mut graph: Plain = Graph::new();
    let mut tasks: Vec<Task> = Vec::new();
    for at in 0..count {
        let (start, end) = (graph.event(2 * at), graph.event(2 * at + 1));
        let takes = random.below(9) as u64;
        graph.precede(start, end, Delay::between(takes / 2, takes), ());
        tasks.push(Task {
            pool: random.below(2),
            start,
            end,
        });
    }
    for to in 0..count {
        for from in 0..to {
            let lag = Delay::up_to(random.below(4) as u64);
            let (from, to) = (tasks[from], tasks[to]);
            match random.below(8) {
                0 => {
                    graph.precede(from.end, to.start, lag, ());
                }
                1 if from.pool == 0 && to.pool == 1 => {
                    graph.precede(from.end, to.end, lag, ());
                }
                2 if seed.is_multiple_of(3) => {
                    graph.precede(from.end, to.end, lag, ());
                }
                _ => {}
            }
        }
    }
    let workers = vec![1 + random.below(3), 1 + random.below(3)];
    Case {
        graph,
        tasks,
        workers,
    }
}

/// Plays one list schedule: whoever can start takes a free worker, in an order
/// given by `random`, and every delay takes some time within its interval.
/// Returns when each event happened; `None` for one that never did.
fn play(case: &Case, random: &mut Random, at_worst: bool) -> Vec<Option<u64>> {
    let graph = &case.graph;
    let mut takes = |delay: Delay| match at_worst {
        true => delay.worst.unwrap(),
        false => delay.best + random.below(1 + (delay.worst.unwrap() - delay.best) as usize) as u64,
    };
    let delays: Vec<u64> = graph
        .needs()
        .map(|(_, need)| takes(need.producers[0].delay))
        .collect();
    let priority: Vec<usize> = case.tasks.iter().map(|_| random.below(100)).collect();
    let mut at: Vec<Option<u64>> = vec![None; graph.len()];
    let mut free = case.workers.clone();
    let due = |at: &[Option<u64>], event: Event| -> Option<u64> {
        let needs = graph.needs_of(event).iter();
        let times: Option<Vec<u64>> = needs
            .map(|need| {
                Some(
                    at[graph.get(*need).unwrap().producers[0].event.index()]?
                        + delays[need.index()],
                )
            })
            .collect();
        times.map(|times| times.into_iter().max().unwrap_or(0))
    };
    for now in 0..250 {
        loop {
            let mut changed = false;
            for task in &case.tasks {
                let (start, end) = (task.start.index(), task.end.index());
                if at[start].is_some() && at[end].is_none() && due(&at, task.end) == Some(now) {
                    at[end] = Some(now);
                    free[task.pool] += 1;
                    changed = true;
                }
            }
            let mut waiting: Vec<usize> = (0..case.tasks.len())
                .filter(|t| {
                    let start = case.tasks[*t].start;
                    at[start.index()].is_none() && due(&at, start).is_some_and(|due| due <= now)
                })
                .collect();
            waiting.sort_by_key(|t| priority[*t]);
            for t in waiting {
                let task = case.tasks[t];
                if free[task.pool] > 0 {
                    free[task.pool] -= 1;
                    at[task.start.index()] = Some(now);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
    at
}

#[test]
fn no_list_schedule_is_later_than_the_bound() {
    let (mut limited, mut waited) = (0, 0);
    for seed in 0..3000 {
        let case = case(seed);
        let pools = case.graph.pools(&case.workers, &case.tasks);
        let waits: Option<Vec<u64>> = pools.iter().map(|pool| pool.wait).collect();
        let Some(waits) = waits else { continue };
        limited += 1;
        let extra: u64 = waits.iter().sum();
        let worst = case.graph.times(End::Worst);
        for round in 0..4 {
            let mut random = Random::new(seed * 7 + round);
            let played = play(&case, &mut random, round == 0);
            for event in case.graph.events() {
                let Time::At(bound) = worst.at(event) else {
                    panic!("seed {seed}")
                };
                let Some(at) = played[event.index()] else {
                    panic!("seed {seed}: event {} never happens", event.index())
                };
                assert!(at <= bound + extra, "seed {seed}: {at} > {bound} + {extra}");
                waited += u32::from(at > bound);
            }
        }
    }
    assert!(limited > 1500, "{limited} with a limit");
    assert!(waited > 500, "{waited} events waited for a worker");
}

#[test]
fn enough_workers_end_every_wait() {
    for seed in 0..1500 {
        let mut case = case(seed);
        let pools = case.graph.pools(&case.workers, &case.tasks);
        case.workers = pools.iter().map(|pool| pool.enough.max(1)).collect();
        let again = case.graph.pools(&case.workers, &case.tasks);
        assert!(again.iter().all(|pool| pool.wait == Some(0)), "seed {seed}");
        let worst = case.graph.times(End::Worst);
        let played = play(&case, &mut Random::new(seed), true);
        for event in case.graph.events() {
            let at = worst.at(event).known();
            assert_eq!(played[event.index()], at, "seed {seed}");
        }
    }
}

#[test]
fn one_task_of_many_can_starve_the_rest() {
    // A task that ends after another of its own pool, and one worker.
    let mut graph: Plain = Graph::new();
    let events: Vec<Event> = (0..4).map(|key| graph.event(key)).collect();
    let [a, b, c, d] = events.try_into().unwrap();
    graph.precede(a, b, Delay::up_to(5), ());
    graph.precede(c, d, Delay::up_to(5), ());
    graph.precede(d, b, Delay::ZERO, ());
    let task = |start, end| Task {
        pool: 0,
        start,
        end,
    };
    let tasks = [task(a, b), task(c, d)];
    let pool = &graph.pools(&[1], &tasks)[0];
    assert_eq!((pool.enough, pool.held, pool.wait), (2, 1, None));
    assert_eq!(pool.holders, [0]);
    assert_eq!(graph.pools(&[2], &tasks)[0].wait, Some(0));
}

#[test]
fn what_never_ends_keeps_its_worker() {
    let mut graph: Plain = Graph::new();
    let events: Vec<Event> = (0..8).map(|key| graph.event(key)).collect();
    let task = |at: usize| Task {
        pool: 0,
        start: events[2 * at],
        end: events[2 * at + 1],
    };
    let tasks: Vec<Task> = (0..4).map(task).collect();
    for task in &tasks {
        graph.precede(task.start, task.end, Delay::up_to(6), ());
    }
    graph.need(tasks[0].end, (), []);
    // The last never starts, and wants no worker.
    graph.precede(tasks[0].end, tasks[3].start, Delay::ZERO, ());
    let pool = |workers| graph.pools(&[workers], &tasks).remove(0);
    assert_eq!((pool(1).held, pool(1).wait), (1, None));
    assert_eq!((pool(2).enough, pool(2).wait), (3, Some(12)));
    assert_eq!(pool(3).wait, Some(0));
}

#[test]
fn a_lag_is_counted_from_the_first_event() {
    let mut graph: Plain = Graph::new();
    let events: Vec<Event> = (0..5).map(|key| graph.event(key)).collect();
    let [root, from, to, side, early] = events.try_into().unwrap();
    graph.precede(root, from, Delay::up_to(100), ());
    graph.precede(from, to, Delay::up_to(3), ());
    graph.precede(root, side, Delay::up_to(7), ());
    graph.precede(side, to, Delay::ZERO, ());
    graph.precede(early, root, Delay::up_to(50), ());
    assert_eq!(graph.lag(from, to), Time::At(7), "side starts with root");
    assert_eq!(graph.lag(from, root), Time::At(0), "it has been");
    assert_eq!(graph.lag(from, from), Time::At(0));
}

/// The time of `to` less that of `from`, when every delay takes some time within its
/// interval.
#[test]
fn a_lag_is_never_exceeded() {
    for seed in 0..2000 {
        let (graph, list) = common::random(seed, true, 3);
        let mut random = Random::new(seed ^ 0xabc);
        for _ in 0..6 {
            let fixed = graph.adjusted(
                |_| true,
                |_, producer| {
                    let most = producer.delay.worst.unwrap_or(producer.delay.best + 9);
                    let far = (seed as usize + producer.event.index() * 31) % 7;
                    let at = producer.delay.best + (most - producer.delay.best) * far as u64 / 6;
                    Delay::between(at, at)
                },
            );
            let times = fixed.times(End::Worst);
            let (from, to) = (
                list[random.below(list.len())],
                list[random.below(list.len())],
            );
            let (Time::At(first), Time::At(last)) = (times.at(from), times.at(to)) else {
                continue;
            };
            match graph.lag(from, to) {
                Time::At(lag) => assert!(last <= first + lag, "seed {seed}"),
                Time::Unlimited => {}
                Time::Never => panic!("seed {seed}"),
            }
        }
    }
}

#[test]
fn known_times_replace_needs() {
    let mut graph: Plain = Graph::new();
    let events: Vec<Event> = (0..4).map(|key| graph.event(key)).collect();
    let [a, b, c, d] = events.try_into().unwrap();
    graph.precede(a, b, Delay::up_to(10), ());
    graph.precede(b, c, Delay::up_to(10), ());
    graph.precede(a, d, Delay::up_to(1), ());
    let given = |event| match event {
        e if e == b => Some(Time::At(3)),
        e if e == a => Some(Time::Never),
        _ => None,
    };
    let times = graph.times_given(End::Worst, given);
    assert_eq!(times.at(c), Time::At(13));
    assert_eq!(times.at(d), Time::Never, "what needs it does not happen");
    let path = times.path(&graph, c);
    assert_eq!(path[0].added, Some(3));
    assert_eq!(times.latest(&graph, 20)[b.index()], Some(10));
    let after: Vec<bool> = graph.after(b);
    assert_eq!(after, [false, true, true, false]);
}
