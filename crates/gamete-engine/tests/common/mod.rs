//! Evaluators and positions for tests.
#![allow(dead_code, reason = "every test file uses its part")]

use std::sync::atomic::AtomicBool;

use gamete_chess::{Piece, Square};
use gamete_engine::{Limit, SearchResult, SearchSettings, Searcher};
use gamete_game::{Color, Evaluator, Game, Line, PieceValues, Score, Tactics};

/// Counts pieces, and a little for where they stand.
pub struct Simple;

/// Counts pieces.
pub struct Material;

const PAWN: [i32; 64] = [
    0, 0, 0, 0, 0, 0, 0, 0, //
    5, 10, 10, -20, -20, 10, 10, 5, //
    5, -5, -10, 0, 0, -10, -5, 5, //
    0, 0, 0, 20, 20, 0, 0, 0, //
    5, 5, 10, 25, 25, 10, 5, 5, //
    10, 10, 20, 30, 30, 20, 10, 10, //
    50, 50, 50, 50, 50, 50, 50, 50, //
    0, 0, 0, 0, 0, 0, 0, 0,
];

fn centre(square: Square) -> i32 {
    let away = |index: usize| (2 * index as i32 - 7).abs() / 2;
    6 - away(square.file() as usize) - away(square.rank() as usize)
}

fn chess(position: &gamete_chess::Position, places: bool) -> Score {
    let board = position.board();
    let mut total = 0;
    let own = board.side_to_move();
    for (color, sign) in [(own, 1), (!own, -1)] {
        let up = (color == own) == (position.turn() == Color::White);
        for piece in Piece::ALL {
            let pieces = board.colored_pieces(color, piece);
            total += sign * pieces.len() as i32 * gamete_chess::Position::PIECE_VALUES[piece as usize];
            if !places {
                continue;
            }
            for square in pieces {
                let relative = if up { square } else { square.flip_rank() };
                total += sign
                    * match piece {
                        Piece::Pawn => 10 * PAWN[relative as usize],
                        Piece::Knight => 90 * centre(square) - 200,
                        Piece::Bishop => 50 * centre(square),
                        Piece::Rook => 10 * centre(square),
                        Piece::Queen => 20 * centre(square),
                        Piece::King => {
                            let heavy = board.pieces(Piece::Queen).len() as i32 * 2
                                + board.pieces(Piece::Rook).len() as i32;
                            if heavy >= 4 { -100 * centre(square) } else { 60 * centre(square) }
                        }
                    };
            }
        }
    }
    Score::new(total)
}

fn checkers(position: &gamete_checkers::Position, places: bool) -> Score {
    let mut total = 0;
    for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
        let pieces = position.pieces(color);
        let kings = (pieces & position.kings()).len() as i32;
        total += sign * (1_000 * pieces.len() as i32 + 400 * kings);
        if places {
            total += sign * pieces.squares().map(|square| 7 * (square.column() as i32 % 5)).sum::<i32>();
        }
    }
    Score::new(if position.turn() == Color::White { total } else { -total })
}

impl Evaluator<gamete_chess::Position> for Simple {
    fn evaluate(&self, position: &gamete_chess::Position) -> Score {
        chess(position, true)
    }
}

impl Evaluator<gamete_chess::Position> for Material {
    fn evaluate(&self, position: &gamete_chess::Position) -> Score {
        chess(position, false)
    }
}

impl Evaluator<gamete_checkers::Position> for Simple {
    fn evaluate(&self, position: &gamete_checkers::Position) -> Score {
        checkers(position, true)
    }
}

impl Evaluator<gamete_checkers::Position> for Material {
    fn evaluate(&self, position: &gamete_checkers::Position) -> Score {
        checkers(position, false)
    }
}

impl PieceValues<gamete_chess::Position> for Simple {}
impl PieceValues<gamete_chess::Position> for Material {}
impl PieceValues<gamete_checkers::Position> for Simple {}
impl PieceValues<gamete_checkers::Position> for Material {}

/// A small generator of random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

/// Positions of random games that are not over, one per game.
pub fn playouts<G: Game>(start: &G, count: usize, max_plies: usize) -> Vec<Line<G>> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut lines = Vec::new();
    while lines.len() < count {
        let mut line = Line::new(start.clone());
        for _ in 0..random.below(max_plies) {
            let moves = line.position().moves();
            if line.ending().is_some() {
                break;
            }
            line.play(moves[random.below(moves.len())]);
        }
        if line.ending().is_none() {
            lines.push(line);
        }
    }
    lines
}

/// A search that nobody interrupts.
pub fn search<G: Tactics>(
    settings: &SearchSettings,
    line: &Line<G>,
    evaluator: &impl PieceValues<G>,
    limit: &Limit,
) -> SearchResult<G> {
    let mut searcher = Searcher::new(settings, 1 << 28);
    searcher.search(line, evaluator, limit, &AtomicBool::new(false), None, |_| {})
}
