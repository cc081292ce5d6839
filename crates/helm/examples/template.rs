//! Renders a chart, an archive or a directory, as a first install of it:
//! `template CHART [NAME=VALUE]…`.

use std::path::Path;
use std::process::ExitCode;

use helm::strvals::{Form, assign};
use helm::{Capabilities, Data, Options, Package, Release, Request, load};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next() else {
        eprintln!("template CHART [NAME=VALUE]…");
        return ExitCode::FAILURE;
    };
    match render(Path::new(&path), args) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn render(path: &Path, sets: impl Iterator<Item = String>) -> Result<String, String> {
    let chart = if path.is_dir() {
        // Links are followed as long as they stay inside.
        let disk = vfs::Disk::new(path).map_err(|e| e.to_string())?;
        load::directory(&vfs::Tree::new(disk.with_symlinks()), "")?
    } else {
        load::archive(&std::fs::read(path).map_err(|e| e.to_string())?)?
    };
    helm::dependencies::check(&chart)?;
    let mut values = Data::map();
    for set in sets {
        assign(&mut values, set.as_bytes(), Form::Typed)?;
    }
    let release = Release {
        name: "release-name".to_owned(),
        namespace: "default".to_owned(),
        revision: 1,
        is_upgrade: false,
    };
    let capabilities = Capabilities {
        kube_version: "v1.36.0".to_owned(),
        api_versions: vec!["v1".to_owned(), "apps/v1".to_owned()],
        helm_version: "v4.2".to_owned(),
    };
    let request = Request {
        values: &values,
        release: &release,
        capabilities: &capabilities,
        options: &Options::default(),
        skip_schema: false,
    };
    let output = Package::new(chart)
        .render(&request)
        .map_err(|e| e.to_string())?;
    for warning in output.warnings.iter().chain(&output.unjudged) {
        eprintln!("warning: {warning}");
    }
    let document = |manifest: &helm::Manifest| {
        format!("---\n# Source: {}\n{}\n", manifest.path, manifest.text)
    };
    Ok(output.manifests.iter().map(document).collect())
}
