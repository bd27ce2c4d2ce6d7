use std::sync::LazyLock;

use gamete_game::{Evaluator, Game, PieceValues, Score};

use crate::zobrist::split_mix;
use crate::{Move, Position};

/// An evaluation as in Hughes, "Piece Difference: Simple to Evolve?" (2003): with noise, and if wanted its tanh.
///
/// The noise depends on the game and the position and on nothing else, so a game can be played again. Without tanh
/// the search compares plain sums: the order is the same, and sums above 19 men, whose tanh is 1, still differ.
#[derive(Debug)]
pub struct Hughes<E> {
    evaluator: E,
    game: u64,
    /// Thousandths of a man.
    amplitude: u32,
    squash: Squash,
}

#[derive(Debug, Clone, Copy)]
enum Squash {
    Plain,
    Tanh,
}

/// Thousandths of a man from which on tanh is exactly 1 in double precision.
const SATURATED: usize = 19_062;

/// The tanh of so many thousandths of a man, as the least sum whose tanh is the same double.
///
/// A search only compares scores, so this is the tanh of the paper to the last bit: sums that a double tells apart differ,
/// the others are equal. Millionths would be 1 from 7.3 men on, a double is from 19.1. It is asked at every leaf, so
/// all answers are known beforehand; libm gives the same ones on every machine. Inlined, it would make players without
/// tanh 5 % slower.
#[inline(never)]
fn tanh(sum: i64) -> Score {
    static ANSWERS: LazyLock<Vec<i32>> = LazyLock::new(|| {
        let mut least = (0, 0.0);
        let answers = (0..=SATURATED as i32).map(|sum| {
            let squashed = libm::tanh(f64::from(sum) / 1000.0);
            if squashed > least.1 {
                least = (sum, squashed);
            }
            least.0
        });
        answers.collect()
    });
    let answer = ANSWERS[(sum.unsigned_abs() as usize).min(SATURATED)];
    Score::new(if sum < 0 { -answer } else { answer })
}

impl<E: Evaluator<Position>> Hughes<E> {
    /// Half the width of the noise in the paper, in men.
    pub const AMPLITUDE: f64 = 0.05;

    /// Adds the paper's noise to `evaluator`, other noise for each seed.
    pub fn new(evaluator: E, game_seed: u64) -> Self {
        let hughes = Self { evaluator, game: split_mix(game_seed), amplitude: 0, squash: Squash::Plain };
        hughes.with_amplitude(Self::AMPLITUDE)
    }

    /// Goes on to a game with other noise.
    pub fn start_game(&mut self, game_seed: u64) {
        self.game = split_mix(game_seed);
    }

    /// The evaluation without noise.
    pub fn without_noise(&self) -> &E {
        &self.evaluator
    }

    /// Draws the noise from `-men` to `men`.
    #[must_use]
    pub fn with_amplitude(self, men: f64) -> Self {
        Self { amplitude: (men * 1000.0).round() as u32, ..self }
    }

    /// Takes the tanh of the sum, in men, as the paper does. Scores stay in men: what tanh takes to one value, such as
    /// all sums above 19.06, has one score. There the noise is lost, too, so equally good moves are chosen among at random.
    #[must_use]
    pub fn with_tanh(self) -> Self {
        Self { squash: Squash::Tanh, ..self }
    }

    /// Adds the noise of a position to its evaluation, and takes the tanh of both.
    #[inline]
    fn disturb(&self, evaluation: Score, position: &Position) -> Score {
        let sum = i64::from(evaluation.millipawns()) + self.noise(position);
        match self.squash {
            Squash::Plain => Score::saturating(sum),
            Squash::Tanh => tanh(sum),
        }
    }

    /// Uniform over the whole thousandths from `-amplitude` to `amplitude`.
    #[inline]
    fn noise(&self, position: &Position) -> i64 {
        let random = split_mix(self.game ^ position.key());
        let choices = 2 * u128::from(self.amplitude) + 1;
        ((u128::from(random) * choices) >> 64) as i64 - i64::from(self.amplitude)
    }
}

impl<E: Evaluator<Position>> Evaluator<Position> for Hughes<E> {
    #[inline]
    fn evaluate(&self, position: &Position) -> Score {
        self.disturb(self.evaluator.evaluate(position), position)
    }

    #[inline]
    fn total(&self, position: &Position) -> i64 {
        self.evaluator.total(position)
    }

    #[inline(always)]
    fn total_after(&self, total: i64, position: &Position, mv: Move) -> i64 {
        self.evaluator.total_after(total, position, mv)
    }

    #[inline(always)]
    fn evaluate_total(&self, total: i64, position: &Position) -> Score {
        self.disturb(self.evaluator.evaluate_total(total, position), position)
    }

    #[inline(always)]
    fn quiet_bounds(&self, total: i64, position: &Position) -> Option<[Score; 2]> {
        let amplitude = i64::from(self.amplitude);
        let squash = |sum: i64| match self.squash {
            Squash::Plain => Score::saturating(sum),
            Squash::Tanh => tanh(sum),
        };
        let bounds = self.evaluator.quiet_bounds(total, position)?;
        let [least, most] = bounds.map(|score| i64::from(score.millipawns()));
        Some([squash(least - amplitude), squash(most + amplitude)])
    }

    fn lot(&self, position: &Position) -> Option<u64> {
        match self.squash {
            Squash::Plain => None,
            Squash::Tanh => Some(split_mix(!self.game ^ position.key())),
        }
    }
}

impl<E: PieceValues<Position>> PieceValues<Position> for Hughes<E> {
    fn piece_value(&self, kind: usize) -> i32 {
        self.evaluator.piece_value(kind)
    }
}

#[cfg(test)]
mod tests {
    use gamete_game::Linear;
    use proptest::prelude::*;

    use super::*;
    use crate::models::Material;
    use crate::strategies::{reachable, scattered};

    fn material() -> Linear<Position, Material> {
        Linear::default()
    }

    #[test]
    fn the_noise_is_uniform() {
        let position = Position::start();
        let mut counts = [0_u32; 101];
        for seed in 0..101_000 {
            let noise = Hughes::new(material(), seed).evaluate(&position).millipawns();
            counts[usize::try_from(noise + 50).expect("at most the amplitude")] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn tanh_keeps_small_differences_and_loses_large_ones() {
        let tanh = |man: f64, fen: &str| {
            let weights = Linear::<Position, Material>::new(&[man, 1.3]);
            let silent = Hughes::new(weights, 0).with_amplitude(0.0).with_tanh();
            silent.evaluate(&fen.parse().expect("a FEN")).millipawns()
        };
        assert_eq!(tanh(1.0, "B:W32:B1"), 0);
        assert_eq!(tanh(1.0, "B:W32:B1,2"), 1000);
        assert_eq!(tanh(1.0, "W:W32:B1,2"), -1000);
        let (eight, nine) = ("B:W:B1,2,3,4,5,6,7,8", "B:W:B1,2,3,4,5,6,7,8,9");
        assert!(tanh(1.0, eight) < tanh(1.0, nine), "a double tells 8 from 9");
        assert_eq!(tanh(3.0, eight), tanh(3.0, nine), "but not 24 from 27");
    }

    #[test]
    fn tanh_tells_apart_what_a_double_does() {
        let double = |sum: i64| libm::tanh(sum as f64 / 1000.0);
        for sum in -25_000..25_000 {
            for above in [sum + 1, sum + 10, sum + 500] {
                let differ = double(sum) < double(above);
                assert_eq!(tanh(sum) < tanh(above), differ, "{sum} and {above}");
                assert_eq!(tanh(sum) == tanh(above), !differ, "{sum} and {above}");
            }
            assert_eq!(tanh(-sum), -tanh(sum));
        }
        assert_eq!(tanh(i64::MAX), tanh(SATURATED as i64));
        assert_eq!(tanh(i64::MIN), -tanh(i64::MAX));
    }

    proptest! {
        #[test]
        fn the_same_game_and_position_have_the_same_noise(position in reachable(), seed: u64) {
            let score = Hughes::new(material(), seed).evaluate(&position);
            prop_assert_eq!(Hughes::new(material(), seed).evaluate(&position), score);
            let plain = material().evaluate(&position).millipawns();
            prop_assert!((plain - score.millipawns()).abs() <= 50);
        }

        #[test]
        fn tanh_does_not_change_the_order(one in scattered(), other in scattered(), seed: u64) {
            let (plain, tanh) = (Hughes::new(material(), seed), Hughes::new(material(), seed).with_tanh());
            if plain.evaluate(&one) <= plain.evaluate(&other) {
                prop_assert!(tanh.evaluate(&one) <= tanh.evaluate(&other));
            }
        }
    }
}
