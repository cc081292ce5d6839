//! URLs, taken apart and put together.

use gotmpl::strconv::quote;
use gotmpl::value::types::ANY_MAP;
use gotmpl::value::{Map, Str, Type};
use gotmpl::{Failure, Functions, Value};
use gourl::{Url, User};

use super::{TEXT, kind, made};

pub(super) fn add(all: &mut Functions) {
    all.add("urlParse", &[TEXT], |_, args| {
        let url = parsed(args.bytes(0), "unable to parse url")?;
        let map = Map::new(&ANY_MAP);
        let put = |key: &'static str, text: Vec<u8>| {
            map.insert(Str::from_static(key), Value::String(text.into()));
        };
        put("hostname", url.hostname().to_vec());
        let user = url.user.as_ref().map(User::text);
        put("userinfo", user.unwrap_or_default());
        put("scheme", url.scheme);
        put("host", url.host);
        put("path", url.path);
        put("query", url.query);
        put("opaque", url.opaque);
        put("fragment", url.fragment);
        Ok(map.into())
    });
    all.add("urlJoin", &[Type::DICT], |cx, args| {
        let field = |key: &str| match args.map(0).and_then(|map| map.get(key.as_bytes())) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(text.bytes().to_vec()),
            Some(other) => Err(Failure::from(format!(
                "unable to parse {key} key, must be of type string, but {} found",
                kind(&other)
            ))),
        };
        let mut url = Url::default();
        url.scheme = field("scheme")?;
        url.host = field("host")?;
        url.path = field("path")?;
        url.query = field("query")?;
        url.opaque = field("opaque")?;
        url.fragment = field("fragment")?;
        let user = field("userinfo")?;
        if !user.is_empty() {
            let known = [b"proto://", user.as_slice(), b"@host"].concat();
            url.user = parsed(&known, "unable to parse userinfo in dict")?.user;
        }
        made(cx, url.text())
    });
}

fn parsed(text: &[u8], what: &str) -> Result<Url, Failure> {
    Url::parse(text).map_err(|(fault, part)| {
        let why = fault.message(quote);
        Failure::from(format!("{what}: parse {}: {why}", quote(part)))
    })
}
