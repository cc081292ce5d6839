//! Go's times: instants with a zone, and durations.

mod civil;
mod duration;
mod format;
mod layout;
mod methods;
mod parse;

use std::any::Any;

use crate::value::{Method, Object, Str};

pub use duration::{format_duration, parse_duration};

/// An instant and the zone it is shown in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// Seconds since 1970 in UTC.
    pub seconds: i64,
    /// Nanoseconds behind the second.
    pub nanos: u32,
    /// The zone.
    pub zone: Zone,
}

/// A zone: how far east of Greenwich, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Seconds east.
    pub offset: i32,
    /// The abbreviation, such as `UTC`; empty for none.
    pub name: Str,
    /// It is the zone of the place where the templates are executed.
    pub local: bool,
}

impl Zone {
    /// UTC.
    pub fn utc() -> Self {
        Zone::fixed(0, Str::from_static("UTC"))
    }

    /// A zone of a name, so many seconds east.
    pub fn fixed(offset: i32, name: impl Into<Str>) -> Self {
        Zone {
            offset,
            name: name.into(),
            local: false,
        }
    }

    /// The zone of where controllers run, which is UTC by another name.
    pub fn local() -> Self {
        Zone {
            local: true,
            ..Zone::utc()
        }
    }
}

impl Time {
    /// An instant, shown in UTC.
    pub fn from_unix(seconds: i64, nanos: u32) -> Self {
        Time {
            seconds,
            nanos,
            zone: Zone::utc(),
        }
    }

    /// The time as a layout shows it.
    pub fn format(&self, layout: &[u8]) -> Vec<u8> {
        format::format(self, layout)
    }

    /// Reads a time as a layout shows it. The error is Go's message.
    pub fn parse(layout: &[u8], text: &[u8]) -> Result<Self, String> {
        parse::parse(layout, text)
    }

    /// The same instant in another zone.
    pub fn within(&self, zone: Zone) -> Self {
        Time {
            zone,
            ..self.clone()
        }
    }

    /// So many nanoseconds later.
    pub fn add(&self, nanos: i64) -> Self {
        let total =
            i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos) + i128::from(nanos);
        let seconds = total.div_euclid(1_000_000_000);
        Time {
            seconds: i64::try_from(seconds).unwrap_or(self.seconds),
            nanos: u32::try_from(total.rem_euclid(1_000_000_000)).unwrap_or_default(),
            zone: self.zone.clone(),
        }
    }

    /// How many nanoseconds it is behind another.
    pub fn since(&self, earlier: &Time) -> i64 {
        let nanos = |time: &Time| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
        let difference = nanos(self) - nanos(earlier);
        let least = i128::from(i64::MIN);
        i64::try_from(difference.clamp(least, i128::from(i64::MAX))).unwrap_or_default()
    }
}

impl Object for Time {
    fn type_name(&self) -> &'static str {
        methods::TYPE
    }

    fn methods(&self) -> &'static [Method] {
        methods::TIME
    }

    fn text(&self) -> Option<Str> {
        Some(self.shown().into())
    }

    fn go_text(&self) -> Option<Str> {
        Some(self.go_string().into())
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        Some(other.as_any().downcast_ref::<Time>() == Some(self))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A text in quotes, all beyond ASCII escaped by bytes.
fn quote(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(*byte)]),
            b' '..=0x7f => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(layout: &str) -> String {
        let time = Time::from_unix(1_136_214_245, 123_456_000);
        String::from_utf8(time.format(layout.as_bytes())).unwrap()
    }

    #[test]
    fn layouts() {
        assert_eq!(
            shown("Mon Jan _2 15:04:05 2006"),
            "Mon Jan  2 15:04:05 2006"
        );
        assert_eq!(
            shown("Monday, 02-January-06 3:4:5pm MST"),
            "Monday, 02-January-06 3:4:5pm UTC"
        );
        assert_eq!(
            shown("2006-01-02T15:04:05.999Z07:00"),
            "2006-01-02T15:04:05.123Z"
        );
        assert_eq!(
            shown("05.000000000 -0700 002 __2"),
            "05.123456000 +0000 002   2"
        );
        assert_eq!(shown("2006-1-2 03 PM"), "2006-1-2 03 PM");
    }

    #[test]
    fn texts_are_read() {
        let time =
            Time::parse(b"2006-01-02T15:04:05Z07:00", b"2020-02-29T12:00:00.5+02:00").unwrap();
        assert_eq!((time.seconds, time.nanos), (1_582_970_400, 500_000_000));
        assert_eq!(
            Time::parse(b"2006-01-02", b"2021-02-29").unwrap_err(),
            "parsing time \"2021-02-29\": day out of range"
        );
        assert_eq!(
            Time::parse(b"2006-01-02", b"x").unwrap_err(),
            "parsing time \"x\" as \"2006-01-02\": cannot parse \"x\" as \"2006\""
        );
    }
}
