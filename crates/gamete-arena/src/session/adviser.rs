use std::sync::atomic::AtomicBool;

use gamete_engine::{Info, Limit};
use gamete_game::{Line, Score};

use crate::{Engine, Evaluation, Playable, Player, WrongGame};

/// Who is asked for hints: a player of its own, so that it gives nothing away to those at the board.
pub struct Adviser<G: Playable> {
    player: Player,
    hash_bytes: usize,
    engine: Option<Box<dyn Engine<G>>>,
}

/// A good move.
#[derive(Debug, Clone, PartialEq)]
pub struct Hint {
    /// The move and those that are expected after it, as written; nothing where there is no move.
    pub line: Vec<String>,
    /// What it is worth for the side to move.
    pub score: Score,
    /// How many plies ahead that was seen.
    pub depth: u32,
}

impl<G: Playable> Adviser<G> {
    /// An adviser that thinks like `player` and takes no memory until it is asked.
    pub(super) fn new(player: Player, hash_bytes: usize) -> Self {
        Self { player, hash_bytes, engine: None }
    }

    /// What to call it.
    pub fn name(&self) -> &str {
        &self.player.name
    }

    /// Whether its evaluations have noise.
    pub fn is_noisy(&self) -> bool {
        self.player.noise.is_some()
    }

    /// What the position is worth without a search, term by term.
    ///
    /// # Errors
    ///
    /// When the player plays another game.
    pub fn evaluate(&mut self, position: &G) -> Result<Evaluation, WrongGame> {
        Ok(self.engine()?.evaluate(position))
    }

    pub(super) fn hint(
        &mut self,
        line: &Line<G>,
        limit: &Limit,
        stop: &AtomicBool,
        on_iteration: &mut dyn FnMut(&Info<'_, G>),
    ) -> Result<Hint, WrongGame> {
        let found = self.engine()?.search(line, limit, stop, None, on_iteration);
        let line = line_text(line.position(), &found.pv);
        Ok(Hint { line, score: found.score, depth: found.depth })
    }

    fn engine(&mut self) -> Result<&mut dyn Engine<G>, WrongGame> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => G::engine(&self.player, self.hash_bytes)?,
        };
        Ok(self.engine.insert(engine).as_mut())
    }
}

/// Moves as written, as far as they are legal.
pub fn line_text<G: Playable>(position: &G, moves: &[G::Move]) -> Vec<String> {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        words.push(position.move_text(mv));
        position.play(mv);
    }
    words
}
