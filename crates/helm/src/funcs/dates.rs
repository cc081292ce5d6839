//! Dates. The controller's local zone is UTC, and zones with rules of their
//! own are not known here: they count as UTC, which is recorded.

use gotmpl::time::{Time, Zone, format_duration, parse_duration};
use gotmpl::value::Type;
use gotmpl::{Args, Context, Functions, Value};

use super::{ANY, TEXT, made, unstable};

/// `time.Time` as a parameter.
const TIME: Type = Type::Host("time.Time");

fn time(value: &Value) -> Option<Time> {
    match value {
        Value::Object(object) => object.as_any().downcast_ref::<Time>().cloned(),
        Value::Int(seconds, _) => Some(Time::from_unix(*seconds, 0)),
        _ => None,
    }
}

fn time_at(args: &Args<'_>, at: usize) -> Time {
    time(args.get(at)).unwrap_or_else(|| Time::from_unix(0, 0))
}

fn shown(cx: &mut Context<'_>, layout: &[u8], value: &Value, zone: &str) -> super::Answer {
    let time = match time(value) {
        Some(time) => time,
        None => unstable::now(cx),
    };
    if !matches!(zone, "" | "UTC" | "Local" | "GMT") {
        unstable::record(cx, "zone");
    }
    let text = time.within(Zone::utc()).format(layout);
    made(cx, text)
}

/// A time that is local unless the text says UTC by its name or by `Z`.
fn parse_here(layout: &[u8], text: &[u8]) -> Result<Time, String> {
    let time = Time::parse(layout, text)?;
    let says_utc = text.ends_with(b"Z") || memchr::memmem::find(text, b"UTC").is_some();
    let is_here = time.zone == Zone::utc() && !says_utc;
    Ok(match is_here {
        true => time.within(Zone::local()),
        false => time,
    })
}

pub(super) fn add(all: &mut Functions) {
    all.add("now", &[], |cx, _| {
        Ok(Value::object(unstable::now(cx).within(Zone::local())))
    });
    all.add("date", &[TEXT, ANY], |cx, args| {
        shown(cx, args.bytes(0), args.get(1), "Local")
    });
    all.add("htmlDate", &[ANY], |cx, args| {
        shown(cx, b"2006-01-02", args.get(0), "Local")
    });
    all.add("htmlDateInZone", &[ANY, TEXT], |cx, args| {
        shown(cx, b"2006-01-02", args.get(0), &args.text(1))
    });
    for name in ["dateInZone", "date_in_zone"] {
        all.add(name, &[TEXT, ANY, TEXT], |cx, args| {
            shown(cx, args.bytes(0), args.get(1), &args.text(2))
        });
    }
    for name in ["dateModify", "date_modify"] {
        all.add(name, &[TEXT, TIME], |_, args| {
            let nanos = parse_duration(&args.text(0)).unwrap_or_default();
            Ok(Value::object(time_at(&args, 1).add(nanos)))
        });
    }
    for name in ["mustDateModify", "must_date_modify"] {
        all.add(name, &[TEXT, TIME], |_, args| {
            let nanos = parse_duration(&args.text(0))?;
            Ok(Value::object(time_at(&args, 1).add(nanos)))
        });
    }
    all.add("toDate", &[TEXT, TEXT], |_, args| {
        // What cannot be read is the first instant of the year 1.
        let zero = Time::from_unix(-62_135_596_800, 0);
        let time = parse_here(args.bytes(0), args.bytes(1));
        Ok(Value::object(time.unwrap_or(zero)))
    });
    all.add("mustToDate", &[TEXT, TEXT], |_, args| {
        let time = parse_here(args.bytes(0), args.bytes(1));
        Ok(Value::object(time?))
    });
    all.add("unixEpoch", &[TIME], |_, args| {
        Ok(Value::from(time_at(&args, 0).seconds.to_string()))
    });
    durations(all);
}

fn durations(all: &mut Functions) {
    all.add("ago", &[ANY], |cx, args| {
        let now = unstable::now(cx);
        let since = time(args.get(0)).map_or(0, |time| now.since(&time));
        let seconds = since.div_euclid(1_000_000_000)
            + i64::from(since.rem_euclid(1_000_000_000) >= 500_000_000);
        Ok(Value::from(format_duration(
            seconds.saturating_mul(1_000_000_000),
        )))
    });
    all.add("duration", &[ANY], |_, args| {
        let seconds = match args.get(0) {
            Value::String(text) => gotmpl::strconv::parse_int(text, 10).unwrap_or_default(),
            Value::Int(seconds, gotmpl::value::IntKind::Int64) => *seconds,
            _ => 0,
        };
        Ok(Value::from(format_duration(
            seconds.wrapping_mul(1_000_000_000),
        )))
    });
    all.add("durationRound", &[ANY], |cx, args| {
        let nanos = match args.get(0) {
            Value::String(text) => parse_duration(&text.text()).unwrap_or_default(),
            Value::Int(nanos, gotmpl::value::IntKind::Int64) => *nanos,
            value @ Value::Object(_) => match time(value) {
                Some(time) => unstable::now(cx).since(&time),
                None => 0,
            },
            _ => 0,
        };
        Ok(Value::from(rounded(nanos.unsigned_abs())))
    });
}

/// A duration in its largest unit.
fn rounded(nanos: u64) -> String {
    const HOUR: u64 = 3_600_000_000_000;
    let units = [
        (HOUR * 24 * 365, "y"),
        (HOUR * 24 * 30, "mo"),
        (HOUR * 24, "d"),
        (HOUR, "h"),
        (HOUR / 60, "m"),
        (HOUR / 3600, "s"),
    ];
    let unit = units.iter().find(|(size, _)| nanos > *size);
    unit.map_or("0s".to_owned(), |(size, name)| {
        format!("{}{name}", nanos / size)
    })
}
