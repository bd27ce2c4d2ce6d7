use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gamete_game::{Line, PieceValues, Score, ScoreKind, Tactics};

use crate::depth::Depth;
use crate::limit::Allowance;
use crate::memo::Memo;
use crate::ordering::Ordering;
use crate::search::{Frame, MAX_PLY, Needs, Node, Search};
use crate::table::Table;
use crate::window::Window;
use crate::{Info, Limit, SearchResult, SearchSettings};

/// Finds the best moves of a player, and keeps what it learns for the rest of the game.
#[derive(Debug)]
pub struct Searcher<G: Tactics> {
    settings: SearchSettings,
    table: Table,
    memo: Memo,
    ordering: Ordering<G::Move>,
    reductions: Box<[[i32; 64]; 64]>,
    frames: Vec<Frame>,
    keys: Vec<u64>,
    lines: Vec<Vec<G::Move>>,
}

impl<G: Tactics> Searcher<G> {
    /// The deepest iteration, in plies.
    pub const MAX_DEPTH: u32 = MAX_PLY as u32 - 1;

    /// A searcher at the start of a game, whose table takes at most `hash_bytes`, or 64 KiB.
    pub fn new(settings: &SearchSettings, hash_bytes: usize) -> Self {
        let logarithms: [f64; 64] = std::array::from_fn(|n| (n.max(1) as f64).ln());
        let base = f64::from(settings.late_move_base) / 100.0;
        let divisor = f64::from(settings.late_move_divisor) / 100.0;
        let plies = |depth: usize, count: usize| base + logarithms[depth] * logarithms[count] / divisor;
        let mut reductions = Box::new([[0; 64]; 64]);
        for (depth, row) in reductions.iter_mut().enumerate() {
            for (count, quarters) in row.iter_mut().enumerate() {
                *quarters = (4.0 * plies(depth, count)) as i32;
            }
        }
        let sparseness = if settings.table_equal_depth { Table::SPARSE } else { Table::DENSE };
        Self {
            settings: settings.clone(),
            table: Table::new(hash_bytes, sparseness),
            memo: Memo::new(),
            ordering: Ordering::new::<G>(settings),
            reductions,
            frames: vec![Frame::default(); MAX_PLY + 1],
            keys: Vec::with_capacity(MAX_PLY + 256),
            lines: (0..MAX_PLY + 2).map(|_| Vec::with_capacity(MAX_PLY + 2)).collect(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    /// Forgets the game, so that the next one does not depend on it.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.memo.clear();
        self.ordering.clear();
    }

    /// Searches the position at the end of a line until the limit or until `stop` is set.
    ///
    /// Of `root_moves` those that are legal are considered, or all legal moves if none is. `on_iteration` is told
    /// of every iteration that was completed.
    pub fn search<E: PieceValues<G>>(
        &mut self,
        line: &Line<G>,
        evaluator: &E,
        limit: &Limit,
        stop: &AtomicBool,
        root_moves: Option<&[G::Move]>,
        mut on_iteration: impl FnMut(&Info<'_, G>),
    ) -> SearchResult<G> {
        let start = Instant::now();
        let position = line.position();
        let allowance = Allowance::from(limit);
        let legal_roots: Vec<_> =
            root_moves.unwrap_or_default().iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        let first = match legal_roots.first() {
            Some(&mv) => Some(mv),
            None => first_move(position),
        };

        self.table.start();
        self.ordering.start(evaluator);
        self.keys.clear();
        self.keys.extend(line.earlier().take(position.reversible_plies() as usize).map(G::key));
        self.keys.reverse();
        let past = self.keys.len();
        self.keys.push(position.key());
        self.keys.resize(past + MAX_PLY + 1, 0);
        for line in &mut self.lines {
            line.clear();
        }

        let exhaustive = limit.mate.map(|_| self.settings.exhaustive());
        let settings = exhaustive.as_ref().unwrap_or(&self.settings);
        let mut search = Search {
            settings,
            evaluator,
            table: &mut self.table,
            memo: &mut self.memo,
            ordering: &mut self.ordering,
            reductions: &self.reductions,
            frames: &mut self.frames,
            keys: &mut self.keys,
            lines: &mut self.lines,
            past,
            root_moves: &legal_roots,
            best: None,
            settled: 0,
            horizon: 0,
            nodes: 0,
            selective_depth: 0,
            max_nodes: limit.nodes.unwrap_or(u64::MAX),
            next_look: 0,
            start,
            deadline: allowance.hard,
            stop,
            stopped: false,
            needs: Needs::from(settings),
        };
        let mut result = SearchResult {
            best: first,
            score: Score::ZERO,
            depth: 0,
            selective_depth: 0,
            nodes: 0,
            settled: 0,
            pv: first.into_iter().collect(),
        };
        if first.is_none() {
            result.score = search.ended(position, 0);
            return result;
        }

        let last = limit.depth.map_or(Self::MAX_DEPTH, |depth| depth.clamp(1, Self::MAX_DEPTH));
        // A win in so many moves shows at this depth or not at all.
        let last = limit.mate.map_or(last, |moves| last.min((2 * moves).saturating_sub(1).max(1)));
        let deepens = settings.iterative_deepening || limit.depth.is_none();
        let mut stable = 0;
        for depth in if deepens { 1 } else { last }..=last {
            if result.depth > 0 && search.is_interrupted() {
                break;
            }
            search.horizon = depth as usize;
            let before = search.best;

            // Aspiration windows
            let mut width = 10 * settings.aspiration;
            let mut window = if settings.aspiration > 0 && result.depth >= 4 && !result.score.is_end() {
                Window::around(result.score, width)
            } else {
                Window::FULL
            };
            let score = loop {
                let score = search.search(position, Depth::plies(depth as i32), window, 0, Node::Pv);
                if search.stopped {
                    break score;
                }
                width = width.saturating_mul(2);
                if score <= window.alpha {
                    window.alpha = if width > 5_000 { Window::FULL.alpha } else { score.plus(-width) };
                } else if score >= window.beta {
                    window.beta = if width > 5_000 { Window::FULL.beta } else { score.plus(width) };
                } else {
                    break score;
                }
            };
            if search.stopped {
                break;
            }

            let elapsed = start.elapsed();
            result.depth = depth;
            result.score = score;
            result.pv.clone_from(&search.lines[0]);
            on_iteration(&Info {
                depth,
                selective_depth: search.selective_depth as u32,
                score,
                nodes: search.nodes,
                time: elapsed,
                hashfull: search.table.permille_full(),
                pv: &result.pv,
            });

            stable = if search.best == before { stable + 1 } else { 0 };
            if let Some(soft) = allowance.soft {
                let patience = if stable >= 4 {
                    0.7
                } else if stable == 0 {
                    1.5
                } else {
                    1.0
                };
                let settled = score.is_end() && depth > 8 || position.count_moves() == 1;
                if settled || elapsed > soft.mul_f64(patience) {
                    break;
                }
            }
            if let (Some(moves), ScoreKind::Win(plies)) = (limit.mate, score.kind())
                && plies <= 2 * moves
            {
                break;
            }
        }

        if search.best.is_some() {
            result.best = search.best;
        }
        if result.pv.first().copied() != result.best {
            result.pv.clone_from(&search.lines[0]);
            if result.pv.first().copied() != result.best {
                result.pv = result.best.into_iter().collect();
            }
        }
        result.nodes = search.nodes;
        result.settled = search.settled;
        result.selective_depth = search.selective_depth as u32;
        result
    }
}

fn first_move<G: Tactics>(position: &G) -> Option<G::Move> {
    let mut first = None;
    position.for_each_move(|mv| {
        first.get_or_insert(mv);
    });
    first
}
