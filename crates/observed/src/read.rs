//! Files of any form.

use std::sync::Arc;

use ecow::eco_format;
use model::{ComponentKey, Durations};
use yaml::{FileId, Sources, Span};

use crate::dump::{documents, entries, is_dump};
use crate::form::{is_metrics, is_table};
use crate::{ClusterState, Error, Form, history, list, metrics};

/// Bytes of a file that are taken. A cluster of some thousand components is a
/// tenth of it.
const MOST: usize = 128 << 20;

/// What one file said about durations.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its form.
    pub form: Form,
    /// The components it has a duration of, each with the place that says so.
    pub measured: Vec<(ComponentKey, Span)>,
    /// Components that it holds without a duration.
    pub silent: usize,
}

/// Reads durations from a file's bytes and adds them to `durations`. The text
/// is kept in `texts` under `name`.
///
/// # Errors
///
/// When the file has none of the known forms, a value in it is malformed, or it
/// is too large.
pub fn read_durations(
    name: &str,
    bytes: &[u8],
    texts: &Sources,
    durations: &mut Durations,
) -> Result<Reading, Error> {
    let (text, file) = text(name, bytes, texts)?;
    if is_metrics(&text) {
        let found = metrics::measured(&text, file, texts)?;
        return Ok(taken(Form::Metrics, found, durations));
    }
    let documents = documents(&text, file)?;
    if !is_dump(&documents) {
        let found = list::measured(&documents, file, texts)?;
        return Ok(taken(Form::List, found, durations));
    }
    let entries = entries(&documents, file)?;
    let all = entries.len();
    let found = entries
        .into_iter()
        .filter_map(|entry| {
            let measured = history::measured(&entry, texts)?;
            Some((entry.key, entry.node.span, measured))
        })
        .collect();
    let mut reading = taken(Form::Dump, found, durations);
    reading.silent = all - reading.measured.len();
    Ok(reading)
}

fn taken(
    form: Form,
    found: Vec<(ComponentKey, Span, model::Measured)>,
    durations: &mut Durations,
) -> Reading {
    let mut measured = Vec::with_capacity(found.len());
    for (key, span, what) in found {
        durations.add(key.clone(), what);
        measured.push((key, span));
    }
    Reading {
        form,
        measured,
        silent: 0,
    }
}

/// Reads how the components of a cluster are from the bytes of a dump.
///
/// # Errors
///
/// When the file is no dump, or is too large.
pub fn read_state(name: &str, bytes: &[u8], texts: &Sources) -> Result<ClusterState, Error> {
    let (text, file) = text(name, bytes, texts)?;
    let documents = documents(&text, file)?;
    Ok(ClusterState::of(&entries(&documents, file)?))
}

/// The text of a file, whatever of Unicode's forms its shell wrote.
fn text(name: &str, bytes: &[u8], texts: &Sources) -> Result<(Arc<str>, FileId), Error> {
    if bytes.len() > MOST {
        return Err(too_large(bytes.len()));
    }
    let text = yaml::decode(bytes, FileId::NONE)
        .map_err(|error| Error::new(eco_format!("{error}"), Span::NONE))?;
    let text: Arc<str> = text.into();
    let file = texts.add(name, text.clone());
    if is_table(&text) {
        return Err(
            Error::new("this is the table for people", Span::new(file, 0, 0))
                .help("have kubectl write JSON: add -o json"),
        );
    }
    Ok((text, file))
}

fn too_large(bytes: usize) -> Error {
    let (size, most) = (bytes >> 20, MOST >> 20);
    let message = eco_format!("{size} MiB is more than the {most} MiB that are taken");
    Error::new(message, Span::NONE).help("leave out managed fields and objects of other kinds")
}
