//! Numbers and quoted strings as Go writes and reads them.

mod float;
mod number;
mod quote;

pub use float::{FloatForm, format_float};
pub use number::{parse_float, parse_int, parse_uint};
pub(crate) use quote::{Quote, can_backquote, unquote_char};
pub use quote::{quote, quote_ascii, unquote};
