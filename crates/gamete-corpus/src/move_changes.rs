use std::ops::Range;

use crate::ExpertTable;

/// What moves change: the features after each move of a position, less those that it has after most of them.
///
/// Which move is better depends on nothing else, and as a move changes little, it is few numbers even where a model has many weights.
#[derive(Debug)]
pub struct MoveChanges {
    weights: usize,
    /// The rows of each position, a row for each move.
    positions: Vec<Range<usize>>,
    /// By row, whether it is the expert's move.
    chosen: Vec<bool>,
    /// Where the entries of each row begin; one more for the end.
    starts: Vec<usize>,
    /// The weight of each entry, and by how much its feature differs.
    entries: Vec<(u32, i32)>,
}

impl MoveChanges {
    /// Those of the positions to learn from in which the expert has a move.
    pub fn new(table: &ExpertTable) -> Self {
        let mut all = Self {
            weights: table.weights(),
            positions: Vec::new(),
            chosen: Vec::new(),
            starts: vec![0],
            entries: Vec::new(),
        };
        for rows in table.rows() {
            all.add(&rows.clone().map(|row| table.row(row)).collect::<Vec<_>>(), table.chosen(rows));
        }
        all
    }

    fn add(&mut self, moves: &[Vec<i32>], chosen: &[bool]) {
        if !chosen.contains(&true) {
            return;
        }
        let first = self.chosen.len();
        self.chosen.extend(chosen);
        self.positions.push(first..self.chosen.len());
        let usual: Vec<i32> =
            (0..self.weights).map(|weight| majority(moves.iter().map(|mv| mv[weight]))).collect();
        for mv in moves {
            let changes = (0..).zip(mv.iter().zip(&usual)).filter(|(_, (value, usual))| value != usual);
            self.entries.extend(changes.map(|(weight, (value, usual))| (weight, value - usual)));
            self.starts.push(self.entries.len());
        }
    }

    /// How many weights the model has.
    pub(crate) fn weights(&self) -> usize {
        self.weights
    }

    /// The rows of each position.
    pub(crate) fn positions(&self) -> &[Range<usize>] {
        &self.positions
    }

    /// Whether a row is a move of the expert.
    pub(crate) fn is_chosen(&self, row: usize) -> bool {
        self.chosen[row]
    }

    /// The weights whose features a move changes, and by how much.
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
        let changes = MoveChanges::new(&ExpertTable::of(2, &values, chosen, 3));
        assert_eq!(changes.positions(), [0..3, 3..6]);
        let rows: Vec<Vec<(usize, f64)>> = (0..6).map(|row| changes.row(row).collect()).collect();
        assert_eq!(rows[..3], [vec![], vec![], vec![(1, -6.0)]]);
        assert_eq!(rows[3..], [vec![], vec![(0, 2.0)], vec![]]);
        assert!(changes.is_chosen(2) && changes.is_chosen(3) && !changes.is_chosen(4));
    }
}
