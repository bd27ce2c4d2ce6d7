//! Engines that play well and engines that do not, as a match runner meets them.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gamete_arena::uci::{EngineSetup, EngineSpec, Fault, OptionKind, Reply, Timeouts, UciEngine, Warning};
use gamete_arena::{GameClock, Limits};
use gamete_chess::Position;
use gamete_game::{ByColor, Game, Line, Score};

/// For engines that answer: only a guard, however busy the machine is.
const PATIENT: Timeouts = {
    let minute = Duration::from_secs(60);
    Timeouts { start: minute, new_game: minute, ping: minute, think: minute, stop: minute, quit: minute }
};

/// For engines that do not answer when they are asked for a move.
const HASTY: Timeouts = Timeouts {
    think: Duration::from_millis(300),
    stop: Duration::from_millis(300),
    quit: Duration::from_millis(300),
    ..PATIENT
};

static NEVER: AtomicBool = AtomicBool::new(false);

const NO_CLOCKS: ByColor<Option<GameClock>> = ByColor { white: None, black: None };

fn faulty(fault: &str, at: u32) -> EngineSpec {
    EngineSpec::new(env!("CARGO_BIN_EXE_faulty-engine")).with_args([fault.to_owned(), at.to_string()])
}

fn random_mover(seed: u32) -> EngineSpec {
    EngineSpec::new(env!("CARGO_BIN_EXE_random-mover")).with_args([seed.to_string()])
}

fn start(spec: EngineSpec) -> UciEngine {
    UciEngine::start(spec, PATIENT, &NEVER).expect("an engine that starts")
}

fn limits(text: &str) -> Limits {
    text.parse().expect("limits")
}

fn clocks(text: &str) -> ByColor<Option<GameClock>> {
    ByColor::new_with(|_| GameClock::new(&text.parse().expect("a time control")))
}

/// Neither running nor waited for in vain.
fn is_gone(process: u32) -> bool {
    !Path::new(&format!("/proc/{process}")).exists()
}

/// Plays an engine against itself until something goes wrong, and says how often it moved.
fn moves_until_fault(engine: &mut UciEngine, limits: &Limits, time_control: &str) -> (usize, Fault) {
    let mut line = Line::new(Position::start());
    let clocks = clocks(time_control);
    engine.new_game(line.position(), &NEVER).expect("an engine that is ready");
    loop {
        match engine.think(&line, limits, &clocks, &NEVER) {
            Ok(reply) => line.play(reply.mv),
            Err(fault) => return (line.moves().len(), fault),
        }
        assert!(line.moves().len() < 10, "a fault after a few moves");
    }
}

/// A fault at the third move, under fixed nodes; says whether the engine lives on.
fn third_move(fault: &str) -> (Fault, bool) {
    fault_at(3, fault, PATIENT)
}

fn fault_at(at: u32, fault: &str, timeouts: Timeouts) -> (Fault, bool) {
    let mut engine = UciEngine::start(faulty(fault, at), timeouts, &NEVER).expect("an engine that starts");
    let process = engine.process_id().expect("a process");
    let (moves, fault) = moves_until_fault(&mut engine, &limits("nodes=1"), "inf");
    assert_eq!(moves + 1, at as usize);
    let lives = engine.is_running();
    assert_eq!(is_gone(process), !lives, "{fault}");
    drop(engine);
    assert!(is_gone(process), "{fault}");
    (fault, lives)
}

#[test]
fn crashes_are_seen_whatever_the_limit() {
    let (fault, _) = third_move("crash");
    assert!(fault.to_string().starts_with("crashed (signal: 6"), "{fault}");
    let (fault, _) = third_move("exit");
    assert_eq!(fault.to_string(), "crashed (exit status: 7)");
}

#[test]
fn an_engine_that_does_not_answer_stalls() {
    for fault in ["hang", "flood", "endless-line", "silent"] {
        // A move may have been in what was too long to be kept.
        let ignored_above = (fault == "endless-line").then_some(1 << 16);
        let stall = Fault::Stall { expected: "bestmove", waited: HASTY.think, ignored_above };
        assert_eq!(fault_at(1, fault, HASTY), (stall.clone(), false), "{fault}");
        let mut engine = UciEngine::start(faulty(fault, 1), HASTY, &NEVER).expect("an engine that starts");
        let (moves, fault) = moves_until_fault(&mut engine, &Limits::default(), "0.3");
        assert_eq!(moves, 0);
        assert!(matches!(fault, Fault::Stall { expected: "bestmove", .. }), "{fault}");
        assert!(!engine.is_running());
    }
    let (fault, lives) = fault_at(1, "until-stop", Timeouts { think: HASTY.think, ..PATIENT });
    assert!(matches!(fault, Fault::Stall { .. }) && lives, "{fault}");
}

#[test]
fn wrong_moves_are_named_and_the_engine_lives_on() {
    assert_eq!(third_move("illegal"), (Fault::IllegalMove("e2e5".to_owned()), true));
    assert_eq!(third_move("nonsense"), (Fault::BadAnswer("bestmove banana".to_owned()), true));
    assert_eq!(third_move("no-move"), (Fault::BadAnswer("bestmove".to_owned()), true));
}

#[test]
fn a_late_move_is_waited_for_within_the_margin() {
    // The first move takes 150 ms at least.
    let margin = Duration::from_secs(60);
    let setup = EngineSetup { timeouts: PATIENT, margin, ..EngineSetup::default() };
    let mut line = Line::new(Position::start());
    for (limits, clocks) in [(Limits::default(), clocks("0.02")), (limits("st=0.02"), NO_CLOCKS)] {
        let mut engine =
            UciEngine::set_up(faulty("late", 1), setup.clone(), &NEVER).expect("an engine that starts");
        engine.new_game(line.position(), &NEVER).expect("an engine that is ready");
        let reply = engine.think(&line, &limits, &clocks, &NEVER).expect("a move in the margin");
        assert!(reply.time.as_millis() >= 150, "{:?}", reply.time);
    }

    // Too late altogether, but it stops when it is told to and plays on in the next game.
    let mut engine = start(faulty("until-stop", 1));
    let fault =
        engine.think(&line, &Limits::default(), &clocks("0.05"), &NEVER).expect_err("no move in time");
    assert!(matches!(fault, Fault::Late { time } if time >= Duration::from_millis(150)), "{fault}");
    engine.new_game(&Position::start(), &NEVER).expect("an engine that is ready");
    line.play(line.position().parse_uci("e2e4").expect("a move"));
    let reply = engine.think(&line, &limits("nodes=1"), &NO_CLOCKS, &NEVER).expect("a move");
    assert!(line.position().is_legal(reply.mv));
}

#[test]
fn engines_that_do_not_start_say_why() {
    let fault = |spec: EngineSpec, timeouts| {
        let fault = UciEngine::start(spec, timeouts, &NEVER).expect_err("an engine that does not start");
        fault.to_string()
    };
    let missing = fault(EngineSpec::new("./no-such-engine"), PATIENT);
    assert_eq!(missing, "cannot be started: ./no-such-engine: No such file or directory (os error 2)");
    let dead = fault(faulty("die-at-start", 0), PATIENT);
    assert!(dead.ends_with("ended before uciok (exit status: 1): libmissing.so not found"), "{dead}");
    let timeouts = Timeouts { start: Duration::from_millis(200), ..PATIENT };
    assert_eq!(fault(faulty("not-uci", 0), timeouts), "is not a UCI engine: no uciok within 200 ms");
}

#[test]
fn a_game_does_not_begin_without_a_ready_engine() {
    let mut engine = start(faulty("never-ready", 1));
    let timeouts = Timeouts { new_game: Duration::from_millis(200), ..PATIENT };
    assert!(engine.new_game(&Position::start(), &NEVER).is_ok());
    let mut engine =
        UciEngine::start(engine.spec().clone(), timeouts, &NEVER).expect("an engine that starts");
    let line = Line::new(Position::start());
    engine.think(&line, &limits("nodes=1"), &NO_CLOCKS, &NEVER).expect("a move");
    let fault = engine.new_game(&Position::start(), &NEVER).expect_err("no answer");
    assert_eq!(fault.to_string(), "stalled: no readyok within 200 ms");
    assert_eq!(engine.is_ready(&NEVER), Err(Fault::NotRunning));
}

#[test]
fn whoever_ignores_quit_is_killed() {
    let hasty = |fault| UciEngine::start(faulty(fault, 0), HASTY, &NEVER).expect("an engine that starts");
    let engine = hasty("ignore-quit");
    let process = engine.process_id().expect("a process");
    let began = Instant::now();
    drop(engine);
    assert!(began.elapsed() >= HASTY.quit, "it has its time");
    assert!(is_gone(process));
    let mut engine = start(faulty("none", 0));
    let began = Instant::now();
    engine.quit();
    assert!(began.elapsed() < PATIENT.quit && !engine.is_running(), "it is not waited for in vain");
}

#[test]
fn a_crashed_engine_can_be_restarted() {
    let mut engine = start(faulty("crash", 2).with_option("Hash", "32"));
    let first = engine.process_id();
    assert!(matches!(moves_until_fault(&mut engine, &limits("nodes=1"), "inf"), (1, Fault::Crash { .. })));
    assert_eq!(engine.process_id(), None);
    assert!(engine.last_words().ends_with("go nodes 1"), "{}", engine.last_words());
    let line = Line::new(Position::start());
    assert_eq!(engine.think(&line, &limits("nodes=1"), &NO_CLOCKS, &NEVER), Err(Fault::NotRunning));
    engine.set_chess960(true).expect_err("an engine that is not running");
    engine.restart(&NEVER).expect("an engine that starts");
    assert_ne!(engine.process_id(), first);
    assert!(engine.think(&line, &limits("nodes=1"), &NO_CLOCKS, &NEVER).is_ok());
    let told: Vec<_> = engine.last_words().lines().collect();
    let expected = [
        "uci",
        "setoption name Hash value 32",
        "isready",
        "setoption name UCI_Chess960 value true",
        "position startpos",
        "go nodes 1",
    ];
    assert_eq!(told, expected);
}

#[test]
fn options_are_checked_and_sent_with_threads_first() {
    let mut spec = faulty("none", 0)
        .with_option("Hash", "8")
        .with_option("playing style", "Very Risky")
        .with_option("Clear Hash", "true")
        .with_option("Contempt", "3")
        .with_option("Book File", "my book.bin")
        .with_option("threads", "2");
    spec.name = Some("candidate".to_owned());
    let mut engine = start(spec);
    assert_eq!((engine.name(), engine.id_name()), ("candidate", "Faulty Engine"));
    assert_eq!(engine.author(), "the Gamete authors");
    assert_eq!(engine.options()[1].kind, OptionKind::Spin { default: 16, min: 1, max: 64 });
    let warnings: Vec<_> = engine.warnings().iter().map(Warning::to_string).collect();
    assert_eq!(warnings, ["Warning; candidate doesn't have option Contempt"]);
    let told: Vec<_> = engine.last_words().lines().collect();
    let expected = [
        "uci",
        "setoption name Threads value 2",
        "setoption name Hash value 8",
        "setoption name Playing Style value Very Risky",
        "setoption name Clear Hash",
        "setoption name Book File value my book.bin",
        "isready",
    ];
    assert_eq!(told, expected);
    let warning = engine.set_option("Hash", "65").expect("an engine that listens").expect("a warning");
    assert_eq!(
        warning.to_string(),
        "Warning; candidate option Hash is \"65\" instead of a number from 1 to 64"
    );
}

#[test]
fn much_talk_is_borne() {
    let line = Line::new(Position::start());
    for fault in ["burst", "complain"] {
        let mut engine = start(faulty(fault, 1));
        for _ in 0..2 {
            let reply = engine.think(&line, &limits("nodes=1"), &NO_CLOCKS, &NEVER).expect("a move");
            assert_eq!(reply.thought.map(|thought| thought.depth), Some(2));
        }
    }
}

#[test]
fn what_engines_think_is_kept() {
    let mut engine = start(faulty("none", 0));
    let line = Line::new(Position::start());
    let clocks = clocks("10+0.1");
    let Reply { mv, time, thought } =
        engine.think(&line, &Limits::default(), &clocks, &NEVER).expect("a move");
    let thought = thought.expect("a thought");
    assert_eq!((thought.score, thought.depth, thought.nodes), (Score::centipawns(13), 2, Some(1)));
    assert_eq!(thought.time, time);
    assert_eq!(engine.pv(), line.position().uci(mv, Default::default()));
    assert!(engine.last_words().ends_with("go wtime 10100 winc 100 btime 10100 binc 100"));
}

#[test]
fn chess960_castling_goes_both_ways() {
    let start_fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let castles = start_fen.parse::<Position>().expect("a position").parse_uci("e1h1").expect("a move");
    for (chess960, written) in [(false, "e1g1"), (true, "e1h1")] {
        let mut engine = start(faulty("castle", 1));
        assert_eq!(engine.set_chess960(chess960), Ok(None));
        let mut line = Line::new(start_fen.parse::<Position>().expect("a position"));
        engine.new_game(line.start(), &NEVER).expect("an engine that is ready");
        let reply = engine.think(&line, &limits("nodes=1"), &NO_CLOCKS, &NEVER).expect("a move");
        assert_eq!((reply.mv, engine.pv()), (castles, written));
        line.play(castles);
        line.play(line.position().parse_uci("e8c8").expect("a move"));
        engine.think(&line, &limits("nodes=1"), &NO_CLOCKS, &NEVER).expect("a move");
        let back = if chess960 { "e8a8" } else { "e8c8" };
        let told = format!("position fen {start_fen} moves {written} {back}\ngo nodes 1");
        assert!(engine.last_words().ends_with(&told), "{}", engine.last_words());
    }
    // In a position of Chess960 there is but one way to write it.
    let mut engines = [start(random_mover(1)), start(random_mover(2))];
    for number in [0, 17, 518, 700, 959] {
        for engine in &mut engines {
            assert_eq!(engine.set_chess960(true), Ok(None));
        }
        play(&mut engines, Position::chess960_start(number), &limits("nodes=1"));
    }
}

/// A whole game, in which every move is legal.
fn play(engines: &mut [UciEngine; 2], position: Position, limits: &Limits) -> Line<Position> {
    let mut line = Line::new(position);
    let clocks = clocks(&limits.time_control.to_string());
    for engine in &mut *engines {
        engine.new_game(line.position(), &NEVER).expect("an engine that is ready");
    }
    while line.ending().is_none() {
        let engine = &mut engines[line.moves().len() % 2];
        let reply = engine.think(&line, limits, &clocks, &NEVER).expect("a move");
        line.play(reply.mv);
    }
    line
}

#[test]
fn random_movers_play_whole_games() {
    let mut engines = [start(random_mover(1)), start(random_mover(2))];
    let lengths: Vec<_> = ["nodes=1", "tc=600+1", "st=60", "depth=1"]
        .map(|text| play(&mut engines, Position::start(), &limits(text)).moves().len())
        .into();
    assert!(lengths.iter().all(|&plies| plies > 4), "{lengths:?}");
}
