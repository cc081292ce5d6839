//! Comments: whose they are, and where they are printed. What is expected is what
//! kyaml's nodes print.

use yaml::{FileId, Limits, Node, Style, canonical, disturbing_comment, emit_v3, parse};

fn read(text: &str) -> Node {
    let documents = parse(text, FileId(0), &Limits::default()).unwrap();
    documents.into_iter().next().unwrap()
}

#[test]
fn comments_are_printed_where_kyaml_prints_them() {
    let texts = [
        (
            "# above\n\n# head of a\na: 1 # behind\n# foot of a\n\nb: 2\n# below\n",
            "# above\n\n# head of a\na: 1 # behind\n# foot of a\n\nb: 2\n# below\n",
        ),
        (
            "a: # behind the key\n  # head of b\n  b: 1\n  # foot of b\n\n# head of c\nc: 1\n",
            "a: # behind the key\n  # head of b\n  b: 1\n  # foot of b\n# head of c\nc: 1\n",
        ),
        (
            "list: # of things\n  # first\n  - a # one\n  # foot of a\n\n  # second\n  - # inner\n    k: v\n",
            "list: # of things\n# first\n- a # one\n# foot of a\n\n# second\n- # inner\n  k: v\n",
        ),
        (
            "flow: [a, # one\n  b, # two\n  # foot\n]\nmap: {a: 1, # one\n  b: 2}\n",
            "flow: [a, # one\n  b, # two\n  # foot\n]\nmap: {a: 1, # one\n  b: 2}\n",
        ),
        (
            "text: | # literal\n  line\n# foot\nfold: > # folded\n  line\n",
            "text: | # literal\n  line\n# foot\nfold: > # folded\n  line\n\n",
        ),
        (
            "a: &x # anchored\n  k: 1 # own\nb: *x # alias\n",
            "a:\n  k: 1 # own\nb: # anchored\n  k: 1 # own\n",
        ),
        (
            "- # head\n  - a\n- b # behind\n",
            "- # head\n  - a\n- b # behind\n",
        ),
        (
            "a: # kept\n  {x: 1}\nb: # next\n  c: 1\n",
            "a: {x: 1}\nb: # next\n  c: 1\n",
        ),
        (
            "a: # comment\n  - # c\n    x: 1\n\n\n# dedented\n",
            "a: # comment\n- # c\n  x: 1\n\n# dedented\n",
        ),
        ("#no space\na:   1    #tight\n", "#no space\na: 1 #tight\n"),
        ("a: 1\n\n  # deeper\nb: 2\n", "a: 1\n# deeper\nb: 2\n"),
    ];
    for (text, expected) in texts {
        assert_eq!(emit_v3(&read(text)), expected, "{text}");
    }
}

#[test]
fn a_node_has_the_comments_before_behind_and_below_it() {
    let root = read("# above\n\n# head\na: # key\n  b: 1 # value\n# foot\n");
    assert_eq!(root.comments.above(), "# above");
    let a = &root.entries()[0];
    assert_eq!(a.key.comments.head(), "# head");
    assert_eq!(a.key.comments.line(), "# key");
    assert_eq!(a.value.entries()[0].value.comments.line(), "# value");
    assert_eq!(a.key.comments.foot(), "# foot");
}

/// The comment is printed behind the key and `{}` below it, in no depth at all.
#[test]
fn a_comment_behind_the_key_of_what_was_emptied_cannot_be_read_again() {
    let mut object = read("kind: A\nspec: # note\n  size: 3\n");
    assert!(canonical(&object).is_ok());
    object.get_mut("spec").unwrap().remove("size");
    assert_eq!(emit_v3(&object), "kind: A\nspec: # note\n{}\n");
    let error = canonical(&object).unwrap_err();
    assert_eq!(
        error.to_string(),
        "yaml: line 3: could not find expected ':'"
    );
    let key = disturbing_comment(&object).unwrap();
    assert_eq!(key.text().unwrap(), "spec");
    object.get_mut("spec").unwrap().style = Style::Flow;
    assert!(canonical(&object).is_ok());
}

#[test]
fn a_carriage_return_ends_no_comment_of_its_own() {
    let root = read("# one\r\na: 1 # two\r\n");
    assert_eq!(emit_v3(&root), "# one\na: 1 # two\n");
    assert_eq!(root.entries()[0].key.span.start, 7);
}
