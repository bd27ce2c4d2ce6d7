use std::fmt::Write;

use cozy_chess::{
    BitBoard, Color, File, Move, Piece, Rank, Square, get_bishop_rays, get_king_moves, get_knight_moves,
    get_rook_rays,
};
use gamete_game::{Game, MoveError};

use crate::Position;

/// The move that a SAN text means: `e4`, `Nbd2`, `exd8=Q+`, `O-O`, and the liberties that files take with it
/// (`0-0`, `e8Q`, `Ng1-f3`, `exd6e.p.`, a missing or needless `x`).
pub fn parse(position: &Position, text: &str) -> Result<Move, MoveError> {
    const MARKS: [char; 4] = ['+', '#', '!', '?'];
    let text = text.trim_end_matches(MARKS);
    let text = ["e.p.", "e.p", "ep"].iter().find_map(|note| text.strip_suffix(note)).unwrap_or(text);
    let text = text.trim_end_matches(MARKS);
    match text {
        "O-O" | "0-0" | "o-o" => return castle(position, position.rook(true)),
        "O-O-O" | "0-0-0" | "o-o-o" => return castle(position, position.rook(false)),
        _ => {}
    }
    let (piece, rest) = match text.as_bytes() {
        [letter @ (b'K' | b'Q' | b'R' | b'B' | b'N' | b'P'), rest @ ..] => (role(*letter), rest),
        rest => (Some(Piece::Pawn), rest),
    };
    let piece = piece.ok_or(MoveError::Syntax)?;
    let (rest, promotion) = split_promotion(rest)?;
    let Some((origin, &[file, rank])) = rest.split_last_chunk::<2>() else {
        return Err(MoveError::Syntax);
    };
    let to = Square::new(parse_file(file)?, parse_rank(rank)?);
    let (origin_file, origin_rank) = parse_origin(origin)?;

    let board = position.board();
    let turn = board.side_to_move();
    // Castling is a king's move onto its rook, but never written as one.
    if board.colors(turn).has(to) {
        return Err(MoveError::Illegal);
    }
    let mut origins = board.colored_pieces(turn, piece) & reach(piece, to, turn);
    if let Some(file) = origin_file {
        origins &= file.bitboard();
    } else if piece == Piece::Pawn && !origin.contains(&b'x') {
        origins &= to.file().bitboard();
    }
    if let Some(rank) = origin_rank {
        origins &= rank.bitboard();
    }
    let mut legal =
        origins.into_iter().map(|from| Move { from, to, promotion }).filter(|&mv| board.is_legal(mv));
    match (legal.next(), legal.next()) {
        (Some(mv), None) => Ok(mv),
        (Some(_), Some(_)) => Err(MoveError::Ambiguous),
        (None, _) => Err(MoveError::Illegal),
    }
}

/// A legal move in SAN, with `+` for check and `#` for mate.
pub fn to_string(position: &Position, mv: Move) -> String {
    let mut text = String::with_capacity(8);
    write_move(&mut text, position, mv);
    let mut next = position.clone();
    next.play(mv);
    if next.in_check() {
        text.push(if next.has_moves() { '+' } else { '#' });
    }
    text
}

fn write_move(text: &mut String, position: &Position, mv: Move) {
    let board = position.board();
    let turn = board.side_to_move();
    let piece = board.piece_on(mv.from).expect("a piece to move");
    if board.colors(turn).has(mv.to) {
        text.push_str(if mv.to.file() > mv.from.file() { "O-O" } else { "O-O-O" });
        return;
    }
    let captures = board.occupied().has(mv.to) || piece == Piece::Pawn && mv.from.file() != mv.to.file();
    if piece == Piece::Pawn {
        if captures {
            text.push(mv.from.file().into());
        }
    } else {
        text.push(char::from(piece).to_ascii_uppercase());
        let others = (board.colored_pieces(turn, piece) & reach(piece, mv.to, turn)) ^ mv.from.bitboard();
        let rivals: BitBoard =
            others.into_iter().filter(|&from| board.is_legal(Move { from, ..mv })).collect();
        if !rivals.is_empty() {
            let same_file = !(rivals & mv.from.file().bitboard()).is_empty();
            let same_rank = !(rivals & mv.from.rank().bitboard()).is_empty();
            if !same_file || same_rank {
                text.push(mv.from.file().into());
            }
            if same_file {
                text.push(mv.from.rank().into());
            }
        }
    }
    if captures {
        text.push('x');
    }
    write!(text, "{}", mv.to).expect("writing to a string");
    if let Some(piece) = mv.promotion {
        text.push('=');
        text.push(char::from(piece).to_ascii_uppercase());
    }
}

impl Position {
    fn rook(&self, short: bool) -> Option<File> {
        let rights = self.board().castle_rights(self.board().side_to_move());
        if short { rights.short } else { rights.long }
    }
}

fn castle(position: &Position, rook: Option<File>) -> Result<Move, MoveError> {
    let king = position.board().king(position.board().side_to_move());
    let rook = Square::new(rook.ok_or(MoveError::Illegal)?, king.rank());
    let mv = Move { from: king, to: rook, promotion: None };
    if position.is_legal(mv) { Ok(mv) } else { Err(MoveError::Illegal) }
}

/// The squares from which `piece` might go to `to`.
fn reach(piece: Piece, to: Square, turn: Color) -> BitBoard {
    match piece {
        Piece::Pawn => {
            let files = to.file().adjacent() | to.file().bitboard();
            let behind = match turn {
                Color::White => Rank::ALL[..to.rank() as usize].iter(),
                Color::Black => Rank::ALL[to.rank() as usize + 1..].iter(),
            };
            files & behind.fold(BitBoard::EMPTY, |ranks, rank| ranks | rank.bitboard())
        }
        Piece::Knight => get_knight_moves(to),
        Piece::Bishop => get_bishop_rays(to),
        Piece::Rook => get_rook_rays(to),
        Piece::Queen => get_bishop_rays(to) | get_rook_rays(to),
        Piece::King => get_king_moves(to),
    }
}

fn split_promotion(text: &[u8]) -> Result<(&[u8], Option<Piece>), MoveError> {
    match text {
        [rest @ .., b'=', letter] => {
            role(letter.to_ascii_uppercase()).map(|piece| (rest, Some(piece))).ok_or(MoveError::Syntax)
        }
        [rest @ .., letter @ (b'Q' | b'R' | b'B' | b'N')] => Ok((rest, role(*letter))),
        rest => Ok((rest, None)),
    }
}

fn parse_origin(text: &[u8]) -> Result<(Option<File>, Option<Rank>), MoveError> {
    let text = text.strip_suffix(b"x").or(text.strip_suffix(b"-")).unwrap_or(text);
    match *text {
        [] => Ok((None, None)),
        [byte] if byte.is_ascii_digit() => Ok((None, Some(parse_rank(byte)?))),
        [byte] => Ok((Some(parse_file(byte)?), None)),
        [file, rank] => Ok((Some(parse_file(file)?), Some(parse_rank(rank)?))),
        _ => Err(MoveError::Syntax),
    }
}

fn parse_file(byte: u8) -> Result<File, MoveError> {
    if byte.is_ascii_lowercase() {
        File::try_from(char::from(byte)).map_err(|_| MoveError::Syntax)
    } else {
        Err(MoveError::Syntax)
    }
}

fn parse_rank(byte: u8) -> Result<Rank, MoveError> {
    Rank::try_from(char::from(byte)).map_err(|_| MoveError::Syntax)
}

fn role(letter: u8) -> Option<Piece> {
    Piece::try_from(char::from(letter).to_ascii_lowercase()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        fen.parse().expect("a good FEN")
    }

    fn san(fen: &str, uci: &str) -> String {
        let position = position(fen);
        position.move_text(position.parse_uci(uci).expect("a legal move"))
    }

    #[test]
    fn writes_no_more_origin_than_needed() {
        let four_queens = "1k6/8/8/Q6Q/8/8/8/Q3K3 w - - 0 1";
        assert_eq!(san(four_queens, "a5e5"), "Qa5e5+");
        assert_eq!(san(four_queens, "h5e5"), "Qhe5+");
        assert_eq!(san(four_queens, "a1e5"), "Q1e5+");
        // The other knight is pinned, so it needs no telling apart.
        assert_eq!(san("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2"), "Ne2");
    }

    #[test]
    fn writes_captures_promotions_castling_and_mate() {
        assert_eq!(san("3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q"), "exd8=Q+");
        assert_eq!(san("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", "e5f6"), "exf6");
        assert_eq!(san("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"), "O-O-O");
        assert_eq!(san("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8"), "Ra8#");
    }

    #[test]
    fn reads_what_files_write() {
        let start = Position::start();
        let knight = start.parse_uci("g1f3").unwrap();
        for text in ["Nf3", "Ngf3", "Ng1f3", "Ng1-f3", "N1f3", "Nxf3", "Nf3+", "Nf3!?"] {
            assert_eq!(parse(&start, text), Ok(knight), "{text}");
        }
        let promotes = position("3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1");
        for text in ["exd8=Q", "exd8Q", "exd8=q+", "e7xd8=Q#"] {
            assert_eq!(parse(&promotes, text), promotes.parse_uci("e7d8q"), "{text}");
        }
        let castles = position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        for text in ["O-O", "0-0", "o-o", "O-O+"] {
            assert_eq!(parse(&castles, text), castles.parse_uci("e1g1"), "{text}");
        }
        let passes = position("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3");
        assert_eq!(parse(&passes, "exf6e.p."), passes.parse_uci("e5f6"));
    }

    #[test]
    fn refuses_what_is_no_legal_move() {
        let start = Position::start();
        for text in ["", "e", "e9", "Zf3", "Nf", "e4e4e4", "O-O-O-O", "e=Q", "N"] {
            assert_eq!(parse(&start, text), Err(MoveError::Syntax), "{text}");
        }
        for text in ["e5", "Ke2", "Nd4", "O-O", "e4=Q", "Rh1"] {
            assert_eq!(parse(&start, text), Err(MoveError::Illegal), "{text}");
        }
        assert_eq!(parse(&position("4k3/8/8/8/8/8/8/N3K1N1 w - - 0 1"), "Nf3").map(|_| ()), Ok(()));
        let two = position("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1");
        assert_eq!(parse(&two, "Ne2"), Err(MoveError::Ambiguous));
        // A king does not step onto its own rook, though castling is stored like that.
        assert_eq!(parse(&position("4k3/8/8/8/8/8/8/6KR w H - 0 1"), "Kh1"), Err(MoveError::Illegal));
    }
}
