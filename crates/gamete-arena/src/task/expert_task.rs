use serde::{Deserialize, Serialize};

use super::study::{check_limits, parse_move, parse_position, search};
use super::workspace::GameWorkspace;
use super::{Contestant, TaskError};
use crate::{GameName, Playable};

/// Positions in which an expert moved, to be compared with a player's choice, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpertTask {
    /// Which game.
    pub game: GameName,
    /// Who is compared with the experts, and how much it may think about each position.
    pub player: Contestant,
    /// The most that its table takes, in megabytes.
    #[serde(default = "super::study::default_hash_mb")]
    pub hash_mb: u32,
    /// The positions.
    pub positions: Vec<ExpertMove>,
}

/// A position and what an expert played there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpertMove {
    /// The position.
    pub fen: String,
    /// The expert's move.
    #[serde(rename = "move")]
    pub mv: String,
}

/// How a player compares with the experts of an [`ExpertTask`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpertOutcome {
    /// By position, whether the player chose the expert's move.
    pub agreed: Vec<bool>,
    /// Positions visited in all.
    pub nodes: u64,
}

impl ExpertOutcome {
    /// In how many positions it agreed.
    pub fn agreements(&self) -> usize {
        self.agreed.iter().filter(|&&agreed| agreed).count()
    }
}

pub(super) fn compare<G: Playable>(
    task: &ExpertTask,
    workspace: &mut GameWorkspace<G>,
) -> Result<ExpertOutcome, TaskError> {
    check_limits(&task.player)?;
    let mut outcome = ExpertOutcome { agreed: Vec::with_capacity(task.positions.len()), nodes: 0 };
    for ExpertMove { fen, mv } in &task.positions {
        let position: G = parse_position(fen)?;
        let expert = parse_move(&position, fen, mv)?;
        let found = search(workspace, &task.player, task.hash_mb, &position)?;
        outcome.agreed.push(found.best == Some(expert));
        outcome.nodes += found.nodes;
    }
    Ok(outcome)
}
