use super::*;

const VARIABLES: [(&str, &str); 5] = [
    ("APP", "app"),
    ("NUM", "004"),
    ("EMPTY", ""),
    ("STAR", "*.example.org"),
    ("A_B", "ab"),
];

fn lookup(name: &str, _: bool) -> Option<Value<'static>> {
    if name == "SECRET" {
        return Some(Value {
            text: Cow::Borrowed("marker"),
            unknown: true,
        });
    }
    let (_, text) = VARIABLES.iter().find(|(known, _)| *known == name)?;
    Some(Value::known(text))
}

fn expanded(text: &str) -> Expansion {
    expand(text, &lookup).unwrap()
}

fn lax(text: &str) -> String {
    match expand(text, &lookup) {
        Ok(expansion) => expansion.text,
        Err(failure) => format!("error: {failure}"),
    }
}

#[test]
fn dollars_that_are_text() {
    for text in ["$VAR", "$(cmd)", "$((1+1))", "100$", "a$ b", "\\$ x"] {
        assert_eq!(lax(text), text);
        assert!(is_plain(text));
    }
    assert_eq!(lax("$${APP}"), "${APP}");
    assert_eq!(lax("$$"), "$");
    assert_eq!(lax("$$$${APP}"), "$${APP}");
    assert_eq!(lax("$$${APP}"), "$app");
    assert_eq!(lax("\\${APP}"), "\\app");
    assert!(!is_plain("a $$ b") && !is_plain("${x}"));
}

#[test]
fn every_undefined_variable_is_reported_where_it_stands() {
    let text = "a ${X} ${Y:-${Z}} ${APP:=${W}} ${V^^} é${U}";
    let expansion = expanded(text);
    assert_eq!(expansion.text, "a   app  é");
    let uses: Vec<_> = expansion
        .undefined
        .iter()
        .map(|used| (used.name.as_str(), &text[used.input.clone()]))
        .collect();
    assert_eq!(
        uses,
        [
            ("X", "${X}"),
            ("Z", "${Z}"),
            ("W", "${W}"),
            ("V", "${V^^}"),
            ("U", "${U}")
        ]
    );
    assert_eq!(
        expansion.undefined[0].message(),
        "variable not set (strict mode): \"X\""
    );
    assert!(expanded("${X:-d} ${X=d} ${EMPTY}").undefined.is_empty());
}

#[test]
fn pieces_cover_the_result() {
    let text = "a: ${APP} $$ ${EMPTY}b ${NUM}";
    let expansion = expanded(text);
    assert_eq!(expansion.text, "a: app $ b 004");
    let mut end = 0;
    for piece in &expansion.pieces {
        assert_eq!(piece.output.start, end);
        end = piece.output.end;
        let input = &text[piece.input.clone()];
        if piece.expanded {
            assert!(input.starts_with("${") && input.ends_with('}'));
        } else {
            assert_eq!(input, &expansion.text[piece.output.clone()]);
        }
    }
    assert_eq!(end, expansion.text.len());
}

#[test]
fn unknown_values_stay_markers() {
    for text in [
        "${SECRET}",
        "${SECRET^^}",
        "${#SECRET}",
        "${SECRET:0:2}",
        "${SECRET:-x}",
        "${X:-${SECRET}}",
        "${APP/${SECRET}/x}",
    ] {
        let expansion = expanded(text);
        assert_eq!(expansion.text, "marker", "{text}");
        assert!(expansion.pieces[0].unknown, "{text}");
    }
    let expansion = expanded("${APP:-${SECRET}}");
    assert_eq!(expansion.text, "app");
    assert!(!expansion.pieces[0].unknown);
    let mixed = expanded("${X:-a-${SECRET}-b}");
    assert_eq!(mixed.text, "a-marker-b");
    assert!(mixed.pieces[0].unknown);
}

#[test]
fn slices() {
    let table = [
        ("${STAR:2}", "example.org"),
        ("${STAR:2:3}", "exa"),
        ("${STAR:-3}", "*.example.org"),
        ("${STAR: -3}", "*.example.org"),
        ("${STAR:${N:=-3}}", "org"),
        ("${STAR:0:99}", "*.example.org"),
        ("${STAR:99}", ""),
        ("${STAR:99:1}", ""),
        ("${STAR:x}", "*.example.org"),
        ("${STAR:1:x}", "*.example.org"),
        ("${STAR:+2}", "*.example.org"),
        (
            "${STAR:3:-1}",
            "error: runtime error: slice bounds out of range [3:2]",
        ),
        (
            "${STAR:0:-5}",
            "error: runtime error: slice bounds out of range [:-5]",
        ),
        (
            "${STAR:5:9223372036854775807}",
            "error: runtime error: slice bounds out of range [:-9223372036854775804]",
        ),
        ("${APP:9223372036854775808}", "app"),
        ("${APP:-9223372036854775808:1}", "app"),
        (
            "${APP::}",
            "error: unable to parse substitution within function",
        ),
        (
            "${APP:}",
            "error: unable to parse substitution within function",
        ),
        (
            "${APP:1:}",
            "error: unable to parse substitution within function",
        ),
        ("${APP:1::2}", "pp"),
        ("${APP:é}", "error: bad substitution"),
        ("${APP:", "error: bad substitution"),
        ("${APP:1", "error: bad substitution"),
        ("${APP:1${NUM}}", "error: bad substitution"),
    ];
    for (text, result) in table {
        assert_eq!(lax(text), result, "{text}");
    }
}

#[test]
fn a_cut_character_is_no_text() {
    let lookup = |_: &str, _| Some(Value::known("äö"));
    let cut = |text| expand(text, &lookup).map_err(|failure| failure.to_string());
    let message = |what: &str| Err(format!("YAMLToJSON: yaml: {what}"));
    assert_eq!(cut("${V:1}"), message("invalid leading UTF-8 octet"));
    assert_eq!(cut("a${V:0:1}"), message("incomplete UTF-8 octet sequence"));
    assert_eq!(cut("${V:0:1}b"), message("invalid trailing UTF-8 octet"));
    assert_eq!(expand("${V:0:1}${V:1}", &lookup).unwrap().text, "äö");
    assert_eq!(expand("${#V}", &lookup).unwrap().text, "4");
    assert_eq!(expand("${V^^}", &lookup).unwrap().text, "ÄÖ");
    assert_eq!(expand("${V^}", &lookup).unwrap().text, "Äö");
    // The shortest suffix is found byte by byte.
    assert_eq!(expand("${V%?}", &lookup).unwrap().text, "ä\u{fffd}");
}

#[test]
fn letter_case_keeps_the_number_of_characters() {
    for (text, upper, lower) in [
        ("straße", "STRAßE", "straße"),
        ("ŉﬁ", "ŉﬁ", "ŉﬁ"),
        ("İI", "İI", "ii"),
        ("ᾀᾳ", "ᾈᾼ", "ᾀᾳ"),
    ] {
        let lookup = |_: &str, _| Some(Value::known(text));
        assert_eq!(expand("${V^^}", &lookup).unwrap().text, upper);
        assert_eq!(expand("${V,,}", &lookup).unwrap().text, lower);
    }
}

#[test]
fn replacements() {
    let table = [
        ("${STAR/e/E}", "*.Example.org"),
        ("${STAR//e/E}", "*.ExamplE.org"),
        ("${STAR//./}", "*exampleorg"),
        ("${STAR/#*/x}", "x.example.org"),
        ("${STAR/#*/}", "*.example.org"),
        ("${STAR/%org/net}", "*.example.net"),
        ("${APP//${EMPTY}/-}", "-a-p-p-"),
        ("${APP/${EMPTY}/-}", "-app"),
        ("${EMPTY//${EMPTY}/-}", "-"),
        ("${APP/a/$$}", "$pp"),
        ("${APP/a/\\}}", "\\pp}"),
        ("${APP/a/b/c}", "b/cpp"),
        ("${APP/a//b}", "bpp"),
        ("${APP/a}", "error: bad substitution"),
        ("${APP/a} and / more}", "app"),
        ("${APP//}", "error: bad substitution"),
        (
            "${APP/",
            "error: unable to parse substitution within function",
        ),
    ];
    for (text, result) in table {
        assert_eq!(lax(text), result, "{text}");
    }
}

#[test]
fn removals() {
    let table = [
        ("${STAR#*.}", "example.org"),
        ("${STAR##*.}", "org"),
        ("${STAR%.*}", "*.example"),
        ("${STAR%%.*}", "*"),
        ("${STAR#\\*}", ".example.org"),
        ("${STAR#[^a-z]}", ".example.org"),
        ("${STAR#[}", "*.example.org"),
        ("${STAR%*}", "*.example.or"),
        ("${STAR%%*}", ""),
        (
            "${APP#}",
            "error: unable to parse substitution within function",
        ),
        ("${APP#a", "error: bad substitution"),
        ("${APP###}", "app"),
    ];
    for (text, result) in table {
        assert_eq!(lax(text), result, "{text}");
    }
}

#[test]
fn nothing_takes_for_ever() {
    let long = "a".repeat(100_000);
    let lookup = |_: &str, _| Some(Value::known(&long));
    let slow = expand("${V##*b*b*b*c}", &lookup);
    assert!(matches!(slow, Err(Failure::TooLarge(_))));
    let large = expand("${V//a/${V}}", &lookup);
    assert!(matches!(large, Err(Failure::TooLarge(_))));
    let nested = "${A:-".repeat(100_000) + &"}".repeat(100_000);
    let Err(Failure::Parse(error)) = expand(&nested, &lookup) else {
        panic!("deep nesting was taken");
    };
    assert_eq!(error.problem, Problem::TooDeep);
}

#[test]
fn reading_ends_at_a_zero_byte() {
    assert_eq!(lax("a ${APP}\0 ${APP}"), "a app");
    assert!(!is_plain("a\0b"));
}

#[test]
fn errors_name_the_outermost_expression() {
    let text = "ok ${APP} bad ${X:-${a.b}} more";
    let Err(Failure::Parse(error)) = expand(text, &lookup) else {
        panic!("no error");
    };
    assert_eq!(error.problem, Problem::MissingClosingBrace);
    assert_eq!(error.range.start, 14);
}

/// Values are fuzzed with the characters that mean something.
#[test]
fn no_input_panics() {
    let alphabet = [
        "$", "{", "}", "${", "A", "APP", "X", ":", "-", "=", "?", "+", "#", "%", "/", "\\", "^",
        ",", "*", "[", "]", "é", "1", " ", "\n", "STAR", "NUM", "!", "@",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..50_000 {
        let text: String = (0..next(14) + 1)
            .map(|_| alphabet[next(alphabet.len())])
            .collect();
        if let Ok(expansion) = expand(&text, &lookup) {
            assert_eq!(
                expansion.pieces.last().map_or(0, |p| p.output.end),
                expansion.text.len()
            );
            if is_plain(&text) {
                assert_eq!(expansion.text, text);
            }
        }
    }
}

/// The lines of a file of the shared corpus, or nothing when it is not here.
fn shared_lines(file: &str) -> Option<Vec<serde_json::Value>> {
    let shared = std::env::var_os("FLUXLINT_SHARED").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        std::path::PathBuf::from,
    );
    let Ok(text) = std::fs::read_to_string(shared.join(file)) else {
        println!("skipped: no corpus");
        return None;
    };
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    Some(lines.collect())
}

#[test]
fn expressions_found_in_repositories() {
    let Some(rows) = shared_lines("corpus/envsubst-wild.jsonl") else {
        return;
    };
    assert!(rows.len() > 1000);
    for row in rows {
        let text = row["in"].as_str().unwrap();
        let (lax, strict) = match expand(text, &lookup) {
            Ok(expansion) => {
                let strict = match expansion.undefined.first() {
                    Some(undefined) => Err(undefined.message()),
                    None => Ok(expansion.text.clone()),
                };
                (Ok(expansion.text), strict)
            }
            Err(failure) => (Err(failure.to_string()), Err(failure.to_string())),
        };
        for (mode, ours) in [("lax", lax), ("strict", strict)] {
            let theirs = match row[format!("{mode}_error")].as_str() {
                Some(error) => Err(error.to_owned()),
                None => Ok(row[mode].as_str().unwrap().to_owned()),
            };
            assert_eq!(ours, theirs, "{mode} {text}");
        }
    }
}

#[test]
fn upstream_vectors() {
    let Some(rows) = shared_lines("conformance/flux_envsubst_cases.jsonl") else {
        return;
    };
    assert_eq!(rows.len(), 101);
    for row in rows {
        let case = &row["case"];
        if row["table"] == "tests" {
            let text = case["Text"].as_str().unwrap();
            let parts = parse::parse(text).unwrap();
            assert_eq!(tree(text, &parts), simplified(&case["Node"]), "{text}");
            continue;
        }
        let text = case["input"].as_str().unwrap();
        let params = case["params"].as_object().unwrap();
        let lookup = |name: &str, _| Some(Value::known(params.get(name)?.as_str()?));
        let expansion = expand(text, &lookup).unwrap();
        if case.get("wantErr").is_some_and(|error| !error.is_null()) {
            assert_eq!(expansion.undefined.len(), 1, "{text}");
        } else {
            assert_eq!(expansion.text, case["output"].as_str().unwrap(), "{text}");
            if row["table"] == "TestExpandStrict" {
                assert!(expansion.undefined.is_empty(), "{text}");
            }
        }
    }
}

/// Upstream's tree in a form that both sides can be brought to: a string for
/// text, `[name, variable, arguments…]` for an expression, lists flat.
fn simplified(node: &serde_json::Value) -> Vec<serde_json::Value> {
    let fields = &node["fields"];
    match node["$struct"].as_str().unwrap() {
        "TextNode" => vec![fields["Value"].clone()],
        "FuncNode" => {
            let name = fields["Name"].as_str().unwrap_or_default();
            let mut list = vec![name.into(), fields["Param"].clone()];
            for argument in fields["Args"].as_array().into_iter().flatten() {
                list.extend(simplified(argument));
            }
            vec![list.into()]
        }
        _ => fields["Nodes"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(simplified)
            .collect(),
    }
}

fn tree(text: &str, parts: &[Part<'_>]) -> Vec<serde_json::Value> {
    let mut list: Vec<serde_json::Value> = Vec::new();
    let mut plain = false;
    for part in parts {
        match part {
            // Upstream's text nodes reach over an escaped dollar sign.
            Part::Text(range) => match list.last_mut() {
                Some(serde_json::Value::String(last)) if plain => {
                    last.push_str(&text[range.clone()]);
                }
                _ => list.push(text[range.clone()].into()),
            },
            Part::Expression(expression) => list.push(expression_tree(expression)),
        }
        plain = matches!(part, Part::Text(_));
    }
    list
}

fn expression_tree(expression: &Expression<'_>) -> serde_json::Value {
    let mut list: Vec<serde_json::Value> = vec![expression.operator.into(), expression.name.into()];
    list.extend(expression.arguments.iter().map(|argument| match argument {
        parse::Argument::Text(text) => serde_json::Value::from(text.as_ref()),
        parse::Argument::Expression(nested) => expression_tree(nested),
    }));
    list.into()
}
