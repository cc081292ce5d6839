//! Helmfiles: what many a bootstrap installs before it starts Flux.

use kustomize::Documents;
use model::HelmfileRelease;
use vfs::Kind;
use yaml::{Limits, Node};

/// Directories of helmfiles that are run one after the other.
const DIRECTORY: &str = "helmfile.d";

/// The releases that all helmfiles of the repository list. Files that only their own
/// program can read, for they are templates of more than texts, list none.
pub(crate) fn releases(documents: &Documents) -> Vec<HelmfileRelease> {
    let mut files = Vec::new();
    // What cannot be listed holds nothing to tell of.
    let _ = documents.tree().walk("", &mut |path, kind| {
        let name = path.rsplit('/').next().unwrap_or(path);
        match kind {
            Kind::File if is_helmfile(path) => files.push(path.to_owned()),
            Kind::File => {}
            Kind::Directory => return !name.starts_with('.') && name != "node_modules",
        }
        false
    });
    files.sort();
    files
        .iter()
        .flat_map(|path| read(documents, path))
        .collect()
}

fn is_helmfile(path: &str) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = [".yaml", ".yml", ".yaml.gotmpl"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix));
    let in_directory = dir.rsplit('/').next() == Some(DIRECTORY);
    stem.is_some_and(|stem| stem == "helmfile" || in_directory)
}

fn read(documents: &Documents, path: &str) -> Vec<HelmfileRelease> {
    let Ok((file, text)) = documents.text(path) else {
        return Vec::new();
    };
    let parsed = yaml::parse(&text, file, &Limits::default()).unwrap_or_default();
    let releases = parsed
        .iter()
        .filter_map(|document| document.get("releases"))
        .flat_map(Node::items);
    releases.filter_map(release).collect()
}

fn release(node: &Node) -> Option<HelmfileRelease> {
    let text = |key: &str| node.str_at(&[key]);
    // What is switched off is no promise.
    if node.get("installed").and_then(Node::as_bool) == Some(false) {
        return None;
    }
    let name = node.get("name")?;
    Some(HelmfileRelease {
        namespace: text("namespace").unwrap_or("default").into(),
        name: text("name")?.into(),
        span: name.span,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "releases:\n- name: cert-manager\n  namespace: cert-manager\n  values: \
        ['{{ requiredEnv \"ROOT\" }}/values.yaml']\n- name: off\n  installed: false\n";

    fn listed(path: &str) -> Vec<String> {
        let files = vfs::Memory::new([(path, TEXT.as_bytes().to_vec())]);
        let tree = vfs::Tree::new(files.unwrap());
        let documents = Documents::new(tree, yaml::Sources::new());
        let releases = releases(&documents).into_iter();
        releases
            .map(|one| format!("{}/{}", one.namespace, one.name))
            .collect()
    }

    #[test]
    fn releases_of_helmfiles_are_found() {
        for path in [
            "helmfile.yaml",
            "bootstrap/helmfile.yaml.gotmpl",
            "bootstrap/helmfile.d/00-crds.yaml",
        ] {
            assert_eq!(listed(path), ["cert-manager/cert-manager"], "{path}");
        }
        assert!(listed("apps/values.yaml").is_empty());
    }
}
