//! Writing times.

use super::Time;
use super::civil::{Civil, civil};
use super::layout::{Element, Offset, next};

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

pub(super) fn format(time: &Time, layout: &[u8]) -> Vec<u8> {
    let date = civil(time.seconds.saturating_add(i64::from(time.zone.offset)));
    let mut out = Vec::with_capacity(layout.len() + 10);
    let mut rest = layout;
    while let Some((before, element, _, behind)) = next(rest) {
        out.extend_from_slice(before);
        out.extend_from_slice(part(time, &date, element).as_bytes());
        rest = behind;
    }
    out.extend_from_slice(rest);
    out
}

fn part(time: &Time, date: &Civil, element: Element) -> String {
    let name = |names: &[&'static str], at: u32| names.get(at as usize).copied().unwrap_or("");
    let short = |name: &'static str| name.get(..3).unwrap_or(name).to_owned();
    let hour12 = match date.hour % 12 {
        0 => 12,
        hour => hour,
    };
    match element {
        Element::LongMonth => name(&MONTHS, date.month - 1).to_owned(),
        Element::Month => short(name(&MONTHS, date.month - 1)),
        Element::NumMonth => date.month.to_string(),
        Element::ZeroMonth => format!("{:02}", date.month),
        Element::LongWeekday => name(&DAYS, date.weekday).to_owned(),
        Element::Weekday => short(name(&DAYS, date.weekday)),
        Element::Day => date.day.to_string(),
        Element::SpaceDay => format!("{:2}", date.day),
        Element::ZeroDay => format!("{:02}", date.day),
        Element::SpaceYearDay => format!("{:3}", date.day_of_year),
        Element::ZeroYearDay => format!("{:03}", date.day_of_year),
        Element::Hour => format!("{:02}", date.hour),
        Element::Hour12 => hour12.to_string(),
        Element::ZeroHour12 => format!("{hour12:02}"),
        Element::Minute => date.minute.to_string(),
        Element::ZeroMinute => format!("{:02}", date.minute),
        Element::Second => date.second.to_string(),
        Element::ZeroSecond => format!("{:02}", date.second),
        Element::LongYear if date.year < 0 => format!("-{:04}", -date.year),
        Element::LongYear => format!("{:04}", date.year),
        Element::Year => format!("{:02}", date.year.abs() % 100),
        Element::UpperHalf => if date.hour < 12 { "AM" } else { "PM" }.to_owned(),
        Element::LowerHalf => if date.hour < 12 { "am" } else { "pm" }.to_owned(),
        Element::ZoneName => zone_name(time),
        Element::Offset(form) => offset(time.zone.offset, form),
        Element::Fraction { digits, comma } => fraction(time.nanos, digits, comma),
        Element::ShortFraction { digits, comma } => {
            let text = fraction(time.nanos, digits, comma);
            text.trim_end_matches('0')
                .trim_end_matches(['.', ','])
                .to_owned()
        }
    }
}

/// The abbreviation, or the offset where there is none.
fn zone_name(time: &Time) -> String {
    if !time.zone.name.is_empty() {
        return time.zone.name.text().into_owned();
    }
    let form = Offset {
        z: false,
        minutes: true,
        seconds: false,
        colons: false,
    };
    offset(time.zone.offset, form)
}

fn offset(seconds: i32, form: Offset) -> String {
    if form.z && seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let size = seconds.unsigned_abs();
    let mut text = format!("{sign}{:02}", size / 3600);
    let colon = if form.colons { ":" } else { "" };
    if form.minutes {
        text.push_str(&format!("{colon}{:02}", size / 60 % 60));
    }
    if form.seconds {
        text.push_str(&format!("{colon}{:02}", size % 60));
    }
    text
}

fn fraction(nanos: u32, digits: usize, comma: bool) -> String {
    let all = format!("{nanos:09}");
    let mark = if comma { ',' } else { '.' };
    let kept: String = all
        .chars()
        .chain(std::iter::repeat('0'))
        .take(digits.min(9))
        .collect();
    format!("{mark}{kept}")
}
