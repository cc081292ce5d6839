//! Reads the examples out of a rule's page.

/// One small repository with the findings expected from it.
#[derive(Debug, Default)]
pub struct Example {
    /// The heading it stands under.
    pub title: String,
    /// Files by path.
    pub files: Vec<(String, String)>,
    /// Expected findings.
    pub expected: Vec<Expected>,
}

/// One expected finding: `severity RULE component file:line message`, and below
/// it, indented, texts that its details or its help must hold.
#[derive(Debug, Default)]
pub struct Expected {
    pub severity: String,
    pub rule: String,
    pub component: String,
    /// `file:line`, or `-` where the finding has no place.
    pub place: String,
    pub message: String,
    pub texts: Vec<String>,
}

/// The examples of a page: each ends with an `expect` block.
pub fn examples(page: &str) -> Result<Vec<Example>, String> {
    let mut examples = Vec::new();
    let mut example = Example::default();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            if !example.files.is_empty() {
                return Err(format!("`{}` has files and no expect block", example.title));
            }
            example.title = title.trim().to_string();
        }
        let Some(fence) = line.strip_prefix("```") else {
            continue;
        };
        let body: Vec<&str> = lines
            .by_ref()
            .take_while(|l| !l.starts_with("```"))
            .collect();
        if let Some((_, path)) = fence.split_once("file=") {
            let text = body.join("\n") + "\n";
            example.files.push((path.trim().to_string(), text));
        } else if fence.trim() == "expect" {
            let title = example.title.clone();
            example.expected = expected(&body).map_err(|why| format!("`{title}`: {why}"))?;
            if example.files.is_empty() {
                return Err(format!("`{title}` expects findings of no files"));
            }
            examples.push(std::mem::take(&mut example));
            example.title = title;
        }
    }
    Ok(examples)
}

fn expected(lines: &[&str]) -> Result<Vec<Expected>, String> {
    let mut found: Vec<Expected> = Vec::new();
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        if line.starts_with(' ') {
            let last = found
                .last_mut()
                .ok_or("an indented line without a finding")?;
            last.texts.push(line.trim().to_string());
            continue;
        }
        let mut parts = line.splitn(5, ' ').map(str::to_string);
        let mut part = || parts.next().ok_or(format!("`{line}` is too short"));
        found.push(Expected {
            severity: part()?,
            rule: part()?,
            component: part()?,
            place: part()?,
            message: part()?,
            texts: Vec::new(),
        });
    }
    Ok(found)
}
