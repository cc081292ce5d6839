//! Do post-build variables resolve, and from where?

pub(crate) mod invalid_variable_name;
pub(crate) mod missing_substitute_source;
mod position;
pub(crate) mod retyped_value;
pub(crate) mod undefined_variable;
pub(crate) mod unexpanded_variable;
pub(crate) mod unsupported_expression;
