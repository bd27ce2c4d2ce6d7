use gamete_game::{PieceValues, Score, Tactics};

use crate::memo::Bound;
use crate::search::{Search, table_key};
use crate::window::Window;

/// The best of the moves of a last ply.
struct Leaves<M> {
    best: Score,
    best_move: Option<M>,
}

impl<M> Leaves<M> {
    /// Without a branch, which nobody could foresee.
    #[inline(always)]
    fn add(&mut self, mv: M, score: Score)
    where
        M: Copy,
    {
        self.best_move = if score > self.best { Some(mv) } else { self.best_move };
        self.best = self.best.max(score);
    }
}

impl<G: Tactics, E: PieceValues<G>> Search<'_, G, E> {
    /// Searches the last ply before positions are only judged.
    ///
    /// Most nodes of a plain search are here, where the table and an order of moves cost more than they save.
    #[inline(never)]
    pub(crate) fn search_frontier(&mut self, position: &G, total: i64, window: Window, ply: usize) -> Score {
        if !self.visit(ply) {
            return Score::ZERO;
        }
        self.lines[ply].clear();
        if position.is_drawn() || self.settings.repetition && self.is_repetition(position, ply) {
            return Score::ZERO;
        }
        let key = if self.needs.shortcuts { table_key(position) } else { 0 };
        if self.needs.shortcuts {
            if let Some([least, most]) = self.evaluator.quiet_bounds(total, position)
                && (least >= window.beta || most <= window.alpha)
                && !position.has_tactical()
                && position.has_moves()
                && position.goes_on_after_quiet()
            {
                return if least >= window.beta { least } else { most };
            }
            if let Some(score) = self.memo.settles(key, window, ply) {
                return score;
            }
        }
        let mut leaves = Leaves { best: -Score::INFINITY, best_move: None };
        position.for_each_tactical(|mv| {
            if leaves.best < window.beta && self.count_node() {
                leaves.add(mv, self.judge_move(position, total, mv, ply + 1));
            }
        });
        if !self.settings.repetition && position.goes_on_after_quiet() {
            position.for_each_quiet(|mv| {
                if leaves.best < window.beta && self.count_node() {
                    leaves.add(mv, self.evaluate_move(position, total, mv));
                }
            });
        } else {
            position.for_each_quiet(|mv| {
                if leaves.best < window.beta && self.count_node() {
                    leaves.add(mv, self.judge_move(position, total, mv, ply + 1));
                }
            });
        }
        let Some(mv) = leaves.best_move else {
            return self.ended(position, ply);
        };
        self.selective_depth = self.selective_depth.max(ply + 1);
        if leaves.best > window.alpha && leaves.best < window.beta {
            self.lines[ply].push(mv);
        }
        if self.needs.shortcuts && !self.stopped {
            let bound = if leaves.best < window.beta { Bound::Exact } else { Bound::Lower };
            self.memo.store(key, leaves.best, bound, ply);
        }
        leaves.best
    }

    /// What a move is worth to whoever plays it, if the game then goes on.
    #[inline(always)]
    fn evaluate_move(&self, position: &G, total: i64, mv: G::Move) -> Score {
        let mut next = position.clone();
        next.play(mv);
        -self.evaluator.evaluate_total(self.evaluator.total_after(total, position, mv), &next)
    }

    /// What a move to this ply is worth to whoever plays it.
    #[inline(never)]
    fn judge_move(&mut self, position: &G, total: i64, mv: G::Move, ply: usize) -> Score {
        let mut next = position.clone();
        next.play(mv);
        if next.is_drawn() || self.settings.repetition && self.is_repetition(&next, ply) {
            Score::ZERO
        } else if next.has_moves() {
            -self.evaluator.evaluate_total(self.evaluator.total_after(total, position, mv), &next)
        } else {
            -self.ended(&next, ply)
        }
    }
}
