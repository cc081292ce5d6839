use std::sync::Arc;

use model::{Identity, Object, Problem};
use yaml::{Limits, Node, Sources, Span};

use super::object::Substituted;
use super::*;

/// One object of a file, and what to substitute.
struct Case {
    sources: Arc<Sources>,
    node: Node,
    variables: Variables,
    strict: bool,
}

fn parse(sources: &Sources, name: &str, text: &str) -> Node {
    let file = sources.add(name, text);
    let nodes = yaml::parse(text, file, &Limits::default()).unwrap();
    yaml::canonical(&nodes[0]).unwrap()
}

fn case(object: &str, substitute: &str) -> Case {
    let sources = Sources::new();
    let node = parse(&sources, "object.yaml", object);
    let inline = parse(&sources, "ks.yaml", substitute);
    let mut variables = Variables::default();
    variables.add(&Provider::Inline(&inline));
    Case {
        sources,
        node,
        variables,
        strict: true,
    }
}

fn identity() -> Identity {
    Identity {
        group: "".into(),
        version: "v1".into(),
        kind: "ConfigMap".into(),
        namespace: "".into(),
        name: "x".into(),
    }
}

impl Case {
    fn lax(mut self) -> Self {
        self.strict = false;
        self
    }

    fn substitution(&self) -> Substitution<'_> {
        Substitution {
            variables: &self.variables,
            strict: self.strict,
            sources: &self.sources,
        }
    }

    fn run(&self) -> Substituted {
        self.substitution().apply(&self.node, &identity())
    }

    /// The result's text, or its first problem with the line it points to.
    fn shown(&self) -> String {
        let done = self.run();
        match done.problems.iter().find(|problem| !is_retyped(problem)) {
            None => yaml::emit_v2(&done.node),
            Some(problem) => format!("{} failed={}", self.problem(problem), done.failed),
        }
    }

    fn line(&self, span: Span) -> String {
        match self.sources.location(span) {
            Some(at) => format!("{}:{}:{}", at.file, at.line, at.column),
            None => "nowhere".into(),
        }
    }

    fn problem(&self, problem: &Problem) -> String {
        match problem {
            Problem::UndefinedVariable { name, span, .. } => {
                format!("undefined {name} {}", self.line(*span))
            }
            Problem::UnsupportedExpression {
                expression,
                message,
                span,
                ..
            } => format!("{expression}: {message} {}", self.line(*span)),
            Problem::SubstitutedTextInvalid { message, span, .. } => {
                format!("{message} {}", self.line(span.unwrap_or(Span::NONE)))
            }
            other => format!("{other:?}"),
        }
    }
}

fn is_retyped(problem: &Problem) -> bool {
    matches!(problem, Problem::Retyped { .. })
}

const HEAD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n";

fn data(lines: &str, substitute: &str) -> Case {
    case(&format!("{HEAD}data:\n{lines}"), substitute)
}

/// What `data.k` is, as JSON.
fn value(written: &str, substitute: &str) -> String {
    let case = data(&format!("  k: {written}\n"), substitute);
    let done = case.run();
    match done.node.path(&["data", "k"]) {
        Some(node) if done.problems.iter().all(is_retyped) => {
            yaml::to_json(node).trim_end().to_owned()
        }
        _ => case.shown(),
    }
}

#[test]
fn the_value_decides_the_type() {
    // D29, D30, D31: quotes around a placeholder do not survive.
    assert_eq!(value("${ID}", "ID: '004'"), "4");
    assert_eq!(value("'${ID}'", "ID: '004'"), "4");
    assert_eq!(value("\"${X}\"", "X: 'yes'"), "true");
    assert_eq!(value("${X}", "X: 'true'"), "true");
    assert_eq!(value("${X}", "X: 1e3"), "1000");
    assert_eq!(value("${X}", "X: '12_000'"), "12000");
    assert_eq!(value("${X}", "X: ''"), "null");
    assert_eq!(value("${X}", "X: '2024-01-01'"), "\"2024-01-01\"");
    assert_eq!(value("a${X}", "X: '1'"), "\"a1\"");
    assert_eq!(value("'yes'", "X: '1'"), "\"yes\"");
    // The documented trick.
    assert_eq!(value("${q}${ID}${q}", "{q: '\"', ID: '004'}"), "\"004\"");
    assert_eq!(value("${X}", "X: '{a: 1}'"), "{\"a\":1}");
}

#[test]
fn lines_that_begin_with_a_tab_cannot_be_taken_over() {
    let case = data("  k: \"\\tall:\\n\\techo\\n\"\n", "A: b");
    assert!(case.shown().starts_with(
        "UnmarshalJSON: yaml: line 3: found a tab character where an indentation space is expected"
    ));
    assert_eq!(value("\"\\tone line\"", "A: b"), "\"\\tone line\"");
}

#[test]
fn line_breaks_are_cut_from_values() {
    assert_eq!(value("${X}", "X: \"a\\nb\\n\""), "\"ab\"");
    assert_eq!(value("${X}", "X: |\n  red\n"), "\"red\"");
}

#[test]
fn an_alias_is_no_value() {
    // D32
    let case = data(
        "  k: x\n  list: |-\n    ${DOMAIN}\n",
        "DOMAIN: '*.example.org'",
    );
    assert_eq!(
        case.shown(),
        "YAMLToJSON: yaml: line 4: did not find expected alphabetic or numeric character \
         object.yaml:7:9 failed=true"
    );
}

#[test]
fn defaults_in_plain_scalars_are_fine() {
    // D33, D34
    assert_eq!(value("${X:-web}", "A: b"), "\"web\"");
    assert_eq!(value("${X:=web}", "A: b"), "\"web\"");
    assert_eq!(value("${X:-y}", "A: b"), "true");
    let folded = format!("${{X:-{}}}", "word ".repeat(30).trim_end());
    let long = "word ".repeat(30);
    assert_eq!(value(&folded, "A: b"), format!("\"{}\"", long.trim_end()));
}

#[test]
fn undefined_variables_are_found_where_they_stand() {
    // D20, D21, D22
    let script = "  run.sh: |\n    for f in ${FILES}; do echo $f $(date); done\n    # ${FILES}\n";
    let strict = data(script, "OTHER: x");
    let done = strict.run();
    assert!(done.failed);
    let found: Vec<String> = done.problems.iter().map(|p| strict.problem(p)).collect();
    assert_eq!(
        found,
        [
            "undefined FILES object.yaml:7:14",
            "undefined FILES object.yaml:8:7"
        ]
    );
    let lax = data(script, "OTHER: x").lax();
    let done = lax.run();
    assert!(!done.failed);
    assert_eq!(done.problems.len(), 2);
    let text = done.node.str_at(&["data", "run.sh"]).unwrap();
    assert_eq!(text, "for f in ; do echo $f $(date); done\n# \n");
}

#[test]
fn an_escaped_expression_is_text() {
    assert_eq!(value("$${FILES} $HOME", "A: b"), "\"${FILES} $HOME\"");
    assert_eq!(value("a $$ b", "A: b"), "\"a $ b\"");
}

#[test]
fn expressions_that_are_none_fail_in_both_modes() {
    // D25, D26
    for (written, message) in [
        ("${my-var-name}", "${my-var-name}: missing closing brace"),
        ("${A[@]}", "${A[@]}: missing closing brace"),
        ("${!x}", "${!x}: unable to parse variable name"),
        ("\"${{ x }}\"", "${{ x }}: unable to parse variable name"),
    ] {
        let case = data(&format!("  a: b\n  k: {written}\n"), "A: b").lax();
        let shown = case.shown();
        let column = if written.starts_with('"') { 7 } else { 6 };
        assert_eq!(
            shown,
            format!("{message} object.yaml:7:{column} failed=true")
        );
    }
    let case = data("  k: ${STAR:3:-1}\n", "STAR: abcdef");
    assert!(case.shown().contains("slice bounds out of range"));
}

#[test]
fn the_switch_works_as_label_and_annotation() {
    for kind in ["labels", "annotations"] {
        let text =
            format!("{HEAD}  {kind}:\n    kustomize.toolkit.fluxcd.io/substitute: disabled\n");
        assert!(Substitution::is_disabled(&case(&text, "A: b").node));
    }
    assert!(!Substitution::is_disabled(&case(HEAD, "A: b").node));
}

#[test]
fn names_must_be_identifiers() {
    // D27
    let case = case(HEAD, "cluster.name: x\nREGION: y\n1a: z\n_ok1: w\n");
    let invalid: Vec<String> = case
        .variables
        .invalid_names()
        .iter()
        .map(|problem| match problem {
            Problem::InvalidVariableName { name, span, .. } => {
                format!("{name} {}", case.line(*span))
            }
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(invalid, ["1a ks.yaml:3:5", "cluster.name ks.yaml:1:15"]);
}

#[test]
fn numbers_pass_through_float64() {
    for substitute in ["A: b", "V: x"] {
        let case = data(
            "  a: 9007199254740993\n  b: 12345678901234567890\n  c: 1.50\n  d: 42\n  e: \"${V:-q}\"\n",
            substitute,
        );
        let done = case.run();
        let text = |key: &str| {
            done.node
                .path(&["data", key])
                .unwrap()
                .text()
                .unwrap()
                .clone()
        };
        assert_eq!(text("a"), "9007199254740992");
        assert_eq!(text("b"), "12345678901234567000");
        assert_eq!(text("c"), "1.5");
        assert_eq!(text("d"), "42");
    }
}

#[test]
fn sources_come_in_order_and_inline_values_win() {
    let sources = Sources::new();
    let first = parse(
        &sources,
        "a.yaml",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: n}, data: {X: one, Y: one, Z: one}}",
    );
    let second = parse(
        &sources,
        "b.yaml",
        "{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: n}, data: {Y: dHdv, Q: '?'}, stringData: {R: three}}",
    );
    let object = |node: Node, kind: &str, name: &str| Object {
        identity: Identity {
            kind: kind.into(),
            namespace: "n".into(),
            name: name.into(),
            ..identity()
        },
        node: Arc::new(node),
        template: None,
    };
    let mut variables = Variables::default();
    variables.add(&Provider::Source(&Provided::of(&object(
        first,
        "ConfigMap",
        "a",
    ))));
    variables.add(&Provider::Source(&Provided::of(&object(
        second, "Secret", "b",
    ))));
    variables.add(&Provider::Inline(&parse(
        &sources,
        "ks.yaml",
        "{Z: inline}",
    )));
    let text = |name: &str| variables.look_up(name, false).map(|v| v.text.into_owned());
    assert_eq!(text("X").as_deref(), Some("one"));
    assert_eq!(text("Y").as_deref(), Some("two"));
    assert_eq!(text("Z").as_deref(), Some("inline"));
    assert_eq!(text("R").as_deref(), Some("three"));
    assert!(variables.look_up("Q", false).is_some_and(|v| v.unknown));
    assert_eq!(text("none"), None);
}

#[test]
fn unknown_values_are_marked_and_open_sources_decide_nothing() {
    let mut case = data(
        "  k: https://${HOST}/${MORE:-x}\n  j: plain\n  ${HOST}: 1\n",
        "{}",
    );
    let provided = Provided {
        provider: "Secret/n/s".into(),
        variables: vec![Variable {
            name: "HOST".into(),
            value: None,
            span: Span::NONE,
        }],
        open: true,
    };
    case.variables.add(&Provider::Source(&provided));
    let done = case.run();
    assert!(done.problems.is_empty() && !done.failed);
    let node = done.node.path(&["data", "k"]).unwrap();
    let host = yaml::unknown::marker("Secret/n/s#HOST");
    let more = yaml::unknown::marker("Secret/n/s#MORE");
    assert_eq!(node.as_str().unwrap(), format!("https://{host}/{more}"));
    assert!(node.unknown);
    assert!(!done.node.path(&["data", "j"]).unwrap().unknown);
    let entry = done.node.get("data").unwrap().entry(&host).unwrap();
    assert!(entry.key.unknown);
    assert_eq!(case.line(entry.key.span), "object.yaml:8:3");
}

#[test]
fn what_a_missing_source_leaves_undefined_is_no_finding() {
    let mut case = data("  k: ${A} ${B:-d}\n", "{}");
    case.variables.add(&Provider::Missing("ConfigMap/n/nope"));
    let done = case.run();
    assert!(done.problems.is_empty());
    let text = done.node.str_at(&["data", "k"]).unwrap();
    assert!(yaml::unknown::contains(text) && text.ends_with(" d"));
}

#[test]
fn results_keep_their_places() {
    let case = data(
        "  a: ${A}\n  b:\n    - one\n    - ${A}\n  c: '{x: 1}'\n  d: ${M}\n",
        "{A: v, M: '{x: [1]}'}",
    );
    let done = case.run();
    let at = |path: &[&str]| case.line(done.node.path(path).unwrap().span);
    assert_eq!(at(&["data", "a"]), "object.yaml:6:6");
    assert_eq!(at(&["data", "b"]), "object.yaml:8:5");
    let items = done.node.path(&["data", "b"]).unwrap().items();
    assert_eq!(case.line(items[1].span), "object.yaml:9:7");
    assert_eq!(at(&["data", "d", "x"]), "object.yaml:11:6");
    assert_eq!(case.line(done.node.span), "object.yaml:1:1");
}

/// The short way for objects without expressions gives what the long way gives.
#[test]
fn both_ways_agree() {
    let pieces = [
        "a",
        "b: c",
        "- x",
        "'",
        "\"",
        "#",
        " # y",
        ":",
        ": ",
        "\n",
        "\n\n",
        " ",
        "  ",
        "\t",
        "$",
        "$x",
        "yes",
        "no",
        "1",
        "0x1",
        "1_0",
        "1e3",
        ".5",
        "~",
        "null",
        "2024-01-01",
        "12:30:45",
        "*",
        "&a",
        "!t",
        "|",
        ">",
        "%",
        "@",
        "`",
        "{",
        "}",
        "[",
        "]",
        ",",
        "?",
        "é",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "😀",
        "\\",
        "long words that go on and on until the line folds ",
        "=",
        "<<",
        "\r",
        "\u{7}",
        "-",
        "---",
        "...",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let case = data("  k: v\n", "A: b");
    for _ in 0..20_000 {
        let mut text = || -> String {
            let count = next(6);
            (0..count).map(|_| pieces[next(pieces.len())]).collect()
        };
        let list = Node::seq([Node::string(text()), Node::seq([]), Node::null()]);
        let key = text();
        let mut inner = vec![(key, Node::string(text())), ("z".to_owned(), Node::int(7))];
        inner.sort_by(|a, b| a.0.cmp(&b.0));
        inner.dedup_by(|a, b| a.0 == b.0);
        let mut fields = vec![
            ("inner", Node::map(inner)),
            ("list", list),
            ("text", Node::string(text())),
        ];
        fields.extend(
            ["apiVersion", "kind", "metadata"]
                .map(|field| (field, case.node.get(field).unwrap().clone())),
        );
        fields.sort_by_key(|(field, _)| *field);
        let node = Node::map(fields);
        if object::needs_text(&node) {
            continue;
        }
        let substitution = case.substitution();
        let short = substitution.apply(&node, &identity());
        let long = substitution.by_text(&node, &identity());
        assert!(long.problems.is_empty(), "{node:?} {:?}", long.problems);
        assert_eq!(short.node, long.node, "{}", yaml::emit_v2(&node));
    }
}

#[test]
fn texts_that_become_something_else_are_told_apart() {
    let mut case = case(
        "metadata: {annotations: {id: \"${ID}\"}}\ndata:\n  - ${ID}\n  - x${ID}\n  - ${NONE}\n  - ${LIST}\n  - 4\n",
        "{ID: \"004\", LIST: \"[1]\"}",
    );
    case.variables.add(&Provider::Source(&Provided {
        provider: "Secret/a/b".into(),
        variables: vec![Variable {
            name: "PIN".into(),
            value: Some("1234".into()),
            span: Span::NONE,
        }],
        open: false,
    }));
    case.node.insert("pin", Node::string("${PIN}"));
    let done = case.lax().run();
    let told: Vec<String> = done
        .problems
        .iter()
        .filter_map(|problem| match problem {
            Problem::Retyped {
                field,
                text,
                value,
                quoted,
                ..
            } => Some(format!(
                "{} {text:?} {} quoted={quoted}",
                field.join("/"),
                value.text().unwrap()
            )),
            _ => None,
        })
        .collect();
    // What is undefined is told otherwise, and a list is meant to be one.
    assert_eq!(
        told,
        [
            "data/[0] Some(\"004\") 4 quoted=false",
            "metadata/annotations/id Some(\"004\") 4 quoted=true",
            "pin None 1234 quoted=false",
        ]
    );
}
