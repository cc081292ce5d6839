//! Where an object came from, as the origin annotations tell it.

use ecow::{EcoString, EcoVec, eco_format};
use yaml::{FileId, Node};

use crate::git_url::GitUrl;
use crate::resource::Resource;
use crate::scalar;
use crate::syntax;

/// The annotation that says where an object came from.
pub(crate) const ORIGIN: &str = "config.kubernetes.io/origin";
/// The annotation that lists the transformers that saw it.
pub(crate) const TRANSFORMATIONS: &str = "alpha.config.kubernetes.io/transformations";

/// The content of an origin annotation. Empty fields are left out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Path of the file, from the root of the build or of the repository.
    pub path: EcoString,
    /// Address of a remote repository.
    pub repo: EcoString,
    /// Reference in that repository.
    pub reference: EcoString,
    /// File of the generator or transformer that made it.
    pub configured_in: EcoString,
    /// That generator or transformer.
    pub configured_by: ConfiguredBy,
}

/// A generator or transformer, named as an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfiguredBy {
    /// API version, `builtin` for what a kustomization field runs.
    pub api_version: EcoString,
    /// Kind.
    pub kind: EcoString,
    /// Name.
    pub name: EcoString,
    /// Namespace.
    pub namespace: EcoString,
}

impl Origin {
    /// The origin of what an entry of a kustomization file names.
    pub(crate) fn below(&self, entry: &str) -> Self {
        let mut origin = self.clone();
        match GitUrl::parse(entry) {
            None => origin.path = join(&self.path, entry),
            Some(url) => {
                origin.repo = url.clone_url();
                // The reference implementation reads the root of a repository
                // as a directory of this name.
                let path = if url.path.is_empty() {
                    "notCloned"
                } else {
                    &url.path
                };
                origin.path = join("", path);
                origin.reference = url.reference;
            }
        }
        origin
    }

    /// The origin of what a field of a kustomization file made.
    pub(crate) fn built_in(&self, file: &str, kind: &str) -> Self {
        Origin {
            path: EcoString::new(),
            repo: self.repo.clone(),
            reference: self.reference.clone(),
            configured_in: join(&self.path, file),
            configured_by: ConfiguredBy {
                api_version: "builtin".into(),
                kind: kind.into(),
                ..ConfiguredBy::default()
            },
        }
    }

    /// The origin of what a plugin made, if the plugin's own is known.
    pub(crate) fn of_plugin(plugin: &Resource) -> Option<Self> {
        let origin = plugin.record.origin.as_ref()?;
        let id = plugin.id();
        Some(Origin {
            path: EcoString::new(),
            repo: origin.repo.clone(),
            reference: origin.reference.clone(),
            configured_in: origin.path.clone(),
            configured_by: ConfiguredBy {
                api_version: id.gvk.api_version(),
                kind: id.gvk.kind.clone(),
                name: id.name.clone(),
                namespace: id.namespace.clone(),
            },
        })
    }

    fn read(node: &Node) -> Self {
        let text = |path: &[&str]| node.str_at(path).unwrap_or_default().into();
        Origin {
            path: text(&["path"]),
            repo: text(&["repo"]),
            reference: text(&["ref"]),
            configured_in: text(&["configuredIn"]),
            configured_by: ConfiguredBy {
                api_version: text(&["configuredBy", "apiVersion"]),
                kind: text(&["configuredBy", "kind"]),
                name: text(&["configuredBy", "name"]),
                namespace: text(&["configuredBy", "namespace"]),
            },
        }
    }

    /// The text of the annotation.
    pub(crate) fn to_yaml(&self) -> EcoString {
        let mut text = EcoString::new();
        self.write(&mut text, "");
        if text.is_empty() {
            text.push_str("{}\n");
        }
        text
    }

    fn write(&self, text: &mut EcoString, indent: &str) {
        let by = &self.configured_by;
        let mut line = |indent: &str, key: &str, value: &str| {
            if !value.is_empty() {
                text.push_str(indent);
                text.push_str(&eco_format!("{key}: {}\n", quoted(value)));
            }
        };
        line(indent, "path", &self.path);
        line(indent, "repo", &self.repo);
        line(indent, "ref", &self.reference);
        line(indent, "configuredIn", &self.configured_in);
        if *by == ConfiguredBy::default() {
            return;
        }
        text.push_str(&eco_format!("{indent}configuredBy:\n"));
        let deeper = eco_format!("{indent}  ");
        let mut line = |key: &str, value: &str| {
            if !value.is_empty() {
                text.push_str(&eco_format!("{deeper}{key}: {}\n", quoted(value)));
            }
        };
        line("apiVersion", &by.api_version);
        line("kind", &by.kind);
        line("name", &by.name);
        line("namespace", &by.namespace);
    }
}

/// The text of the annotation that lists transformers.
pub(crate) fn transformations_yaml(list: &[Origin]) -> EcoString {
    let mut text = EcoString::new();
    for origin in list {
        let mut entry = EcoString::new();
        origin.write(&mut entry, "  ");
        text.push_str("- ");
        text.push_str(entry.trim_start());
    }
    text
}

/// The transformers that an object's annotation lists; none when it cannot be
/// read.
pub(crate) fn transformations_of(object: &Node) -> EcoVec<Origin> {
    let text = object.path(&["metadata", "annotations", TRANSFORMATIONS]);
    let Some(text) = text.and_then(Node::as_str) else {
        return EcoVec::new();
    };
    match syntax::json(text, FileId::NONE) {
        Ok(list) => list.items().iter().map(Origin::read).collect(),
        Err(_) => EcoVec::new(),
    }
}

/// A path below another one, without `.` and with `..` resolved as far as it
/// goes.
fn join(base: &str, path: &str) -> EcoString {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/").into()
}

/// Quotes what plain text would turn into something else than a string.
fn quoted(text: &str) -> EcoString {
    if scalar::is_plain_string(text) {
        text.into()
    } else {
        eco_format!("{text:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_starts_a_new_path() {
        let origin = Origin {
            path: "a/b".into(),
            ..Origin::default()
        };
        assert_eq!(origin.below("../c/x.yaml").path, "a/c/x.yaml");
        let remote = origin.below("https://github.com/o/r//d?ref=v1.0");
        assert_eq!(
            remote.to_yaml(),
            "path: d\nrepo: https://github.com/o/r\nref: v1.0\n"
        );
        assert_eq!(
            transformations_yaml(&[remote.built_in("kustomization.yaml", "PrefixTransformer")]),
            "- repo: https://github.com/o/r\n  ref: v1.0\n  configuredIn: d/kustomization.yaml\n  configuredBy:\n    apiVersion: builtin\n    kind: PrefixTransformer\n"
        );
    }
}
