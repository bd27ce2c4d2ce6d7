use serde::{Deserialize, Serialize};

use super::TablebaseRule;

/// When games are decided before their end; by default never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjudication {
    /// Drawn because both players think so.
    pub draw: Option<DrawRule>,
    /// Lost because the loser thinks so.
    pub resign: Option<ResignRule>,
    /// The length of a game in full moves, those of the opening not counted.
    pub max_moves: Option<u32>,
    /// What becomes of a game of that length.
    pub at_max_moves: AtMaxMoves,
    /// Never drawn for want of progress, by repetition or a count of moves; in checkers only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub endless: bool,
    /// Decided by endgame tables, which whoever plays the game has to have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tablebase: Option<TablebaseRule>,
}

/// A game is drawn when both players have thought it even for long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Not before this move is complete, by the number that the position gives it.
    pub move_number: u32,
    /// For this many moves of each player in a row, captures and moves of pawns or men starting anew.
    pub move_count: u32,
    /// Scores of at most so many centipawns, for either side. Forced wins and losses are never even.
    pub score: u32,
}

/// A game is lost when the loser has thought so for long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// For this many moves in a row.
    pub move_count: u32,
    /// Scores of at least so many centipawns for the other side, or a forced loss.
    pub score: u32,
    /// Whether the winner, too, must have seen scores so far from even for as many moves.
    #[serde(default)]
    pub two_sided: bool,
}

/// What becomes of a game that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtMaxMoves {
    /// A draw.
    #[default]
    Draw,
    /// The side with more pieces wins, by [`standard_material`](gamete_game::BoardGame::standard_material); with as many it is a draw.
    Material,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TablebaseDecides;

    #[test]
    fn rules_are_plain_data_of_which_anything_may_be_left_out() {
        let text = "endless = true\nmax_moves = 120\nat_max_moves = \"material\"\nresign = { move_count = 3, score = 600 }\n\
            draw = { move_number = 34, move_count = 8, score = 20 }\n\
            tablebase = { max_pieces = 6, ignore_fifty_moves = true, decides = \"win_loss\" }";
        let rules: Adjudication = toml::from_str(text).expect("rules");
        assert_eq!(
            rules,
            Adjudication {
                draw: Some(DrawRule { move_number: 34, move_count: 8, score: 20 }),
                resign: Some(ResignRule { move_count: 3, score: 600, two_sided: false }),
                max_moves: Some(120),
                at_max_moves: AtMaxMoves::Material,
                endless: true,
                tablebase: Some(TablebaseRule {
                    max_pieces: Some(6),
                    ignore_fifty_moves: true,
                    decides: TablebaseDecides::WinLoss,
                }),
            }
        );
        let json = serde_json::to_string(&rules).expect("plain data");
        assert_eq!(serde_json::from_str::<Adjudication>(&json).expect("what was written"), rules);
        assert_eq!(toml::from_str::<Adjudication>("").expect("no rules"), Adjudication::default());
        assert!(toml::from_str::<Adjudication>("maxmoves = 120").is_err());
    }
}
