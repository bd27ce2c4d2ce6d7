use gamete_arena::Playable;
use gamete_game::Color;

/// Captures in a row that are looked at.
const MAX_CAPTURES: u32 = 12;

/// Checks and compulsory jumps that are answered beyond the last ply of a search.
const MAX_EXTENSIONS: u32 = 4;

/// A forced win, less the plies until then. Above any balance of pieces.
const WIN: i32 = 10_000;

/// Below it, and above any balance of pieces.
const LEAST_WIN: i32 = WIN - 1_000;

/// What comes of a position by a search with textbook values of pieces.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lookahead<G> {
    /// The position to evaluate.
    Leaf(G),
    /// The side to move wins by force.
    Wins,
    /// It loses by force in so many plies.
    Loses(u32),
}

/// The position after the captures that pay: what a quiescence search by textbook values comes to, in which either side may
/// stop capturing at any time.
pub(crate) fn quiet_leaf<G: Playable>(position: &G) -> G {
    quiesce(position, -WIN, WIN, MAX_CAPTURES).1
}

/// What a search of so many plies, and then of captures, comes to.
///
/// As textbook values do not tell one quiet move from another, the line of the search is followed only where it wins or loses what
/// captures alone do not; otherwise the position to evaluate is that after the captures that pay.
pub(crate) fn look_ahead<G: Playable>(position: &G, plies: u32) -> Lookahead<G> {
    let (quiet, leaf) = quiesce(position, -WIN, WIN, MAX_CAPTURES);
    // Mostly it finds no more than captures do, which a narrow window shows soonest.
    let found = search(position, plies, MAX_EXTENSIONS, 0, [quiet - 1, quiet + 1]).0;
    if found == quiet {
        return Lookahead::Leaf(leaf);
    }
    let window = if found > quiet { [quiet, WIN] } else { [-WIN, quiet] };
    match search(position, plies, MAX_EXTENSIONS, 0, window) {
        (value, _) if value >= LEAST_WIN => Lookahead::Wins,
        (value, _) if value <= -LEAST_WIN => Lookahead::Loses((WIN + value) as u32),
        (_, leaf) => Lookahead::Leaf(leaf),
    }
}

/// What a position is worth to the side to move, and where its line ends.
fn search<G: Playable>(
    position: &G,
    plies: u32,
    extensions: u32,
    distance: i32,
    [mut alpha, beta]: [i32; 2],
) -> (i32, G) {
    if position.is_stuck() || position.is_drawn() {
        return (ended(position, distance), position.clone());
    }
    let is_extended = plies == 0 && extensions > 0 && position.is_forced();
    if plies == 0 && !is_extended {
        return quiesce(position, alpha, beta, MAX_CAPTURES);
    }
    let mut moves: Vec<_> =
        position.moves().into_iter().map(|mv| (-position.gain(mv, G::PIECE_VALUES), mv)).collect();
    // Stable, so that equal gains stay in the order of the moves.
    moves.sort_by_key(|&(gain, _)| gain);
    let mut best: Option<(i32, G)> = None;
    for (_, mv) in moves {
        let mut next = position.clone();
        next.play(mv);
        let left = (plies.saturating_sub(1), extensions - u32::from(is_extended));
        let (value, leaf) = search(&next, left.0, left.1, distance + 1, [-beta, -alpha]);
        if best.as_ref().is_none_or(|(best, _)| -value > *best) {
            best = Some((-value, leaf));
            alpha = alpha.max(-value);
            if alpha >= beta {
                break;
            }
        }
    }
    // Stalemate is not seen at a glance.
    best.unwrap_or_else(|| (ended(position, distance), position.clone()))
}

/// What a game that is over is worth to the side to move.
fn ended<G: Playable>(position: &G, distance: i32) -> i32 {
    match position.ending().and_then(|ending| ending.outcome.winner()) {
        Some(winner) if winner == position.turn() => WIN - distance,
        Some(_) => distance - WIN,
        None => 0,
    }
}

/// What captures come to for the side to move, and where.
fn quiesce<G: Playable>(position: &G, mut alpha: i32, beta: i32, captures: u32) -> (i32, G) {
    let own = balance(position);
    let mut best = (own, position.clone());
    if own >= beta || captures == 0 {
        return best;
    }
    alpha = alpha.max(own);
    let mut moves = Vec::new();
    position.for_each_tactical(|mv| {
        if position.see_ge(mv, G::PIECE_VALUES, 0) {
            moves.push((-position.gain(mv, G::PIECE_VALUES), mv));
        }
    });
    // Stable, so that equal gains stay in the order of the moves.
    moves.sort_by_key(|&(gain, _)| gain);
    for (_, mv) in moves {
        let mut next = position.clone();
        next.play(mv);
        let (value, leaf) = quiesce(&next, -beta, -alpha, captures - 1);
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
    use gamete_arena::games::positions::ConnectFour;
    use gamete_chess::Position;
    use gamete_game::Game;

    use super::*;

    fn position(fen: &str) -> Position {
        fen.parse().expect("a position")
    }

    #[test]
    fn captures_are_played_that_pay() {
        let leaf = |fen: &str| quiet_leaf(&position(fen)).to_string();
        // A knight hangs; a pawn is guarded, and a queen takes none.
        assert!(leaf("6k1/8/8/3n4/4P3/8/8/6K1 w - - 0 1").starts_with("6k1/8/8/3P4/8/8/8/6K1 b"));
        let guarded = "6k1/2p5/3p4/8/8/8/3Q4/6K1 w - - 0 1";
        assert_eq!(leaf(guarded), guarded);
        // Bishop takes rook, and the pawn takes the bishop.
        let exchange = leaf("6k1/2p5/3r4/8/5B2/8/8/6K1 w - - 0 1");
        assert!(exchange.starts_with("6k1/8/3p4/8/8/8/8/6K1 w"), "{exchange}");
    }

    #[test]
    fn the_line_of_a_search_is_followed_where_it_wins_more_than_captures() {
        // A knight forks king and queen: three plies, of which the last takes the queen.
        let fork = position("4k3/8/8/1N6/8/8/q7/6K1 w - - 0 1");
        assert_eq!(look_ahead(&fork, 1), Lookahead::Leaf(fork.clone()));
        let Lookahead::Leaf(leaf) = look_ahead(&position("q3k3/8/8/1N6/8/8/8/6K1 w - - 0 1"), 3) else {
            panic!("a leaf")
        };
        assert!(!leaf.to_string().contains('q'), "{leaf}");
        // Where all is quiet, nothing is played.
        let quiet = position("6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1");
        assert_eq!(look_ahead(&quiet, 3), Lookahead::Leaf(quiet.clone()));
    }

    #[test]
    fn the_end_of_a_game_is_seen_at_the_last_ply() {
        // Four in a row in one move. There is no check that would be answered beyond the last ply.
        let moves = |text: &str| {
            let mut position = ConnectFour::start();
            text.split(' ').for_each(|mv| position.play(position.parse_move(mv).expect("a move")));
            position
        };
        assert_eq!(Lookahead::Wins, look_ahead(&moves("a b a b a b"), 1));
    }

    #[test]
    fn forced_wins_and_losses_are_seen() {
        let mate = position("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
        assert_eq!(look_ahead(&mate, 1), Lookahead::Wins);
        assert_eq!(look_ahead(&mate, 3), Lookahead::Wins);
        // Whatever Black does, the rook mates.
        let lost = position("7k/1R5p/8/8/8/8/8/R5K1 b - - 0 1");
        assert_eq!(look_ahead(&lost, 2), Lookahead::Loses(2));
        assert!(matches!(look_ahead(&lost, 1), Lookahead::Leaf(_)));
    }
}
