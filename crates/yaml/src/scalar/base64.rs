//! Base 64 as Go's `base64.StdEncoding` decodes it.

/// Decodes; line breaks are skipped, padding is required.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut group = 0_u32;
    let mut count = 0;
    let mut padding = 0;
    for byte in text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')) {
        if byte == b'=' {
            padding += 1;
            if count + padding > 4 || count < 2 {
                return None;
            }
            continue;
        }
        if padding > 0 {
            return None;
        }
        group = group << 6 | sextet(byte)?;
        count += 1;
        if count == 4 {
            let [_, a, b, c] = group.to_be_bytes();
            out.extend([a, b, c]);
            (group, count) = (0, 0);
        }
    }
    match (count, padding) {
        (0, 0) => {}
        (2, 2) => out.push(u8::try_from(group >> 4 & 0xFF).ok()?),
        (3, 1) => {
            out.push(u8::try_from(group >> 10 & 0xFF).ok()?);
            out.push(u8::try_from(group >> 2 & 0xFF).ok()?);
        }
        _ => return None,
    }
    Some(out)
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}
