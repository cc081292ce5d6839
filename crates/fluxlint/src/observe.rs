//! What a real cluster reported, as the flags name it.

use std::io::Read;
use std::path::{Path, PathBuf};

use model::{Durations, Repository};
use observed::ClusterState;
use yaml::Sources;

use crate::failure::Failure;

/// The name of standard input, as a flag and in messages.
const STDIN: &str = "-";

/// Bytes that are read of a file. What is longer is refused.
const MOST: u64 = 300 << 20;

/// Reads how the components of the cluster are. It is one cluster, so there has
/// to be one entrypoint.
pub fn cluster_state(path: &Path, repository: &Repository) -> Result<ClusterState, Failure> {
    if let [first, _, ..] = repository.worlds.as_slice() {
        let several = Failure::new("a cluster's state can be compared with one entrypoint only")
            .because(format!("there are {} here", repository.worlds.len()));
        let first = &first.entrypoint;
        return Err(several.help(format!(
            "name the entrypoint of that cluster, as in: fluxlint check {first} --cluster-state {}",
            path.display()
        )));
    }
    let name = name(path);
    let bytes = bytes(path, "the cluster's state")?;
    observed::read_state(&name, &bytes, &repository.texts)
        .map_err(|error| refused(&name, "the cluster's state", &error, &repository.texts))
}

/// Reads how long components took, of all files together; none without files.
pub fn durations(paths: &[PathBuf], texts: &Sources) -> Result<Durations, Failure> {
    const WHAT: &str = "durations";
    let mut durations = Durations::default();
    for path in paths {
        let name = name(path);
        let bytes = bytes(path, WHAT)?;
        observed::read_durations(&name, &bytes, texts, &mut durations)
            .map_err(|error| refused(&name, WHAT, &error, texts))?;
    }
    Ok(durations)
}

fn name(path: &Path) -> String {
    match path == Path::new(STDIN) {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

fn bytes(path: &Path, what: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = match path == Path::new(STDIN) {
        true => std::io::stdin().take(MOST).read_to_end(&mut bytes),
        false => std::fs::File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes)),
    };
    match read {
        Ok(_) => Ok(bytes),
        Err(error) => {
            Err(Failure::new(format!("cannot read {what} from {}", name(path))).because(error))
        }
    }
}

fn refused(name: &str, what: &str, error: &observed::Error, texts: &Sources) -> Failure {
    let place = error.place(texts).unwrap_or_else(|| name.to_owned());
    let failure = Failure::new(format!("cannot read {what} from {name}"))
        .because(format!("{place}: {error}"));
    match &error.help {
        Some(help) => failure.help(help.as_str()),
        None => failure,
    }
}
