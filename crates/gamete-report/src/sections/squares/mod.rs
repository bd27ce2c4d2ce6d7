//! Models with a weight for each square of a board of checkers, as in Hughes, "Piece Difference: Simple to Evolve?".

mod boards;

use crate::page::Section;
use crate::squares::{Boards, Weights};
use crate::subject::{Arm, Run};

/// A run by the boards that its weights stand on.
struct OnBoards<'a> {
    boards: &'a Boards,
    run: &'a Run,
    /// The mean of the population after each generation.
    means: Vec<Weights>,
}

impl<'a> OnBoards<'a> {
    fn new(boards: &'a Boards, run: &'a Run) -> Self {
        let means = run.generations.iter().map(|row| boards.weights(|gene| row.spread[gene].mean)).collect();
        Self { boards, run, means }
    }

    /// The mean of the last population.
    fn last(&self) -> &Weights {
        &self.means[self.means.len() - 1]
    }
}

/// All parts about the squares, for models that have them.
pub fn squares(arm: &Arm, run: &Run) -> Vec<Section> {
    let Some(boards) = Boards::of(arm) else { return Vec::new() };
    let run = OnBoards::new(&boards, run);
    vec![boards::boards(&run)]
}
