use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use gamete_arena::{Engine, Playable, Player, STACK_BYTES, WrongGame};
use gamete_engine::Limit;
use gamete_game::{Line, Score};

/// What makes a position a puzzle.
#[derive(Debug, Clone, PartialEq)]
pub struct PuzzleOptions {
    /// How many there are to be.
    pub count: usize,
    /// Nodes of a first search, which does not find the move.
    pub glance: u64,
    /// Nodes of a search that does.
    pub look: u64,
    /// By how much the move is better than every other, in thousandths of a pawn.
    pub margin: i32,
}

impl Default for PuzzleOptions {
    fn default() -> Self {
        Self { count: 100, glance: 1_000, look: 50_000, margin: 1_500 }
    }
}

/// Positions that are tried before it is seen whether there are enough: the same on any number of threads.
const CHUNK: usize = 256;

/// A table for searches of some ten thousand nodes.
const HASH_BYTES: usize = 4 << 20;

/// Those of some positions that are puzzles, with their solutions, in order: one move is clearly the best by a long search of a
/// player, and is not the choice of a short one. There may be fewer than wanted. `on_position` is told of every position that
/// was tried.
///
/// # Errors
///
/// When the player plays another game.
pub fn draw_puzzles<G: Playable + Sync>(
    positions: &[G],
    player: &Player,
    options: &PuzzleOptions,
    threads: usize,
    stop: &AtomicBool,
    on_position: &(dyn Fn() + Sync),
) -> Result<Vec<(G, G::Move)>, WrongGame>
where
    G::Move: Send,
{
    G::engine(player, HASH_BYTES)?;
    let mut puzzles = Vec::new();
    for chunk in positions.chunks(CHUNK) {
        let next = AtomicUsize::new(0);
        let mut found: Vec<(usize, G::Move)> = thread::scope(|scope| {
            let work = || {
                let mut engine = G::engine(player, HASH_BYTES).expect("an engine as before");
                let mut own = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(position) = chunk.get(number) else { break };
                    own.extend(solution(position, engine.as_mut(), options, stop).map(|best| (number, best)));
                    on_position();
                }
                own
            };
            let start = |_| {
                let thread = thread::Builder::new().stack_size(STACK_BYTES);
                thread.spawn_scoped(scope, work).expect("a thread")
            };
            let threads: Vec<_> = (0..threads.max(1)).map(start).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
        });
        found.sort_by_key(|(number, _)| *number);
        puzzles.extend(found.into_iter().map(|(number, best)| (chunk[number].clone(), best)));
        if puzzles.len() >= options.count || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    puzzles.truncate(options.count);
    Ok(puzzles)
}

/// The move that solves a position, if it is a puzzle.
fn solution<G: Playable>(
    position: &G,
    engine: &mut dyn Engine<G>,
    options: &PuzzleOptions,
    stop: &AtomicBool,
) -> Option<G::Move> {
    let line = Line::new(position.clone());
    let mut search = |nodes: u64, roots: Option<&[G::Move]>| -> Option<(G::Move, Score)> {
        engine.new_game(0);
        let limit = Limit { nodes: Some(nodes), ..Limit::default() };
        let found = engine.search(&line, &limit, stop, roots, &mut |_| ());
        found.best.map(|best| (best, found.score))
    };
    let (best, score) = search(options.look, None)?;
    let others: Vec<_> = position.moves().into_iter().filter(|mv| *mv != best).collect();
    if others.is_empty() || search(options.glance, None)?.0 == best {
        return None;
    }
    let (_, second) = search(options.look, Some(&others))?;
    let is_clear = score.millipawns().saturating_sub(second.millipawns()) >= options.margin;
    is_clear.then_some(best)
}

#[cfg(test)]
mod tests {
    use gamete_arena::ModelInfo;
    use gamete_chess::Position;
    use gamete_game::Game;

    use super::*;

    #[test]
    fn a_puzzle_has_one_clearly_best_move_that_is_not_seen_at_once() {
        // A quiet start, a mate that every search finds, and a mate in three that begins with a quiet sacrifice.
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
            "r1b3kr/3pR1p1/ppq4p/5P2/4Q3/B7/P5PP/5RK1 w - - 0 1",
        ];
        let positions = fens.map(|fen| fen.parse::<Position>().expect("a position"));
        let player = Player::new(ModelInfo::find("chess/classic").expect("a model"));
        let options = PuzzleOptions { count: 5, glance: 1, look: 20_000, ..PuzzleOptions::default() };
        let found = |threads| {
            let never = AtomicBool::new(false);
            draw_puzzles(&positions, &player, &options, threads, &never, &|| ()).expect("chess")
        };
        let puzzles = found(1);
        assert_eq!(found(2), puzzles);
        let text: Vec<String> = puzzles.iter().map(|(position, best)| position.move_text(*best)).collect();
        assert!(
            !text.is_empty() && !puzzles.iter().any(|(position, _)| *position == positions[0]),
            "{text:?}"
        );
    }
}
