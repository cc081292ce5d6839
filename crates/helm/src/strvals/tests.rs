use super::*;

fn set(values: &str, text: &str, form: Form) -> Result<String, String> {
    let mut data = Data::of(&crate::json::read(values).unwrap());
    assign(&mut data, text.as_bytes(), form)?;
    Ok(crate::json::write(&data.to_value(), crate::json::Style::default()).unwrap_or_default())
}

fn typed(values: &str, text: &str) -> Result<String, String> {
    set(values, text, Form::Typed)
}

#[test]
fn names_and_values() {
    assert_eq!(
        typed("{}", "a.b[1].c=1,d={x,2,true},e=,f=null,g=007,h=a\\,b").unwrap(),
        r#"{"a":{"b":[null,{"c":1}]},"d":["x",2,true],"e":"","f":null,"g":"007","h":"a,b"}"#
    );
    assert_eq!(
        typed(r#"{"a":[1,{"b":2}]}"#, "a[1].c=x,a[0]=y").unwrap(),
        r#"{"a":["y",{"b":2,"c":"x"}]}"#
    );
    assert_eq!(
        typed("{}", "a=fal\u{17f}e,b=+5,c=TRUE").unwrap(),
        r#"{"a":false,"b":5,"c":true}"#
    );
}

#[test]
fn ends_are_no_faults() {
    assert_eq!(typed("{}", "a[0]").unwrap(), r#"{"a":[]}"#);
    assert_eq!(typed("{}", "a[0").unwrap(), "{}");
    assert_eq!(typed("{}", "a.").unwrap(), "{}");
    assert_eq!(typed("{}", "a[0].b=").unwrap(), r#"{"a":[]}"#);
    assert_eq!(
        typed(r#"{"a":[1]}"#, "a[0].b=").unwrap(),
        r#"{"a":[{"b":""}]}"#
    );
    assert_eq!(typed("{}", "").unwrap(), "{}");
}

#[test]
fn faults_are_helms() {
    let fault = |text: &str| typed(r#"{"s":"x","n":null,"l":[1],"m":{}}"#, text).unwrap_err();
    assert_eq!(fault("a"), "key \"a\" has no value");
    assert_eq!(fault("a,b"), "key \"a\" has no value (cannot end with ,)");
    assert_eq!(fault("a.=1"), "key map \"a\" has no value");
    assert_eq!(fault("a={1"), "list must terminate with '}'");
    assert_eq!(
        fault("a[x]=1"),
        "error parsing index: strconv.Atoi: parsing \"x\": invalid syntax"
    );
    assert_eq!(fault("a[-1]=1"), "negative -1 index not allowed");
    assert_eq!(
        fault("a[0]b=1"),
        "unexpected data at end of array index: ['b']"
    );
    assert_eq!(
        fault("a[65537]=1"),
        "index of 65537 is greater than maximum supported index of 65536"
    );
    let not = |found: &str, wanted: &str| {
        format!(
            "unable to parse key: interface conversion: interface {{}} is {found}, not {wanted}"
        )
    };
    assert_eq!(fault("s.a=1"), not("string", "map[string]interface {}"));
    assert_eq!(fault("n[0]=1"), not("nil", "[]interface {}"));
    assert_eq!(
        fault("m[0]=1"),
        not("map[string]interface {}", "[]interface {}")
    );
    assert_eq!(fault("l[0][0]=1"), not("float64", "[]interface {}"));
    let deep = format!("{}=1", vec!["a"; 32].join("."));
    assert_eq!(
        fault(&deep),
        "value name nested level is greater than maximum supported nested level of 30"
    );
}

#[test]
fn json_and_literals() {
    assert_eq!(
        set("{}", "a={\"b\":[1]},c= , d=\"x\"", Form::Json).unwrap(),
        r#"{" d":"x","a":{"b":[1]},"c":null}"#
    );
    assert_eq!(set("{}", "a={", Form::Json).unwrap_err(), "unexpected EOF");
    assert_eq!(
        set("{}", "a=x", Form::Json).unwrap_err(),
        "invalid character 'x' looking for beginning of value"
    );
    assert_eq!(
        set("{}", "a.b=x,c=\\d,{e}", Form::Literal).unwrap(),
        r#"{"a":{"b":"x,c=\\d,{e}"}}"#
    );
}

#[test]
fn files_stand_for_values() {
    let mut data = Data::map();
    let mut read = |name: &str| match name {
        "missing" => Err("no such file".to_owned()),
        name => Ok(format!("<{name}>").into_bytes()),
    };
    assign_files(&mut data, b"a={x,y},b=true", &mut read).unwrap();
    assert_eq!(data.text_at("b"), "<true>");
    assert_eq!(data.items_at("a"), [Data::text("<x>"), Data::text("<y>")]);
    assert!(assign_files(&mut data, b"a=missing", &mut read).is_err());
}

#[test]
fn values_at_paths() {
    let mut data = Data::map();
    data.set_at_path("a.b", b"5").unwrap();
    data.set_at_path("a.c", b"'5'").unwrap();
    data.set_text_at_path("a.d\\.e", b"x,{y}=[z]\\").unwrap();
    let a = data.get("a").unwrap();
    assert_eq!(a.get("b"), Some(&Data::Int(5)));
    assert_eq!(a.text_at("c"), "5");
    assert_eq!(a.text_at("d.e"), "x,{y}=[z]\\");
}
