//! DER, the form of keys and certificates, and PEM around it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(super) const INTEGER: u8 = 0x02;
pub(super) const BITS: u8 = 0x03;
pub(super) const OCTETS: u8 = 0x04;
pub(super) const OID: u8 = 0x06;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// A value: its tag, length and content.
pub(super) fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    let length = content.len();
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => {
            let bytes = length.to_be_bytes();
            let bytes: Vec<u8> = bytes.into_iter().skip_while(|byte| *byte == 0).collect();
            out.push(0x80 | u8::try_from(bytes.len()).unwrap_or_default());
            out.extend(bytes);
        }
    }
    out.extend(content);
    out
}

/// A sequence of values.
pub(super) fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    value(SEQUENCE, &parts.concat())
}

/// A number that is not negative, of its bytes.
pub(super) fn integer(bytes: &[u8]) -> Vec<u8> {
    let mut content: Vec<u8> = bytes
        .iter()
        .copied()
        .skip_while(|byte| *byte == 0)
        .collect();
    if content.first().is_none_or(|byte| *byte >= 0x80) {
        content.insert(0, 0);
    }
    value(INTEGER, &content)
}

/// Whole bytes as bits.
pub(super) fn bits(content: &[u8]) -> Vec<u8> {
    value(BITS, &[&[0], content].concat())
}

/// Reads the values of a sequence one by one.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Of values that follow each other.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Reader(bytes)
    }

    /// Inside the sequence that the bytes are.
    pub(super) fn inside(bytes: &'a [u8]) -> Option<Self> {
        let content = Reader(bytes).take(SEQUENCE)?;
        Some(Reader(content))
    }

    /// The next value's tag, content and all its bytes.
    pub(super) fn next(&mut self) -> Option<(u8, &'a [u8], &'a [u8])> {
        let (tag, first) = (*self.0.first()?, *self.0.get(1)?);
        let (length, begin) = match first {
            0..0x80 => (usize::from(first), 2),
            _ => {
                let count = usize::from(first & 0x7f);
                let bytes = self.0.get(2..2 + count).filter(|_| count <= 4)?;
                let fold = |length: usize, byte: &u8| length << 8 | usize::from(*byte);
                (bytes.iter().fold(0, fold), 2 + count)
            }
        };
        let content = self.0.get(begin..begin.checked_add(length)?)?;
        let (whole, rest) = self.0.split_at_checked(begin + length)?;
        self.0 = rest;
        Some((tag, content, whole))
    }

    /// The next value's content, if it has a tag.
    pub(super) fn take(&mut self, tag: u8) -> Option<&'a [u8]> {
        match self.next()? {
            (found, content, _) if found == tag => Some(content),
            _ => None,
        }
    }

    /// The next values, all numbers.
    pub(super) fn integers<const N: usize>(&mut self) -> Option<[&'a [u8]; N]> {
        let mut numbers: [&[u8]; N] = [&[]; N];
        for number in &mut numbers {
            *number = self.take(INTEGER)?;
        }
        Some(numbers)
    }
}

/// A block of PEM.
pub(super) fn pem(label: &str, bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let mut out = format!("-----BEGIN {label}-----\n");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, behind) = rest.split_at_checked(64).unwrap_or((rest, ""));
        out.push_str(line);
        out.push('\n');
        rest = behind;
    }
    out.push_str(&format!("-----END {label}-----\n"));
    out
}

/// The label and bytes of the first block of PEM.
pub(super) fn unpem(text: &str) -> Option<(String, Vec<u8>)> {
    let (_, behind) = text.split_once("-----BEGIN ")?;
    let (label, behind) = behind.split_once("-----")?;
    let (body, _) = behind.split_once(&format!("-----END {label}-----"))?;
    // Headers end at an empty line.
    let body = match body.contains(": ") {
        true => body.split_once("\n\n")?.1,
        false => body,
    };
    let body: String = body.split_whitespace().collect();
    Some((label.to_owned(), STANDARD.decode(body).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_back() {
        let long = vec![7; 300];
        let bytes = sequence(&[integer(&[0, 0x80]), value(OCTETS, &long)]);
        let mut reader = Reader::inside(&bytes).unwrap();
        assert_eq!(reader.take(INTEGER), Some([0, 0x80].as_slice()));
        assert_eq!(reader.take(OCTETS), Some(long.as_slice()));
        assert!(reader.next().is_none());
        assert!(Reader::inside(&[0x30, 0x85, 1, 1, 1, 1, 1]).is_none());
    }

    #[test]
    fn blocks_are_read_back() {
        let text = pem("X", &[1; 100]);
        assert!(text.lines().all(|line| line.len() <= 64));
        assert_eq!(unpem(&text), Some(("X".to_owned(), vec![1; 100])));
        assert_eq!(unpem("text"), None);
    }
}
