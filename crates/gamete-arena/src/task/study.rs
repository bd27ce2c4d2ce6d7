use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gamete_engine::{Limit, SearchResult};
use gamete_game::Line;

use super::TaskError;
use super::workspace::GameWorkspace;
use crate::{Engine, Limits, Playable, Player, TimeControl};

pub(super) const fn default_hash_mb() -> u32 {
    16
}

/// A player before single positions, which it sees as if each were its first.
pub(super) struct Study<'a, G: Playable> {
    engine: &'a mut dyn Engine<G>,
    limit: Limit,
    stop: &'a AtomicBool,
}

impl<'a, G: Playable> Study<'a, G> {
    pub(super) fn new(
        player: &Player,
        limits: &Limits,
        hash_mb: u32,
        workspace: &'a mut GameWorkspace<'_, G>,
    ) -> Result<Self, TaskError> {
        if limits.is_unlimited() || limits.time_control != TimeControl::Infinite {
            return Err(TaskError::Limits(*limits));
        }
        let limit = limits.of_move(None, Duration::ZERO);
        let stop = workspace.stop;
        Ok(Self { engine: workspace.engine(player, (hash_mb as usize) << 20)?, limit, stop })
    }

    pub(super) fn search(&mut self, position: &G) -> Result<SearchResult<G>, TaskError> {
        self.engine.new_game(0);
        let line = Line::new(position.clone());
        let found = self.engine.search(&line, &self.limit, self.stop, None, &mut |_| ());
        if self.stop.load(Ordering::Relaxed) { Err(TaskError::Interrupted) } else { Ok(found) }
    }
}

pub(super) fn parse_position<G: Playable>(fen: &str) -> Result<G, TaskError> {
    fen.parse().map_err(|error: G::Err| TaskError::Start { fen: fen.to_owned(), reason: error.to_string() })
}

pub(super) fn parse_move<G: Playable>(position: &G, fen: &str, text: &str) -> Result<G::Move, TaskError> {
    let named = |reason| TaskError::Answer { fen: fen.to_owned(), text: text.to_owned(), reason };
    position.parse_move(text).map_err(named)
}
