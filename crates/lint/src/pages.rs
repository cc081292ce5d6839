//! The rules' pages.

/// Page by rule id.
const PAGES: &[(&str, &str)] = &[
    ("FL-G001", include_str!("../../../docs/rules/FL-G001.md")),
    ("FL-G002", include_str!("../../../docs/rules/FL-G002.md")),
    ("FL-G003", include_str!("../../../docs/rules/FL-G003.md")),
    ("FL-G004", include_str!("../../../docs/rules/FL-G004.md")),
    ("FL-G005", include_str!("../../../docs/rules/FL-G005.md")),
    ("FL-G006", include_str!("../../../docs/rules/FL-G006.md")),
    ("FL-G007", include_str!("../../../docs/rules/FL-G007.md")),
    ("FL-G008", include_str!("../../../docs/rules/FL-G008.md")),
    ("FL-G009", include_str!("../../../docs/rules/FL-G009.md")),
    ("FL-G010", include_str!("../../../docs/rules/FL-G010.md")),
    ("FL-G011", include_str!("../../../docs/rules/FL-G011.md")),
    ("FL-G012", include_str!("../../../docs/rules/FL-G012.md")),
    ("FL-G013", include_str!("../../../docs/rules/FL-G013.md")),
    ("FL-O001", include_str!("../../../docs/rules/FL-O001.md")),
    ("FL-O002", include_str!("../../../docs/rules/FL-O002.md")),
    ("FL-O003", include_str!("../../../docs/rules/FL-O003.md")),
    ("FL-R010", include_str!("../../../docs/rules/FL-R010.md")),
    ("FL-S001", include_str!("../../../docs/rules/FL-S001.md")),
    ("FL-S002", include_str!("../../../docs/rules/FL-S002.md")),
    ("FL-S003", include_str!("../../../docs/rules/FL-S003.md")),
    ("FL-S004", include_str!("../../../docs/rules/FL-S004.md")),
    ("FL-S005", include_str!("../../../docs/rules/FL-S005.md")),
    ("FL-S006", include_str!("../../../docs/rules/FL-S006.md")),
    ("FL-T001", include_str!("../../../docs/rules/FL-T001.md")),
    ("FL-T002", include_str!("../../../docs/rules/FL-T002.md")),
    ("FL-T003", include_str!("../../../docs/rules/FL-T003.md")),
    ("FL-T004", include_str!("../../../docs/rules/FL-T004.md")),
    ("FL-T005", include_str!("../../../docs/rules/FL-T005.md")),
    ("FL-T006", include_str!("../../../docs/rules/FL-T006.md")),
    ("FL-T007", include_str!("../../../docs/rules/FL-T007.md")),
    ("FL-T008", include_str!("../../../docs/rules/FL-T008.md")),
    ("FL-T009", include_str!("../../../docs/rules/FL-T009.md")),
    ("FL-T010", include_str!("../../../docs/rules/FL-T010.md")),
    ("FL-T011", include_str!("../../../docs/rules/FL-T011.md")),
    ("FL-T012", include_str!("../../../docs/rules/FL-T012.md")),
    ("FL-T100", include_str!("../../../docs/rules/FL-T100.md")),
    ("FL-V011", include_str!("../../../docs/rules/FL-V011.md")),
    ("FL-X001", include_str!("../../../docs/rules/FL-X001.md")),
    ("FL-X002", include_str!("../../../docs/rules/FL-X002.md")),
    ("FL-X003", include_str!("../../../docs/rules/FL-X003.md")),
    ("FL-X005", include_str!("../../../docs/rules/FL-X005.md")),
];

/// The page of a rule, by id or name, as Markdown.
pub fn explain(rule: &str) -> Option<&'static str> {
    let rule = crate::find(rule)?;
    PAGES
        .iter()
        .find(|(id, _)| *id == rule.id)
        .map(|(_, page)| *page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RULES;

    #[test]
    fn every_rule_has_a_page_of_its_own() {
        for rule in RULES {
            let page = explain(rule.id).unwrap_or_else(|| panic!("{} has no page", rule.id));
            let title = format!("# {} {}\n", rule.id, rule.name);
            assert!(
                page.starts_with(&title),
                "{} begins with its title",
                rule.id
            );
        }
        assert_eq!(PAGES.len(), RULES.len(), "a page without a rule");
    }

    #[test]
    fn ids_and_names_are_used_once_and_in_order() {
        for pair in RULES.windows(2) {
            assert!(pair[0].id != pair[1].id && pair[0].name != pair[1].name);
        }
    }
}
