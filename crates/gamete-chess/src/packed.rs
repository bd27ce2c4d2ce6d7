//! Positions in at most 27 bytes: which squares are occupied, half a byte for each piece, and the two counters.
//!
//! What a FEN says beside the pieces is in the pieces: the king of the side to move, rooks that may castle and the pawn
//! that can be taken en passant have codes of their own.

use cozy_chess::{BitBoard, BoardBuilder, Color, File, Piece, Rank, Square};

use crate::Position;

/// A pawn that can be taken en passant; its rank tells the colour.
const PASSED_BY: u8 = 12;
/// A rook that its king can castle with; its rank tells the colour.
const CASTLING_ROOK: u8 = 13;
/// White's king where White is to move; the next code is Black's where Black is.
const KING_TO_MOVE: u8 = 14;

pub fn pack(position: &Position) -> Vec<u8> {
    let board = position.board();
    let turn = board.side_to_move();
    let passed_by =
        position.en_passant().map(|square| Square::new(square.file(), Rank::Fifth.relative_to(turn)));
    let can_castle = |square: Square, color: Color| {
        let rights = board.castle_rights(color);
        square.rank() == Rank::First.relative_to(color)
            && [rights.short, rights.long].contains(&Some(square.file()))
    };
    let mut codes = Vec::with_capacity(32);
    for square in board.occupied() {
        let (Some(piece), Some(color)) = (board.piece_on(square), board.color_on(square)) else { continue };
        codes.push(match piece {
            Piece::Pawn if passed_by == Some(square) => PASSED_BY,
            Piece::Rook if can_castle(square, color) => CASTLING_ROOK,
            Piece::King if color == turn => KING_TO_MOVE + color as u8,
            _ => piece as u8 + 6 * color as u8,
        });
    }
    let mut bytes = board.occupied().0.to_le_bytes().to_vec();
    bytes.extend(codes.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |code| code << 4)));
    bytes.push(board.halfmove_clock());
    bytes.extend(board.fullmove_number().to_le_bytes());
    bytes
}

pub fn unpack(bytes: &[u8]) -> Option<Position> {
    let (occupied, rest) = bytes.split_first_chunk::<8>()?;
    let occupied = BitBoard(u64::from_le_bytes(*occupied));
    let (codes, counters) = rest.split_at_checked(occupied.len().div_ceil(2) as usize)?;
    let &[halfmove_clock, low, high] = counters else { return None };
    let mut setup = BoardBuilder::empty();
    (setup.halfmove_clock, setup.fullmove_number) = (halfmove_clock, u16::from_le_bytes([low, high]));
    let (mut turn, mut rooks, mut passed_by) = (None, Vec::new(), None);
    for (index, square) in occupied.into_iter().enumerate() {
        let code = codes[index / 2] >> (index % 2 * 4) & 15;
        let by_rank = |white: Rank| if square.rank() == white { Color::White } else { Color::Black };
        let (piece, color) = match code {
            PASSED_BY => {
                passed_by = Some(square);
                (Piece::Pawn, by_rank(Rank::Fourth))
            }
            CASTLING_ROOK => {
                rooks.push(square);
                (Piece::Rook, by_rank(Rank::First))
            }
            KING_TO_MOVE.. => {
                turn = Some(Color::index(usize::from(code - KING_TO_MOVE)));
                (Piece::King, Color::index(usize::from(code - KING_TO_MOVE)))
            }
            plain => (Piece::index(usize::from(plain % 6)), Color::index(usize::from(plain / 6))),
        };
        *setup.square_mut(square) = Some((piece, color));
    }
    setup.side_to_move = turn?;
    for square in rooks {
        let color = if square.rank() == Rank::First { Color::White } else { Color::Black };
        let king = king_file(&setup, color)?;
        let rights = setup.castle_rights_mut(color);
        let side = if square.file() > king { &mut rights.short } else { &mut rights.long };
        *side = Some(square.file());
    }
    setup.en_passant =
        passed_by.map(|square| Square::new(square.file(), Rank::Sixth.relative_to(setup.side_to_move)));
    let board = setup.build().ok()?;
    (board.checkers().len() <= 2).then(|| Position::new(board))
}

fn king_file(setup: &BoardBuilder, color: Color) -> Option<File> {
    Square::ALL
        .into_iter()
        .find(|&square| setup.square(square) == Some((Piece::King, color)))
        .map(Square::file)
}

#[cfg(test)]
mod tests {
    use gamete_game::{BoardGame, Game, split_mix};

    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for number in 0_u64..200 {
            let mut position =
                Position::chess960_start(if number % 2 == 0 { 518 } else { number as u32 * 4 });
            for ply in 0..120 {
                let bytes = position.packed();
                assert!(bytes.len() <= 27, "{position}: {} bytes", bytes.len());
                assert_eq!(Position::from_packed(&bytes).as_ref(), Some(&position));
                assert_eq!(Position::from_packed(&bytes[..bytes.len() - 1]), None, "cut short");
                let moves = position.moves();
                let Some(&mv) = moves.get(split_mix(number * 120 + ply) as usize % moves.len().max(1)) else {
                    break;
                };
                position.play(mv);
            }
        }
    }

    #[test]
    fn bytes_that_are_no_position_are_none() {
        let good = Position::start().packed();
        assert_eq!(good.len(), 27);
        for (index, bit) in (0..good.len()).flat_map(|index| (0..8).map(move |bit| (index, bit))) {
            let mut bad = good.clone();
            bad[index] ^= 1 << bit;
            if let Some(position) = Position::from_packed(&bad) {
                assert_eq!(Position::from_packed(&position.packed()), Some(position));
            }
        }
        assert_eq!(Position::from_packed(&[0; 27]), None);
        assert_eq!(Position::from_packed(&[]), None);
        // Files made by an older version stay readable.
        let start: String = good.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(start, "ffff00000000ffff1d422ed100000000666666667da88bd7000100");
    }
}
