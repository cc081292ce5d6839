//! Processes that are killed at random points, and the caches they leave.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::crowd::damaged;
use super::runs::differences;
use super::small::Small;
use super::stage::Outcome;
use crate::args::Args;
use crate::random::Random;

/// Processes that die on one cache; a full cache has nothing left to break.
const ON_ONE_CACHE: u32 = 8;

#[derive(Default)]
struct Killed {
    killed: u64,
    ended: u64,
    caches: u64,
    /// Kills after which content was not what its name says.
    half: usize,
    /// Caches with which another run gave something else.
    wrong: usize,
}

/// Processes are killed at random points; the cache must stay usable.
pub fn command(mut args: Args) -> Result<(), String> {
    let kills = args.number("--kills")?.unwrap_or(200);
    let mut random = Random::new(args.number("--seed")?.unwrap_or(1));
    let small = Small::make("kill", &mut args)?;
    args.done()?;
    let begun = Instant::now();
    let alone = small.check(&small.at("alone"), &[])?;
    let requests = small.server.take().len();
    let longest = alone.wall;
    let mut done = Killed::default();
    while done.killed < kills {
        let cache = small.at("cache");
        let _ = fs::remove_dir_all(&cache);
        for left in (1..=ON_ONE_CACHE).rev() {
            let wait = longest.mul_f64(random.below(1000) as f64 / 1000.0) / left;
            kill_after(&small, &cache, wait, &mut done)?;
        }
        done.caches += 1;
        done.wrong += usize::from(!is_usable(&small, &cache, &alone)?);
    }
    println!(
        "{requests} requests fill a cache in {} ms; {} processes were killed at random points, {} \
         had ended before; {} caches were used to the end after it, online and offline: {} gave \
         something else, {} held half-written content ({} s)",
        longest.as_millis(),
        done.killed,
        done.ended,
        done.caches,
        done.wrong,
        done.half,
        begun.elapsed().as_secs()
    );
    match done.wrong + done.half {
        0 => Ok(()),
        _ => Err("a killed process left a cache that is not usable".into()),
    }
}

fn kill_after(
    small: &Small,
    cache: &Path,
    wait: Duration,
    done: &mut Killed,
) -> Result<(), String> {
    let mut command = small.command(cache);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command
        .spawn()
        .map_err(|error| format!("fluxlint: {error}"))?;
    std::thread::sleep(wait);
    match child.try_wait().map_err(|e| e.to_string())? {
        Some(_) => done.ended += 1,
        None => done.killed += 1,
    }
    // A process that has ended cannot be killed.
    let _ = child.kill();
    child.wait().map_err(|e| e.to_string())?;
    done.half += usize::from(damaged(cache) > 0);
    Ok(())
}

/// Whether runs on what is left give what they should, and cleaning leaves
/// nothing behind.
fn is_usable(small: &Small, cache: &Path, alone: &Outcome) -> Result<bool, String> {
    let online = small.check(cache, &[])?;
    let offline = small.check(cache, &["--offline"])?;
    let same = differences(alone, &online).is_empty() && differences(alone, &offline).is_empty();
    let cleaned = source::Cache::new(cache).collect(Duration::from_secs(3600));
    let cleaned = cleaned.map_err(|e| e.to_string())?.is_some();
    Ok(same && cleaned && !cache.join("v1/tmp").exists())
}
