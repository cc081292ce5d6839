//! Keys that the schema knows and this release does nothing with.

use yaml::Span;

use crate::Config;

/// A key that is set and has no effect yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inert {
    /// The dotted key.
    pub key: &'static str,
    /// What it will do, in a few words.
    pub needs: &'static str,
    /// Where its value is written.
    pub span: Span,
}

/// Keys without effect. An entry leaves when what it needs arrives.
pub(crate) fn find(config: &Config) -> Vec<Inert> {
    let mut found = Vec::new();
    let mut add = |key, needs, span: Option<Span>| {
        found.extend(span.map(|span| Inert { key, needs, span }));
    };
    let first = |spans: &mut dyn Iterator<Item = Span>| spans.next();

    let built_ins = "built-in objects are not checked against a release yet";
    add(
        "kubeVersion",
        built_ins,
        config.kube_version.map(|v| v.span),
    );
    let of_entrypoints = first(
        &mut (config.entrypoints.iter()).filter_map(|e| e.kube_version.as_ref().map(|v| v.span)),
    );
    add("entrypoints[].kubeVersion", built_ins, of_entrypoints);
    let assertions = first(&mut config.assertions.iter().map(|a| a.span));
    add(
        "assertions",
        "CEL expressions are not evaluated yet",
        assertions,
    );
    let contracts = first(&mut config.contracts.images.iter().map(|i| i.span));
    add("contracts.images", "contracts are not read yet", contracts);
    let images = first(&mut config.images.verify.iter().map(|i| i.span));
    let registries = "registries are not asked yet";
    add("images.verify", registries, images);
    let platforms = first(&mut config.images.platforms.iter().map(|p| p.span));
    add("images.platforms", registries, platforms);
    let cache = config.sources.cache_dir.as_ref().map(|dir| dir.span);
    add("sources.cacheDir", "nothing is downloaded yet", cache);
    let flux = config.flux_version.map(|version| version.span);
    add(
        "fluxVersion",
        "releases of Flux are not told apart yet",
        flux,
    );

    found.sort_by_key(|inert| (inert.span.file, inert.span.start));
    found
}
