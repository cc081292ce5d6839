//! Methods of times and of the numbers that they give: months, weekdays,
//! durations.

use super::civil::{Civil, civil, days_from};
use super::format::{DAYS, MONTHS};
use super::{Time, Zone, format_duration};
use crate::exec::{Args, Failure};
use crate::value::{IntKind, Method, MethodBody, Type, Value};

/// A method without parameters.
const fn getter(name: &'static str, call: MethodBody) -> Method {
    Method {
        name,
        params: &[],
        variadic: false,
        call,
    }
}

/// A method that takes another time.
const fn of_two(name: &'static str, call: MethodBody) -> Method {
    Method {
        name,
        params: &[Type::Host(TYPE)],
        variadic: false,
        call,
    }
}

pub(super) const TYPE: &str = "time.Time";

/// Those of `time.Time` that give one value.
pub(super) static TIME: &[Method] = &[
    getter("Year", |_, value, _| part(value, |date| date.year)),
    getter("Month", |_, value, _| {
        Ok(Value::Int(date(value)?.month.into(), IntKind::Month))
    }),
    getter("Day", |_, value, _| part(value, |date| date.day.into())),
    getter("Weekday", |_, value, _| {
        Ok(Value::Int(date(value)?.weekday.into(), IntKind::Weekday))
    }),
    getter("YearDay", |_, value, _| {
        part(value, |date| date.day_of_year.into())
    }),
    getter("Hour", |_, value, _| part(value, |date| date.hour.into())),
    getter("Minute", |_, value, _| {
        part(value, |date| date.minute.into())
    }),
    getter("Second", |_, value, _| {
        part(value, |date| date.second.into())
    }),
    getter("Nanosecond", |_, value, _| {
        Ok(Value::int(time(value)?.nanos.into()))
    }),
    getter("Unix", |_, value, _| Ok(Value::int64(time(value)?.seconds))),
    getter("UnixMilli", |_, value, _| since_1970(value, 1_000)),
    getter("UnixMicro", |_, value, _| since_1970(value, 1_000_000)),
    getter("UnixNano", |_, value, _| since_1970(value, 1_000_000_000)),
    getter("UTC", |_, value, _| {
        Ok(Value::object(time(value)?.within(Zone::utc())))
    }),
    getter("Local", |_, value, _| {
        Ok(Value::object(time(value)?.within(Zone::local())))
    }),
    getter("IsZero", |_, value, _| {
        let time = time(value)?;
        Ok(Value::Bool(time.seconds == YEAR_ONE && time.nanos == 0))
    }),
    getter("String", |_, value, _| {
        Ok(Value::string(time(value)?.shown()))
    }),
    getter("GoString", |_, value, _| {
        Ok(Value::string(time(value)?.go_string()))
    }),
    Method {
        name: "Format",
        params: &[Type::String],
        variadic: false,
        call: |cx, value, args| {
            let text = time(value)?.format(args.bytes(0));
            cx.charge(text.len())?;
            Ok(Value::string(text))
        },
    },
    Method {
        name: "Add",
        params: &[Type::Int(IntKind::Duration)],
        variadic: false,
        call: |_, value, args| Ok(Value::object(time(value)?.add(args.int(0)))),
    },
    Method {
        name: "AddDate",
        params: &[Type::INT, Type::INT, Type::INT],
        variadic: false,
        call: add_date,
    },
    of_two("Sub", |_, value, args| {
        let nanos = time(value)?.since(time(args.get(0))?);
        Ok(Value::Int(nanos, IntKind::Duration))
    }),
    of_two("After", |_, value, args| {
        Ok(Value::Bool(instant(value)? > instant(args.get(0))?))
    }),
    of_two("Before", |_, value, args| {
        Ok(Value::Bool(instant(value)? < instant(args.get(0))?))
    }),
    of_two("Equal", |_, value, args| {
        Ok(Value::Bool(instant(value)? == instant(args.get(0))?))
    }),
    of_two("Compare", |_, value, args| {
        let order = instant(value)?.cmp(&instant(args.get(0))?);
        Ok(Value::int(order as i64))
    }),
];

/// The first instant of the year 1.
const YEAR_ONE: i64 = -62_135_596_800;

fn time(value: &Value) -> Result<&Time, Failure> {
    match value {
        Value::Object(object) => object.as_any().downcast_ref().ok_or_else(no_time),
        _ => Err(no_time()),
    }
}

fn no_time() -> Failure {
    "the value is no time".into()
}

fn instant(value: &Value) -> Result<(i64, u32), Failure> {
    time(value).map(|time| (time.seconds, time.nanos))
}

fn date(value: &Value) -> Result<Civil, Failure> {
    time(value).map(Time::date)
}

fn part(value: &Value, which: fn(&Civil) -> i64) -> Result<Value, Failure> {
    Ok(Value::int(which(&date(value)?)))
}

/// In parts of a second. As in Go, far times have no meaning.
fn since_1970(value: &Value, parts: i64) -> Result<Value, Failure> {
    let time = time(value)?;
    let rest = i64::from(time.nanos) / (1_000_000_000 / parts);
    let whole = time.seconds.wrapping_mul(parts);
    Ok(Value::int64(whole.wrapping_add(rest)))
}

/// Months and days beyond the calendar's count on.
fn add_date(
    _: &mut crate::exec::Context<'_>,
    value: &Value,
    args: Args<'_>,
) -> Result<Value, Failure> {
    /// Beyond, Go's numbers overflow.
    const MOST: i64 = 1 << 32;
    let given = |at: usize| args.int(at).clamp(-MOST, MOST);
    let (time, date) = (time(value)?, date(value)?);
    let months = i64::from(date.month) - 1 + given(1);
    let year = date.year + given(0) + months.div_euclid(12);
    let first = days_from(year, months.rem_euclid(12) + 1, 1);
    let days = first + i64::from(date.day) - 1 + given(2);
    let of_day = (time.seconds + i64::from(time.zone.offset)).rem_euclid(86_400);
    Ok(Value::object(Time {
        seconds: days * 86_400 + of_day - i64::from(time.zone.offset),
        ..time.clone()
    }))
}

impl Time {
    fn date(&self) -> Civil {
        civil(self.seconds.saturating_add(self.zone.offset.into()))
    }

    /// As Go prints it.
    pub(super) fn shown(&self) -> Vec<u8> {
        self.format(b"2006-01-02 15:04:05.999999999 -0700 MST")
    }

    /// As Go's source has it.
    pub(super) fn go_string(&self) -> String {
        let date = self.date();
        let month = MONTHS.get(date.month as usize - 1).unwrap_or(&"");
        let zone = match &self.zone {
            zone if zone.local => "Local".to_owned(),
            zone if *zone == Zone::utc() => "UTC".to_owned(),
            zone => format!("Location({})", super::quote(&zone.name)),
        };
        format!(
            "time.Date({}, time.{month}, {}, {}, {}, {}, {}, time.{zone})",
            date.year, date.day, date.hour, date.minute, date.second, self.nanos
        )
    }
}

/// Of `time.Month` and `time.Weekday`.
static NAMED: &[Method] = &[getter("String", |_, value, _| Ok(text(value)))];

/// Those of `time.Duration` that need no other duration.
static DURATION: &[Method] = &[
    getter("String", |_, value, _| Ok(text(value))),
    getter("Nanoseconds", |_, value, _| Ok(Value::int64(number(value)))),
    getter("Microseconds", |_, value, _| {
        Ok(Value::int64(number(value) / 1_000))
    }),
    getter("Milliseconds", |_, value, _| {
        Ok(Value::int64(number(value) / 1_000_000))
    }),
    getter("Seconds", |_, value, _| Ok(in_units(value, 1_000_000_000))),
    getter("Minutes", |_, value, _| Ok(in_units(value, 60_000_000_000))),
    getter("Hours", |_, value, _| {
        Ok(in_units(value, 3_600_000_000_000))
    }),
    getter("Abs", |_, value, _| {
        Ok(Value::Int(
            number(value).saturating_abs(),
            IntKind::Duration,
        ))
    }),
];

fn number(value: &Value) -> i64 {
    match value {
        Value::Int(number, _) => *number,
        _ => 0,
    }
}

fn in_units(value: &Value, unit: i64) -> Value {
    let nanos = number(value);
    Value::Float((nanos / unit) as f64 + (nanos % unit) as f64 / unit as f64)
}

fn text(value: &Value) -> Value {
    match value {
        Value::Int(number, kind) => Value::from(kind.text(*number).unwrap_or_default()),
        _ => Value::from(""),
    }
}

impl IntKind {
    /// Methods that templates can call.
    pub(crate) fn methods(self) -> &'static [Method] {
        match self {
            IntKind::Month | IntKind::Weekday => NAMED,
            IntKind::Duration => DURATION,
            _ => &[],
        }
    }

    /// What a number prints as, where its type has a `String` method.
    pub(crate) fn text(self, number: i64) -> Option<String> {
        let named = |names: &[&str], at: i64, ty: &str| {
            let name = usize::try_from(at).ok().and_then(|at| names.get(at));
            match name {
                Some(name) => (*name).to_owned(),
                None => format!("%!{ty}({})", number as u64),
            }
        };
        match self {
            IntKind::Month => Some(named(&MONTHS, number.wrapping_sub(1), "Month")),
            IntKind::Weekday => Some(named(&DAYS, number, "Weekday")),
            IntKind::Duration => Some(format_duration(number)),
            _ => None,
        }
    }
}
