//! Random times, durations and regular expressions.

use crate::random::Random;

/// A template that calls one function.
pub fn text(random: &mut Random) -> String {
    let call = match random.below(12) {
        0..=2 => format_time(random),
        3..=5 => parse_time(random),
        6 => format!("duration {}", quoted(&duration(random))),
        7 => format!("durationText {}", number(random)),
        8 => format!(
            "regexMatch {} {}",
            quoted(&pattern(random)),
            quoted(&subject(random))
        ),
        9 => {
            let most = random.pick(&["-1", "-1", "0", "1", "2", "5"]);
            let word = random.pick(&["regexFind", "regexSplit"]);
            let (pattern, subject) = (pattern(random), subject(random));
            format!(
                "{word} {} {} {most} | printf \"%q\"",
                quoted(&pattern),
                quoted(&subject)
            )
        }
        10 => {
            let with = pieces(
                random,
                3,
                &[
                    "$", "$1", "${1}", "$1x", "$$", "a", "${", "}", "$name", "${name}", "$0", "-",
                    "$é", "${2}b", "$10", "$01",
                ],
            );
            let (pattern, subject) = (pattern(random), subject(random));
            format!(
                "regexReplace {} {} {}",
                quoted(&pattern),
                quoted(&subject),
                quoted(&with)
            )
        }
        _ => format!("regexQuote {}", quoted(&pattern(random))),
    };
    format!("{{{{{call}}}}}")
}

/// A literal that says the text exactly.
fn quoted(text: &str) -> String {
    gotmpl::strconv::quote(text.as_bytes())
}

fn pieces(random: &mut Random, most: usize, choices: &[&str]) -> String {
    (0..=random.below(most))
        .map(|_| random.pick(choices))
        .collect()
}

fn number(random: &mut Random) -> String {
    let bits = random.bits() >> random.below(64);
    let number = i64::try_from(bits >> 1).unwrap_or_default();
    match random.once_in(3) {
        true => format!("-{number}"),
        false => number.to_string(),
    }
}

const LAYOUTS: &[&str] = &[
    "Mon Jan _2 15:04:05 2006",
    "Mon Jan _2 15:04:05 MST 2006",
    "02 Jan 06 15:04 MST",
    "02 Jan 06 15:04 -0700",
    "Monday, 02-Jan-06 15:04:05 MST",
    "Mon, 02 Jan 2006 15:04:05 MST",
    "2006-01-02T15:04:05Z07:00",
    "2006-01-02T15:04:05.999999999Z07:00",
    "3:04PM",
    "Jan _2 15:04:05.000",
    "2006-01-02",
    "2006-01-02 15:04:05",
    "20060102150405",
    "2006-002",
    "2006-01-02 15:04:05.999999999 -0700 MST",
    "January 2, 2006",
];

fn layout(random: &mut Random) -> String {
    if !random.once_in(3) {
        return random.pick(LAYOUTS).to_owned();
    }
    pieces(
        random,
        7,
        &[
            "2006",
            "06",
            "01",
            "1",
            "Jan",
            "January",
            "Janu",
            "02",
            "2",
            "_2",
            "__2",
            "002",
            "_2006",
            "Mon",
            "Monday",
            "Month",
            "15",
            "03",
            "3",
            "04",
            "4",
            "05",
            "5",
            "PM",
            "pm",
            "MST",
            "Z07:00",
            "Z0700",
            "Z07",
            "-07:00",
            "-0700",
            "-07",
            "-07:00:00",
            "-070000",
            "Z070000",
            ".000",
            ".999",
            ",000",
            ".00",
            ".9",
            ".0001",
            " ",
            "-",
            ":",
            "T",
            "x",
            "é",
            "/",
            "0",
            "  ",
        ],
    )
}

const ZONES: &[(&str, &str)] = &[
    ("0", "UTC"),
    ("7200", "CEST"),
    ("-18000", "EST"),
    ("19800", ""),
    ("-12600", "NST"),
    ("3600", "+01"),
    ("0", ""),
    ("45", "X"),
];

fn format_time(random: &mut Random) -> String {
    let seconds = match random.once_in(3) {
        true => i64::try_from(random.below(4_000_000_000)).unwrap_or_default(),
        false => i64::try_from(random.below(400_000_000_000)).unwrap_or_default() - 100_000_000_000,
    };
    let nanos = random.pick(&[
        "0",
        "123456789",
        "500000000",
        "1000",
        "999999999",
        "120000000",
    ]);
    let (offset, zone) = random.pick(ZONES);
    let layout = quoted(&layout(random));
    format!("timeFormat {layout} {seconds} {nanos} {offset} \"{zone}\"")
}

fn parse_time(random: &mut Random) -> String {
    let layout = layout(random);
    let text = match random.below(4) {
        0 => pieces(
            random,
            6,
            &[
                "2020", "-", "02", "29", "T", "12", ":", "00", "Z", "+02:00", " ", "Jan", "pm",
                "x", ".5",
            ],
        ),
        // The layout is itself a time in its own form.
        1 => layout.clone(),
        _ => {
            let time = gotmpl::time::Time::from_unix(
                i64::try_from(random.below(4_000_000_000)).unwrap_or_default(),
                123_000_000,
            );
            let zone = gotmpl::time::Zone::fixed(
                random.pick(&[0, 7200, -18_000, 19_800]),
                random.pick(&["UTC", "CET", "GMT+3", "EST", "ABCDE"]),
            );
            String::from_utf8(time.within(zone).format(layout.as_bytes())).unwrap_or_default()
        }
    };
    let text = match random.once_in(4) {
        true => text.replace(
            random.pick(&["1", "0", " ", "-", ":", "2"]),
            random.pick(&["", "3", "  ", "9", "x"]),
        ),
        false => text,
    };
    format!("timeParse {} {}", quoted(&layout), quoted(&text))
}

fn duration(random: &mut Random) -> String {
    pieces(
        random,
        5,
        &[
            "1", "30", "1.5", ".5", "h", "m", "s", "ms", "us", "µs", "ns", "-", "+", "0", "1h",
            "2m", "3s", "d", "x", ".", "9999999", "1.s",
        ],
    )
}

fn pattern(random: &mut Random) -> String {
    pieces(
        random,
        6,
        &[
            "a",
            "b",
            "x",
            "é",
            ".",
            "*",
            "+",
            "?",
            "a*",
            "b+",
            "x?",
            "(a)",
            "(b|x)",
            "(?:a)",
            "(?i)A",
            "(?i:B)",
            "(?s).",
            "(?m)^",
            "^",
            "$",
            "\\b",
            "\\B",
            "\\d",
            "\\w",
            "\\s",
            "\\D",
            "\\W",
            "[ab]",
            "[^a]",
            "[a-z]",
            "[[:alpha:]]",
            "[\\d-]",
            "[a-]",
            "[]a]",
            "[",
            "]",
            "{",
            "}",
            "{2}",
            "{1,}",
            "{,2}",
            "{0,3}",
            "(",
            ")",
            "|",
            "\\",
            "\\.",
            "\\Qa.\\E",
            "\\pL",
            "\\p{Greek}",
            "\\p{^L}",
            "\\PN",
            "\\x41",
            "\\x{e9}",
            "\\101",
            "\\1",
            "\\z",
            "\\A",
            "\\C",
            "(?P<name>a)",
            "(?<n>b)",
            "a*?",
            "a+?",
            "**",
            "[a&&b]",
            "[[a]]",
            "[^\\s]",
            "[z-a]",
            "(?U)a+",
            "\\n",
            "-",
            "/",
            "[\\p{L}0]",
            "(?x)",
            "(?-i)",
            "\\_",
            "\\e",
        ],
    )
}

fn subject(random: &mut Random) -> String {
    pieces(
        random,
        8,
        &[
            "a", "b", "x", "A", "é", " ", "1", ".", "\n", "ab", "aab", "-", "_", "α", "/", "[", "",
            "B", "xx",
        ],
    )
}
