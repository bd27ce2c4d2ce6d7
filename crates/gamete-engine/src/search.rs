use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::time::{Duration, Instant};

use gamete_game::{Outcome, PieceValues, Score, Tactics};

use crate::SearchSettings;
use crate::depth::Depth;
use crate::memo::Memo;
use crate::ordering::{HISTORY_MAX, Ordering};
use crate::picker::Scope;
use crate::settings::Quiescence;
use crate::table::{Bound, Entry, Table};
use crate::window::Window;

/// No line is longer than this.
pub(crate) const MAX_PLY: usize = 128;

/// How many nodes may pass before the search looks at the clock.
const NODES_PER_LOOK: u64 = 1024;

/// How many quiet moves of a node learn that they were not good enough.
const MAX_TRIED: usize = 64;

/// What alpha-beta expects of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    /// Its score is exact.
    Pv,
    /// Some move is good enough.
    Cut,
    /// No move is good enough.
    All,
}

impl Node {
    #[inline]
    const fn first_child(self) -> Self {
        match self {
            Self::Pv => Self::Pv,
            Self::Cut => Self::All,
            Self::All => Self::Cut,
        }
    }

    #[inline]
    const fn later_child(self) -> Self {
        match self {
            Self::Cut => Self::All,
            Self::Pv | Self::All => Self::Cut,
        }
    }
}

/// What the line being searched remembers of a ply.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Frame {
    evaluation: Option<Score>,
    /// The history index of the move that was played, unless it was none.
    index: Option<usize>,
    /// Where it captured.
    captured: Option<usize>,
}

/// One search, of one position, to one depth after another.
pub(crate) struct Search<'a, G: Tactics, E> {
    pub(crate) settings: &'a SearchSettings,
    pub(crate) evaluator: &'a E,
    pub(crate) table: &'a mut Table,
    pub(crate) memo: &'a mut Memo,
    pub(crate) ordering: &'a mut Ordering<G::Move>,
    pub(crate) reductions: &'a [[i32; 64]; 64],
    pub(crate) frames: &'a mut [Frame],
    /// The keys of the game's positions since the last irreversible move, then of the line being searched.
    pub(crate) keys: &'a mut [u64],
    /// The best line from each ply.
    pub(crate) lines: &'a mut [Vec<G::Move>],
    /// How many of the keys are the game's.
    pub(crate) past: usize,
    /// The moves to consider at the root; all if empty.
    pub(crate) root_moves: &'a [G::Move],
    /// The best move so far.
    pub(crate) best: Option<G::Move>,
    /// The nodes when it became that.
    pub(crate) settled: u64,
    /// The nominal depth of this iteration, in plies.
    pub(crate) horizon: usize,
    pub(crate) nodes: u64,
    pub(crate) selective_depth: usize,
    pub(crate) max_nodes: u64,
    /// The nodes at which to look at the limits again.
    pub(crate) next_look: u64,
    pub(crate) start: Instant,
    pub(crate) deadline: Option<Duration>,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) stopped: bool,
    pub(crate) needs: Needs,
}

/// What the techniques in use want to know of every node, so that the rest is not asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    evaluation: bool,
    /// Whether a move or its answer is forced.
    forced: bool,
    extensions: bool,
    history: bool,
    /// Whether the table is asked at the horizon.
    horizon_table: bool,
    /// Whether the last ply is as plain as can be.
    frontier: bool,
    /// Whether all plies are.
    plain: bool,
    /// Whether last plies are remembered, or bounded where that is enough. With repetition their worth depends on how
    /// they were reached; without a table nodes are those of the textbook, so that they can be counted.
    pub(crate) shortcuts: bool,
}

impl From<&SearchSettings> for Needs {
    fn from(settings: &SearchSettings) -> Self {
        let evaluation = settings.improving
            || settings.null_move && settings.null_move_above_beta
            || settings.reverse_futility_depth > 0
            || settings.razoring_depth > 0
            || settings.futility_depth > 0;
        let extensions = settings.check_extension > 0
            || settings.one_reply_extension > 0
            || settings.recapture_extension > 0
            || settings.passed_pawn_extension > 0
            || settings.mate_threat_extension > 0;
        let history = settings.history
            || settings.continuation_history
            || settings.counter_moves
            || settings.null_move
            || settings.late_move_reductions;
        let forced = evaluation
            || extensions
            || settings.late_move_reductions
            || settings.late_move_pruning_depth > 0
            || settings.null_move
            || settings.multi_cut;
        let horizon_table =
            settings.quiescence == Quiescence::Modern && settings.table && settings.quiescence_table > 0;
        let frontier = settings.alpha_beta
            && settings.quiescence == Quiescence::Off
            && !forced
            && settings.see_pruning_depth == 0;
        let plain = frontier
            && !history
            && !settings.own_weights
            && !settings.mvv_lva
            && !settings.see_ordering
            && !settings.pvs
            && !settings.mate_distance
            && settings.internal_reduction_depth == 0;
        let shortcuts = frontier && settings.table && !settings.repetition;
        Self { evaluation, forced, extensions, history, horizon_table, frontier, plain, shortcuts }
    }
}

impl<G: Tactics, E: PieceValues<G>> Search<'_, G, E> {
    /// Searches a position. The score is a bound if it is outside the window, and means nothing once stopped.
    #[inline]
    pub(crate) fn search(
        &mut self,
        position: &G,
        depth: Depth,
        window: Window,
        ply: usize,
        node: Node,
    ) -> Score {
        // Horizon
        if depth >= Depth::ONE_PLY {
            return if self.needs.frontier && ply > 0 && depth < Depth::plies(2) {
                self.search_frontier(position, self.evaluator.total(position), window, ply)
            } else if self.needs.plain && ply > 0 {
                self.search_plain(position, self.evaluator.total(position), depth, window, ply)
            } else {
                self.search_node(position, depth, window, ply, node)
            };
        }
        let extra = self.settings.quiescence == Quiescence::ExtraPlies
            && ply < self.horizon + self.settings.quiescence_plies as usize
            && position.has_tactical();
        if extra {
            self.search_node(position, Depth::ONE_PLY, window, ply, node)
        } else {
            self.quiesce(position, window, ply, ply)
        }
    }

    fn search_node(
        &mut self,
        position: &G,
        mut depth: Depth,
        mut window: Window,
        ply: usize,
        node: Node,
    ) -> Score {
        let settings = self.settings;
        let is_root = ply == 0;
        if !self.visit(ply) {
            return Score::ZERO;
        }
        self.lines[ply].clear();
        if !is_root {
            // Draws
            if position.is_drawn() {
                return Score::ZERO;
            }
            if settings.repetition && self.is_repetition(position, ply) {
                return Score::ZERO;
            }
            if ply >= MAX_PLY {
                return self.judge(position, ply);
            }

            // Mate distance
            if settings.mate_distance {
                window.alpha = window.alpha.max(Score::loss_in(ply as u32));
                window.beta = window.beta.min(Score::win_in(ply as u32 + 1));
                if window.alpha >= window.beta {
                    return window.alpha;
                }
            }
        }

        // Transposition table
        let key = if settings.table { table_key(position) } else { 0 };
        let entry = if settings.table { self.table.probe(key) } else { None };
        if let Some(entry) = entry
            && !is_root
            && (node != Node::Pv || !settings.pvs)
            && (entry.depth == depth || entry.depth > depth && !settings.table_equal_depth)
            && let Some(score) = entry.settles(window, ply)
        {
            return score;
        }
        let table_move = if is_root && self.best.is_some() {
            self.best
        } else {
            entry.and_then(|entry| entry.code).and_then(|code| position.decode(code))
        };

        // Internal reduction
        if settings.internal_reduction_depth > 0
            && table_move.is_none()
            && node != Node::All
            && depth >= Depth::plies(settings.internal_reduction_depth)
        {
            depth = depth - Depth::ONE_PLY;
        }

        // Static evaluation
        let forced = self.needs.forced && position.is_forced();
        let mut evaluation = None;
        let mut guess = None;
        if !forced && self.needs.evaluation {
            let judged =
                entry.and_then(|entry| entry.evaluation).unwrap_or_else(|| self.evaluator.evaluate(position));
            evaluation = Some(judged);
            guess = match entry {
                Some(Entry { score, bound: Bound::Lower | Bound::Exact, .. })
                    if score > judged && !score.is_end() =>
                {
                    Some(score)
                }
                Some(Entry { score, bound: Bound::Upper | Bound::Exact, .. })
                    if score < judged && !score.is_end() =>
                {
                    Some(score)
                }
                _ => evaluation,
            };
        }
        self.frames[ply].evaluation = evaluation;
        let improving = settings.improving
            && ply >= 2
            && match (evaluation, self.frames[ply - 2].evaluation) {
                (Some(now), Some(before)) => now > before,
                (now, _) => now.is_some(),
            };
        let previous = if is_root { None } else { self.frames[ply - 1].index };

        let mut mate_threat = false;
        if !is_root && node != Node::Pv && !forced && window.beta != Score::INFINITY {
            // Reverse futility
            if let Some(guess) = guess
                && depth <= Depth::plies(settings.reverse_futility_depth)
                && !window.beta.is_end()
            {
                let plies = depth.quarters() - if improving { 4 } else { 0 };
                let margin = settings.reverse_futility_margin * 10 * plies / 4;
                if guess.plus(-margin) >= window.beta {
                    return guess;
                }
            }

            // Razoring
            if let Some(guess) = guess
                && depth <= Depth::plies(settings.razoring_depth)
                && !window.alpha.is_end()
                && guess.plus(settings.razoring_margin * 10 * depth.quarters() / 4) <= window.alpha
            {
                let score = self.quiesce(position, window, ply, ply);
                if self.stopped || score <= window.alpha {
                    return score;
                }
            }

            // Null move
            let passed = previous.is_none() && ply > 0;
            if settings.null_move
                && !passed
                && !window.beta.is_end()
                && guess.is_none_or(|guess| !settings.null_move_above_beta || guess >= window.beta)
                && let Some(next) = position.null_move()
            {
                let near =
                    settings.null_move_adaptive && depth <= Depth::plies(settings.null_move_adaptive_depth);
                let mut reduction = settings.null_move_reduction - i32::from(near);
                if settings.null_move_growth > 0 {
                    reduction += depth.whole() / settings.null_move_growth;
                }
                self.frames[ply].index = None;
                self.frames[ply].captured = None;
                let left = depth - Depth::plies(1 + reduction.max(0));
                let score =
                    -self.search(&next, left, -Window::below(window.beta), ply + 1, node.later_child());
                if self.stopped {
                    return Score::ZERO;
                }
                if score >= window.beta {
                    return if score.is_end() { window.beta } else { score };
                }
                mate_threat = score.is_end();
            }

            // Multi-cut
            if settings.multi_cut
                && node == Node::Cut
                && depth >= Depth::plies(settings.multi_cut_depth)
                && settings.multi_cut_cuts > 0
                && settings.multi_cut_moves >= settings.multi_cut_cuts
            {
                let left = depth - Depth::plies(1 + settings.multi_cut_reduction);
                let mut cuts = 0;
                let mut picker = self.ordering.picker(Scope::All, table_move, ply, previous);
                for _ in 0..settings.multi_cut_moves {
                    let Some(mv) = self.ordering.next(&mut picker, position) else { break };
                    let next = self.play(position, mv, ply);
                    let score = -self.search(&next, left, -Window::below(window.beta), ply + 1, Node::All);
                    if self.stopped {
                        return Score::ZERO;
                    }
                    cuts += i32::from(score >= window.beta);
                    if cuts == settings.multi_cut_cuts {
                        break;
                    }
                }
                self.ordering.finish(&picker);
                if cuts == settings.multi_cut_cuts {
                    return window.beta;
                }
            }
        }

        let may_extend = self.needs.extensions && ply < 2 * self.horizon;
        let one_reply =
            settings.one_reply_extension > 0 && may_extend && forced && position.count_moves() == 1;
        let mut alpha = window.alpha;
        let mut best = -Score::INFINITY;
        let mut best_move = None;
        let mut best_lot = None;
        let mut count = 0_usize;
        let mut tried = [0; MAX_TRIED];
        let mut tried_count = 0;

        let mut picker = self.ordering.picker(Scope::All, table_move, ply, previous);
        while let Some(mv) = self.ordering.next(&mut picker, position) {
            if is_root && !self.root_moves.is_empty() && !self.root_moves.contains(&mv) {
                continue;
            }
            count += 1;
            let quiet = !position.is_tactical(mv);
            let has_escape = best > -Score::MAX_EVALUATION;

            if has_escape && !is_root {
                // Late move pruning
                if quiet
                    && node != Node::Pv
                    && !forced
                    && depth <= Depth::plies(settings.late_move_pruning_depth)
                {
                    let most = settings.late_move_pruning_base + depth.quarters() * depth.quarters() / 16;
                    if count as i32 > if improving { most } else { most / 2 + 1 } {
                        picker.skip_quiet();
                        continue;
                    }
                }

                // Exchange pruning
                if depth <= Depth::plies(settings.see_pruning_depth) {
                    let margin =
                        if quiet { settings.see_pruning_quiet } else { settings.see_pruning_capture };
                    let threshold = -margin * 10 * depth.quarters() / 4;
                    if !position.see_ge(mv, &self.ordering.values, threshold) {
                        continue;
                    }
                }
            }

            let next = self.play(position, mv, ply);
            if settings.table && (self.needs.horizon_table || depth >= Depth::plies(2)) {
                self.table.prefetch(table_key(&next));
            }
            let checks = self.needs.forced && next.is_forced();

            // Futility
            if quiet
                && !checks
                && !is_root
                && depth <= Depth::plies(settings.futility_depth)
                && let Some(evaluation) = evaluation
            {
                let threshold = match depth.whole() {
                    1 => settings.futility_1,
                    2 => settings.futility_2,
                    _ => settings.futility_3,
                };
                let most = evaluation.plus(10 * threshold);
                if most <= alpha {
                    best = best.max(most);
                    continue;
                }
            }

            // Extensions
            let mut extension = 0;
            if may_extend {
                if checks {
                    extension += settings.check_extension;
                }
                if one_reply {
                    extension += settings.one_reply_extension;
                }
                if settings.recapture_extension > 0 && !is_root {
                    let here = self.frames[ply].captured;
                    if here.is_some() && here == self.frames[ply - 1].captured {
                        extension += settings.recapture_extension;
                    }
                }
                if settings.passed_pawn_extension > 0 && position.is_far_push(mv) {
                    extension += settings.passed_pawn_extension;
                }
                if mate_threat {
                    extension += settings.mate_threat_extension;
                }
            }
            let left = depth - Depth::ONE_PLY + Depth::from_quarters(extension.min(4));

            // Late move reductions
            let mut reduction = 0;
            if settings.late_move_reductions && count > 1 && depth >= Depth::plies(2) && quiet && !forced {
                reduction = self.reductions[(depth.whole() as usize).min(63)][count.min(63)];
                let index = self.frames[ply].index.expect("a move was played");
                if settings.late_move_history {
                    let history = self.ordering.history_score::<G>(index, previous);
                    reduction -= history * 4 / HISTORY_MAX;
                }
                if node == Node::Pv {
                    reduction -= 4;
                }
                if node == Node::Cut {
                    reduction += 4;
                }
                if settings.improving && !improving {
                    reduction += 2;
                }
                if checks {
                    reduction -= 4;
                }
                if picker.is_refutation(mv) {
                    reduction -= 4;
                }
                reduction = reduction.clamp(0, (left - Depth::ONE_PLY).quarters().max(0));
            }
            let reduction = Depth::from_quarters(reduction);

            // Lots
            let lot = if is_root { self.evaluator.lot(&next) } else { None };
            let may_tie = lot.is_some() && best_move.is_some();
            let to_beat = if may_tie { alpha.next_down() } else { alpha };

            let open =
                if settings.alpha_beta { Window { alpha: to_beat, beta: window.beta } } else { Window::FULL };
            let narrow = settings.pvs && settings.alpha_beta && count > 1 && !may_tie;
            let score = if !narrow && reduction == Depth::ZERO {
                let child = match node {
                    Node::Pv if !settings.alpha_beta => Node::Pv,
                    _ if count == 1 => node.first_child(),
                    _ => node.later_child(),
                };
                -self.search(&next, left, -open, ply + 1, child)
            } else {
                // Principal variation search
                let probe = if narrow { Window::above(alpha) } else { open };
                let mut score = -self.search(&next, left - reduction, -probe, ply + 1, Node::Cut);
                if score > to_beat && reduction > Depth::ZERO {
                    score = -self.search(&next, left, -probe, ply + 1, node.later_child());
                }
                if narrow && score > alpha && score < window.beta {
                    score = -self.search(&next, left, -open, ply + 1, Node::Pv);
                }
                score
            };
            if self.stopped {
                return Score::ZERO;
            }

            let wins_lot = may_tie && score == alpha && lot > best_lot;
            if score > best || wins_lot {
                best = score;
                if score > alpha || wins_lot {
                    alpha = score;
                    best_move = Some(mv);
                    best_lot = lot;
                    if is_root && self.best != best_move {
                        self.best = best_move;
                        self.settled = self.nodes;
                    }
                    if alpha < window.beta || is_root {
                        let (line, rest) = self.lines.split_at_mut(ply + 1);
                        line[ply].clear();
                        line[ply].push(mv);
                        line[ply].extend_from_slice(&rest[0]);
                    }
                    if alpha >= window.beta {
                        if quiet {
                            self.ordering.reward(position, mv, &tried[..tried_count], ply, previous, depth);
                        }
                        break;
                    }
                }
            }
            if quiet && tried_count < MAX_TRIED {
                let index = self.frames[ply].index.expect("a move was played");
                tried[tried_count] = index as u16;
                tried_count += 1;
            }
        }
        self.ordering.finish(&picker);

        if count == 0 {
            return self.ended(position, ply);
        }
        if settings.table && (!is_root || self.root_moves.is_empty()) {
            let bound = Bound::of(best, window);
            let score = best.later(ply as u32);
            self.table.store(key, Entry { score, bound, depth, code: best_move.map(G::code), evaluation });
        }
        best
    }

    /// Counts a node, unless the search has to stop.
    #[inline]
    pub(crate) fn visit(&mut self, ply: usize) -> bool {
        let counted = self.count_node();
        if counted {
            self.selective_depth = self.selective_depth.max(ply);
        }
        counted
    }

    /// Counts a node that is no deeper than others, unless the search has to stop.
    #[inline]
    pub(crate) fn count_node(&mut self) -> bool {
        let may_go_on = self.nodes < self.next_look || self.may_go_on();
        self.nodes += u64::from(may_go_on);
        may_go_on
    }

    /// Looks at the limits, and says when to look again.
    #[cold]
    fn may_go_on(&mut self) -> bool {
        self.stopped |= self.nodes >= self.max_nodes
            || self.nodes.is_multiple_of(NODES_PER_LOOK) && self.horizon > 1 && self.is_interrupted();
        self.next_look = if self.stopped {
            0
        } else {
            self.max_nodes.min((self.nodes / NODES_PER_LOOK + 1) * NODES_PER_LOOK)
        };
        !self.stopped
    }

    #[cold]
    pub(crate) fn is_interrupted(&self) -> bool {
        self.stop.load(Memory::Relaxed)
            || self.deadline.is_some_and(|deadline| self.start.elapsed() >= deadline)
    }

    /// Whether the position has stood on the board before: once in the line being searched, or twice in the game.
    #[inline]
    pub(crate) fn is_repetition(&mut self, position: &G, ply: usize) -> bool {
        let key = position.key();
        let here = self.past + ply;
        self.keys[here] = key;
        let back = (position.reversible_plies() as usize).min(here);
        let mut occurrences = 0;
        for distance in (4..=back).step_by(2) {
            if self.keys[here - distance] == key {
                occurrences += 1;
                if here - distance >= self.past || occurrences == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// The position after a move, which the frame of this ply remembers.
    #[inline]
    fn play(&mut self, position: &G, mv: G::Move, ply: usize) -> G {
        let frame = &mut self.frames[ply];
        frame.index = Some(if self.needs.history { position.history_index(mv) } else { 0 });
        if self.settings.recapture_extension > 0 {
            frame.captured = position.is_capture(mv).then(|| G::target(mv));
        }
        let mut next = position.clone();
        next.play(mv);
        next
    }

    /// The value of a position that is not searched.
    #[inline]
    pub(crate) fn judge(&self, position: &G, ply: usize) -> Score {
        if position.has_moves() { self.evaluator.evaluate(position) } else { self.ended(position, ply) }
    }

    /// The value of a position without legal moves.
    #[cold]
    pub(crate) fn ended(&self, position: &G, ply: usize) -> Score {
        match position.ending().map(|ending| ending.outcome) {
            Some(Outcome::Win(winner)) if winner == position.turn() => Score::win_in(ply as u32),
            Some(Outcome::Win(_)) => Score::loss_in(ply as u32),
            Some(Outcome::Draw) | None => Score::ZERO,
        }
    }
}

/// The key under which a position is remembered. The draw by counting moves is no part of [`key`](gamete_game::Game::key),
/// but when it comes near it decides what a position is worth.
#[inline]
pub(crate) fn table_key<G: Tactics>(position: &G) -> u64 {
    const NEAR: u32 = 20;
    let plies = position.reversible_plies();
    if plies + NEAR < G::MAX_REVERSIBLE_PLIES {
        position.key()
    } else {
        position.key() ^ u64::from(plies).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}
