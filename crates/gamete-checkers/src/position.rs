use std::hash::{Hash, Hasher};

use gamete_game::{ByColor, Color, Ending, Game, MoveError, Reason};

use crate::movegen::Mover;
use crate::{Bitboard, Kind, Move, Rules, Square, notation, zobrist};

/// A position of English checkers, together with the [`Rules`] it is played by.
///
/// Two positions are equal when pieces, side to move and rules are. What only the past tells – the plies counted
/// for the forty-move rule and the move number – is not compared, nor is it part of a FEN: a position that is
/// read counts from the beginning, under [`Rules::ENGLISH`].
#[derive(Debug, Clone)]
pub struct Position {
    key: u64,
    pieces: ByColor<Bitboard>,
    kings: Bitboard,
    turn: Color,
    rules: Rules,
    reversible_plies: u16,
    move_number: u16,
}

impl Position {
    /// How many pieces a side has at most.
    pub const MAX_PIECES: usize = 12;

    /// Plies without a capture or a man's move after which the game is drawn.
    pub const MAX_REVERSIBLE_PLIES: u32 = 80;

    pub(crate) fn from_pieces(pieces: ByColor<Bitboard>, kings: Bitboard, turn: Color) -> Self {
        let key = zobrist::key(pieces.white, pieces.black, kings, turn);
        Self { key, pieces, kings, turn, rules: Rules::ENGLISH, reversible_plies: 0, move_number: 1 }
    }

    /// The same position under other rules.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Makes the position one that has just come about: nothing before it counts for a draw.
    pub fn forget_past(&mut self) {
        self.reversible_plies = 0;
    }

    /// The rules that the game is played by.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The pieces of one side.
    #[inline]
    pub fn pieces(&self, color: Color) -> Bitboard {
        self.pieces[color]
    }

    /// White's pieces.
    #[inline]
    pub fn white(&self) -> Bitboard {
        self.pieces.white
    }

    /// Black's pieces.
    #[inline]
    pub fn black(&self) -> Bitboard {
        self.pieces.black
    }

    /// The kings of both sides.
    #[inline]
    pub fn kings(&self) -> Bitboard {
        self.kings
    }

    /// What stands on `square`.
    pub fn piece_at(&self, square: Square) -> Option<(Color, Kind)> {
        let color = Color::ALL.into_iter().find(|&color| self.pieces[color].contains(square))?;
        Some((color, if self.kings.contains(square) { Kind::King } else { Kind::Man }))
    }

    /// Whether the side to move can jump.
    #[inline]
    pub fn can_jump(&self) -> bool {
        self.side().can_jump()
    }

    /// The row where the men of this side are crowned.
    #[inline]
    pub const fn crown_row(color: Color) -> Bitboard {
        const ROWS: [Bitboard; 2] = [Bitboard::row(0), Bitboard::row(7)];
        match color {
            Color::White => ROWS[0],
            Color::Black => ROWS[1],
        }
    }

    /// A legal move with every square that the piece touches.
    pub fn full_move_text(&self, mv: Move) -> String {
        mv.to_string()
    }

    /// The kind of the piece on a square that is not empty.
    #[inline]
    pub(crate) fn kind_on(&self, bit: u32) -> Kind {
        if (self.kings & Bitboard::from_bit(bit)).is_empty() { Kind::Man } else { Kind::King }
    }

    /// The kinds of the piece that moves, before and after.
    #[inline]
    pub(crate) fn kinds_of_mover(&self, mv: Move) -> [Kind; 2] {
        let before = self.kind_on(mv.origin_bit());
        let to = Bitboard::from_bit(mv.target_bit());
        let stays = (to & Self::crown_row(self.turn)).is_empty();
        [before, if stays { before } else { Kind::King }]
    }

    #[inline]
    pub(crate) fn side(&self) -> Mover {
        // By value, because what is picked by its address cannot stay in registers.
        let (own, opponents) = match self.turn {
            Color::White => (self.pieces.white, self.pieces.black),
            Color::Black => (self.pieces.black, self.pieces.white),
        };
        Mover { color: self.turn, own, opponents, kings: self.kings, rules: self.rules }
    }
}

impl Game for Position {
    type Move = Move;

    const NAME: &'static str = "checkers";

    fn start() -> Self {
        let rows =
            |rows: [u32; 3]| rows.into_iter().fold(Bitboard::EMPTY, |set, row| set | Bitboard::row(row));
        let pieces = ByColor { white: rows([5, 6, 7]), black: rows([0, 1, 2]) };
        Self::from_pieces(pieces, Bitboard::EMPTY, Color::Black)
    }

    #[inline]
    fn turn(&self) -> Color {
        self.turn
    }

    #[inline]
    fn for_each_move(&self, f: impl FnMut(Move)) {
        self.side().for_each_move(f);
    }

    #[inline]
    fn count_moves(&self) -> usize {
        self.side().count_moves()
    }

    #[inline]
    fn has_moves(&self) -> bool {
        self.side().has_moves()
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        self.side().is_legal(mv)
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        let Mover { color: turn, own, opponents, kings, .. } = self.side();
        let (from, to) = (Bitboard::from_bit(mv.origin_bit()), Bitboard::from_bit(mv.target_bit()));
        let [before, after] = self.kinds_of_mover(mv);
        self.key ^= zobrist::WHITE_TO_MOVE
            ^ zobrist::piece(turn, before, mv.origin_bit())
            ^ zobrist::piece(turn, after, mv.target_bit());
        for bit in mv.captured().each_bit() {
            self.key ^= zobrist::piece(!turn, self.kind_on(bit), bit);
        }

        let (own, opponents) = (own & !from | to, opponents & !mv.captured());
        self.pieces = match turn {
            Color::White => ByColor { white: own, black: opponents },
            Color::Black => ByColor { white: opponents, black: own },
        };
        self.kings = kings & !(from | mv.captured()) | if after == Kind::King { to } else { Bitboard::EMPTY };

        let reversible = before == Kind::King && !mv.is_capture();
        self.reversible_plies = if reversible { self.reversible_plies.saturating_add(1) } else { 0 };
        self.move_number = self.move_number.saturating_add(u16::from(turn == Color::White));
        self.turn = !turn;
    }

    #[inline]
    fn key(&self) -> u64 {
        self.key
    }

    #[inline]
    fn reversible_plies(&self) -> u32 {
        self.reversible_plies.into()
    }

    #[inline]
    fn ending(&self) -> Option<Ending> {
        if !self.has_moves() {
            Some(Ending::win(!self.turn, Reason::NoMoves))
        } else if self.reversible_plies() >= Self::MAX_REVERSIBLE_PLIES {
            Some(Ending::draw(Reason::FortyMoves))
        } else {
            None
        }
    }

    fn move_number(&self) -> u32 {
        self.move_number.into()
    }

    fn flipped(&self) -> Self {
        let pieces = ByColor { white: self.pieces.black.flipped(), black: self.pieces.white.flipped() };
        Self {
            rules: self.rules,
            reversible_plies: self.reversible_plies,
            move_number: self.move_number,
            ..Self::from_pieces(pieces, self.kings.flipped(), !self.turn)
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        notation::parse_move(self, text)
    }

    fn move_text(&self, mv: Move) -> String {
        notation::move_text(self, mv)
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        (self.pieces, self.kings, self.turn, self.rules)
            == (other.pieces, other.kings, other.turn, other.rules)
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use gamete_game::Line;
    use proptest::prelude::*;

    use super::*;
    use crate::strategies::{playout, scattered};

    fn position(fen: &str) -> Position {
        fen.parse().expect("a FEN")
    }

    fn after(fen: &str, moves: &[&str]) -> Position {
        let mut position = position(fen);
        for text in moves {
            let mv = position.parse_move(text).expect("a legal move");
            position.play(mv);
        }
        position
    }

    #[test]
    fn a_position_is_half_a_cache_line() {
        assert_eq!(size_of::<Position>(), 32);
    }

    #[test]
    fn a_man_is_crowned_on_the_last_row() {
        assert_eq!(after("B:W5:B28,K2", &["28-32"]).to_string(), "W:W5:BK2,K32");
    }

    #[test]
    fn the_side_without_moves_loses() {
        let ending = Some(Ending::win(Color::White, Reason::NoMoves));
        assert_eq!(position("B:W32:B").ending(), ending);
        assert_eq!(position("B:W25,22:B21").ending(), None);
        assert_eq!(position("B:W25,30:B21").ending(), ending);
    }

    #[test]
    fn eighty_plies_of_kings_are_a_draw_unless_lost() {
        let mut kings = position("B:WK32:BK1");
        for n in 0..80 {
            assert_eq!((kings.reversible_plies(), kings.ending()), (n, None));
            let there = n / 2 % 2 == 0;
            let text = match (kings.turn(), there) {
                (Color::Black, true) => "1-6",
                (Color::Black, false) => "6-1",
                (Color::White, true) => "32-27",
                (Color::White, false) => "27-32",
            };
            kings.play(kings.parse_move(text).expect("a legal move"));
        }
        assert_eq!(kings.ending(), Some(Ending::draw(Reason::FortyMoves)));
        let stuck = Position { reversible_plies: 80, ..position("B:W25,30:B21") };
        assert_eq!(stuck.ending(), Some(Ending::win(Color::White, Reason::NoMoves)));
    }

    #[test]
    fn captures_and_men_start_the_count_anew() {
        let kings = "B:W20,K32:B3,K1";
        assert_eq!(after(kings, &["1-6", "32-27"]).reversible_plies(), 2);
        assert_eq!(after(kings, &["1-6", "32-27", "3-8"]).reversible_plies(), 0);
        assert_eq!(after("B:WK7:BK2,K32", &["2x11"]).reversible_plies(), 0);
    }

    #[test]
    fn the_third_time_is_a_draw() {
        let mut line = Line::new(position("B:WK32:BK1"));
        for text in ["1-6", "32-27", "6-1", "27-32"].into_iter().cycle().take(8) {
            assert_eq!(line.ending(), None);
            line.play(line.position().parse_move(text).expect("a legal move"));
        }
        assert_eq!(line.ending(), Some(Ending::draw(Reason::Repetition)));
    }

    #[test]
    fn what_has_no_past_is_not_drawn_by_it() {
        let mut line = Line::new(position("B:WK32:BK1"));
        for text in ["1-6", "32-27", "6-1", "27-32"].into_iter().cycle().take(100) {
            line.play(line.position().parse_move(text).expect("a legal move"));
            line.change(Position::forget_past);
            assert_eq!(line.ending(), None);
        }
    }

    #[test]
    fn moves_are_numbered_from_black_to_black() {
        let start = Position::start();
        assert_eq!(start.move_number(), 1);
        let fen = start.to_string();
        assert_eq!(after(&fen, &["11-15"]).move_number(), 1);
        assert_eq!(after(&fen, &["11-15", "22-18"]).move_number(), 2);
    }

    #[test]
    fn pieces_are_where_they_were_put() {
        let position = position("B:WK5,21:B1");
        let at = |number| Square::new(number).and_then(|square| position.piece_at(square));
        assert_eq!(at(5), Some((Color::White, Kind::King)));
        assert_eq!(at(21), Some((Color::White, Kind::Man)));
        assert_eq!(at(1), Some((Color::Black, Kind::Man)));
        assert_eq!(at(2), None);
    }

    proptest! {
        #[test]
        fn the_key_is_as_if_made_anew(start in scattered(), playout in playout()) {
            let mut position = start;
            playout.play(&mut position);
            let anew = zobrist::key(position.white(), position.black(), position.kings(), position.turn());
            prop_assert_eq!(position.key(), anew);
        }

        #[test]
        fn no_square_has_two_pieces(start in scattered(), playout in playout()) {
            let mut position = start;
            playout.play(&mut position);
            prop_assert!((position.white() & position.black()).is_empty());
            prop_assert!((position.kings() & !(position.white() | position.black())).is_empty());
            for color in Color::ALL {
                prop_assert!((position.pieces(color) & Position::crown_row(color) & !position.kings()).is_empty());
            }
        }

        #[test]
        fn flipping_twice_changes_nothing(position in scattered()) {
            prop_assert_eq!(position.flipped().flipped(), position.clone());
            prop_assert_eq!(position.flipped().flipped().key(), position.key());
        }
    }
}
