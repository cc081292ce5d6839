//! The whole file.

use schemars::JsonSchema;
use serde::Deserialize;
use yaml::{Node, Sources};

use crate::decode::Decoder;
use crate::rules::{is_rule, unknown_rule};
use crate::{
    Assertion, Contracts, Controllers, Entrypoint, Error, Externals, Ignore, Images, Inert,
    RepoSource, Rules, SourceSettings, Spanned, Timing, Version,
};

/// The name of the file in a repository's root.
pub const FILE_NAME: &str = ".fluxlint.yaml";

/// `.fluxlint.yaml`: what fluxlint cannot read from the repository itself. All
/// of it is optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Config {
    /// The directories clusters start from: what `flux bootstrap` was given as
    /// `--path`. Left out: they are looked for.
    #[serde(default)]
    pub entrypoints: Vec<Spanned<Entrypoint>>,
    /// The Kubernetes release of the clusters, which charts may ask for. Left
    /// out: the newest one fluxlint knows.
    #[serde(default)]
    pub kube_version: Option<Spanned<Version>>,
    /// Source objects that deliver this repository, besides the one that
    /// bootstraps Flux. One, or a list.
    #[serde(default, deserialize_with = "crate::repo_source::one_or_many")]
    #[schemars(schema_with = "crate::repo_source::one_or_many_schema")]
    pub repo_source: Vec<Spanned<RepoSource>>,
    /// What exists in the cluster although no file of the repository makes it.
    #[serde(default)]
    pub externals: Externals,
    /// Where the content of other sources is found.
    #[serde(default)]
    pub sources: SourceSettings,
    /// The release of Flux. Left out: read from `gotk-components.yaml` or the
    /// FluxInstance, else the newest one fluxlint knows.
    #[serde(default)]
    pub flux_version: Option<Spanned<Version>>,
    /// How Flux's controllers are run.
    #[serde(default)]
    pub controllers: Controllers,
    /// What each rule's findings count as.
    #[serde(default)]
    pub rules: Rules,
    /// Rules of your own.
    #[serde(default)]
    pub assertions: Vec<Spanned<Assertion>>,
    /// Contracts of components.
    #[serde(default)]
    pub contracts: Contracts,
    /// Images to look up.
    #[serde(default)]
    pub images: Images,
    /// Limits and figures of the timing analysis.
    #[serde(default)]
    pub timing: Timing,
    /// Findings that are accepted.
    #[serde(default)]
    pub ignore: Vec<Spanned<Ignore>>,
}

impl Config {
    /// Reads the text of a configuration, known to people as `name`. The text
    /// is added to `sources`, which the spans of the result point into.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong: text that is no YAML, more than one
    /// document, a key that appears twice, an unknown key, a value of the wrong
    /// type or form.
    pub fn parse(name: &str, text: &str, sources: &Sources) -> Result<Config, Error> {
        let file = sources.add(name, text);
        let parsed = yaml::parse_with_duplicates(text, file, &yaml::Limits::default())
            .map_err(|error| Error::new(error.cause.as_str()).at(error.span))?;
        if let Some(twice) = parsed.duplicates.first() {
            let error = Error::new(format!("the key `{}` appears twice", twice.key));
            return Err(error.at(twice.again).with_help("keep one of them"));
        }
        match parsed.documents.as_slice() {
            [] => Ok(Config::default()),
            [node] => Self::from_node(node),
            [_, second, ..] => Err(Error::new("there is more than one document")
                .at(second.span)
                .with_help("a configuration is one document; remove the `---`")),
        }
    }

    /// Reads a configuration from a document.
    ///
    /// # Errors
    ///
    /// As for [`Config::parse`].
    pub fn from_node(node: &Node) -> Result<Config, Error> {
        if node.is_null() {
            return Ok(Config::default());
        }
        let config = Config::deserialize(Decoder(node))?;
        config.check_values()?;
        Ok(config)
    }

    /// Refuses values that have the right type and no meaning.
    fn check_values(&self) -> Result<(), Error> {
        if let Some(share) = &self.timing.dominant_share
            && !(0.0..=1.0).contains(&share.value)
        {
            return Err(
                Error::new(format!("{} is not between 0 and 1", share.value))
                    .at(share.span)
                    .below("dominantShare")
                    .below("timing"),
            );
        }
        Ok(())
    }

    /// Refuses rule names, in `rules` and `ignore`, that are no rule, given
    /// (id, name) of all rules.
    ///
    /// # Errors
    ///
    /// The first unknown name, with its place and the nearest known one.
    pub fn check_rules(&self, known: &[(&str, &str)]) -> Result<(), Error> {
        self.rules.check(known)?;
        for (index, ignore) in self.ignore.iter().enumerate() {
            let rule = &ignore.rule;
            if !known.iter().any(|(id, name)| is_rule(rule, id, name)) {
                let error = unknown_rule(rule, known).below("rule");
                return Err(error.below(format!("[{index}]")).below("ignore"));
            }
        }
        Ok(())
    }

    /// Keys that are set and have no effect yet, in written order.
    pub fn inert(&self) -> Vec<Inert> {
        crate::inert::find(self)
    }
}
