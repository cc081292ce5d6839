//! What there is near something that is not there.

use ecow::EcoString;

/// How many are named.
const COUNT: usize = 3;

/// The existing versions, tags or names nearest to one that does not exist,
/// nearest first. Versions are compared by their numbers; of a range, the
/// newest versions are named.
pub fn nearest<'a>(existing: impl IntoIterator<Item = &'a str>, wanted: &str) -> Vec<EcoString> {
    let mut existing: Vec<&str> = existing.into_iter().collect();
    existing.sort_unstable();
    existing.dedup();
    match numbers(wanted) {
        Some(numbers) => return beside(&existing, wanted, &numbers),
        None if is_range(wanted) => {
            existing.sort_by_cached_key(|version| {
                let found = numbers(version);
                let is_release = found.is_some() && !version.contains('-');
                std::cmp::Reverse((is_release, found))
            });
        }
        None => existing.sort_by_cached_key(|name| {
            let likeness = strsim::normalized_damerau_levenshtein(name, wanted);
            std::cmp::Reverse((likeness * 1000.0) as u32)
        }),
    }
    existing
        .into_iter()
        .take(COUNT)
        .map(EcoString::from)
        .collect()
}

/// The versions on both sides of one, in turn, from the side that is nearer.
fn beside(existing: &[&str], wanted: &str, asked: &[u64; 3]) -> Vec<EcoString> {
    let mut versions: Vec<([u64; 3], &str)> = existing
        .iter()
        .filter(|version| !version.contains('-') || wanted.contains('-'))
        .filter_map(|version| Some((numbers(version)?, *version)))
        .collect();
    versions.sort_unstable();
    let split = versions.partition_point(|(numbers, _)| numbers < asked);
    let (below, above) = versions.split_at(split);
    let (mut below, mut above) = (below.iter().rev().peekable(), above.iter().peekable());
    let apart = |found: Option<&&([u64; 3], &str)>| found.map(|found| distance(&found.0, asked));
    let mut upwards = match (apart(below.peek()), apart(above.peek())) {
        (Some(below), Some(above)) => above < below,
        (below, _) => below.is_none(),
    };
    let mut near = Vec::new();
    while near.len() < COUNT {
        let next = match upwards {
            true => above.next().or_else(|| below.next()),
            false => below.next().or_else(|| above.next()),
        };
        let Some((_, version)) = next else { break };
        near.push(EcoString::from(*version));
        upwards = !upwards;
    }
    near
}

/// The numbers of a version; `None` when it is none.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let version = version.trim();
    let version = version.strip_prefix('v').unwrap_or(version);
    let core = version.split(['-', '+', '_']).next().unwrap_or_default();
    let mut numbers = [0; 3];
    let mut parts = core.split('.');
    for number in &mut numbers {
        match parts.next() {
            Some(part) => *number = part.parse().ok()?,
            None => break,
        }
    }
    parts.next().is_none().then_some(numbers)
}

fn distance(a: &[u64; 3], b: &[u64; 3]) -> [u64; 3] {
    let mut apart = [0; 3];
    for ((apart, a), b) in apart.iter_mut().zip(a).zip(b) {
        *apart = a.abs_diff(*b);
    }
    apart
}

fn is_range(text: &str) -> bool {
    text.is_empty() || text.contains(['*', '<', '>', '=', '~', '^', '|', ' ', ',']) || {
        let parts = text.trim_start_matches('v').split('.');
        let mut parts = parts.filter(|part| part.parse::<u64>().is_err());
        parts.all(|part| matches!(part, "x" | "X"))
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_versions_come_first() {
        let existing = [
            "1.0.0",
            "1.2.0",
            "1.2.9",
            "2.0.0",
            "10.0.0",
            "1.2.9-rc.1",
            "latest",
        ];
        assert_eq!(nearest(existing, "1.2.8"), ["1.2.9", "1.2.0", "2.0.0"]);
        assert_eq!(nearest(existing, "v9.1.0"), ["10.0.0", "2.0.0", "1.2.9"]);
        assert_eq!(nearest(existing, ">=11"), ["10.0.0", "2.0.0", "1.2.9"]);
        assert_eq!(nearest(existing, "11.x"), ["10.0.0", "2.0.0", "1.2.9"]);
        assert_eq!(
            nearest(["podinfo", "redis"], "podinf"),
            ["podinfo", "redis"]
        );
        assert!(nearest([], "1.0.0").is_empty());
    }
}
