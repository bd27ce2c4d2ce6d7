use gamete_game::{MoveCode, PieceValues, Tactics};

use crate::SearchSettings;
use crate::depth::Depth;
use crate::search::MAX_PLY;

/// The largest value of a piece in exchanges and in the order of captures.
const MAX_PIECE_VALUE: i32 = 1 << 26;

/// The largest absolute value in a history.
pub(crate) const HISTORY_MAX: i32 = 1 << 14;

/// What the search has learned about the order of moves, and the moves that are waiting to be searched.
#[derive(Debug)]
pub(crate) struct Ordering<M> {
    pub(crate) switches: Switches,
    /// The worth of each kind of piece.
    pub(crate) values: Vec<i32>,
    /// The moves of all nodes between the root and the one being searched.
    pub(crate) candidates: Vec<Candidate<M>>,
    history: Vec<i16>,
    continuation: Vec<i16>,
    killers: Vec<[Option<MoveCode>; 2]>,
    counters: Vec<Option<MoveCode>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<M> {
    pub(crate) mv: M,
    pub(crate) score: i32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Switches {
    own_weights: bool,
    pub(crate) by_victim: bool,
    pub(crate) by_attacker: bool,
    pub(crate) by_mover: bool,
    pub(crate) by_exchange: bool,
    history: bool,
    continuation: bool,
    killers: bool,
    counters: bool,
}

impl Switches {
    /// Whether moves are ordered at all.
    pub(crate) fn any(self) -> bool {
        self.by_victim || self.by_exchange || self.by_quiet_history() || self.killers || self.counters
    }

    fn by_quiet_history(self) -> bool {
        self.history || self.continuation
    }
}

impl<M: Copy> Ordering<M> {
    pub(crate) fn new<G: Tactics<Move = M>>(settings: &SearchSettings) -> Self {
        let switches = Switches {
            own_weights: settings.own_weights,
            by_victim: settings.own_weights || settings.mvv_lva,
            by_attacker: settings.mvv_lva,
            by_mover: settings.own_weights,
            by_exchange: settings.see_ordering,
            history: settings.history,
            continuation: settings.continuation_history,
            killers: settings.killers,
            counters: settings.counter_moves,
        };
        let sized = |switch: bool, size: usize| if switch { size } else { 0 };
        Self {
            switches,
            values: G::PIECE_VALUES.to_vec(),
            candidates: Vec::with_capacity(64 * MAX_PLY),
            history: vec![0; sized(switches.history, G::HISTORY_SIZE)],
            continuation: vec![0; sized(switches.continuation, G::HISTORY_SIZE * G::HISTORY_SIZE)],
            killers: vec![[None; 2]; sized(switches.killers, MAX_PLY + 1)],
            counters: vec![None; sized(switches.counters, G::HISTORY_SIZE)],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.history.fill(0);
        self.continuation.fill(0);
        self.killers.fill([None; 2]);
        self.counters.fill(None);
    }

    /// Prepares for a search.
    pub(crate) fn start<G: Tactics<Move = M>>(&mut self, evaluator: &impl PieceValues<G>) {
        self.candidates.clear();
        self.killers.fill([None; 2]);
        if self.switches.own_weights {
            for (kind, value) in self.values.iter_mut().enumerate() {
                // Evolved weights are of any size, and exchanges add a few of them.
                *value = evaluator.piece_value(kind).clamp(-MAX_PIECE_VALUE, MAX_PIECE_VALUE);
            }
        }
    }

    /// How good a quiet move was elsewhere, from minus to plus [`HISTORY_MAX`] for each history.
    #[inline]
    pub(crate) fn history_score<G: Tactics<Move = M>>(&self, index: usize, previous: Option<usize>) -> i32 {
        let mut score = 0;
        if self.switches.history {
            score += i32::from(self.history[index]);
        }
        if let Some(previous) = previous
            && self.switches.continuation
        {
            score += i32::from(self.continuation[previous * G::HISTORY_SIZE + index]);
        }
        score
    }

    /// The quiet moves that were good at this ply or after the previous move.
    #[inline]
    pub(crate) fn refutations(&self, ply: usize, previous: Option<usize>) -> [Option<MoveCode>; 3] {
        let [first, second] = if self.switches.killers { self.killers[ply] } else { [None; 2] };
        let counter = match previous {
            Some(previous) if self.switches.counters => self.counters[previous],
            _ => None,
        };
        [first, second, counter]
    }

    /// The order of a quiet move among others.
    #[inline]
    pub(crate) fn quiet_score<G: Tactics<Move = M>>(
        &self,
        position: &G,
        mv: M,
        previous: Option<usize>,
    ) -> i32 {
        if self.switches.by_quiet_history() {
            self.history_score::<G>(position.history_index(mv), previous)
        } else if self.switches.by_mover {
            self.values[position.mover(mv)].saturating_add(position.gain(mv, &self.values))
        } else {
            0
        }
    }

    /// The order of a tactical move among others.
    #[inline]
    pub(crate) fn tactical_score<G: Tactics<Move = M>>(&self, position: &G, mv: M) -> i32 {
        if !self.switches.by_victim {
            return 0;
        }
        let gain = position.gain(mv, &self.values);
        if self.switches.by_attacker {
            gain.saturating_mul(8).saturating_sub(position.mover(mv) as i32)
        } else {
            gain
        }
    }

    /// Learns that the quiet move `mv` was good enough, and those tried before it were not.
    pub(crate) fn reward<G: Tactics<Move = M>>(
        &mut self,
        position: &G,
        mv: M,
        tried: &[u16],
        ply: usize,
        previous: Option<usize>,
        depth: Depth,
    ) {
        let code = Some(G::code(mv));
        if self.switches.killers && self.killers[ply][0] != code {
            self.killers[ply] = [code, self.killers[ply][0]];
        }
        if let Some(previous) = previous
            && self.switches.counters
        {
            self.counters[previous] = code;
        }
        if !self.switches.by_quiet_history() {
            return;
        }
        let depth = depth.whole();
        let bonus = (16 * depth * depth + 128 * depth).min(1600);
        self.learn::<G>(position.history_index(mv), previous, bonus);
        for &index in tried {
            self.learn::<G>(index.into(), previous, -bonus);
        }
    }

    #[inline]
    fn learn<G: Tactics<Move = M>>(&mut self, index: usize, previous: Option<usize>, bonus: i32) {
        let shift = |value: &mut i16| {
            let old = i32::from(*value);
            *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
        };
        if self.switches.history {
            shift(&mut self.history[index]);
        }
        if let Some(previous) = previous
            && self.switches.continuation
        {
            shift(&mut self.continuation[previous * G::HISTORY_SIZE + index]);
        }
    }
}
