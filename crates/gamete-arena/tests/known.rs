//! Known books, tables and engines.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;

use gamete_arena::uci::{EngineSpec, Timeouts, UciEngine};
use gamete_arena::{
    Adjudication, Adjudicator, Book, GameClock, Limits, OpeningOrder, Playable, ResignRule, Tablebase,
    TablebaseRule, TablebaseValue, Verdict, VerdictReason,
};
use gamete_game::{ByColor, Color, Game, Line, Outcome, Score};
use needs::{data, debian_engine, needing, tables};

#[path = "../../gamete/tests/common/needs.rs"]
mod needs;

needing! {
    eight_moves_by_each_side: [data("openings/8moves_v3.pgn.zip")],
    games_are_cut_after_so_many_plies: [data("openings/hert500.pgn")],
    positions: [data("openings/noob_2moves.epd.zip"), data("openings/FRC_960.epd"), data("openings/gm_ply19_1000.epd")],
    the_positions_of_chess960_are_the_listed_ones: [data("openings/FRC_960.epd")],
    tables_know_who_wins: [tables()],
    only_what_tables_hold_is_looked_up: [tables()],
    tables_go_before_what_players_think: [tables()],
    stockfish_beats_a_random_mover: [debian_engine("stockfish")],
}

type Chess = gamete_chess::Position;

fn known(name: &str, plies: Option<usize>) -> Book<Chess> {
    let path = data(&format!("openings/{name}")).expect("a file that is there");
    Book::load(&path, None, plies).expect("a good book")
}

fn eight_moves_by_each_side() {
    let book = known("8moves_v3.pgn.zip", None);
    assert_eq!((book.len(), book.name()), (34_700, "8moves_v3.pgn.zip"));
    assert!(book.iter().all(|opening| opening.moves.len() == 16 && opening.start == Chess::start()));
    assert_eq!(book.distinct(), 34_700);
    let openings = book.ordered(OpeningOrder::Random, 1, NonZeroU64::MIN);
    let first: HashSet<_> = (0..34_700).map(|pair| openings.index(pair)).collect();
    assert_eq!(first.len(), 34_700);
    assert_eq!(openings.opening(34_700), openings.opening(0));
    assert_eq!(openings.warnings(34_700), []);
    assert_eq!(openings.warnings(34_701).len(), 1);
}

fn games_are_cut_after_so_many_plies() {
    let book = known("hert500.pgn", None);
    assert_eq!(book.len(), 500);
    let cut = known("hert500.pgn", Some(4));
    assert_eq!(cut.len(), 500);
    for (cut, whole) in cut.iter().zip(book.iter()) {
        assert_eq!(cut.moves, whole.moves[..4]);
    }
    assert!(cut.distinct() < book.distinct());
}

fn positions() {
    let book = known("noob_2moves.epd.zip", None);
    assert_eq!(book.len(), 7_314);
    assert!(book.iter().all(|opening| opening.moves.is_empty()));
    for (name, count) in [("FRC_960.epd", 960), ("gm_ply19_1000.epd", 1_000)] {
        assert_eq!(known(name, None).len(), count, "{name}");
    }
}

fn the_positions_of_chess960_are_the_listed_ones() {
    let positions: HashSet<_> = Book::chess960().iter().map(|opening| opening.start).collect();
    assert_eq!(positions, known("FRC_960.epd", None).iter().map(|opening| opening.start).collect());
}

fn open_tables() -> Tablebase {
    Tablebase::open([tables().expect("tables that are there")]).expect("tables")
}

fn value(tables: &Tablebase, fen: &str) -> Option<TablebaseValue> {
    fen.parse::<Chess>().expect("a good FEN").tablebase_value(tables, None)
}

fn tables_know_who_wins() {
    let tables = open_tables();
    assert_eq!(tables.max_pieces(), 4);
    for (fen, known) in [
        ("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", TablebaseValue::Win),
        ("4k3/8/8/8/8/8/8/Q3K3 b - - 0 1", TablebaseValue::Loss),
        // The opposition decides.
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", TablebaseValue::Loss),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", TablebaseValue::Draw),
        ("8/8/8/8/4k3/4p3/8/4K3 b - - 0 1", TablebaseValue::Draw),
        ("8/8/8/8/8/1k6/1p6/1K6 w - - 0 1", TablebaseValue::Draw),
        ("8/8/8/8/8/k1K5/2p5/8 b - - 0 1", TablebaseValue::Win),
        ("r3k3/8/8/8/8/8/8/Q3K3 b - - 0 1", TablebaseValue::Win),
        ("4k3/8/8/8/8/8/8/RN2K3 b - - 0 1", TablebaseValue::Loss),
    ] {
        assert_eq!(value(&tables, fen), Some(known), "{fen}");
    }
}

fn only_what_tables_hold_is_looked_up() {
    let tables = open_tables();
    assert_eq!(value(&tables, "4k3/8/8/8/8/8/8/Q3K3 w - - 1 1"), None, "a quiet move before");
    assert_eq!(value(&tables, "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), None, "castling");
    assert_eq!(value(&tables, "4k3/8/8/8/8/8/PP6/R3K3 w - - 0 1"), None, "five pieces");
    let queen: Chess = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1".parse().expect("a good FEN");
    assert_eq!(queen.tablebase_value(&tables, Some(2)), None);
    assert_eq!(queen.tablebase_value(&tables, Some(3)), Some(TablebaseValue::Win));
    let checkers = gamete_checkers::Position::start();
    assert_eq!(checkers.tablebase_value(&tables, None), None);
}

/// What a player says of its move.
fn cp(centipawns: i32) -> Option<Score> {
    Some(Score::centipawns(centipawns))
}

fn tables_go_before_what_players_think() {
    let tables = open_tables();
    let rules = Adjudication {
        resign: Some(ResignRule { move_count: 1, score: 1, two_sided: false }),
        tablebase: Some(TablebaseRule::default()),
        ..Adjudication::default()
    };
    let start: Chess = "8/8/8/8/8/4k3/7p/R3K3 b - - 3 1".parse().expect("a good FEN");
    let mut line = Line::new(start);
    let mut adjudicator = Adjudicator::new(rules, Some(&tables));
    line.play(line.position().parse_move("Kd3").expect("a legal move"));
    assert_eq!(adjudicator.after_move(&line, cp(0)), None, "not right after a capture");
    let mut take = |mv: &str| {
        line.play(line.position().parse_move(mv).expect("a legal move"));
        adjudicator.after_move(&line, cp(-900))
    };
    let end = take("Ra3").map(|end| end.to_string());
    assert_eq!(end.as_deref(), Some("Black wins by adjudication"), "the player resigns");
    let start: Chess = "8/8/8/8/8/3k4/p7/R3K3 w - - 3 1".parse().expect("a good FEN");
    let (mut line, mut adjudicator) = (Line::new(start), Adjudicator::new(rules, Some(&tables)));
    line.play(line.position().parse_move("Rxa2").expect("a legal move"));
    let end = adjudicator.after_move(&line, cp(-900));
    assert_eq!(
        end,
        Some(Verdict { outcome: Outcome::Win(Color::White), reason: VerdictReason::Tablebase }.into())
    );
    assert_eq!(end.map(|end| end.to_string()).as_deref(), Some("White wins by adjudication: SyzygyTB"));
}

fn stockfish_beats_a_random_mover() {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let path = debian_engine("stockfish").expect("an engine that is there");
    let spec = EngineSpec::new(path).with_option("Hash", "16").with_option("Threads", "1");
    let start = |spec| UciEngine::start(spec, Timeouts::default(), &NEVER).expect("an engine that starts");
    let stockfish = start(spec);
    assert!(stockfish.id_name().starts_with("Stockfish") && stockfish.warnings().is_empty());
    let mover = EngineSpec::new(env!("CARGO_BIN_EXE_random-mover")).with_args(["3"]);
    let mut engines = [stockfish, start(mover)];
    let (mut line, limits) = (Line::new(Chess::start()), Limits::nodes(100));
    let no_clocks = ByColor::<Option<GameClock>>::default();
    for engine in &mut engines {
        engine.new_game(line.position(), &NEVER).expect("an engine that is ready");
    }
    while line.ending().is_none() {
        let engine = &mut engines[line.moves().len() % 2];
        line.play(engine.think(&line, &limits, &no_clocks, &NEVER).expect("a move").mv);
    }
    assert_eq!(line.position().turn(), Color::Black);
    assert!(line.position().in_check(), "{}", line.position());
}
