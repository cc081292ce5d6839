//! `.Files`: what templates can read of their chart.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::value::types::{ANY_MAP, STRING_SLICE};
use gotmpl::value::{List, Map, MapType, Method, Str, Type};
use gotmpl::{Args, Context, Failure, Value};

use crate::chart::File;
use crate::funcs::to_yaml;
use crate::glob::Glob;

static FILES: MapType = MapType {
    name: "engine.files",
    elem: Type::BYTES,
    named: true,
    methods: METHODS,
};

/// The files of a chart, for all its renders.
#[derive(Debug, Default)]
pub(crate) struct Shared(Vec<(Bytes, Bytes)>);

type Bytes = Arc<[u8]>;

impl Shared {
    /// Copies the files, once.
    pub(crate) fn new(of: &[File]) -> Self {
        let file = |file: &File| (file.name.as_bytes().into(), file.data.as_slice().into());
        Shared(of.iter().map(file).collect())
    }

    /// The files as the templates of a render see them.
    pub(crate) fn map(&self) -> Map {
        let entry =
            |(name, data): &(Bytes, Bytes)| (Str::from(name.clone()), Value::bytes(data.clone()));
        Map::with(&FILES, self.0.iter().map(entry).collect())
    }
}

static METHODS: &[Method] = &[
    method("Get", &[Type::String], |_, files, args| {
        Ok(Value::String(bytes(files, args.bytes(0))))
    }),
    method("GetBytes", &[Type::String], |_, files, args| {
        Ok(Value::bytes(bytes(files, args.bytes(0))))
    }),
    method("Glob", &[Type::String], glob),
    method("AsConfig", &[], |_, files, _| {
        as_yaml(files, |bytes| Value::string(bytes))
    }),
    method("AsSecrets", &[], |_, files, _| {
        use base64::Engine as _;
        let engine = base64::engine::general_purpose::STANDARD;
        as_yaml(files, |bytes| Value::from(engine.encode(bytes)))
    }),
    method("Lines", &[Type::String], |_, files, args| {
        let bytes = bytes(files, args.bytes(0));
        if bytes.is_empty() {
            return Ok(List::new(&STRING_SLICE, Vec::new()).into());
        }
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let lines = text.split(|byte| *byte == b'\n').map(Str::from);
        Ok(lines.collect::<List>().into())
    }),
];

const fn method(
    name: &'static str,
    params: &'static [Type],
    call: gotmpl::value::MethodBody,
) -> Method {
    Method {
        name,
        params,
        variadic: false,
        call,
    }
}

fn entries(files: &Value) -> Vec<(Str, Value)> {
    match files {
        Value::Map(map) => map.entries(),
        _ => Vec::new(),
    }
}

fn bytes(files: &Value, name: &[u8]) -> Str {
    match files {
        Value::Map(map) => match map.get(name) {
            Some(Value::Bytes(bytes)) => (*bytes).clone(),
            _ => Str::EMPTY,
        },
        _ => Str::EMPTY,
    }
}

fn glob(_: &mut Context<'_>, files: &Value, args: Args<'_>) -> Result<Value, Failure> {
    let glob = Glob::new(&args.text(0));
    let found = entries(files)
        .into_iter()
        .filter(|(name, _)| glob.matches(&name.text()));
    let found: BTreeMap<Str, Value> = found.collect();
    Ok(Map::with(&FILES, found).into())
}

/// The files by their base names.
fn as_yaml(files: &Value, shown: impl Fn(&[u8]) -> Value) -> Result<Value, Failure> {
    let map = Map::new(&ANY_MAP);
    for (name, file) in entries(files) {
        let Value::Bytes(file) = file else {
            continue;
        };
        let base = name
            .bytes()
            .rsplit(|byte| *byte == b'/')
            .next()
            .unwrap_or_default();
        map.insert(Str::from(base), shown(&file));
    }
    Ok(Value::from(to_yaml(&map.into()).unwrap_or_default()))
}
