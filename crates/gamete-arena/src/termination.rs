use std::fmt;
use std::time::Duration;

use gamete_game::{Color, Ending, Outcome, Reason};
use gamete_stats::GamePoints;
use serde::{Deserialize, Serialize};

use crate::Verdict;

/// Why a game in the arena is over. Who won is another matter: see [`outcome`](Self::outcome).
///
/// Displayed in the words of fastchess, which scripts look for: `White mates`, `Draw by adjudication`,
/// `Black loses on time (12ms overrun)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// By the rules of the game.
    Ending(Ending),
    /// Decided before its end.
    Adjudication(Verdict),
    /// A player used more time than it had.
    TimeLoss {
        /// The player.
        loser: Color,
        /// How much more, the margin not counted.
        overrun: Duration,
    },
    /// A player made a move that cannot be played, or none.
    IllegalMove {
        /// The player.
        loser: Color,
    },
    /// A player crashed or went away.
    Disconnect {
        /// The player.
        loser: Color,
    },
    /// A player is there but does not answer.
    Stall {
        /// The player.
        loser: Color,
    },
    /// The game was broken off by us, and has no outcome.
    Interrupted,
}

impl Termination {
    /// Who won; `None` for a game that does not count.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Ending(ending) => Some(ending.outcome),
            Self::Adjudication(verdict) => Some(verdict.outcome),
            Self::TimeLoss { loser, .. }
            | Self::IllegalMove { loser }
            | Self::Disconnect { loser }
            | Self::Stall { loser } => Some(Outcome::Win(!loser)),
            Self::Interrupted => None,
        }
    }

    /// What the player of a colour made of it; `None` for a game that does not count.
    pub fn points(self, color: Color) -> Option<GamePoints> {
        self.outcome().map(|outcome| match outcome.winner() {
            Some(winner) if winner == color => GamePoints::Win,
            Some(_) => GamePoints::Loss,
            None => GamePoints::Draw,
        })
    }

    /// The side that lost by something that is no part of the game: time, an illegal move, a crash, silence.
    pub fn at_fault(self) -> Option<Color> {
        match self {
            Self::TimeLoss { loser, .. }
            | Self::IllegalMove { loser }
            | Self::Disconnect { loser }
            | Self::Stall { loser } => Some(loser),
            Self::Ending(_) | Self::Adjudication(_) | Self::Interrupted => None,
        }
    }

    /// What the `Termination` tag of a PGN or PDN file says.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Ending(_) => "normal",
            Self::Adjudication(_) => "adjudication",
            Self::TimeLoss { .. } => "time forfeit",
            Self::IllegalMove { .. } => "illegal move",
            Self::Disconnect { .. } | Self::Stall { .. } => "abandoned",
            Self::Interrupted => "unterminated",
        }
    }
}

impl From<Ending> for Termination {
    fn from(ending: Ending) -> Self {
        Self::Ending(ending)
    }
}

impl From<Verdict> for Termination {
    fn from(verdict: Verdict) -> Self {
        Self::Adjudication(verdict)
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ending(ending) => write_ending(f, *ending),
            Self::Adjudication(verdict) => verdict.fmt(f),
            Self::TimeLoss { loser, overrun } => {
                write!(f, "{loser} loses on time ({}ms overrun)", overrun.as_millis())
            }
            Self::IllegalMove { loser } => write!(f, "{loser} makes an illegal move"),
            Self::Disconnect { loser } => write!(f, "{loser} disconnects"),
            Self::Stall { loser } => write!(f, "{loser}'s connection stalls"),
            Self::Interrupted => f.write_str("Game interrupted"),
        }
    }
}

fn write_ending(f: &mut fmt::Formatter<'_>, ending: Ending) -> fmt::Result {
    match (ending.outcome, ending.reason) {
        (Outcome::Win(winner), Reason::Checkmate) => write!(f, "{winner} mates"),
        (Outcome::Win(winner), Reason::NoMoves) => write!(f, "{} has no moves", !winner),
        (Outcome::Win(winner), reason) => write!(f, "{winner} wins by {reason}"),
        (Outcome::Draw, Reason::Repetition) => f.write_str("Draw by 3-fold repetition"),
        (Outcome::Draw, Reason::FiftyMoves) => f.write_str("Draw by fifty moves rule"),
        (Outcome::Draw, Reason::FortyMoves) => f.write_str("Draw by 40 moves rule"),
        (Outcome::Draw, Reason::InsufficientMaterial) => f.write_str("Draw by insufficient mating material"),
        (Outcome::Draw, reason) => write!(f, "Draw by {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VerdictReason::{self, Material, MaxMoves, Scores, Tablebase};

    fn verdict(outcome: Outcome, reason: VerdictReason) -> Termination {
        Verdict { outcome, reason }.into()
    }

    /// Every way for a game to end, with its words, its tag and who won.
    fn all() -> Vec<(Termination, &'static str, &'static str, Option<Outcome>)> {
        let (white, black) = (Outcome::Win(Color::White), Outcome::Win(Color::Black));
        let win = |color, reason| Termination::from(Ending::win(color, reason));
        let draw = |reason| Termination::from(Ending::draw(reason));
        let (w, b) = (Color::White, Color::Black);
        vec![
            (win(w, Reason::Checkmate), "White mates", "normal", Some(white)),
            (win(b, Reason::Checkmate), "Black mates", "normal", Some(black)),
            (draw(Reason::Stalemate), "Draw by stalemate", "normal", Some(Outcome::Draw)),
            (draw(Reason::Repetition), "Draw by 3-fold repetition", "normal", Some(Outcome::Draw)),
            (draw(Reason::FiftyMoves), "Draw by fifty moves rule", "normal", Some(Outcome::Draw)),
            (
                draw(Reason::InsufficientMaterial),
                "Draw by insufficient mating material",
                "normal",
                Some(Outcome::Draw),
            ),
            (win(b, Reason::NoMoves), "White has no moves", "normal", Some(black)),
            (win(w, Reason::NoMoves), "Black has no moves", "normal", Some(white)),
            (draw(Reason::FortyMoves), "Draw by 40 moves rule", "normal", Some(Outcome::Draw)),
            (verdict(white, Scores), "White wins by adjudication", "adjudication", Some(white)),
            (verdict(Outcome::Draw, Scores), "Draw by adjudication", "adjudication", Some(Outcome::Draw)),
            (verdict(Outcome::Draw, MaxMoves), "Draw by adjudication", "adjudication", Some(Outcome::Draw)),
            (verdict(black, Material), "Black wins by adjudication: material", "adjudication", Some(black)),
            (
                verdict(Outcome::Draw, Material),
                "Draw by adjudication: material",
                "adjudication",
                Some(Outcome::Draw),
            ),
            (verdict(white, Tablebase), "White wins by adjudication: SyzygyTB", "adjudication", Some(white)),
            (
                verdict(Outcome::Draw, Tablebase),
                "Draw by adjudication: SyzygyTB",
                "adjudication",
                Some(Outcome::Draw),
            ),
            (
                Termination::TimeLoss { loser: w, overrun: Duration::from_micros(12_900) },
                "White loses on time (12ms overrun)",
                "time forfeit",
                Some(black),
            ),
            (
                Termination::IllegalMove { loser: b },
                "Black makes an illegal move",
                "illegal move",
                Some(white),
            ),
            (Termination::Disconnect { loser: w }, "White disconnects", "abandoned", Some(black)),
            (Termination::Stall { loser: w }, "White's connection stalls", "abandoned", Some(black)),
            (Termination::Interrupted, "Game interrupted", "unterminated", None),
        ]
    }

    #[test]
    fn words_tags_and_outcomes_are_those_that_scripts_expect() {
        for (termination, words, tag, outcome) in all() {
            assert_eq!(termination.to_string(), words);
            assert_eq!(termination.tag(), tag, "{words}");
            assert_eq!(termination.outcome(), outcome, "{words}");
        }
    }

    #[test]
    fn only_what_is_no_part_of_the_game_is_a_fault() {
        for (termination, words, tag, outcome) in all() {
            let fault = !["normal", "adjudication", "unterminated"].contains(&tag);
            assert_eq!(termination.at_fault().is_some(), fault, "{words}");
            if let Some(loser) = termination.at_fault() {
                assert_eq!(outcome, Some(Outcome::Win(!loser)), "{words}");
            }
        }
    }

    #[test]
    fn reading_undoes_writing() {
        for (termination, words, ..) in all() {
            let json = serde_json::to_string(&termination).expect("plain data");
            assert_eq!(serde_json::from_str::<Termination>(&json).expect(words), termination, "{json}");
        }
        let mate = Termination::from(Ending::win(Color::White, Reason::Checkmate));
        assert_eq!(
            serde_json::to_string(&mate).expect("plain data"),
            r#"{"ending":{"outcome":{"win":"white"},"reason":"checkmate"}}"#
        );
    }
}
