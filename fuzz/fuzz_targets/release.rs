//! Releases of any chart: whatever its templates do ends within its limits.
#![no_main]

use helm::{Capabilities, Data, Options, Package, Release, Request, load};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(chart) = load::files(fluxlint_fuzz::chart(text)) else {
        return;
    };
    let values = chart.values.clone();
    let package = Package::new(chart);
    let release = Release {
        name: "release".to_owned(),
        namespace: "namespace".to_owned(),
        revision: 1,
        is_upgrade: false,
    };
    let capabilities = Capabilities {
        kube_version: "v1.36.0".to_owned(),
        api_versions: vec!["v1".to_owned(), "apps/v1".to_owned()],
        helm_version: "v4.2".to_owned(),
    };
    let options = Options {
        limits: fluxlint_fuzz::template_limits(),
        ..Options::default()
    };
    for values in [&Data::map(), &values] {
        let request = Request {
            values,
            release: &release,
            capabilities: &capabilities,
            options: &options,
            skip_schema: false,
        };
        if let Err(error) = package.render(&request) {
            let _ = error.to_string();
        }
    }
});
