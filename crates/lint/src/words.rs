//! Small pieces of sentences.

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{ComponentKind, Identity};

/// How many names are listed before the rest is counted.
const LISTED: usize = 4;

/// `1 object`, `2 objects`.
pub(crate) fn count(number: usize, noun: &str) -> EcoString {
    let plural = if number == 1 { "" } else { "s" };
    eco_format!("{number} {noun}{plural}")
}

/// `` `a`, `b` and `c` ``; a long list ends with `and 7 more`.
pub(crate) fn list<T: AsRef<str>>(names: &[T]) -> EcoString {
    let quoted: Vec<EcoString> = names
        .iter()
        .map(|name| eco_format!("`{}`", name.as_ref()))
        .collect();
    join(&quoted)
}

/// `a, b and c`; a long list ends with `and 7 more`.
pub(crate) fn join(parts: &[EcoString]) -> EcoString {
    match parts {
        [] => EcoString::new(),
        [one] => one.clone(),
        _ if parts.len() > LISTED + 1 => {
            let shown = parts.get(..LISTED).unwrap_or_default().join(", ");
            eco_format!("{shown} and {} more", parts.len() - LISTED)
        }
        [first @ .., last] => eco_format!("{} and {last}", first.join(", ")),
    }
}

/// Components by name; a long list counts kinds instead.
pub(crate) fn components(linked: &Linked<'_>, list: &[usize]) -> EcoString {
    if list.len() <= LISTED + 1 {
        let names: Vec<EcoString> = list.iter().map(|at| linked.name(*at)).collect();
        return self::list(&names);
    }
    let of = |kind| {
        let found = list.iter().filter_map(|at| linked.component(*at));
        found.filter(|component| component.key.kind == kind).count()
    };
    let parts: Vec<EcoString> = [
        (of(ComponentKind::Kustomization), "Kustomization"),
        (of(ComponentKind::HelmRelease), "HelmRelease"),
    ]
    .iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, noun)| count(*number, noun))
    .collect();
    join(&parts)
}

/// An object in a sentence: ``Kind `namespace/name` ``.
pub(crate) fn object(identity: &Identity) -> EcoString {
    if identity.namespace.is_empty() {
        return eco_format!("{} `{}`", identity.kind, identity.name);
    }
    eco_format!(
        "{} `{}/{}`",
        identity.kind,
        identity.namespace,
        identity.name
    )
}

/// `apiVersion` of a group and version.
pub(crate) fn api_version(group: &str, version: &str) -> EcoString {
    match group {
        "" => version.into(),
        _ => eco_format!("{group}/{version}"),
    }
}

/// A time in nanoseconds as people say it: `45s`, `12m30s`, `1h05m`.
pub(crate) fn duration(nanos: u64) -> EcoString {
    let seconds = nanos / 1_000_000_000;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes, rest) {
        (0, 0, 0) if nanos > 0 => eco_format!("{}ms", nanos.div_ceil(1_000_000)),
        (0, 0, s) => eco_format!("{s}s"),
        (0, m, 0) => eco_format!("{m}m"),
        (0, m, s) => eco_format!("{m}m{s:02}s"),
        (h, 0, _) => eco_format!("{h}h"),
        (h, m, _) => eco_format!("{h}h{m:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_short() {
        assert_eq!(list(&["a"]), "`a`");
        assert_eq!(list(&["a", "b", "c"]), "`a`, `b` and `c`");
        let many: Vec<String> = (0..9).map(|n| n.to_string()).collect();
        assert_eq!(list(&many), "`0`, `1`, `2`, `3` and 5 more");
    }

    #[test]
    fn durations_read_as_people_say_them() {
        assert_eq!(duration(0), "0s");
        assert_eq!(duration(90_000_000_000), "1m30s");
        assert_eq!(duration(3_900_000_000_000), "1h05m");
    }
}
