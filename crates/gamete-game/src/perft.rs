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

/// Counts as [`perft`] does as long as `go_on` allows, which is asked now and then with the number of positions looked
/// at so far, those in between included.
pub fn perft_while<G: Game>(position: &G, depth: u32, go_on: impl FnMut(u64) -> bool) -> Option<u64> {
    let mut counter = Counter { nodes: 0, visited: 0, stopped: false, go_on };
    counter.count(position, depth);
    (!counter.stopped).then_some(counter.nodes)
}

struct Counter<F> {
    nodes: u64,
    visited: u64,
    stopped: bool,
    go_on: F,
}

impl<F: FnMut(u64) -> bool> Counter<F> {
    fn count<G: Game>(&mut self, position: &G, depth: u32) {
        if depth < 3 {
            let nodes = perft(position, depth);
            self.nodes = self.nodes.saturating_add(nodes);
            self.visited = self.visited.saturating_add(nodes.max(1));
            return;
        }
        self.visited = self.visited.saturating_add(1);
        self.stopped = self.stopped || !(self.go_on)(self.visited);
        position.for_each_move(|mv| {
            if !self.stopped {
                let mut next = position.clone();
                next.play(mv);
                self.count(&next, depth - 1);
            }
        });
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
