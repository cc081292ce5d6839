//! Templates from text to output, through the public interface.

use std::any::Any;
use std::rc::Rc;

use gotmpl::value::types::{ANY_MAP, ANY_SLICE, MapType};
use gotmpl::value::{Func, List, Map, Method, Object, Str, Type};
use gotmpl::{ErrorKind, Functions, Limits, MissingKey, Templates, Value};

fn map(entries: &[(&str, Value)]) -> Map {
    let entry = |(key, value): &(&str, Value)| (Str::from(*key), value.clone());
    Map::from_iter(entries.iter().map(entry))
}

fn run(text: &str, dot: Value) -> Result<String, String> {
    run_in(
        Templates::new(Functions::new()),
        text,
        dot,
        &Limits::default(),
    )
}

fn run_in(
    mut templates: Templates,
    text: &str,
    dot: Value,
    limits: &Limits,
) -> Result<String, String> {
    templates.parse("t", text).map_err(|e| e.to_string())?;
    let output = templates.execute("t", dot, limits);
    let text = output.map_err(|e| e.to_string())?.text;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn prints(text: &str, expected: &str) {
    assert_eq!(run(text, Value::Nil).as_deref(), Ok(expected), "{text}");
}

fn fails(text: &str, expected: &str) {
    let error = run(text, map(&[("s", Value::from("x"))]).into()).unwrap_err();
    assert_eq!(error, expected, "{text}");
}

#[test]
fn ranges_over_numbers() {
    prints("{{range 3}}{{.}}{{end}}", "012");
    prints("{{range $i := 2}}{{$i}}{{else}}none{{end}}", "01");
    prints("{{range 0}}{{.}}{{else}}none{{end}}", "none");
    prints("{{range -3}}{{.}}{{else}}none{{end}}", "none");
    fails(
        "{{range $i, $x := 3}}{{end}}",
        "template: t:1:18: executing \"t\" at <3>: can't use 3 to iterate over more than one variable",
    );
}

#[test]
fn ranges_over_iterators() {
    let letters = |pairs| {
        Value::Func(Func::iterator("iter.Seq2[int,string]", pairs, || {
            Box::new((0..3).map(|at| (Value::int(at), Some(Value::from("x")))))
        }))
    };
    let text = "{{range .}}{{.}}{{end}}";
    assert_eq!(run(text, letters(true)).unwrap(), "012");
    let text = "{{range $i, $x := .}}{{$i}}{{$x}}{{if eq $i 1}}{{break}}{{end}}{{end}}";
    assert_eq!(run(text, letters(true)).unwrap(), "0x1x");
}

#[test]
fn branches_go_on() {
    prints("{{with 0}}a{{else with 2}}{{.}}{{else}}c{{end}}", "2");
    prints("{{with print nil}}{{.}}{{end}}", "<nil>");
    prints("{{if 0}}a{{else if 0}}b{{else}}c{{end}}", "c");
    prints(
        "{{range 3}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{end}}",
        "02",
    );
}

#[test]
fn maps_are_shared_and_sorted() {
    let shared = map(&[("b", Value::int(2)), ("a", Value::int(1))]);
    let dot = map(&[("x", shared.clone().into()), ("y", shared.into())]);
    let mut functions = Functions::new();
    functions.add(
        "set",
        &[Type::DICT, Type::String, Type::Any],
        |_, mut args| {
            let value = args.take(2);
            let map = args.map(0).ok_or("no map")?;
            map.insert(args.string(1), value);
            Ok(Value::Map(map.clone()))
        },
    );
    let text = "{{$_ := set .x \"c\" 3}}{{.y}} {{range $k, $v := .y}}{{$k}}{{$v}}{{end}}";
    let output = run_in(
        Templates::new(functions),
        text,
        dot.into(),
        &Limits::default(),
    );
    assert_eq!(output.unwrap(), "map[a:1 b:2 c:3] a1b2c3");
}

#[test]
fn missing_keys() {
    let text = "{{.a}} {{.a.b}}";
    let with = |missing_key| {
        let templates = Templates::new(Functions::new()).missing_key(missing_key);
        run_in(
            templates,
            text,
            Map::new(&ANY_MAP).into(),
            &Limits::default(),
        )
    };
    assert_eq!(with(MissingKey::Invalid).unwrap(), "<no value> <no value>");
    assert_eq!(
        with(MissingKey::Zero).unwrap_err(),
        "template: t:1:11: executing \"t\" at <.a.b>: nil pointer evaluating interface {}.b"
    );
    assert_eq!(
        with(MissingKey::Error).unwrap_err(),
        "template: t:1:2: executing \"t\" at <.a>: map has no entry for key \"a\""
    );
}

#[test]
fn errors_name_the_place() {
    fails(
        "a\n  {{ .s.x.y }}",
        "template: t:2:7: executing \"t\" at <.s.x.y>: can't evaluate field x in type interface {}",
    );
    fails(
        "{{template \"u\" .}}",
        "template: t:1:11: executing \"t\" at <{{template \"u\" .}}>: template \"u\" not defined",
    );
    fails("{{if}}", "template: t:1: missing value for if");
    fails(
        "x\n{{nope}}",
        "template: t:2: function \"nope\" not defined",
    );
    fails("{{if 1}}", "template: t:1: unexpected EOF");
    fails(
        "{{define \"d\"}}{{len 3}}{{end}}\n{{template \"d\"}}",
        "template: t:1:16: executing \"d\" at <len 3>: error calling len: len of type int",
    );
}

/// A struct of a host.
struct Version(&'static str);

static METHODS: &[Method] = &[Method {
    name: "Has",
    params: &[Type::String],
    variadic: false,
    call: |_, receiver, args| {
        let Value::Object(object) = receiver else {
            return Err("no object".into());
        };
        let version = object.as_any().downcast_ref::<Version>();
        Ok(Value::Bool(
            version.is_some_and(|v| v.0.as_bytes() == args.bytes(0)),
        ))
    },
}];

impl Object for Version {
    fn type_name(&self) -> &'static str {
        "*host.Version"
    }

    fn fields(&self) -> &'static [&'static str] {
        &["Major"]
    }

    fn field(&self, name: &str) -> Option<Value> {
        (name == "Major").then(|| Value::from(self.0))
    }

    fn methods(&self) -> &'static [Method] {
        METHODS
    }

    fn text(&self) -> Option<Str> {
        Some(Str::from(format!("v{}", self.0)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[test]
fn objects_have_fields_and_methods() {
    let dot = || map(&[("v", Value::object(Version("1")))]).into();
    let text =
        "{{.v}} {{.v.Major}} {{.v.Has \"1\"}} {{\"2\" | .v.Has}} {{printf \"%s|%#v\" .v .v}}";
    assert_eq!(
        run(text, dot()).unwrap(),
        "v1 1 true false v1|&host.Version{Major:\"1\"}"
    );
    assert_eq!(
        run("{{.v.Has}}", dot()).unwrap_err(),
        "template: t:1:4: executing \"t\" at <.v.Has>: wrong number of args for Has: want 1 got 0"
    );
    assert_eq!(
        run("{{.v.Minor}}", dot()).unwrap_err(),
        "template: t:1:4: executing \"t\" at <.v.Minor>: can't evaluate field Minor in type interface {}"
    );
}

#[test]
fn named_types_have_methods() {
    static KEYS: &[Method] = &[Method {
        name: "Count",
        params: &[],
        variadic: false,
        call: |_, receiver, _| match receiver {
            Value::Map(map) => Ok(Value::int(map.len() as i64)),
            _ => Err("no map".into()),
        },
    }];
    static VALUES: MapType = MapType {
        name: "host.Values",
        elem: Type::Any,
        named: true,
        methods: KEYS,
    };
    let values = Map::new(&VALUES);
    values.insert(Str::from("a"), Value::List(List::nil(&ANY_SLICE)));
    let text = "{{.Count}} {{.a}} {{printf \"%T\" .}} {{index . \"a\" | len}}";
    assert_eq!(run(text, values.into()).unwrap(), "1 [] host.Values 0");
}

#[test]
fn functions_execute_templates() {
    let mut functions = Functions::new();
    functions.add("include", &[Type::String, Type::Any], |cx, mut args| {
        let dot = args.take(1);
        let text = cx.execute(&args.text(0), dot)?;
        Ok(Value::String(text))
    });
    functions.add("fail", &[Type::String], |_, args| {
        Err(gotmpl::Failure::tagged("fail", args.text(0)))
    });
    let mut templates = Templates::new(functions);
    let text = "{{define \"d\"}}[{{.}}]{{end}}{{define \"e\"}}{{fail \"no\"}}{{end}}\
        {{include \"d\" (include \"d\" 1)}}";
    templates.parse("t", text).unwrap();
    let run = |name| templates.execute(name, Value::Nil, &Limits::default());
    assert_eq!(run("t").unwrap().text, b"[[1]]");
    templates.clone().parse("u", "{{include \"e\" 1}}").unwrap();
    assert_eq!(run("u").unwrap_err().kind(), ErrorKind::Missing);
    let mut more = templates.clone();
    more.parse("u", "{{include \"e\" 1}}").unwrap();
    let error = more
        .execute("u", Value::Nil, &Limits::default())
        .unwrap_err();
    assert_eq!(error.tag(), Some("fail"));
    assert_eq!(
        error.to_string(),
        "template: u:1:2: executing \"u\" at <include \"e\" 1>: error calling include: \
        template: t:1:44: executing \"e\" at <fail \"no\">: error calling fail: no"
    );
}

#[test]
fn limits_end_what_does_not_end() {
    let limits = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        limits
    };
    let kind = |text: &str, limits: Limits| {
        let mut functions = Functions::new();
        functions.add("include", &[Type::String], |cx, args| {
            Ok(Value::String(cx.execute(&args.text(0), Value::Nil)?))
        });
        let mut templates = Templates::new(functions);
        templates.parse("t", text).unwrap();
        templates.execute("t", Value::Nil, &limits).unwrap_err()
    };
    let endless = "{{range 9223372036854775807}}{{end}}";
    let error = kind(endless, limits(|l| l.steps = 1000));
    assert_eq!(error.kind(), ErrorKind::Limit);
    let error = kind(
        "{{range 1000}}{{printf \"%99d\" 1}}{{end}}",
        limits(|l| l.bytes = 1000),
    );
    assert_eq!(error.kind(), ErrorKind::Limit);
    let error = kind("{{template \"t\"}}", Limits::default());
    assert!(
        error
            .message()
            .contains("exceeded maximum template depth (100000)")
    );
    let error = kind("{{include \"t\"}}", Limits::default());
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.root().message().contains("nest deeper"));
}

#[test]
fn deep_texts_are_refused_or_read() {
    let parens = format!("{{{{{}1{}}}}}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(
        run(&parens, Value::Nil).unwrap_err(),
        "template: t:1: max expression depth exceeded"
    );
    let blocks = "{{if 1}}".repeat(20_000) + "x" + &"{{end}}".repeat(20_000);
    assert_eq!(run(&blocks, Value::Nil).unwrap(), "x");
    let chain = "{{if 0}}".to_owned() + &"{{else if 0}}".repeat(20_000) + "{{else}}x{{end}}";
    assert_eq!(run(&chain, Value::Nil).unwrap(), "x");
    let parens = format!("{{{{{}1{}}}}}", "(".repeat(90), ")".repeat(90));
    assert_eq!(run(&parens, Value::Nil).unwrap(), "1");
}

#[test]
fn maps_that_hold_themselves_print() {
    let map = Map::new(&ANY_MAP);
    map.insert(Str::from("me"), Value::Map(map.clone()));
    let text = run("{{.}}", Value::Map(map.clone())).unwrap();
    assert!(text.contains("..."));
    map.remove(b"me");
}

#[test]
fn pieces_of_output_are_traced() {
    let mut templates = Templates::new(Functions::new());
    templates
        .parse("t", "a{{1}}{{template \"d\"}}{{define \"d\"}}b{{end}}")
        .unwrap();
    let limits = Limits {
        trace: true,
        ..Limits::default()
    };
    let output = templates.execute("t", Value::Nil, &limits).unwrap();
    assert_eq!(output.text, b"a1b");
    let places: Vec<(usize, u32)> = output.segments.iter().map(|s| (s.end, s.at)).collect();
    assert_eq!(places, [(1, 0), (2, 3), (3, 36)]);
}

#[test]
fn hosts_are_asked() {
    let mut functions = Functions::new();
    functions.add("name", &[], |cx, _| {
        let name = cx.host::<String>().ok_or("no host")?;
        Ok(Value::from(format!("{name} {}", cx.site().at)))
    });
    let mut templates = Templates::new(functions);
    templates.parse("t", "x{{name}}").unwrap();
    let host: Rc<dyn Any> = Rc::new("h".to_owned());
    let output = templates.execute_with("t", Value::Nil, &Limits::default(), host);
    assert_eq!(output.unwrap().text, b"xh 3");
}

#[test]
fn definitions_replace_unless_empty() {
    let mut templates = Templates::new(Functions::new());
    templates
        .parse("a", "{{define \"d\"}}1{{end}}{{template \"d\"}}")
        .unwrap();
    templates.parse("b", "{{define \"d\"}} {{end}}").unwrap();
    assert_eq!(
        templates
            .execute("a", Value::Nil, &Limits::default())
            .unwrap()
            .text,
        b"1"
    );
    templates.parse("b", "{{define \"d\"}}2{{end}}").unwrap();
    assert_eq!(
        templates
            .execute("a", Value::Nil, &Limits::default())
            .unwrap()
            .text,
        b"2"
    );
    let error = templates.parse("c", "{{define \"d\"}}1{{end}}{{define \"d\"}}2{{end}}");
    assert_eq!(
        error.unwrap_err().to_string(),
        "template: c:1: template: multiple definition of template \"d\""
    );
}
