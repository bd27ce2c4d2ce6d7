//! How fast the rules and the files are, each beside what it is measured against, in one run.
//!
//! `cargo bench` prints a table; a ratio below its target is marked but does not fail, because clocks are noisy.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use gamete_chess::{Pgn, Position};
use gamete_game::{Game, TranscriptReader, perft};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn main() {
    println!("{:<46} {:>10} {:>10} {:>7}  target", "millions a second", "ours", "theirs", "ratio");
    bare_perft("chess perft 6, start, over bare cozy-chess", "startpos", 6, 119_060_324);
    bare_perft("chess perft 5, kiwipete, over bare cozy-chess", KIWIPETE, 5, 193_690_690);
    checkers_perft();
    pgn_replay();
}

/// The best of a few runs of each, taking turns, so that a disturbance hits neither alone.
fn best_of<A, B>(runs: usize, mut ours: impl FnMut() -> A, mut theirs: impl FnMut() -> B) -> (f64, f64) {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..runs {
        let start = Instant::now();
        black_box(ours());
        best.0 = best.0.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        black_box(theirs());
        best.1 = best.1.min(start.elapsed().as_secs_f64());
    }
    best
}

fn row(name: &str, ours: f64, theirs: Option<f64>, ratio: f64, target: f64) {
    let theirs = theirs.map_or("-".to_owned(), |speed| format!("{speed:.3}"));
    let verdict = if ratio >= target { "" } else { "  MISSED" };
    println!("{name:<46} {ours:>10.3} {theirs:>10} {ratio:>6.2}x  {target}x{verdict}");
}

fn bare_perft(name: &str, fen: &str, depth: u32, nodes: u64) {
    let position: Position = if fen == "startpos" { Position::start() } else { fen.parse().expect("a FEN") };
    let ours = || assert_eq!(perft(black_box(&position), depth), nodes);
    let theirs = || assert_eq!(bare(black_box(position.board()), depth), nodes);
    let (ours, theirs) = best_of(5, ours, theirs);
    let speed = |seconds| nodes as f64 / seconds / 1e6;
    row(name, speed(ours), Some(speed(theirs)), theirs / ours, 0.9);
}

/// The loop that anybody would write over cozy-chess.
fn bare(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                nodes += bare(&next, depth - 1);
            }
            false
        });
    }
    nodes
}

fn checkers_perft() {
    let start = gamete_checkers::Position::start();
    let (seconds, _) = best_of(5, || assert_eq!(perft(black_box(&start), 11), 85_242_128), || ());
    let speed = 85.242_128 / seconds;
    row("checkers perft 11, over 60 million a second", speed, None, speed / 60.0, 1.0);
}

/// Replays games with SAN resolved against the board, ours and pgn-reader with shakmaty.
fn pgn_replay() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/games/gm2600_10k.pgn.zst");
    let Ok(packed) = std::fs::read(path) else {
        println!("skipped: the PGN bench wants the grandmaster games");
        return;
    };
    let text = zstd::decode_all(packed.as_slice()).expect("zstd data");
    let ours = || {
        let games = TranscriptReader::new(text.as_slice(), Pgn).map(|game| game.expect("a good game"));
        games.map(|game| black_box(game).plies.len()).sum::<usize>()
    };
    let theirs = || {
        let mut reader = pgn_reader::Reader::new(text.as_slice());
        let mut replay = Replay;
        let games = reader.read_games(&mut replay).map(|game| game.expect("a good game"));
        games.sum::<usize>()
    };
    assert_eq!(ours(), theirs(), "plies");
    let (ours, theirs) = best_of(5, ours, theirs);
    let speed = |seconds: f64| 0.01 / seconds;
    row("PGN games replayed, over pgn-reader", speed(ours), Some(speed(theirs)), theirs / ours, 0.5);
    row("PGN games replayed, over 15,000 a second", speed(ours), None, speed(ours) / 0.015, 1.0);
}

struct Replay;

impl pgn_reader::Visitor for Replay {
    type Tags = ();
    type Movetext = (pgn_reader::shakmaty::Chess, usize);
    type Output = usize;

    fn begin_tags(&mut self) -> ControlFlow<usize, ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<usize, Self::Movetext> {
        ControlFlow::Continue(Default::default())
    }

    fn san(
        &mut self,
        (position, plies): &mut Self::Movetext,
        san: pgn_reader::SanPlus,
    ) -> ControlFlow<usize> {
        use pgn_reader::shakmaty::Position as _;
        let mv = san.san.to_move(position).expect("a legal move");
        position.play_unchecked(mv);
        *plies += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, plies): Self::Movetext) -> usize {
        plies
    }
}
