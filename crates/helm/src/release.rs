//! What templates see beside their values: the release and the cluster.

use std::any::Any;

use gotmpl::Value;
use gotmpl::value::types::ANY_MAP;
use gotmpl::value::{List, Map, Method, Object, SliceType, Str, Type};

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
        call: |_, versions, args| {
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
        let numbers = version.split(['-', '+']).next().unwrap_or_default();
        let mut parts = numbers.split('.');
        let mut number = || parts.next().unwrap_or("0");
        format!("v{}.{}.{}", number(), number(), number())
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
            text: Some(format!("v{}.{}.{}", number(0), number(1), number(2))),
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
