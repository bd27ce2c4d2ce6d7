//! The games of a trial, and what they come to.

use gamete_arena::Termination;
use gamete_game::Color;
use gamete_optim::Evaluation;
use gamete_stats::GamePoints;

use crate::runtime::GameResult;

/// A game of a trial that is over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TrialGame {
    pub seat: Seat,
    pub result: GameResult,
}

/// How a trial sits at a board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seat {
    /// What the trial has.
    pub color: Color,
    /// The place of its opponent; nothing for a rival.
    pub opponent: Option<usize>,
    /// The number of the opening in its suite.
    pub opening: Option<u32>,
}

/// What games are worth that a crash, an illegal move or silence ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Faults {
    /// A loss of whoever fails; nothing where that is a fixed opponent.
    Loss,
    /// Half a point, whoever fails.
    Draw,
}

impl From<(Seat, GameResult)> for TrialGame {
    fn from((seat, result): (Seat, GameResult)) -> Self {
        Self { seat, result }
    }
}

impl TrialGame {
    fn points(&self, faults: Faults) -> GamePoints {
        let termination = &self.result.termination;
        let is_late = matches!(termination, Termination::TimeLoss { .. });
        match faults {
            Faults::Draw if termination.at_fault().is_some() && !is_late => GamePoints::Draw,
            _ => self.result.points(self.seat.color),
        }
    }

    fn half_points(&self, faults: Faults) -> u64 {
        self.points(faults).half_points().into()
    }
}

/// Wins less losses, divided by all games.
pub(super) fn advantage(games: &[TrialGame], faults: Faults) -> Evaluation {
    let half_points: u64 = games.iter().map(|game| game.half_points(faults)).sum();
    Evaluation::new((half_points as f64 - games.len() as f64) / games.len() as f64)
}

/// The score. Games in which an opponent fails do not count, and a trial of nothing but such games fails, if faults are losses.
pub(super) fn score(games: &[TrialGame], faults: Faults) -> Evaluation {
    let counts = |game: &&TrialGame| faults == Faults::Draw || !game.result.is_void(game.seat.color);
    let counted: Vec<u64> = games.iter().filter(counts).map(|game| game.half_points(faults)).collect();
    Evaluation::new(counted.iter().sum::<u64>() as f64 / (2 * counted.len()) as f64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gamete_game::{Ending, Reason};

    use super::*;

    /// A trial that has White and Black in turn.
    fn games(results: &[Termination]) -> Vec<TrialGame> {
        let colors = [Color::White, Color::Black].into_iter().cycle();
        let game = |(termination, color): (&Termination, Color)| TrialGame {
            seat: Seat { color, opponent: Some(0), opening: None },
            result: GameResult { termination: *termination, plies: 9 },
        };
        results.iter().zip(colors).map(game).collect()
    }

    #[test]
    fn whoever_fails_loses_and_nobody_wins_by_it_unless_faults_are_draws() {
        let won: Termination = Ending::win(Color::White, Reason::Checkmate).into();
        let drawn: Termination = Ending::draw(Reason::Stalemate).into();
        let crash = |loser| Termination::Disconnect { loser };
        let late = |loser| Termination::TimeLoss { loser, overrun: Duration::ZERO };
        let (white, black) = (Color::White, Color::Black);
        let of_trial = |results: &[Termination]| score(&games(results), Faults::Loss);
        assert_eq!(of_trial(&[won, drawn]), Evaluation::Fitness(0.75));
        assert_eq!(of_trial(&[won, won]), Evaluation::Fitness(0.5));
        assert_eq!(
            of_trial(&[crash(white), crash(white)]),
            Evaluation::Fitness(0.0),
            "a crash at every first move"
        );
        assert_eq!(of_trial(&[crash(black), drawn]), Evaluation::Fitness(0.5));
        assert_eq!(of_trial(&[crash(black), crash(white)]), Evaluation::Failed);
        assert_eq!(of_trial(&[late(black), late(white)]), Evaluation::Fitness(1.0));
        let of_rival = |results: &[Termination]| advantage(&games(results), Faults::Loss);
        assert_eq!(of_rival(&[won, drawn]), Evaluation::Fitness(0.5));
        assert_eq!(of_rival(&[won, won]), Evaluation::Fitness(0.0));
        assert_eq!(of_rival(&[crash(black), crash(white)]), Evaluation::Fitness(1.0), "a rival that fails");

        let literal = |results: &[Termination]| score(&games(results), Faults::Draw);
        assert_eq!(literal(&[crash(white), crash(white)]), Evaluation::Fitness(0.5));
        assert_eq!(literal(&[crash(black), won]), Evaluation::Fitness(0.25));
        assert_eq!(literal(&[late(black), late(white)]), Evaluation::Fitness(1.0));
        let results = games(&[crash(black), won]);
        assert_eq!(advantage(&results, Faults::Draw), Evaluation::Fitness(-0.5));
    }
}
