//! What the tree of a variable expression means, for the rows that assert
//! trees. Patterns in those rows are plain text, so no globs are needed.

use std::collections::BTreeMap;

use serde_json::Value;

/// A node of a row's tree.
pub enum Expression {
    Text(String),
    List(Vec<Expression>),
    /// `${param…}` with the operator and its arguments.
    Function {
        param: String,
        name: String,
        args: Vec<Expression>,
    },
}

impl Expression {
    /// Reads the row's form of a tree.
    pub fn read(node: &Value) -> Result<Self, String> {
        let fields = &node["fields"];
        let text = |key: &str| fields[key].as_str().unwrap_or_default().to_owned();
        let list = |key: &str| -> Result<Vec<Expression>, String> {
            match &fields[key] {
                Value::Array(items) => items.iter().map(Expression::read).collect(),
                _ => Ok(Vec::new()),
            }
        };
        match node["$struct"].as_str() {
            Some("TextNode") => Ok(Expression::Text(text("Value"))),
            Some("ListNode") => Ok(Expression::List(list("Nodes")?)),
            Some("FuncNode") => Ok(Expression::Function {
                param: text("Param"),
                name: text("Name"),
                args: list("Args")?,
            }),
            other => Err(format!("unknown node {other:?}")),
        }
    }

    /// The text it stands for.
    pub fn expand(&self, vars: &BTreeMap<String, String>) -> String {
        match self {
            Expression::Text(text) => text.clone(),
            Expression::List(nodes) => nodes.iter().map(|node| node.expand(vars)).collect(),
            Expression::Function { param, name, args } => {
                let value = vars.get(param).map_or("", String::as_str);
                let args: Vec<String> = args.iter().map(|arg| arg.expand(vars)).collect();
                apply(name, value, &args)
            }
        }
    }
}

fn apply(name: &str, value: &str, args: &[String]) -> String {
    let arg = |at: usize| args.get(at).map_or("", String::as_str);
    let first = |change: fn(char) -> char| {
        let mut chars = value.chars();
        chars.next().map(change).into_iter().chain(chars).collect()
    };
    let without_prefix = || value.strip_prefix(arg(0)).unwrap_or(value).to_owned();
    let without_suffix = || value.strip_suffix(arg(0)).unwrap_or(value).to_owned();
    match name {
        "," => first(|c| c.to_ascii_lowercase()),
        "^" => first(|c| c.to_ascii_uppercase()),
        ",," => value.to_lowercase(),
        "^^" => value.to_uppercase(),
        "#" if args.is_empty() => value.len().to_string(),
        "#" | "##" => without_prefix(),
        "%" | "%%" => without_suffix(),
        ":" => slice(value, arg(0), args.get(1).map(String::as_str)).to_owned(),
        "/" => value.replacen(arg(0), arg(1), 1),
        "//" => value.replace(arg(0), arg(1)),
        "/#" => value
            .strip_prefix(arg(0))
            .map_or(value.to_owned(), |rest| format!("{}{rest}", arg(1))),
        "/%" => value
            .strip_suffix(arg(0))
            .map_or(value.to_owned(), |rest| format!("{rest}{}", arg(1))),
        "=" | ":=" | ":-" | ":?" | ":+" if value.is_empty() => args.concat(),
        _ => value.to_owned(),
    }
}

/// Positions that are no numbers, or lie outside, leave the value whole.
fn slice<'v>(value: &'v str, from: &str, length: Option<&str>) -> &'v str {
    let Ok(from) = from.parse::<usize>() else {
        return value;
    };
    let rest = value.get(from..).unwrap_or("");
    match length.map(str::parse::<usize>) {
        Some(Ok(length)) => rest.get(..length).unwrap_or(rest),
        _ => rest,
    }
}
