//! Numbers as Go prints them.

/// A number as Go's encoding/json prints a `float64`.
pub(crate) fn json(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return format!("{value}");
    }
    with_sign(&format!("{value:e}"), 1)
}

/// A number as Go's strconv prints a `float64` in its shortest `g` form.
pub(crate) fn general(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-4..1e6).contains(&size) {
        return format!("{value}");
    }
    with_sign(&format!("{value:e}"), 2)
}

/// Gives an exponent a sign and at least so many digits.
fn with_sign(text: &str, digits: usize) -> String {
    match text.split_once('e') {
        Some((number, exponent)) => match exponent.strip_prefix('-') {
            Some(size) => format!("{number}e-{size:0>digits$}"),
            None => format!("{number}e+{exponent:0>digits$}"),
        },
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_go_prints_them() {
        let table = [
            (0.0, "0", "0"),
            (1.0, "1", "1"),
            (-1.5, "-1.5", "-1.5"),
            (100_000.0, "100000", "100000"),
            (1_000_000.0, "1000000", "1e+06"),
            (1_234_567.5, "1234567.5", "1.2345675e+06"),
            (1e20, "100000000000000000000", "1e+20"),
            (1e21, "1e+21", "1e+21"),
            (1.5e300, "1.5e+300", "1.5e+300"),
            (0.0001, "0.0001", "0.0001"),
            (0.000_01, "0.00001", "1e-05"),
            (1e-7, "1e-7", "1e-07"),
            (-2.5e-10, "-2.5e-10", "-2.5e-10"),
            (
                9_007_199_254_740_993.0,
                "9007199254740992",
                "9.007199254740992e+15",
            ),
            (
                12_345_678_901_234_567_890.0,
                "12345678901234567000",
                "1.2345678901234567e+19",
            ),
        ];
        for (value, as_json, as_general) in table {
            assert_eq!(json(value), as_json);
            assert_eq!(general(value), as_general);
        }
    }
}
