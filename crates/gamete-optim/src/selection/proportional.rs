use crate::Rng;

/// One index, with a chance proportional to its fitness (the roulette wheel). Negative fitness counts as none; if nobody
/// has any, all chances are equal.
///
/// # Panics
///
/// When there is nobody to choose.
pub fn proportional(fitness: &[f64], rng: &mut Rng) -> usize {
    let share = |fitness: f64| if fitness.is_finite() { fitness.max(0.0) } else { 0.0 };
    let total: f64 = fitness.iter().copied().map(share).sum();
    if total <= 0.0 {
        return rng.below(fitness.len() as u64) as usize;
    }
    let mut left = rng.uniform() * total;
    for (index, &fitness) in fitness.iter().enumerate() {
        left -= share(fitness);
        if left < 0.0 {
            return index;
        }
    }
    // Rounding left a crumb: it belongs to the last who has any.
    fitness.iter().rposition(|&fitness| share(fitness) > 0.0).expect("somebody, as the total is positive")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_proportional() {
        let (mut rng, mut counts) = (Rng::new(1), [0; 4]);
        for _ in 0..60_000 {
            counts[proportional(&[1.0, 2.0, -5.0, 3.0], &mut rng)] += 1;
        }
        for (count, expected) in counts.into_iter().zip([10_000, 20_000, 0, 30_000]) {
            assert!(i32::abs(count - expected) < 500, "{counts:?}");
        }
        assert_eq!(counts[2], 0);
        assert!((0..100).map(|_| proportional(&[0.0, 0.0], &mut rng)).any(|index| index == 1));
    }
}
