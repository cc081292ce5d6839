//! Functions that Go answers at random, by the clock or from the network.
//! Here they give placeholders, the same in each run.

use std::cell::RefCell;

use gotmpl::time::Time;
use gotmpl::value::types::ANY_MAP;
use gotmpl::value::{Map, Str, Type};
use gotmpl::{Context, Failure, Functions, Site, Value};

use super::{Rendering, TEXT, made};

/// Records which calls are not the same in each run of Helm.
#[derive(Debug, Default)]
pub struct Unstable(RefCell<Vec<(&'static str, Site)>>);

impl Unstable {
    /// The functions that were asked, and where.
    pub fn calls(&self) -> Vec<(&'static str, Site)> {
        self.0.borrow().clone()
    }
}

pub(super) fn record(cx: &mut Context<'_>, name: &'static str) {
    if let Some(host) = cx.host::<Rendering>() {
        let call = (name, cx.site());
        let mut calls = host.unstable.0.borrow_mut();
        if !calls.contains(&call) {
            calls.push(call);
        }
    }
}

/// Placeholders depend on the function alone.
pub(super) fn is_uniform(cx: &Context<'_>) -> bool {
    cx.host::<Rendering>().is_some_and(|host| host.uniform)
}

/// The place of a call, which placeholders are made of; nothing where they
/// depend on the function alone.
pub(super) fn place(cx: &Context<'_>) -> String {
    match is_uniform(cx) {
        true => String::new(),
        false => {
            let site = cx.site();
            let again = if is_again(cx) { "again " } else { "" };
            format!("{again}{} {}", site.text, site.at)
        }
    }
}

fn is_again(cx: &Context<'_>) -> bool {
    cx.host::<Rendering>().is_some_and(|host| host.again)
}

/// The instant that all renders happen at: the start of 2025. Another run is some
/// days, hours, minutes and seconds later.
pub(super) fn now(cx: &mut Context<'_>) -> Time {
    record(cx, "now");
    let later = if is_again(cx) { 1_000_000 } else { 0 };
    Time::from_unix(1_735_689_600 + later, 0)
}

/// Letters of an alphabet that only the place of the call decides.
fn letters(
    cx: &mut Context<'_>,
    name: &'static str,
    alphabet: &[u8],
    count: i64,
) -> Result<Vec<u8>, Failure> {
    record(cx, name);
    let count = usize::try_from(count).unwrap_or_default();
    cx.charge(count)?;
    let site = cx.site();
    let mut state = 0xcbf2_9ce4_8422_2325u64 ^ u64::from(is_again(cx));
    let uniform = cx.host::<Rendering>().is_some_and(|host| host.uniform);
    let place = site.text.bytes().chain(site.at.to_le_bytes());
    for byte in place.filter(|_| !uniform) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let mut next = || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let at = usize::try_from(state >> 33).unwrap_or_default() % alphabet.len().max(1);
        alphabet.get(at).copied().unwrap_or(b'x')
    };
    Ok((0..count).map(|_| next()).collect())
}

const ALPHA: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALPHANUMERIC: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

pub(super) fn add(all: &mut Functions) {
    let words: [(&'static str, &'static [u8]); 4] = [
        ("randAlphaNum", ALPHANUMERIC),
        ("randAlpha", ALPHA),
        ("randAscii", ALPHANUMERIC),
        ("randNumeric", b"0123456789"),
    ];
    for (name, alphabet) in words {
        all.add(name, &[Type::INT], move |cx, args| {
            let text = letters(cx, name, alphabet, args.int(0))?;
            made(cx, text)
        });
    }
    all.add("randBytes", &[Type::INT], |cx, args| {
        use base64::Engine as _;
        let bytes = letters(cx, "randBytes", ALPHANUMERIC, args.int(0))?;
        made(cx, base64::engine::general_purpose::STANDARD.encode(bytes))
    });
    all.add("randInt", &[Type::INT, Type::INT], |cx, args| {
        record(cx, "randInt");
        match args.int(0) < args.int(1) {
            true => Ok(Value::int(args.int(0))),
            false => Err("invalid argument to Intn".into()),
        }
    });
    all.add("uuidv4", &[], |cx, _| {
        let digits = letters(cx, "uuidv4", b"0123456789abcdef", 30)?;
        let text = String::from_utf8_lossy(&digits).into_owned();
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
        let text = format!(
            "{}-{}-4{}-a{}-{}",
            part(0, 8),
            part(8, 12),
            part(12, 15),
            part(15, 18),
            part(18, 30)
        );
        made(cx, text)
    });
    all.add("shuffle", &[TEXT], |cx, args| {
        record(cx, "shuffle");
        Ok(Value::String(args.string(0)))
    });
    all.add("getHostByName", &[TEXT], |_, _| {
        Ok(Value::String(Str::EMPTY))
    });
    all.add("lookup", &[TEXT, TEXT, TEXT, TEXT], |cx, _| {
        record(cx, "lookup");
        if let Some(host) = cx.host::<Rendering>() {
            host.looked_up.set(true);
        }
        Ok(Map::new(&ANY_MAP).into())
    });
}
