//! The order within layers.

use super::Layers;

/// How often all layers are gone through.
const SWEEPS: usize = 16;

/// Orders every layer so that few steps cross: each slot at the mean of its
/// neighbours in the layer before, then in the layer behind, by turns. The best
/// order met is kept.
pub(crate) fn order(layers: &mut Layers) {
    let mut best = layers.layers.clone();
    let mut least = crossings(layers);
    for sweep in 0..SWEEPS {
        if least == 0 {
            break;
        }
        let count = layers.layers.len();
        let mut position = positions(layers);
        for step in 0..count {
            let rank = if sweep % 2 == 0 {
                step
            } else {
                count - 1 - step
            };
            let neighbours = match sweep % 2 == 0 {
                true => &layers.before,
                false => &layers.behind,
            };
            let Some(layer) = layers.layers.get_mut(rank) else {
                continue;
            };
            let mut keyed: Vec<(f64, usize)> = layer
                .iter()
                .enumerate()
                .map(|(at, slot)| {
                    let of = neighbours.get(*slot).map_or(&[][..], Vec::as_slice);
                    let sum: usize = of.iter().filter_map(|n| position.get(*n)).sum();
                    let mean = match of.len() {
                        0 => at as f64,
                        count => sum as f64 / count as f64,
                    };
                    (mean, *slot)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            *layer = keyed.into_iter().map(|(_, slot)| slot).collect();
            for (at, slot) in layer.iter().enumerate() {
                if let Some(position) = position.get_mut(*slot) {
                    *position = at;
                }
            }
        }
        let crossing = crossings(layers);
        if crossing < least {
            least = crossing;
            best.clone_from(&layers.layers);
        }
    }
    layers.layers = best;
}

fn positions(layers: &Layers) -> Vec<usize> {
    let mut position = vec![0; layers.slots.len()];
    for layer in &layers.layers {
        for (at, slot) in layer.iter().enumerate() {
            if let Some(position) = position.get_mut(*slot) {
                *position = at;
            }
        }
    }
    position
}

/// How many pairs of steps cross.
fn crossings(layers: &Layers) -> usize {
    let position = positions(layers);
    let of = |slot: usize| position.get(slot).copied().unwrap_or(0);
    let mut count = 0;
    for layer in &layers.layers {
        let mut ends: Vec<usize> = Vec::new();
        let mut width = 0;
        for slot in layer {
            let behind = layers.behind.get(*slot).into_iter().flatten();
            let mut to: Vec<usize> = behind.map(|slot| of(*slot)).collect();
            to.sort_unstable();
            width = to.last().map_or(width, |last| width.max(last + 1));
            ends.extend(to);
        }
        count += inversions(&ends, width);
    }
    count
}

/// How many pairs of a list are the wrong way round, by a Fenwick tree over
/// values below `width`.
fn inversions(list: &[usize], width: usize) -> usize {
    let mut tree = vec![0_usize; width + 1];
    let mut count = 0;
    for (seen, value) in list.iter().enumerate() {
        let mut at = value + 1;
        let mut not_above = 0;
        while at > 0 {
            not_above += tree.get(at).copied().unwrap_or(0);
            at -= at & at.wrapping_neg();
        }
        count += seen - not_above;
        let mut at = value + 1;
        while at <= width {
            if let Some(slot) = tree.get_mut(at) {
                *slot += 1;
            }
            at += at & at.wrapping_neg();
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::rank;
    use super::*;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[0, 1, 2], 3), 0);
        assert_eq!(inversions(&[2, 1, 0], 3), 3);
        assert_eq!(inversions(&[1, 1, 0, 2, 0], 3), 5);
    }

    #[test]
    fn a_crossing_that_need_not_be_is_gone() {
        let ranks = [0, 0, 1, 1];
        let (mut layers, _) = rank::layers(&ranks, &[(0, 3, 0), (1, 2, 0)]);
        assert_eq!(crossings(&layers), 1);
        order(&mut layers);
        assert_eq!(crossings(&layers), 0);
    }
}
