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

/// The values that a chart is rendered with.
pub fn coalesce(chart: &Chart, values: &Data) -> Result<Map, String> {
    over(chart, values.to_map(), false)
}

/// As [`coalesce`], with nulls kept, as values of releases are stored.
pub fn merge(chart: &Chart, values: &Data) -> Result<Map, String> {
    over(chart, values.to_map(), true)
}

/// Lays a map below another, with nulls kept.
pub(crate) fn merge_tables(above: &Map, below: &Map) {
    Layer { merge: true }.tables(above, below);
}

fn over(chart: &Chart, values: Map, merge: bool) -> Result<Map, String> {
    let layer = Layer { merge };
    layer.chart(chart, &values)?;
    Ok(values)
}

const GLOBAL: &[u8] = b"global";

/// How layers are joined.
#[derive(Clone, Copy)]
struct Layer {
    /// Nulls stay.
    merge: bool,
}

impl Layer {
    fn chart(self, chart: &Chart, values: &Map) -> Result<(), String> {
        self.defaults(chart, values);
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
                    let shown = gotmpl::fmt::sprintf(b"%t", &[other]);
                    let shown = String::from_utf8_lossy(&shown);
                    return Err(format!("type mismatch on {name}: {shown}"));
                }
            };
            globals(&inner, values);
            self.chart(dependency, &inner)?;
        }
        Ok(())
    }

    /// Lays a chart's own values below.
    fn defaults(self, chart: &Chart, values: &Map) {
        let Data::Map(defaults) = &chart.values else {
            return;
        };
        for (key, default) in defaults {
            let below = default.to_value();
            match values.get(key) {
                None => {
                    if !self.merge {
                        if matches!(below, Value::Nil) {
                            continue;
                        }
                        clean(&below);
                    }
                    values.insert(key.clone().into(), below);
                }
                Some(Value::Nil) if !self.merge => {
                    values.remove(key);
                }
                Some(Value::Map(above)) => {
                    if let Value::Map(map) = &below {
                        let child = chart
                            .dependencies
                            .iter()
                            .any(|d| d.name().as_bytes() == &**key);
                        let layer = Layer {
                            merge: self.merge || child,
                        };
                        if !layer.merge {
                            clean(&below);
                        }
                        layer.tables(&above, map);
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// Lays one map below another.
    fn tables(self, above: &Map, below: &Map) {
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
                (Some(Value::Nil), _) if !self.merge && set(&key) => {
                    above.remove(&key);
                }
                (Some(Value::Map(above)), Value::Map(below)) => self.tables(&above, below),
                _ => {}
            }
        }
    }
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

/// Lays the globals of a parent over those of a subchart.
fn globals(below: &Map, above: &Map) {
    let inner = match below.get(GLOBAL) {
        None => Map::new(&ANY_MAP),
        Some(Value::Map(inner)) => inner,
        Some(_) => return,
    };
    let outer = match above.get(GLOBAL) {
        None => Vec::new(),
        Some(Value::Map(outer)) => outer.entries(),
        Some(_) => return,
    };
    for (key, value) in outer {
        let known = inner.get(&key);
        match (value, known) {
            (Value::Map(value), None) => inner.insert(key, shallow(&value).into()),
            (Value::Map(value), Some(Value::Map(known))) => {
                let value = shallow(&value);
                Layer { merge: true }.tables(&value, &known);
                inner.insert(key, value.into());
            }
            (Value::Map(_), Some(_)) | (_, Some(Value::Map(_))) => {}
            (value, _) => inner.insert(key, value),
        }
    }
    below.insert("global".into(), inner.into());
}

fn shallow(map: &Map) -> Map {
    map.entries().into_iter().collect()
}
