//! `cargo xtask sources`: the corpus repositories with everything they pin
//! served by servers on loopback, as the real ones do.

mod crowd;
mod digested;
mod kill;
mod places;
mod repositories;
mod runs;
mod server;
mod small;
mod stage;

use crate::args::Args;

pub use server::Origin;
pub use stage::Stage;

/// Runs what the first argument names, by default `corpus`.
pub fn command(mut args: Args) -> Result<(), String> {
    match args.word(&["corpus", "crowd", "kill"]).as_deref() {
        Some("crowd") => crowd::together(args),
        Some("kill") => kill::command(args),
        _ => runs::command(args),
    }
}
