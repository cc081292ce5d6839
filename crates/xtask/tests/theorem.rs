//! The theorem: what the graph says becomes ready becomes ready in a simulation
//! of the controllers, nothing else does, and nothing happens too early or too
//! late.

use xtask::simulate::command::{Tally, tally};
use xtask::simulate::kind::Kind;

/// Repositories of one test run.
const COUNT: u64 = 400;

fn run(mutate: bool) -> Tally {
    let seeds: Vec<u64> = (1..=COUNT).collect();
    tally(&seeds, mutate)
}

#[test]
fn the_graph_and_the_controllers_agree() {
    let tally = run(true);
    println!("{tally}");
    assert!(tally.errors.is_empty(), "{tally}");
    assert!(
        tally.differing.is_empty(),
        "{tally}\ncargo xtask simulate --shrink shows the smallest repositories that differ"
    );
    let share = |part: usize| part * 100 / tally.count;
    assert!(share(tally.stuck) >= 30, "{tally}");
    assert!(share(tally.count - tally.stuck) >= 20, "{tally}");
    for kind in Kind::ALL {
        let has = tally.kinds.get(&kind).copied().unwrap_or(0);
        assert!(
            share(has) >= 2,
            "{kind:?} is in {has} repositories only\n{tally}"
        );
        let caught = tally.caught.get(&kind).copied().unwrap_or(0);
        assert!(caught > 0, "without {kind:?} nothing differs\n{tally}");
    }
}

/// Repositories in which a health check passes its window before a class, or
/// what pods of another component read, is there; the last because that waits for
/// a worker.
#[test]
fn windows_that_pass_before_a_need_is_met_cost_another_try() {
    let tally = tally(&[3257, 7388, 5007252], false);
    assert!(
        tally.errors.is_empty() && tally.differing.is_empty(),
        "{tally}"
    );
}
