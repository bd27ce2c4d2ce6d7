use serde::{Deserialize, Serialize};

use super::TaskError;
use super::study::{Study, parse_move, parse_position};
use super::workspace::GameWorkspace;
use crate::{GameName, Limits, Playable, Player};

/// Positions in which an expert moved, to be compared with a player's choice, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpertTask {
    /// Which game.
    pub game: GameName,
    /// Who is compared with the experts.
    pub player: Player,
    /// How much it may think about each position.
    pub limits: Limits,
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
    workspace: &mut GameWorkspace<'_, G>,
) -> Result<ExpertOutcome, TaskError> {
    let mut study = Study::<G>::new(&task.player, &task.limits, task.hash_mb, workspace)?;
    let mut outcome = ExpertOutcome { agreed: Vec::with_capacity(task.positions.len()), nodes: 0 };
    for ExpertMove { fen, mv } in &task.positions {
        let position: G = parse_position(fen)?;
        let expert = parse_move(&position, fen, mv)?;
        let found = study.search(&position)?;
        outcome.agreed.push(found.best == Some(expert));
        outcome.nodes += found.nodes;
    }
    Ok(outcome)
}
