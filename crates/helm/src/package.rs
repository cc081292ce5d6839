//! Releases of a chart: from values to the documents that are installed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use gotmpl::Site;

use crate::chart::{Chart, File};
use crate::data::Data;
use crate::engine::{Compiled, Options, Rendered};
use crate::error::Error;
use crate::hook::Hook;
use crate::manifest::{self, Documents, Manifest};
use crate::release::{Capabilities, Release};
use crate::schema::Schemas;
use crate::semver::{Constraint, Version};
use crate::{dependencies, funcs, values};

/// A chart that releases share, whatever their threads. The templates of each
/// set of enabled charts are parsed once.
#[derive(Debug)]
pub struct Package {
    chart: Chart,
    /// Releases differ in the charts that they enable.
    chooses: bool,
    parsed: RwLock<HashMap<String, Arc<Slot>>>,
}

/// Stack for as many templates inside each other as Helm allows, in builds
/// that are not optimized, too. The system gives only what is used.
const STACK: usize = 160 << 20;

/// Made by the first that needs it; others wait for it alone.
type Slot = OnceLock<Result<Enabled, Error>>;

/// A set of enabled charts.
#[derive(Debug)]
struct Enabled {
    /// With the values that it imports.
    chart: Arc<Chart>,
    /// What Helm warns of.
    warnings: Vec<String>,
    /// What they demand of values.
    schemas: OnceLock<Schemas>,
    /// Its templates.
    compiled: OnceLock<Result<Compiled, Error>>,
}

impl Enabled {
    fn new(mut chart: Chart) -> Result<Self, Error> {
        let warnings = dependencies::import_values(&mut chart).map_err(of_dependencies)?;
        Ok(Enabled {
            chart: Arc::new(chart),
            warnings,
            schemas: OnceLock::new(),
            compiled: OnceLock::new(),
        })
    }
}

fn of_dependencies(message: String) -> Error {
    Error::plain(format!("chart dependencies processing failed: {message}"))
}

/// What a release asks of a chart.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The user's values, merged.
    pub values: &'a Data,
    /// The release.
    pub release: &'a Release,
    /// What the cluster can do.
    pub capabilities: &'a Capabilities,
    /// How to render.
    pub options: &'a Options,
    /// Values need not meet `values.schema.json`.
    pub skip_schema: bool,
}

/// What a release consists of.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Files in `crds/` of the chart and of those that it depends on, named
    /// with the path of their chart, in Helm's order.
    pub crds: Vec<File>,
    /// Documents in the order of installation.
    pub manifests: Vec<Manifest>,
    /// Hooks, ordered by kind as manifests are; [`crate::hook::of_event`]
    /// gives the order in which they run.
    pub hooks: Vec<Hook>,
    /// What the chart's own `NOTES.txt` says.
    pub notes: String,
    /// Functions that were asked for what is not the same in each run of
    /// Helm, and where.
    pub unstable: Vec<(&'static str, Site)>,
    /// APIs that templates asked the cluster for, by `.Has`. A release of a
    /// cluster that answers all of these the same is the same.
    pub apis: BTreeSet<String>,
    /// What Helm logs and goes on.
    pub warnings: Vec<String>,
    /// Schemas of values that were not judged, and why.
    pub unjudged: Vec<String>,
}

/// A render as the engine gives it, and what came up on the way.
struct Made {
    chart: Arc<Chart>,
    rendered: Rendered,
    warnings: Vec<String>,
    unjudged: Vec<String>,
}

impl Package {
    /// A chart to make releases of.
    pub fn new(chart: Chart) -> Self {
        Package {
            chooses: chooses(&chart),
            chart,
            parsed: RwLock::default(),
        }
    }

    /// The chart as it was loaded.
    pub fn chart(&self) -> &Chart {
        &self.chart
    }

    /// Renders a release.
    ///
    /// # Errors
    ///
    /// Where Helm refuses the release, with Helm's words.
    pub fn render(&self, request: &Request<'_>) -> Result<Output, Error> {
        let Made {
            chart,
            rendered,
            mut warnings,
            unjudged,
        } = self.rendered(request)?;
        let mut texts = as_texts(rendered.texts).map_err(|e| e.of_render(BTreeMap::new()))?;
        let notes = take_notes(&chart, &mut texts);
        let documents = match manifest::documents(&texts) {
            Ok(documents) => documents,
            Err(error) => return Err(error.of_render(texts)),
        };
        let Documents {
            manifests,
            hooks,
            warnings: dropped,
        } = documents;
        warnings.extend(dropped);
        Ok(Output {
            crds: crds(&chart, &chart.name()),
            manifests,
            hooks,
            notes,
            unstable: rendered.unstable,
            apis: rendered.apis,
            warnings,
            unjudged,
        })
    }

    /// The text of each template of a release, as the engine gives it.
    ///
    /// # Errors
    ///
    /// Where Helm's engine does not get so far, with Helm's words.
    pub fn texts(&self, request: &Request<'_>) -> Result<BTreeMap<String, Vec<u8>>, Error> {
        Ok(self.rendered(request)?.rendered.texts)
    }

    /// Few charts nest so deeply that they need a thread of their own.
    fn rendered(&self, request: &Request<'_>) -> Result<Made, Error> {
        let error = match self.rendered_here(request) {
            Err(error) if error.is_of_stack() => error,
            result => return result,
        };
        let mut options = request.options.clone();
        options.limits.stack = STACK - (8 << 20);
        let request = Request {
            options: &options,
            ..*request
        };
        let thread = std::thread::Builder::new().stack_size(STACK);
        std::thread::scope(|scope| {
            let thread = thread.spawn_scoped(scope, || self.rendered_here(&request));
            match thread.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(result)) => result,
                _ => Err(error),
            }
        })
    }

    fn rendered_here(&self, request: &Request<'_>) -> Result<Made, Error> {
        let (slot, mut warnings) = self.enabled(request.values)?;
        let enabled = match slot.get() {
            Some(enabled) => enabled.as_ref().map_err(Error::clone)?,
            None => return Err(Error::plain("the chart's dependencies are not there")),
        };
        warnings.extend(enabled.warnings.iter().cloned());
        let chart = enabled.chart.clone();
        let depends = matches!(self.chart.metadata.get("Dependencies"), Some(Data::List(_)));
        let values = values::coalesce(&chart, request.values, &mut warnings);
        let values = values.map_err(|e| match depends {
            true => of_dependencies(e),
            false => Error::plain(e),
        })?;
        let mut unjudged = Vec::new();
        if !request.skip_schema {
            let schemas = enabled.schemas.get_or_init(|| Schemas::new(&chart));
            unjudged = schemas.check(&values).map_err(Error::plain)?;
        }
        let top = request.release.top(&values, request.capabilities);
        fits_cluster(&chart, request.capabilities).map_err(|e| e.of_render(BTreeMap::new()))?;
        let compiled = enabled
            .compiled
            .get_or_init(|| Compiled::new(chart.clone()));
        let compiled = compiled
            .as_ref()
            .map_err(|e| e.clone().of_render(BTreeMap::new()))?;
        let rendered = compiled.render(&top, request.options);
        let rendered = rendered.map_err(|e| e.of_render(BTreeMap::new()))?;
        Ok(Made {
            chart,
            rendered,
            warnings,
            unjudged,
        })
    }

    /// The set of charts that values enable, made, and what Helm warns of.
    fn enabled(&self, values: &Data) -> Result<(Arc<Slot>, Vec<String>), Error> {
        let enable = |values: &Data| {
            let mut chart = self.chart.clone();
            let warnings = dependencies::enable(&mut chart, values).map_err(of_dependencies)?;
            Ok((chart, warnings))
        };
        if !self.chooses {
            // The same for all values.
            let slot = self.slot(String::new());
            slot.get_or_init(|| Enabled::new(enable(&Data::map())?.0));
            return Ok((slot, Vec::new()));
        }
        let (chart, warnings) = enable(values)?;
        let mut key = String::new();
        shape(&chart, &mut key);
        let slot = self.slot(key);
        slot.get_or_init(|| Enabled::new(chart));
        Ok((slot, warnings))
    }

    fn slot(&self, key: String) -> Arc<Slot> {
        let read = self.parsed.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = read.get(&key) {
            return slot.clone();
        }
        drop(read);
        let mut write = self.parsed.write().unwrap_or_else(PoisonError::into_inner);
        write.entry(key).or_default().clone()
    }
}

/// A chart, or one below it, looks at values to see what it depends on.
fn chooses(chart: &Chart) -> bool {
    let mut listed = chart.metadata.items_at("Dependencies").iter();
    let asks = |dependency: &Data| {
        !dependency.text_at("Condition").is_empty() || !dependency.items_at("Tags").is_empty()
    };
    listed.any(asks) || chart.dependencies.iter().any(chooses)
}

/// Tells which charts take part. The rest of them is the same for all
/// releases, but for their values.
fn shape(chart: &Chart, key: &mut String) {
    let listed = chart.metadata.items_at("Dependencies").iter();
    for dependency in listed {
        key.push_str(&dependency.text_at("Name"));
        key.push('\n');
    }
    key.push('{');
    for dependency in &chart.dependencies {
        key.push_str(&dependency.name());
        shape(dependency, key);
    }
    key.push('}');
}

fn fits_cluster(chart: &Chart, capabilities: &Capabilities) -> Result<(), Error> {
    let range = chart.metadata.text_at("KubeVersion");
    let (version, given) = (capabilities.normalized(), &capabilities.kube_version);
    let fits = || match (Version::parse(&version), Constraint::parse(&range)) {
        (Ok(version), Ok(range)) => range.check(&version),
        _ => false,
    };
    match range.is_empty() || fits() {
        true => Ok(()),
        false => Err(Error::plain(format!(
            "chart requires kubeVersion: {range} which is incompatible with Kubernetes {given}"
        ))),
    }
}

/// Texts of templates that YAML can be read of.
fn as_texts(texts: BTreeMap<String, Vec<u8>>) -> Result<BTreeMap<String, String>, Error> {
    let text = |(path, bytes): (String, Vec<u8>)| match String::from_utf8(bytes) {
        Ok(text) => Ok((path, text)),
        Err(error) if path.ends_with(NOTES) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Ok((path, text))
        }
        Err(_) => Err(Error::plain(format!(
            "YAML parse error on {path}: error converting YAML to JSON: yaml: invalid leading \
             UTF-8 octet"
        ))),
    };
    texts.into_iter().map(text).collect()
}

const NOTES: &str = "NOTES.txt";

/// Takes the notes of all charts out; those of the chart itself are kept.
fn take_notes(chart: &Chart, texts: &mut BTreeMap<String, String>) -> String {
    let own = funcs::clean_path(&format!("{}/templates/{NOTES}", chart.name()));
    let notes = texts.remove(&own).unwrap_or_default();
    texts.retain(|path, _| !path.ends_with(NOTES));
    notes
}

/// Files of `crds/`: those of a chart, then those of what it depends on.
fn crds(chart: &Chart, path: &str) -> Vec<File> {
    let is_manifest = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or_default();
        let suffix = name.rsplit_once('.').map(|(_, suffix)| suffix);
        suffix.is_some_and(|suffix| {
            ["yaml", "yml", "json"]
                .iter()
                .any(|known| suffix.eq_ignore_ascii_case(known))
        })
    };
    let own = chart
        .files
        .iter()
        .filter(|file| file.name.starts_with("crds/") && is_manifest(&file.name));
    let own = own.map(|file| File {
        name: funcs::clean_path(&format!("{path}/{}", file.name)),
        data: file.data.clone(),
    });
    let below = chart.dependencies.iter();
    let below = below.flat_map(|one| crds(one, &format!("{path}/charts/{}", one.name())));
    own.chain(below).collect()
}
