use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gamete_arena::{Engine, Playable, Player};
use gamete_engine::Limit;
use gamete_game::{Line, ScoreKind};

use crate::ExtractError;
use crate::lookahead::{Lookahead, quiet_leaf};

/// Searches of a player by its own evaluation, to so many plies, with an engine for each thread that asks.
pub(crate) struct OwnSearch<'a, G: Playable> {
    player: &'a Player,
    plies: u32,
    stop: &'a AtomicBool,
    engines: Mutex<Vec<Box<dyn Engine<G>>>>,
}

/// The table of an engine: room enough for the searches of all moves of a position, and quick to clear.
const HASH_BYTES: usize = 1 << 20;

impl<'a, G: Playable> OwnSearch<'a, G> {
    pub fn new(player: &'a Player, plies: u32, stop: &'a AtomicBool) -> Self {
        Self { player, plies, stop, engines: Mutex::default() }
    }

    /// Calls `f` with a function that finds where searches lead. They share a table, which knows nothing at first, so that what is
    /// found does not depend on what was searched before.
    ///
    /// # Errors
    ///
    /// Those of `f`; when the player is of another game, or `stop` was set.
    pub fn with<T>(
        &self,
        f: impl FnOnce(&mut dyn FnMut(&G) -> Lookahead<G>) -> Result<T, ExtractError>,
    ) -> Result<T, ExtractError> {
        let idle = self.engines.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut engine = idle.map_or_else(|| G::engine(self.player, HASH_BYTES), Ok)?;
        engine.new_game(0);
        let found = f(&mut |position| self.look(engine.as_mut(), position))?;
        // A search that was broken off has found anything.
        if self.stop.load(Ordering::Relaxed) {
            return Err(ExtractError::Interrupted);
        }
        self.engines.lock().unwrap_or_else(PoisonError::into_inner).push(engine);
        Ok(found)
    }

    /// Where the line of a search leads, and from there the captures that pay, as a line may end early where the table knows the rest.
    fn look(&self, engine: &mut dyn Engine<G>, position: &G) -> Lookahead<G> {
        let limit = Limit { depth: Some(self.plies), ..Limit::default() };
        let found = engine.search(&Line::new(position.clone()), &limit, self.stop, None, &mut |_| ());
        match found.score.kind() {
            ScoreKind::Win(_) => Lookahead::Wins,
            ScoreKind::Loss(plies) => Lookahead::Loses(plies),
            ScoreKind::Centipawns(_) => {
                let mut leaf = position.clone();
                found.pv.into_iter().for_each(|mv| leaf.play(mv));
                Lookahead::Leaf(quiet_leaf(&leaf))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gamete_arena::ModelInfo;
    use gamete_chess::Position;

    use super::*;

    fn look(player: &Player, fen: &str, plies: u32) -> Lookahead<Position> {
        let stop = AtomicBool::new(false);
        let position = fen.parse().expect("a position");
        OwnSearch::new(player, plies, &stop).with(|look| Ok(look(&position))).expect("found")
    }

    #[test]
    fn leaves_are_where_the_player_itself_would_go() {
        let model = ModelInfo::find("chess/material").expect("a model");
        let mut player = Player::new(model);
        // A queen that can be taken by a rook, which a knight takes then.
        let fen = "6k1/8/5n2/3q4/8/8/8/3R2K1 w - - 0 1";
        let Lookahead::Leaf(leaf) = look(&player, fen, 2) else { panic!("a leaf") };
        assert!(leaf.to_string().starts_with("6k1/8/8/3n4/8/8/8/6K1 w"), "{leaf}");
        // Who thinks that rooks are worth more than queens keeps its own.
        player.set_weight("queen", 100.0).expect("a weight");
        player.set_weight("knight", 50.0).expect("a weight");
        let Lookahead::Leaf(leaf) = look(&player, fen, 2) else { panic!("a leaf") };
        assert!(leaf.to_string().contains('R'), "{leaf}");
    }

    #[test]
    fn forced_ends_are_seen_and_a_stop_is_told() {
        let player = Player::new(ModelInfo::find("chess/material").expect("a model"));
        assert_eq!(look(&player, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 2), Lookahead::Wins);
        assert_eq!(look(&player, "7k/1R5p/8/8/8/8/8/R5K1 b - - 0 1", 3), Lookahead::Loses(2));
        let stop = AtomicBool::new(true);
        let found = OwnSearch::<Position>::new(&player, 2, &stop).with(|_| Ok(()));
        assert!(matches!(found, Err(ExtractError::Interrupted)), "{found:?}");
    }
}
