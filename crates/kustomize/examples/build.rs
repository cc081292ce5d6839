//! Prints what `kustomize build DIR` prints, for a directory of a tree on disk:
//!
//!     cargo run --example build -- ROOT [DIR]

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use kustomize::{Documents, Options, build};
use vfs::{Disk, Tree};
use yaml::Sources;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let Some(root) = arguments.next() else {
        eprintln!("usage: build ROOT [DIR]");
        return Ok(ExitCode::from(2));
    };
    let dir = arguments.next().unwrap_or_default();

    // One `Documents` serves any number of builds, in parallel too: every file is
    // read and parsed once.
    let documents = Documents::new(Tree::new(Disk::new(Path::new(&root))?), Sources::new());
    match build(&documents, &dir, &Options::default()) {
        Ok(output) => {
            for warning in &output.warnings {
                eprintln!("{warning}");
            }
            print!("{}", output.to_yaml());
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            if let Some(place) = error.span.and_then(|s| documents.sources().location(s)) {
                eprint!("{}:{}: ", place.file, place.line);
            }
            eprintln!("{error}");
            Ok(ExitCode::FAILURE)
        }
    }
}
