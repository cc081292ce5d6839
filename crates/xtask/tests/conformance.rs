//! Upstream's own test rows: no suite passes fewer of them than it did.

use xtask::args::Args;
use xtask::{conformance, paths};

/// Some rows nest deeply, and builds that are not optimized take much stack.
const STACK: usize = 256 << 20;

#[test]
fn no_suite_passes_fewer_rows() {
    if paths::shared().is_none() {
        println!("skipped: no corpus");
        return;
    }
    // Rows of filters are read from upstream's sources, which need not be here.
    let suites = conformance::SUITES.iter().map(|suite| suite.name);
    let suites = suites.filter(|name| *name != "filters");
    let args = Args::new(suites.map(ToOwned::to_owned));
    let run = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || conformance::command(args));
    assert_eq!(run.unwrap().join().unwrap(), Ok(()));
}
