//! Changes between two versions, carried over to an edited copy.

use kustomize::tables::Schema;
use kustomize::transform::merge::{Growth, Merge};
use yaml::{FileId, Limits, Node};

fn one(text: &str) -> Node {
    let documents = yaml::parse(text, FileId::NONE, &Limits::default()).unwrap();
    documents.into_iter().next().unwrap_or_else(Node::null)
}

fn update(local: &str, origin: &str, update: &str) -> String {
    let merge = Merge::new(Schema::built_in()).growing(Growth::Append);
    let merged = merge.update(&one(local), &one(origin), &one(update));
    merged
        .unwrap()
        .as_ref()
        .map(yaml::emit_v3)
        .unwrap_or_default()
}

#[test]
fn what_changed_upstream_wins_and_the_rest_stays() {
    let got = update(
        "a: mine\nb: 1\nown: x\n",
        "a: 1\nb: 1\ngone: 1\n",
        "a: 1\nb: 2\nnew: y\n",
    );
    assert_eq!(got, "a: mine\nb: 2\nown: x\nnew: y\n");
}

#[test]
fn what_either_side_removed_is_gone() {
    assert_eq!(update("a: 1\nb: 1\n", "a: 1\nb: 1\n", "b: 1\n"), "b: 1\n");
    assert_eq!(update("b: 1\n", "a: 1\nb: 1\n", "a: 1\nb: 1\n"), "b: 1\n");
    assert_eq!(
        update("a: 1\nb: 1\n", "b: 1\n", "a: null\nb: 1\n"),
        "b: 1\n"
    );
}

#[test]
fn containers_are_paired_by_name() {
    let deployment = |containers: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n{containers}"
        )
    };
    let got = update(
        &deployment(
            "      - name: a\n        image: a:1\n        args: [mine]\n      - name: own\n        image: o\n",
        ),
        &deployment("      - name: a\n        image: a:1\n      - name: b\n        image: b:1\n"),
        &deployment("      - name: a\n        image: a:2\n      - name: c\n        image: c:1\n"),
    );
    assert_eq!(
        got,
        deployment(
            "      - name: a\n        image: a:2\n        args: [mine]\n      - name: own\n        image: o\n      - image: c:1\n        name: c\n"
        )
    );
}

#[test]
fn sides_of_different_kinds_do_not_merge() {
    let merge = Merge::new(Schema::built_in());
    assert!(
        merge
            .update(&one("a: 1\n"), &one("a: 1\n"), &one("- a\n"))
            .is_err()
    );
}
