//! What the weights of `chess/tapered` multiply: White's count less Black's.

use gamete_chess::{Position, Tapered};
use gamete_game::{Features, Game, Model};

/// How often a feature counts for White less how often it counts for Black. `name` is that of a weight, or of two without `_mg` and
/// `_eg`, whose shares by phase add up to the whole.
fn count(name: &str, fen: &str) -> f64 {
    let position: Position = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    let count = |position: &Position| {
        let features = Features::of::<_, Tapered>(position).0;
        let value = |name: &str| {
            let index = Tapered::WEIGHTS.iter().position(|weight| weight.name == name)?;
            Some(f64::from(features[index]) / f64::from(Tapered::DIVISOR))
        };
        let pair = || Some(value(&format!("{name}_mg"))? + value(&format!("{name}_eg"))?);
        value(name).or_else(pair).unwrap_or_else(|| panic!("no weight {name}"))
    };
    let (own, flipped) = (count(&position), count(&position.flipped()));
    assert_eq!(flipped, -own, "{name} of {fen} flipped");
    own
}

#[test]
fn phases_share_a_feature() {
    let share = |name: &str, fen: &str| count(name, fen);
    // A queen on each side is 8 of 24.
    let queens = "3qk3/8/8/8/8/8/P7/3QK3 w - - 0 1";
    assert_eq!([share("pawn_mg", queens), share("pawn_eg", queens)], [8.0 / 24.0, 16.0 / 24.0]);
    let bare = "4k3/8/8/8/8/8/P7/4K3 w - - 0 1";
    assert_eq!([share("pawn_mg", bare), share("pawn_eg", bare)], [0.0, 1.0]);
    let full = "rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!([share("pawn_mg", full), share("pawn_eg", full)], [1.0, 0.0]);
}

#[test]
fn squares_are_those_of_the_side_that_owns_the_piece() {
    let fen = "4k3/8/5n2/8/8/2N5/P6p/4K2R w - - 0 1";
    // Knights on c3 and, for Black, f6, the same square seen from the other end and mirrored.
    assert_eq!(count("knight_eg_c3", fen), 0.0);
    let fen = "4k3/8/8/8/3n4/2N5/P6p/4K2R w - - 0 1";
    let share = 20.0 / 24.0;
    assert_eq!(count("knight_eg_c3", fen), share);
    assert_eq!(count("knight_eg_d5", fen), -share);
    assert_eq!(count("pawn_eg_a2", fen), share);
    assert_eq!(count("pawn_eg_h7", fen), -share);
    assert_eq!(count("king_eg_e1", fen), 0.0);
    assert_eq!(count("rook_eg_a1", fen), share);
}

#[test]
fn pieces_on_the_other_wing_have_the_same_squares() {
    let features = |fen: &str| Features::of::<_, Tapered>(&fen.parse::<Position>().expect("a position")).0;
    let one = features("r2q1rk1/1pp2pp1/2n2n2/b3p2p/2B1P3/2P2N2/PP3PPP/R1BQ1RK1 w - - 0 1");
    let two = features("1kr1q2r/1pp2pp1/2n2n2/p2p3b/3P1B2/2N2P2/PPP3PP/1KR1QB1R w - - 0 1");
    for (weight, (one, two)) in Tapered::WEIGHTS.iter().zip(one.into_iter().zip(two)) {
        let is_folded = !["king_mg_", "king_eg_", "pawn_mg_", "pawn_eg_"]
            .iter()
            .any(|table| weight.name.starts_with(table));
        assert!(one == two || !is_folded, "{}: {one} and {two}", weight.name);
    }
}

/// Each with a position in which it counts as often as is said.
#[test]
fn each_feature_counts_what_it_says() {
    let cases: &[(&str, &str, f64)] = &[
        ("knight", "1n2k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", 1.0),
        ("bishop", "4k3/8/8/8/8/8/8/2B1K3 w - - 0 1", 1.0),
        ("rook", "r3k2r/8/8/8/8/8/8/R3K3 w - - 0 1", -1.0),
        ("queen", "4k3/8/8/8/8/8/8/Q2QK3 w - - 0 1", 2.0),
        ("bishop_pair", "2b1k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", 1.0),
        // c1 is dark, as b2 and d4 are; e4 is light.
        ("bishop_own_pawns", "4k3/8/8/8/3PP3/8/1P6/2B1K3 w - - 0 1", 2.0),
        ("bishop_king_line", "6k1/5p2/8/8/2B5/8/8/4K1B1 w - - 0 1", 1.0),
        ("knight_outpost", "4k3/8/8/3N4/4P3/1p6/8/4K3 w - - 0 1", 1.0),
        ("knight_outpost", "4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1", 0.0),
        ("bishop_outpost", "4k3/8/8/3B4/4P3/8/8/4K3 w - - 0 1", 1.0),
        ("minor_behind_pawn", "4k3/8/8/8/4P3/4N3/8/4K3 w - - 0 1", 1.0),
        ("minor_pawn_defended", "4k3/8/8/8/8/4N3/3P4/4K2B w - - 0 1", 1.0),
        ("rook_open_file", "4k3/p7/8/8/8/8/1P6/RR2K2R w - - 0 1", 1.0),
        ("rook_semi_open_file", "4k3/p7/8/8/8/8/1P6/RR2K2R w - - 0 1", 1.0),
        ("rook_seventh", "4k3/R7/8/8/8/8/8/4K3 w - - 0 1", 1.0),
        ("rook_seventh", "8/R7/4k3/8/8/8/8/4K3 w - - 0 1", 0.0),
        ("rooks_on_file", "4k3/8/8/R7/p7/8/8/R3K3 w - - 0 1", 1.0),
        ("rooks_connected", "4k3/8/8/R7/p7/8/8/R3K3 w - - 0 1", 0.0),
        ("rooks_connected", "4k3/8/8/R7/8/8/8/R3K3 w - - 0 1", 1.0),
        ("rook_behind_passed", "4k3/8/8/P7/8/8/8/R3K3 w - - 0 1", 1.0),
        ("rook_behind_enemy_passed", "R7/4k3/8/p7/8/8/8/4K3 w - - 0 1", 1.0),
        ("rook_behind_enemy_passed", "4k3/8/8/p7/8/8/8/R3K3 w - - 0 1", 0.0),
        ("rook_king_file", "4k3/4p3/8/8/8/8/4P3/3KR3 w - - 0 1", 1.0),
        ("rook_king_adjacent_file", "4k3/8/8/8/8/8/8/R2R1K2 w - - 0 1", 1.0),
        ("rook_queen_file", "q3k3/p7/8/8/8/8/P7/R4K2 w - - 0 1", 1.0),
        ("knight_king_steps", "4k3/8/8/8/8/8/8/N3K3 w - - 0 1", 7.0),
        ("bishop_king_steps", "4k3/8/8/8/8/4B3/8/4K3 w - - 0 1", 5.0),
        ("rook_king_steps", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", 7.0),
        ("queen_king_steps", "4k3/8/8/Q7/8/8/8/4K3 w - - 0 1", 4.0),
        ("isolated", "4k3/8/8/8/8/8/P1P1PP2/4K3 w - - 0 1", 2.0),
        ("isolated_half_open", "4k3/2p5/8/8/8/8/P1P1PP2/4K3 w - - 0 1", 1.0),
        ("backward", "4k3/8/1p6/2p5/4P3/3P4/8/4K3 w - - 0 1", 1.0),
        ("backward_half_open", "4k3/8/1p6/2p5/4P3/3P4/8/4K3 w - - 0 1", 1.0),
        ("doubled", "4k3/8/8/8/P7/P7/P7/4K3 w - - 0 1", 2.0),
        ("pawn_islands", "4k3/pp6/8/8/8/8/P1PP3P/4K3 w - - 0 1", 2.0),
        ("passed_blocked", "4k3/8/n7/P7/8/8/8/4K3 w - - 0 1", 1.0),
        ("passed_obstructed", "4k3/8/N7/P7/8/8/8/4K3 w - - 0 1", 1.0),
        ("passed_free", "4k3/8/8/P7/8/8/8/4K3 w - - 0 1", 1.0),
        ("passed_free", "r3k3/8/8/P7/8/8/8/4K3 w - - 0 1", 0.0),
        ("passed_safe_step", "4k3/8/8/P7/8/8/8/4K3 w - - 0 1", 1.0),
        ("passed_safe_step", "r3k3/8/8/P7/8/8/8/4K3 w - - 0 1", 0.0),
        ("passed_supported", "4k3/8/8/P7/1P6/8/8/4K3 w - - 0 1", 1.0),
        ("passed_own_king_eg", "4k3/8/8/P7/8/8/8/4K3 w - - 0 1", 5.0),
        ("passed_enemy_king_eg", "4k3/8/8/P7/8/8/8/4K3 w - - 0 1", 4.0),
        ("king_escapes", "4k3/8/8/8/8/8/8/K6r w - - 0 1", 2.0 - 5.0),
        ("phalanx_4", "4k3/8/8/8/3PP3/8/8/4K3 w - - 0 1", 2.0),
        ("defended_pawn_4", "4k3/8/8/8/3P4/2P5/8/4K3 w - - 0 1", 1.0),
        ("passed_eg_6", "4k3/8/P7/8/8/8/8/4K3 w - - 0 1", 1.0),
        ("knight_mobility_eg_2", "4k3/8/8/8/8/8/8/N3K3 w - - 0 1", 23.0 / 24.0),
        // The pawn on b4 takes c3 from the knight, and the own pawn c2.
        ("knight_mobility_eg_0", "4k3/8/8/8/1p6/1P6/2P5/N3K3 w - - 0 1", 23.0 / 24.0),
        ("bishop_mobility_eg_7", "4k3/8/8/8/8/8/8/B3K3 w - - 0 1", 23.0 / 24.0),
        ("rook_mobility_eg_10", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", 22.0 / 24.0),
        ("queen_mobility_eg_8", "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", 20.0 / 24.0),
        ("loose_knight", "4k3/8/8/8/8/8/8/N3K2N w - - 0 1", 2.0),
        ("loose_pawn", "4k3/8/8/8/8/P7/1P6/4K3 w - - 0 1", 1.0),
        ("pins_knight", "4k3/4n3/8/8/8/8/8/4RK2 w - - 0 1", 1.0),
        ("pins_knight", "4k3/4n3/4p3/8/8/8/8/4RK2 w - - 0 1", 0.0),
        ("tempo", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1.0),
        ("discovery_to_move", "4k3/4N3/8/8/8/8/8/4RK2 w - - 0 1", 1.0),
        ("discovery_waiting", "4k3/4N3/8/8/8/8/8/4RK2 b - - 0 1", 1.0),
        ("check_safe", "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", 1.0),
        ("check_unsafe", "4k3/8/8/b7/8/8/8/4RK2 b - - 0 1", 1.0),
        ("safe_check_to_move_rook", "7k/8/8/8/8/8/8/R4K2 w - - 0 1", 1.0),
        ("safe_check_waiting_rook", "7k/8/8/8/8/8/8/R4K2 b - - 0 1", 1.0),
        ("safe_check_to_move_knight", "7k/8/8/8/8/8/8/N4K2 w - - 0 1", 0.0),
        ("safe_check_to_move_knight", "7k/8/8/4N3/8/8/8/5K2 w - - 0 1", 1.0),
        ("push_threat_to_move", "4k3/8/8/3n4/8/4P3/8/4K3 w - - 0 1", 1.0),
        ("push_threat_waiting", "4k3/8/8/3n4/8/4P3/8/4K3 b - - 0 1", 1.0),
        ("fork_to_move", "4k3/8/8/3r1r2/4P3/8/8/4K3 w - - 0 1", 1.0),
        ("fork_waiting", "4k3/8/8/3r1r2/4P3/8/8/4K3 b - - 0 1", 1.0),
        ("outnumbered_to_move_knight", "4k3/2p5/3n4/8/8/B7/8/3RK3 w - - 0 1", 1.0),
        ("outnumbered_waiting_knight", "4k3/2p5/3n4/8/8/B7/8/3RK3 b - - 0 1", 1.0),
        ("threat_loose_to_move_rook_knight", "4k3/8/8/n7/8/8/8/R3K3 w - - 0 1", 1.0),
        ("threat_loose_waiting_rook_knight", "4k3/8/8/n7/8/8/8/R3K3 b - - 0 1", 1.0),
        ("threat_guarded_to_move_rook_knight", "4k3/8/1p6/n7/8/8/8/R3K3 w - - 0 1", 1.0),
        ("threat_guarded_waiting_rook_knight", "4k3/8/1p6/n7/8/8/8/R3K3 b - - 0 1", 1.0),
        ("threat_loose_to_move_rook_knight", "4k3/8/1p6/n7/8/8/8/R3K3 w - - 0 1", 0.0),
    ];
    for &(name, fen, expected) in cases {
        let count = count(name, fen);
        assert!((count - expected).abs() < 1e-9, "{name} of {fen}: {count}");
    }
}

/// With queens and rooks on the board, 16 of 24.
#[test]
fn each_feature_of_the_middlegame_counts_what_it_says() {
    let cases: &[(&str, &str, i32)] = &[
        ("castling_short", "r2qk2r/8/8/8/8/8/8/R2QK2R w Kq - 0 1", 1),
        ("castling_long", "r2qk2r/8/8/8/8/8/8/R2QK2R w Kq - 0 1", -1),
        ("shield_king_file_2", "rq4kr/8/8/8/8/8/6P1/RQ4KR w - - 0 1", 1),
        ("shield_beside_3", "rq4kr/8/8/8/8/5P1P/6P1/RQ4KR w - - 0 1", 2),
        ("shield_beside_0", "rq4kr/8/8/8/8/5P2/6P1/RQ4KR w - - 0 1", -1),
        ("storm_king_file_3", "rq4kr/8/8/8/8/6p1/8/RQ4KR w - - 0 1", 1),
        ("storm_beside_4", "rq4kr/8/8/8/5p2/8/8/RQ4KR w - - 0 1", 1),
        ("pawns_at_king", "rq4kr/8/6P1/8/8/8/8/RQ4KR w - - 0 1", 2),
    ];
    for &(name, fen, expected) in cases {
        let name = if name.contains("shield") || name.contains("storm") {
            name.to_owned()
        } else {
            format!("{name}_mg")
        };
        assert_eq!(count(&name, fen), f64::from(expected) * 16.0 / 24.0, "{name} of {fen}");
    }
    // Two knights and a bishop at home and the queen out, 7 of 24 with it; nothing of Black.
    let fen = "4k3/8/8/8/3Q4/8/8/1NB1K1N1 w - - 0 1";
    assert_eq!(count("undeveloped_mg", fen), 3.0 * 7.0 / 24.0);
    assert_eq!(count("queen_early_mg", fen), 3.0 * 7.0 / 24.0);
    // The queen attacks g8 alone, then with the rook, which attacks g7 too, as the knight does.
    let fen = "7k/8/8/8/8/8/Q7/5K2 w - - 0 1";
    assert_eq!(count("queen_at_king_mg", fen), 4.0 / 24.0);
    assert_eq!(count("king_attackers_2_mg", fen), 0.0);
    let fen = "7k/8/8/5N2/8/8/Q7/5KR1 w - - 0 1";
    assert_eq!(count("king_attackers_2_mg", fen), 7.0 / 24.0);
    assert_eq!(count("king_attackers_3_mg", fen), 7.0 / 24.0);
    assert_eq!(count("knight_at_king_mg", fen), 7.0 / 24.0);
    assert_eq!(count("rook_at_king_mg", fen), 7.0 / 24.0);
    assert_eq!(count("king_ring_attacks_mg", fen), 4.0 * 7.0 / 24.0);
    assert_eq!(count("king_ring_weak_mg", fen), 2.0 * 7.0 / 24.0);
}
