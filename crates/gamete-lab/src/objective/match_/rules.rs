//! Rules that decide games early, and what fits the game that is played.

use gamete_arena::{Adjudication, TablebaseDecides, TablebaseRule};

use super::Match;
use crate::experiment::ExperimentError;
use crate::objective::openings::{PairOpenings, SHUFFLED};

impl Match {
    /// Which games endgame tables decide, if any.
    fn tablebase(&self) -> Result<Option<TablebaseRule>, ExperimentError> {
        let (word, game) = (self.settings.choice("tables"), self.players.game());
        let decides = match word {
            "both" => TablebaseDecides::Both,
            "win_loss" => TablebaseDecides::WinLoss,
            "draw" => TablebaseDecides::Draw,
            _ => return Ok(None),
        };
        if !game.has_tablebase() {
            let reason = format!("{word:?}: there are endgame tables of chess alone, not of {game}");
            return Err(ExperimentError::value("match.tables", reason));
        }
        let pieces = self.settings.count("table_pieces") as u32;
        let max_pieces = Some(pieces).filter(|&pieces| pieces > 0);
        let ignore_fifty_moves = !self.settings.flag("table_fifty");
        Ok(Some(TablebaseRule { max_pieces, ignore_fifty_moves, decides }))
    }

    /// Reads the rules that decide games early, and checks what else only this objective has.
    pub(super) fn complete_rules(&mut self) -> Result<(), ExperimentError> {
        let [draw, resign] = ["draw", "resign"].map(|key| self.settings.choice(key));
        let wrong = |key: &str, text: &str, error: gamete_arena::RuleError| {
            ExperimentError::value(&format!("match.{key}"), format!("{text:?}: {error}"))
        };
        let is_given = |text: &&str| !text.is_empty();
        let draw =
            Some(draw).filter(is_given).map(|text| text.parse().map_err(|error| wrong("draw", text, error)));
        let resign = Some(resign)
            .filter(is_given)
            .map(|text| text.parse().map_err(|error| wrong("resign", text, error)));
        self.rules = Adjudication {
            draw: draw.transpose()?,
            resign: resign.transpose()?,
            tablebase: self.tablebase()?,
            ..Adjudication::default()
        };
        let game = self.players.game();
        if self.settings.choice("variant") == SHUFFLED && game.shuffled_starts().is_none() {
            let reason = format!("{SHUFFLED:?}: there is no such variant of {game}; leave it out");
            return Err(ExperimentError::value("match.variant", reason));
        }
        let is_random = self.settings.choice("openings").is_empty();
        let plies = self.settings.count("plies");
        if is_random && self.settings.number("held_out") > 0.0 && plies < PairOpenings::LEAST_PLIES {
            let reason = format!(
                "{plies}: with so few random plies there are too few openings to hold some out; give {} or more",
                PairOpenings::LEAST_PLIES
            );
            return Err(ExperimentError::value("match.plies", reason));
        }
        if self.command().is_none() {
            for (key, usual) in [("dir", ""), ("restart", "auto")] {
                if self.settings.choice(key) != usual {
                    let reason = "only engines have it; name one as match.engine = [\"stockfish\"]";
                    return Err(ExperimentError::value(&format!("match.{key}"), reason));
                }
            }
        }
        Ok(())
    }
}
