use gamete_game::{PieceValues, Score, Tactics};

use crate::depth::Depth;
use crate::picker::Scope;
use crate::search::{MAX_PLY, Search, table_key};
use crate::settings::Quiescence;
use crate::table::{Bound, Entry};
use crate::window::Window;

impl<G: Tactics, E: PieceValues<G>> Search<'_, G, E> {
    /// Searches beyond the horizon, which was at `entered`, until the evaluation can be trusted.
    pub(crate) fn quiesce(&mut self, position: &G, window: Window, ply: usize, entered: usize) -> Score {
        if !self.visit(ply) {
            return Score::ZERO;
        }
        let settings = self.settings;
        self.lines[ply].clear();
        if ply > 0 {
            if position.is_drawn() {
                return Score::ZERO;
            }
            if settings.repetition && self.is_repetition(position, ply) {
                return Score::ZERO;
            }
        }
        let modern = settings.quiescence == Quiescence::Modern;
        if ply >= MAX_PLY || matches!(settings.quiescence, Quiescence::Off | Quiescence::ExtraPlies) {
            return self.judge(position, ply);
        }
        if if modern { position.is_stuck() } else { !position.has_moves() } {
            return self.ended(position, ply);
        }

        // Transposition table
        let uses_table = modern && settings.table && settings.quiescence_table > i32::from(ply > entered);
        let key = if uses_table { table_key(position) } else { 0 };
        let entry = if uses_table { self.table.probe(key) } else { None };
        if let Some(entry) = entry
            && (entry.depth == Depth::ZERO || !settings.table_equal_depth)
            && let Some(score) = entry.settles(window, ply)
        {
            return score;
        }

        // Standing pat
        let forced = modern && position.is_forced();
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITY;
        let mut evaluation = None;
        if !forced {
            best =
                entry.and_then(|entry| entry.evaluation).unwrap_or_else(|| self.evaluator.evaluate(position));
            evaluation = Some(best);
            if best >= window.beta || !modern && ply >= self.horizon + settings.quiescence_plies as usize {
                return best;
            }
            alpha = alpha.max(best);
        }

        let table_move = entry
            .and_then(|entry| entry.code)
            .and_then(|code| position.decode(code))
            .filter(|&mv| forced || position.is_tactical(mv));
        let scope = if forced { Scope::All } else { Scope::Tactical };
        let mut best_move = None;
        let mut count = 0;
        let mut picker = self.ordering.picker(scope, table_move, ply, None);
        while let Some(mv) = self.ordering.next(&mut picker, position) {
            count += 1;
            if let Some(evaluation) = evaluation
                && modern
            {
                // Delta pruning
                if settings.quiescence_margin > 0 && !alpha.is_end() {
                    let gain = position.gain(mv, &self.ordering.values);
                    let most = evaluation.plus(gain + 10 * settings.quiescence_margin);
                    if most <= alpha {
                        best = best.max(most);
                        continue;
                    }
                }

                // Exchange pruning
                if settings.quiescence_see && !position.see_ge(mv, &self.ordering.values, 0) {
                    continue;
                }
            }

            let mut next = position.clone();
            next.play(mv);
            if uses_table && settings.quiescence_table > 1 {
                self.table.prefetch(table_key(&next));
            }
            let open = if settings.alpha_beta { Window { alpha, beta: window.beta } } else { Window::FULL };
            let score = -self.quiesce(&next, -open, ply + 1, entered);
            if self.stopped {
                return Score::ZERO;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(mv);
                    if alpha >= window.beta {
                        break;
                    }
                    let (line, rest) = self.lines.split_at_mut(ply + 1);
                    line[ply].clear();
                    line[ply].push(mv);
                    line[ply].extend_from_slice(&rest[0]);
                }
            }
        }
        self.ordering.finish(&picker);

        if forced && count == 0 {
            return self.ended(position, ply);
        }
        if uses_table {
            let bound = Bound::of(best, window);
            let score = best.later(ply as u32);
            let code = best_move.map(G::code);
            self.table.store(key, Entry { score, bound, depth: Depth::ZERO, code, evaluation });
        }
        best
    }
}
