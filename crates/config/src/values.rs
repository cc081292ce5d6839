//! Values with a form of their own: versions, durations, dates, patterns.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Visitor};

use crate::decode::TEXT;

/// A release of Kubernetes or Flux, `1.33` or `1.33.2`, with or without a
/// leading `v`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number, if given.
    pub patch: Option<u32>,
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no version; write it as 1.33 or 1.33.2");
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let mut number = || parts.next().map(|part| part.parse().map_err(|_| wrong()));
        let major = number().ok_or_else(wrong)??;
        let minor = number().ok_or_else(wrong)??;
        let patch = number().transpose()?;
        match parts.next() {
            None => Ok(Version {
                major,
                minor,
                patch,
            }),
            Some(_) => Err(wrong()),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        match self.patch {
            Some(patch) => write!(f, ".{patch}"),
            None => Ok(()),
        }
    }
}

/// A length of time as Go writes it: `90s`, `5m`, `1h30m`, `1.5h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration {
    /// Nanoseconds.
    pub nanos: u64,
}

impl FromStr for Duration {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no duration; write it as 90s, 5m or 1h30m");
        let mut rest = text;
        let mut nanos = 0.0_f64;
        if rest.is_empty() {
            return Err(wrong());
        }
        while !rest.is_empty() {
            let digits = rest
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .ok_or_else(wrong)?;
            let (number, tail) = rest.split_at(digits);
            let unit = tail
                .find(|c: char| c.is_ascii_digit() || c == '.')
                .unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(unit);
            let scale = match unit {
                "ns" => 1.0,
                "us" | "µs" | "μs" => 1e3,
                "ms" => 1e6,
                "s" => 1e9,
                "m" => 60e9,
                "h" => 3600e9,
                _ => return Err(wrong()),
            };
            nanos += number.parse::<f64>().map_err(|_| wrong())? * scale;
            rest = tail;
        }
        // The cast saturates, which is the right answer for absurd lengths.
        Ok(Duration {
            nanos: nanos.round() as u64,
        })
    }
}

/// A day, `2026-12-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

impl Date {
    /// The day, in universal time, `seconds` after 1970-01-01.
    pub fn from_unix(seconds: u64) -> Self {
        // Days to a civil date, counting years from March so that the leap day
        // comes last.
        let days = seconds / 86_400 + 719_468;
        let era = days / 146_097;
        let of_era = days % 146_097;
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + era * 400 + u64::from(month <= 2);
        Date {
            year: u16::try_from(year).unwrap_or(u16::MAX),
            month: u8::try_from(month).unwrap_or(12),
            day: u8::try_from(day).unwrap_or(31),
        }
    }
}

impl FromStr for Date {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no date; write it as 2026-12-31");
        let mut parts = text.split('-');
        let mut part = |length: usize| {
            let part = parts.next().filter(|part| part.len() == length);
            part.ok_or_else(wrong)
        };
        let year = part(4)?.parse().map_err(|_| wrong())?;
        let month = part(2)?.parse().map_err(|_| wrong())?;
        let day = part(2)?.parse().map_err(|_| wrong())?;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return Err(wrong()),
        };
        if day == 0 || day > length || parts.next().is_some() {
            return Err(wrong());
        }
        Ok(Date { year, month, day })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A name in which `*` stands for any text, slashes included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the whole of `name` matches.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.text.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else {
            return false;
        };
        let mut last = None;
        for part in parts {
            if let Some(middle) = last.replace(part) {
                match rest.find(middle) {
                    Some(at) => rest = rest.get(at + middle.len()..).unwrap_or_default(),
                    None => return false,
                }
            }
        }
        match last {
            None => rest.is_empty(),
            Some(end) => rest.ends_with(end),
        }
    }
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("an empty pattern matches nothing; leave the key out".into());
        }
        Ok(Pattern { text: text.into() })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Reads any scalar by its text.
pub(crate) fn from_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = String>,
{
    struct Text<T>(std::marker::PhantomData<T>);

    impl<T: FromStr<Err = String>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("text")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_newtype_struct(TEXT, Text(std::marker::PhantomData))
}

/// Types that are read by [`from_text`], with their schema.
macro_rules! text_value {
    ($type:ident, $schema:tt) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                from_text(deserializer)
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

text_value!(Version, {
    "description": "A release, `1.33` or `1.33.2`.",
    "type": ["string", "number"],
    "pattern": r"^v?\d+\.\d+(\.\d+)?$"
});
text_value!(Duration, {
    "description": "A length of time: `90s`, `5m`, `1h30m`.",
    "type": "string",
    "pattern": r"^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$"
});
text_value!(Date, {
    "description": "A day, `2026-12-31`.",
    "type": "string",
    "format": "date"
});
text_value!(Pattern, {
    "description": "A name in which `*` stands for any text.",
    "type": "string",
    "minLength": 1
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_need_two_numbers() {
        let version: Version = "v1.30".parse().unwrap();
        assert_eq!((version.major, version.minor, version.patch), (1, 30, None));
        assert_eq!("1.33.2".parse::<Version>().unwrap().to_string(), "1.33.2");
        assert!("1".parse::<Version>().is_err());
        assert!("1.2.3.4".parse::<Version>().is_err());
        assert!("1.x".parse::<Version>().is_err());
    }

    #[test]
    fn durations_add_up() {
        let nanos = |text: &str| text.parse::<Duration>().map(|d| d.nanos);
        assert_eq!(nanos("1h30m"), Ok(5_400_000_000_000));
        assert_eq!(nanos("1.5s"), Ok(1_500_000_000));
        assert!(nanos("10").is_err());
        assert!(nanos("").is_err());
        assert!(nanos("5 m").is_err());
    }

    #[test]
    fn dates_know_the_calendar() {
        let date: Date = "2028-02-29".parse().unwrap();
        assert!(date > "2028-02-28".parse().unwrap());
        assert!("2026-02-29".parse::<Date>().is_err());
        assert!("2026-2-3".parse::<Date>().is_err());
        assert_eq!(Date::from_unix(0).to_string(), "1970-01-01");
        assert_eq!(Date::from_unix(1_835_395_199).to_string(), "2028-02-28");
        assert_eq!(Date::from_unix(1_835_395_200).to_string(), "2028-02-29");
        assert_eq!(Date::from_unix(1_835_481_600).to_string(), "2028-03-01");
    }

    #[test]
    fn patterns_match_whole_names() {
        let matches = |pattern: &str, name: &str| pattern.parse::<Pattern>().unwrap().matches(name);
        assert!(matches("flux-system/*", "flux-system/apps"));
        assert!(matches("*", ""));
        assert!(matches("a*b*c", "a-b-b-c"));
        assert!(!matches("a*b*c", "a-c"));
        assert!(!matches("ab*ba", "aba"));
        assert!(!matches("apps", "apps-2"));
    }
}
