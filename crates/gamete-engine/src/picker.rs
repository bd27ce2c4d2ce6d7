use gamete_game::Tactics;

use crate::ordering::{Candidate, Ordering};

/// Where a node is in the list of its moves. Moves are generated only when those before did not suffice.
#[derive(Debug)]
pub(crate) struct Picker<M> {
    stage: Stage,
    scope: Scope,
    first: Option<M>,
    /// Quiet moves to try before the others are listed.
    refutations: [Option<M>; 3],
    tried_refutations: usize,
    ply: usize,
    previous: Option<usize>,
    /// The candidates of this node start here, with tactical ones that lose material.
    start: usize,
    /// The end of these.
    bad: usize,
    /// The next candidate to hand out.
    next: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All legal moves.
    All,
    /// Tactical moves only.
    Tactical,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    First,
    ListTactical,
    Tactical,
    FindRefutations,
    Refutations,
    ListQuiet,
    Quiet,
    BadTactical,
    ListAll,
    Unordered,
    Done,
}

impl<M: Copy + Eq> Ordering<M> {
    /// Starts on the moves of a node, `first` before all others.
    #[inline]
    pub(crate) fn picker(
        &self,
        scope: Scope,
        first: Option<M>,
        ply: usize,
        previous: Option<usize>,
    ) -> Picker<M> {
        let start = self.candidates.len();
        Picker {
            stage: Stage::First,
            scope,
            first,
            refutations: [None; 3],
            tried_refutations: 0,
            ply,
            previous,
            start,
            bad: start,
            next: start,
        }
    }

    /// Forgets the moves of a node.
    #[inline]
    pub(crate) fn finish(&mut self, picker: &Picker<M>) {
        self.candidates.truncate(picker.start);
    }

    /// The next move to search.
    #[inline]
    pub(crate) fn next<G: Tactics<Move = M>>(&mut self, picker: &mut Picker<M>, position: &G) -> Option<M> {
        loop {
            match picker.stage {
                Stage::First => {
                    let ordered = self.switches.any() || picker.scope == Scope::Tactical;
                    picker.stage = if ordered { Stage::ListTactical } else { Stage::ListAll };
                    if picker.first.is_some() {
                        return picker.first;
                    }
                }
                Stage::ListTactical => {
                    self.list_tactical(picker, position);
                    picker.stage = Stage::Tactical;
                }
                Stage::Tactical => {
                    let Some(mv) = self.best(picker) else {
                        picker.stage =
                            if picker.scope == Scope::All { Stage::FindRefutations } else { Stage::Done };
                        continue;
                    };
                    if picker.scope == Scope::All
                        && self.switches.by_exchange
                        && !position.see_ge(mv, &self.values, 0)
                    {
                        self.candidates.swap(picker.bad, picker.next - 1);
                        picker.bad += 1;
                        continue;
                    }
                    return Some(mv);
                }
                Stage::FindRefutations => {
                    self.find_refutations(picker, position);
                    picker.stage = Stage::Refutations;
                }
                Stage::Refutations => {
                    if let Some(&Some(mv)) = picker.refutations.get(picker.tried_refutations) {
                        picker.tried_refutations += 1;
                        return Some(mv);
                    }
                    picker.stage = Stage::ListQuiet;
                }
                Stage::ListQuiet => {
                    self.list_quiet(picker, position);
                    picker.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if let Some(mv) = self.best(picker) {
                        return Some(mv);
                    }
                    picker.start_on_bad();
                }
                Stage::BadTactical => {
                    if picker.next < picker.bad {
                        picker.next += 1;
                        return Some(self.candidates[picker.next - 1].mv);
                    }
                    picker.stage = Stage::Done;
                }
                Stage::ListAll => {
                    self.list_all(picker, position);
                    picker.stage = Stage::Unordered;
                }
                Stage::Unordered => {
                    if picker.next < self.candidates.len() {
                        picker.next += 1;
                        return Some(self.candidates[picker.next - 1].mv);
                    }
                    picker.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    // Kept out of line: a node asks for many moves, but lists them once.

    #[inline(never)]
    fn list_tactical<G: Tactics<Move = M>>(&mut self, picker: &Picker<M>, position: &G) {
        let mut candidates = std::mem::take(&mut self.candidates);
        position.for_each_tactical(|mv| {
            if Some(mv) != picker.first {
                candidates.push(Candidate { mv, score: self.tactical_score(position, mv) });
            }
        });
        self.candidates = candidates;
    }

    #[inline(never)]
    fn list_quiet<G: Tactics<Move = M>>(&mut self, picker: &Picker<M>, position: &G) {
        let mut candidates = std::mem::take(&mut self.candidates);
        position.for_each_quiet(|mv| {
            if Some(mv) != picker.first && !picker.is_refutation(mv) {
                candidates.push(Candidate { mv, score: self.quiet_score(position, mv, picker.previous) });
            }
        });
        self.candidates = candidates;
    }

    #[inline(never)]
    fn list_all<G: Tactics<Move = M>>(&mut self, picker: &Picker<M>, position: &G) {
        position.for_each_move(|mv| {
            if Some(mv) != picker.first {
                self.candidates.push(Candidate { mv, score: 0 });
            }
        });
    }

    #[inline(never)]
    fn find_refutations<G: Tactics<Move = M>>(&self, picker: &mut Picker<M>, position: &G) {
        let mut known = 0;
        for code in self.refutations(picker.ply, picker.previous).into_iter().flatten() {
            let Some(mv) = position.decode(code) else { continue };
            if Some(mv) != picker.first && !picker.is_refutation(mv) && !position.is_tactical(mv) {
                picker.refutations[known] = Some(mv);
                known += 1;
            }
        }
    }

    /// Takes the candidate with the highest score.
    #[inline]
    fn best(&mut self, picker: &mut Picker<M>) -> Option<M> {
        let waiting = &mut self.candidates[picker.next..];
        let mut best = 0;
        let mut highest = waiting.first()?.score;
        for (index, candidate) in waiting.iter().enumerate().skip(1) {
            if candidate.score > highest {
                (best, highest) = (index, candidate.score);
            }
        }
        waiting.swap(0, best);
        picker.next += 1;
        Some(waiting[0].mv)
    }
}

impl<M: Copy + Eq> Picker<M> {
    /// Whether a quiet move was tried before the others because it was good elsewhere.
    #[inline]
    pub(crate) fn is_refutation(&self, mv: M) -> bool {
        let [first, second, third] = self.refutations;
        first == Some(mv) || second == Some(mv) || third == Some(mv)
    }

    /// Leaves out all quiet moves from now on.
    #[inline]
    pub(crate) fn skip_quiet(&mut self) {
        if matches!(self.stage, Stage::Refutations | Stage::ListQuiet | Stage::Quiet) {
            self.start_on_bad();
        }
    }

    #[inline]
    fn start_on_bad(&mut self) {
        self.stage = Stage::BadTactical;
        self.next = self.start;
    }
}
