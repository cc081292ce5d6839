//! What a source object asks for.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use model::{Object, SourceKey};
use yaml::Node;

use crate::mirror::BucketAddress;
use crate::spec::{SOURCE_GROUP, items, text};

/// A source object, read.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Its key.
    pub key: SourceKey,
    /// The object.
    pub object: Arc<Object>,
    /// `spec.url`, or the endpoint and name of a bucket.
    pub url: Option<EcoString>,
    /// The revision it asks for, in the longest form: `refs/heads/main`,
    /// `refs/tags/v1`, a commit, a digest, `semver:RANGE`. `None` when it
    /// leaves that to a default.
    pub reference: Option<EcoString>,
    /// Which files get into the artifact.
    pub selection: Selection,
    /// Other sources whose files are put into its own.
    pub includes: Vec<Include>,
    /// What else says which content it has.
    pub details: Details,
}

/// What of a source's content is asked for, by its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Details {
    /// Nothing more than its address and revision say.
    #[default]
    None,
    /// `spec.recurseSubmodules` of a GitRepository.
    Submodules,
    /// `spec.layerSelector.mediaType` of an OCIRepository.
    Layer(EcoString),
    /// A bucket of a server that speaks S3.
    Bucket(BucketAddress),
}

/// Which files of a tree get into an artifact, besides the defaults and the
/// `.sourceignore` files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Selection {
    /// `spec.ignore`.
    pub ignore: Option<EcoString>,
    /// `spec.sparseCheckout`: the only directories that are there.
    pub sparse: Vec<EcoString>,
    /// Which rules besides `ignore` leave files out.
    pub rules: Rules,
}

/// Which rules leave files out of an artifact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Rules {
    /// The defaults and every `.sourceignore`.
    #[default]
    All,
    /// The `.sourceignore` at the top: of buckets.
    Top,
    /// None: a layer that is copied is the artifact.
    None,
}

/// An entry of a GitRepository's `spec.include`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Include {
    /// The other source.
    pub source: SourceKey,
    /// Directory there; empty for all.
    pub from: EcoString,
    /// Directory here.
    pub to: EcoString,
}

impl Definition {
    /// Reads an object; `None` when it is no source.
    pub fn read(object: &Arc<Object>) -> Option<Definition> {
        let identity = &object.identity;
        let spec = object.node.get("spec")?;
        if identity.group != SOURCE_GROUP {
            return None;
        }
        let (url, reference) = match identity.kind.as_str() {
            "GitRepository" => (text(spec.get("url")), git_reference(spec.get("ref"))),
            "OCIRepository" => (text(spec.get("url")), oci_reference(spec.get("ref"))),
            "Bucket" => (bucket_address(spec), None),
            "HelmRepository" => (text(spec.get("url")), None),
            "HelmChart" | "ExternalArtifact" => (None, None),
            _ => return None,
        };
        Some(Definition {
            key: SourceKey {
                kind: identity.kind.clone(),
                namespace: identity.namespace.clone(),
                name: identity.name.clone(),
            },
            object: object.clone(),
            url,
            reference,
            selection: Selection {
                ignore: text(spec.get("ignore")),
                sparse: items(spec.get("sparseCheckout"))
                    .filter_map(|dir| vfs::normalize(&text(Some(dir))?).ok())
                    .collect(),
                rules: rules(&identity.kind, spec),
            },
            details: details(&identity.kind, spec),
            includes: items(spec.get("include"))
                .filter_map(|node| include(node, &identity.namespace))
                .collect(),
        })
    }
}

fn rules(kind: &str, spec: &Node) -> Rules {
    let copied = spec.str_at(&["layerSelector", "operation"]) == Some("copy");
    match kind {
        "Bucket" => Rules::Top,
        "OCIRepository" if copied => Rules::None,
        _ => Rules::All,
    }
}

fn details(kind: &str, spec: &Node) -> Details {
    let get = |field: &str| text(spec.get(field)).unwrap_or_default();
    let is = |field: &str| spec.get(field).and_then(Node::as_bool) == Some(true);
    match kind {
        "GitRepository" if is("recurseSubmodules") => Details::Submodules,
        "OCIRepository" => match text(spec.path(&["layerSelector", "mediaType"])) {
            Some(media_type) if !media_type.is_empty() => Details::Layer(media_type),
            _ => Details::None,
        },
        // The other clouds have protocols of their own.
        "Bucket" if matches!(get("provider").as_str(), "" | "generic" | "aws") => {
            Details::Bucket(BucketAddress {
                endpoint: get("endpoint"),
                name: get("bucketName"),
                prefix: get("prefix"),
                region: get("region"),
                insecure: is("insecure"),
            })
        }
        _ => Details::None,
    }
}

/// The field the controller goes by when several are set: commit, name, semver,
/// tag, branch.
fn git_reference(node: Option<&Node>) -> Option<EcoString> {
    let get = |field: &str| text(node?.get(field));
    get("commit")
        .or_else(|| get("name"))
        .or_else(|| get("semver").map(|range| eco_format!("semver:{range}")))
        .or_else(|| get("tag").map(|tag| eco_format!("refs/tags/{tag}")))
        .or_else(|| get("branch").map(|branch| eco_format!("refs/heads/{branch}")))
}

/// The field the controller goes by when several are set: digest, semver, tag.
fn oci_reference(node: Option<&Node>) -> Option<EcoString> {
    let get = |field: &str| text(node?.get(field));
    get("digest")
        .or_else(|| get("semver").map(|range| eco_format!("semver:{range}")))
        .or_else(|| get("tag"))
}

fn bucket_address(spec: &Node) -> Option<EcoString> {
    let endpoint = text(spec.get("endpoint"))?;
    let name = text(spec.get("bucketName")).unwrap_or_default();
    Some(eco_format!("{endpoint}/{name}"))
}

fn include(node: &Node, namespace: &EcoString) -> Option<Include> {
    let name = text(node.path(&["repository", "name"]))?;
    let directory = |field: &str| {
        let path = text(node.get(field))?;
        vfs::normalize(&path).ok()
    };
    Some(Include {
        to: directory("toPath").unwrap_or_else(|| name.clone()),
        from: directory("fromPath").unwrap_or_default(),
        source: SourceKey {
            kind: "GitRepository".into(),
            namespace: namespace.clone(),
            name,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(kind: &str, spec: &str) -> Definition {
        let text = format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: {kind}\nmetadata: {{name: a, namespace: b}}\nspec: {spec}\n"
        );
        let node = yaml::sigs_to_json(&text, yaml::FileId::NONE, false).unwrap();
        Definition::read(&Arc::new(Object::new(node).unwrap())).unwrap()
    }

    #[test]
    fn the_most_exact_reference_counts() {
        for (kind, reference, expected) in [
            ("GitRepository", "{branch: main}", Some("refs/heads/main")),
            (
                "GitRepository",
                "{branch: main, tag: v1}",
                Some("refs/tags/v1"),
            ),
            (
                "GitRepository",
                "{tag: v1, semver: 1.x}",
                Some("semver:1.x"),
            ),
            (
                "GitRepository",
                "{semver: 1.x, name: refs/pull/1/head}",
                Some("refs/pull/1/head"),
            ),
            (
                "GitRepository",
                "{branch: main, commit: 0123abc}",
                Some("0123abc"),
            ),
            ("GitRepository", "{}", None),
            ("OCIRepository", "{tag: v1}", Some("v1")),
            (
                "OCIRepository",
                "{tag: v1, semver: 1.x, digest: 'sha256:ab'}",
                Some("sha256:ab"),
            ),
        ] {
            let read = definition(kind, &format!("{{url: x, ref: {reference}}}"));
            assert_eq!(read.reference.as_deref(), expected, "{kind} {reference}");
        }
        assert_eq!(definition("GitRepository", "{url: x}").reference, None);
    }

    #[test]
    fn what_is_asked_for_besides_is_read() {
        let layer = "{url: x, layerSelector: {mediaType: a/b, operation: copy}}";
        let read = definition("OCIRepository", layer);
        assert_eq!(read.details, Details::Layer("a/b".into()));
        assert_eq!(read.selection.rules, Rules::None);
        let read = definition(
            "OCIRepository",
            "{url: x, layerSelector: {operation: extract}}",
        );
        assert_eq!(read.details, Details::None);
        assert_eq!(read.selection.rules, Rules::All);
        let read = definition("GitRepository", "{url: x, recurseSubmodules: true}");
        assert_eq!(read.details, Details::Submodules);
        let bucket = "{endpoint: 'h:9000', bucketName: b, prefix: p, insecure: true}";
        let read = definition("Bucket", bucket);
        assert_eq!(
            read.details,
            Details::Bucket(BucketAddress {
                endpoint: "h:9000".into(),
                name: "b".into(),
                prefix: "p".into(),
                region: "".into(),
                insecure: true,
            })
        );
        let azure = "{endpoint: h, bucketName: b, provider: azure}";
        assert_eq!(definition("Bucket", azure).details, Details::None);
    }

    #[test]
    fn directories_are_canonical() {
        let read = definition(
            "GitRepository",
            "{url: x, sparseCheckout: [./deploy/, '../out'], include: [{repository: {name: other}, fromPath: ./a/}]}",
        );
        assert_eq!(read.selection.sparse, ["deploy"]);
        assert_eq!(read.includes.len(), 1);
        assert_eq!(
            (read.includes[0].from.as_str(), read.includes[0].to.as_str()),
            ("a", "other")
        );
        assert_eq!(read.includes[0].source.to_string(), "GitRepository/b/other");
    }
}
