//! `fluxlint timing`: how long it takes, and why.

use config::Duration;
use link::{Ask, Linked, Options, Scenario};
use model::{Durations, World};
use rayon::prelude::*;
use report::Timed;

use crate::Outcome;
use crate::cli::{TimingArgs, TimingFormat};
use crate::failure::Failure;
use crate::input::Input;
use crate::{observe, output, rendered};

/// Answers for every entrypoint and prints it.
pub fn run(args: &TimingArgs, quiet: bool) -> Result<Outcome, Failure> {
    let asked = Asked::of(args)?;
    let input = Input::open(&args.repo)?;
    let repository = rendered::repository(&input, &args.repo, &args.entrypoints, None, quiet)?;
    let mut odd = Vec::new();
    let durations = observe::durations(&args.observed, &repository, &mut odd)?;
    for notice in &odd {
        anstream::eprintln!("note: {}", notice.message);
    }
    let worlds = repository.worlds.par_iter();
    let answers: Vec<Result<Timed<'_>, Failure>> = worlds
        .map(|world| answer(world, &input, &durations, &asked))
        .collect();
    // A component need only be in one of several entrypoints.
    let mut timed = Vec::new();
    let mut failure = None;
    for answer in answers {
        match answer {
            Ok(answer) => timed.push(answer),
            Err(why) => failure = failure.or(Some(why)),
        }
    }
    if let (true, Some(failure)) = (timed.is_empty(), failure) {
        return Err(failure);
    }
    let to = args.output.as_deref();
    match args.format {
        TimingFormat::Text => {
            output::write_styled(&report::timing_text(&timed, &repository.texts), to)?;
        }
        TimingFormat::Json => {
            output::write(&report::timing_json(&timed, env!("CARGO_PKG_VERSION")), to)?;
        }
        TimingFormat::Svg => output::write(&report::timing_svg(&timed), to)?,
    }
    Ok(Outcome::Clean)
}

/// The question as the flags put it, with components by name.
struct Asked<'a> {
    scenario: &'a str,
    without: Vec<(&'a str, &'a str)>,
    timeouts: Vec<(&'a str, &'a str, u64)>,
}

impl<'a> Asked<'a> {
    fn of(args: &'a TimingArgs) -> Result<Self, Failure> {
        let without = args.without.iter().map(|text| {
            text.split_once(':').ok_or_else(|| {
                Failure::new(format!("`--without {text}` names one component"))
                    .help("write both ends of the dependency: --without flux-system/apps:flux-system/base")
            })
        });
        let timeouts = args.timeout.iter().map(|text| {
            let (name, time) = text.split_once('=').ok_or_else(|| {
                Failure::new(format!("`--timeout {text}` has no time"))
                    .help("write it as --timeout flux-system/apps=2m")
            })?;
            let parsed: Duration = time
                .parse()
                .map_err(|why: String| Failure::new(format!("`--timeout {text}`")).because(why))?;
            Ok((name, time, parsed.nanos))
        });
        Ok(Asked {
            scenario: &args.scenario,
            without: without.collect::<Result<_, Failure>>()?,
            timeouts: timeouts.collect::<Result<_, Failure>>()?,
        })
    }

    /// The scenario with its components found, and as it is written in full.
    fn scenario(&self, world: &World) -> Result<(Scenario, String), Failure> {
        let (kind, name) = match self.scenario.split_once('=') {
            Some((kind, name)) => (kind, Some(name)),
            None => (self.scenario, None),
        };
        let of = |make: fn(usize) -> Scenario, name: &str| {
            let at = find(world, name)?;
            Ok((make(at), format!("{kind}={}", key(world, at))))
        };
        match (kind, name) {
            ("empty", None) => Ok((Scenario::Empty, kind.into())),
            ("restart", None) => Ok((Scenario::Restart, kind.into())),
            ("commit", Some(name)) => of(Scenario::Commit, name),
            ("failure", Some(name)) => of(Scenario::Failure, name),
            _ => Err(
                Failure::new(format!("no scenario is called `{}`", self.scenario)).help(
                    "there are `empty`, `commit=COMPONENT`, `failure=COMPONENT` and `restart`",
                ),
            ),
        }
    }
}

fn answer<'w>(
    world: &'w World,
    input: &Input,
    durations: &Durations,
    asked: &Asked<'_>,
) -> Result<Timed<'w>, Failure> {
    let options = Options {
        durations: Some(durations),
    };
    let linked = Linked::with(world, &input.config, options);
    let (scenario, name) = asked.scenario(world)?;
    let plain = Ask {
        scenario,
        ..Ask::default()
    };
    let mut ask = plain.clone();
    let mut changes = Vec::new();
    for (of, on) in &asked.without {
        let (of, on) = (find(world, of)?, find(world, on)?);
        let entries = linked.dependencies(of, on);
        let (of, on) = (key(world, of), key(world, on));
        if entries.is_empty() {
            return Err(Failure::new(format!("{of} does not depend on {on}"))
                .help("`--without A:B` takes an entry out of `dependsOn` of A"));
        }
        ask.without.extend(entries);
        changes.push(format!("if {of} did not depend on {on}"));
    }
    for (of, time, nanos) in &asked.timeouts {
        let at = find(world, of)?;
        ask.timeouts.push((at, *nanos));
        changes.push(format!("if {} had a timeout of {time}", key(world, at)));
    }
    Ok(Timed {
        world,
        scenario: name,
        timing: linked.timing_of(&ask),
        before: match changes.is_empty() {
            true => None,
            false => linked.timing_of(&plain),
        },
        changes,
    })
}

fn key(world: &World, at: usize) -> String {
    let component = world.components.get(at);
    component.map_or_else(String::new, |c| c.key.to_string())
}

/// The component of a key, or of a name that only one has.
fn find(world: &World, name: &str) -> Result<usize, Failure> {
    let components = world.components.iter().enumerate();
    let by_key = |wanted: &str| {
        let mut found = components.clone();
        found.find(|(_, c)| c.key.to_string() == wanted)
    };
    if let Some((at, _)) = by_key(name) {
        return Ok(at);
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    let alike: Vec<(usize, String)> = components
        .clone()
        .filter(|(_, c)| c.key.name == last)
        .map(|(at, c)| (at, c.key.to_string()))
        .collect();
    let failure = Failure::new(format!("no component is called {name}"));
    match alike.as_slice() {
        [(at, _)] if !name.contains('/') => Ok(*at),
        [] => Err(failure.help("`fluxlint timing` lists all components")),
        _ => {
            let keys: Vec<_> = alike.iter().map(|(_, key)| key.as_str()).take(5).collect();
            Err(failure.help(format!("did you mean {}?", keys.join(" or "))))
        }
    }
}
