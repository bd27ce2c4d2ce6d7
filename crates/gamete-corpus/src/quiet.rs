use gamete_arena::Playable;
use gamete_game::Color;

/// Captures in a row that are looked at.
const MAX_PLIES: u32 = 12;

/// The position after the captures that pay: what a quiescence search by textbook values comes to, in which either side may
/// stop capturing at any time.
pub(crate) fn quiet_leaf<G: Playable>(position: &G) -> G {
    quiesce(position, i32::MIN + 1, i32::MAX, MAX_PLIES).1
}

/// What captures come to for the side to move, and where.
fn quiesce<G: Playable>(position: &G, mut alpha: i32, beta: i32, plies: u32) -> (i32, G) {
    let own = balance(position);
    let mut best = (own, position.clone());
    if own >= beta || plies == 0 {
        return best;
    }
    alpha = alpha.max(own);
    let mut captures = Vec::new();
    position.for_each_tactical(|mv| {
        if position.see_ge(mv, G::PIECE_VALUES, 0) {
            captures.push((-position.gain(mv, G::PIECE_VALUES), mv));
        }
    });
    // Stable, so that equal gains stay in the order of the moves.
    captures.sort_by_key(|&(gain, _)| gain);
    for (_, mv) in captures {
        let mut next = position.clone();
        next.play(mv);
        let (value, leaf) = quiesce(&next, -beta, -alpha, plies - 1);
        if -value > best.0 {
            best = (-value, leaf);
            alpha = alpha.max(-value);
            if alpha >= beta {
                break;
            }
        }
    }
    best
}

/// How much more the side to move has, in halves of a pawn.
fn balance<G: Playable>(position: &G) -> i32 {
    let [white, black] = Color::ALL.map(|color| position.standard_material(color) as i32);
    if position.turn() == Color::White { white - black } else { black - white }
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;

    use super::*;

    #[test]
    fn captures_are_played_that_pay() {
        let leaf = |fen: &str| quiet_leaf(&fen.parse::<Position>().expect("a position")).to_string();
        // A knight hangs; a pawn is guarded, and a queen takes none.
        assert!(leaf("6k1/8/8/3n4/4P3/8/8/6K1 w - - 0 1").starts_with("6k1/8/8/3P4/8/8/8/6K1 b"));
        let guarded = "6k1/2p5/3p4/8/8/8/3Q4/6K1 w - - 0 1";
        assert_eq!(leaf(guarded), guarded);
        // Bishop takes rook, and the pawn takes the bishop.
        let exchange = leaf("6k1/2p5/3r4/8/5B2/8/8/6K1 w - - 0 1");
        assert!(exchange.starts_with("6k1/8/3p4/8/8/8/8/6K1 w"), "{exchange}");
    }
}
