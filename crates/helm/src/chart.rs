//! Charts as they are rendered, wherever they were loaded from.

use std::sync::Arc;

use crate::data::Data;

/// A file of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its path inside the chart.
    pub name: String,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// A chart and those that it depends on.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// `Chart.yaml`, by Go's names of the fields (`Name`, `AppVersion`, …).
    pub metadata: Data,
    /// `Chart.lock`, by Go's names of the fields; null where there is none.
    pub lock: Data,
    /// Default values.
    pub values: Data,
    /// `values.schema.json`
    pub schema: Option<Arc<[u8]>>,
    /// Files that are templates.
    pub templates: Arc<Vec<File>>,
    /// Files that templates can read.
    pub files: Arc<Vec<File>>,
    /// Charts that it depends on.
    pub dependencies: Vec<Chart>,
}

/// Fields of `Chart.yaml` that are texts: empty where they are not set.
const TEXTS: &[&str] = &[
    "Name",
    "Home",
    "Version",
    "Description",
    "Icon",
    "APIVersion",
    "Condition",
    "Tags",
    "AppVersion",
    "KubeVersion",
    "Type",
];
/// Fields that are lists.
const LISTS: &[&str] = &["Sources", "Keywords", "Maintainers", "Dependencies"];

impl Chart {
    fn text(&self, field: &str) -> String {
        self.metadata.text_at(field)
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.text("Name")
    }

    /// Only helpers of a library are templates.
    pub fn is_library(&self) -> bool {
        self.text("Type").eq_ignore_ascii_case("library")
    }

    /// What templates see as `.Chart`: every field, set or not.
    pub fn metadata_map(&self, is_root: bool) -> Data {
        let mut map = match &self.metadata {
            Data::Map(entries) => entries.clone(),
            _ => Default::default(),
        };
        let mut usual = |name: &str, data: Data| {
            let place = map.entry(Arc::from(name.as_bytes())).or_default();
            if *place == Data::Null {
                *place = data;
            }
        };
        for name in TEXTS {
            usual(name, Data::text(""));
        }
        for name in LISTS {
            usual(name, Data::List(Vec::new()));
        }
        usual("Deprecated", Data::Bool(false));
        usual("Annotations", Data::map());
        usual("IsRoot", Data::Bool(is_root));
        Data::Map(map)
    }
}
