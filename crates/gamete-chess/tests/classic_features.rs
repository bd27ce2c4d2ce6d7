//! What each of the 35 weights of `chess/classic` multiplies: White's count, the upper case, less Black's.

use gamete_chess::{Classic, Position};
use gamete_game::{Features, Game, Model};

fn position(diagram: &str) -> Position {
    let ranks: Vec<_> = diagram.split_whitespace().collect::<Vec<_>>().chunks(8).map(<[_]>::concat).collect();
    let board = ranks.join("/").replace('.', "1");
    format!("{board} w - - 0 1").parse().expect("a legal position")
}

fn count(weight: &str, diagram: &str) -> i32 {
    let index = Classic::WEIGHTS.iter().position(|known| known.name == weight).expect("a weight");
    let position = position(diagram);
    let count = Features::of::<_, Classic>(&position).0[index];
    let flipped = Features::of::<_, Classic>(&position.flipped()).0[index];
    assert_eq!(flipped, -count, "{weight} of the flipped position");
    count
}

#[test]
fn pawns_are_counted() {
    let count = count(
        "pawn_value",
        "
        . . . . k . . .
        . . . p . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . P . . .
        . . . . . . . .
        P P . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, 2);
}

#[test]
fn knights_are_counted() {
    let count = count(
        "knight_value",
        "
        . n . . k . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . N . . . . .
        . . . . . . . .
        . . . . K . N .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn bishops_are_counted() {
    let count = count(
        "bishop_value",
        "
        . . b . k b . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . B . K . . .
        ",
    );
    assert_eq!(count, -1);
}

#[test]
fn rooks_are_counted() {
    let count = count(
        "rook_value",
        "
        . . . . k . . r
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        R . . . K . . R
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn queens_are_counted() {
    let count = count(
        "queen_value",
        "
        . . . q k . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, -1);
}

#[test]
fn wing_pawns_advance_on_files_a_b_g_and_h() {
    let count = count(
        "pawn_advance_a",
        "
        . . . . k . . .
        . . . . . . . P
        . . P . . . . .
        . . . . . . p .
        . P . . . . . .
        . . . . . . . .
        P . . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, 2 + 5 - 2);
}

#[test]
fn central_pawns_advance_on_files_c_to_f() {
    let count = count(
        "pawn_advance_b",
        "
        . . . . k . . .
        . . . . p . . .
        . . . . . P . .
        . P . . . . . .
        . . . p . . . .
        . . P . . . . .
        . . . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, 1 + 4 - 3);
}

#[test]
fn a_pawn_is_passed_unless_an_enemy_pawn_is_ahead_on_its_file_or_beside() {
    let count = count(
        "passed_pawn_mult",
        "
        . . . . k . . .
        . . . . . . . .
        . . . . . . P p
        P . . . p . . .
        . . . P . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, 3 + 5 - 1);
}

#[test]
fn each_pawn_beyond_the_first_of_its_file_is_doubled() {
    let count = count(
        "doubled_pawn_penalty",
        "
        . . . . k . . .
        . . . . . . p p
        . . . . . . . p
        . . P . . . . .
        . . . . . . . .
        . . P . . . . .
        . . P . P . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, -2 + 1);
}

#[test]
fn a_pawn_without_own_pawns_on_the_files_beside_is_isolated() {
    let count = count(
        "isolated_pawn_penalty",
        "
        . . . . k . . .
        . . . . p . . p
        . . . . . . . .
        . . . p . . . .
        . . . . . . . .
        . . P . . . . P
        P . . . . . P .
        . . . . K . . .
        ",
    );
    assert_eq!(count, -2 + 1);
}

#[test]
fn a_pawn_is_backward_when_it_cannot_be_supported_nor_advance_in_safety() {
    let count = count(
        "backward_pawn_penalty",
        "
        . . . . k . . .
        p . . . . . . .
        . p . . . . . .
        . . p . . . . .
        . . P . P . . .
        P P . P . . . .
        . . . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, -1);
}

#[test]
fn an_isolated_pawn_can_be_backward_too() {
    let count = count(
        "backward_pawn_penalty",
        "
        . . . . k . . .
        . . . . . . . .
        . . . p . . . .
        . . . . p . . .
        . . . . . . . .
        . . . P . . . .
        . . . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, -1);
}

#[test]
fn a_square_that_no_own_pawn_can_come_to_defend_is_weak() {
    let count = count(
        "weak_square_penalty",
        "
        . . . . k . . .
        p p p p p p p p
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . P . . .
        . P . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, -4);
}

#[test]
fn the_enemy_king_is_so_far_from_the_square_ahead_of_a_passed_pawn() {
    let count = count(
        "passed_pawn_enemy_king_dist",
        "
        . . . . k . . .
        . . . . . . . .
        . . . p . . . .
        P . . . . . . .
        . . . P . . . .
        . . . . . . . p
        . . . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, 4 - 3);
}

#[test]
fn knights_are_better_the_nearer_to_the_centre() {
    let count = count(
        "knight_sq_mult",
        "
        . . . . k . . .
        . . . . . . . .
        . . . . . . n .
        . . . . . . . .
        . . . N . . . .
        . . . . . . . .
        . . . . . . . .
        N . . . K . . .
        ",
    );
    assert_eq!(count, 4 - 2 - 1);
}

#[test]
fn an_outpost_is_defended_by_a_pawn_and_safe_from_enemy_pawns() {
    let count = count(
        "knight_outpost_mult",
        "
        . . . . . . . k
        . . p . . . . .
        . N . . . N . .
        P . . . N . . .
        . . . P . . . N
        . . N . . . P .
        . P . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, 2 + 1);
}

#[test]
fn bishops_move_to_empty_squares_and_capture() {
    let count = count(
        "bishop_mobility",
        "
        . . . . k . . b
        . . . . . . . .
        . . . . . P . .
        . . . . . . . .
        . . . . . . . .
        . . P . . . . .
        . . . . . . . .
        B . . . K . . .
        ",
    );
    assert_eq!(count, 1 - 2);
}

#[test]
fn two_bishops_are_a_pair_and_one_is_not() {
    let count = count(
        "bishop_pair",
        "
        . . b . k . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . B . K B . .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn a_rook_is_on_the_file_of_the_enemy_king_whatever_is_between() {
    let count = count(
        "rook_attack_king_file",
        "
        r r . . . . k .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . P .
        . . . . K R R .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn a_rook_is_beside_the_file_of_a_king_on_c_to_f() {
    let count = count(
        "rook_attack_king_adj_file",
        "
        . . . . k . . .
        . . . . . . . .
        . . . . . . . .
        r . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . R . .
        . K . R . . . R
        ",
    );
    assert_eq!(count, 2);
}

#[test]
fn a_rook_is_beside_the_file_of_a_king_on_a_b_g_or_h() {
    let count = count(
        "rook_attack_king_adj_file_abgh",
        "
        . . . r . . k .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . R . .
        . . . . K . . R
        ",
    );
    assert_eq!(count, 2);
}

#[test]
fn a_rook_on_rank_7_cuts_off_the_king() {
    let count = count(
        "rook_7th_rank",
        "
        . . . . k . . .
        R . . . . . . .
        . R . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . K . . .
        . . . r . . . .
        . . . . . . . .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn a_rook_on_rank_7_attacks_pawns() {
    let count = count(
        "rook_7th_rank",
        "
        . . . . k . . .
        R . . . . . . .
        . R . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . K . . .
        . . . r . . . P
        . . . . . . . .
        ",
    );
    assert_eq!(count, 1 - 1);
}

#[test]
fn rooks_are_connected_with_nothing_between_them() {
    let count = count(
        "rook_connected",
        "
        r . . . k . . r
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        R . . R K . . .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn rooks_move_to_empty_squares_and_capture() {
    let count = count(
        "rook_mobility",
        "
        . . . . k . . r
        . . . . . . . .
        . . . . . . . .
        . . . . . . . P
        . . . . . . . .
        P . . . . . . .
        . . . . . . . .
        R . . . K . . .
        ",
    );
    assert_eq!(count, 4 - 5);
}

#[test]
fn a_rook_is_behind_a_passed_pawn_and_not_in_front_of_it() {
    let count = count(
        "rook_behind_passed_pawn",
        "
        . . . . k . . r
        R . . . . . . .
        . . . . . . . .
        P . . . . . . p
        . . . . . . . .
        . . . . . . P .
        . . . . . . . .
        R . . . K . . .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn a_file_without_pawns_is_open() {
    let count = count(
        "rook_open_file",
        "
        . . . r k . . .
        . . p . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . P . . . .
        . . . . . . . .
        . P . . . . . .
        R R R . K . . .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn a_file_without_own_pawns_is_semi_open_or_open() {
    let count = count(
        "rook_semi_open_file",
        "
        . . . r k . . .
        . . p . . . . .
        . . . p . . . .
        . . . . . . . .
        . . . P . . . .
        . . . . . . . .
        . P . . . . . .
        R R R . K . . .
        ",
    );
    assert_eq!(count, 2);
}

#[test]
fn a_rook_attacks_a_weak_pawn_from_a_file_without_own_pawns() {
    let count = count(
        "rook_atck_weak_pawn_open_column",
        "
        . . . . . . k .
        p . . . . . . .
        . p . p . . . .
        . . . . . p . R
        . . . . . . . .
        . . . . . . . .
        . . . . . . . P
        R . . R . . K .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn rooks_are_better_the_nearer_to_the_middle_files() {
    let count = count(
        "rook_column_mult",
        "
        . . . . k . r .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        R . R R K . . .
        ",
    );
    assert_eq!(count, 2 + 3 - 1);
}

#[test]
fn queens_move_to_empty_squares_and_capture() {
    let count = count(
        "queen_mobility",
        "
        . . . . . . k q
        . . . . . . . p
        . . . . . P . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        P p . . . . . .
        Q K . . . . . .
        ",
    );
    assert_eq!(count, 1 - 2);
}

#[test]
fn a_king_misses_a_pawn_on_its_file() {
    let count = count(
        "king_no_friendly_pawn",
        "
        . . . . . . k .
        . . . . . . p .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . P . P . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, -1);
}

#[test]
fn a_king_misses_a_pawn_on_each_file_beside_it() {
    let count = count(
        "king_no_friendly_pawn_adj",
        "
        . . . . k . . .
        . . . . p . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        P . . . . . . .
        K . . . . . . .
        ",
    );
    assert_eq!(count, -1 + 2);
}

#[test]
fn a_pawn_before_the_king_has_made_one_step() {
    let count = count(
        "king_friendly_pawn_advanced1",
        "
        . k . . . . . .
        . p . . . . . .
        p p p . . . . .
        . . . . . . . .
        . . . . . . . P
        P . . . . . P .
        . . . . . P . .
        . . . . . . K .
        ",
    );
    assert_eq!(count, -1 + 2);
}

#[test]
fn a_king_faces_no_enemy_pawn_on_its_file() {
    let count = count(
        "king_no_enemy_pawn",
        "
        . . . . . . k .
        . . . . . . . .
        . . . . . . . .
        . . . . p . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . P . P
        . . . . K . . .
        ",
    );
    assert_eq!(count, 1);
}

#[test]
fn a_king_faces_no_enemy_pawn_on_a_file_beside_it() {
    let count = count(
        "king_no_enemy_pawn_adj",
        "
        . . . . . . k .
        . . . . . . . .
        . . . p . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . P . P
        . . . . K . . .
        ",
    );
    assert_eq!(count, -1);
}

#[test]
fn pieces_but_not_pawns_press_on_the_squares_around_a_king() {
    let count = count(
        "king_pressure_mult",
        "
        . . . . k . . .
        R . . . . . . .
        b . . P . . . .
        . . . . . . N .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . K . . .
        ",
    );
    assert_eq!(count, 3 + 1 - 2);
}
