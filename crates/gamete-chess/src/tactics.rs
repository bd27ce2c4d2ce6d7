use cozy_chess::{
    BitBoard, Board, Color, File, Move, Piece, PieceMoves, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_rook_moves,
};
use gamete_game::{Game, MoveCode, Tactics};

use crate::Position;

const PROMOTIONS: [Option<Piece>; 8] =
    [None, Some(Piece::Knight), Some(Piece::Bishop), Some(Piece::Rook), Some(Piece::Queen), None, None, None];

/// Kinds are pawn, knight, bishop, rook, queen and king, from 0 to 5.
impl Tactics for Position {
    const PIECE_VALUES: &'static [i32] = &[1_000, 3_200, 3_300, 5_000, 9_500, 0];
    const HISTORY_SIZE: usize = 2 * 6 * 64;
    const MAX_REVERSIBLE_PLIES: u32 = 100;

    #[inline]
    fn is_forced(&self) -> bool {
        self.in_check()
    }

    #[inline]
    fn is_drawn(&self) -> bool {
        self.has_insufficient_material()
            || self.reversible_plies() >= Self::MAX_REVERSIBLE_PLIES && (!self.in_check() || self.has_moves())
    }

    #[inline]
    fn is_stuck(&self) -> bool {
        false
    }

    #[inline]
    fn is_tactical(&self, mv: Move) -> bool {
        match mv.promotion {
            None => self.is_capture(mv),
            Some(promotion) => promotion == Piece::Queen,
        }
    }

    #[inline]
    fn is_capture(&self, mv: Move) -> bool {
        let board = self.board();
        let takes_pawn_in_passing = || {
            board.pieces(Piece::Pawn).has(mv.from)
                && mv.from.file() != mv.to.file()
                && !board.occupied().has(mv.to)
        };
        board.colors(!board.side_to_move()).has(mv.to) || takes_pawn_in_passing()
    }

    fn has_tactical(&self) -> bool {
        let targets = Targets::new(self.board());
        self.board().generate_moves_for(targets.movers, |moves| !targets.tactical(moves).is_empty())
    }

    #[inline]
    fn for_each_tactical(&self, mut f: impl FnMut(Move)) {
        let targets = Targets::new(self.board());
        self.board().generate_moves_for(targets.movers, |moves| {
            let promotes = moves.piece == Piece::Pawn;
            for to in targets.tactical(moves) {
                let promotion = (promotes && targets.last_rank.has(to)).then_some(Piece::Queen);
                f(Move { from: moves.from, to, promotion });
            }
            false
        });
    }

    #[inline]
    fn for_each_quiet(&self, mut f: impl FnMut(Move)) {
        let targets = Targets::new(self.board());
        self.board().generate_moves(|moves| {
            let from = moves.from;
            if moves.piece != Piece::Pawn {
                for to in moves.to & !targets.opponents {
                    f(Move { from, to, promotion: None });
                }
                return false;
            }
            for to in moves.to & targets.last_rank {
                for promotion in [Piece::Knight, Piece::Bishop, Piece::Rook] {
                    f(Move { from, to, promotion: Some(promotion) });
                }
            }
            for to in moves.to & !targets.of_pawns {
                f(Move { from, to, promotion: None });
            }
            false
        });
    }

    #[inline]
    fn null_move(&self) -> Option<Self> {
        let board = self.board();
        let slow = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        if board.colors(board.side_to_move()).is_subset(slow) {
            return None;
        }
        board.null_move().map(Self::new)
    }

    #[inline]
    fn mover(&self, mv: Move) -> usize {
        piece_on(self.board(), mv.from) as usize
    }

    #[inline]
    fn gain(&self, mv: Move, values: &[i32]) -> i32 {
        let board = self.board();
        let victim = if board.colors(!board.side_to_move()).has(mv.to) {
            values[piece_on(board, mv.to) as usize]
        } else if self.is_capture(mv) {
            values[Piece::Pawn as usize]
        } else {
            0
        };
        let promotion = mv.promotion.map_or(0, |piece| values[piece as usize] - values[Piece::Pawn as usize]);
        victim + promotion
    }

    fn see_ge(&self, mv: Move, values: &[i32], threshold: i32) -> bool {
        let board = self.board();
        let turn = board.side_to_move();
        let mut balance = self.gain(mv, values).saturating_sub(threshold);
        if balance < 0 {
            return false;
        }
        let piece = mv.promotion.unwrap_or_else(|| piece_on(board, mv.from));
        if piece == Piece::King {
            return true;
        }
        balance -= values[piece as usize];
        if balance >= 0 {
            return true;
        }

        let diagonal = board.pieces(Piece::Bishop) | board.pieces(Piece::Queen);
        let straight = board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
        let mut occupied = board.occupied() & !mv.from.bitboard() | mv.to.bitboard();
        if piece == Piece::Pawn && mv.from.file() != mv.to.file() && !board.occupied().has(mv.to) {
            occupied &= !Square::new(mv.to.file(), mv.from.rank()).bitboard();
        }
        let mut attackers = get_pawn_attacks(mv.to, Color::Black)
            & board.colored_pieces(Color::White, Piece::Pawn)
            | get_pawn_attacks(mv.to, Color::White) & board.colored_pieces(Color::Black, Piece::Pawn)
            | get_knight_moves(mv.to) & board.pieces(Piece::Knight)
            | get_king_moves(mv.to) & board.pieces(Piece::King)
            | get_bishop_moves(mv.to, occupied) & diagonal
            | get_rook_moves(mv.to, occupied) & straight;
        attackers &= occupied;

        // `balance` is what the side that just took would have lost if its piece were taken for nothing.
        let mut side = !turn;
        loop {
            let own = attackers & board.colors(side);
            let weakest = Piece::ALL.into_iter().find(|&piece| !(own & board.pieces(piece)).is_empty());
            let Some(piece) = weakest else { break };
            let Some(from) = (own & board.pieces(piece)).next_square() else { break };
            occupied &= !from.bitboard();
            if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
                attackers |= get_bishop_moves(mv.to, occupied) & diagonal;
            }
            if matches!(piece, Piece::Rook | Piece::Queen) {
                attackers |= get_rook_moves(mv.to, occupied) & straight;
            }
            attackers &= occupied;
            side = !side;
            if piece == Piece::King {
                // The king cannot take what is defended.
                if !(attackers & board.colors(side)).is_empty() {
                    side = !side;
                }
                break;
            }
            balance = -balance - 1 - values[piece as usize];
            if balance >= 0 {
                break;
            }
        }
        side != turn
    }

    #[inline]
    fn is_far_push(&self, mv: Move) -> bool {
        let board = self.board();
        mv.to.rank() == Rank::Seventh.relative_to(board.side_to_move())
            && board.pieces(Piece::Pawn).has(mv.from)
    }

    #[inline]
    fn target(mv: Move) -> usize {
        mv.to as usize
    }

    #[inline]
    fn history_index(&self, mv: Move) -> usize {
        (self.board().side_to_move() as usize * 6 + self.mover(mv)) * 64 + mv.to as usize
    }

    #[inline]
    fn code(mv: Move) -> MoveCode {
        let promotion = mv.promotion.map_or(0, |piece| piece as u16);
        MoveCode::new(mv.from as u16 | (mv.to as u16) << 6 | promotion << 12).expect("two different squares")
    }

    #[inline]
    fn decode(&self, code: MoveCode) -> Option<Move> {
        let bits = code.bits();
        let from = Square::try_index(usize::from(bits & 63))?;
        let to = Square::try_index(usize::from(bits >> 6 & 63))?;
        let mv = Move { from, to, promotion: PROMOTIONS[usize::from(bits >> 12 & 7)] };
        self.is_legal(mv).then_some(mv)
    }
}

/// Where tactical moves go.
struct Targets {
    opponents: BitBoard,
    last_rank: BitBoard,
    /// Captures, also in passing, and promotions.
    of_pawns: BitBoard,
    /// The pieces that may have a tactical move.
    movers: BitBoard,
}

impl Targets {
    #[inline]
    fn new(board: &Board) -> Self {
        let turn = board.side_to_move();
        let opponents = board.colors(!turn);
        let last_rank = Rank::Eighth.relative_to(turn).bitboard();
        let in_passing = board
            .en_passant()
            .map_or(BitBoard::EMPTY, |file| Square::new(file, Rank::Sixth.relative_to(turn)).bitboard());
        let of_pawns = opponents | last_rank | in_passing;

        // The squares from which a pawn takes or promotes.
        let taken = (opponents | in_passing).0;
        let (left, right) = (!File::A.bitboard().0 & taken, !File::H.bitboard().0 & taken);
        let from = match turn {
            Color::White => left >> 9 | right >> 7,
            Color::Black => left << 7 | right << 9,
        };
        let pawns = board.pieces(Piece::Pawn);
        let active = BitBoard(from) | Rank::Seventh.relative_to(turn).bitboard();
        let mut movers = board.colors(turn) & (!pawns | active);
        let king = board.king(turn);
        if (get_king_moves(king) & opponents).is_empty() {
            movers &= !king.bitboard();
        }
        Self { opponents, last_rank, of_pawns, movers }
    }

    #[inline]
    fn tactical(&self, moves: PieceMoves) -> BitBoard {
        moves.to & if moves.piece == Piece::Pawn { self.of_pawns } else { self.opponents }
    }
}

#[inline]
fn piece_on(board: &Board, square: Square) -> Piece {
    board.piece_on(square).expect("a piece where a move starts or takes")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const FENS: [&str; 6] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    ];

    fn check(position: &Position, depth: u32) {
        let (mut tactical, mut quiet) = (Vec::new(), Vec::new());
        position.for_each_tactical(|mv| tactical.push(mv));
        position.for_each_quiet(|mv| quiet.push(mv));
        assert!(tactical.iter().all(|&mv| position.is_tactical(mv)), "{position}");
        assert!(!quiet.iter().any(|&mv| position.is_tactical(mv)), "{position}");
        assert_eq!(position.has_tactical(), !tactical.is_empty());
        let listed: HashSet<_> = tactical.iter().chain(&quiet).copied().collect();
        assert_eq!(listed.len(), tactical.len() + quiet.len());
        assert_eq!(listed, position.moves().into_iter().collect(), "{position}");
        for mv in listed {
            assert_eq!(position.decode(Position::code(mv)), Some(mv));
            let mut next = position.clone();
            let pieces = next.board().occupied().len();
            next.play(mv);
            assert_eq!(position.is_capture(mv), next.board().occupied().len() < pieces, "{mv}");
            if depth > 1 {
                check(&next, depth - 1);
            }
        }
    }

    #[test]
    fn tactical_and_quiet_moves_are_all_moves() {
        for fen in FENS {
            check(&fen.parse().expect("a good FEN"), 2);
            check(&fen.parse::<Position>().expect("a good FEN").flipped(), 2);
        }
    }

    #[test]
    fn exchanges_are_counted_to_their_end() {
        let values = [100, 300, 300, 500, 900, 0];
        for (fen, mv, gain) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - -", "e1e5", 100),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - -", "d3e5", -200),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e4d5", 100),
            ("3rk3/8/8/3p4/4P3/8/8/3QK3 w - -", "e4d5", 100),
            ("3rk3/8/8/3p4/8/8/3Q4/3RK3 w - -", "d2d5", -300),
            ("8/2k5/3p4/8/8/8/3R4/4K3 w - -", "d2d6", -400),
            ("8/2k5/3p4/8/8/8/3R4/3RK3 w - -", "d2d6", 100),
            ("8/8/2k5/3pP3/8/8/8/4K3 w - d6", "e5d6", 0),
            ("8/P6k/8/8/8/8/8/4K3 w - -", "a7a8q", 800),
            ("1r6/P6k/8/8/8/8/8/4K3 w - -", "a7a8q", -100),
            ("8/8/2k5/8/8/8/8/R3K2R w KQ -", "e1h1", 0),
            ("8/8/2k5/8/1n6/8/8/R3K2R w KQ -", "a1a2", -500),
        ] {
            let position: Position = fen.parse().expect("a good FEN");
            let mv = mv.parse().expect("a good move");
            assert!(position.see_ge(mv, &values, gain), "{fen} {mv} gains {gain}");
            assert!(!position.see_ge(mv, &values, gain + 1), "{fen} {mv} gains no more than {gain}");
        }
    }

    #[test]
    fn passing_is_no_guess_in_check_or_with_pawns_alone() {
        let passes = |fen: &str| fen.parse::<Position>().expect("a good FEN").null_move().is_some();
        assert!(passes("4k3/8/8/8/8/8/4P3/R3K3 w - -"));
        assert!(!passes("4k3/8/8/8/8/8/4P3/R3K3 b - -"));
        assert!(!passes("4k3/4r3/8/8/8/8/8/R3K3 w - -"));
    }
}
