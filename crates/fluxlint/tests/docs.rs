//! The documentation says what the program does: commands on its pages give what
//! stands below them, links lead somewhere, pages are listed.

mod common;

use std::path::{Path, PathBuf};

use common::{fluxlint, root};
use snapbox::assert_data_eq;

/// A command of a page, what it prints, and its exit status.
struct Step {
    args: Vec<String>,
    output: String,
    status: i32,
}

/// The steps of the `console` blocks of a page: `$ fluxlint …`, what is printed,
/// and `? 1` for a status other than 0. `...` stands for any lines.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let blocks = page.split("\n```console\n").skip(1);
    for block in blocks {
        let (block, _) = block.split_once("\n```").expect("an end of the block");
        for line in block.lines() {
            if let Some(command) = line.strip_prefix("$ fluxlint ") {
                steps.push(Step {
                    args: command.split(' ').map(Into::into).collect(),
                    output: String::new(),
                    status: 0,
                });
                continue;
            }
            let step = steps.last_mut().expect("a command first");
            match line.strip_prefix("? ") {
                Some(status) => step.status = status.parse().expect("a number"),
                None => step.output += &format!("{line}\n"),
            }
        }
    }
    steps
}

fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = docs
        .filter(|path| path.extension() == Some("md".as_ref()))
        .collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

#[test]
fn commands_give_what_the_pages_show() {
    let mut run = 0;
    for page in pages() {
        for step in steps(&std::fs::read_to_string(&page).unwrap()) {
            let args: Vec<&str> = step.args.iter().map(String::as_str).collect();
            let output = fluxlint(&args)
                .assert()
                .code(step.status)
                .get_output()
                .stdout
                .clone();
            assert_data_eq!(String::from_utf8(output).unwrap(), step.output);
            run += 1;
        }
    }
    assert!(run >= 3, "{run} commands");
}

/// Targets of `[text](target)` outside of code blocks.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut code = false;
    for line in page.lines() {
        code ^= line.trim_start().starts_with("```");
        if code || line.starts_with("    ") {
            continue;
        }
        let parts = line.split("](").skip(1);
        links.extend(
            parts
                .filter_map(|part| part.split_once(')'))
                .map(|(to, _)| to.to_owned()),
        );
    }
    links
}

/// The anchors that a page's headings make.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let plain = |c: char| c.is_alphanumeric() || c == '-' || c == ' ' || c == '_';
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|text| text.chars().filter(|c| plain(*c)).collect::<String>())
        .map(|text| text.replace(' ', "-"))
        .collect()
}

#[test]
fn links_lead_somewhere() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", page.display());
            let is_page = target.extension() == Some("md".as_ref());
            if !anchor.is_empty() && is_page {
                let target = std::fs::read_to_string(&target).unwrap();
                assert!(
                    anchors(&target).iter().any(|known| known == anchor),
                    "{}: {link}",
                    page.display()
                );
            }
        }
    }
}

#[test]
fn the_index_lists_every_page() {
    let index = std::fs::read_to_string(root().join("docs/index.md")).unwrap();
    let listed = links(&index);
    for page in pages() {
        let name = page.file_name().unwrap().to_str().unwrap();
        let is_listed = listed
            .iter()
            .any(|link| Path::new(link).file_name() == Some(name.as_ref()));
        assert!(
            name == "index.md" || is_listed,
            "{name} is not in docs/index.md"
        );
    }
}
