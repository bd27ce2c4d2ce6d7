//! Whole experiments on a fake executor: every method, a study, budgets, killed and resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gamete_arena::{
    Contestant, ExpertOutcome, ExpertTask, Fake, GameName, GameTask, Limits, ModelInfo, OpeningText, Player,
    Solution, SolveOutcome, SolveTask, Task, TaskOutcome,
};

use super::*;
use crate::RunError;
use crate::methods::METHODS;
use crate::testing::{TestLab, experiment, fake, strength};

/// An experiment of every method, and a study.
const EXPERIMENTS: [&str; 6] = [
    "name = 'kw'\nmethod = 'kendall-whitwell'\npopulation = 6\ngenerations = 4\n",
    "name = 'qt'\nmethod = 'quick-tournament'\npopulation = 6\ngenerations = 3\nmodel = 'chess/material'\n",
    "name = 'es'\nmethod = 'evolution-strategy'\nsurvivors = 4\nchildren = 4\ngenerations = 3\n\
     model = 'checkers/material'\n",
    "name = 'meta'\nmethod = 'meta-evolution'\npopulation = 3\ngenerations = 2\ngenes.scale = [0, 2]\n\
     playoff.pairs = 2\ninner.population = 4\ninner.generations = 2\n",
    "name = 'study'\nmethod = 'kendall-whitwell'\npopulation = 4\ngenerations = 2\nreplicates = 2\n\
     playoff.pairs = 2\nplayoff.classical = 1\n\
     [[arms]]\nname = 'a'\nset = { scale = 0.5 }\n[[arms]]\nname = 'b'\nset = { scale = 2 }\n",
    "name = 'optimizers'\nmethod = 'optimize'\ngenerations = 2\nmodel = 'chess/material'\nmatch.pairs = 1\n\
     ga.population = 4\nplayoff.pairs = 1\n\
     [[arms]]\nname = 'ga'\nset = { optimizer = 'ga' }\n[[arms]]\nname = 'es'\nset = { optimizer = 'es' }\n",
];

/// Plays so many games, and panics at the next.
fn dying(games: u64) -> Fake {
    let left = AtomicU64::new(games);
    Fake::new(move |task| {
        let Task::Game(task) = task else { panic!("a game") };
        let alive = left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        assert!(alive.is_ok(), "killed");
        Ok(TaskOutcome::Game(Fake::game(task, strength)))
    })
}

#[test]
fn no_method_is_left_out() {
    let tried: Vec<String> = EXPERIMENTS.iter().map(|text| experiment(text).head.method).collect();
    for method in METHODS {
        assert!(tried.iter().any(|name| name == method.name), "{}", method.name);
    }
}

#[test]
fn every_method_comes_to_the_same_end_however_often_it_is_killed() {
    for text in EXPERIMENTS {
        let name = experiment(text).head.name;
        let whole = TestLab::new().run(text, &fake()).expect("a run to its end");
        let games = whole.conclusion.games;
        assert!(games > 20, "{name}: {games}");
        let lab = TestLab::new();
        let mut replayed = 0;
        for step in [1, games / 3, games / 3] {
            let error = lab.run(text, &dying(step)).expect_err("a run that is killed").to_string();
            assert!(error.starts_with("internal error: killed"), "{name}: {error}");
            replayed += step;
        }
        let executor = fake();
        let resumed = lab.run(text, &executor).expect("a run to its end");
        assert_eq!(resumed.conclusion, whole.conclusion, "{name}");
        assert_eq!(resumed.progress.replayed, replayed, "{name}: what was played is not played again");
        assert_eq!(executor.tasks(), games - replayed, "{name}");
        let again = lab.run(text, &dying(0)).expect("a run that is finished");
        assert_eq!(again.conclusion, whole.conclusion, "{name}");
    }
}

#[test]
fn a_run_that_is_stopped_finishes_what_is_in_hand_and_goes_on_later() {
    let text = EXPERIMENTS[0];
    let whole = TestLab::new().run(text, &fake()).expect("a run to its end");
    let (lab, stop) = (TestLab::new(), Arc::new(AtomicBool::new(false)));
    let (flag, played) = (Arc::clone(&stop), AtomicU64::new(0));
    let stopping = Fake::new(move |task| {
        let Task::Game(task) = task else { panic!("a game") };
        if played.fetch_add(1, Ordering::Relaxed) == 9 {
            flag.store(true, Ordering::Relaxed);
            // Until whoever looks after the run has seen it.
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        Ok(TaskOutcome::Game(Fake::game(task, strength)))
    });
    let error = lab.run_until(text, &stopping, &stop).expect_err("a run that is stopped");
    assert!(matches!(&error, RunError::Lab(error) if error.is_stop()), "{error}");
    let resumed = lab.run(text, &fake()).expect("a run to its end");
    assert_eq!(resumed.conclusion, whole.conclusion);
    assert!(resumed.progress.replayed >= 10, "{:?}", resumed.progress);
}

#[test]
fn a_run_without_games_is_stopped_too() {
    let endless = "name = 'x'\nmethod = 'optimize'\nobjective = 'function'\nseconds = 1e9\ngenerations = 0\n";
    let lab = TestLab::new();
    let error = lab.run_until(endless, &fake(), &AtomicBool::new(true)).expect_err("a run that is stopped");
    assert!(matches!(&error, RunError::Lab(error) if error.is_stop()), "{error}");
}

#[test]
fn budgets_end_runs() {
    let generations = |budget: &str| {
        let lab = TestLab::new();
        let text = format!("name = 'x'\npopulation = 6\n{budget}\n");
        lab.run(&text, &fake()).expect("a run to its end");
        let store = lab.store();
        let run = store.runs("x").expect("runs")[0].number;
        store.summaries(run).expect("generations").len() - 1
    };
    assert_eq!(generations("generations = 3"), 3);
    assert_eq!(generations("games = 25\ngenerations = 0"), 3, "ten games each");
    assert!((1..200).contains(&generations("convergence = 0.9\ngenerations = 200")));
    assert_eq!(generations("seconds = 0.000001\ngenerations = 50"), 1);
}

#[test]
fn the_champion_of_a_method_is_stronger_than_its_start() {
    let lab = TestLab::new();
    lab.run("name = 'x'\npopulation = 16\ngenerations = 40\n", &fake()).expect("a run to its end");
    let store = lab.store();
    let run = store.runs("x").expect("runs")[0].number;
    let strength_after = |generation| {
        let population = store.individuals(run, generation).expect("a population");
        let breed = experiment("name = 'x'").method.breed().expect("players").clone();
        let all: f64 = population.iter().map(|one| strength(&breed.player("", &one.genome))).sum();
        all / population.len() as f64
    };
    assert!(strength_after(40) > strength_after(0), "{} {}", strength_after(40), strength_after(0));
}

#[test]
fn what_is_remembered_is_computed_once() {
    let lab = TestLab::new();
    let nobody = Fake::new(|task| panic!("{task:?}"));
    let first = lab.method(&nobody, |lab| {
        let numbers = lab.remember("thirds of 10", || vec![10.0_f64 / 3.0, 20.0 / 3.0])?;
        let text = lab.remember("a word", || "heavy".to_owned())?;
        Ok((numbers, text))
    });
    let again = lab.method(&nobody, |lab| {
        let numbers: Vec<f64> = lab.remember("thirds of 10", || panic!("computed again"))?;
        let text: String = lab.remember("a word", || panic!("computed again"))?;
        Ok((numbers, text))
    });
    assert_eq!(again.expect("what was stored"), first.expect("numbers"));
    let other = lab.method(&nobody, |lab| lab.remember("thirds of 11", Vec::<f64>::new));
    assert!(matches!(other, Err(LabError::Changed { number: 0, .. })), "{other:?}");
}

fn player() -> Contestant {
    let player = Player::new(ModelInfo::find("chess/material").expect("a model"));
    Contestant::new(player, Limits::nodes(10))
}

#[test]
fn a_method_may_ask_for_any_task() {
    let solution = Solution { solved: true, chosen: None, nodes: 7, settled: Some(3), fault: None };
    let solved = SolveOutcome { solutions: vec![solution] };
    let agreed = ExpertOutcome { agreed: vec![true, false], nodes: 9 };
    let (solve, expert) = (TaskOutcome::Solve(solved.clone()), TaskOutcome::Expert(agreed.clone()));
    let executor = Fake::new(move |task| {
        Ok(match task {
            Task::Game(task) => TaskOutcome::Game(Fake::game(task, strength)),
            Task::Solve(_) => solve.clone(),
            Task::Expert(_) => expert.clone(),
        })
    });
    let ask = |lab: &mut Lab<'_>| {
        let game = GameName::Chess;
        let solve = SolveTask { game, solver: player(), hash_mb: 1, positions: Vec::new() };
        let expert = ExpertTask { game, player: player(), hash_mb: 1, positions: Vec::new() };
        let OpeningText { start, book } = OpeningText::initial(game);
        let (white, black, adjudication) = (player(), player(), gamete_arena::Adjudication::default());
        let played = GameTask { game, start, book, white, black, adjudication, seed: 3, details: false };
        let tickets = (lab.ask(solve.clone(), false)?, lab.ask(played, true)?);
        let agreed = lab.play_all([expert.clone(), expert], false)?;
        Ok((lab.wait(tickets.0)?, lab.wait(tickets.1)?, agreed))
    };
    let lab = TestLab::new();
    let first = lab.method(&executor, ask).expect("answers");
    assert_eq!((&first.0, &first.2), (&solved, &vec![agreed.clone(), agreed]));
    assert_eq!(executor.tasks(), 4);
    let again = lab.method(&Fake::new(|_| panic!("done again")), ask).expect("answers");
    assert_eq!(again, first);
}

#[test]
fn tasks_that_cannot_be_done_end_a_run_with_their_reason() {
    let executor = Fake::new(|_| Err(gamete_arena::TaskError::NoTables));
    let error = TestLab::new().run(EXPERIMENTS[0], &executor).expect_err("no games").to_string();
    assert!(error.starts_with("a task cannot be done: the task has a rule on endgame tables"), "{error}");
}
