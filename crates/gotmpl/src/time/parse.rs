//! Reading times.

use super::civil::{days_from, days_in};
use super::format::{DAYS, MONTHS};
use super::layout::{Element, Offset, next};
use super::{Time, Zone, quote};
use crate::value::Str;

/// What was read so far.
#[derive(Default)]
struct Parts {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: i64,
    afternoon: Option<bool>,
    offset: Option<i64>,
    zone: Option<Vec<u8>>,
    utc: bool,
}

/// Why an element was not read.
enum Fault {
    Bad,
    Range(&'static str),
}

type Read<'t, T> = Result<(T, &'t [u8]), Fault>;

pub(super) fn parse(layout: &[u8], text: &[u8]) -> Result<Time, String> {
    let mut parts = Parts::default();
    let (mut rest, mut value) = (layout, text);
    let cannot = |value: &[u8], element: &[u8]| {
        let (text, layout) = (quote(text), quote(layout));
        let (value, element) = (quote(value), quote(element));
        format!("parsing time {text} as {layout}: cannot parse {value} as {element}")
    };
    let wrong = |what: &str| format!("parsing time {}: {what}", quote(text));
    while let Some((before, element, word, behind)) = next(rest) {
        value = skip(value, before).map_err(|at| cannot(at, before))?;
        value = match parts.read(value, element, behind) {
            Ok(value) => value,
            Err(Fault::Range(what)) => return Err(wrong(&format!("{what} out of range"))),
            Err(Fault::Bad) => return Err(cannot(value, word)),
        };
        rest = behind;
    }
    value = skip(value, rest).map_err(|at| cannot(at, rest))?;
    if !value.is_empty() {
        let extra = quote(value);
        return Err(format!("parsing time {}: extra text: {extra}", quote(text)));
    }
    parts.finish().map_err(wrong)
}

/// Steps over a text of the layout; spaces match any number of spaces. An
/// error is what is left where they differ.
fn skip<'t>(mut value: &'t [u8], mut text: &[u8]) -> Result<&'t [u8], &'t [u8]> {
    while let Some((byte, behind)) = text.split_first() {
        if *byte == b' ' {
            if value.first().is_some_and(|byte| *byte != b' ') {
                return Err(value);
            }
            text = trim(text);
            value = trim(value);
            continue;
        }
        value = value
            .strip_prefix(std::slice::from_ref(byte))
            .ok_or(value)?;
        text = behind;
    }
    Ok(value)
}

fn trim(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
    text.get(spaces..).unwrap_or_default()
}

/// Exactly so many digits.
fn fixed(value: &[u8], count: usize) -> Read<'_, i64> {
    let (digits, rest) = value.split_at_checked(count).ok_or(Fault::Bad)?;
    Ok((number(digits).ok_or(Fault::Bad)?, rest))
}

/// One or two digits; two if `both`.
fn short(value: &[u8], both: bool) -> Read<'_, i64> {
    let two = value.get(1).is_some_and(u8::is_ascii_digit);
    match (two, both) {
        (false, true) => Err(Fault::Bad),
        (true, _) => fixed(value, 2),
        (false, false) => fixed(value, 1),
    }
}

fn number(digits: &[u8]) -> Option<i64> {
    let mut number = 0i64;
    for digit in digits {
        number = number * 10 + i64::from(char::from(*digit).to_digit(10)?);
    }
    (!digits.is_empty()).then_some(number)
}

/// A name of a table, whole or its first three letters.
fn lookup<'t>(value: &'t [u8], names: &[&str], whole: bool) -> Read<'t, i64> {
    for (at, name) in names.iter().enumerate() {
        let name = if whole {
            name
        } else {
            name.get(..3).unwrap_or(name)
        };
        if let Some((start, rest)) = value.split_at_checked(name.len())
            && start.eq_ignore_ascii_case(name.as_bytes())
        {
            return Ok((i64::try_from(at).unwrap_or_default(), rest));
        }
    }
    Err(Fault::Bad)
}

fn within(number: i64, range: std::ops::Range<i64>, what: &'static str) -> Result<i64, Fault> {
    match range.contains(&number) {
        true => Ok(number),
        false => Err(Fault::Range(what)),
    }
}

impl Parts {
    fn read<'t>(
        &mut self,
        value: &'t [u8],
        element: Element,
        behind: &[u8],
    ) -> Result<&'t [u8], Fault> {
        let rest;
        match element {
            Element::LongYear => {
                if !value.first().is_some_and(u8::is_ascii_digit) {
                    return Err(Fault::Bad);
                }
                (self.year, rest) = fixed(value, 4)?;
            }
            Element::Year => {
                let (digits, behind) = value.split_at_checked(2).ok_or(Fault::Bad)?;
                self.year = match digits {
                    [b'-', digit] => -number(&[*digit]).ok_or(Fault::Bad)?,
                    [b'+', digit] => number(&[*digit]).ok_or(Fault::Bad)?,
                    digits => number(digits).ok_or(Fault::Bad)?,
                };
                rest = behind;
                self.year += if self.year >= 69 { 1900 } else { 2000 };
            }
            Element::LongMonth | Element::Month => {
                let (at, behind) = lookup(value, &MONTHS, element == Element::LongMonth)?;
                self.month = Some(at + 1);
                rest = behind;
            }
            Element::NumMonth | Element::ZeroMonth => {
                let (month, behind) = short(value, element == Element::ZeroMonth)?;
                self.month = Some(within(month, 1..13, "month")?);
                rest = behind;
            }
            Element::LongWeekday | Element::Weekday => {
                rest = lookup(value, &DAYS, element == Element::LongWeekday)?.1;
            }
            Element::Day | Element::SpaceDay | Element::ZeroDay => {
                let space = element == Element::SpaceDay;
                let value = value.strip_prefix(b" ").filter(|_| space).unwrap_or(value);
                let (day, behind) = short(value, element == Element::ZeroDay)?;
                self.day = Some(day);
                rest = behind;
            }
            Element::SpaceYearDay | Element::ZeroYearDay => {
                let spaced = element == Element::SpaceYearDay;
                let spaces = value
                    .iter()
                    .take(2)
                    .take_while(|b| spaced && **b == b' ')
                    .count();
                let value = value.get(spaces..).unwrap_or_default();
                let digits = value
                    .iter()
                    .take(3)
                    .take_while(|b| b.is_ascii_digit())
                    .count();
                if !spaced && digits != 3 {
                    return Err(Fault::Bad);
                }
                let (day, behind) = fixed(value, digits)?;
                self.day_of_year = Some(day);
                rest = behind;
            }
            Element::Hour => {
                let (hour, behind) = short(value, false)?;
                self.hour = within(hour, 0..24, "hour")?;
                rest = behind;
            }
            Element::Hour12 | Element::ZeroHour12 => {
                let (hour, behind) = short(value, element == Element::ZeroHour12)?;
                self.hour = within(hour, 0..13, "hour")?;
                rest = behind;
            }
            Element::Minute | Element::ZeroMinute => {
                let (minute, behind) = short(value, element == Element::ZeroMinute)?;
                self.minute = within(minute, 0..60, "minute")?;
                rest = behind;
            }
            Element::Second | Element::ZeroSecond => {
                let (second, after) = short(value, element == Element::ZeroSecond)?;
                self.second = within(second, 0..60, "second")?;
                rest = self.free_fraction(after, behind)?;
            }
            Element::UpperHalf | Element::LowerHalf => {
                let (text, behind) = value.split_at_checked(2).ok_or(Fault::Bad)?;
                self.afternoon = Some(match (text, element) {
                    (b"PM", Element::UpperHalf) | (b"pm", Element::LowerHalf) => true,
                    (b"AM", Element::UpperHalf) | (b"am", Element::LowerHalf) => false,
                    _ => return Err(Fault::Bad),
                });
                rest = behind;
            }
            Element::Offset(form) => rest = self.offset(value, form)?,
            Element::ZoneName => {
                let len = zone_name(value).ok_or(Fault::Bad)?;
                let (name, behind) = value.split_at_checked(len).ok_or(Fault::Bad)?;
                self.utc |= name == b"UTC";
                self.zone = Some(name.to_vec());
                rest = behind;
            }
            Element::Fraction { digits, .. } => {
                let (text, behind) = value.split_at_checked(digits + 1).ok_or(Fault::Bad)?;
                self.nanos = nanos(text)?;
                rest = behind;
            }
            Element::ShortFraction { .. } => rest = self.short_fraction(value)?,
        }
        Ok(rest)
    }

    /// A fraction may follow the seconds though the layout has none.
    fn free_fraction<'t>(&mut self, value: &'t [u8], layout: &[u8]) -> Result<&'t [u8], Fault> {
        let fraction = matches!(value, [b'.' | b',', b'0'..=b'9', ..]);
        let expected = next(layout).is_some_and(|(before, element, ..)| {
            let fraction = matches!(
                element,
                Element::Fraction { .. } | Element::ShortFraction { .. }
            );
            before.is_empty() && fraction
        });
        match fraction && !expected {
            true => self.short_fraction(value),
            false => Ok(value),
        }
    }

    fn short_fraction<'t>(&mut self, value: &'t [u8]) -> Result<&'t [u8], Fault> {
        if !matches!(value, [b'.' | b',', b'0'..=b'9', ..]) {
            // It may be left out.
            return Ok(value);
        }
        let digits = value
            .iter()
            .skip(1)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (text, rest) = value.split_at_checked(digits + 1).ok_or(Fault::Bad)?;
        self.nanos = nanos(text)?;
        Ok(rest)
    }

    fn offset<'t>(&mut self, value: &'t [u8], form: Offset) -> Result<&'t [u8], Fault> {
        if form.z
            && let Some(rest) = value.strip_prefix(b"Z")
        {
            self.utc = true;
            return Ok(rest);
        }
        let (sign, mut rest) = value.split_first().ok_or(Fault::Bad)?;
        let fields = [
            (true, 3600, 25, "time zone offset hour"),
            (form.minutes, 60, 61, "time zone offset minute"),
            (form.seconds, 1, 61, "time zone offset second"),
        ];
        let mut numbers = Vec::new();
        for (at, (present, unit, limit, what)) in fields.into_iter().enumerate() {
            if !present {
                continue;
            }
            if at > 0 && form.colons {
                rest = rest.strip_prefix(b":").ok_or(Fault::Bad)?;
            }
            let (digits, behind) = rest.split_at_checked(2).ok_or(Fault::Bad)?;
            numbers.push((digits, unit, limit, what));
            rest = behind;
        }
        let (mut total, mut outside) = (0, None);
        for (digits, unit, limit, what) in numbers {
            let number = number(digits).ok_or(Fault::Bad)?;
            total += number * unit;
            if number >= limit {
                outside = Some(what);
            }
        }
        if let Some(what) = outside {
            return Err(Fault::Range(what));
        }
        self.offset = Some(match sign {
            b'+' => total,
            b'-' => -total,
            _ => return Err(Fault::Bad),
        });
        Ok(rest)
    }

    fn finish(self) -> Result<Time, &'static str> {
        let hour = match (self.afternoon, self.hour) {
            (Some(true), hour) if hour < 12 => hour + 12,
            (Some(false), 12) => 0,
            (_, hour) => hour,
        };
        let (month, day) = self.date()?;
        let local = days_from(self.year, month, day) * 86_400
            + hour * 3600
            + self.minute * 60
            + self.second;
        if let (false, None, Some(name)) = (self.utc, self.offset, &self.zone)
            && name != b"UTC"
        {
            // What the abbreviation means is not known: the clock is kept.
            return Ok(Time {
                seconds: local,
                nanos: u32::try_from(self.nanos).unwrap_or_default(),
                zone: Zone::fixed(
                    i32::try_from(gmt(name)).unwrap_or_default(),
                    name.as_slice(),
                ),
            });
        }
        let (offset, name) = match (self.utc, self.offset, self.zone) {
            (true, ..) | (_, None, _) | (_, Some(0), None) => (0, Str::from_static("UTC")),
            (_, Some(offset), name) => (offset, name.map(Str::from).unwrap_or_default()),
        };
        Ok(Time {
            seconds: local - offset,
            nanos: u32::try_from(self.nanos).unwrap_or_default(),
            zone: Zone::fixed(i32::try_from(offset).unwrap_or_default(), name),
        })
    }

    fn date(&self) -> Result<(i64, i64), &'static str> {
        if let Some(of_year) = self.day_of_year {
            let length = 337 + days_in(self.year, 2);
            if !(1..=length).contains(&of_year) {
                return Err("day-of-year out of range");
            }
            let (mut month, mut day) = (1, of_year);
            while day > days_in(self.year, month) {
                day -= days_in(self.year, month);
                month += 1;
            }
            if self.month.is_some_and(|known| known != month) {
                return Err("day-of-year does not match month");
            }
            if self.day.is_some_and(|known| known != day) {
                return Err("day-of-year does not match day");
            }
            return Ok((month, day));
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        match (1..=days_in(self.year, month)).contains(&day) {
            true => Ok((month, day)),
            false => Err("day out of range"),
        }
    }
}

fn nanos(text: &[u8]) -> Result<i64, Fault> {
    let digits = match text {
        [b'.' | b',', digits @ ..] => digits,
        _ => return Err(Fault::Bad),
    };
    let digits = digits.get(..9).unwrap_or(digits);
    let power = u32::try_from(9 - digits.len()).unwrap_or_default();
    Ok(number(digits).ok_or(Fault::Bad)? * 10i64.pow(power))
}

/// How long the abbreviation of a zone at the start of a text is.
fn zone_name(value: &[u8]) -> Option<usize> {
    if value.starts_with(b"ChST") || value.starts_with(b"MeST") {
        return Some(4);
    }
    if value.starts_with(b"GMT") {
        let digits = match value.get(3..)? {
            [b'+' | b'-', rest @ ..] => rest.iter().take_while(|b| b.is_ascii_digit()).count(),
            _ => 0,
        };
        return Some(if (1..=2).contains(&digits) {
            4 + digits
        } else {
            3
        });
    }
    if matches!(value, [b'+' | b'-', b'0'..=b'9', b'0'..=b'9', ..]) {
        return Some(3);
    }
    let letters = value
        .iter()
        .take(6)
        .take_while(|byte| byte.is_ascii_uppercase())
        .count();
    let ends_in_t = |len: usize| value.get(len - 1) == Some(&b'T');
    match letters {
        5 if ends_in_t(5) => Some(5),
        4 if ends_in_t(4) || value.starts_with(b"WITA") => Some(4),
        3 => Some(3),
        _ => None,
    }
}

/// The offset that `GMT+3` names; other names have none that is known here.
fn gmt(name: &[u8]) -> i64 {
    let text = name.strip_prefix(b"GMT").unwrap_or_default();
    let hours = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    hours.unwrap_or_default() * 3600
}
