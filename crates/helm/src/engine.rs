//! Rendering charts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use gotmpl::value::types::{ANY_MAP, MapType, STRING_MAP};
use gotmpl::value::{Map, Str, Type};
use gotmpl::{Functions, Limits, MissingKey, Site, Templates, Value};

use crate::chart::Chart;
use crate::error::Error;
use crate::files::Shared;
use crate::funcs::Rendering;
use crate::funcs::templates::{SET, without_no_value};

static FUNCTIONS: LazyLock<Arc<Functions>> = LazyLock::new(|| {
    let mut all = Functions::new();
    crate::funcs::add(&mut all);
    Arc::new(all)
});

/// All functions, made once.
pub(crate) fn functions() -> Arc<Functions> {
    FUNCTIONS.clone()
}

/// `.Values`, and other maps that Helm gives this type.
static VALUES: MapType = MapType {
    name: "common.Values",
    elem: Type::Any,
    named: true,
    methods: &[gotmpl::value::Method {
        name: "AsMap",
        params: &[],
        variadic: false,
        call: |_, values, _| match values {
            Value::Map(map) => Ok(map.as_type(&ANY_MAP).into()),
            _ => Ok(Value::Nil),
        },
    }],
};

/// How to render.
#[derive(Clone, Debug)]
pub struct Options {
    /// A key that a map does not have is an error.
    pub strict: bool,
    /// `required` and `fail` pass.
    pub lint: bool,
    /// A placeholder for what is random depends on its function alone, not on
    /// the place of the call: a program that cannot know the place can give
    /// the same.
    pub uniform: bool,
    /// What another run would give: all placeholders are others, and it is later.
    pub again: bool,
    /// What all templates of a render may use together. Where the stack does
    /// not suffice [`crate::Package`] renders on a thread that has enough.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strict: false,
            lint: false,
            uniform: false,
            again: false,
            limits: Limits {
                stack: 512 << 10,
                ..Limits::default()
            },
        }
    }
}

/// What a render gives.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The text of each template, by its path; helpers have none.
    pub texts: BTreeMap<String, Vec<u8>>,
    /// Functions that were asked for what is not the same in each run of
    /// Helm, and where.
    pub unstable: Vec<(&'static str, Site)>,
    /// APIs that templates asked the cluster for, by `.Has`.
    pub apis: BTreeSet<String>,
}

/// A chart whose templates are parsed, to be rendered many times and by many
/// threads.
#[derive(Debug)]
pub struct Compiled {
    chart: Arc<Chart>,
    set: Templates,
    /// Paths in the order in which Helm renders, each with that of its chart.
    order: Vec<(String, String)>,
    /// Files by the path of their chart.
    files: HashMap<String, Shared>,
}

impl Compiled {
    /// Parses the templates of a chart and of those that it depends on.
    pub fn new(chart: Arc<Chart>) -> Result<Self, Error> {
        let mut sources = BTreeMap::new();
        collect(&chart, &chart.name(), &mut sources);
        Compiled::parse(chart.clone(), &sources)
    }

    /// Templates by path, without a chart.
    pub fn of_texts(sources: &BTreeMap<String, Vec<u8>>) -> Result<Self, Error> {
        let source =
            |(name, text): (&String, _)| (name.clone(), (String::new(), Vec::as_slice(text)));
        Compiled::parse(Arc::default(), &sources.iter().map(source).collect())
    }

    fn parse(chart: Arc<Chart>, sources: &Sources<'_>) -> Result<Self, Error> {
        let mut set = Templates::new(FUNCTIONS.clone())
            .named(SET)
            .missing_key(MissingKey::Zero);
        let mut paths: Vec<_> = sources.iter().collect();
        let depth = |path: &String| path.matches('/').count();
        paths.sort_by(|(a, _), (b, _)| depth(b).cmp(&depth(a)).then_with(|| b.cmp(a)));
        let mut order = Vec::new();
        for (path, (owner, text)) in paths {
            set.parse(path, text).map_err(|e| Error::parse(path, &e))?;
            order.push((path.clone(), owner.clone()));
        }
        let mut files = HashMap::new();
        collect_files(&chart, &chart.name(), &mut files);
        Ok(Compiled {
            chart,
            set,
            order,
            files,
        })
    }

    /// Renders the chart. `top` holds `Values`, `Release` and `Capabilities`.
    pub fn render(&self, top: &Map, options: &Options) -> Result<Rendered, Error> {
        let mut scopes = BTreeMap::new();
        self.scope(&self.chart, true, &self.chart.name(), top, &mut scopes);
        self.execute(options, |_, owner| scopes.get(owner).cloned())
    }

    /// Renders each template on a map of its own, with its base path. `scope`
    /// is asked with the paths of the template and its chart.
    pub fn execute(
        &self,
        options: &Options,
        scope: impl Fn(&str, &str) -> Option<(Map, String)>,
    ) -> Result<Rendered, Error> {
        let mut host = Rendering::new(options.strict, options.lint);
        host.uniform = options.uniform;
        host.again = options.again;
        let host = Rc::new(host);
        let strict = self.set.clone().missing_key(MissingKey::Error);
        let set = if options.strict { &strict } else { &self.set };
        let mut rendered = Rendered::default();
        let mut limits = options.limits.clone();
        for (path, owner) in &self.order {
            let name = path.rsplit('/').next().unwrap_or(path);
            if name.starts_with('_') {
                continue;
            }
            let Some((map, base)) = scope(path, owner) else {
                continue;
            };
            let template = Map::new(&VALUES);
            template.insert(Str::from_static("Name"), Value::from(path.as_str()));
            template.insert(Str::from_static("BasePath"), Value::from(base));
            map.insert(Str::from_static("Template"), template.into());
            host.looked_up.set(false);
            let output = set.execute_with(path, as_values(&map), &limits, host.clone());
            let output = output.map_err(|e| Error::execute(&e, host.looked_up.get()))?;
            limits.steps = limits.steps.saturating_sub(output.steps);
            limits.bytes = limits.bytes.saturating_sub(output.bytes);
            rendered
                .texts
                .insert(path.clone(), without_no_value(&output.text).to_vec());
        }
        rendered.unstable = host.unstable.calls();
        rendered.apis = host.apis.take();
        Ok(rendered)
    }

    /// Makes the scope of a chart and of those below it.
    fn scope(
        &self,
        chart: &Chart,
        is_root: bool,
        path: &str,
        above: &Map,
        scopes: &mut Scopes,
    ) -> Map {
        let map = Map::new(&ANY_MAP);
        let put = |key: &'static str, value: Value| map.insert(Str::from_static(key), value);
        let given = |key: &[u8]| above.get(key).unwrap_or_default();
        put("Chart", metadata(chart, is_root).into());
        put(
            "Files",
            self.files
                .get(path)
                .map(Shared::map)
                .unwrap_or_else(|| Shared::default().map())
                .into(),
        );
        put("Release", given(b"Release"));
        put("Capabilities", given(b"Capabilities"));
        let values = match (is_root, given(b"Values")) {
            (true, Value::Map(values)) => as_values(&values),
            (true, values) => values,
            (false, Value::Map(values)) => match values.get(chart.name().as_bytes()) {
                Some(Value::Map(own)) => as_values(&own),
                _ => Map::new(&VALUES).into(),
            },
            _ => Map::new(&VALUES).into(),
        };
        put("Values", values);
        let subcharts = Map::new(&ANY_MAP);
        put("Subcharts", subcharts.clone().into());
        for dependency in &chart.dependencies {
            let name = dependency.name();
            let path = format!("{path}/charts/{name}");
            let inner = self.scope(dependency, false, &path, &map, scopes);
            subcharts.insert(Str::from(name), inner.into());
        }
        scopes.insert(path.to_owned(), (map.clone(), format!("{path}/templates")));
        map
    }
}

/// Texts by path, each with the path of its chart.
type Sources<'c> = BTreeMap<String, (String, &'c [u8])>;

fn collect<'c>(chart: &'c Chart, path: &str, sources: &mut Sources<'c>) {
    for dependency in &chart.dependencies {
        let path = format!("{path}/charts/{}", dependency.name());
        collect(dependency, &path, sources);
    }
    for template in chart.templates.iter() {
        let name = template.name.rsplit('/').next().unwrap_or_default();
        if !chart.is_library() || name.starts_with('_') {
            let name = crate::funcs::clean_path(&format!("{path}/{}", template.name));
            sources.insert(name, (path.to_owned(), &template.data));
        }
    }
}

fn collect_files(chart: &Chart, path: &str, files: &mut HashMap<String, Shared>) {
    for dependency in &chart.dependencies {
        let path = format!("{path}/charts/{}", dependency.name());
        collect_files(dependency, &path, files);
    }
    files.insert(path.to_owned(), Shared::new(&chart.files));
}

/// What the templates of a chart see, and their base path.
type Scopes = BTreeMap<String, (Map, String)>;

/// What templates see as `.Chart`. Annotations are texts to Go, too: one that
/// is not set is an empty text.
fn metadata(chart: &Chart, is_root: bool) -> Map {
    let map = chart.metadata_map(is_root).to_map();
    let annotations = match map.get(b"Annotations") {
        Some(Value::Map(known)) if !known.is_empty() => known.as_type(&STRING_MAP),
        _ => Map::nil(&STRING_MAP),
    };
    map.insert(Str::from_static("Annotations"), annotations.into());
    map
}

/// The map itself: what one template changes, others see.
fn as_values(map: &Map) -> Value {
    map.as_type(&VALUES).into()
}
