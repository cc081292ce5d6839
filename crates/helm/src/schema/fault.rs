//! What values are refused for, as Helm prints it.

use gotmpl::strconv::{FloatForm, format_float, quote};

/// How a fault is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Plain,
    /// Several faults of one schema.
    Group,
    /// Faults of a schema that is referred to: not shown where there is one.
    Reference,
}

/// Why a value was refused.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub kind: Kind,
    /// Keys and indexes down to the value.
    pub at: Vec<String>,
    pub message: String,
    pub causes: Vec<Fault>,
}

impl Fault {
    pub fn new(at: &[String], message: impl Into<String>) -> Self {
        Fault {
            kind: Kind::Plain,
            at: at.to_vec(),
            message: message.into(),
            causes: Vec::new(),
        }
    }

    pub fn because(mut self, causes: Vec<Fault>) -> Self {
        self.causes = causes;
        self
    }

    pub fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// One fault for all of a schema.
    pub fn join(at: &[String], mut faults: Vec<Fault>) -> Option<Self> {
        match faults.len() {
            0 | 1 => faults.pop(),
            _ => Some(
                Fault::new(at, "validation failed")
                    .of_kind(Kind::Group)
                    .because(faults),
            ),
        }
    }

    /// The faults of a group, or the fault.
    pub fn parts(self) -> Vec<Fault> {
        match self.kind {
            Kind::Group => self.causes,
            _ => vec![self],
        }
    }

    fn show(&self, indent: usize, lines: &mut Vec<String>) {
        let hidden = self.kind == Kind::Reference && self.causes.len() == 1;
        if !hidden {
            let pointer: String = self
                .at
                .iter()
                .map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1")))
                .collect();
            lines.push(format!(
                "{}- at {}: {}",
                "  ".repeat(indent),
                single(&pointer),
                self.message
            ));
        }
        let indent = indent + usize::from(!hidden);
        for cause in &self.causes {
            cause.show(indent, lines);
        }
    }
}

/// Faults of a whole document.
pub(super) fn text(fault: Fault) -> String {
    let mut lines = Vec::new();
    for part in fault.parts() {
        part.show(0, &mut lines);
    }
    lines.join("\n")
}

/// Between single quotes.
pub(super) fn single(text: &str) -> String {
    let quoted = quote(text.as_bytes());
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    format!("'{}'", inner.replace("\\\"", "\"").replace('\'', "\\'"))
}

/// Names between quotes.
pub(super) fn singles(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| single(name)).collect();
    names.join(", ")
}

/// A number as English has it: `1,234.5`, `1.5×10²²`.
pub(super) fn english(number: f64) -> String {
    let text = format_float(number, FloatForm::General, None, false);
    if let Some((mantissa, exponent)) = text.split_once('e') {
        const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let raised = |c: char| match c.to_digit(10) {
            Some(digit) => DIGITS.get(digit as usize).copied(),
            None => (c == '-').then_some('⁻'),
        };
        let exponent: String = exponent.chars().filter_map(raised).collect();
        return format!("{mantissa}×10{exponent}");
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.as_str()),
    };
    let (whole, rest) = match digits.find('.') {
        Some(at) => digits.split_at(at),
        None => (digits, ""),
    };
    format!("{sign}{}{rest}", grouped(whole))
}

/// A count as English has it.
pub(super) fn count(number: impl std::fmt::Display) -> String {
    let text = number.to_string();
    match text.strip_prefix('-') {
        Some(digits) => format!("-{}", grouped(digits)),
        None => grouped(&text),
    }
}

fn grouped(digits: &str) -> String {
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
