//! Heights within layers.

use super::{LANE, Layers, ROW, Slot};

/// How often all layers are gone through.
const SWEEPS: usize = 12;

/// The height of each slot: as near to its neighbours as the order within its
/// layer and the room of the others allow.
pub(crate) fn heights(layers: &Layers) -> Vec<f64> {
    let mut heights = vec![0.0; layers.slots.len()];
    for layer in &layers.layers {
        let mut at = 0.0;
        let mut before = None;
        for slot in layer {
            at += before.map_or(0.0, |before| room(layers, before, *slot));
            set(&mut heights, *slot, at);
            before = Some(*slot);
        }
    }
    for sweep in 0..SWEEPS {
        let count = layers.layers.len();
        for step in 0..count {
            let rank = if sweep % 2 == 0 {
                step
            } else {
                count - 1 - step
            };
            if let Some(layer) = layers.layers.get(rank) {
                settle(
                    layers,
                    layer,
                    &mut heights,
                    sweep + 2 >= SWEEPS,
                    sweep % 2 == 0,
                );
            }
        }
    }
    let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
    for height in &mut heights {
        *height += ROW / 2.0 - least;
    }
    heights
}

fn set(heights: &mut [f64], slot: usize, value: f64) {
    if let Some(height) = heights.get_mut(slot) {
        *height = value;
    }
}

/// What two neighbours of a layer need between their middles.
fn room(layers: &Layers, one: usize, other: usize) -> f64 {
    let half = |slot: usize| match layers.slots.get(slot) {
        Some(Slot::Node(_)) => ROW / 2.0,
        _ => LANE / 2.0,
    };
    half(one) + half(other)
}

/// Moves the slots of a layer towards the mean of their neighbours: of one side
/// at first, of both in the end. What would be too near is put together and
/// moved as one, which gives the least squares of all moves (pooling of
/// adjacent violators).
fn settle(layers: &Layers, layer: &[usize], heights: &mut [f64], both: bool, forward: bool) {
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(layer.len());
    let mut before = None;
    for slot in layer {
        offset += before.map_or(0.0, |before| room(layers, before, *slot));
        offsets.push(offset);
        before = Some(*slot);
    }
    // (sum, weight, how many)
    let mut blocks: Vec<(f64, f64, usize)> = Vec::with_capacity(layer.len());
    for (slot, offset) in layer.iter().zip(&offsets) {
        let (wanted, weight) = wanted(layers, *slot, heights, both, forward);
        blocks.push(((wanted - offset) * weight, weight, 1));
        while let [.., one, other] = blocks.as_slice()
            && one.0 / one.1 > other.0 / other.1
        {
            let joined = (one.0 + other.0, one.1 + other.1, one.2 + other.2);
            blocks.truncate(blocks.len() - 2);
            blocks.push(joined);
        }
    }
    let mut slots = layer.iter().zip(&offsets);
    for (sum, weight, count) in blocks {
        for (slot, offset) in slots.by_ref().take(count) {
            set(heights, *slot, sum / weight + offset);
        }
    }
}

/// Where a slot would like to be, and how much. Edges on their way want to be
/// straight more than nodes want to be central.
fn wanted(layers: &Layers, slot: usize, heights: &[f64], both: bool, forward: bool) -> (f64, f64) {
    let before = layers.before.get(slot).into_iter().flatten();
    let behind = layers.behind.get(slot).into_iter().flatten();
    let own = heights.get(slot).copied().unwrap_or(0.0);
    let of = |slot: &usize| heights.get(*slot).copied();
    let near: Vec<f64> = match (both, forward) {
        (true, _) => before.chain(behind).filter_map(of).collect(),
        (false, true) => before.filter_map(of).collect(),
        (false, false) => behind.filter_map(of).collect(),
    };
    if near.is_empty() {
        return (own, 0.1);
    }
    let mean = near.iter().sum::<f64>() / near.len() as f64;
    let weight = match layers.slots.get(slot) {
        Some(Slot::Lane(..)) => 3.0,
        _ => 1.0,
    };
    (mean, weight)
}
