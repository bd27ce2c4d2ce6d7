use std::ops::Range;

use crate::{ExpertTable, ResultTable};

/// What can come of each position, and what did: the legal moves, of which an expert chose some, or that the side to move wins or
/// loses, for a [`LogisticRegression`] to learn from.
///
/// Of an alternative its features are kept, less those that most of the alternatives have: which is better depends on nothing else,
/// and as a move changes little, it is few numbers even where a model has many weights.
///
/// [`LogisticRegression`]: crate::LogisticRegression
#[derive(Debug)]
pub struct Alternatives {
    weights: usize,
    /// The rows of each position, a row for each alternative.
    positions: Vec<Range<usize>>,
    /// By row, how much of what came is this: those of a position make 1.
    shares: Vec<f64>,
    /// Where the entries of each row begin; one more for the end.
    starts: Vec<usize>,
    /// The weight of each entry, and by how much its feature differs.
    entries: Vec<(u32, i32)>,
}

impl Alternatives {
    fn new(weights: usize) -> Self {
        Self { weights, positions: Vec::new(), shares: Vec::new(), starts: vec![0], entries: Vec::new() }
    }

    /// The moves of the positions to learn from in which the expert has one.
    pub fn moves(table: &ExpertTable) -> Self {
        let mut all = Self::new(table.weights());
        for rows in table.rows() {
            all.add_moves(&rows.clone().map(|row| table.row(row)).collect::<Vec<_>>(), table.chosen(rows));
        }
        all
    }

    /// For each position that the side to move wins, and that it loses; a draw is half of each. To lose is worth nothing, so
    /// that the chance of a win is 1 / (1 + exp(−T · score)).
    pub fn results(table: &ResultTable) -> Self {
        let mut all = Self::new(table.weights());
        for (points, features) in table.rows() {
            all.add_position([points, 1.0 - points].into_iter());
            all.add_row((0..).zip(features).filter(|(_, value)| *value != 0));
            all.add_row(std::iter::empty());
        }
        all
    }

    fn add_moves(&mut self, moves: &[Vec<i32>], chosen: &[bool]) {
        let experts = chosen.iter().filter(|&&is_chosen| is_chosen).count();
        if experts == 0 {
            return;
        }
        let share = |&is_chosen: &bool| if is_chosen { 1.0 / experts as f64 } else { 0.0 };
        self.add_position(chosen.iter().map(share));
        let usual: Vec<i32> =
            (0..self.weights).map(|weight| majority(moves.iter().map(|mv| mv[weight]))).collect();
        for mv in moves {
            let changes = (0..).zip(mv.iter().zip(&usual)).filter(|(_, (value, usual))| value != usual);
            self.add_row(changes.map(|(weight, (value, usual))| (weight, value - usual)));
        }
    }

    fn add_position(&mut self, shares: impl Iterator<Item = f64>) {
        let first = self.shares.len();
        self.shares.extend(shares);
        self.positions.push(first..self.shares.len());
    }

    fn add_row(&mut self, entries: impl Iterator<Item = (u32, i32)>) {
        self.entries.extend(entries);
        self.starts.push(self.entries.len());
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// How many weights the model has.
    pub(crate) fn weights(&self) -> usize {
        self.weights
    }

    /// The rows of each position.
    pub(crate) fn positions(&self) -> &[Range<usize>] {
        &self.positions
    }

    /// How much of what came is this row.
    pub(crate) fn share(&self, row: usize) -> f64 {
        self.shares[row]
    }

    /// The weights whose features differ in a row, and by how much.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let entries = &self.entries[self.starts[row]..self.starts[row + 1]];
        entries.iter().map(|&(weight, change)| (weight as usize, f64::from(change)))
    }
}

/// The value that more than half have, if there is one, and else any (Boyer and Moore, "MJRTY", 1981).
fn majority(values: impl Iterator<Item = i32>) -> i32 {
    let (mut usual, mut lead) = (0, 0);
    for value in values {
        match (value == usual, lead) {
            (true, _) => lead += 1,
            (false, 0) => (usual, lead) = (value, 1),
            (false, _) => lead -= 1,
        }
    }
    usual
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_change_is_what_is_not_usual_in_their_position() {
        #[rustfmt::skip]
        let values = [
            // The first weight is the same for all; two of three have 7 as the second.
            5, 7, 5, 7, 5, 1,
            // Here the expert has no move.
            1, 2, 3, 4, 5, 6,
            0, 3, 2, 3, 0, 3,
        ];
        let chosen = vec![false, false, true, false, false, false, true, false, false];
        let changes = Alternatives::moves(&ExpertTable::of(2, &values, chosen, 3));
        assert_eq!(changes.positions(), [0..3, 3..6]);
        let rows: Vec<Vec<(usize, f64)>> = (0..6).map(|row| changes.row(row).collect()).collect();
        assert_eq!(rows[..3], [vec![], vec![], vec![(1, -6.0)]]);
        assert_eq!(rows[3..], [vec![], vec![(0, 2.0)], vec![]]);
        assert_eq!(changes.shares, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    }
}
