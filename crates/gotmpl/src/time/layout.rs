//! The elements of a layout, which is a certain time written as wanted.

/// An element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    SpaceDay,
    ZeroDay,
    SpaceYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperHalf,
    LowerHalf,
    ZoneName,
    Offset(Offset),
    /// A fraction of so many digits.
    Fraction {
        digits: usize,
        comma: bool,
    },
    /// A fraction without zeros at its end.
    ShortFraction {
        digits: usize,
        comma: bool,
    },
}

/// How a zone's offset is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    /// `Z` stands for UTC.
    pub z: bool,
    pub minutes: bool,
    pub seconds: bool,
    pub colons: bool,
}

/// Elements whose text alone tells them, the longer ones first.
const FIXED: &[(&[u8], Element)] = &[
    (b"January", Element::LongMonth),
    (b"Monday", Element::LongWeekday),
    (b"MST", Element::ZoneName),
    (b"01", Element::ZeroMonth),
    (b"002", Element::ZeroYearDay),
    (b"02", Element::ZeroDay),
    (b"03", Element::ZeroHour12),
    (b"04", Element::ZeroMinute),
    (b"05", Element::ZeroSecond),
    (b"06", Element::Year),
    (b"15", Element::Hour),
    (b"1", Element::NumMonth),
    (b"2006", Element::LongYear),
    (b"2", Element::Day),
    (b"__2", Element::SpaceYearDay),
    (b"3", Element::Hour12),
    (b"4", Element::Minute),
    (b"5", Element::Second),
    (b"PM", Element::UpperHalf),
    (b"pm", Element::LowerHalf),
];

const fn offset(z: bool, minutes: bool, seconds: bool, colons: bool) -> Element {
    Element::Offset(Offset {
        z,
        minutes,
        seconds,
        colons,
    })
}

const OFFSETS: &[(&[u8], Element)] = &[
    (b"-070000", offset(false, true, true, false)),
    (b"-07:00:00", offset(false, true, true, true)),
    (b"-0700", offset(false, true, false, false)),
    (b"-07:00", offset(false, true, false, true)),
    (b"-07", offset(false, false, false, false)),
    (b"Z070000", offset(true, true, true, false)),
    (b"Z07:00:00", offset(true, true, true, true)),
    (b"Z0700", offset(true, true, false, false)),
    (b"Z07:00", offset(true, true, false, true)),
    (b"Z07", offset(true, false, false, false)),
];

/// An element of a layout: the text before it, itself, its text, and what is
/// behind.
pub(super) type Next<'l> = (&'l [u8], Element, &'l [u8], &'l [u8]);

/// The next element of a layout.
pub(super) fn next(layout: &[u8]) -> Option<Next<'_>> {
    (0..layout.len()).find_map(|at| {
        let (before, rest) = layout.split_at_checked(at)?;
        let (element, len) = element(rest, before)?;
        let (text, behind) = rest.split_at_checked(len)?;
        Some((before, element, text, behind))
    })
}

fn element(text: &[u8], before: &[u8]) -> Option<(Element, usize)> {
    // An abbreviation stands alone: no lower-case letter may follow.
    let alone = |len: usize| !text.get(len).is_some_and(u8::is_ascii_lowercase);
    let table = match text.first()? {
        b'-' | b'Z' => OFFSETS,
        b'.' | b',' => return fraction(text),
        b'_' if text.starts_with(b"_2006") => return None,
        b'_' if text.starts_with(b"_2") => return Some((Element::SpaceDay, 2)),
        _ => FIXED,
    };
    if text.starts_with(b"2006") && before.ends_with(b"_") {
        return Some((Element::LongYear, 4));
    }
    let found = table.iter().find(|(word, _)| text.starts_with(word));
    match found {
        Some((word, element)) => Some((*element, word.len())),
        None if text.starts_with(b"Jan") && alone(3) => Some((Element::Month, 3)),
        None if text.starts_with(b"Mon") && alone(3) => Some((Element::Weekday, 3)),
        None => None,
    }
}

/// `.000` or `.999`, and no digit behind.
fn fraction(text: &[u8]) -> Option<(Element, usize)> {
    let (mark, rest) = text.split_first()?;
    let digit = *rest.first().filter(|digit| matches!(digit, b'0' | b'9'))?;
    let digits = rest.iter().take_while(|byte| **byte == digit).count();
    if rest.get(digits).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let comma = *mark == b',';
    let element = match digit {
        b'0' => Element::Fraction { digits, comma },
        _ => Element::ShortFraction { digits, comma },
    };
    Some((element, digits + 1))
}
