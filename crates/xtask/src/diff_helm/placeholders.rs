//! What the native functions give where Helm's answer is not the same in each
//! run, for the upstream program to give the same.

use helm::Options;
use serde_json::{Map, Value, json};

/// Longer random texts are not asked for.
const LONGEST: usize = 4096;

/// Answers of functions by their names.
pub struct Placeholders(Value);

impl Placeholders {
    /// Asks the native functions.
    pub fn native() -> Self {
        let mut all = Map::new();
        for name in ["randAlphaNum", "randAlpha", "randAscii", "randNumeric"] {
            put(&mut all, name, text(&format!("{{{{ {name} {LONGEST} }}}}")));
        }
        let bytes = text(&format!("{{{{ randBytes {LONGEST} | b64dec }}}}"));
        put(&mut all, "randBytes", bytes);
        put(&mut all, "uuidv4", text("{{ uuidv4 }}"));
        put(&mut all, "bcrypt", text(r#"{{ bcrypt "p" }}"#));
        let hash = text(r#"{{ htpasswd "u" "p" }}"#);
        let hash = hash.and_then(|text| Some(text.strip_prefix("u:")?.to_owned()));
        put(&mut all, "htpasswd", hash);
        put(
            &mut all,
            "encryptAES",
            text(r#"{{ encryptAES "0123456789abcdef" "p" }}"#),
        );
        certificates(&mut all);
        let mut keys = Map::new();
        for kind in ["rsa", "dsa", "ecdsa", "ed25519"] {
            put(
                &mut keys,
                kind,
                text(&format!("{{{{ genPrivateKey {kind:?} }}}}")),
            );
        }
        all.insert("genPrivateKey".to_owned(), Value::Object(keys));
        Placeholders(Value::Object(all))
    }

    /// As the program takes them.
    pub fn json(&self) -> &Value {
        &self.0
    }
}

fn put(all: &mut Map<String, Value>, name: &str, text: Option<String>) {
    if let Some(text) = text {
        all.insert(name.to_owned(), Value::String(text));
    }
}

fn certificates(all: &mut Map<String, Value>) {
    const KEY: &str = r#"(genPrivateKey "rsa")"#;
    let calls = [
        ("genCA", r#"genCA "a" 1"#.to_owned()),
        ("genCAWithKey", format!(r#"genCAWithKey "a" 1 {KEY}"#)),
        (
            "genSelfSignedCert",
            r#"genSelfSignedCert "a" nil nil 1"#.to_owned(),
        ),
        (
            "genSelfSignedCertWithKey",
            format!(r#"genSelfSignedCertWithKey "a" nil nil 1 {KEY}"#),
        ),
        (
            "genSignedCert",
            r#"genSignedCert "a" nil nil 1 (genCA "a" 1)"#.to_owned(),
        ),
        (
            "genSignedCertWithKey",
            format!(r#"genSignedCertWithKey "a" nil nil 1 (genCA "a" 1) {KEY}"#),
        ),
    ];
    for (name, call) in calls {
        let part = |field: &str| text(&format!("{{{{ $pair := {call} }}}}{{{{ $pair.{field} }}}}"));
        if let (Some(cert), Some(key)) = (part("Cert"), part("Key")) {
            all.insert(name.to_owned(), json!({"Cert": cert, "Key": key}));
        }
    }
}

/// The text of a template, unless the native side does not model a function.
fn text(template: &str) -> Option<String> {
    let path = "p/templates/t".to_owned();
    let sources = [(path.clone(), template.as_bytes().to_vec())].into();
    let compiled = helm::Compiled::of_texts(&sources).ok()?;
    let options = Options {
        uniform: true,
        ..Options::default()
    };
    let map = gotmpl::value::Map::new(&gotmpl::value::types::ANY_MAP);
    let rendered = compiled.execute(&options, |_, _| Some((map.clone(), String::new())));
    let text = rendered.ok()?.texts.remove(&path)?;
    String::from_utf8(text).ok()
}
