//! The file a result goes to.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};

/// What other programs take after `-o`: whoever writes one of these alone means the
/// form of the result.
const FORMS: [&str; 12] = [
    "text", "json", "yaml", "wide", "name", "sarif", "gitlab", "github", "junit", "markdown",
    "html", "svg",
];

/// A path, unless it is the name of a form.
pub fn parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let is_form = FORMS.iter().any(|form| path.as_os_str() == *form);
        match is_form {
            false => Ok(path),
            true => Err(format!(
                "this is the file to write; the form of the result is --format {0} (a file of that name: \
                 ./{0})",
                path.display()
            )),
        }
    })
}
