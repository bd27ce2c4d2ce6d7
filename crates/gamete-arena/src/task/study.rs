//! Single positions, which a player sees as if each were its first.

use std::time::Duration;

use gamete_game::{ByColor, Line, Score};

use super::workspace::GameWorkspace;
use super::{Competitor, Contestant, TaskError};
use crate::{Playable, TimeControl};

/// Megabytes of a table where a task says nothing of it.
pub(super) const DEFAULT_HASH_MB: u32 = 16;

pub(super) const fn default_hash_mb() -> u32 {
    DEFAULT_HASH_MB
}

/// What a player makes of a position.
pub(super) struct Found<G: Playable> {
    /// Its move; none where there is no legal one, or after a fault.
    pub best: Option<G::Move>,
    /// What the position is worth to the side to move, if there is a move and anything was said of it.
    pub score: Option<Score>,
    /// Positions visited.
    pub nodes: u64,
    /// Positions visited until the move became the choice for good; other programs do not tell.
    pub settled: Option<u64>,
    /// How another program failed.
    pub fault: Option<String>,
}

/// Refuses limits that never end, or that are for whole games.
pub(super) fn check_limits(contestant: &Contestant) -> Result<(), TaskError> {
    let limits = &contestant.limits;
    if limits.is_unlimited() || limits.time_control != TimeControl::Infinite {
        return Err(TaskError::Limits(*limits));
    }
    Ok(())
}

/// Searches a position. The table of another program is its own matter.
pub(super) fn search<G: Playable>(
    workspace: &mut GameWorkspace<G>,
    contestant: &Contestant,
    hash_mb: u32,
    position: &G,
) -> Result<Found<G>, TaskError> {
    let line = Line::new(position.clone());
    let found = match &contestant.competitor {
        Competitor::Player(player) => {
            let stop = workspace.options.stop.clone();
            let engine = workspace.engine(player, (hash_mb as usize) << 20)?;
            engine.new_game(0);
            let limit = contestant.limits.of_move(None, Duration::ZERO);
            let found = engine.search(&line, &limit, &stop, None, &mut |_| ());
            Found {
                best: found.best,
                score: found.best.map(|_| found.score),
                nodes: found.nodes,
                settled: Some(found.settled),
                fault: None,
            }
        }
        Competitor::Engine(_) => ask_program(workspace, contestant, &line)?,
    };
    if workspace.is_stopped() { Err(TaskError::Interrupted) } else { Ok(found) }
}

fn ask_program<G: Playable>(
    workspace: &mut GameWorkspace<G>,
    contestant: &Contestant,
    line: &Line<G>,
) -> Result<Found<G>, TaskError> {
    let mut found = Found { best: None, score: None, nodes: 0, settled: None, fault: None };
    let mut seat = workspace.take_seat(contestant)?;
    if line.position().has_moves() {
        let stop = &workspace.options.stop;
        let reply = seat
            .new_game(line.position(), 0, stop)
            .and_then(|()| seat.think(line, &ByColor::default(), stop));
        match reply {
            Ok(reply) => {
                found.best = Some(reply.mv);
                found.score = reply.thought.map(|thought| thought.score);
                found.nodes = reply.thought.and_then(|thought| thought.nodes).unwrap_or_default();
            }
            Err(fault) => found.fault = Some(fault.to_string()),
        }
    }
    workspace.keep_seat(contestant, seat);
    Ok(found)
}

pub(super) fn parse_position<G: Playable>(fen: &str) -> Result<G, TaskError> {
    fen.parse().map_err(|error: G::Err| TaskError::Start { fen: fen.to_owned(), reason: error.to_string() })
}

pub(super) fn parse_move<G: Playable>(position: &G, fen: &str, text: &str) -> Result<G::Move, TaskError> {
    let named = |reason| TaskError::Answer { fen: fen.to_owned(), text: text.to_owned(), reason };
    position.parse_move(text).map_err(named)
}
