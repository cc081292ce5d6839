//! Flags of `fluxlint graph`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use report::{EdgeKind, Grouping};

use super::RepoArgs;

#[derive(Args)]
pub struct GraphArgs {
    /// The directories clusters start from. Default: those of the
    /// configuration, else those that are found.
    #[arg(value_name = "ENTRYPOINT")]
    pub entrypoints: Vec<String>,

    #[command(flatten)]
    pub repo: RepoArgs,

    /// The form of the graph.
    #[arg(long, value_enum, default_value_t)]
    pub format: GraphFormat,

    /// Write the graph to a file, which is there only once it is complete.
    #[arg(short, long, value_name = "FILE", value_parser = super::file::parser())]
    pub output: Option<PathBuf>,

    /// Only this component and what is around it: `namespace/name`,
    /// `HelmRelease/namespace/name`, or a name that only one has. May be given
    /// several times.
    #[arg(long = "focus", value_name = "COMPONENT")]
    pub focus: Vec<String>,

    /// How many steps around the focus, in both directions.
    #[arg(long, default_value_t = 1, value_name = "N", requires = "focus")]
    pub depth: usize,

    /// Leave out orders that others imply.
    #[arg(long)]
    pub reduce: bool,

    /// Only these kinds of edges.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KINDS")]
    pub edges: Vec<EdgeName>,

    /// What components are put together by.
    #[arg(long, value_enum, default_value_t)]
    pub group: GroupName,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum GraphFormat {
    /// Graphviz.
    #[default]
    Dot,
    /// A Mermaid flowchart, for Markdown.
    Mermaid,
    /// All there is, for programs; see docs/graph.md.
    Json,
    /// A drawing.
    Svg,
    /// A page with the drawing, a search and the way of what is clicked.
    Html,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EdgeName {
    /// `dependsOn`.
    #[value(name = "dependsOn", alias = "depends-on")]
    DependsOn,
    /// A component applies another's Flux object.
    Creates,
    /// A component makes what another needs.
    Needs,
    /// A component is ready only when another is.
    Waits,
}

impl From<EdgeName> for EdgeKind {
    fn from(name: EdgeName) -> Self {
        match name {
            EdgeName::DependsOn => EdgeKind::DependsOn,
            EdgeName::Creates => EdgeKind::Creates,
            EdgeName::Needs => EdgeKind::Needs,
            EdgeName::Waits => EdgeKind::Waits,
        }
    }
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum GroupName {
    /// The namespace of the Flux object, and the cluster.
    #[default]
    Namespace,
    /// The component that applies it.
    Parent,
    /// Nothing.
    None,
}

impl From<GroupName> for Grouping {
    fn from(name: GroupName) -> Self {
        match name {
            GroupName::Namespace => Grouping::Namespace,
            GroupName::Parent => Grouping::Parent,
            GroupName::None => Grouping::None,
        }
    }
}
