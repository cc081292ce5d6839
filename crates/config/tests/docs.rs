//! `docs/configuration.md` holds the reference made from the types.

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
const START: &str = "<!-- generated: run the tests with FLUXLINT_BLESS=1 -->\n";
const END: &str = "<!-- end -->";

#[test]
fn the_documentation_has_every_key() {
    let page = std::fs::read_to_string(PATH).unwrap();
    let (before, rest) = page.split_once(START).expect("the page has the start mark");
    let (_, after) = rest.split_once(END).expect("the page has the end mark");
    let expected = format!(
        "{before}{START}\n{}\n{END}{after}",
        config::markdown().trim()
    );
    if std::env::var_os("FLUXLINT_BLESS").is_some() {
        std::fs::write(PATH, &expected).unwrap();
        return;
    }
    assert!(
        page == expected,
        "docs/configuration.md is out of date: run the tests with FLUXLINT_BLESS=1"
    );
}
