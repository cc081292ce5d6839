//! Versions.

use std::any::Any;

use gotmpl::value::{IntKind, Method, Object, Str, Type, UintKind};
use gotmpl::{Functions, Value};

use super::TEXT;
use crate::semver::{Constraint, Version};

pub(super) fn add(all: &mut Functions) {
    all.add("semver", &[TEXT], |_, args| {
        Ok(Value::object(Shown(Version::parse(&args.text(0))?)))
    });
    all.add("semverCompare", &[TEXT, TEXT], |_, args| {
        let constraint = Constraint::parse(&args.text(0))?;
        let version = Version::parse(&args.text(1))?;
        Ok(Value::Bool(constraint.check(&version)))
    });
}

/// A version as templates see it.
struct Shown(Version);

/// The version that a method is called on.
fn of(value: &Value) -> Option<&Version> {
    match value {
        Value::Object(object) => object
            .as_any()
            .downcast_ref::<Shown>()
            .map(|shown| &shown.0),
        _ => None,
    }
}

const fn getter(name: &'static str, call: gotmpl::value::MethodBody) -> Method {
    Method {
        name,
        params: &[],
        variadic: false,
        call,
    }
}

fn number(value: &Value, which: fn(&Version) -> u64) -> Value {
    Value::Uint(of(value).map(which).unwrap_or_default(), UintKind::Uint64)
}

fn part(value: &Value, which: fn(&Version) -> String) -> Value {
    Value::from(of(value).map(which).unwrap_or_default())
}

static METHODS: &[Method] = &[
    getter("Major", |_, value, _| Ok(number(value, |v| v.major))),
    getter("Minor", |_, value, _| Ok(number(value, |v| v.minor))),
    getter("Patch", |_, value, _| Ok(number(value, |v| v.patch))),
    getter("Prerelease", |_, value, _| {
        Ok(part(value, |v| v.pre.clone()))
    }),
    getter("Metadata", |_, value, _| {
        Ok(part(value, |v| v.metadata.clone()))
    }),
    getter("Original", |_, value, _| {
        Ok(part(value, |v| v.original.clone()))
    }),
    getter("String", |_, value, _| Ok(part(value, Version::to_string))),
    Method {
        name: "Compare",
        params: &[Type::Host(TYPE)],
        variadic: false,
        call: |_, value, args| {
            let (Some(version), Some(other)) = (of(value), of(args.get(0))) else {
                return Err("no version".into());
            };
            Ok(Value::Int(version.compare(other) as i64, IntKind::Int))
        },
    },
];

const TYPE: &str = "*semver.Version";

impl Object for Shown {
    fn type_name(&self) -> &'static str {
        TYPE
    }

    fn methods(&self) -> &'static [Method] {
        METHODS
    }

    fn text(&self) -> Option<Str> {
        Some(Str::from(self.0.to_string()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
