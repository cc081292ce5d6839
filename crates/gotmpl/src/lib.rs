//! Go's `text/template`, as Go 1.26 has it, for programs that must print what
//! Go prints.
//!
//! ```
//! use gotmpl::{Functions, Limits, Templates, Value};
//! use gotmpl::value::{Map, Str};
//!
//! let mut templates = Templates::new(Functions::new());
//! templates.parse("greeting", "Hello {{.name | printf \"%q\"}}!")?;
//! let dot = Map::from_iter([(Str::from("name"), Value::from("world"))]);
//! let output = templates.execute("greeting", Value::Map(dot), &Limits::default())?;
//! assert_eq!(output.text, b"Hello \"world\"!");
//! # Ok::<(), gotmpl::Error>(())
//! ```
//!
//! # How it works
//!
//! * `parse` turns a text into an arena of nodes. Threads share parsed texts;
//!   a [`Templates`] is cheap to copy and to add to.
//! * [`value`] holds Go's values. Maps are shared and changeable, so values
//!   belong to one execution.
//! * `exec` walks the nodes. Statements use a list of frames, not the stack;
//!   expressions use the stack, within [`Limits`].
//! * [`time`] has layouts and durations, [`regexp`] Go's regular expressions.
//! * [`fmt`] prints values with all verbs and flags, [`strconv`] reads and
//!   writes numbers and quoted strings.
//!
//! Errors have Go's text: the template, line and column, the node, and what
//! went wrong. No input makes the library panic, and [`Limits`] end templates
//! that do not end.
//!
//! # What differs from Go
//!
//! Maps have string keys. There are no channels. Parentheses nest 200 deep,
//! and values print 200 deep.

#![forbid(unsafe_code)]

mod builtin;
mod error;
mod exec;
pub mod fmt;
mod parse;
pub mod regexp;
pub mod strconv;
mod template;
pub mod time;
mod unicode;
pub mod value;

pub use error::{Error, ErrorKind, Failure, Place};
pub use exec::{Args, Context, Limits, Output, Segment, Site};
pub use template::{Functions, MissingKey, Templates, is_function_name};
pub use value::Value;
