//! What a real cluster reported, as the flags name it.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::{ComponentKey, Durations, Repository};
use observed::{ClusterState, Form, Reading};
use report::Notice;
use yaml::{Sources, Span};

use crate::failure::Failure;

/// The name of standard input, as a flag and in messages.
const STDIN: &str = "-";

/// Bytes that are read of a file. What is longer is refused.
const MOST: u64 = 129 << 20;

/// Reads measured durations out of files, in any of their forms. What is odd
/// about a file, but no failure, goes to `notices`.
pub fn durations(
    paths: &[PathBuf],
    repository: &Repository,
    notices: &mut Vec<Notice>,
) -> Result<Durations, Failure> {
    let mut durations = Durations::default();
    for path in paths {
        let name = name(path);
        let texts = &repository.texts;
        let bytes = bytes(path, "durations")?;
        let reading = observed::read_durations(&name, &bytes, texts, &mut durations)
            .map_err(|error| refused(&name, "durations", &error, texts))?;
        notices.extend(odd(&name, &reading, repository));
    }
    Ok(durations)
}

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

/// What somebody wrote about no component, and a file that says nothing.
fn odd(name: &str, reading: &Reading, repository: &Repository) -> Vec<Notice> {
    if reading.measured.is_empty() {
        return vec![Notice {
            message: format!(
                "{name} holds no durations: Flux before 2.7 keeps none of Kustomizations, and none \
                 of its {} components has one",
                reading.silent
            )
            .into(),
            span: None,
        }];
    }
    if reading.form != Form::List {
        return Vec::new();
    }
    let known: BTreeSet<&ComponentKey> = repository
        .worlds
        .iter()
        .flat_map(|world| world.components.iter().map(|component| &component.key))
        .collect();
    let names: Vec<String> = known.iter().map(ToString::to_string).collect();
    let unknown = reading
        .measured
        .iter()
        .filter(|(key, _)| !known.contains(key));
    unknown
        .map(|(key, span)| unknown_component(key, *span, &names))
        .collect()
}

fn unknown_component(key: &ComponentKey, span: Span, names: &[String]) -> Notice {
    let key = key.to_string();
    let near = config::nearest(&key, names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Notice {
        message: format!("a duration for `{key}`, which is no component here{near}").into(),
        span: Some(span),
    }
}
