use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use cozy_chess::{BitBoard, Board, BoardBuilder, Move, Piece, Rank, Square, get_pawn_attacks};
use gamete_game::{Color, Ending, Game, MoveError, Reason};

use crate::{FenError, fen, san};

/// A legal chess position.
///
/// Positions are equal when the same moves, repetitions and counters follow from them: an en passant square
/// counts only if a pawn can take there.
#[derive(Debug, Clone)]
pub struct Position(Board);

impl Position {
    /// The position of a board.
    pub fn new(board: Board) -> Self {
        Self(board)
    }

    /// The Chess960 start position with this number, from 0 to 959; 518 is the usual one.
    ///
    /// # Panics
    ///
    /// When `number` is larger than 959.
    pub fn chess960_start(number: u32) -> Self {
        Self(Board::chess960_startpos(number))
    }

    /// The board underneath.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.0
    }

    /// The piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<(Color, Piece)> {
        let piece = self.0.piece_on(square)?;
        self.0.color_on(square).map(|color| (from_cozy(color), piece))
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.0.checkers().is_empty()
    }

    /// Whether some side can still castle with a king or rook that did not start where chess has it.
    pub fn is_chess960(&self) -> bool {
        cozy_chess::Color::ALL.into_iter().any(|color| {
            let rights = self.0.castle_rights(color);
            let king = self.0.king(color).file();
            (rights.short.is_some() || rights.long.is_some()) && king != cozy_chess::File::E
                || rights.short.is_some_and(|rook| rook != cozy_chess::File::H)
                || rights.long.is_some_and(|rook| rook != cozy_chess::File::A)
        })
    }

    /// The square on which a pawn can be taken en passant, by a legal move.
    pub fn en_passant(&self) -> Option<Square> {
        let turn = self.0.side_to_move();
        let to = Square::new(self.0.en_passant()?, Rank::Sixth.relative_to(turn));
        let takers = get_pawn_attacks(to, !turn) & self.0.colored_pieces(turn, Piece::Pawn);
        takers.into_iter().any(|from| self.0.is_legal(Move { from, to, promotion: None })).then_some(to)
    }

    #[inline]
    pub(crate) fn has_insufficient_material(&self) -> bool {
        let heavy = self.0.pieces(Piece::Pawn) | self.0.pieces(Piece::Rook) | self.0.pieces(Piece::Queen);
        if !heavy.is_empty() {
            return false;
        }
        let knights = self.0.pieces(Piece::Knight);
        let bishops = self.0.pieces(Piece::Bishop);
        let one_minor = (knights | bishops).len() <= 1;
        let bishops_of_one_color = knights.is_empty()
            && (bishops.is_subset(BitBoard::DARK_SQUARES) || bishops.is_subset(BitBoard::LIGHT_SQUARES));
        one_minor || bishops_of_one_color
    }
}

impl Game for Position {
    type Move = Move;

    const NAME: &'static str = "chess";

    fn start() -> Self {
        Self(Board::startpos())
    }

    #[inline]
    fn turn(&self) -> Color {
        from_cozy(self.0.side_to_move())
    }

    #[inline]
    fn for_each_move(&self, mut f: impl FnMut(Move)) {
        self.0.generate_moves(|moves| {
            for mv in moves {
                f(mv);
            }
            false
        });
    }

    #[inline]
    fn count_moves(&self) -> usize {
        let mut count = 0;
        self.0.generate_moves(|moves| {
            count += moves.len();
            false
        });
        count
    }

    #[inline]
    fn has_moves(&self) -> bool {
        self.0.generate_moves(|_| true)
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        self.0.is_legal(mv)
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        self.0.play_unchecked(mv);
    }

    #[inline]
    fn key(&self) -> u64 {
        if self.0.en_passant().is_some() && self.en_passant().is_none() {
            self.0.hash_without_ep()
        } else {
            self.0.hash()
        }
    }

    #[inline]
    fn reversible_plies(&self) -> u32 {
        self.0.halfmove_clock().into()
    }

    fn ending(&self) -> Option<Ending> {
        if !self.has_moves() {
            return Some(if self.in_check() {
                Ending::win(!self.turn(), Reason::Checkmate)
            } else {
                Ending::draw(Reason::Stalemate)
            });
        }
        if self.has_insufficient_material() {
            return Some(Ending::draw(Reason::InsufficientMaterial));
        }
        (self.0.halfmove_clock() >= 100).then_some(Ending::draw(Reason::FiftyMoves))
    }

    fn move_number(&self) -> u32 {
        self.0.fullmove_number().into()
    }

    fn flipped(&self) -> Self {
        let old = BoardBuilder::from_board(&self.0);
        let mut new = old.clone();
        for square in Square::ALL {
            *new.square_mut(square.flip_rank()) = old.square(square).map(|(piece, color)| (piece, !color));
        }
        new.castle_rights.swap(0, 1);
        new.side_to_move = !old.side_to_move;
        new.en_passant = old.en_passant.map(Square::flip_rank);
        Self(new.build().expect("a legal position, whoever plays which colour"))
    }

    fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        match (san::parse(self, text), self.parse_uci(text)) {
            (Ok(mv), _) | (Err(_), Ok(mv)) => Ok(mv),
            (Err(MoveError::Syntax), Err(error)) | (Err(error), Err(_)) => Err(error),
        }
    }

    fn move_text(&self, mv: Move) -> String {
        san::to_string(self, mv)
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::start()
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        // Not `Board::same_position`, which takes any piece beside the en passant square for a pawn.
        let (one, two) = (&self.0, &other.0);
        one.hash_without_ep() == two.hash_without_ep()
            && Piece::ALL.into_iter().all(|piece| one.pieces(piece) == two.pieces(piece))
            && cozy_chess::Color::ALL.into_iter().all(|color| one.colors(color) == two.colors(color))
            && cozy_chess::Color::ALL
                .into_iter()
                .all(|color| one.castle_rights(color) == two.castle_rights(color))
            && one.side_to_move() == two.side_to_move()
            && self.en_passant() == other.en_passant()
            && self.0.halfmove_clock() == other.0.halfmove_clock()
            && self.0.fullmove_number() == other.0.fullmove_number()
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
        self.0.halfmove_clock().hash(state);
        self.0.fullmove_number().hash(state);
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        fen::parse(text).map(Self)
    }
}

/// X-FEN, which is plain FEN wherever that suffices; `{:#}` is Shredder-FEN.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fen::write_position(f, self)?;
        write!(f, " {} {}", self.0.halfmove_clock(), self.0.fullmove_number())
    }
}

pub(crate) const fn from_cozy(color: cozy_chess::Color) -> Color {
    match color {
        cozy_chess::Color::White => Color::White,
        cozy_chess::Color::Black => Color::Black,
    }
}

#[cfg(test)]
mod tests {
    use gamete_game::Line;

    use super::*;

    fn reason(fen: &str) -> Option<Reason> {
        fen.parse::<Position>().expect("a good FEN").ending().map(|ending| ending.reason)
    }

    #[test]
    fn knows_how_games_end() {
        assert_eq!(
            reason("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"),
            Some(Reason::Checkmate)
        );
        assert_eq!(reason("7k/5Q2/8/8/8/8/8/K7 b - - 0 1"), Some(Reason::Stalemate));
        assert_eq!(reason("7k/8/8/8/8/8/8/KR6 b - - 100 90"), Some(Reason::FiftyMoves));
        assert_eq!(reason("7k/8/8/8/8/8/8/KR6 b - - 99 90"), None);
        // Mate on the hundredth ply is mate.
        assert_eq!(reason("R5k1/5ppp/8/8/8/8/8/K7 b - - 100 90"), Some(Reason::Checkmate));
    }

    #[test]
    fn material_is_insufficient_only_when_nobody_can_ever_mate() {
        for fen in
            ["8/8/4k3/8/8/8/8/K7", "8/8/4k3/8/8/8/8/KN6", "8/8/4k3/8/8/8/8/KB6", "8/8/2b1k3/8/8/8/8/KB6"]
        {
            assert_eq!(reason(&format!("{fen} w - -")), Some(Reason::InsufficientMaterial), "{fen}");
        }
        for fen in
            ["8/8/3bk3/8/8/8/8/KB6", "8/8/4k3/8/8/8/8/KNN5", "8/8/3nk3/8/8/8/8/KB6", "8/8/4k3/8/8/8/P7/K7"]
        {
            assert_eq!(reason(&format!("{fen} w - -")), None, "{fen}");
        }
    }

    #[test]
    fn the_third_time_is_a_draw_and_a_dead_en_passant_square_does_not_matter() {
        let mut line = Line::new(Position::start());
        let play = |line: &mut Line<Position>, moves: &str| {
            for mv in moves.split(' ') {
                line.play(line.position().parse_move(mv).expect("a legal move"));
            }
        };
        play(&mut line, "e4 Nf6 Nf3 Ng8 Ng1");
        assert_eq!(line.occurrences(), 2);
        play(&mut line, "Nf6 Nf3 Ng8");
        assert_eq!(line.ending(), None);
        play(&mut line, "Ng1");
        assert_eq!(line.ending(), Some(Ending::draw(Reason::Repetition)));
        line.undo();
        assert_eq!(line.ending(), None);
    }
}
