//! Versions and constraints as Masterminds' semver has them.

use std::cmp::Ordering;
use std::fmt;

/// A version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The first number.
    pub major: u64,
    /// The second number.
    pub minor: u64,
    /// The third number.
    pub patch: u64,
    /// Behind `-`, without it.
    pub pre: String,
    /// Behind `+`, without it.
    pub metadata: String,
    /// As it was written.
    pub original: String,
}

impl Version {
    /// Reads a version. Numbers may be missing, a `v` may stand before.
    pub fn parse(text: &str) -> Result<Self, String> {
        const INVALID: &str = "invalid semantic version";
        let (core, rest) = split_core(text.strip_prefix('v').unwrap_or(text));
        let mut numbers = [0; 3];
        let parts: Vec<&str> = core.split('.').collect();
        if parts.len() > 3 {
            return Err(INVALID.to_owned());
        }
        for (number, part) in numbers.iter_mut().zip(parts) {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(INVALID.to_owned());
            }
            *number = part.parse().map_err(|_| INVALID.to_owned())?;
        }
        let (pre, metadata) = suffixes(rest).ok_or(INVALID)?;
        let leading_zero = |part: &str| {
            part.len() > 1 && part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit())
        };
        if pre.split('.').any(leading_zero) {
            return Err("version segment starts with 0".to_owned());
        }
        let [major, minor, patch] = numbers;
        Ok(Version {
            major,
            minor,
            patch,
            pre: pre.to_owned(),
            metadata: metadata.to_owned(),
            original: text.to_owned(),
        })
    }

    /// Which of two versions is newer; metadata does not count.
    pub fn compare(&self, other: &Version) -> Ordering {
        let numbers = |v: &Version| (v.major, v.minor, v.patch);
        numbers(self)
            .cmp(&numbers(other))
            .then_with(|| compare_pre(&self.pre, &other.pre))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

/// The numbers of a version, and what is behind them.
fn split_core(text: &str) -> (&str, &str) {
    let end = text.find(['-', '+']).unwrap_or(text.len());
    text.split_at(end)
}

/// `-pre+metadata`: both, or nothing if they are malformed.
fn suffixes(text: &str) -> Option<(&str, &str)> {
    let (pre, metadata) = match text.split_once('+') {
        Some((pre, metadata)) => (pre, Some(metadata)),
        None => (text, None),
    };
    let pre = match pre {
        "" => None,
        pre => Some(pre.strip_prefix('-')?),
    };
    let word = |b: u8| b == b'-' || b.is_ascii_alphanumeric();
    let fits = |text: &str| {
        text.split('.')
            .all(|part| !part.is_empty() && part.bytes().all(word))
    };
    if !pre.is_none_or(fits) || !metadata.is_none_or(fits) {
        return None;
    }
    Some((pre.unwrap_or_default(), metadata.unwrap_or_default()))
}

fn compare_pre(a: &str, b: &str) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        _ => {}
    }
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                _ => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// What versions must satisfy: alternatives of conditions.
#[derive(Clone, Debug)]
pub struct Constraint(Vec<Vec<Condition>>);

#[derive(Clone, Debug)]
struct Condition {
    operator: Operator,
    version: Version,
    /// Some number was left out or `x`.
    dirty: bool,
    minor_dirty: bool,
    patch_dirty: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Tilde,
    Caret,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterEqual),
    ("=>", Operator::GreaterEqual),
    ("<=", Operator::LessEqual),
    ("=<", Operator::LessEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

impl Constraint {
    /// Reads a constraint such as `>=1.2, <2 || ~3`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let alternatives = text.split("||").map(conditions);
        Ok(Constraint(alternatives.collect::<Result<_, _>>()?))
    }

    /// A version satisfies it. Prereleases only satisfy alternatives that
    /// name one.
    pub fn check(&self, version: &Version) -> bool {
        self.0.iter().any(|all| {
            let pre = all
                .iter()
                .any(|condition| !condition.version.pre.is_empty());
            let allowed = pre || version.pre.is_empty();
            allowed && all.iter().all(|condition| condition.check(version))
        })
    }
}

fn conditions(text: &str) -> Result<Vec<Condition>, String> {
    let improper = || format!("improper constraint: {text}");
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    if rest.is_empty() {
        return Err(improper());
    }
    while !rest.is_empty() {
        let (operator, behind) = operator(rest);
        let behind = behind.trim_start();
        let end = behind.find(|c: char| c.is_whitespace() || c == ',');
        let (word, after) = behind.split_at(end.unwrap_or(behind.len()));
        let first = condition(operator.unwrap_or(Operator::Equal), word).ok_or_else(improper)?;
        rest = after.trim_start();
        // `a - b` is a range.
        if operator.is_none()
            && let Some(behind) = rest.strip_prefix("- ").filter(|_| after != rest)
        {
            let behind = behind.trim_start();
            let end = behind.find(|c: char| c.is_whitespace() || c == ',');
            let (word, after) = behind.split_at(end.unwrap_or(behind.len()));
            all.push(
                condition(Operator::GreaterEqual, &first.version_text()).ok_or_else(improper)?,
            );
            all.push(condition(Operator::LessEqual, word).ok_or_else(improper)?);
            rest = after.trim_start();
        } else {
            all.push(first);
        }
        if let Some(behind) = rest.strip_prefix(',') {
            rest = behind.trim_start();
            if rest.is_empty() {
                return Err(improper());
            }
        }
    }
    Ok(all)
}

fn operator(text: &str) -> (Option<Operator>, &str) {
    OPERATORS
        .iter()
        .find_map(|(word, operator)| Some((Some(*operator), text.strip_prefix(word)?)))
        .unwrap_or((None, text))
}

/// A condition on a version whose numbers may be left out or `x`.
fn condition(operator: Operator, text: &str) -> Option<Condition> {
    let body = text.strip_prefix('v').unwrap_or(text);
    let (core, rest) = split_core(body);
    let (pre, _) = suffixes(rest)?;
    let parts: Vec<&str> = core.split('.').collect();
    let wild = |part: &str| matches!(part, "x" | "X" | "*");
    let known =
        |part: &&str| wild(part) || !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(known) {
        return None;
    }
    let missing = |at: usize| parts.get(at).is_none_or(|part| wild(part));
    let given = (0..3).take_while(|at| !missing(*at)).count();
    let mut numbers = parts
        .iter()
        .take(given)
        .map(|part| (*part).to_owned())
        .collect::<Vec<_>>();
    numbers.resize(3, "0".to_owned());
    let suffix = if pre.is_empty() {
        String::new()
    } else {
        format!("-{pre}")
    };
    let mut version = Version::parse(&format!("{}{suffix}", numbers.join("."))).ok()?;
    version.original = text.to_owned();
    Some(Condition {
        operator,
        version,
        dirty: given < 3,
        minor_dirty: given == 1,
        patch_dirty: given == 2,
    })
}

impl Condition {
    fn version_text(&self) -> String {
        self.version.original.clone()
    }

    fn check(&self, v: &Version) -> bool {
        let c = &self.version;
        let order = v.compare(c);
        match self.operator {
            Operator::Equal if self.dirty => self.tilde(v),
            Operator::Equal => order == Ordering::Equal,
            Operator::NotEqual => self.differs(v),
            Operator::Greater if !self.dirty => order == Ordering::Greater,
            Operator::Greater => match v.major.cmp(&c.major) {
                Ordering::Greater => true,
                Ordering::Less => false,
                Ordering::Equal if self.minor_dirty => false,
                Ordering::Equal if self.patch_dirty => v.minor > c.minor,
                Ordering::Equal => order == Ordering::Greater,
            },
            Operator::Less => order == Ordering::Less,
            Operator::GreaterEqual => order != Ordering::Less,
            Operator::LessEqual if !self.dirty => order != Ordering::Greater,
            Operator::LessEqual => {
                v.major < c.major || v.major == c.major && (v.minor <= c.minor || self.minor_dirty)
            }
            Operator::Tilde => self.tilde(v),
            Operator::Caret => self.caret(v, order),
        }
    }

    fn differs(&self, v: &Version) -> bool {
        let c = &self.version;
        if self.dirty {
            if c.major != v.major || c.minor != v.minor && !self.minor_dirty {
                return true;
            }
            if self.minor_dirty {
                return false;
            }
            if c.patch != v.patch && !self.patch_dirty {
                return true;
            }
            if self.patch_dirty {
                return compare_pre(&v.pre, &c.pre) != Ordering::Equal;
            }
        }
        v.compare(c) != Ordering::Equal
    }

    fn tilde(&self, v: &Version) -> bool {
        let c = &self.version;
        if v.compare(c) == Ordering::Less {
            return false;
        }
        let zero = (c.major, c.minor, c.patch) == (0, 0, 0);
        if zero && !self.minor_dirty && !self.patch_dirty {
            return true;
        }
        v.major == c.major && (v.minor == c.minor || self.minor_dirty)
    }

    fn caret(&self, v: &Version, order: Ordering) -> bool {
        let c = &self.version;
        if order == Ordering::Less || v.major != c.major {
            return false;
        }
        if c.major > 0 || self.minor_dirty {
            return true;
        }
        if c.minor > 0 || self.patch_dirty {
            return v.minor == c.minor;
        }
        v.minor == 0 && v.patch == c.patch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(constraint: &str, version: &str) -> bool {
        let constraint = Constraint::parse(constraint).unwrap();
        constraint.check(&Version::parse(version).unwrap())
    }

    #[test]
    fn constraints() {
        assert!(check(">=1.19-0", "1.36.0"));
        assert!(check(">= 1.2.3, < 2", "1.9.9") && !check(">= 1.2.3, < 2", "2.0.0"));
        assert!(check("^1.2", "v1.9.0") && !check("^1.2", "2.0.0"));
        assert!(check("~1.2.3", "1.2.9") && !check("~1.2.3", "1.3.0"));
        assert!(check("1.2 - 1.4.5", "1.4.5") && !check("1.2 - 1.4.5", "1.5.0"));
        assert!(check("1.x || >=3", "1.5.0") && !check("1.x || >=3", "2.0.0"));
        assert!(!check(">=1.0.0", "1.1.0-beta") && check(">=1.0.0-0", "1.1.0-beta"));
        assert!(check("*", "0.0.1") && check("!=1.2", "1.3.0"));
        assert!(check("^0.2.3", "0.2.9") && !check("^0.2.3", "0.3.0"));
        assert!(Constraint::parse("foo").is_err());
    }

    #[test]
    fn versions() {
        let version = Version::parse("v1.2.3-beta.1+b345").unwrap();
        assert_eq!(version.to_string(), "1.2.3-beta.1+b345");
        assert_eq!(Version::parse("1.2").unwrap().to_string(), "1.2.0");
        let less = |a: &str, b: &str| {
            Version::parse(a)
                .unwrap()
                .compare(&Version::parse(b).unwrap())
                == Ordering::Less
        };
        assert!(
            less("1.2.3-beta", "1.2.3")
                && less("1.0.0-2", "1.0.0-11")
                && less("1.0.0-1", "1.0.0-a")
        );
        assert_eq!(
            Version::parse("1.2.beta").unwrap_err(),
            "invalid semantic version"
        );
    }
}
