//! `fluxlint check`: render, judge, report.

use std::time::{Instant, SystemTime};

use config::{Config, Date};
use link::Linked;
use lint::{Finding, Judgement, Selection, Severity};
use model::{Repository, World};
use observed::ClusterState;
use rayon::prelude::*;
use report::{Judged, Notice, Run, TextOptions};
use yaml::Sources;

use crate::Outcome;
use crate::cli::{CheckArgs, ReportFormat};
use crate::commands::rules;
use crate::failure::Failure;
use crate::input::Input;
use crate::progress::Progress;
use crate::{observe, output, settings};

/// Judges a repository and prints what was found.
pub fn run(args: &CheckArgs, quiet: bool) -> Result<Outcome, Failure> {
    let started = Instant::now();
    let selection = Selection::of(&args.only).map_err(|rule| rules::unknown(&rule))?;
    let mut input = Input::open(&args.repo)?;
    selection.apply(&mut input.config);
    let settings = settings::settings(&input, &args.entrypoints)?;
    let progress = Progress::new(quiet);
    let repository = flux::render(
        input.tree.clone(),
        input.texts.clone(),
        &settings,
        &|event| progress.event(event),
    );
    drop(progress);
    input.require_entrypoints(&repository)?;
    let today = today();
    let state = args.cluster_state.as_deref();
    let state = state.map(|path| observe::cluster_state(path, &repository));
    let seen = Seen {
        state: state.transpose()?,
    };
    let judged = judge(&repository, &input.config, &seen, today);
    let run = Run {
        version: env!("CARGO_PKG_VERSION"),
        elapsed: started.elapsed(),
        repository: &repository,
        notices: notices(&input.config, &selection, &judged, today),
        judged: judged.into_iter().map(|(judged, _)| judged).collect(),
    };
    let fails = |finding: &Finding| fails(finding, args.fail_on.severity(), &input.config);
    write(&run, args, quiet, &fails)?;
    let mut findings = run.judged.iter().flat_map(|judged| &judged.findings);
    match findings.any(fails) {
        true => Ok(Outcome::Findings),
        false => Ok(Outcome::Clean),
    }
}

/// Writes the result in the form that is asked for.
fn write(
    run: &Run<'_>,
    args: &CheckArgs,
    quiet: bool,
    fails: &dyn Fn(&Finding) -> bool,
) -> Result<(), Failure> {
    let text = match args.format {
        ReportFormat::Text => {
            let options = TextOptions {
                verbose: args.verbose,
                quiet,
                ..TextOptions::default()
            };
            return output::write_styled(&report::text(run, options), args.output.as_deref());
        }
        ReportFormat::Json => report::json(run),
        ReportFormat::Sarif => report::sarif(run),
        ReportFormat::Gitlab => report::gitlab(run),
        ReportFormat::Github => report::github(run, args.verbose),
        ReportFormat::Junit => report::junit(run, fails),
        ReportFormat::Markdown => report::markdown(run, args.verbose),
        ReportFormat::Html => report::html(run),
    };
    output::write(&text, args.output.as_deref())
}

/// What a cluster reported.
struct Seen {
    state: Option<ClusterState>,
}

/// Judges every entrypoint; with each, which `ignore` entries were of use.
fn judge(
    repository: &Repository,
    config: &Config,
    seen: &Seen,
    today: Date,
) -> Vec<(Judged, Vec<bool>)> {
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
) -> (Judged, Vec<bool>) {
    let linked = Linked::new(world, config);
    let Judgement {
        findings,
        timing,
        used_ignores,
    } = lint::judge_against(&linked, seen.state.as_ref(), texts, Some(today));
    let judged = Judged {
        kube_release: None,
        findings,
        timing,
        externals: config.externals.len(),
        unused_externals: linked.unused_externals(),
    };
    (judged, used_ignores)
}

/// Whether a finding makes the exit status 1. Time is advice, unless there is a
/// budget for it or the configuration raises the rule.
fn fails(finding: &Finding, least: Severity, config: &Config) -> bool {
    let is_advice = finding.rule.starts_with("FL-T") && finding.rule != "FL-T100";
    let is_raised = || config.rules.level(finding.rule, finding.name).is_some();
    finding.severity >= least && (!is_advice || is_raised())
}

/// What the run has to say about the configuration.
fn notices(
    config: &Config,
    selection: &Selection,
    judged: &[(Judged, Vec<bool>)],
    today: Date,
) -> Vec<Notice> {
    let inert = config.inert().into_iter().map(|inert| Notice {
        message: format!("`{}` has no effect: {}", inert.key, inert.why).into(),
        span: Some(inert.span),
    });
    let ignores = config.ignore.iter().enumerate().filter_map(|(at, entry)| {
        let is_used = judged.iter().any(|(_, used)| used.get(at) == Some(&true));
        let rule = &entry.rule.value;
        let message = match entry.until {
            Some(until) if until < today => {
                format!("this `ignore` entry for {rule} ended on {until}; remove it")
            }
            _ if !is_used && selection.has(rule) => {
                format!("this `ignore` entry for {rule} matches nothing; remove it")
            }
            _ => return None,
        };
        Some(Notice {
            message: message.into(),
            span: Some(entry.span),
        })
    });
    inert.chain(ignores).collect()
}

fn today() -> Date {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Date::from_unix(since.map_or(0, |since| since.as_secs()))
}
