use std::sync::LazyLock;

use crate::{Evaluator, Game, PieceValues, Score, Tactics, split_mix};

/// An evaluation as in Hughes, "Piece Difference: Simple to Evolve?" (2003): with noise, and if wanted its tanh.
///
/// The noise depends on the game and the position and on nothing else, so a game can be played again. Without tanh
/// the search compares plain sums: the order is the same, and sums above 19 men, whose tanh is 1, still differ.
#[derive(Debug)]
pub struct Noisy<E> {
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

impl<E> Noisy<E> {
    /// Half the width of the noise in the paper, in men.
    pub const AMPLITUDE: f64 = 0.05;

    /// Adds the paper's noise to `evaluator`, other noise for each seed.
    pub fn new(evaluator: E, game_seed: u64) -> Self {
        let noisy = Self { evaluator, game: split_mix(game_seed), amplitude: 0, squash: Squash::Plain };
        noisy.with_amplitude(Self::AMPLITUDE)
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
    fn disturb(&self, evaluation: Score, position: &impl Game) -> Score {
        let sum = i64::from(evaluation.millipawns()) + self.noise(position);
        match self.squash {
            Squash::Plain => Score::saturating(sum),
            Squash::Tanh => tanh(sum),
        }
    }

    /// Uniform over the whole thousandths from `-amplitude` to `amplitude`.
    #[inline]
    fn noise(&self, position: &impl Game) -> i64 {
        let random = split_mix(self.game ^ position.key());
        let choices = 2 * u128::from(self.amplitude) + 1;
        ((u128::from(random) * choices) >> 64) as i64 - i64::from(self.amplitude)
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Noisy<E> {
    #[inline]
    fn evaluate(&self, position: &G) -> Score {
        self.disturb(self.evaluator.evaluate(position), position)
    }

    #[inline]
    fn total(&self, position: &G) -> i64 {
        self.evaluator.total(position)
    }

    #[inline(always)]
    fn total_after(&self, total: i64, position: &G, mv: G::Move) -> i64 {
        self.evaluator.total_after(total, position, mv)
    }

    #[inline(always)]
    fn evaluate_total(&self, total: i64, position: &G) -> Score {
        self.disturb(self.evaluator.evaluate_total(total, position), position)
    }

    #[inline(always)]
    fn quiet_bounds(&self, total: i64, position: &G) -> Option<[Score; 2]> {
        let amplitude = i64::from(self.amplitude);
        let squash = |sum: i64| match self.squash {
            Squash::Plain => Score::saturating(sum),
            Squash::Tanh => tanh(sum),
        };
        let bounds = self.evaluator.quiet_bounds(total, position)?;
        let [least, most] = bounds.map(|score| i64::from(score.millipawns()));
        Some([squash(least - amplitude), squash(most + amplitude)])
    }

    fn lot(&self, position: &G) -> Option<u64> {
        match self.squash {
            Squash::Plain => None,
            Squash::Tanh => Some(split_mix(!self.game ^ position.key())),
        }
    }
}

impl<G: Tactics, E: PieceValues<G>> PieceValues<G> for Noisy<E> {
    fn piece_value(&self, kind: usize) -> i32 {
        self.evaluator.piece_value(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
