use cozy_chess::{
    BitBoard, Board, Color, Piece, Rank, Square, get_bishop_moves, get_bishop_rays, get_king_moves,
    get_knight_moves, get_rook_moves,
};
use gamete_game::Terms;

use super::attacks::Attacks;
use super::weights::*;
use crate::models::fill::{down, fill_up, up};
use crate::models::pawn_structure::{PawnStructure, king_steps};
use crate::models::tally::count as len;

/// One side's pieces, and what they are counted by.
struct Pieces<'a, 'b, T> {
    board: &'a Board,
    color: Color,
    pawns: &'a PawnStructure,
    /// Squares that no own piece occupies and no enemy pawn attacks.
    safe: BitBoard,
    enemy_king: Square,
    around_enemy_king: BitBoard,
    attacks: &'a mut Attacks,
    tally: &'a mut Tally<'b, T>,
    /// Pieces that attack squares around the enemy king, and how many squares all together.
    at_king: i32,
    ring_attacks: i32,
    /// Knights and bishops on the first rank.
    undeveloped: i32,
}

/// The weights of a kind of piece.
struct Kind {
    piece: Piece,
    value: Tapered,
    squares: Table,
    mobility: Table,
    at_king: Middlegame,
    king_steps: Tapered,
}

const KNIGHTS: Kind = Kind {
    piece: Piece::Knight,
    value: KNIGHT,
    squares: KNIGHT_SQUARES,
    mobility: KNIGHT_MOBILITY,
    at_king: KNIGHT_AT_KING,
    king_steps: KNIGHT_KING_STEPS,
};
const BISHOPS: Kind = Kind {
    piece: Piece::Bishop,
    value: BISHOP,
    squares: BISHOP_SQUARES,
    mobility: BISHOP_MOBILITY,
    at_king: BISHOP_AT_KING,
    king_steps: BISHOP_KING_STEPS,
};
const ROOKS: Kind = Kind {
    piece: Piece::Rook,
    value: ROOK,
    squares: ROOK_SQUARES,
    mobility: ROOK_MOBILITY,
    at_king: ROOK_AT_KING,
    king_steps: ROOK_KING_STEPS,
};
const QUEENS: Kind = Kind {
    piece: Piece::Queen,
    value: QUEEN,
    squares: QUEEN_SQUARES,
    mobility: QUEEN_MOBILITY,
    at_king: QUEEN_AT_KING,
    king_steps: QUEEN_KING_STEPS,
};

/// The knights, bishops, rooks and queens of a side, and what they attack.
#[inline]
pub(super) fn count<T: Terms>(
    board: &Board,
    color: Color,
    pawns: &PawnStructure,
    enemy_pawn_attacks: BitBoard,
    attacks: &mut Attacks,
    tally: &mut Tally<'_, T>,
) {
    let enemy_king = board.king(!color);
    let mut pieces = Pieces {
        board,
        color,
        pawns,
        safe: !board.colors(color) & !enemy_pawn_attacks,
        enemy_king,
        around_enemy_king: get_king_moves(enemy_king),
        attacks,
        tally,
        at_king: 0,
        ring_attacks: 0,
        undeveloped: 0,
    };
    pieces.count_knights();
    pieces.count_bishops();
    pieces.count_rooks();
    pieces.count_queens();
    let Pieces { at_king, ring_attacks, undeveloped, .. } = pieces;
    tally.add(UNDEVELOPED, undeveloped);
    if at_king > 0 {
        tally.add(KING_RING_ATTACKS, ring_attacks);
        tally.add(KING_ATTACKERS_2, (at_king >= 2).into());
        tally.add(KING_ATTACKERS_3, (at_king >= 3).into());
    }
}

impl<T: Terms> Pieces<'_, '_, T> {
    #[inline]
    fn of(&self, piece: Piece) -> BitBoard {
        self.board.colored_pieces(self.color, piece)
    }

    #[inline]
    fn count_knights(&mut self) {
        for knight in self.of(Piece::Knight) {
            self.count_any(&KNIGHTS, knight, get_knight_moves(knight));
            self.count_minor(knight.relative_to(self.color), KNIGHT_OUTPOST);
        }
    }

    #[inline]
    fn count_bishops(&mut self) {
        let mut bishops = 0;
        for bishop in self.of(Piece::Bishop) {
            bishops += 1;
            self.count_any(&BISHOPS, bishop, get_bishop_moves(bishop, self.board.occupied()));
            let square = bishop.relative_to(self.color);
            self.count_minor(square, BISHOP_OUTPOST);
            let squares = if BitBoard::DARK_SQUARES.has(square) {
                BitBoard::DARK_SQUARES
            } else {
                BitBoard::LIGHT_SQUARES
            };
            self.tally.add(BISHOP_OWN_PAWNS, len(self.pawns.own & squares));
            if get_bishop_rays(self.enemy_king).has(bishop) {
                self.tally.add(BISHOP_KING_LINE, 1);
            }
        }
        if bishops >= 2 {
            self.tally.add(BISHOP_PAIR, 1);
        }
    }

    #[inline]
    fn count_rooks(&mut self) {
        let rooks = self.of(Piece::Rook);
        let mut attacked = BitBoard::EMPTY;
        for rook in rooks {
            let attacks = get_rook_moves(rook, self.board.occupied());
            attacked |= attacks;
            self.count_any(&ROOKS, rook, attacks);
            self.count_rook(rook);
        }
        if !(rooks & fill_up(up(rooks))).is_empty() {
            self.tally.add(ROOKS_ON_FILE, 1);
        }
        if !(rooks & attacked).is_empty() {
            self.tally.add(ROOKS_CONNECTED, 1);
        }
    }

    #[inline]
    fn count_queens(&mut self) {
        let occupied = self.board.occupied();
        for queen in self.of(Piece::Queen) {
            let attacks = get_bishop_moves(queen, occupied) | get_rook_moves(queen, occupied);
            self.count_any(&QUEENS, queen, attacks);
            if queen.relative_to(self.color).rank() != Rank::First {
                self.tally.add(QUEEN_EARLY, self.undeveloped);
            }
        }
    }

    /// What is counted of all kinds.
    #[inline]
    fn count_any(&mut self, kind: &Kind, square: Square, attacks: BitBoard) {
        self.attacks.add(kind.piece, attacks);
        let mobility = len(attacks & self.safe) as usize;
        let mobility = if kind.piece as usize == Piece::Queen as usize { mobility / 2 } else { mobility };
        self.tally.add(kind.value, 1);
        self.tally.add(kind.squares.at(folded(square.relative_to(self.color))), 1);
        self.tally.add(kind.mobility.at(mobility), 1);
        self.tally.add(kind.king_steps, king_steps(square, self.enemy_king));
        let near_king = attacks & self.around_enemy_king;
        if !near_king.is_empty() {
            self.tally.add(kind.at_king, 1);
            self.at_king += 1;
            self.ring_attacks += len(near_king);
        }
    }

    /// What is counted of a knight or bishop on a square as its side sees it.
    #[inline]
    fn count_minor(&mut self, square: Square, outpost: Tapered) {
        const OUTPOSTS: BitBoard =
            BitBoard(Rank::Fourth.bitboard().0 | Rank::Fifth.bitboard().0 | Rank::Sixth.bitboard().0);
        if self.pawns.attacks.has(square) {
            self.tally.add(MINOR_PAWN_DEFENDED, 1);
            if (OUTPOSTS & !self.pawns.enemy_reach).has(square) {
                self.tally.add(outpost, 1);
            }
        }
        if down(self.pawns.own).has(square) {
            self.tally.add(MINOR_BEHIND_PAWN, 1);
        }
        self.undeveloped += i32::from(square.rank() == Rank::First);
    }

    /// What a rook has from where it stands, whatever is in its way.
    #[inline]
    fn count_rook(&mut self, rook: Square) {
        let square = rook.relative_to(self.color);
        let pawns = self.pawns;
        if !pawns.own_files.has(square) {
            let is_open = !pawns.enemy_files.has(square);
            self.tally.add(if is_open { ROOK_OPEN_FILE } else { ROOK_SEMI_OPEN_FILE }, 1);
        }
        let file = square.file().bitboard();
        let ahead = fill_up(up(square.bitboard()));
        if !(pawns.passed & ahead).is_empty() {
            self.tally.add(ROOK_BEHIND_PASSED, 1);
        }
        if !(pawns.enemy_passed() & file & !ahead).is_empty() {
            self.tally.add(ROOK_BEHIND_ENEMY_PASSED, 1);
        }
        let king = self.enemy_king.relative_to(self.color);
        let steps = (king.file() as i32).abs_diff(square.file() as i32);
        if steps == 0 {
            self.tally.add(ROOK_KING_FILE, 1);
        } else if steps == 1 {
            self.tally.add(ROOK_KING_ADJACENT_FILE, 1);
        }
        if !(self.board.colored_pieces(!self.color, Piece::Queen) & file).is_empty() {
            self.tally.add(ROOK_QUEEN_FILE, 1);
        }
        let seventh = Rank::Seventh.bitboard();
        if square.rank() == Rank::Seventh
            && (king.rank() == Rank::Eighth || !(pawns.enemy & seventh).is_empty())
        {
            self.tally.add(ROOK_SEVENTH, 1);
        }
    }
}

/// The place of a square in a table that is the same on both wings.
#[inline]
const fn folded(square: Square) -> usize {
    let file = square.file() as usize;
    let file = if file < 4 { file } else { 7 - file };
    4 * square.rank() as usize + file
}
