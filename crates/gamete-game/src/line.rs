use crate::{Ending, Game, Reason};

/// A position together with the moves that led to it, so that repetitions can be seen.
#[derive(Debug, Clone)]
pub struct Line<G: Game> {
    past: Vec<(G, G::Move)>,
    position: G,
}

impl<G: Game> Line<G> {
    /// A line that starts from `position` and has no moves yet.
    pub fn new(position: G) -> Self {
        Self { past: Vec::new(), position }
    }

    /// The position at the end of the line.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// The position at the start of the line.
    pub fn start(&self) -> &G {
        self.past.first().map_or(&self.position, |(position, _)| position)
    }

    /// The moves from the start.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = G::Move> + ExactSizeIterator + '_ {
        self.past.iter().map(|&(_, mv)| mv)
    }

    /// The positions before the one at the end, the latest first.
    pub fn earlier(&self) -> impl Iterator<Item = &G> {
        self.past.iter().rev().map(|(position, _)| position)
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: G::Move) {
        self.past.push((self.position.clone(), mv));
        self.position.play(mv);
    }

    /// Changes what is known of the position at the end beside the board.
    pub fn change(&mut self, change: impl FnOnce(&mut G)) {
        change(&mut self.position);
    }

    /// Takes the last move back and returns it.
    pub fn undo(&mut self) -> Option<G::Move> {
        let (position, mv) = self.past.pop()?;
        self.position = position;
        Some(mv)
    }

    /// How often the position at the end has stood on the board, this time included.
    pub fn occurrences(&self) -> usize {
        let key = self.position.key();
        let reversible = self.position.reversible_plies() as usize;
        let earlier = self.past.iter().rev().take(reversible).skip(1).step_by(2);
        1 + earlier.filter(|(position, _)| position.key() == key).count()
    }

    /// How the game has ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        self.position
            .ending()
            .or_else(|| (self.occurrences() >= 3).then_some(Ending::draw(Reason::Repetition)))
    }
}
