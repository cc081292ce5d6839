//! Percent signs, and where they are needed.

use crate::Fault;

/// A part of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    User,
    Host,
    /// What follows `%25` in an address of IPv6.
    Zone,
    Fragment,
}

/// Whether a byte stands for itself.
fn is_plain(byte: u8, place: Place) -> bool {
    byte.is_ascii_alphanumeric()
        || b"-_.~".contains(&byte)
        || match place {
            Place::Path => b"$&+,/:;=@".contains(&byte),
            Place::User => b"$&+,;=".contains(&byte),
            Place::Host | Place::Zone => b"!$&'()*+,;=:[]<>\"".contains(&byte),
            Place::Fragment => b"$&+,/:;=?@!()*".contains(&byte),
        }
}

/// With percent signs where a part needs them.
pub(crate) fn escaped(text: &[u8], place: Place) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match is_plain(*byte, place) {
            true => out.push(*byte),
            false => out.extend(format!("%{byte:02X}").bytes()),
        }
    }
    out
}

/// Whether a text can be the written form of a part.
pub(crate) fn is_escaped(text: &[u8], place: Place) -> bool {
    let allowed = |byte: &u8| b"!$&'()*+,;=:@[]%".contains(byte) || is_plain(*byte, place);
    text.iter().all(allowed)
}

/// Without percent signs.
pub(crate) fn unescaped(text: &[u8], place: Place) -> Result<Vec<u8>, Fault> {
    let of_host = matches!(place, Place::Host | Place::Zone);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, behind)) = rest.split_first() {
        if *byte != b'%' {
            if of_host && byte.is_ascii() && !is_plain(*byte, place) {
                return Err(Fault::Host(vec![*byte]));
            }
            out.push(*byte);
            rest = behind;
            continue;
        }
        let refuse = || Fault::Escape(rest.get(..3).unwrap_or(rest).to_vec());
        let mut digits = behind.iter().map(|b| char::from(*b).to_digit(16));
        let digit = |digit: Option<Option<u32>>| digit.flatten().ok_or_else(refuse);
        let (high, low) = (digit(digits.next())?, digit(digits.next())?);
        let value = u8::try_from(high * 16 + low).map_err(|_| refuse())?;
        // Hosts hold percent signs for what is not ASCII, and for one of a zone.
        let fits = match place {
            _ if value == b'%' => true,
            Place::Host => value >= 0x80,
            Place::Zone => value == b' ' || is_plain(value, Place::Host),
            _ => true,
        };
        if !fits {
            return Err(refuse());
        }
        out.push(value);
        rest = behind.get(2..).unwrap_or_default();
    }
    Ok(out)
}
