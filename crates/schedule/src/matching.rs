//! How many things no order keeps apart.

/// The size of a largest set of nodes none of which comes before another, given
/// for each node those that come before it (all of them, not only the nearest).
/// By Dilworth's theorem it is the least number of chains that cover all nodes:
/// the nodes less a largest matching of each with one that comes before it.
pub(crate) fn width(before: &[Vec<usize>]) -> usize {
    let mut matching = Matching {
        before,
        next: vec![None; before.len()],
        seen: vec![usize::MAX; before.len()],
    };
    let mut matched = 0;
    for node in 0..before.len() {
        if matching.extend(node) {
            matched += 1;
        }
    }
    before.len() - matched
}

struct Matching<'a> {
    before: &'a [Vec<usize>],
    /// For each node, the one it is matched with that comes after it.
    next: Vec<Option<usize>>,
    /// For each node, the search that saw it last.
    seen: Vec<usize>,
}

impl Matching<'_> {
    /// Looks for a path that gives `root` a partner, moving partners along it;
    /// iterative, since paths can be as long as there are nodes.
    fn extend(&mut self, root: usize) -> bool {
        // (node in want of a partner, next candidate, candidate under trial)
        let mut stack: Vec<(usize, usize, usize)> = vec![(root, 0, 0)];
        while let Some((node, candidate, _)) = stack.last().copied() {
            let Some(before) = self
                .before
                .get(node)
                .and_then(|b| b.get(candidate))
                .copied()
            else {
                stack.pop();
                continue;
            };
            if let Some(top) = stack.last_mut() {
                *top = (node, candidate + 1, before);
            }
            match self.seen.get_mut(before) {
                Some(seen) if *seen != root && before != node => *seen = root,
                _ => continue,
            }
            match self.next.get(before).copied().flatten() {
                Some(other) => stack.push((other, 0, 0)),
                None => {
                    for (node, _, partner) in stack {
                        if let Some(slot) = self.next.get_mut(partner) {
                            *slot = Some(node);
                        }
                    }
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn chains_are_narrow_and_crowds_are_wide() {
        assert_eq!(width(&[]), 0);
        assert_eq!(width(&[vec![], vec![0], vec![0, 1]]), 1);
        assert_eq!(width(&[vec![], vec![], vec![]]), 3);
        // Two before two.
        assert_eq!(width(&[vec![], vec![], vec![0, 1], vec![0, 1]]), 2);
    }

    #[test]
    fn it_is_the_largest_set_without_order() {
        for seed in 0_usize..400 {
            let size = 1 + seed % 7;
            let mut bits = seed.wrapping_mul(0x9e37_79b9) ^ 0x5bd1;
            let mut less = vec![vec![false; size]; size];
            for to in 0..size {
                for from in 0..to {
                    bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(7);
                    if (bits >> 33) % 3 == 0 {
                        less[from][to] = true;
                        for row in less.iter_mut().take(from) {
                            row[to] |= row[from];
                        }
                    }
                }
            }
            let before: Vec<Vec<usize>> = (0..size)
                .map(|to| (0..size).filter(|from| less[*from][to]).collect())
                .collect();
            let apart = |set: usize| {
                let has = |n: usize| set & (1 << n) != 0;
                (0..size).all(|a| (0..size).all(|b| !(has(a) && has(b) && less[a][b])))
            };
            let largest = (0..1 << size)
                .filter(|set| apart(*set))
                .map(|set: usize| set.count_ones() as usize)
                .max();
            assert_eq!(Some(width(&before)), largest, "seed {seed}");
        }
    }
}
