use std::collections::HashMap;

use gamete_game::Game;

use crate::{Move, Position};

/// An opening that is drawn by lot, for both players to play once with each colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot<const MOVES: usize> {
    /// The moves that open the game.
    pub moves: [Move; MOVES],
    /// The position they lead to.
    pub position: Position,
    /// Whether it is in the draw.
    pub status: BallotStatus,
}

/// Whether players have to play an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BallotStatus {
    /// In the draw.
    Accepted,
    /// Left out, because one side is thought to lose.
    Barred,
}

/// The 49 openings of two moves, of which 43 are accepted.
pub fn two_move_ballots() -> Vec<Ballot<2>> {
    lines().into_iter().map(|(moves, position)| ballot(moves, position, &BARRED_PAIRS)).collect()
}

/// The 174 openings of three moves in the order of their official numbers, of which 156 are accepted.
///
/// The 302 ways to play three moves lead to 216 positions, and in 42 of those a man is won by force. Of the
/// rest, 18 are barred as CheckerBoard bars them; other lists accept 9-13 24-19 10-15 and bar 17.
pub fn three_move_ballots() -> Vec<Ballot<3>> {
    let lines = lines();
    let mut listed = HashMap::new();
    for (moves, position) in &lines {
        let known = listed.entry(position.clone()).or_insert(*moves);
        if LISTED_AS.contains(&text(moves).as_str()) {
            *known = *moves;
        }
    }
    lines
        .into_iter()
        .filter(|(moves, position)| listed[position] == *moves && material_by_force(position, PLIES) == 0)
        .map(|(moves, position)| ballot(moves, position, &BARRED))
        .collect()
}

/// Far enough to see every man that hangs after three moves; nine plies find no other.
const PLIES: u32 = 4;

const BARRED_PAIRS: [&str; 6] =
    ["9-14 21-17", "9-14 23-18", "10-14 21-17", "10-14 23-18", "11-16 23-19", "12-16 23-19"];

const BARRED: [&str; 18] = [
    "9-13 21-17 10-14",
    "9-13 23-18 10-14",
    "9-13 24-19 10-15",
    "9-13 24-20 12-16",
    "9-14 22-18 12-16",
    "9-14 22-18 14-17",
    "9-14 23-19 10-15",
    "9-14 24-19 10-15",
    "10-14 24-19 11-15",
    "10-15 21-17 9-14",
    "10-15 22-17 9-14",
    "10-15 24-20 11-16",
    "11-15 21-17 10-14",
    "11-16 21-17 10-14",
    "11-16 22-18 10-15",
    "11-16 24-19 10-15",
    "12-16 23-18 9-14",
    "12-16 23-19 16x23",
];

/// Most openings are listed by the first of the ways to play them in the order of the squares. These are not.
const LISTED_AS: [&str; 15] = [
    "9-14 22-18 14-17",
    "10-14 22-18 6-10",
    "10-14 23-19 6-10",
    "10-14 24-19 6-10",
    "10-14 24-20 6-10",
    "10-15 21-17 9-13",
    "10-15 22-17 9-14",
    "11-15 21-17 9-13",
    "11-15 23-19 9-13",
    "11-15 23-19 9-14",
    "11-16 21-17 9-13",
    "11-16 24-20 16-19",
    "12-16 21-17 9-13",
    "12-16 24-20 8-12",
    "12-16 24-20 10-15",
];

fn ballot<const N: usize>(moves: [Move; N], position: Position, barred: &[&str]) -> Ballot<N> {
    let is_barred = barred.contains(&text(&moves).as_str());
    let status = if is_barred { BallotStatus::Barred } else { BallotStatus::Accepted };
    Ballot { moves, position, status }
}

fn text(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// Every way to play `N` moves from the start, in the order of the squares.
fn lines<const N: usize>() -> Vec<([Move; N], Position)> {
    let mut lines = vec![(Vec::new(), Position::start())];
    for _ in 0..N {
        lines = lines.iter().flat_map(|(moves, position)| extend(moves, position)).collect();
    }
    let sized = |moves: Vec<Move>| moves.try_into().expect("a line of N moves");
    lines.into_iter().map(|(moves, position)| (sized(moves), position)).collect()
}

fn extend(moves: &[Move], position: &Position) -> Vec<(Vec<Move>, Position)> {
    let mut next = position.moves();
    next.sort_by_key(|mv| (mv.from(), mv.to()));
    let play = |mv| {
        let mut position = position.clone();
        position.play(mv);
        ([moves, &[mv]].concat(), position)
    };
    next.into_iter().map(play).collect()
}

/// The men that the side to move is ahead after `plies` of best play, and the jumps that follow.
fn material_by_force(position: &Position, plies: u32) -> i32 {
    if plies == 0 && !position.can_jump() {
        let men = |color| position.pieces(color).len() as i32;
        return men(position.turn()) - men(!position.turn());
    }
    let mut best = i32::MIN;
    position.for_each_move(|mv| {
        let mut next = position.clone();
        next.play(mv);
        best = best.max(-material_by_force(&next, plies.saturating_sub(1)));
    });
    best
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn accepted<const N: usize>(ballots: &[Ballot<N>]) -> usize {
        ballots.iter().filter(|ballot| ballot.status == BallotStatus::Accepted).count()
    }

    #[test]
    fn of_49_pairs_43_are_accepted() {
        let ballots = two_move_ballots();
        assert_eq!((ballots.len(), accepted(&ballots)), (49, 43));
    }

    #[test]
    fn of_174_openings_156_are_accepted() {
        let ballots = three_move_ballots();
        assert_eq!((ballots.len(), accepted(&ballots)), (174, 156));
        let positions: HashSet<_> = ballots.iter().map(|ballot| &ballot.position).collect();
        assert_eq!(positions.len(), 174);
    }

    #[test]
    fn openings_are_listed_in_the_order_of_their_numbers() {
        let ballots = three_move_ballots();
        let number = |n: usize| text(&ballots[n - 1].moves);
        assert_eq!(number(1), "9-13 21-17 5-9");
        assert_eq!(number(26), "9-13 24-19 10-15");
        assert_eq!(number(120), "11-15 22-18 15x22");
        assert_eq!(number(174), "12-16 24-20 10-15");
    }
}
