use gamete_game::{PieceValues, Score, Tactics};

use crate::search::Search;
use crate::window::Window;

impl<G: Tactics, E: PieceValues<G>> Search<'_, G, E> {
    /// Searches the last ply before positions are only judged.
    ///
    /// Most nodes of a plain search are here, where a table or an order of moves costs more than it saves.
    pub(crate) fn search_frontier(&mut self, position: &G, window: Window, ply: usize) -> Score {
        if !self.visit(ply) {
            return Score::ZERO;
        }
        self.lines[ply].clear();
        if position.is_drawn() || self.settings.repetition && self.is_repetition(position, ply) {
            return Score::ZERO;
        }
        let mut best = -Score::INFINITY;
        let mut any = false;
        position.for_each_move(|mv| {
            any = true;
            if best >= window.beta || !self.visit(ply + 1) {
                return;
            }
            let mut next = position.clone();
            next.play(mv);
            let repeated = self.settings.repetition && self.is_repetition(&next, ply + 1);
            let score = if next.is_drawn() || repeated { Score::ZERO } else { -self.judge(&next, ply + 1) };
            if score > best {
                best = score;
                if score > window.alpha && score < window.beta {
                    self.lines[ply].clear();
                    self.lines[ply].push(mv);
                }
            }
        });
        if any { best } else { self.ended(position, ply) }
    }
}
