//! The controllers at work: a discrete-event simulation.
//!
//! Each rule is what the controllers' own source says: kustomize-controller's
//! `Reconcile`, `reconcile` and `checkHealth`, the staged apply of fluxcd/pkg/ssa,
//! helm-controller's `reconcileRelease`, and the watches of both.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use model::ComponentKind;

use super::cluster::{Fact, FactId};
use super::draw::Draw;
use super::prepare::{Item, Job, SECOND, Script, Work, WorkKind};

/// What one stage of an apply may be waited for.
const STAGE: u64 = 60 * SECOND;
/// How often health is looked at.
const POLL: u64 = 5 * SECOND;
/// The first and the longest pause of the work queue after an error.
const BACK_OFF: (u64, u64) = (SECOND * 3 / 4, 900 * SECOND);
/// More events than any run that settles has.
const MOST_EVENTS: usize = 2_000_000;

/// When a component first reached each phase, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Its definitions are applied; a release is being installed.
    pub start: Option<u64>,
    /// All objects are accepted.
    pub applied: Option<u64>,
    /// Its `Ready` condition is true.
    pub ready: Option<u64>,
}

/// How a run ended.
pub struct Outcome {
    /// One entry a component.
    pub reached: Vec<Reached>,
    /// Nothing could change any more.
    pub settled: bool,
}

/// Runs a script. `workers` limits how many Kustomizations and how many releases
/// are worked on at once.
pub fn run(script: &Script, draw: &mut Draw, workers: Option<[usize; 2]>) -> Outcome {
    let mut simulation = Simulation {
        script,
        draw,
        now: 0,
        next: 0,
        queue: BinaryHeap::new(),
        facts: vec![None; script.facts.all().len()],
        steady: vec![None; script.facts.all().len()],
        states: script.jobs.iter().map(|_| Progress::default()).collect(),
        free: workers.unwrap_or([usize::MAX; 2]),
        line: [VecDeque::new(), VecDeque::new()],
        changed: 0,
        watchers: Watchers::of(script),
    };
    let settled = simulation.run();
    Outcome {
        reached: simulation
            .states
            .iter()
            .map(|state| state.reached)
            .collect(),
        settled,
    }
}

/// Something that happens at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A fact becomes true.
    Fact(FactId),
    /// A component's turn comes.
    Turn(usize),
    /// A reconciliation goes on, if it is still this one.
    Step(usize, u32),
}

/// Where a reconciliation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    /// Not running.
    #[default]
    Idle,
    /// Waiting for a worker.
    Line,
    /// Waiting for the objects of a stage.
    Stage(usize),
    /// Waiting for health, since a time.
    Health(u64),
}

#[derive(Clone, Default)]
struct Progress {
    at: At,
    /// Counts reconciliations, so that steps of earlier ones are known.
    serial: u32,
    /// When its next turn is.
    turn: Option<u64>,
    /// When the last reconciliation began, as a count of changes, if it failed.
    failed_after: Option<u64>,
    began: u64,
    failures: u32,
    reached: Reached,
}

/// Who is told when a fact becomes true.
struct Watchers {
    work: Vec<Vec<Work>>,
    health: Vec<Vec<usize>>,
    source: Vec<Vec<usize>>,
    component: Vec<Vec<usize>>,
}

impl Watchers {
    fn of(script: &Script) -> Self {
        let count = script.facts.all().len();
        let mut watchers = Watchers {
            work: vec![Vec::new(); count],
            health: vec![Vec::new(); count],
            source: vec![Vec::new(); count],
            component: vec![Vec::new(); count],
        };
        for (at, job) in script.jobs.iter().enumerate() {
            watchers.component[job.object].push(at);
            for target in &job.targets {
                watchers.health[*target].push(at);
            }
            if let Some((_, fetched)) = job.source {
                watchers.source[fetched].push(at);
            }
            for item in job.stages.iter().flatten() {
                if let Some(work) = &item.work {
                    for fact in work.needs.iter().chain([&item.object]) {
                        watchers.work[*fact].push(work.clone());
                    }
                }
            }
        }
        watchers
    }
}

struct Simulation<'a> {
    script: &'a Script,
    draw: &'a mut Draw,
    now: u64,
    /// Orders events of one time.
    next: u64,
    queue: BinaryHeap<Reverse<(u64, u64, What)>>,
    /// Since when each fact is true.
    facts: Vec<Option<u64>>,
    /// From when on each object, once applied, is what it should be.
    steady: Vec<Option<u64>>,
    states: Vec<Progress>,
    free: [usize; 2],
    line: [VecDeque<usize>; 2],
    /// Counts facts that became true.
    changed: u64,
    watchers: Watchers,
}

impl Simulation<'_> {
    fn run(&mut self) -> bool {
        for fact in &self.script.start {
            self.facts[*fact] = Some(0);
        }
        for (at, job) in self.script.jobs.iter().enumerate() {
            if job.root {
                self.facts[job.object] = Some(0);
            }
            if self.holds(job.object) {
                self.turn(at, 0);
            }
        }
        for _ in 0..MOST_EVENTS {
            if self.is_settled() {
                return true;
            }
            let Some(Reverse((time, _, what))) = self.queue.pop() else {
                return true;
            };
            self.now = time;
            match what {
                What::Fact(fact) => self.becomes(fact),
                What::Turn(at) => self.take_turn(at, time),
                What::Step(at, serial) if self.states[at].serial == serial => self.step(at),
                What::Step(..) => {}
            }
        }
        false
    }

    /// Whether all that is left are repetitions: nothing is on its way, and every
    /// component that exists has failed once since the last change.
    fn is_settled(&self) -> bool {
        let waits = |what: &What| matches!(what, What::Fact(fact) if !self.holds(*fact));
        let idle = self
            .states
            .iter()
            .zip(&self.script.jobs)
            .all(|(state, job)| {
                state.reached.ready.is_some()
                    || !self.holds(job.object)
                    || job.suspended
                    || state.failed_after == Some(self.changed)
            });
        idle && !self.queue.iter().any(|Reverse((_, _, what))| waits(what))
    }

    fn holds(&self, fact: FactId) -> bool {
        self.facts[fact].is_some()
    }

    fn at(&mut self, time: u64, what: What) {
        self.next += 1;
        self.queue.push(Reverse((time, self.next, what)));
    }

    /// A fact becomes true, and those are told who watch it.
    fn becomes(&mut self, fact: FactId) {
        if self.holds(fact) {
            return;
        }
        self.facts[fact] = Some(self.now);
        self.changed += 1;
        for at in self.watchers.component[fact].clone() {
            self.turn(at, self.now);
        }
        self.source_appeared(fact);
        for work in self.watchers.work[fact].clone() {
            self.work(&work);
        }
        for at in self.watchers.health[fact].clone() {
            self.look(at);
        }
    }

    /// Work is done once all it needs is there.
    fn work(&mut self, work: &Work) {
        let done = work.done;
        let Fact::Healthy(object) = self.script.facts.all()[done] else {
            return;
        };
        let Some(since) = self.facts[object] else {
            return;
        };
        if self.steady[done].is_some() || !work.needs.iter().all(|need| self.holds(*need)) {
            return;
        }
        let time = match work.kind {
            WorkKind::Pods => {
                let patience = self.script.patience.get(&done).copied();
                // "Within its timeout" means: seen within it.
                let most = patience.unwrap_or(300 * SECOND).saturating_sub(POLL);
                self.now + self.draw.up_to(most)
            }
            WorkKind::Fetch => next_try(since, self.now),
            WorkKind::Bind => self.now,
        };
        self.steady[done] = Some(time);
        match time == self.now {
            true => self.becomes(done),
            false => self.at(time, What::Fact(done)),
        }
    }

    /// A new artifact has the Kustomizations of its source reconciled, unless
    /// their dependencies cannot be sorted. A release's chart follows its source
    /// likewise.
    fn source_appeared(&mut self, fact: FactId) {
        let readers = self.watchers.source[fact].clone();
        let there: Vec<usize> = readers
            .into_iter()
            .filter(|at| self.holds(self.script.jobs[*at].object))
            .collect();
        let sorted = !self.has_circle(&there);
        for at in there {
            if sorted || self.script.jobs[at].kind == ComponentKind::HelmRelease {
                self.turn(at, self.now);
            }
        }
    }

    fn has_circle(&self, list: &[usize]) -> bool {
        let jobs = &self.script.jobs;
        let mut left: Vec<usize> = list
            .iter()
            .copied()
            .filter(|at| jobs[*at].kind == ComponentKind::Kustomization)
            .collect();
        loop {
            let free = left.iter().position(|at| {
                !jobs[*at]
                    .depends
                    .iter()
                    .any(|(on, _)| left.iter().any(|other| jobs[*other].object == *on))
            });
            match free {
                Some(free) => {
                    left.swap_remove(free);
                }
                None => return !left.is_empty(),
            }
        }
    }

    /// Plans a component's next turn, unless an earlier one is.
    fn turn(&mut self, at: usize, time: u64) {
        let state = &mut self.states[at];
        if state.turn.is_none_or(|known| time < known) {
            state.turn = Some(time);
            self.at(time, What::Turn(at));
        }
    }

    fn take_turn(&mut self, at: usize, time: u64) {
        if self.states[at].turn != Some(time) {
            return;
        }
        let pool = self.pool(at);
        match self.states[at].at {
            // Comes again when this reconciliation is over.
            At::Stage(_) | At::Health(_) => return,
            At::Line => return,
            At::Idle if self.free[pool] == 0 => {
                self.states[at].at = At::Line;
                self.line[pool].push_back(at);
                return;
            }
            At::Idle => {}
        }
        self.free[pool] -= 1;
        self.begin(at);
    }

    fn pool(&self, at: usize) -> usize {
        usize::from(self.script.jobs[at].kind == ComponentKind::HelmRelease)
    }

    fn begin(&mut self, at: usize) {
        let changed = self.changed;
        let state = &mut self.states[at];
        state.turn = None;
        state.serial += 1;
        state.began = changed;
        if state.reached.ready.is_some() || self.script.jobs[at].suspended {
            return self.release(at);
        }
        let script = self.script;
        match self.check(&script.jobs[at]) {
            Err(pause) => self.fail(at, pause),
            Ok(()) => self.stage(at, 0),
        }
    }

    /// What a controller looks at before it knows any object. The pause before
    /// the next try where something is missing.
    fn check(&self, job: &Job) -> Result<(), Pause> {
        let helm = job.kind == ComponentKind::HelmRelease;
        let source = || match job.source {
            Some((_, fetched)) if self.holds(fetched) => Ok(()),
            Some((exists, _)) if self.holds(exists) => Err(Pause::Requeue),
            _ if helm => Err(Pause::Requeue),
            _ => Err(Pause::Retry),
        };
        // helm-controller looks at dependencies first, kustomize-controller at
        // the source.
        if !helm {
            source()?;
        }
        for (exists, ready) in &job.depends {
            if !self.holds(*exists) || ready.is_some_and(|ready| !self.holds(ready)) {
                return Err(Pause::Requeue);
            }
        }
        source()?;
        let read = job.reads.iter().all(|read| self.holds(*read));
        let allowed = job.account.is_none_or(|account| self.holds(account));
        if job.broken || !read || !allowed {
            return Err(if helm { Pause::BackOff } else { Pause::Retry });
        }
        Ok(())
    }

    /// Applies from a stage on.
    fn stage(&mut self, at: usize, first: usize) {
        let script = self.script;
        let job = &script.jobs[at];
        let helm = job.kind == ComponentKind::HelmRelease;
        if helm {
            return self.install(at, job);
        }
        for stage in first..3 {
            let items = &job.stages[stage];
            if !items.iter().all(|item| self.accepts(item)) {
                return self.fail(at, Pause::Retry);
            }
            self.write(items);
            if stage == 0 {
                self.states[at].reached.start.get_or_insert(self.now);
            }
            let steady = items
                .iter()
                .filter_map(|item| self.steady[item.object])
                .max();
            if stage < 2
                && let Some(steady) = steady.filter(|steady| *steady > self.now)
            {
                self.states[at].at = At::Stage(stage + 1);
                let serial = self.states[at].serial;
                self.at(steady, What::Step(at, serial));
                return;
            }
        }
        self.applied(at);
    }

    /// Helm maps every kind before it stores the release, then creates objects
    /// kind by kind, namespaces first.
    fn install(&mut self, at: usize, job: &Job) {
        let items = &job.stages[2];
        self.states[at].reached.start.get_or_insert(self.now);
        if !items
            .iter()
            .all(|item| item.kind.is_none_or(|kind| self.holds(kind)))
        {
            return self.fail(at, Pause::BackOff);
        }
        if let Some((namespace, true)) = job.target {
            self.becomes(namespace);
        }
        let made: Vec<FactId> = items.iter().map(|item| item.object).collect();
        let there =
            |fact: Option<FactId>| fact.is_none_or(|fact| self.holds(fact) || made.contains(&fact));
        let accepted = items
            .iter()
            .all(|item| there(item.namespace) && there(item.account));
        if !there(job.target.map(|(namespace, _)| namespace)) || !accepted {
            return self.fail(at, Pause::Retry);
        }
        self.write(items);
        self.applied(at);
    }

    /// The answer to a dry-run.
    fn accepts(&self, item: &Item) -> bool {
        [item.namespace, item.kind, item.account]
            .into_iter()
            .flatten()
            .all(|fact| self.holds(fact))
    }

    /// Stores objects. A CRD is served after a while.
    fn write(&mut self, items: &[Item]) {
        for item in items {
            if let Some(kind) = item.defines
                && self.steady[item.object].is_none()
            {
                let time = self.now + self.draw.up_to(STAGE);
                self.steady[item.object] = Some(time);
                match time == self.now {
                    true => self.becomes(kind),
                    false => self.at(time, What::Fact(kind)),
                }
            }
            self.becomes(item.object);
            for account in &item.allows {
                self.becomes(*account);
            }
        }
    }

    fn applied(&mut self, at: usize) {
        let now = self.now;
        let state = &mut self.states[at];
        state.reached.applied.get_or_insert(now);
        state.at = At::Health(now);
        let serial = state.serial;
        let job = &self.script.jobs[at];
        if job.targets.is_empty() {
            return self.ready(at);
        }
        self.at(now + job.timeout, What::Step(at, serial));
        self.look(at);
    }

    /// Looks at health if the component is about to; what is healthy is seen at
    /// the next poll.
    fn look(&mut self, at: usize) {
        let At::Health(since) = self.states[at].at else {
            return;
        };
        let job = &self.script.jobs[at];
        if !job.targets.iter().all(|target| self.holds(*target)) {
            return;
        }
        let seen = since + (self.now - since).div_ceil(POLL) * POLL;
        if seen <= since + job.timeout {
            let serial = self.states[at].serial;
            self.at(seen, What::Step(at, serial));
        }
    }

    fn step(&mut self, at: usize) {
        match self.states[at].at {
            At::Stage(stage) => self.stage(at, stage),
            At::Health(since) => {
                let job = &self.script.jobs[at];
                let polls = (self.now - since).is_multiple_of(POLL);
                if polls && job.targets.iter().all(|target| self.holds(*target)) {
                    self.ready(at);
                } else {
                    self.fail(at, Pause::Retry);
                }
            }
            At::Idle | At::Line => {}
        }
    }

    fn ready(&mut self, at: usize) {
        self.states[at].reached.ready = Some(self.now);
        self.release(at);
        if let Some(fact) = self.script.facts.find(&Fact::Ready(at)) {
            self.becomes(fact);
        }
        for fact in self.script.jobs[at].later.clone() {
            self.becomes(fact);
        }
    }

    fn fail(&mut self, at: usize, pause: Pause) {
        let state = &mut self.states[at];
        state.failed_after = Some(state.began);
        let job = &self.script.jobs[at];
        let pause = match pause {
            Pause::Requeue => self.script.requeue,
            Pause::Retry => job.retry,
            Pause::BackOff => {
                state.failures += 1;
                let factor = 1 << state.failures.min(20);
                (BACK_OFF.0.saturating_mul(factor) / 2).min(BACK_OFF.1)
            }
        };
        let time = self.now + pause;
        self.turn(at, time);
        self.release(at);
    }

    /// Ends a reconciliation; the next in line takes the worker.
    fn release(&mut self, at: usize) {
        self.states[at].at = At::Idle;
        let pool = self.pool(at);
        self.free[pool] += 1;
        if let Some(time) = self.states[at].turn.filter(|time| *time <= self.now) {
            // Asked for while it ran.
            self.states[at].turn = None;
            self.turn(at, time.max(self.now));
        }
        if let Some(next) = self.line[pool].pop_front() {
            self.states[next].at = At::Idle;
            self.states[next].turn = None;
            self.turn(next, self.now);
        }
    }
}

/// When source-controller, which has failed to fetch a source since a time and
/// pauses longer each time, tries again.
fn next_try(since: u64, now: u64) -> u64 {
    let (mut time, mut pause) = (since, BACK_OFF.0);
    while time < now {
        time += pause;
        pause = (pause * 2).min(BACK_OFF.1);
    }
    time
}

/// Why, and so how long, a controller waits before the next try.
#[derive(Clone, Copy)]
enum Pause {
    /// `--requeue-dependency`.
    Requeue,
    /// `retryInterval`, else `interval`.
    Retry,
    /// The work queue's growing pause.
    BackOff,
}
