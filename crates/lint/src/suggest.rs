//! What was probably meant.

/// The name most like `wanted`, if one is alike enough: a slip of the keyboard
/// away, or with one word more or less (`rook-ceph` for `rook-ceph-operator`).
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .filter(|name| *name != wanted && !name.is_empty())
        .filter_map(|name| Some((distance(wanted, name)?, name)))
        .min()
        .map(|(_, name)| name)
}

/// How far apart two names are; `None` when they are not alike.
fn distance(a: &str, b: &str) -> Option<usize> {
    let edits = strsim::damerau_levenshtein(a, b);
    let slips = (a.len().max(b.len()) / 4).max(1);
    if edits <= slips {
        return Some(edits);
    }
    // A word more is further than any slip.
    is_one_word_more(a, b).then_some(1000 + edits)
}

fn is_one_word_more(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let word = |rest: &str| {
        let rest = rest.trim_matches(['-', '.', '_']);
        !rest.is_empty() && !rest.contains(['-', '.', '_'])
    };
    let is_cut = |rest: &&str| rest.starts_with(['-', '.', '_']) || rest.ends_with(['-', '.', '_']);
    long.strip_prefix(short).filter(is_cut).is_some_and(word)
        || long.strip_suffix(short).filter(is_cut).is_some_and(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_offered_and_others_are_not() {
        let names = [
            "rook-ceph",
            "cert-manager",
            "grafana",
            "app-cert-manager-issuers",
        ];
        assert_eq!(nearest("rook-ceph-operator", names), Some("rook-ceph"));
        assert_eq!(nearest("certmanager", names), Some("cert-manager"));
        assert_eq!(nearest("graphana", names), Some("grafana"));
        assert_eq!(nearest("cert-manager-app", names), Some("cert-manager"));
        assert_eq!(nearest("postgres", names), None);
    }
}
