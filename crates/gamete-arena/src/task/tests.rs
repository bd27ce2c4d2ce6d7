use std::sync::atomic::AtomicBool;

use super::*;
use crate::{Adjudication, Book, Contestant, Limits, Opening, Player};

static GO: AtomicBool = AtomicBool::new(false);

const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 5 1";

fn puzzle(fen: &str, best: &[&str], avoid: &[&str]) -> Puzzle {
    let texts = |moves: &[&str]| moves.iter().map(|&mv| mv.to_owned()).collect();
    Puzzle { fen: fen.to_owned(), best: texts(best), avoid: texts(avoid) }
}

fn solve_task(positions: Vec<Puzzle>) -> SolveTask {
    let player = Player::load("chess/material").unwrap();
    SolveTask { game: GameName::Chess, player, limits: Limits::nodes(500), hash_mb: 1, positions }
}

/// Games and positions of both games, players that come back and players that come once.
fn tasks() -> Vec<Task> {
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
        tasks.push(SolveTask { player: white, ..solve_task(positions) }.into());
        let checkers = Player::load("checkers/squares").unwrap();
        let ballot = Book::three_move_ballots().opening(number as usize);
        let one = Contestant::new(checkers.clone(), Limits::nodes(40));
        tasks.push(GameTask::new(&ballot, one.clone(), one, Adjudication::default(), 1).into());
        let fen = ballot.start.to_string();
        let positions = ["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"]
            .map(|mv| ExpertMove { fen: fen.clone(), mv: mv.to_owned() });
        let limits = Limits::nodes(100);
        tasks.push(
            ExpertTask {
                game: GameName::Checkers,
                player: checkers,
                limits,
                hash_mb: 1,
                positions: positions.to_vec(),
            }
            .into(),
        );
    }
    tasks
}

#[test]
fn a_workspace_changes_no_outcome() {
    let alone: Vec<_> = tasks().iter().map(|task| run(task, &mut Workspace::new(&GO)).unwrap()).collect();
    let mut workspaces = [Workspace::new(&GO), Workspace::new(&GO)];
    for _ in 0..2 {
        let mut heard = 0;
        let together = run_all(&mut workspaces, tasks(), |number, outcome| {
            heard += 1;
            assert_eq!(*outcome, alone[number]);
        });
        assert_eq!((together.unwrap(), heard), (alone.clone(), alone.len()));
    }
}

#[test]
fn the_first_error_ends_the_work() {
    let bad = solve_task(vec![puzzle("8/8", &[], &[])]).into();
    let mut begun = 0;
    let many = tasks().into_iter().cycle().take(100_000);
    let error = run_all(&mut [Workspace::new(&GO)], [bad].into_iter().chain(many), |_, _| begun += 1);
    assert!(error.unwrap_err().to_string().starts_with("\"8/8\": "));
    assert!(begun < 100, "{begun} tasks after the error");
}

#[test]
fn tasks_and_outcomes_survive_being_written() {
    for task in &tasks()[..4] {
        let json = serde_json::to_string(task).unwrap();
        let read: Task = serde_json::from_str(&json).unwrap();
        assert_eq!(&read, task);
        let outcome = run(&read, &mut Workspace::new(&GO)).unwrap();
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
    let TaskOutcome::Solve(outcome) = run(&solve_task(positions).into(), &mut Workspace::new(&GO)).unwrap()
    else {
        panic!("what was asked for")
    };
    let solved: Vec<_> = outcome.solutions.iter().map(|solution| solution.solved).collect();
    assert_eq!(solved, [true, false, true, false, false]);
    assert_eq!((outcome.solved(), outcome.solutions[0].chosen.as_deref()), (2, Some("Ra8#")));
    assert_eq!(outcome.solutions[4].chosen, None, "mate");
    assert!(outcome.solutions[0].settled <= outcome.solutions[0].nodes);
    assert!(outcome.nodes() > 4);
}

#[test]
fn experts_are_agreed_with_move_by_move() {
    let player = Player::load("chess/material").unwrap();
    let positions = ["Ra8#", "Ra7", "a1a8"]
        .map(|mv| ExpertMove { fen: MATE_IN_ONE.to_owned(), mv: mv.to_owned() })
        .to_vec();
    let limits = "depth=2".parse().unwrap();
    let task = ExpertTask { game: GameName::Chess, player, limits, hash_mb: 1, positions };
    let TaskOutcome::Expert(outcome) = run(&task.into(), &mut Workspace::new(&GO)).unwrap() else {
        panic!("what was asked for")
    };
    assert_eq!((outcome.agreements(), outcome.agreed), (2, vec![true, false, true]));
}

#[test]
fn nonsense_is_named_and_a_stop_is_no_outcome() {
    let error = |task: SolveTask| run(&task.into(), &mut Workspace::new(&GO)).unwrap_err().to_string();
    assert!(error(solve_task(vec![puzzle("8/8", &[], &[])])).starts_with("\"8/8\": "));
    assert_eq!(
        error(solve_task(vec![puzzle(MATE_IN_ONE, &["Ra9"], &[])])),
        format!("{MATE_IN_ONE:?}: the answer \"Ra9\": not a move")
    );
    let unlimited = SolveTask { limits: Limits::default(), ..solve_task(Vec::new()) };
    assert!(error(unlimited).contains("single positions take nodes, depth or st"));
    let wrong = SolveTask { game: GameName::Checkers, ..solve_task(Vec::new()) };
    assert_eq!(error(wrong), "chess/material plays chess, not checkers");
    let stop = AtomicBool::new(true);
    for task in &tasks()[..4] {
        let interrupted = run(task, &mut Workspace::new(&stop));
        assert!(matches!(interrupted, Err(TaskError::Interrupted)), "{interrupted:?}");
    }
}
