use gamete_game::{Ending, Game, Line};

/// A start position and the moves that are played from it before the players think for themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening<G: Game> {
    /// Where the record of the game starts.
    pub start: G,
    /// The moves of the book.
    pub moves: Vec<G::Move>,
}

impl<G: Game> Opening<G> {
    /// An opening without moves.
    pub fn new(start: G) -> Self {
        Self { start, moves: Vec::new() }
    }

    /// The moves of the book, played.
    pub fn line(&self) -> Line<G> {
        let mut line = Line::new(self.start.clone());
        self.moves.iter().for_each(|&mv| line.play(mv));
        line
    }

    /// The position in which the players begin to think.
    pub fn position(&self) -> G {
        let mut position = self.start.clone();
        self.moves.iter().for_each(|&mv| position.play(mv));
        position
    }

    /// How the game is over before it begins, if it is.
    pub fn ending(&self) -> Option<Ending> {
        self.line().ending()
    }
}
