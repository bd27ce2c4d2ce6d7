use serde::{Deserialize, Serialize};

use super::study::{check_limits, parse_move, parse_position, search};
use super::workspace::GameWorkspace;
use super::{Contestant, TaskError};
use crate::{GameName, Playable};

/// Positions with known best moves, to be solved one after the other, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveTask {
    /// Which game.
    pub game: GameName,
    /// Who is to solve them, and how much it may think about each.
    pub solver: Contestant,
    /// The most that its table takes, in megabytes.
    #[serde(default = "super::study::default_hash_mb")]
    pub hash_mb: u32,
    /// The positions.
    pub positions: Vec<Puzzle>,
}

/// A position with known best moves or mistakes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// The position.
    pub fen: String,
    /// One of these solves it; any move does if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub best: Vec<String>,
    /// None of these solves it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<String>,
}

/// What became of the positions of a [`SolveTask`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveOutcome {
    /// By position.
    pub solutions: Vec<Solution>,
}

/// What became of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solution {
    /// Whether the move is a right one.
    pub solved: bool,
    /// The move; none where there is no legal one.
    pub chosen: Option<String>,
    /// Positions visited.
    pub nodes: u64,
    /// Positions visited until the move became the choice for good; other programs do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<u64>,
    /// How another program failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl SolveOutcome {
    /// How many were solved.
    pub fn solved(&self) -> usize {
        self.solutions.iter().filter(|solution| solution.solved).count()
    }

    /// Positions visited in all.
    pub fn nodes(&self) -> u64 {
        self.solutions.iter().map(|solution| solution.nodes).sum()
    }
}

pub(super) fn solve<G: Playable>(
    task: &SolveTask,
    workspace: &mut GameWorkspace<G>,
) -> Result<SolveOutcome, TaskError> {
    check_limits(&task.solver)?;
    let mut solutions = Vec::with_capacity(task.positions.len());
    for puzzle in &task.positions {
        let position: G = parse_position(&puzzle.fen)?;
        let parse = |texts: &[String]| -> Result<Vec<_>, _> {
            texts.iter().map(|text| parse_move(&position, &puzzle.fen, text)).collect()
        };
        let (best, avoid) = (parse(&puzzle.best)?, parse(&puzzle.avoid)?);
        let found = search(workspace, &task.solver, task.hash_mb, &position)?;
        let is_right = |mv| (best.is_empty() || best.contains(mv)) && !avoid.contains(mv);
        solutions.push(Solution {
            solved: found.best.as_ref().is_some_and(is_right),
            chosen: found.best.map(|mv| position.move_text(mv)),
            nodes: found.nodes,
            settled: found.settled,
            fault: found.fault,
        });
    }
    Ok(SolveOutcome { solutions })
}
