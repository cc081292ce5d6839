//! What a user gives to a release: its name and its values.

use gotmpl::{Limits, Templates, Value};

use crate::data::Data;
use crate::engine::functions;
use crate::json;
use crate::strvals::{Form, ReadFile, assign, assign_files};

/// Values in the forms of the command line; later forms win over earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Names and texts of files.
    pub files: Vec<(String, Vec<u8>)>,
    /// `--set-json`
    pub json: Vec<String>,
    /// `--set`
    pub typed: Vec<String>,
    /// `--set-string`
    pub texts: Vec<String>,
    /// `--set-file`
    pub set_files: Vec<String>,
    /// `--set-literal`
    pub literals: Vec<String>,
}

impl Given {
    /// The values merged. `read` reads the files of `--set-file`.
    ///
    /// # Errors
    ///
    /// Helm's message about what cannot be read.
    pub fn merge(&self, read: &mut ReadFile<'_>) -> Result<Data, String> {
        let mut values = Data::map();
        for (name, text) in &self.files {
            let file = crate::load::values(text);
            let file = file.map_err(|e| format!("failed to parse {name}: {e}"))?;
            lay_over(&mut values, file);
        }
        for text in &self.json {
            self::json(&mut values, text)?;
        }
        for (flag, form, texts) in [
            ("--set", Form::Typed, &self.typed),
            ("--set-string", Form::Text, &self.texts),
        ] {
            for text in texts {
                assign(&mut values, text.as_bytes(), form)
                    .map_err(|e| format!("failed parsing {flag} data: {e}"))?;
            }
        }
        for text in &self.set_files {
            assign_files(&mut values, text.as_bytes(), read)
                .map_err(|e| format!("failed parsing --set-file data: {e}"))?;
        }
        for text in &self.literals {
            assign(&mut values, text.as_bytes(), Form::Literal)
                .map_err(|e| format!("failed parsing --set-literal data: {e}"))?;
        }
        Ok(values)
    }
}

/// A whole object, or an assignment.
fn json(values: &mut Data, text: &str) -> Result<(), String> {
    let trimmed = text.trim();
    if trimmed.starts_with('{') {
        let read = json::read(trimmed);
        let read = read.map_err(|_| format!("failed parsing --set-json data JSON: {text}"))?;
        lay_over(values, Data::of(&read));
        return Ok(());
    }
    assign(values, text.as_bytes(), Form::Json)
        .map_err(|_| format!("failed parsing --set-json data {text}"))
}

/// Lays values over others: maps merge, all else replaces.
pub fn lay_over(below: &mut Data, above: Data) {
    let (Data::Map(below), Data::Map(above)) = (below, above) else {
        return;
    };
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(known @ Data::Map(_)), value @ Data::Map(_)) => lay_over(known, value),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

/// Characters of a release's name; ten are left for what charts append.
const LONGEST: usize = 53;

/// Names that Helm takes for a release.
///
/// # Errors
///
/// Helm's message.
pub fn check_name(name: &str) -> Result<(), String> {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_label = |label: &str| {
        label.starts_with(is_inner)
            && label.ends_with(is_inner)
            && label.chars().all(|c| is_inner(c) || c == '-')
    };
    if name.is_empty() {
        return Err("release name \"\": no name provided".to_owned());
    }
    if name.len() <= LONGEST && name.split('.').all(is_label) {
        return Ok(());
    }
    Err(format!(
        "release name {}: invalid release name, must match regex \
         ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must \
         not be longer than {LONGEST}",
        gotmpl::strconv::quote(name.as_bytes())
    ))
}

/// The name that a template of `--name-template` gives.
///
/// # Errors
///
/// What the template engine says.
pub fn name_of_template(text: &str) -> Result<String, String> {
    let mut set = Templates::new(functions());
    set.parse("name-template", text)
        .map_err(|e| e.to_string())?;
    let output = set.execute("name-template", Value::Nil, &Limits::default());
    let output = output.map_err(|e| e.to_string())?;
    Ok(String::from_utf8_lossy(&output.text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(given: &Given) -> Result<Data, String> {
        given.merge(&mut |name| match name {
            "there" => Ok(b"text".to_vec()),
            name => Err(format!("open {name}: no such file or directory")),
        })
    }

    #[test]
    fn later_forms_win() {
        let texts = |text: &str| vec![text.to_owned()];
        let given = Given {
            files: vec![
                ("a".to_owned(), b"a: {b: 1, c: 2}\nf: x\n".to_vec()),
                ("b".to_owned(), b"a: {c: 3}".to_vec()),
            ],
            json: texts("{\"a\": {\"j\": [1]}}"),
            typed: texts("a.b=2"),
            texts: texts("a.t=2"),
            set_files: texts("f=there"),
            literals: texts("l=a,b"),
        };
        let values = merged(&given).unwrap();
        let expected = "a: {b: !int 2, c: 3, j: [1], t: '2'}";
        let a = values.get("a").unwrap();
        assert_eq!(a.get("b"), Some(&Data::Int(2)), "{expected}");
        assert_eq!(a.get("c"), Some(&Data::Float(3.0)), "{expected}");
        assert_eq!(a.get("t"), Some(&Data::text("2")), "{expected}");
        assert_eq!(values.get("f"), Some(&Data::text("text")));
        assert_eq!(values.get("l"), Some(&Data::text("a,b")));
        let given = Given {
            set_files: texts("f=other"),
            ..Given::default()
        };
        assert_eq!(
            merged(&given).unwrap_err(),
            "failed parsing --set-file data: open other: no such file or directory"
        );
    }

    #[test]
    fn names_of_releases() {
        for name in ["a", "a-b.c-1", "0"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in ["", "A", "a-", "-a", "a..b", &"a".repeat(54)] {
            assert!(check_name(name).is_err(), "{name}");
        }
        let template = "foobar-{{ b64enc \"abc\" | lower }}-baz";
        assert_eq!(name_of_template(template).unwrap(), "foobar-ywjj-baz");
    }
}
