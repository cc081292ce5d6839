//! Hosts and ports.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::Fault;
use crate::escape::{Place, unescaped};

/// Whether a text is no port, or one: a colon and digits, which may be missing.
pub(crate) fn is_port(text: &[u8]) -> bool {
    match text.split_first() {
        None => true,
        Some((b':', digits)) => digits.iter().all(u8::is_ascii_digit),
        Some(_) => false,
    }
}

/// Whether a byte may stand in a user's name and password.
pub(crate) fn is_of_user(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte)
}

/// A host and its port, without percent signs.
pub(crate) fn read(scheme: &[u8], host: &[u8]) -> Result<Vec<u8>, Fault> {
    match host.iter().rposition(|byte| *byte == b'[') {
        Some(0) => return literal(host),
        Some(_) => return Err(Fault::Literal),
        None => {}
    }
    // Databases name several hosts, each with a port; the web does not.
    let colon = match scheme {
        b"http" | b"https" => host.iter().position(|byte| *byte == b':'),
        _ => host.iter().rposition(|byte| *byte == b':'),
    };
    let port = colon.and_then(|at| host.get(at..)).unwrap_or_default();
    if !is_port(port) {
        return Err(Fault::Port(port.to_vec()));
    }
    unescaped(host, Place::Host)
}

/// An address of IPv6 in brackets, and a port.
fn literal(host: &[u8]) -> Result<Vec<u8>, Fault> {
    let close = host.iter().rposition(|byte| *byte == b']');
    let (inside, port) = host.split_at(close.ok_or(Fault::Bracket)?);
    let (inside, port) = (
        inside.get(1..).unwrap_or_default(),
        port.get(1..).unwrap_or_default(),
    );
    if !is_port(port) {
        return Err(Fault::Port(port.to_vec()));
    }
    let zone = inside.windows(3).position(|three| three == b"%25");
    let (address, zone) = inside.split_at(zone.unwrap_or(inside.len()));
    let mut name = unescaped(address, Place::Host)?;
    name.extend(unescaped(zone, Place::Zone)?);
    check(&name)?;
    Ok([b"[", name.as_slice(), b"]", port].concat())
}

fn check(name: &[u8]) -> Result<(), Fault> {
    let refuse = || Fault::Address(name.to_vec());
    let text = std::str::from_utf8(name).map_err(|_| refuse())?;
    let (address, zone) = match text.split_once('%') {
        Some((address, zone)) => (address, Some(zone)),
        None => (text, None),
    };
    if address.parse::<Ipv4Addr>().is_ok() && zone.is_none() {
        return Err(Fault::Literal);
    }
    let known = address.parse::<Ipv6Addr>().is_ok() && zone.is_none_or(|zone| !zone.is_empty());
    known.then_some(()).ok_or_else(refuse)
}
