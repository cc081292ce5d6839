//! Values of a release and its charts, laid over each other.
//!
//! The release's values win over a parent's, those over its subcharts'. Maps
//! merge, all else replaces. Null takes a chart's default away. Globals flow
//! down.

use gotmpl::Value;
use gotmpl::value::Map;
use gotmpl::value::types::ANY_MAP;

use crate::chart::Chart;
use crate::data::Data;

/// The values that a chart is rendered with. What does not fit and is left out
/// becomes a warning, in Helm's words.
pub fn coalesce(chart: &Chart, values: &Data, warnings: &mut Vec<String>) -> Result<Map, String> {
    over(chart, values.to_map(), false, warnings)
}

/// As [`coalesce`], with nulls kept, as values of releases are stored.
pub fn merge(chart: &Chart, values: &Data) -> Result<Map, String> {
    over(chart, values.to_map(), true, &mut Vec::new())
}

/// Lays a map below another, with nulls kept.
pub(crate) fn merge_tables(above: &Map, below: &Map) {
    let mut layer = Layer {
        warnings: &mut Vec::new(),
    };
    layer.tables(above, below, "", true);
}

fn over(
    chart: &Chart,
    values: Map,
    merge: bool,
    warnings: &mut Vec<String>,
) -> Result<Map, String> {
    Layer { warnings }.chart(chart, &values, "", merge)?;
    Ok(values)
}

const GLOBAL: &[u8] = b"global";

/// How layers are joined. With `merge` nulls stay. Warnings name values by their
/// path: the names of charts, then keys.
struct Layer<'w> {
    warnings: &'w mut Vec<String>,
}

impl Layer<'_> {
    fn chart(
        &mut self,
        chart: &Chart,
        values: &Map,
        path: &str,
        merge: bool,
    ) -> Result<(), String> {
        let path = &join(path, chart.name().as_bytes());
        self.defaults(chart, values, path, merge);
        for dependency in &chart.dependencies {
            let name = dependency.name();
            let inner = match values.get(name.as_bytes()) {
                None => {
                    let inner = Map::new(&ANY_MAP);
                    values.insert(name.as_str().into(), inner.clone().into());
                    inner
                }
                Some(Value::Map(inner)) => inner,
                Some(other) => {
                    let shown = shown(b"%t", other);
                    return Err(format!("type mismatch on {name}: {shown}"));
                }
            };
            self.globals(&inner, values, path);
            self.chart(dependency, &inner, path, merge)?;
        }
        Ok(())
    }

    /// Lays a chart's own values below.
    fn defaults(&mut self, chart: &Chart, values: &Map, path: &str, merge: bool) {
        let Data::Map(defaults) = &chart.values else {
            return;
        };
        for (key, default) in defaults {
            match (values.get(key), default) {
                (None, Data::Null) if !merge => {}
                (None, default) => {
                    let below = default.to_value();
                    if !merge {
                        clean(&below);
                    }
                    values.insert(key.clone().into(), below);
                }
                (Some(Value::Nil), _) if !merge => {
                    values.remove(key);
                }
                (Some(Value::Map(above)), Data::Map(_)) => {
                    let mut names = chart.dependencies.iter().map(Chart::name);
                    let merge = merge || names.any(|name| name.as_bytes() == &**key);
                    let below = default.to_map();
                    if !merge {
                        clean(&below.clone().into());
                    }
                    self.tables(&above, &below, &join(path, key), merge);
                }
                (Some(Value::Map(_)), default) if !matches!(default, Data::Null) => {
                    let key = join(path, key);
                    self.warn(format!("warning: skipped value for {key}: Not a table."));
                }
                (Some(_), _) => {}
            }
        }
    }

    /// Lays one map below another.
    fn tables(&mut self, above: &Map, below: &Map, path: &str, merge: bool) {
        let defaults = below.entries();
        let set = |key: &[u8]| {
            defaults
                .iter()
                .any(|(k, v)| k.bytes() == key && !matches!(v, Value::Nil))
        };
        let nulls: Vec<_> = above
            .entries()
            .into_iter()
            .filter(|(_, value)| matches!(value, Value::Nil))
            .collect();
        for (key, null) in nulls {
            below.insert(key, null);
        }
        for (key, value) in below.entries() {
            match (above.get(&key), &value) {
                (None, _) => above.insert(key, value),
                (Some(Value::Nil), _) if !merge && set(&key) => {
                    above.remove(&key);
                }
                (Some(Value::Map(above)), Value::Map(below)) => {
                    self.tables(&above, below, &join(path, &key), merge);
                }
                (Some(_), Value::Map(_)) => {
                    let (key, value) = (join(path, &key), shown(b"%v", value.clone()));
                    self.warn(format!(
                        "warning: cannot overwrite table with non table for {key} ({value})"
                    ));
                }
                (Some(Value::Map(_)), value) if !matches!(value, Value::Nil) => {
                    let (key, value) = (join(path, &key), shown(b"%v", value.clone()));
                    self.warn(format!(
                        "warning: destination for {key} is a table. Ignoring non-table value ({value})"
                    ));
                }
                _ => {}
            }
        }
    }

    /// Lays the globals of a parent over those of a subchart.
    fn globals(&mut self, below: &Map, above: &Map, path: &str) {
        let skipped =
            |side: &str| format!("warning: skipping globals because {side} global is not a table.");
        let inner = match below.get(GLOBAL) {
            None => Map::new(&ANY_MAP),
            Some(Value::Map(inner)) => inner,
            Some(_) => return self.warn(skipped("destination")),
        };
        let outer = match above.get(GLOBAL) {
            None => Vec::new(),
            Some(Value::Map(outer)) => outer.entries(),
            Some(_) => return self.warn(skipped("source")),
        };
        for (key, value) in outer {
            match (value, inner.get(&key)) {
                (Value::Map(value), None) => inner.insert(key, shallow(&value).into()),
                (Value::Map(value), Some(Value::Map(known))) => {
                    let value = shallow(&value);
                    self.tables(&value, &known, &join(path, &key), true);
                    inner.insert(key, value.into());
                }
                (Value::Map(_), Some(_)) => {
                    let key = gotmpl::strconv::quote(&key);
                    self.warn(format!(
                        "Conflict: cannot merge map onto non-map for {key}. Skipping."
                    ));
                }
                (_, Some(Value::Map(_))) => {
                    let key = String::from_utf8_lossy(&key);
                    self.warn(format!("key {key} is table. Skipping"));
                }
                (value, _) => inner.insert(key, value),
            }
        }
        below.insert("global".into(), inner.into());
    }

    fn warn(&mut self, warning: String) {
        // A chart's defaults meet the same values in each release: texts of one
        // value that is wrong everywhere must not fill the memory.
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(warning);
        }
    }
}

/// Warnings of one release.
const MOST_WARNINGS: usize = 1000;

/// A path with one more key.
fn join(path: &str, key: &[u8]) -> String {
    let key = String::from_utf8_lossy(key);
    match path {
        "" => key.into_owned(),
        path => format!("{path}.{key}"),
    }
}

/// A value as Go prints it.
fn shown(verb: &[u8], value: Value) -> String {
    let text = gotmpl::fmt::sprintf(verb, &[value]);
    String::from_utf8_lossy(&text).into_owned()
}

/// Takes nulls out of a map and those in it.
fn clean(value: &Value) {
    let Value::Map(map) = value else {
        return;
    };
    for (key, item) in map.entries() {
        match item {
            Value::Nil => {
                map.remove(&key);
            }
            item => clean(&item),
        }
    }
}

fn shallow(map: &Map) -> Map {
    map.entries().into_iter().collect()
}
