//! Nesting up to the default limit survives the stack of a thread.

use yaml::{
    FileId, Limits, canonical, disturbing_comment, emit_v2, emit_v3, from_json, parse,
    sigs_to_json, to_json,
};

/// Rust's default for threads that are not the main one.
const STACK: usize = 2 << 20;

fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap();
}

fn through_everything(text: &str) {
    let file = FileId(0);
    for document in parse(text, file, &Limits::default()).unwrap() {
        let canonical = canonical(&document).unwrap();
        let json = to_json(&canonical);
        assert_eq!(to_json(&from_json(&json, file).unwrap()), json);
        assert_eq!(to_json(&sigs_to_json(text, file, true).unwrap()), json);
        let again = parse(&emit_v3(&document), file, &Limits::default()).unwrap();
        assert!(again.iter().all(|again| *again == document));
        let printed = emit_v2(&canonical);
        assert!(parse(&printed, file, &Limits::default()).is_ok());
        yaml::json_to_yaml(&canonical).unwrap();
    }
}

#[test]
fn sequences_nest_to_the_limit() {
    on_small_stack(|| {
        let depth = Limits::default().depth - 1;
        let text = format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth));
        through_everything(&text);
    });
}

#[test]
fn mappings_nest_to_the_limit() {
    on_small_stack(|| {
        let depth = Limits::default().depth;
        let text = format!("{}x{}\n", "{a: ".repeat(depth), "}".repeat(depth));
        through_everything(&text);
    });
}

#[test]
fn odd_mappings_nest_to_the_limit() {
    on_small_stack(|| {
        let depth = Limits::default().depth - 1;
        let text = format!(
            "a: &a 1\nb: {}*a{}\n",
            "{b: ".repeat(depth),
            "}".repeat(depth)
        );
        through_everything(&text);
    });
}

#[test]
fn deeper_nesting_is_refused() {
    on_small_stack(|| {
        for unit in ["[", "{a: ", "- ", "? ", "!!x [", "&a {b: "] {
            let text = unit.repeat(50_000);
            let error = parse(&text, FileId(0), &Limits::default()).unwrap_err();
            assert!(error.cause.contains("exceeded max depth"), "{error}");
            assert!(sigs_to_json(&text, FileId(0), false).is_err());
        }
        assert!(from_json(&"[".repeat(50_000), FileId(0)).is_err());
    });
}

#[test]
fn comments_nest_to_the_limit() {
    on_small_stack(|| {
        let depth = Limits::default().depth;
        let text = format!("{}x # note\n{}\n", "{a: ".repeat(depth), "}".repeat(depth));
        through_everything(&text);
        let documents = parse(&text, FileId(0), &Limits::default()).unwrap();
        assert!(disturbing_comment(&documents[0]).is_some());
    });
}
