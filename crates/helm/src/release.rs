//! What templates see beside their values: the release and the cluster.

use std::any::Any;

use gotmpl::Value;
use gotmpl::value::types::ANY_MAP;
use gotmpl::value::{List, Map, Method, Object, SliceType, Str, Type};

use crate::funcs::Rendering;

/// A release.
#[derive(Clone, Debug)]
pub struct Release {
    /// Its name.
    pub name: String,
    /// The namespace it is installed to.
    pub namespace: String,
    /// How often it was installed or upgraded.
    pub revision: i64,
    /// It is an upgrade, not an install.
    pub is_upgrade: bool,
}

/// What a cluster can do.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// Kubernetes' version, such as `v1.36.0`.
    pub kube_version: String,
    /// `group/version` and `group/version/Kind`.
    pub api_versions: Vec<String>,
    /// Helm's own version.
    pub helm_version: String,
}

/// What Helm takes for granted where it has no cluster.
const KNOWN: &str = include_str!("../data/capabilities.txt");

impl Default for Capabilities {
    /// What `helm template` has: the newest Kubernetes that it knows, with the
    /// built-in APIs.
    fn default() -> Self {
        let mut lines = KNOWN.lines();
        let version = lines.next().unwrap_or_default();
        let version = version.strip_prefix("kubernetes ").unwrap_or_default();
        Capabilities {
            kube_version: version.to_owned(),
            api_versions: lines.map(str::to_owned).collect(),
            helm_version: "v4.2.1".to_owned(),
        }
    }
}

impl Release {
    /// What a chart is rendered on, with its values.
    pub fn top(&self, values: &Map, capabilities: &Capabilities) -> Map {
        let release = Map::new(&ANY_MAP);
        let put = |key: &'static str, value: Value| release.insert(Str::from_static(key), value);
        put("Name", Value::from(self.name.as_str()));
        put("Namespace", Value::from(self.namespace.as_str()));
        put("Revision", Value::int(self.revision));
        put("IsUpgrade", Value::Bool(self.is_upgrade));
        put("IsInstall", Value::Bool(!self.is_upgrade));
        put("Service", Value::from("Helm"));
        let top = Map::new(&ANY_MAP);
        top.insert(Str::from_static("Release"), release.into());
        top.insert(Str::from_static("Values"), values.clone().into());
        top.insert(Str::from_static("Capabilities"), capabilities.value());
        top
    }
}

static VERSIONS: SliceType = SliceType {
    name: "common.VersionSet",
    elem: Type::String,
    named: true,
    methods: &[Method {
        name: "Has",
        params: &[Type::String],
        variadic: false,
        call: |cx, versions, args| {
            if let Some(rendering) = cx.host::<Rendering>() {
                let asked = String::from_utf8_lossy(args.bytes(0)).into_owned();
                rendering.apis.borrow_mut().insert(asked);
            }
            let items = match versions {
                Value::List(list) => list.items(),
                _ => &[],
            };
            let is =
                |item: &Value| matches!(item, Value::String(text) if text.bytes() == args.bytes(0));
            Ok(Value::Bool(items.iter().any(is)))
        },
    }],
};

impl Capabilities {
    /// Kubernetes' version as charts' ranges are compared with it: without
    /// what vendors add.
    pub fn normalized(&self) -> String {
        let version = self.kube_version.trim_start_matches('v');
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let end = version.find(|c| !is_number(c)).unwrap_or(version.len());
        let numbers = version.get(..end).unwrap_or_default();
        format!("v{}", numbers.trim_end_matches('.'))
    }

    /// Sets Kubernetes' version to one that a user names, such as `1.35`.
    ///
    /// # Errors
    ///
    /// Helm's message, where it is none.
    pub fn set_kube_version(&mut self, text: &str) -> Result<(), String> {
        let version = text.trim_start();
        let version = version.strip_prefix('v').unwrap_or(version);
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let end = version.find(|c| !is_number(c)).unwrap_or(version.len());
        let numbers = version.get(..end).unwrap_or_default().trim_end_matches('.');
        let parts: Vec<&str> = numbers.split('.').collect();
        let quoted = gotmpl::strconv::quote(text.as_bytes());
        if numbers.is_empty() || parts.iter().any(|part| part.is_empty()) {
            return Err(format!("could not parse {quoted} as version"));
        }
        let first = parts.first().copied().unwrap_or_default();
        if parts.len() < 2 {
            return Err(format!("illegal version string {quoted}"));
        }
        if first.len() > 1 && first.starts_with('0') {
            let part = gotmpl::strconv::quote(first.as_bytes());
            let message = format!("illegal zero-prefixed version component {part} in {quoted}");
            return Err(message);
        }
        self.kube_version = match text.starts_with('v') {
            true => text.to_owned(),
            false => format!("v{text}"),
        };
        Ok(())
    }

    fn value(&self) -> Value {
        let versions = self
            .api_versions
            .iter()
            .map(|text| Value::from(text.as_str()));
        let number = |at: usize| {
            let version = self.kube_version.trim_start_matches('v');
            let part = version.split('.').nth(at).unwrap_or_default();
            part.split(['-', '+']).next().unwrap_or_default().to_owned()
        };
        let kube = Struct {
            name: "common.KubeVersion",
            fields: &["Version", "Major", "Minor"],
            values: vec![
                Value::from(self.kube_version.as_str()),
                Value::from(number(0)),
                Value::from(number(1)),
            ],
            text: Some(self.normalized()),
            methods: KUBE_METHODS,
        };
        let helm = Struct {
            name: "version.BuildInfo",
            fields: &[
                "Version",
                "GitCommit",
                "GitTreeState",
                "GoVersion",
                "KubeClientVersion",
            ],
            values: vec![
                Value::from(self.helm_version.as_str()),
                Value::from(""),
                Value::from(""),
                Value::from("go1.26"),
                Value::from("v1.36"),
            ],
            text: None,
            methods: &[],
        };
        Value::object(Struct {
            name: "*common.Capabilities",
            fields: &["KubeVersion", "APIVersions", "HelmVersion"],
            values: vec![
                Value::object(kube),
                List::new(&VERSIONS, versions.collect()).into(),
                Value::object(helm),
            ],
            text: None,
            methods: &[],
        })
    }
}

static KUBE_METHODS: &[Method] = &[
    Method {
        name: "String",
        params: &[],
        variadic: false,
        call: |_, kube, _| match kube {
            Value::Object(kube) => Ok(Value::String(kube.text().unwrap_or_default())),
            _ => Ok(Value::Nil),
        },
    },
    Method {
        name: "GitVersion",
        params: &[],
        variadic: false,
        call: |_, kube, _| match kube {
            Value::Object(kube) => Ok(kube.field("Version").unwrap_or_default()),
            _ => Ok(Value::Nil),
        },
    },
];

/// A struct whose fields are known.
struct Struct {
    name: &'static str,
    fields: &'static [&'static str],
    values: Vec<Value>,
    text: Option<String>,
    methods: &'static [Method],
}

impl Object for Struct {
    fn type_name(&self) -> &'static str {
        self.name
    }

    fn fields(&self) -> &'static [&'static str] {
        self.fields
    }

    fn field(&self, name: &str) -> Option<Value> {
        let at = self.fields.iter().position(|field| *field == name)?;
        self.values.get(at).cloned()
    }

    fn methods(&self) -> &'static [Method] {
        self.methods
    }

    fn text(&self) -> Option<Str> {
        self.text.as_deref().map(Str::from)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_kubernetes() {
        let mut capabilities = Capabilities::default();
        assert!(capabilities.api_versions.iter().any(|one| one == "apps/v1"));
        assert_eq!(capabilities.normalized(), capabilities.kube_version);
        capabilities.set_kube_version("1.33.4-gke.1245000").unwrap();
        assert_eq!(capabilities.kube_version, "v1.33.4-gke.1245000");
        assert_eq!(capabilities.normalized(), "v1.33.4");
        let mut set = |text: &str| capabilities.set_kube_version(text).unwrap_err();
        assert_eq!(set("x"), "could not parse \"x\" as version");
        assert_eq!(set("1"), "illegal version string \"1\"");
    }
}
