mod king;
mod pawns;
mod pieces;

use cozy_chess::{BitBoard, Color, File};
use gamete_game::{Model, Parameter, Terms};

use super::pawn_structure::PawnStructure;
use super::weights::weights;
use crate::Position;

/// The 35 weights that David, van den Herik, Koppel and Netanyahu evolve in "Genetic Algorithms for Evolving Computer
/// Chess Programs" (2014), in centipawns.
///
/// The paper names the features and does not define them; what each counts here is said by its weight. The defaults
/// are the values that the paper's ten runs arrived at. All are magnitudes: what is bad for a side counts against it.
#[derive(Debug, Clone, Copy)]
pub struct Classic;

weights! {
    integer [0.0, 1023.0] => {
        PAWN_VALUE "pawn_value" 100.0 "pawns"
    }
    integer [0.0, 2047.0] => {
        KNIGHT_VALUE "knight_value"  521.0 "knights"
        BISHOP_VALUE "bishop_value"  572.0 "bishops"
        ROOK_VALUE   "rook_value"    824.0 "rooks"
        QUEEN_VALUE  "queen_value"  1710.0 "queens"
    }
    integer [0.0, 63.0] => {
        PAWN_ADVANCE_A "pawn_advance_a" 3.0
            "ranks that pawns on files a, b, g and h have advanced from their second"
        PAWN_ADVANCE_B "pawn_advance_b" 6.0
            "ranks that pawns on files c to f have advanced from their second"
        PASSED_PAWN_MULT "passed_pawn_mult" 10.0
            "0, 1, 2, 3, 5, 8 for a passed pawn on rank 2 to 7: no enemy pawn ahead on its file or one beside it"
        DOUBLED_PAWN_PENALTY "doubled_pawn_penalty" 14.0
            "against: pawns on a file beyond the first"
        ISOLATED_PAWN_PENALTY "isolated_pawn_penalty" 8.0
            "against: pawns without an own pawn on the files beside theirs"
        BACKWARD_PAWN_PENALTY "backward_pawn_penalty" 3.0
            "against: pawns without an own pawn beside or behind on a file next to theirs, when an enemy pawn attacks the square ahead"
        WEAK_SQUARE_PENALTY "weak_square_penalty" 5.0
            "against: squares c3 to f4 that no own pawn attacks or can come to attack by advancing"
        PASSED_PAWN_ENEMY_KING_DIST "passed_pawn_enemy_king_dist" 7.0
            "king steps from the enemy king to the square ahead of a passed pawn"
        KNIGHT_SQ_MULT "knight_sq_mult" 6.0
            "4 less the files and ranks between a knight and the nearest of d4, e4, d5 and e5"
        KNIGHT_OUTPOST_MULT "knight_outpost_mult" 9.0
            "knights on rank 4 to 6 that a pawn defends and no enemy pawn can come to attack, twice on files c to f"
        BISHOP_MOBILITY "bishop_mobility" 4.0
            "squares that bishops attack, without those of own pieces"
        BISHOP_PAIR "bishop_pair" 28.0
            "1 for two bishops or more"
        ROOK_ATTACK_KING_FILE "rook_attack_king_file" 51.0
            "rooks on the file of the enemy king"
        ROOK_ATTACK_KING_ADJ_FILE "rook_attack_king_adj_file" 8.0
            "rooks on a file beside the enemy king's when that is on files c to f"
        ROOK_ATTACK_KING_ADJ_FILE_ABGH "rook_attack_king_adj_file_abgh" 26.0
            "rooks on a file beside the enemy king's when that is on a, b, g or h"
        ROOK_7TH_RANK "rook_7th_rank" 30.0
            "rooks on rank 7 when an enemy pawn is there too or the enemy king on rank 8"
        ROOK_CONNECTED "rook_connected" 6.0
            "1 for two rooks that defend each other"
        ROOK_MOBILITY "rook_mobility" 4.0
            "squares that rooks attack, without those of own pieces"
        ROOK_BEHIND_PASSED_PAWN "rook_behind_passed_pawn" 40.0
            "rooks with an own passed pawn ahead on their file"
        ROOK_OPEN_FILE "rook_open_file" 27.0
            "rooks on a file without pawns"
        ROOK_SEMI_OPEN_FILE "rook_semi_open_file" 11.0
            "rooks on a file without own pawns, open or not"
        ROOK_ATCK_WEAK_PAWN_OPEN_COLUMN "rook_atck_weak_pawn_open_column" 15.0
            "rooks on a file without own pawns that attack an isolated or backward pawn"
        ROOK_COLUMN_MULT "rook_column_mult" 6.0
            "0, 1, 2, 3, 3, 2, 1, 0 for a rook on file a to h"
        QUEEN_MOBILITY "queen_mobility" 2.0
            "squares that queens attack, without those of own pieces"
        KING_NO_FRIENDLY_PAWN "king_no_friendly_pawn" 35.0
            "against: 1 without an own pawn on the king's file"
        KING_NO_FRIENDLY_PAWN_ADJ "king_no_friendly_pawn_adj" 10.0
            "against: files beside the king's without an own pawn"
        KING_FRIENDLY_PAWN_ADVANCED1 "king_friendly_pawn_advanced1" 6.0
            "against: files, the king's and those beside it, whose hindmost own pawn is on rank 3"
        KING_NO_ENEMY_PAWN "king_no_enemy_pawn" 17.0
            "against: 1 without an enemy pawn on the king's file"
        KING_NO_ENEMY_PAWN_ADJ "king_no_enemy_pawn_adj" 9.0
            "against: files beside the king's without an enemy pawn"
        KING_PRESSURE_MULT "king_pressure_mult" 4.0
            "against: squares around the king that each enemy knight, bishop, rook and queen attacks"
    }
}

const CENTRAL_FILES: BitBoard =
    BitBoard(File::C.bitboard().0 | File::D.bitboard().0 | File::E.bitboard().0 | File::F.bitboard().0);

impl Model<Position> for Classic {
    const NAME: &'static str = "chess/classic";
    const ABOUT: &'static str = "the 35 weights of David, van den Herik, Koppel and Netanyahu, in centipawns";
    const WEIGHTS: &'static [Parameter] = WEIGHTS;
    const SCALE: f64 = 10.0;

    #[inline]
    fn accumulate(position: &Position, terms: &mut impl Terms) {
        let board = position.board();
        let pawns = Color::ALL.map(|color| PawnStructure::new(board, color));
        let mut sides = [[0; WEIGHTS.len()]; 2];
        for (color, counts) in Color::ALL.into_iter().zip(&mut sides) {
            let (own, enemy) = (&pawns[color as usize], &pawns[!color as usize]);
            pawns::count(board, color, own, counts);
            king::count(board, color, own, counts);
            pieces::count(board, color, own, enemy, counts);
        }
        let [white, black] = sides;
        for (weight, (white, black)) in white.into_iter().zip(black).enumerate() {
            terms.add(weight, white - black);
        }
    }

    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        (kind <= QUEEN_VALUE).then(|| weights[kind])
    }
}

/// What one side has of each feature.
type Counts = [i32; WEIGHTS.len()];
