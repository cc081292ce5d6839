//! Numbers.

use gotmpl::fmt::sprint_one;
use gotmpl::strconv::parse_int;
use gotmpl::value::Type;
use gotmpl::value::types::INT_SLICE;
use gotmpl::{Failure, Functions, Value};

use super::{ANY, cast, list_of, text_of};
use crate::decimal::Decimal;

pub(super) fn add(all: &mut Functions) {
    integers(all);
    floats(all);
    sequences(all);
    all.add("int", &[ANY], |_, args| {
        Ok(Value::int(cast::int(args.get(0))))
    });
    all.add("int64", &[ANY], |_, args| {
        Ok(Value::int64(cast::int(args.get(0))))
    });
    all.add("float64", &[ANY], |_, args| {
        Ok(Value::Float(cast::float(args.get(0))))
    });
    all.add("toDecimal", &[ANY], |_, args| {
        let text = sprint_one(args.get(0));
        Ok(Value::int64(parse_int(&text, 8).unwrap_or_default()))
    });
}

fn integers(all: &mut Functions) {
    const DIVISION: &str = "runtime error: integer divide by zero";
    let int = |value: &Value| cast::int(value);
    all.add("add1", &[ANY], move |_, args| {
        Ok(Value::int64(int(args.get(0)).wrapping_add(1)))
    });
    all.add_variadic("add", &[ANY], move |_, args| {
        let sum = args
            .all()
            .iter()
            .fold(0i64, |sum, value| sum.wrapping_add(int(value)));
        Ok(Value::int64(sum))
    });
    all.add("sub", &[ANY, ANY], move |_, args| {
        Ok(Value::int64(
            int(args.get(0)).wrapping_sub(int(args.get(1))),
        ))
    });
    all.add("div", &[ANY, ANY], move |_, args| match int(args.get(1)) {
        0 => Err(DIVISION.into()),
        by => Ok(Value::int64(int(args.get(0)).wrapping_div(by))),
    });
    all.add("mod", &[ANY, ANY], move |_, args| match int(args.get(1)) {
        0 => Err(DIVISION.into()),
        by => Ok(Value::int64(int(args.get(0)).wrapping_rem(by))),
    });
    all.add_variadic("mul", &[ANY, ANY], move |_, args| {
        let product = args
            .all()
            .iter()
            .fold(1i64, |product, value| product.wrapping_mul(int(value)));
        Ok(Value::int64(product))
    });
    for name in ["max", "biggest"] {
        all.add_variadic(name, &[ANY, ANY], move |_, args| {
            Ok(Value::int64(
                args.all().iter().map(int).max().unwrap_or_default(),
            ))
        });
    }
    all.add_variadic("min", &[ANY, ANY], move |_, args| {
        Ok(Value::int64(
            args.all().iter().map(int).min().unwrap_or_default(),
        ))
    });
}

/// An operation on floats.
type Rough = fn(f64, f64) -> f64;
/// An operation on decimals; nothing where it does not fit.
type Exact = fn(Decimal, Decimal) -> Option<Decimal>;

/// Sums and products are taken of the decimals that floats print as. What
/// does not fit is taken of the floats.
fn exact(start: f64, rest: &[Value], op: Exact, rough: Rough) -> Result<Value, Failure> {
    let mut sum = Decimal::from_float(start);
    let mut rounded = start;
    for value in rest {
        let number = cast::float(value);
        sum = sum
            .zip(Decimal::from_float(number))
            .and_then(|(a, b)| op(a, b));
        rounded = rough(rounded, number);
    }
    Ok(Value::Float(sum.map_or(rounded, Decimal::to_float)))
}

fn floats(all: &mut Functions) {
    all.add("add1f", &[ANY], |_, args| {
        exact(
            cast::float(args.get(0)),
            &[Value::int(1)],
            Decimal::add,
            |a, b| a + b,
        )
    });
    all.add_variadic("addf", &[ANY], |_, args| {
        exact(0.0, args.all(), Decimal::add, |a, b| a + b)
    });
    let ops: [(&str, Exact, Rough); 3] = [
        ("subf", Decimal::sub, |a, b| a - b),
        ("mulf", Decimal::mul, |a, b| a * b),
        ("divf", Decimal::div, |a, b| a / b),
    ];
    for (name, op, rough) in ops {
        all.add_variadic(name, &[ANY, ANY], move |_, args| {
            let zero = args.rest(1).iter().any(|value| cast::float(value) == 0.0);
            if name == "divf" && zero {
                return Err("decimal division by 0".into());
            }
            exact(cast::float(args.get(0)), args.rest(1), op, rough)
        });
    }
    all.add_variadic("maxf", &[ANY, ANY], |_, args| {
        let numbers = args.all().iter().map(cast::float);
        Ok(Value::Float(numbers.reduce(f64::max).unwrap_or_default()))
    });
    all.add_variadic("minf", &[ANY, ANY], |_, args| {
        let numbers = args.all().iter().map(cast::float);
        Ok(Value::Float(numbers.reduce(f64::min).unwrap_or_default()))
    });
    all.add("ceil", &[ANY], |_, args| {
        Ok(Value::Float(cast::float(args.get(0)).ceil()))
    });
    all.add("floor", &[ANY], |_, args| {
        Ok(Value::Float(cast::float(args.get(0)).floor()))
    });
    all.add_variadic("round", &[ANY, Type::INT, Type::Float64], |_, args| {
        let up_from = if args.len() > 2 { args.float(2) } else { 0.5 };
        let power = 10f64.powf(args.int(1) as f64);
        let shifted = power * cast::float(args.get(0));
        let up = shifted.fract() >= up_from;
        let rounded = if up { shifted.ceil() } else { shifted.floor() };
        Ok(Value::Float(rounded / power))
    });
}

/// More numbers than any template wants.
const MOST: usize = 10_000_000;

fn steps(start: i64, stop: i64, step: i64) -> Result<Vec<i64>, Failure> {
    let mut numbers = Vec::new();
    let down = stop < start;
    if down == (step >= 0) || step == 0 {
        return Ok(numbers);
    }
    let mut number = start;
    while if down { number > stop } else { number < stop } {
        if numbers.len() >= MOST {
            return Err(format!("a list of more than {MOST} numbers").into());
        }
        numbers.push(number);
        number = number.saturating_add(step);
    }
    Ok(numbers)
}

fn sequences(all: &mut Functions) {
    all.add("until", &[Type::INT], |cx, args| {
        let count = args.int(0);
        let numbers = steps(0, count, if count < 0 { -1 } else { 1 })?;
        list_of(
            cx,
            &INT_SLICE,
            numbers.into_iter().map(Value::int).collect(),
        )
    });
    all.add(
        "untilStep",
        &[Type::INT, Type::INT, Type::INT],
        |cx, args| {
            let numbers = steps(args.int(0), args.int(1), args.int(2))?;
            list_of(
                cx,
                &INT_SLICE,
                numbers.into_iter().map(Value::int).collect(),
            )
        },
    );
    all.add_variadic("seq", &[Type::INT], |cx, args| {
        let number = |at: usize| args.int(at);
        let (start, step, end) = match args.len() {
            1 => (1, None, number(0)),
            2 => (number(0), None, number(1)),
            3 => (number(0), Some(number(1)), number(2)),
            _ => return Ok(Value::from("")),
        };
        let sign = if end < start { -1 } else { 1 };
        if sign < 0 && step.is_some_and(|step| step > 0) {
            return Ok(Value::from(""));
        }
        let numbers = steps(start, end.saturating_add(sign), step.unwrap_or(sign))?;
        let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
        super::made(cx, texts.join(" "))
    });
    text_of(all, "kindOf", &[ANY], |args| {
        super::kind(args.get(0)).to_owned()
    });
    text_of(all, "typeOf", &[ANY], |args| {
        args.get(0).type_name().to_owned()
    });
    all.add("kindIs", &[super::TEXT, ANY], |_, args| {
        Ok(Value::Bool(
            args.bytes(0) == super::kind(args.get(1)).as_bytes(),
        ))
    });
    all.add("typeIs", &[super::TEXT, ANY], |_, args| {
        Ok(Value::Bool(
            args.bytes(0) == args.get(1).type_name().as_bytes(),
        ))
    });
    all.add("typeIsLike", &[super::TEXT, ANY], |_, args| {
        let name = args.get(1).type_name();
        let like = name.strip_prefix('*').unwrap_or(name);
        let target = args.bytes(0);
        Ok(Value::Bool(
            target == name.as_bytes() || target == like.as_bytes(),
        ))
    });
}
