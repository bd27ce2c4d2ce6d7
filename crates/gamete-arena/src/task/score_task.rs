use serde::{Deserialize, Serialize};

use super::study::{check_limits, parse_position, search};
use super::workspace::GameWorkspace;
use super::{Contestant, TaskError};
use crate::{GameName, Playable};

/// Positions to be scored one after the other, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreTask {
    /// Which game.
    pub game: GameName,
    /// Who scores them, and how much it may think about each.
    pub mentor: Contestant,
    /// The most that its table takes, in megabytes.
    #[serde(default = "super::study::default_hash_mb")]
    pub hash_mb: u32,
    /// The positions.
    pub positions: Vec<String>,
}

/// What the positions of a [`ScoreTask`] are worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreOutcome {
    /// By position.
    pub scored: Vec<ScoredPosition>,
}

/// What a position is worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoredPosition {
    /// To the side to move, in thousandths of a pawn, as [`Score::millipawns`](gamete_game::Score::millipawns) has it: far beyond any
    /// evaluation for a forced end. None where nothing was said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millipawns: Option<i32>,
    /// The best move; none where there is no legal one, or after a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// How another program failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

pub(super) fn score<G: Playable>(
    task: &ScoreTask,
    workspace: &mut GameWorkspace<G>,
) -> Result<ScoreOutcome, TaskError> {
    check_limits(&task.mentor)?;
    let mut scored = Vec::with_capacity(task.positions.len());
    for fen in &task.positions {
        let position: G = parse_position(fen)?;
        let found = search(workspace, &task.mentor, task.hash_mb, &position)?;
        scored.push(ScoredPosition {
            millipawns: found.score.map(gamete_game::Score::millipawns),
            best: found.best.map(|mv| position.move_text(mv)),
            fault: found.fault,
        });
    }
    Ok(ScoreOutcome { scored })
}
