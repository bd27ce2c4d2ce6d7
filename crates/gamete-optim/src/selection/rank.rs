use crate::Rng;

/// One index by its rank alone, 0 being the worst: chances rise linearly, the best having `pressure` times that of the
/// average, from 1 (all alike) to 2 (the worst never).
pub fn linear_rank(size: usize, pressure: f64, rng: &mut Rng) -> usize {
    let last = (size - 1).max(1) as f64;
    loop {
        let rank = rng.below(size as u64) as usize;
        let chance = 2.0 - pressure + 2.0 * (pressure - 1.0) * rank as f64 / last;
        if rng.uniform() * pressure < chance {
            return rank;
        }
    }
}

/// One index by its rank, 0 being the worst: drawn from those at `lowest` and above, and accepted with probability
/// rank/size. This is how Belmonte's parents are found.
///
/// # Panics
///
/// When nobody can be accepted.
pub fn rank_acceptance(size: usize, lowest: usize, rng: &mut Rng) -> usize {
    assert!(size > 1 && lowest < size, "somebody above the worst");
    loop {
        let rank = lowest + rng.below((size - lowest) as u64) as usize;
        if rng.uniform() < rank as f64 / size as f64 {
            return rank;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(mut draw: impl FnMut(&mut Rng) -> usize) -> [f64; 5] {
        let (mut rng, mut counts) = (Rng::new(2), [0.0; 5]);
        for _ in 0..100_000 {
            counts[draw(&mut rng)] += 1e-5;
        }
        counts
    }

    #[test]
    fn chances_rise_with_the_rank() {
        let near = |found: [f64; 5], expected: [f64; 5]| {
            assert!(
                found.iter().zip(expected).all(|(one, two)| (one - two).abs() < 0.006),
                "{found:?} {expected:?}"
            );
        };
        near(shares(|rng| linear_rank(5, 2.0, rng)), [0.0, 0.1, 0.2, 0.3, 0.4]);
        near(shares(|rng| linear_rank(5, 1.0, rng)), [0.2; 5]);
        near(shares(|rng| rank_acceptance(5, 1, rng)), [0.0, 0.1, 0.2, 0.3, 0.4]);
        near(shares(|rng| rank_acceptance(5, 3, rng)), [0.0, 0.0, 0.0, 3.0 / 7.0, 4.0 / 7.0]);
    }
}
