/// A small generator of random numbers, the same on every machine.
///
/// This is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): a counter
/// that is mixed. Every seed is as good as any other, so games, pairs and openings can have seeds that are plain
/// numbers. It is not for secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number; all 64 bits are random.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, each with exactly the same chance.
    ///
    /// The method is Lemire's ("Fast random integer generation in an interval", 2019): the upper half of a product,
    /// drawn again where the lower half shows that some results would come once too often.
    ///
    /// # Panics
    ///
    /// When `bound` is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a number below 0 was asked for");
        let too_often = bound.wrapping_neg() % bound;
        loop {
            let product = self.next_u64() as u128 * bound as u128;
            if product as u64 >= too_often {
                return (product >> 64) as u64;
            }
        }
    }

    /// A number from 0 up to, but not including, 1.
    pub const fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A normal number of mean 0 and deviation 1, by Marsaglia's polar method; the logarithm is that of libm, so that it
    /// is the same on every machine.
    pub fn normal(&mut self) -> f64 {
        loop {
            let [x, y] = [0, 1].map(|_: u8| 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }

    /// A generator of its own for every name, so that what one part draws changes nothing for another.
    #[must_use]
    pub fn fork(&self, name: &str) -> Self {
        // FNV-1a of the name, then mixed with the state.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(Self(self.0 ^ hash).next_u64())
    }

    /// Puts a slice into an order, each with the same chance (Fisher and Yates, as by Durstenfeld).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// The sum of squared deviations from `expected`, relative to it.
    fn chi_square(counts: impl IntoIterator<Item = u32>, expected: f64) -> f64 {
        counts.into_iter().map(|count| (f64::from(count) - expected).powi(2) / expected).sum()
    }

    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut rng = Rng::new(1_234_567);
        let numbers: [u64; 5] = std::array::from_fn(|_| rng.next_u64());
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn numbers_below_a_bound_are_uniform() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 10];
        for _ in 0..100_000 {
            counts[rng.below(10) as usize] += 1;
        }
        // 0.1 % quantile of 9 degrees of freedom.
        assert!(chi_square(counts, 10_000.0) < 27.88, "{counts:?}");
        // Without rejection the multiples of three would come twice as often as the rest.
        let multiples = (0..30_000).filter(|_| rng.below(3 << 62).is_multiple_of(3)).count();
        assert!((9_700..10_300).contains(&multiples), "{multiples}");
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn uniform_numbers_fill_the_unit_interval() {
        let mut rng = Rng::new(9);
        let numbers: Vec<f64> = (0..100_000).map(|_| rng.uniform()).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let variance = numbers.iter().map(|number| (number - 0.5).powi(2)).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.004 && (variance - 1.0 / 12.0).abs() < 0.002, "{mean} {variance}");
    }

    #[test]
    fn normal_numbers_have_the_moments_of_the_normal_distribution() {
        let mut rng = Rng::new(11);
        let numbers: Vec<f64> = (0..200_000).map(|_| rng.normal()).collect();
        let moment =
            |power| numbers.iter().map(|number| number.powi(power)).sum::<f64>() / numbers.len() as f64;
        for (power, expected, tolerance) in [(1, 0.0, 0.01), (2, 1.0, 0.015), (3, 0.0, 0.04), (4, 3.0, 0.1)] {
            assert!((moment(power) - expected).abs() < tolerance, "{power}: {}", moment(power));
        }
    }

    #[test]
    fn forks_of_other_names_and_seeds_differ() {
        let mut seen = std::collections::HashSet::new();
        for seed in 0..100 {
            for name in ["", "a", "b", "ab", "ba"] {
                assert!(seen.insert(Rng::new(seed).fork(name).next_u64()));
            }
        }
        assert_eq!(Rng::new(7).fork("play"), Rng::new(7).fork("play"));
    }

    #[test]
    fn every_order_is_equally_likely() {
        // Chi-square quantiles at 0.1 % for 3! - 1, 4! - 1 and 5! - 1 degrees of freedom.
        for (size, orders, limit) in [(3, 6, 20.52), (4, 24, 49.73), (5, 120, 173.6)] {
            for seed in 0..5 {
                let mut rng = Rng::new(seed);
                let mut counts: HashMap<Vec<usize>, u32> = HashMap::new();
                for _ in 0..orders * 500 {
                    let mut items: Vec<_> = (0..size).collect();
                    rng.shuffle(&mut items);
                    *counts.entry(items).or_default() += 1;
                }
                assert_eq!(counts.len(), orders);
                let chi_square = chi_square(counts.into_values(), 500.0);
                assert!(chi_square < limit, "{size} items, seed {seed}: {chi_square}");
            }
        }
    }

    #[test]
    fn orders_of_neighbouring_seeds_are_uniform_too() {
        let mut counts: HashMap<Vec<usize>, u32> = HashMap::new();
        for seed in 0..12_000 {
            let mut items: Vec<_> = (0..4).collect();
            Rng::new(seed).shuffle(&mut items);
            *counts.entry(items).or_default() += 1;
        }
        assert!(chi_square(counts.into_values(), 500.0) < 49.73);
    }
}
