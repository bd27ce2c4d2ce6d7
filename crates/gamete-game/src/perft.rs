use crate::Game;

/// Counts the lines of `depth` legal moves. The last ply is counted without being played.
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves() as u64,
        _ => {
            let mut nodes = 0;
            position.for_each_move(|mv| {
                let mut next = position.clone();
                next.play(mv);
                nodes += perft(&next, depth - 1);
            });
            nodes
        }
    }
}

/// Each legal move with the [`perft`] of the position it leads to. Nothing at depth 0.
pub fn divide<G: Game>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let count = |mv| {
        let mut next = position.clone();
        next.play(mv);
        (mv, perft(&next, depth - 1))
    };
    position.moves().into_iter().map(count).collect()
}

/// Counts the positions of the game tree down to `depth`, the root included: what plain minimax visits.
pub fn tree_size<G: Game>(position: &G, depth: u32) -> u64 {
    (0..=depth).map(|depth| perft(position, depth)).sum()
}
