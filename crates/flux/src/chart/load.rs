//! A chart as a source delivers it: found, read, with other default values
//! and another version where the release asks for that.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use ecow::{EcoString, eco_format};
use helm::semver::Version;
use helm::{Chart, Data, Package};
use memchr::memmem;
use rustc_hash::FxHashMap;
use vfs::{Kind, Tree};
use yaml::{FileId, Limits, Node};

use super::{From, Metadata, Revision, UNKNOWN_DIGITS, Wanted, dependencies, registry_reference};
use crate::Settings;
use crate::chart::data;
use crate::chart::reads::Reads;
use crate::mirror::{Asked, ChartContent, ChartDirectory, Grounds, absence};
use crate::version::{is_full, of_artifact, of_registry, of_repository};

/// A chart that releases share.
pub(crate) struct Loaded {
    pub package: Package,
    /// Its name.
    pub name: EcoString,
    /// Its version, as releases see it.
    pub version: EcoString,
    /// Its templates look at the cluster's APIs otherwise than by asking for
    /// single ones.
    pub lists_apis: bool,
    /// Definitions read from files in `crds/`, by their names.
    definitions: Mutex<FxHashMap<String, Definitions>>,
    /// What it reads of its values, found out once.
    reads: OnceLock<Reads>,
}

type Definitions = Result<Arc<[Node]>, EcoString>;

impl Loaded {
    /// What the chart reads of its values.
    pub fn reads(&self) -> &Reads {
        self.reads.get_or_init(|| Reads::of(self.package.chart()))
    }

    /// The definitions in a file of `crds/`, read once. Other objects there are
    /// passed over.
    pub fn definitions(&self, file: &helm::chart::File) -> Definitions {
        let known =
            |map: MutexGuard<'_, FxHashMap<String, Definitions>>| map.get(&file.name).cloned();
        let lock = || match self.definitions.lock() {
            Ok(map) => map,
            Err(poisoned) => poisoned.into_inner(),
        };
        if let Some(read) = known(lock()) {
            return read;
        }
        // Not under the lock: they are long, and twice is no harm.
        let read = definitions(&file.data).map_err(|error| {
            eco_format!(
                "failed to parse CustomResourceDefinitions from {}: {error}",
                file.name
            )
        });
        lock().insert(file.name.clone(), read.clone());
        read
    }
}

fn definitions(text: &[u8]) -> Definitions {
    let failed = |error: yaml::Error| eco_format!("{error}");
    let text = String::from_utf8_lossy(text);
    let documents = yaml::parse(&text, FileId::NONE, &Limits::default()).map_err(failed)?;
    let definitions = documents
        .iter()
        .filter(|node| kubeapi::Crd::read(node).is_some())
        .map(|node| yaml::canonical(node).map_err(failed));
    definitions.collect()
}

/// Why there is no chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotLoaded {
    /// It is not here.
    Unavailable(EcoString),
    /// It is not here: its source was asked and did not give it.
    Failed(EcoString),
    /// Its source was asked and has no such thing, for this reason.
    Absent(EcoString),
    /// Flux refuses it as well, with these words.
    Refused(EcoString),
}

/// Loads a chart.
pub(crate) fn load(settings: &Settings, wanted: &Wanted) -> Result<Loaded, NotLoaded> {
    let mut found = find(settings, &wanted.from)?;
    if let Some(merged) = default_values(&found, wanted)? {
        found.chart.values = merged;
    }
    let digits = match &wanted.metadata {
        Metadata::None => None,
        Metadata::Packaged(metadata) => Some(metadata.clone()),
        Metadata::Digest => Some(digest_digits(settings, &found, &wanted.from)?),
    };
    if let Some(digits) = digits {
        let written = found.chart.metadata.text_at("Version");
        let mut version = Version::parse(&written).map_err(|error| {
            NotLoaded::Refused(eco_format!(
                "failed to parse version from chart metadata as SemVer: {error}"
            ))
        })?;
        version.metadata = digits.into();
        let version = version.to_string();
        found.chart.metadata.set("Version", Data::text(&version));
    }
    Ok(Loaded {
        name: found.chart.name().into(),
        version: found.chart.metadata.text_at("Version").into(),
        lists_apis: lists_apis(&found.chart),
        definitions: Mutex::default(),
        reads: OnceLock::new(),
        package: Package::new(found.chart),
    })
}

/// A chart and where it was found.
struct Found {
    chart: Chart,
    /// The source's files, if it is a directory of them.
    files: Option<Tree>,
    /// The tag of an artifact.
    tag: Option<EcoString>,
}

fn find(settings: &Settings, from: &From) -> Result<Found, NotLoaded> {
    let plain = |chart| Found {
        chart,
        files: None,
        tag: None,
    };
    match from {
        From::Repository {
            url,
            chart,
            version,
        } => {
            let (content, _) = held(settings, url, chart, version)?;
            Ok(plain(read(&content)?))
        }
        From::Stand {
            tree,
            chart,
            version,
        } => {
            let charts = ChartDirectory {
                tree: tree.tree(),
                path: "",
            };
            let content = of_repository(&charts.versions(chart), version)
                .and_then(|version| charts.chart(chart, &version));
            let content = content.ok_or_else(|| {
                NotLoaded::Unavailable(eco_format!(
                    "the directory that stands for its source holds no chart {chart} {version}"
                ))
            })?;
            Ok(plain(read(&content)?))
        }
        From::Artifact { url, revision } => artifact(settings, url, revision),
        From::Files { files, path } => of_files(settings, files.tree(), path),
        From::Only(files) => Ok(plain(only(files.tree())?)),
    }
}

/// The chart of a Helm repository, and its version or tag. The first mirror
/// that has a version to the taste counts.
pub(super) fn held(
    settings: &Settings,
    url: &str,
    chart: &str,
    version: &str,
) -> Result<(ChartContent, EcoString), NotLoaded> {
    let mirrors = &settings.mirrors;
    if url.starts_with("oci://") {
        let url = eco_format!("{}/{chart}", url.trim_end_matches('/'));
        let found = mirrors.iter().find_map(|mirror| {
            let version = match is_full(version) {
                true => version.into(),
                false => mirror.choose_tag(&url, &|tags| of_registry(tags, version))?,
            };
            // A tag has no `+`.
            let tag = version.replace("+", "_");
            Some((mirror.oci_chart(&url, &tag)?, version))
        });
        let tag = registry_reference(version);
        return found.ok_or_else(|| not_here(settings, &Asked::Oci(&url, &tag)));
    }
    let found = mirrors.iter().find_map(|mirror| {
        let choose = |versions: &[EcoString]| of_repository(versions, version);
        let version = mirror.choose_version(url, chart, &choose)?;
        Some((mirror.chart(url, chart, &version)?, version))
    });
    found.ok_or_else(|| not_here(settings, &Asked::Chart(url, chart, version)))
}

/// That no mirror has a chart: Flux will not have it either when its place says
/// so.
fn not_here(settings: &Settings, asked: &Asked<'_>) -> NotLoaded {
    if let Some(absence) = absence(&settings.mirrors, asked) {
        let reason = absence.reason;
        return match absence.grounds {
            Grounds::Missing => NotLoaded::Absent(reason),
            Grounds::Nothing | Grounds::Failed => NotLoaded::Failed(reason),
            Grounds::NotAsked => NotLoaded::Unavailable(reason),
        };
    }
    let (chart, url) = match asked {
        Asked::Chart(url, chart, version) => {
            (eco_format!("{chart} {version}"), EcoString::from(*url))
        }
        Asked::Oci(url, reference) | Asked::Layer(url, reference, _) => {
            let reference = reference.strip_prefix("semver:").unwrap_or(reference);
            (reference.into(), EcoString::from(*url))
        }
        Asked::Git(url, _) | Asked::Checkout(url, ..) | Asked::File(url) => {
            (EcoString::new(), EcoString::from(*url))
        }
        Asked::Bucket(bucket) => (EcoString::new(), bucket.address()),
    };
    NotLoaded::Unavailable(eco_format!(
        "chart {} of {url} is not available offline: name a directory that holds it in \
         `sources.mirrors`",
        chart.trim()
    ))
}

fn read(content: &ChartContent) -> Result<Chart, NotLoaded> {
    read_content(content)
        .map_err(|error| NotLoaded::Refused(eco_format!("Could not load chart: {error}")))
}

pub(super) fn read_content(content: &ChartContent) -> Result<Chart, EcoString> {
    match content {
        ChartContent::Archive(bytes) => helm::load::archive(bytes),
        ChartContent::Directory(tree) => helm::load::directory(tree, ""),
    }
    .map_err(|error| eco_format!("{error}"))
}

fn artifact(settings: &Settings, url: &str, revision: &Revision) -> Result<Found, NotLoaded> {
    let mirrors = settings.mirrors.iter();
    let ranged = revision
        .range
        .as_ref()
        .filter(|_| revision.digest.is_none());
    let tag = match ranged {
        Some(range) => mirrors
            .clone()
            .find_map(|mirror| mirror.choose_tag(url, &|tags| of_artifact(tags, range))),
        None => Some(revision.tag.clone().unwrap_or_else(|| "latest".into())),
    };
    // What a tag beside a digest names is meant to be the same.
    let references = [revision.digest.as_ref(), tag.as_ref()];
    let chart = references
        .into_iter()
        .flatten()
        .find_map(|reference| in_layer(settings, url, reference, revision));
    let Some(chart) = chart else {
        let asked = revision.reference();
        return Err(not_here(settings, &revision.asked(url, &asked)));
    };
    Ok(Found {
        chart: chart?,
        files: None,
        tag: tag.filter(|_| revision.digest.is_none()),
    })
}

/// The chart in the layer that a source takes, if a mirror has it.
fn in_layer(
    settings: &Settings,
    url: &str,
    reference: &str,
    revision: &Revision,
) -> Option<Result<Chart, NotLoaded>> {
    let mut mirrors = settings.mirrors.iter();
    match revision.other_layer() {
        Some(layer) => mirrors
            .find_map(|mirror| mirror.oci_layer(url, reference, layer))
            .map(|tree| only(&tree)),
        None => mirrors
            .find_map(|mirror| mirror.oci_chart(url, reference))
            .map(|content| read(&content)),
    }
}

/// The digits that helm-controller adds to the version of a chart from an OCI
/// artifact. A tag that is a version must be the chart's.
fn digest_digits(settings: &Settings, found: &Found, from: &From) -> Result<EcoString, NotLoaded> {
    let From::Artifact { url, revision } = from else {
        return Ok(UNKNOWN_DIGITS.into());
    };
    let known = |digest: &str| {
        let hex = digest.split_once(':').map_or(digest, |(_, hex)| hex);
        hex.get(..12).map(EcoString::from)
    };
    if let Some(digest) = &revision.digest {
        return Ok(known(digest).unwrap_or_else(|| UNKNOWN_DIGITS.into()));
    }
    let tag = found.tag.clone().unwrap_or_default();
    let own = found.chart.metadata.text_at("Version");
    let versions = (Version::parse(&tag.replace("_", "+")), Version::parse(&own));
    if let (Ok(named), Ok(own_version)) = versions
        && named.compare(&own_version).is_ne()
    {
        return Err(NotLoaded::Refused(eco_format!(
            "artifact revision {tag} does not match chart version {own}"
        )));
    }
    let mut mirrors = settings.mirrors.iter();
    let digest = mirrors.find_map(|mirror| mirror.digest(url, &tag));
    Ok(digest
        .and_then(|digest| known(&digest))
        .unwrap_or_else(|| UNKNOWN_DIGITS.into()))
}

/// A chart at a path of a source's files.
fn of_files(settings: &Settings, tree: &Tree, path: &str) -> Result<Found, NotLoaded> {
    let refused = |error: EcoString| NotLoaded::Refused(error);
    let path = vfs::normalize(path.trim_start_matches('/'))
        .map_err(|error| refused(eco_format!("chart reference '{path}': {error}")))?;
    let chart = match tree.probe(&path) {
        Some(Kind::File) => {
            let bytes = tree.read(&path);
            let bytes = bytes.map_err(|error| refused(eco_format!("{error}")))?;
            read(&ChartContent::Archive(bytes))?
        }
        Some(Kind::Directory) => {
            let mut chart = helm::load::directory(tree, &path)
                .map_err(|error| refused(eco_format!("Could not load chart: {error}")))?;
            dependencies::complete(&mut chart, tree, &path, settings)?;
            chart
        }
        None => {
            return Err(refused(eco_format!(
                "chart metadata load error: /{path}: no such file or directory"
            )));
        }
    };
    Ok(Found {
        chart,
        files: Some(tree.clone()),
        tag: None,
    })
}

/// The chart of a tree that is a chart, or holds one in its only directory.
fn only(tree: &Tree) -> Result<Chart, NotLoaded> {
    let listed = tree.list("").unwrap_or_default();
    let is_chart = |path: &str| {
        let file = vfs::join(path, "Chart.yaml").ok();
        file.is_some_and(|file| tree.probe(&file) == Some(Kind::File))
    };
    let below = listed
        .iter()
        .filter(|entry| entry.directory && is_chart(&entry.name))
        .map(|entry| entry.name.as_str());
    let path = is_chart("").then_some("").into_iter().chain(below).next();
    let archive = listed
        .iter()
        .find(|entry| !entry.directory && entry.name.ends_with(".tgz"));
    let loaded = match (path, archive) {
        (Some(path), _) => helm::load::directory(tree, path).map_err(|e| eco_format!("{e}")),
        (None, Some(entry)) => match tree.read(&entry.name) {
            Ok(bytes) => read_content(&ChartContent::Archive(bytes)),
            Err(error) => Err(eco_format!("{error}")),
        },
        (None, None) => Err("Chart.yaml file is missing".into()),
    };
    loaded.map_err(|error| NotLoaded::Refused(eco_format!("Could not load chart: {error}")))
}

/// What `valuesFiles` make of the default values. Paths are those of the
/// source's files, or of the chart where it comes from a repository.
fn default_values(found: &Found, wanted: &Wanted) -> Result<Option<Data>, NotLoaded> {
    if wanted.values_files.is_empty() {
        return Ok(None);
    }
    let refused =
        |error: EcoString| NotLoaded::Refused(eco_format!("values files merge error: {error}"));
    let mut merged = Data::map();
    for path in &wanted.values_files {
        let clean = vfs::normalize(path).map_err(|error| refused(eco_format!("{error}")))?;
        if found.files.is_none() && clean == "values.yaml" {
            data::lay_over(&mut merged, &found.chart.values);
            continue;
        }
        let Some(bytes) = file(found, &clean) else {
            if wanted.ignore_missing {
                continue;
            }
            return Err(refused(eco_format!(
                "no values file found at path '{path}'"
            )));
        };
        let values = data::of_text(&String::from_utf8_lossy(&bytes)).map_err(|error| {
            refused(eco_format!(
                "unmarshaling values from '{path}' failed: {error}"
            ))
        })?;
        data::lay_over(&mut merged, &values);
    }
    Ok(Some(merged))
}

fn file(found: &Found, path: &str) -> Option<Arc<[u8]>> {
    if let Some(tree) = &found.files {
        return tree.read(path).ok();
    }
    let mut files = found.chart.files.iter();
    let file = files.find(|file| file.name == path)?;
    Some(file.data.as_slice().into())
}

/// Whether templates speak of the cluster's APIs without asking for one.
fn lists_apis(chart: &Chart) -> bool {
    const LIST: &str = "APIVersions";
    let finder = memmem::Finder::new(LIST);
    let lists = |chart: &Chart| {
        let mut templates = chart.templates.iter();
        templates.any(|template| {
            let mut places = finder.find_iter(&template.data);
            places.any(|at| {
                let behind = template.data.get(at + LIST.len()..);
                !behind.is_some_and(|behind| behind.starts_with(b".Has"))
            })
        })
    };
    lists(chart) || chart.dependencies.iter().any(lists_apis)
}
