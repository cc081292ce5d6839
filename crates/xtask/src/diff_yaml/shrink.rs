//! Makes a text that shows a difference as small as it gets.

/// Rounds after which a text is small enough.
const ROUNDS: usize = 200;
/// Candidates that are tried at once.
const BATCH: usize = 64;

/// The smallest text found that still shows the difference. `first` gives the
/// index of the first candidate that does.
pub fn shrink(text: &str, first: impl Fn(&[String]) -> Option<usize>) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let candidates = candidates(&text);
        let smaller = candidates
            .chunks(BATCH)
            .find_map(|batch| first(batch).and_then(|at| batch.get(at)));
        match smaller {
            Some(smaller) => text = smaller.clone(),
            None => break,
        }
    }
    text
}

/// Texts that are a step smaller, the boldest steps first.
fn candidates(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    cuts(&lines, |rest| all.push(rest.concat()));
    let chars: Vec<char> = text.chars().collect();
    cuts(&chars, |rest| all.push(rest.iter().collect()));
    for (at, c) in chars.iter().enumerate() {
        // A plainer character makes the reason easier to see.
        if !matches!(c, 'a' | '0' | ' ' | '\n') {
            let plain = if c.is_ascii_digit() { '0' } else { 'a' };
            let mut plainer = chars.clone();
            plainer[at] = plain;
            all.push(plainer.into_iter().collect());
        }
    }
    all.retain(|candidate: &String| candidate != text);
    all
}

/// What is left without each stretch of half, a quarter, … of the items.
fn cuts<T: Clone>(items: &[T], mut keep: impl FnMut(Vec<T>)) {
    let mut size = items.len() / 2;
    while size > 0 {
        for start in (0..items.len()).step_by(size) {
            let end = (start + size).min(items.len());
            let mut rest = items.to_vec();
            rest.drain(start..end);
            keep(rest);
        }
        size /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn what_does_not_matter_goes() {
        let culprit = |texts: &[String]| texts.iter().position(|text| text.contains("&x"));
        assert_eq!(shrink("a: 1\nb: [c, &x d]\ne: f\n", culprit), "&x");
    }
}
