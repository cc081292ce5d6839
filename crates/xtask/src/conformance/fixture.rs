//! The struct that upstream's template rows execute on.

use std::any::Any;
use std::collections::BTreeMap;

use gotmpl::Value;
use gotmpl::value::Object;
use serde_json::Value as Json;

use crate::engine::template::of_type;

/// A struct whose fields came from JSON.
struct Fixture {
    name: &'static str,
    fields: BTreeMap<&'static str, Value>,
}

impl Object for Fixture {
    fn type_name(&self) -> &'static str {
        self.name
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.fields.get(name).cloned()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Fields and their types. Pointers to basic values print as those.
const FIELDS: &[(&str, &str)] = &[
    ("True", "bool"),
    ("I", "int"),
    ("U16", "uint16"),
    ("X", "string"),
    ("S", "string"),
    ("FloatZero", "float64"),
    ("ComplexZero", "complex128"),
    ("SI", "[]int"),
    ("SICap", "[]int"),
    ("SIEmpty", "[]int"),
    ("SB", "[]bool"),
    ("AI", "[3]int"),
    ("MSI", "map[string]int"),
    ("MSIone", "map[string]int"),
    ("MSIEmpty", "map[string]int"),
    ("MXI", "map[string]int"),
    ("SMSI", "[]map[string]int"),
    ("Empty0", "nil"),
    ("Empty1", "int"),
    ("Empty2", "string"),
    ("Empty3", "[]int"),
    ("PI", "int"),
    ("PS", "string"),
];

/// The struct with the values of a row.
pub fn value(json: &Json) -> Value {
    let field = |name: &str| json.get(name).unwrap_or(&Json::Null);
    let inner = |name: &str| {
        let text = of_type("string", field(name).get("V").unwrap_or(&Json::Null));
        Value::object(Fixture {
            name: "*template.U",
            fields: BTreeMap::from([("V", text)]),
        })
    };
    let mut fields: BTreeMap<&'static str, Value> = FIELDS
        .iter()
        .map(|(name, ty)| (*name, of_type(ty, field(name))))
        .collect();
    fields.insert("U", inner("U"));
    fields.insert("Empty4", inner("Empty4"));
    Value::object(Fixture {
        name: "*template.T",
        fields,
    })
}
