use std::sync::LazyLock;

use gamete_game::{Evaluator, Game, PieceValues, Score};

use crate::zobrist::split_mix;
use crate::{Move, Position};

/// An evaluation as in Hughes, "Piece Difference: Simple to Evolve?" (2003): with noise, and if wanted its tanh.
///
/// The noise depends on the game and the position and on nothing else, so a game can be played again. Without tanh
/// the search compares plain sums: the order is the same, and sums that tanh would take to 1 still differ.
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

/// The score that tanh takes to 1, in thousandths of a man.
const ONE: f64 = 1_000_000.0;

/// Thousandths of a man from which on tanh is 1, to the last digit of a score.
const SATURATED: usize = 8000;

/// The tanh of so many thousandths of a man. It is asked at every leaf, so all answers are known beforehand; libm gives
/// the same ones on every machine. Inlined, it would make players without tanh 5 % slower.
#[inline(never)]
fn tanh(sum: i64) -> Score {
    static ANSWERS: LazyLock<Vec<i32>> = LazyLock::new(|| {
        let answer = |sum: usize| (libm::tanh(sum as f64 / 1000.0) * ONE).round() as i32;
        (0..=SATURATED).map(answer).collect()
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

    /// Takes the tanh of the sum, in men, as the paper does: scores go from -1000 to 1000 men, in thousandths.
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
        let tanh = |fen: &str| {
            let silent = Hughes::new(material(), 0).with_amplitude(0.0).with_tanh();
            silent.evaluate(&fen.parse().expect("a FEN")).millipawns()
        };
        assert_eq!(tanh("B:W32:B1"), 0);
        assert_eq!(tanh("B:W32:B1,2"), 761_594);
        assert_eq!(tanh("W:W32:B1,2"), -761_594);
        assert_eq!(tanh("B:W:B1,2,3,4,5,6,7,8"), tanh("B:W:B1,2,3,4,5,6,7,8,9"));
    }

    #[test]
    fn the_answers_of_tanh_are_those_of_tanh() {
        for sum in (-9_000..9_000).chain([i64::MIN, i64::MAX]) {
            let exact = ((sum as f64 / 1000.0).tanh() * ONE).round();
            assert_eq!(f64::from(tanh(sum).millipawns()), exact, "{sum}");
        }
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
