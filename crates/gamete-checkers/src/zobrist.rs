use gamete_game::{Color, split_mix};

use crate::{Bitboard, Kind};

const PIECES: [[[u64; 32]; 2]; 2] = {
    let mut keys = [[[0; 32]; 2]; 2];
    let mut n = 0;
    while n < 128 {
        keys[n / 64][n / 32 % 2][n % 32] = split_mix(n as u64);
        n += 1;
    }
    keys
};

/// Part of the key when White is to move.
pub(crate) const WHITE_TO_MOVE: u64 = split_mix(128);

#[inline]
pub(crate) fn piece(color: Color, kind: Kind, bit: u32) -> u64 {
    PIECES[color as usize][kind as usize][(bit % 32) as usize]
}

/// The key of a whole position.
pub(crate) fn key(white: Bitboard, black: Bitboard, kings: Bitboard, turn: Color) -> u64 {
    let mut key = if turn == Color::White { WHITE_TO_MOVE } else { 0 };
    for (color, pieces) in [(Color::White, white), (Color::Black, black)] {
        for (kind, pieces) in [(Kind::Man, pieces & !kings), (Kind::King, pieces & kings)] {
            key = pieces.each_bit().fold(key, |key, bit| key ^ piece(color, kind, bit));
        }
    }
    key
}
