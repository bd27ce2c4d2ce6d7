use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::uci::{EngineCatalog, EngineSpec};
use crate::{Adjudication, Book, Contestant, Limits, Opening, Player};

const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 5 1";

fn puzzle(fen: &str, best: &[&str], avoid: &[&str]) -> Puzzle {
    let texts = |moves: &[&str]| moves.iter().map(|&mv| mv.to_owned()).collect();
    Puzzle { fen: fen.to_owned(), best: texts(best), avoid: texts(avoid) }
}

fn solve_task(positions: Vec<Puzzle>) -> SolveTask {
    let solver = Contestant::new(Player::load("chess/material").unwrap(), Limits::nodes(500));
    SolveTask { game: GameName::Chess, solver, hash_mb: 1, positions }
}

fn workspace() -> Workspace {
    Workspace::new(&WorkspaceOptions::default())
}

/// A task for tests in which it does not matter what is done.
pub(crate) fn any_task() -> Task {
    solve_task(Vec::new()).into()
}

/// Games and positions of both games, players that come back and players that come once.
pub(crate) fn tasks() -> Vec<Task> {
    let mut tasks = Vec::new();
    for number in 0..12_u32 {
        let mut white = Player::load("chess/material").unwrap();
        white.set_weight("knight", 3000.0 + f64::from(number)).unwrap();
        let black = Player::load(["chess/classic", "chess/material"][number as usize % 2]).unwrap();
        let opening = Opening::new(gamete_chess::Position::chess960_start(number * 70));
        let limits = |player: &Player| Contestant::new(player.clone(), Limits::nodes(60));
        let (one, two) = (limits(&white), limits(&black));
        tasks.push(GameTask::new(&opening, one, two, Adjudication::default(), 1).into());
        let positions = vec![puzzle(MATE_IN_ONE, &["Ra8#"], &[]), puzzle(MATE_IN_ONE, &[], &["Ra7"])];
        tasks.push(
            SolveTask { solver: Contestant::new(white, Limits::nodes(500)), ..solve_task(positions) }.into(),
        );
        let checkers = Player::load("checkers/squares").unwrap();
        let ballot = Book::three_move_ballots().opening(number as usize);
        let one = Contestant::new(checkers.clone(), Limits::nodes(40));
        tasks.push(GameTask::new(&ballot, one.clone(), one, Adjudication::default(), 1).into());
        let fen = ballot.start.to_string();
        let positions = ["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"]
            .map(|mv| ExpertMove { fen: fen.clone(), mv: mv.to_owned() });
        let (player, positions) = (Contestant::new(checkers, Limits::nodes(100)), positions.to_vec());
        tasks.push(
            ExpertTask { game: GameName::Checkers, player: player.clone(), hash_mb: 1, positions }.into(),
        );
        let positions = vec![fen, ballot.position().to_string()];
        tasks.push(ScoreTask { game: GameName::Checkers, mentor: player, hash_mb: 1, positions }.into());
    }
    tasks
}

#[test]
fn a_workspace_changes_no_outcome() {
    let (tasks, mut kept) = (tasks(), workspace());
    for task in tasks.iter().chain(&tasks) {
        assert_eq!(kept.run(task).unwrap(), workspace().run(task).unwrap());
    }
}

#[test]
fn tasks_and_outcomes_survive_being_written() {
    for task in &tasks()[..5] {
        let json = serde_json::to_string(task).unwrap();
        let read: Task = serde_json::from_str(&json).unwrap();
        assert_eq!(&read, task);
        let outcome = workspace().run(&read).unwrap();
        let json = serde_json::to_string(&outcome).unwrap();
        let read: TaskOutcome = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
    }
}

#[test]
fn right_moves_solve_and_wrong_ones_do_not() {
    let positions = vec![
        puzzle(MATE_IN_ONE, &["Ra8#", "Ra7"], &[]),
        puzzle(MATE_IN_ONE, &["Ra7"], &[]),
        puzzle(MATE_IN_ONE, &[], &["Ra7"]),
        puzzle(MATE_IN_ONE, &[], &["a1a8"]),
        puzzle("R5k1/5ppp/8/8/8/8/8/4K3 b - - 6 1", &[], &[]),
    ];
    let TaskOutcome::Solve(outcome) = workspace().run(&solve_task(positions).into()).unwrap() else {
        panic!("what was asked for")
    };
    let solved: Vec<_> = outcome.solutions.iter().map(|solution| solution.solved).collect();
    assert_eq!(solved, [true, false, true, false, false]);
    assert_eq!((outcome.solved(), outcome.solutions[0].chosen.as_deref()), (2, Some("Ra8#")));
    assert_eq!(outcome.solutions[4].chosen, None, "mate");
    assert!(outcome.solutions[0].settled <= Some(outcome.solutions[0].nodes));
    assert!(outcome.nodes() > 4);
}

#[test]
fn experts_are_agreed_with_move_by_move() {
    let player = Player::load("chess/material").unwrap();
    let positions = ["Ra8#", "Ra7", "a1a8"]
        .map(|mv| ExpertMove { fen: MATE_IN_ONE.to_owned(), mv: mv.to_owned() })
        .to_vec();
    let player = Contestant::new(player, "depth=2".parse().unwrap());
    let task = ExpertTask { game: GameName::Chess, player, hash_mb: 1, positions };
    let TaskOutcome::Expert(outcome) = workspace().run(&task.into()).unwrap() else {
        panic!("what was asked for")
    };
    assert_eq!((outcome.agreements(), outcome.agreed), (2, vec![true, false, true]));
}

#[test]
fn engines_are_looked_up_by_whoever_plays() {
    let mut engines = EngineCatalog::default();
    let engine = engines.add("x", EngineSpec::new("./nobody-has-this").with_option("Hash", "1"), None);
    let mut task = solve_task(vec![puzzle(MATE_IN_ONE, &["Ra8#"], &[])]);
    task.solver.competitor = Competitor::Engine(engine);
    let json = serde_json::to_string(&task).unwrap();
    assert!(json.contains(r#""engine":{"name":"x","options":[["Hash","1"]]}"#), "{json}");
    let task = Task::from(task);
    let error = workspace().run(&task).unwrap_err().to_string();
    assert_eq!(error, "there is no engine called \"x\" here; the catalogue has none");
    let options = WorkspaceOptions { engines: Arc::new(engines), ..WorkspaceOptions::default() };
    let TaskOutcome::Solve(outcome) = Workspace::new(&options).run(&task).unwrap() else {
        panic!("what was asked for")
    };
    let fault = outcome.solutions[0].fault.as_ref().expect("a program that is not there");
    assert!(fault.contains("nobody-has-this"), "{fault}");
}

#[test]
fn positions_are_scored_for_the_side_to_move() {
    let mentor = Contestant::new(Player::load("chess/material").unwrap(), "depth=3".parse().unwrap());
    let positions = [
        MATE_IN_ONE,
        // A queen against a rook, with either side to move.
        "4k3/8/8/3r4/8/8/Q7/4K3 b - - 0 1",
        "4k3/8/8/8/8/8/Q7/3rK3 w - - 0 1",
        "R5k1/5ppp/8/8/8/8/8/4K3 b - - 6 1",
    ];
    let positions = positions.map(str::to_owned).to_vec();
    let task = ScoreTask { game: GameName::Chess, mentor, hash_mb: 1, positions };
    let TaskOutcome::Score(outcome) = workspace().run(&task.into()).unwrap() else {
        panic!("what was asked for")
    };
    let [mate, behind, ahead, over] = &outcome.scored[..] else { panic!("{outcome:?}") };
    assert_eq!(mate.best.as_deref(), Some("Ra8#"));
    assert_eq!(mate.millipawns, Some(gamete_game::Score::win_in(1).millipawns()));
    assert!(behind.millipawns < Some(-1000) && ahead.millipawns > Some(1000), "{outcome:?}");
    assert_eq!((over.millipawns, &over.best, &over.fault), (None, &None, &None), "mate");
}

#[test]
fn nonsense_is_named_and_a_stop_is_no_outcome() {
    let error = |task: SolveTask| workspace().run(&task.into()).unwrap_err().to_string();
    assert!(error(solve_task(vec![puzzle("8/8", &[], &[])])).starts_with("\"8/8\": "));
    assert_eq!(
        error(solve_task(vec![puzzle(MATE_IN_ONE, &["Ra9"], &[])])),
        format!("{MATE_IN_ONE:?}: the answer \"Ra9\": not a move")
    );
    let mut unlimited = solve_task(Vec::new());
    unlimited.solver.limits = Limits::default();
    assert!(error(unlimited).contains("single positions take nodes, depth or st"));
    let start = Book::three_move_ballots().opening(0).start.to_string();
    let wrong = SolveTask { game: GameName::Checkers, ..solve_task(vec![puzzle(&start, &[], &[])]) };
    assert_eq!(error(wrong), "chess/material plays chess, not checkers");
    let stopped = WorkspaceOptions { stop: Arc::new(AtomicBool::new(true)), ..WorkspaceOptions::default() };
    for task in &tasks()[..5] {
        let interrupted = Workspace::new(&stopped).run(task);
        assert!(matches!(interrupted, Err(TaskError::Interrupted)), "{interrupted:?}");
    }
}
