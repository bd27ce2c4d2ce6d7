use crate::Rng;

/// The best of `size` drawn at random, with replacement.
///
/// # Panics
///
/// When there is nobody to draw.
pub fn tournament(fitness: &[f64], size: usize, rng: &mut Rng) -> usize {
    let draws = (0..size.max(1)).map(|_| rng.below(fitness.len() as u64) as usize);
    draws
        .reduce(|best, other| if fitness[other] > fitness[best] { other } else { best })
        .expect("one draw at least")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_tournaments_favour_the_best() {
        let mut rng = Rng::new(3);
        let mut best = |size| {
            (0..30_000).filter(|_| tournament(&[1.0, 4.0, 2.0], size, &mut rng) == 1).count() as f64
                / 30_000.0
        };
        assert!((best(1) - 1.0 / 3.0).abs() < 0.01);
        assert!((best(2) - 5.0 / 9.0).abs() < 0.01);
        assert!((best(3) - 19.0 / 27.0).abs() < 0.01);
    }
}
