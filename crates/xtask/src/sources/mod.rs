//! `cargo xtask sources`: the corpus repositories with everything they pin
//! served by servers on loopback, as the real ones do.

mod crowd;
mod places;
mod repositories;
mod runs;
mod server;

use crate::args::Args;

pub use runs::Stage;
pub use server::Origin;

/// Runs what the first argument names, by default `corpus`.
pub fn command(mut args: Args) -> Result<(), String> {
    match args.word(&["corpus", "crowd", "kill"]).as_deref() {
        Some("crowd") => crowd::together(args),
        Some("kill") => crowd::kill(args),
        _ => runs::command(args),
    }
}
