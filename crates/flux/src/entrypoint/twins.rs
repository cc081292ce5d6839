//! Directories of other clusters that were set up as copies of one that is known,
//! and whose own root Kustomization still names the original.

use crate::entrypoint::survey::Held;
use crate::entrypoint::{Entrypoint, How};

/// Keeps of some implied entrypoints those that are the twin of a known one: one
/// name of the path differs, as in `kubernetes/main/flux` and
/// `kubernetes/edge/flux`, and the same file in it holds a Kustomization of the same
/// name as the known one's root.
pub(crate) fn keep(implied: &mut Vec<Entrypoint>, known: &[Entrypoint], all: &[Held]) {
    let roots: Vec<(&str, &Held, &str)> = known
        .iter()
        .filter(|entrypoint| entrypoint.bootstrap.how == How::SelfApplied)
        .filter_map(|entrypoint| {
            let identity = &entrypoint.bootstrap.kustomization.identity;
            let path = entrypoint.path.as_str();
            all.iter()
                .filter(|held| held.object.identity == *identity)
                .find_map(|held| Some((path, held, within(&held.file, path)?)))
        })
        .collect();
    let holds = |path: &str, file: &str, original: &Held| {
        all.iter().any(|held| {
            within(&held.file, path) == Some(file)
                && held.object.identity == original.object.identity
        })
    };
    let is_known = |path: &str| known.iter().any(|entrypoint| entrypoint.path == path);
    implied.retain(|entrypoint| {
        let path = entrypoint.path.as_str();
        !is_known(path)
            && roots.iter().any(|(of, original, file)| {
                one_name_differs(of, path) && holds(path, file, original)
            })
    });
}

fn within<'a>(file: &'a str, directory: &str) -> Option<&'a str> {
    file.strip_prefix(directory)?.strip_prefix('/')
}

fn one_name_differs(one: &str, other: &str) -> bool {
    let names = || one.split('/').zip(other.split('/'));
    one.split('/').count() == other.split('/').count()
        && names().filter(|(one, other)| one != other).count() == 1
}
