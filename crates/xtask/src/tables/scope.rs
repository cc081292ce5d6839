//! Which kinds are namespaced, from the list upstream computed beforehand.

/// One line a kind: `apiVersion`, kind, `namespaced` or `cluster`; sorted.
pub fn table(go: &str) -> Result<String, String> {
    let mut rows: Vec<String> = go.lines().filter_map(row).collect();
    if rows.is_empty() {
        return Err("no scopes found".into());
    }
    rows.sort();
    Ok(rows.concat())
}

/// `{APIVersion: "apps/v1", Kind: "DaemonSet"}: true,`
fn row(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix("{APIVersion: \"")?;
    let (api_version, rest) = rest.split_once("\", Kind: \"")?;
    let (kind, rest) = rest.split_once("\"}:")?;
    let scope = match rest.trim_start().split_once(',')?.0 {
        "true" => "namespaced",
        "false" => "cluster",
        _ => return None,
    };
    Some(format!("{api_version}\t{kind}\t{scope}\n"))
}
