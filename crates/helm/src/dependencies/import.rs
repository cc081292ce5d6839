//! Values that a chart takes over from those that it depends on.

use gotmpl::Value;
use gotmpl::value::types::ANY_MAP;
use gotmpl::value::{Map, Str};

use super::enable::table;
use crate::chart::Chart;
use crate::data::Data;
use crate::values::{merge, merge_tables};

/// Lays the values that charts import below their own, charts that nest
/// deepest first. To be called after [`super::enable`]; does not depend on a
/// release's values. Gives what Helm warns of.
///
/// # Errors
///
/// Where a chart's values do not fit one below it: a scalar where its map
/// should be.
pub fn import_values(chart: &mut Chart) -> Result<Vec<String>, String> {
    let mut warnings = Vec::new();
    below(chart, &mut warnings)?;
    Ok(warnings)
}

fn below(chart: &mut Chart, warnings: &mut Vec<String>) -> Result<(), String> {
    for one in &mut chart.dependencies {
        below(one, warnings)?;
    }
    let Some(Data::List(listed)) = chart.metadata.get("Dependencies") else {
        return Ok(());
    };
    let mut listed = listed.clone();
    let values = merge(chart, &Data::Null)?;
    let imported = Map::new(&ANY_MAP);
    for dependency in &mut listed {
        let name = dependency.text_at("Name");
        let mut imports = Vec::new();
        for import in dependency.items_at("ImportValues") {
            let Some(Import { child, parent }) = Import::of(import) else {
                continue;
            };
            match table(&values, &format!("{name}.{child}")) {
                Some(found) => {
                    // Helm shares maps here: what one import brings changes
                    // what another has brought, and where that came from.
                    merge_tables(&imported, &at_path(&parent, found));
                    let mut room = ROOM;
                    ends(&imported, 0, &mut room)
                        .ok_or_else(|| format!("import-values of dependency {name}: {ENDLESS}"))?;
                }
                None => warnings.push(format!(
                    "import-values of dependency {name}: it has no map at {child}"
                )),
            }
            imports.push(Import { child, parent }.data());
        }
        dependency.set("ImportValues", Data::List(imports));
    }
    // What was imported may be part of the chart's values still.
    let own = Data::of(&values.into()).to_map();
    merge_tables(&own, &imported);
    chart.values = Data::of(&own.into());
    chart.metadata.set("Dependencies", Data::List(listed));
    Ok(())
}

/// Helm runs out of stack where values come to hold themselves.
const ENDLESS: &str = "the imported values hold themselves, or are too many";
/// Entries of all maps that are imported.
const ROOM: usize = 1 << 20;
/// Maps in maps.
const DEEPEST: usize = 256;

/// Nothing where maps do not end.
fn ends(map: &Map, depth: usize, room: &mut usize) -> Option<()> {
    let entries = map.entries();
    *room = room.checked_sub(entries.len())?;
    if depth > DEEPEST {
        return None;
    }
    entries.iter().try_for_each(|(_, value)| match value {
        Value::Map(inner) => ends(inner, depth + 1, room),
        _ => Some(()),
    })
}

/// Where values are in the chart below, and where they go to.
struct Import {
    child: String,
    parent: String,
}

impl Import {
    /// A name stands for a map of `exports`.
    fn of(data: &Data) -> Option<Self> {
        let shown = |key: &str| {
            let value = data.get(key).map(Data::to_value).unwrap_or_default();
            let text = gotmpl::fmt::sprintf(b"%v", &[value]);
            String::from_utf8_lossy(&text).into_owned()
        };
        match data {
            Data::String(name) => Some(Import {
                child: format!("exports.{}", String::from_utf8_lossy(name)),
                parent: ".".to_owned(),
            }),
            Data::Map(_) => Some(Import {
                child: shown("child"),
                parent: shown("parent"),
            }),
            _ => None,
        }
    }

    fn data(&self) -> Data {
        let mut data = Data::map();
        data.set("child", Data::text(&self.child));
        data.set("parent", Data::text(&self.parent));
        data
    }
}

/// A map below the keys of a path.
fn at_path(path: &str, map: Map) -> Map {
    if path == "." {
        return map;
    }
    path.split('.').rev().fold(map, |below, key| {
        Map::with(
            &ANY_MAP,
            std::iter::once((Str::from(key), below.into())).collect(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(json: &str) -> Data {
        Data::of(&crate::json::read(json).unwrap())
    }

    fn chart(name: &str, values: &str, imports: &str) -> Chart {
        let listed = match imports.is_empty() {
            true => "null".to_owned(),
            false => format!(r#"[{{"Name":"below","ImportValues":{imports}}}]"#),
        };
        Chart {
            metadata: data(&format!(r#"{{"Name":"{name}","Dependencies":{listed}}}"#)),
            values: data(values),
            ..Chart::default()
        }
    }

    fn imported(above: &str, below: &str, imports: &str) -> Result<Chart, String> {
        let mut chart = chart("above", above, imports);
        chart.dependencies = vec![self::chart("below", below, "")];
        import_values(&mut chart)?;
        Ok(chart)
    }

    #[test]
    fn both_forms_and_the_parents_values_win() {
        let chart = imported(
            r#"{"data":{"a":"mine"}}"#,
            r#"{"exports":{"data":{"data":{"a":1,"b":2}}},"port":{"x":{"y":3}}}"#,
            r#"["data",{"child":"port","parent":"to.here"}]"#,
        );
        let chart = chart.unwrap();
        assert_eq!(
            chart.values.get("data"),
            Some(&data(r#"{"a":"mine","b":2}"#))
        );
        assert_eq!(
            chart.values.get("to"),
            Some(&data(r#"{"here":{"x":{"y":3}}}"#))
        );
        assert_eq!(
            chart.metadata.items_at("Dependencies")[0].items_at("ImportValues")[0],
            data(r#"{"child":"exports.data","parent":"."}"#)
        );
    }

    #[test]
    fn values_that_hold_themselves_are_refused() {
        let result = imported(
            "{}",
            r#"{"exports":{"x":{"k":{"a":1}}}}"#,
            r#"["x",{"child":"exports","parent":"k"}]"#,
        );
        assert!(result.unwrap_err().contains("hold themselves"));
    }
}
