use gamete_game::{MoveCode, PieceValues, Score, Tactics};

use crate::depth::Depth;
use crate::search::{Search, table_key};
use crate::table::{Bound, Entry};
use crate::window::Window;

/// A node whose moves are being tried.
struct PlainNode<'a, G: Tactics> {
    position: &'a G,
    total: i64,
    depth: Depth,
    window: Window,
    ply: usize,
    best: Score,
    best_move: Option<G::Move>,
    has_moves: bool,
}

impl<G: Tactics> PlainNode<'_, G> {
    #[inline]
    fn is_cut(&self) -> bool {
        self.best >= self.window.beta
    }
}

impl<G: Tactics, E: PieceValues<G>> Search<'_, G, E> {
    /// Searches with alpha-beta, a table and killers, where no other technique is in use.
    pub(crate) fn search_plain(
        &mut self,
        position: &G,
        total: i64,
        depth: Depth,
        window: Window,
        ply: usize,
    ) -> Score {
        if !self.visit(ply) {
            return Score::ZERO;
        }
        self.lines[ply].clear();
        if position.is_drawn() || self.settings.repetition && self.is_repetition(position, ply) {
            return Score::ZERO;
        }

        // Transposition table
        let key = table_key(position);
        let entry = if self.settings.table { self.table.probe(key) } else { None };
        if let Some(entry) = entry
            && (entry.depth == depth || entry.depth > depth && !self.settings.table_equal_depth)
            && let Some(score) = entry.settles(window, ply)
        {
            return score;
        }

        let (best, best_move, has_moves) = (-Score::INFINITY, None, false);
        let mut node = PlainNode { position, total, depth, window, ply, best, best_move, has_moves };
        let first = entry.and_then(|entry| entry.code);
        self.try_moves(&mut node, first);
        if self.stopped {
            return Score::ZERO;
        }

        let best = node.best;
        if !node.has_moves {
            return self.ended(position, ply);
        }
        if self.settings.table {
            let bound = Bound::of(best, window);
            let score = best.later(ply as u32);
            let code = node.best_move.map(G::code);
            self.table.store(key, Entry { score, bound, depth, code, evaluation: None });
        }
        best
    }

    /// Tries moves as they are generated, which is quicker than listing them, but first those that were good elsewhere.
    #[inline]
    fn try_moves(&mut self, node: &mut PlainNode<'_, G>, first: Option<MoveCode>) {
        let position = node.position;
        let first_move = first.and_then(|code| position.decode(code));
        if let Some(mv) = first_move {
            self.try_move(node, mv);
        }
        if node.is_cut() {
            return;
        }
        position.for_each_tactical(|mv| {
            if Some(mv) != first_move && !node.is_cut() {
                self.try_move(node, mv);
            }
        });
        let [killer, second_killer, _] = self.ordering.refutations(node.ply, None);
        for code in [killer, second_killer].into_iter().flatten() {
            if Some(code) != first
                && !node.is_cut()
                && let Some(mv) = position.decode(code)
                && !position.is_tactical(mv)
            {
                self.try_move(node, mv);
            }
        }
        if node.is_cut() {
            return;
        }
        position.for_each_quiet(|mv| {
            let code = Some(G::code(mv));
            if code != first && code != killer && code != second_killer && !node.is_cut() {
                self.try_move(node, mv);
            }
        });
    }

    #[inline(never)]
    fn try_move(&mut self, node: &mut PlainNode<'_, G>, mv: G::Move) {
        if self.stopped {
            return;
        }
        let &mut PlainNode { position, depth, window, ply, .. } = node;
        node.has_moves = true;
        let mut next = position.clone();
        next.play(mv);
        let total = self.evaluator.total_after(node.total, position, mv);
        let alpha = window.alpha.max(node.best);
        let open = -Window { alpha, beta: window.beta };
        let score = if depth >= Depth::plies(3) {
            if self.settings.table {
                self.table.prefetch(table_key(&next));
            }
            -self.search_plain(&next, total, depth - Depth::ONE_PLY, open, ply + 1)
        } else {
            -self.search_frontier(&next, total, open, ply + 1)
        };
        if self.stopped || score <= node.best {
            return;
        }
        node.best = score;
        if score <= alpha {
            return;
        }
        node.best_move = Some(mv);
        if score >= window.beta {
            if !position.is_tactical(mv) {
                self.ordering.reward(position, mv, &[], ply, None, depth);
            }
            return;
        }
        let (line, rest) = self.lines.split_at_mut(ply + 1);
        line[ply].clear();
        line[ply].push(mv);
        line[ply].extend_from_slice(&rest[0]);
    }
}
