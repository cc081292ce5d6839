//! `fluxlint check`: render, judge, report.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use config::{Config, Date};
use link::{Linked, Options};
use lint::{Finding, Selection, Severity};
use model::{Durations, Repository, World};
use observed::ClusterState;
use rayon::prelude::*;
use report::{Judged, Run, TextOptions};
use upstream::{Engine, Role};
use yaml::Sources;

use crate::Outcome;
use crate::cli::{CheckArgs, EngineChoice, ReportFormat};
use crate::commands::notices::{self, Accepted, Told};
use crate::commands::{baseline, rules, verify};
use crate::failure::Failure;
use crate::input::Input;
use crate::{observe, output, rendered};

/// Judges a repository and prints what was found.
pub fn run(args: &CheckArgs, quiet: bool) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let selection = Selection::of(&args.only).map_err(|rule| rules::unknown(&rule))?;
    let mut input = Input::open(&args.repo)?;
    selection.switch_on(&mut input.config);
    let engine = match args.engine {
        EngineChoice::Native => None,
        EngineChoice::Upstream => {
            let engine = Engine::new(verify::programs()?, Role::Replace);
            Some(Arc::new(engine) as Arc<dyn flux::Engine>)
        }
    };
    let repository = rendered::repository(&input, &args.repo, &args.entrypoints, engine, quiet)?;
    let today = today();
    let state = args.cluster_state.as_deref();
    let state = state.map(|path| observe::cluster_state(path, &repository));
    let mut odd = Vec::new();
    let seen = Seen {
        durations: observe::durations(&args.observed, &repository, &mut odd)?,
        state: state.transpose()?,
    };
    let (mut judged, accepted): (Vec<_>, Vec<_>) = judge(&repository, &input.config, &seen, today)
        .into_iter()
        .unzip();
    for judged in &mut judged {
        selection.keep(&mut judged.findings);
    }
    let texts = &repository.texts;
    let names: Vec<String> = repository.worlds.iter().map(name).collect();
    if let (true, Some(path)) = (args.baseline.write_baseline, &args.baseline.baseline) {
        baseline::write(path, &judged, &names, texts)?;
        return Ok(Outcome::Clean);
    }
    // A file may be read by entrypoints that were not asked for.
    let is_whole = args.entrypoints.is_empty();
    let told = Told {
        config: &input.config,
        selection: &selection,
        accepted: &accepted,
        is_whole,
        today,
    };
    let mut notices = notices::of(&told, texts);
    notices.append(&mut odd);
    baseline::leave_out(
        &args.baseline,
        &mut judged,
        (&names, &selection),
        texts,
        &mut notices,
    )?;
    let run = Run {
        version: env!("CARGO_PKG_VERSION"),
        elapsed: started.elapsed(),
        repository: &repository,
        notices,
        judged,
    };
    let fails = |finding: &Finding| fails(finding, args.fail_on.severity(), &input.config);
    let main = (args.format, args.output.as_deref());
    let further = args.reports.iter();
    let further = further.map(|(format, file)| (*format, Some(file.as_path())));
    for (format, file) in further.chain([main]) {
        let text = text_of(&run, format, args.verbose, quiet, &fails);
        match format {
            ReportFormat::Text => output::write_styled(&text, file)?,
            _ => output::write(&text, file)?,
        }
    }
    let mut findings = run.judged.iter().flat_map(|judged| &judged.findings);
    let outcome = match findings.any(fails) {
        true => Outcome::Findings,
        false => Outcome::Clean,
    };
    // The system takes a program's memory back at once; object by object takes
    // as long as linking them.
    std::mem::forget(run);
    std::mem::forget(repository);
    Ok(outcome)
}

/// The result in a form.
fn text_of(
    run: &Run<'_>,
    format: ReportFormat,
    verbose: bool,
    quiet: bool,
    fails: &dyn Fn(&Finding) -> bool,
) -> String {
    match format {
        ReportFormat::Text => {
            let options = TextOptions {
                verbose,
                quiet,
                ..TextOptions::default()
            };
            report::text(run, options)
        }
        ReportFormat::Json => report::json(run),
        ReportFormat::Sarif => report::sarif(run),
        ReportFormat::Gitlab => report::gitlab(run),
        ReportFormat::Github => report::github(run, verbose),
        ReportFormat::Junit => report::junit(run, fails),
        ReportFormat::Markdown => report::markdown(run, verbose),
        ReportFormat::Html => report::html(run),
    }
}

/// What a cluster reported.
struct Seen {
    durations: Durations,
    state: Option<ClusterState>,
}

/// Judges every entrypoint.
fn judge(
    repository: &Repository,
    config: &Config,
    seen: &Seen,
    today: Date,
) -> Vec<(Judged, Accepted)> {
    let worlds = repository.worlds.par_iter();
    worlds
        .map(|world| judge_world(world, config, seen, &repository.texts, today))
        .collect()
}

fn judge_world(
    world: &World,
    config: &Config,
    seen: &Seen,
    texts: &Sources,
    today: Date,
) -> (Judged, Accepted) {
    let options = Options {
        durations: Some(&seen.durations),
    };
    let linked = Linked::with(world, config, options);
    let judgement = lint::judge_against(&linked, seen.state.as_ref(), texts, Some(today));
    let judged = Judged {
        kube_release: None,
        findings: report::concealed(judgement.findings, texts),
        timing: judgement.timing,
        externals: config.externals.len(),
        unused_externals: linked.unused_externals(),
        left_out: 0,
    };
    let accepted = Accepted {
        ignores: judgement.used_ignores,
        comments: judgement.used_comments,
    };
    (judged, accepted)
}

/// The name of an entrypoint.
fn name(world: &World) -> String {
    match world.entrypoint.as_str() {
        "" => ".".into(),
        path => path.into(),
    }
}

/// Whether a finding makes the exit status 1. Time is advice, unless there is a
/// budget for it or the configuration raises the rule.
fn fails(finding: &Finding, least: Severity, config: &Config) -> bool {
    let is_advice = finding.rule.starts_with("FL-T") && finding.rule != "FL-T100";
    let is_raised = || config.rules.level(finding.rule, finding.name).is_some();
    finding.severity >= least && (!is_advice || is_raised())
}

fn today() -> Date {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Date::from_unix(since.map_or(0, |since| since.as_secs()))
}
