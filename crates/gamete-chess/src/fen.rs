use std::fmt;

use cozy_chess::{Board, BoardBuilder, BoardBuilderError, Color, File, Piece, Rank, Square, get_king_moves};

use crate::Position;
use crate::position::from_cozy;

/// Why a text is not the FEN of a legal position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// A field is not there.
    #[error("the FEN has no {0}")]
    Missing(&'static str),
    /// There is something behind the last field.
    #[error("the FEN goes on after the move number: {0:?}")]
    Extra(String),
    /// Not eight ranks.
    #[error("the FEN has {0} ranks instead of 8")]
    Ranks(usize),
    /// A rank that is not eight squares wide.
    #[error("rank {rank} of the FEN has {squares} squares instead of 8")]
    RankWidth {
        /// The rank, from 1.
        rank: usize,
        /// How wide it is.
        squares: usize,
    },
    /// A letter that is no piece.
    #[error("rank {rank} of the FEN has {letter:?}, which is not a piece")]
    Piece {
        /// The rank, from 1.
        rank: usize,
        /// The letter.
        letter: char,
    },
    /// Not one king a side.
    #[error("{color} has {count} kings instead of 1")]
    Kings {
        /// Whose kings.
        color: gamete_game::Color,
        /// How many.
        count: u32,
    },
    /// More pieces or pawns than a side can have.
    #[error("{color} has {count} {what} instead of at most {most}")]
    TooMany {
        /// Whose.
        color: gamete_game::Color,
        /// How many.
        count: u32,
        /// Pieces or pawns.
        what: &'static str,
        /// How many can be.
        most: u32,
    },
    /// A pawn where it can never stand.
    #[error("there is a pawn on {0}")]
    PawnOnBackRank(Square),
    /// The kings touch.
    #[error("the kings stand side by side on {0} and {1}")]
    KingsTouch(Square, Square),
    /// The side that has just moved left its king in check.
    #[error("{0} is in check, but it is not {0}'s move")]
    LeftInCheck(gamete_game::Color),
    /// More attackers of the king than a move can make.
    #[error("{0} is in check from more than two pieces")]
    TooManyCheckers(gamete_game::Color),
    /// Neither `w` nor `b`.
    #[error("the side to move is {0:?} instead of w or b")]
    SideToMove(String),
    /// A castling right that is not in any notation, or given twice.
    #[error("the castling rights are {0:?} instead of a set of KQkq, files, or -")]
    Castling(String),
    /// A castling right without its king and rook.
    #[error("castling right {0:?} has no king and rook to castle with")]
    CastlingPieces(char),
    /// An en passant square that no pawn can just have passed.
    #[error("no pawn can just have passed the en passant square {0:?}")]
    EnPassant(String),
    /// A counter that is not a number.
    #[error("the {name} is {text:?} instead of a number")]
    Counter {
        /// Which counter.
        name: &'static str,
        /// What stands there.
        text: String,
    },
    /// Whatever else the board cannot be.
    #[error("impossible position: {0}")]
    Impossible(String),
}

/// Reads FEN, X-FEN and Shredder-FEN. The two counters may be left out.
pub fn parse(text: &str) -> Result<Board, FenError> {
    let mut fields = text.split_ascii_whitespace();
    let mut field = |name| fields.next().ok_or(FenError::Missing(name));

    let mut setup = BoardBuilder::empty();
    parse_pieces(&mut setup, field("pieces")?)?;
    setup.side_to_move = match field("side to move")? {
        "w" => Color::White,
        "b" => Color::Black,
        other => return Err(FenError::SideToMove(other.to_owned())),
    };
    check_pieces(&setup)?;
    parse_castling(&mut setup, field("castling rights")?)?;
    let en_passant = field("en passant square")?;
    parse_en_passant(&mut setup, en_passant)?;
    // The board counts to a hundred, where the game is drawn, and files often number their first move 0.
    let halfmove_clock = parse_counter("halfmove clock", fields.next(), 0)?;
    setup.halfmove_clock = halfmove_clock.min(100) as u8;
    setup.fullmove_number = parse_counter("move number", fields.next(), 1)?.max(1);
    if let Some(extra) = fields.next() {
        return Err(FenError::Extra(extra.to_owned()));
    }

    let board = setup.build().map_err(|error| match error {
        BoardBuilderError::InvalidEnPassant => FenError::EnPassant(en_passant.to_owned()),
        BoardBuilderError::InvalidBoard => FenError::LeftInCheck(from_cozy(!setup.side_to_move)),
        error => FenError::Impossible(error.to_string()),
    })?;
    if board.checkers().len() > 2 {
        return Err(FenError::TooManyCheckers(from_cozy(board.side_to_move())));
    }
    Ok(board)
}

fn parse_pieces(setup: &mut BoardBuilder, text: &str) -> Result<(), FenError> {
    let ranks = text.split('/').count();
    if ranks != 8 {
        return Err(FenError::Ranks(ranks));
    }
    for (row, &rank) in text.split('/').zip(Rank::ALL.iter().rev()) {
        let number = rank as usize + 1;
        let mut squares = 0;
        for letter in row.chars() {
            if let Some(empty) = letter.to_digit(9).filter(|&empty| empty > 0) {
                squares += empty as usize;
                continue;
            }
            let piece = piece(letter).ok_or(FenError::Piece { rank: number, letter })?;
            if let Some(file) = File::try_index(squares) {
                *setup.square_mut(Square::new(file, rank)) = Some(piece);
            }
            squares += 1;
        }
        if squares != 8 {
            return Err(FenError::RankWidth { rank: number, squares });
        }
    }
    Ok(())
}

fn piece(letter: char) -> Option<(Piece, Color)> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    Piece::try_from(letter.to_ascii_lowercase()).ok().map(|piece| (piece, color))
}

fn check_pieces(setup: &BoardBuilder) -> Result<(), FenError> {
    let standing = |wanted: Piece, color: Color| {
        Square::ALL.into_iter().filter(move |&square| setup.square(square) == Some((wanted, color)))
    };
    for color in Color::ALL {
        let name = from_cozy(color);
        let kings = standing(Piece::King, color).count() as u32;
        if kings != 1 {
            return Err(FenError::Kings { color: name, count: kings });
        }
        let pawns = standing(Piece::Pawn, color).count() as u32;
        if pawns > 8 {
            return Err(FenError::TooMany { color: name, count: pawns, what: "pawns", most: 8 });
        }
        let pieces = setup.board.iter().flatten().filter(|&&(_, owner)| owner == color).count() as u32;
        if pieces > 16 {
            return Err(FenError::TooMany { color: name, count: pieces, what: "pieces", most: 16 });
        }
        let on_back_rank = |square: &Square| matches!(square.rank(), Rank::First | Rank::Eighth);
        if let Some(square) = standing(Piece::Pawn, color).find(on_back_rank) {
            return Err(FenError::PawnOnBackRank(square));
        }
    }
    let king = |color| standing(Piece::King, color).next().expect("one king a side");
    let (white, black) = (king(Color::White), king(Color::Black));
    if get_king_moves(white).has(black) {
        return Err(FenError::KingsTouch(white, black));
    }
    Ok(())
}

fn parse_castling(setup: &mut BoardBuilder, text: &str) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let back_rank = Rank::First.relative_to(color);
        let stands = |piece, file: &File| setup.square(Square::new(*file, back_rank)) == Some((piece, color));
        let king = File::ALL.into_iter().find(|file| stands(Piece::King, file));
        let king = king.ok_or(FenError::CastlingPieces(letter))?;
        let rook = match letter.to_ascii_lowercase() {
            'k' => File::ALL.into_iter().rfind(|file| stands(Piece::Rook, file)),
            'q' => File::ALL.into_iter().find(|file| stands(Piece::Rook, file)),
            file @ 'a'..='h' => File::try_from(file).ok().filter(|file| stands(Piece::Rook, file)),
            _ => return Err(FenError::Castling(text.to_owned())),
        };
        let rook = rook.ok_or(FenError::CastlingPieces(letter))?;
        let wrong_side = match letter.to_ascii_lowercase() {
            'k' => rook < king,
            'q' => rook > king,
            _ => false,
        };
        if wrong_side {
            return Err(FenError::CastlingPieces(letter));
        }
        let rights = setup.castle_rights_mut(color);
        let right = if rook > king { &mut rights.short } else { &mut rights.long };
        if right.replace(rook).is_some() {
            return Err(FenError::Castling(text.to_owned()));
        }
    }
    Ok(())
}

fn parse_en_passant(setup: &mut BoardBuilder, text: &str) -> Result<(), FenError> {
    if text != "-" {
        let square: Square = text.parse().map_err(|_| FenError::EnPassant(text.to_owned()))?;
        setup.en_passant = Some(square);
    }
    Ok(())
}

fn parse_counter(name: &'static str, text: Option<&str>, default: u16) -> Result<u16, FenError> {
    let Some(text) = text else { return Ok(default) };
    let number: u64 = text.parse().map_err(|_| FenError::Counter { name, text: text.to_owned() })?;
    Ok(number.min(u16::MAX.into()) as u16)
}

/// Writes the first four fields, with castling rights as X-FEN or, in alternate mode, as Shredder-FEN has them.
pub fn write_position(f: &mut fmt::Formatter<'_>, position: &Position) -> fmt::Result {
    let board = position.board();
    for &rank in Rank::ALL.iter().rev() {
        write_rank(f, position, rank)?;
        f.write_str(if rank == Rank::First { " " } else { "/" })?;
    }
    f.write_str(if board.side_to_move() == Color::White { "w " } else { "b " })?;
    let mut any = false;
    for color in Color::ALL {
        let rights = board.castle_rights(color);
        for (rook, plain) in [(rights.short, 'k'), (rights.long, 'q')] {
            let Some(rook) = rook else { continue };
            let letter =
                if f.alternate() || !is_outermost(board, color, rook) { char::from(rook) } else { plain };
            let letter = if color == Color::White { letter.to_ascii_uppercase() } else { letter };
            write!(f, "{letter}")?;
            any = true;
        }
    }
    if !any {
        f.write_str("-")?;
    }
    match position.en_passant() {
        Some(square) => write!(f, " {square}"),
        None => f.write_str(" -"),
    }
}

fn write_rank(f: &mut fmt::Formatter<'_>, position: &Position, rank: Rank) -> fmt::Result {
    let mut empty = 0;
    for file in File::ALL {
        let Some((color, piece)) = position.piece_at(Square::new(file, rank)) else {
            empty += 1;
            continue;
        };
        if empty > 0 {
            write!(f, "{empty}")?;
            empty = 0;
        }
        let letter = char::from(piece);
        let letter = if color == gamete_game::Color::White { letter.to_ascii_uppercase() } else { letter };
        write!(f, "{letter}")?;
    }
    if empty > 0 {
        write!(f, "{empty}")?;
    }
    Ok(())
}

/// Whether no other rook of `color` stands between `rook` and the edge it castles towards.
fn is_outermost(board: &Board, color: Color, rook: File) -> bool {
    let back_rank = Rank::First.relative_to(color);
    let rooks = board.colored_pieces(color, Piece::Rook) & back_rank.bitboard();
    let king = board.king(color).file();
    rooks.into_iter().map(Square::file).all(|other| if rook > king { other <= rook } else { other >= rook })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(fen: &str) -> String {
        fen.parse::<Position>().expect_err("a bad FEN").to_string()
    }

    fn round_trip(fen: &str) -> String {
        fen.parse::<Position>().expect("a good FEN").to_string()
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(error(""), "the FEN has no pieces");
        assert_eq!(
            error("rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            "the FEN has 9 ranks instead of 8"
        );
        assert_eq!(error("k7/9/8/8/8/8/8/K7 w - -"), "rank 7 of the FEN has '9', which is not a piece");
        assert_eq!(error("k8/8/8/8/8/8/8/K7 w - -"), "rank 8 of the FEN has 9 squares instead of 8");
        assert_eq!(error("k7/8/8/8/8/8/8/KK6 w - -"), "White has 2 kings instead of 1");
        assert_eq!(error("8/8/8/8/8/8/8/K7 w - -"), "Black has 0 kings instead of 1");
        assert_eq!(error("k7/8/8/8/8/8/8/KP6 w - -"), "there is a pawn on b1");
        assert_eq!(error("8/8/8/8/8/8/kK6/8 w - -"), "the kings stand side by side on b2 and a2");
        assert_eq!(error("k7/8/8/8/8/8/8/R3K3 w Q - 0 1"), "Black is in check, but it is not Black's move");
        assert_eq!(error("k7/8/8/8/8/8/8/4K2R x - -"), "the side to move is \"x\" instead of w or b");
        assert_eq!(
            error("k7/8/8/8/8/8/8/4K2R w Q -"),
            "castling right 'Q' has no king and rook to castle with"
        );
        assert_eq!(
            error("k7/8/8/8/8/8/8/4K2R w KK -"),
            "the castling rights are \"KK\" instead of a set of KQkq, files, or -"
        );
        assert_eq!(
            error("k7/8/8/8/4P3/8/8/4K3 b - e4 0 1"),
            "no pawn can just have passed the en passant square \"e4\""
        );
        assert_eq!(error("k7/8/8/8/8/8/8/4K3 w - - x 1"), "the halfmove clock is \"x\" instead of a number");
        assert_eq!(error("k7/8/8/8/8/8/8/4K3 w - - 0 1 1"), "the FEN goes on after the move number: \"1\"");
    }

    #[test]
    fn counters_may_be_missing_or_odd() {
        assert_eq!(round_trip("k7/8/8/8/8/8/8/4K3 w - -"), "k7/8/8/8/8/8/8/4K3 w - - 0 1");
        assert_eq!(round_trip("k7/8/8/8/8/8/8/4K3 w - - 120 0"), "k7/8/8/8/8/8/8/4K3 w - - 100 1");
    }

    #[test]
    fn reads_all_three_castling_notations() {
        let shredder = "nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w FBfb - 0 1";
        let x_fen = "nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w KQkq - 0 1";
        let position: Position = shredder.parse().unwrap();
        assert_eq!(position, x_fen.parse().unwrap());
        assert_eq!(position.to_string(), x_fen);
        assert_eq!(format!("{position:#}"), shredder);
        assert!(position.is_chess960());
    }

    #[test]
    fn an_inner_castling_rook_is_written_by_its_file() {
        let inner = "1k6/8/8/8/8/8/8/R1RK2RR w GC - 0 1";
        assert_eq!(round_trip(inner), inner);
        assert_eq!(round_trip("1k6/8/8/8/8/8/8/R1RK2RR w HA - 0 1"), "1k6/8/8/8/8/8/8/R1RK2RR w KQ - 0 1");
    }

    #[test]
    fn an_en_passant_square_is_written_only_if_a_pawn_can_take() {
        assert_eq!(
            round_trip("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
        );
        let takes = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3";
        assert_eq!(round_trip(takes), takes);
    }
}
