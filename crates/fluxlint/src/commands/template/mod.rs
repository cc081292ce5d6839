//! `fluxlint template [NAME] CHART`: what `helm template` prints, its errors
//! and its exit status 1.

mod pattern;
mod write;

use std::io::{Read, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use helm::chart::Chart;
use helm::given::{Given, check_name, name_of_template};
use helm::{Capabilities, Data, HookEvent, Options, Output, Package, Release, Request};
use vfs::{Disk, Tree};

use crate::Outcome;
use crate::cli::TemplateArgs;
use crate::failure::Failure;
use crate::output;

/// Renders a chart.
pub fn run(args: &TemplateArgs) -> Result<Outcome, Failure> {
    match template(args) {
        Ok(()) => Ok(Outcome::Clean),
        Err(Refused::Here(failure)) => Err(failure.status(1)),
        Err(Refused::AsHelm(message)) => {
            // Helm's words, where other programs look for them.
            let _ = writeln!(std::io::stderr().lock(), "Error: {message}");
            Ok(Outcome::Findings)
        }
    }
}

/// Why there is no result.
enum Refused {
    /// Helm refuses it, too.
    AsHelm(String),
    /// Helm might not.
    Here(Failure),
}

impl From<String> for Refused {
    fn from(message: String) -> Self {
        Refused::AsHelm(message)
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Refused::Here(failure)
    }
}

fn template(args: &TemplateArgs) -> Result<(), Refused> {
    if let Some((flag, why)) = args.refused.first() {
        let message = format!("{flag} cannot be used here");
        return Err(Failure::new(message).because(why).into());
    }
    if args.positions.is_empty() {
        let usage = "Usage:  fluxlint template [NAME] [CHART] [flags]";
        let message = "\"fluxlint template\" requires at least 1 argument";
        return Err(format!("{message}\n\n{usage}").into());
    }
    let mut capabilities = Capabilities::default();
    if let Some(version) = &args.kube_version {
        let set = capabilities.set_kube_version(version);
        set.map_err(|e| format!("invalid kube version '{version}': {e}"))?;
    }
    let (name, chart) = name_and_chart(args)?;
    let path = locate(chart)?;
    let values = values(args)?;
    let chart = load(path)?;
    check_installable(&chart)?;
    check_name(&name).map_err(|e| format!("release name check failed: {e}"))?;
    let versions = args.api_versions.iter().cloned();
    capabilities.api_versions.extend(versions);
    let release = Release {
        name,
        namespace: namespace(args),
        revision: 1,
        is_upgrade: args.is_upgrade,
    };
    let package = Package::new(chart);
    let result = package.render(&Request {
        values: &values,
        release: &release,
        capabilities: &capabilities,
        options: &Options::default(),
        skip_schema: args.skip_schema_validation,
    });
    // The program ends here, and the system takes its memory back at once.
    std::mem::forget(package);
    match result {
        Ok(rendered) => {
            warn(&rendered);
            print(args, &rendered, &release.name)
        }
        Err(error) => Err(failed(args, &error)),
    }
}

/// Values that do not fit, dependencies that cannot be judged. As with Helm, the
/// result is right.
fn warn(rendered: &Output) {
    let mut stderr = std::io::stderr().lock();
    for warning in &rendered.warnings {
        let words = warning.strip_prefix("warning: ").unwrap_or(warning);
        let _ = writeln!(stderr, "warning: {words}");
    }
}

fn namespace(args: &TemplateArgs) -> String {
    let given = args.namespace.clone();
    let given = given.or_else(|| std::env::var("HELM_NAMESPACE").ok());
    given
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "default".to_owned())
}

/// What is rendered is printed on demand, to be looked at.
fn failed(args: &TemplateArgs, error: &helm::Error) -> Refused {
    match error.rendered() {
        None => Refused::AsHelm(error.to_string()),
        Some(_) if !args.debug => {
            let hint = "Use --debug flag to render out invalid YAML";
            Refused::AsHelm(format!("{error}\n\n{hint}"))
        }
        Some(texts) => {
            let filled = texts.iter().filter(|(_, text)| !text.trim().is_empty());
            let documents = filled.map(|(path, text)| document(path, text));
            let documents = documents.collect::<String>();
            match output::write(&format!("{}\n", documents.trim()), None) {
                Ok(()) => Refused::AsHelm(error.to_string()),
                Err(failure) => failure.into(),
            }
        }
    }
}

fn document(path: &str, text: &str) -> String {
    format!("---\n# Source: {path}\n{text}\n")
}

fn name_and_chart(args: &TemplateArgs) -> Result<(String, &str), String> {
    match args.positions.as_slice() {
        [chart] => {
            let name = match &args.name_template {
                Some(template) if !template.is_empty() => name_of_template(template)?,
                _ if args.generate_name => generated(chart),
                _ => "release-name".to_owned(),
            };
            Ok((name, chart))
        }
        [name, chart] => {
            for (given, flag) in [
                (args.generate_name, "--generate-name"),
                (args.name_template.is_some(), "--name-template"),
            ] {
                if given {
                    return Err(format!("cannot set {flag} and also specify a name"));
                }
            }
            Ok((name.clone(), chart))
        }
        all => Err(format!(
            "expected at most two arguments, unexpected arguments: {}",
            all.get(2..).unwrap_or_default().join(", ")
        )),
    }
}

/// The chart's name and the seconds of the clock.
fn generated(chart: &str) -> String {
    let base = Path::new(chart).file_name().and_then(|name| name.to_str());
    let base = base.unwrap_or("chart").split('.').next();
    let base = base.filter(|base| !base.is_empty()).unwrap_or("chart");
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    format!("{base}-{}", now.map_or(0, |time| time.as_secs()))
}

fn locate(chart: &str) -> Result<&Path, Refused> {
    let chart = chart.trim();
    let path = Path::new(chart);
    if path.exists() {
        return Ok(path);
    }
    if path.is_absolute() || chart.starts_with('.') {
        let quoted = gotmpl::strconv::quote(chart.as_bytes());
        return Err(format!("path {quoted} not found").into());
    }
    Err(Failure::new(format!("there is no chart at {chart}"))
        .because("charts are read from directories and archives, not from the network")
        .help(format!("run `helm pull {chart}` and name the archive"))
        .into())
}

fn read_file(name: &str) -> Result<Vec<u8>, String> {
    if name.trim() == "-" {
        let mut text = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut text);
        return read.map(|_| text).map_err(|e| e.to_string());
    }
    std::fs::read(name).map_err(|error| {
        let cause = match error.kind() {
            std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            std::io::ErrorKind::IsADirectory => return format!("read {name}: is a directory"),
            _ => error.to_string(),
        };
        format!("open {name}: {cause}")
    })
}

fn values(args: &TemplateArgs) -> Result<Data, Refused> {
    let args = &args.values;
    let mut files = Vec::new();
    for name in &args.values {
        if name.contains("://") && !Path::new(name).exists() {
            return Err(Failure::new(format!("cannot read {name}"))
                .because("values are read from files, not from the network")
                .into());
        }
        files.push((name.clone(), read_file(name)?));
    }
    let given = Given {
        files,
        json: args.set_json.clone(),
        typed: args.set.clone(),
        texts: args.set_string.clone(),
        set_files: args.set_file.clone(),
        literals: args.set_literal.clone(),
    };
    Ok(given.merge(&mut read_file)?)
}

fn load(path: &Path) -> Result<Chart, Refused> {
    let cannot =
        |error: String| Failure::new(format!("cannot read {}", path.display())).because(error);
    if !path.is_dir() {
        let bytes = std::fs::read(path).map_err(|e| cannot(e.to_string()))?;
        return Ok(helm::load::archive(&bytes)?);
    }
    let disk = Disk::new(path).map_err(|e| cannot(e.to_string()))?;
    Ok(helm::load::directory(&Tree::new(disk.with_symlinks()), "")?)
}

fn check_installable(chart: &Chart) -> Result<(), Refused> {
    let ty = chart.metadata.text_at("Type");
    if !matches!(ty.as_str(), "" | "application") {
        return Err(format!("{ty} charts are not installable").into());
    }
    helm::dependencies::check(chart).map_err(|missing| {
        let message = format!(
            "an error occurred while checking for chart dependencies. You may need to run `helm \
             dependency build` to fetch missing dependencies: {missing}"
        );
        Refused::AsHelm(message)
    })
}

/// Hooks that are asked for.
fn hooks<'o>(args: &TemplateArgs, of: &'o Output) -> Vec<(&'o str, &'o str)> {
    let is_left_out =
        |hook: &helm::Hook| args.no_hooks || args.skip_tests && hook.runs_on(HookEvent::Test);
    let hooks = of.hooks.iter().filter(|hook| !is_left_out(hook));
    hooks.map(|hook| (&*hook.path, &*hook.text)).collect()
}

fn print(args: &TemplateArgs, of: &Output, name: &str) -> Result<(), Refused> {
    let hooks = hooks(args, of);
    let manifests = of.manifests.iter().map(|one| (&*one.path, &*one.text));
    if let Some(directory) = &args.output_dir {
        let crds = of.crds.iter().filter(|_| args.include_crds);
        let mut files = write::Files::below(directory);
        for crd in crds {
            files.add(None, &crd.name, &String::from_utf8_lossy(&crd.data))?;
        }
        let below = args.release_name.then_some(name);
        for (path, text) in manifests.chain(hooks) {
            files.add(below, path, text)?;
        }
        return Ok(output::write("\n", None)?);
    }
    let crds = of.crds.iter().filter(|_| args.include_crds);
    let crds = crds.map(|crd| document(&crd.name, &String::from_utf8_lossy(&crd.data)));
    let manifests = manifests.map(|(path, text)| document(path, text));
    let all: String = crds.chain(manifests).collect();
    let hooks: String = hooks
        .iter()
        .map(|(path, text)| document(path, text))
        .collect();
    let all = format!("{}\n{hooks}", all.trim());
    if args.show_only.is_empty() {
        return Ok(output::write(&all, None)?);
    }
    Ok(output::write(&only(&args.show_only, &all)?, None)?)
}

/// The documents of templates that are asked for, in the order asked for.
fn only(wanted: &[String], all: &str) -> Result<String, String> {
    let documents: Vec<(&str, &str)> = helm::manifest::split(all)
        .into_iter()
        .filter_map(|document| Some((source(document)?, document)))
        .collect();
    let mut out = String::new();
    for pattern in wanted {
        let found = documents
            .iter()
            .filter(|(path, _)| pattern::matches(pattern, path));
        let before = out.len();
        for (_, document) in found {
            out.push_str(&format!("---\n{document}\n"));
        }
        if out.len() == before {
            return Err(format!("could not find template {pattern} in chart"));
        }
    }
    Ok(out)
}

/// Where a document comes from, relative to the chart.
fn source(document: &str) -> Option<&str> {
    let mut places = document.match_indices("# Source: ");
    places.find_map(|(at, mark)| {
        let rest = document.get(at + mark.len()..)?;
        let (chart, path) = rest.lines().next()?.split_once('/')?;
        (!chart.is_empty() && !path.is_empty()).then_some(path)
    })
}
