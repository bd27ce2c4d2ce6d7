//! Whole experiments on a fake executor: every method, a study, budgets, killed and resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gamete_arena::{
    Contestant, ExpertOutcome, ExpertTask, Fake, GameName, GameTask, Limits, Local, ModelInfo, OpeningText,
    Player, ScoreOutcome, ScoreTask, Solution, SolveOutcome, SolveTask, Task, TaskOutcome,
};
use gamete_optim::OptimizerInfo;

use super::*;
use crate::RunError;
use crate::methods::{METHODS, MethodInfo};
use crate::objective::{OBJECTIVES, ObjectiveInfo};
use crate::testing::{TestLab, experiment, fake, strength};

const STUDY: &str = "name = 'study'\nmethod = 'kendall-whitwell'\npopulation = 4\ngenerations = 2\nreplicates = 2\n\
     playoff.pairs = 2\nplayoff.classical = 1\n\
     [[arms]]\nname = 'a'\nset = { scale = 0.5 }\n[[arms]]\nname = 'b'\nset = { scale = 2 }\n";

/// A small experiment of every method, every optimiser on every objective, and a study.
fn experiments() -> Vec<String> {
    let method = |info: &MethodInfo| format!("name = '{0}'\nmethod = '{0}'\n{1}", info.name, info.small);
    let arm =
        |info: &OptimizerInfo| format!("[[arms]]\nname = '{0}'\nset = {{ optimizer = '{0}' }}\n", info.name);
    let arms: String = OptimizerInfo::all().map(arm).collect();
    let objective = |info: &ObjectiveInfo| {
        format!(
            "name = 'optimize-{0}'\nmethod = 'optimize'\nobjective = '{0}'\ngenerations = 2\nplayoff.pairs = 0\n{1}{arms}",
            info.name, info.small
        )
    };
    let methods = METHODS.iter().map(method);
    methods.chain(OBJECTIVES.iter().map(objective)).chain([STUDY.to_owned()]).collect()
}

/// Kendall and Whitwell's method.
fn one_method() -> String {
    experiments().swap_remove(0)
}

/// Does so many tasks, and panics at the next.
fn dying(tasks: u64) -> Fake {
    let left = AtomicU64::new(tasks);
    Fake::new(move |task| {
        let alive = left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        assert!(alive.is_ok(), "killed");
        Ok(Fake::outcome(task, strength))
    })
}

#[test]
fn every_method_and_objective_comes_to_the_same_end_however_often_it_is_killed() {
    let mut killed = 0;
    for text in &experiments() {
        let name = experiment(text).head.name;
        let executor = fake();
        let whole = TestLab::new().run(text, &executor).expect("a run to its end");
        let tasks = executor.tasks();
        let lab = TestLab::new();
        let mut done = 0;
        // Some objectives need no tasks, or few.
        if tasks > 15 {
            killed += 1;
            for step in [1, tasks / 3, tasks / 3] {
                let error = lab.run(text, &dying(step)).expect_err("a run that is killed").to_string();
                assert!(error.starts_with("internal error: killed"), "{name}: {error}");
                done += step;
            }
        }
        let executor = fake();
        let resumed = lab.run(text, &executor).expect("a run to its end");
        assert_eq!(resumed.conclusion, whole.conclusion, "{name}");
        assert_eq!(executor.tasks(), tasks - done, "{name}: what was done is not done again");
        let again = lab.run(text, &dying(0)).expect("a run that is finished");
        assert_eq!(again.conclusion, whole.conclusion, "{name}");
    }
    assert!(killed > METHODS.len(), "{killed}");
}

#[test]
fn a_run_that_is_stopped_finishes_what_is_in_hand_and_goes_on_later() {
    let text = &one_method();
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
fn runs_compute_one_after_another_on_as_many_threads_as_do_tasks() {
    let lab = TestLab::new();
    let executor = Local::new(3).expect("threads");
    let computing = AtomicU64::new(0);
    let most = lab.method(&executor, |lab| {
        assert_eq!(lab.threads(), 3);
        let branch = |name: u32| lab.branch(&name.to_string(), lab.rng("branch"));
        let branches = (0..8).map(branch).collect::<Result<Vec<_>, _>>()?;
        let seen = lab.side_by_side(branches, |_, branch| {
            branch.remember("how many compute", |_| {
                let others = computing.fetch_add(1, Ordering::SeqCst);
                // Others have time to begin.
                std::thread::sleep(std::time::Duration::from_millis(5));
                computing.fetch_sub(1, Ordering::SeqCst);
                Ok(others + 1)
            })
        })?;
        Ok(seen.into_iter().max())
    });
    assert_eq!(most.expect("numbers"), Some(1));
}

#[test]
fn what_is_remembered_is_computed_once() {
    let lab = TestLab::new();
    let nobody = Fake::new(|task| panic!("{task:?}"));
    let first = lab.method(&nobody, |lab| {
        let numbers = lab.remember("thirds of 10", |_| Ok(vec![10.0_f64 / 3.0, 20.0 / 3.0]))?;
        let text = lab.remember("a word", |_| Ok("heavy".to_owned()))?;
        Ok((numbers, text))
    });
    let again = lab.method(&nobody, |lab| {
        let numbers: Vec<f64> = lab.remember("thirds of 10", |_| panic!("computed again"))?;
        let text: String = lab.remember("a word", |_| panic!("computed again"))?;
        Ok((numbers, text))
    });
    assert_eq!(again.expect("what was stored"), first.expect("numbers"));
    let other = lab.method(&nobody, |lab| lab.remember("thirds of 11", |_| Ok(Vec::<f64>::new())));
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
    let scored = ScoreOutcome { scored: Vec::new() };
    let [solving, expert, score] = [
        TaskOutcome::Solve(solved.clone()),
        TaskOutcome::Expert(agreed.clone()),
        TaskOutcome::Score(scored.clone()),
    ];
    let executor = Fake::new(move |task| {
        Ok(match task {
            Task::Game(task) => TaskOutcome::Game(Fake::game(task, strength)),
            Task::Solve(_) => solving.clone(),
            Task::Expert(_) => expert.clone(),
            Task::Score(_) => score.clone(),
        })
    });
    let ask = |lab: &mut Lab<'_>| {
        let game = GameName::Chess;
        let expert = ExpertTask { game, player: player(), hash_mb: 1, positions: Vec::new() };
        let score = ScoreTask { game, mentor: player(), hash_mb: 1, positions: Vec::new() };
        let OpeningText { start, book } = OpeningText::initial(game);
        let (white, black, adjudication) = (player(), player(), gamete_arena::Adjudication::default());
        let played = GameTask { game, start, book, white, black, adjudication, seed: 3, details: false };
        let tickets = (lab.ask(solve(), false)?, lab.ask(played, true)?);
        let agreed = lab.play_all([expert.clone(), expert], false)?;
        let scored = lab.ask(score, false)?;
        Ok((lab.wait(tickets.0)?, lab.wait(tickets.1)?, agreed, lab.wait(scored)?))
    };
    let lab = TestLab::new();
    let first = lab.method(&executor, ask).expect("answers");
    assert_eq!((&first.0, &first.2, &first.3), (&solved, &vec![agreed.clone(), agreed], &scored));
    assert_eq!(executor.tasks(), 5);
    let again = lab.method(&Fake::new(|_| panic!("done again")), ask).expect("answers");
    assert_eq!(again, first);
}

/// A task that is done once.
fn solve() -> SolveTask {
    SolveTask { game: GameName::Chess, solver: player(), hash_mb: 1, positions: Vec::new() }
}

#[test]
fn a_task_that_was_done_before_is_known_though_only_a_later_copy_is_in_the_journal() {
    let lab = TestLab::new();
    let copies = |lab: &mut Lab<'_>| {
        lab.begin_generation(0);
        lab.play_all([solve()], false)?;
        lab.begin_generation(1);
        Ok::<_, LabError>((lab.ask(solve(), false)?, lab.ask(solve(), false)?))
    };
    let executor = fake();
    let written = lab.method(&executor, |lab| {
        let (_, second) = copies(lab)?;
        lab.wait(second)
    });
    assert_eq!(executor.tasks(), 1);
    let nobody = Fake::new(|task| panic!("{task:?}"));
    let resumed = lab.method(&nobody, |lab| {
        let (first, second) = copies(lab)?;
        Ok([lab.wait(first)?, lab.wait(second)?])
    });
    let written = written.expect("an answer");
    assert_eq!(resumed.expect("answers"), [written.clone(), written]);
}

#[test]
fn what_is_done_once_is_forgotten_after_a_generation_without_it() {
    let executor = fake();
    let done = TestLab::new().method(&executor, |lab| {
        let mut done = Vec::new();
        for (generation, tasks) in [1, 2, 1, 0, 1, 0, 0].into_iter().enumerate() {
            lab.begin_generation(generation as u32);
            lab.play_all(vec![solve(); tasks], false)?;
            done.push(executor.tasks());
        }
        Ok(done)
    });
    assert_eq!(done.expect("numbers"), [1, 1, 1, 1, 2, 2, 2]);
}

#[test]
fn tasks_that_cannot_be_done_end_a_run_with_their_reason() {
    let executor = Fake::new(|_| Err(gamete_arena::TaskError::NoTables));
    let error = TestLab::new().run(&one_method(), &executor).expect_err("no games").to_string();
    assert!(error.starts_with("a task cannot be done: the task has a rule on endgame tables"), "{error}");
}
