//! Text made safe for HTML, JavaScript and queries of URLs.

use crate::unicode;

/// For HTML.
pub(crate) fn html(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            0 => out.extend_from_slice("\u{fffd}".as_bytes()),
            b'"' => out.extend_from_slice(b"&#34;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            _ => out.push(*byte),
        }
    }
    out
}

/// For a string in JavaScript.
pub(crate) fn javascript(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (rune, bytes) in unicode::runes(text) {
        match rune {
            '\\' => out.extend_from_slice(b"\\\\"),
            '\'' => out.extend_from_slice(b"\\'"),
            '"' => out.extend_from_slice(b"\\\""),
            '<' => out.extend_from_slice(b"\\u003C"),
            '>' => out.extend_from_slice(b"\\u003E"),
            '&' => out.extend_from_slice(b"\\u0026"),
            '=' => out.extend_from_slice(b"\\u003D"),
            _ if rune < ' ' || !rune.is_ascii() && !unicode::is_print(rune) => {
                out.extend_from_slice(format!("\\u{:04X}", u32::from(rune)).as_bytes());
            }
            _ => out.extend_from_slice(bytes),
        }
    }
    out
}

/// For a part of a URL's query.
pub(crate) fn query(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(*byte),
            b' ' => out.push(b'+'),
            _ => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    out
}
