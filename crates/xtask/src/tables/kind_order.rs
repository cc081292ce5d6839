//! The order of kinds that sorting keeps: first ones, all others, last ones.

/// One kind a line: `first` or `last`, kind; in order.
pub fn table(go: &str) -> Result<String, String> {
    let first = list(go, "var orderFirst = []string{").ok_or("no first kinds")?;
    let last = list(go, "var orderLast = []string{").ok_or("no last kinds")?;
    let rows = |place: &str, kinds: Vec<&str>| -> String {
        kinds
            .iter()
            .map(|kind| format!("{place}\t{kind}\n"))
            .collect()
    };
    Ok(rows("first", first) + &rows("last", last))
}

/// The quoted words behind a declaration, up to the closing brace.
fn list<'a>(go: &'a str, declaration: &str) -> Option<Vec<&'a str>> {
    let (_, rest) = go.split_once(declaration)?;
    let (body, _) = rest.split_once('}')?;
    Some(body.split('"').skip(1).step_by(2).collect())
}
