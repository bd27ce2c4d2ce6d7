//! Matches on the fake executor: no processes, no files, no clocks.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use gamete_chess::Position;
use gamete_game::{Color, Ending, Reason};
use gamete_stats::{Model, Sprt};

use crate::executor::{Executor, Fake, Listener};
use crate::matches::*;
use crate::task::{GameTask, Task, TaskError, TaskKey, TaskOutcome};
use crate::uci::{EngineCatalog, EngineSpec};
use crate::{
    Adjudication, Competitor, Contestant, Limits, ModelInfo, OpeningSource, Player, RandomOpenings,
    Termination,
};

fn plan(names: &[&str], tournament: Tournament, rounds: u64) -> MatchPlan<Position> {
    let contestant = |name: &&str| {
        let player = Player::new(ModelInfo::find("chess/material").unwrap());
        Contestant { name: (*name).to_owned(), ..Contestant::new(player, Limits::nodes(1)) }
    };
    MatchPlan {
        engines: Arc::default(),
        contestants: names.iter().map(contestant).collect(),
        rules: MatchRules { tournament, rounds, games: 2, swap: true, reverse: false, sprt: None, seed: 1 },
        openings: OpeningSource::random(RandomOpenings::new(1, 2), NonZeroU64::MIN),
        policy: OpeningPolicy::Round,
        adjudication: Adjudication::default(),
        recover: true,
        details: false,
    }
}

/// A game that the contestant whose name comes first in the alphabet wins, or draws against itself.
fn by_name(task: &GameTask) -> crate::GameOutcome {
    let termination = match task.white.name.cmp(&task.black.name) {
        std::cmp::Ordering::Less => Ending::win(Color::White, Reason::Checkmate).into(),
        std::cmp::Ordering::Equal => Ending::draw(Reason::Stalemate).into(),
        std::cmp::Ordering::Greater => Ending::win(Color::Black, Reason::Checkmate).into(),
    };
    outcome(termination)
}

fn outcome(termination: Termination) -> crate::GameOutcome {
    let (thoughts, details) = (vec![None], Vec::new());
    crate::GameOutcome {
        moves: vec!["e4".to_owned()],
        thoughts,
        details,
        termination,
        fault: None,
        timing: None,
    }
}

fn executor(play: impl Fn(&GameTask) -> crate::GameOutcome + Send + Sync + 'static) -> Fake {
    Fake::new(move |task| match task {
        Task::Game(task) => Ok(TaskOutcome::Game(play(task))),
        other => panic!("{other:?} is no game"),
    })
}

/// What happened, in a word each.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl MatchObserver for Notes {
    fn event(&self, event: &MatchEvent<'_>) -> io::Result<()> {
        let note = match event {
            MatchEvent::Started { known_games, planned_games, .. } => {
                format!("{known_games}/{planned_games}")
            }
            MatchEvent::GamesKept { games } => format!("kept {games}"),
            MatchEvent::Playing => "playing".to_owned(),
            MatchEvent::GameBegun { number, .. } => format!("begun {number}"),
            MatchEvent::GameOver { number } => format!("over {number}"),
            MatchEvent::EncounterCounted(counted) => {
                let live = if counted.live { "live" } else { "known" };
                format!("counted {} {live}", counted.encounter.number)
            }
            MatchEvent::Ended { interrupted, .. } => format!("ended {interrupted}"),
        };
        self.0.lock().unwrap().push(note);
        Ok(())
    }
}

impl Notes {
    fn starting_with(&self, start: &str) -> Vec<String> {
        self.0.lock().unwrap().iter().filter(|note| note.starts_with(start)).cloned().collect()
    }
}

fn run_with(
    plan: &MatchPlan<Position>,
    journal: &MemoryJournal,
    executor: &dyn Executor,
    control: &Arc<MatchControl>,
) -> (Result<MatchEnd, MatchError>, Arc<Notes>) {
    let notes = Arc::new(Notes::default());
    let observer: Arc<dyn MatchObserver> = Arc::clone(&notes) as _;
    let (files, programs) = (GameFiles::default(), ProgramWatch::default());
    let runner = MatchRunner::new(plan, journal, files, programs, Arc::clone(control), observer);
    (runner.and_then(|runner| runner.run(executor)), notes)
}

fn run(
    plan: &MatchPlan<Position>,
    journal: &MemoryJournal,
    executor: &dyn Executor,
) -> (MatchEnd, Arc<Notes>) {
    let (end, notes) = run_with(plan, journal, executor, &Arc::default());
    (end.unwrap(), notes)
}

fn points(end: &MatchEnd, count: usize) -> Vec<f64> {
    (0..count).map(|index| end.standings.table().total(index).points()).collect()
}

#[test]
fn everybody_meets_everybody_else() {
    let plan = plan(&["A", "B", "C"], Tournament::RoundRobin, 2);
    let journal = MemoryJournal::default();
    let (end, notes) = run(&plan, &journal, &executor(by_name));
    assert_eq!(points(&end, 3), [8.0, 4.0, 0.0]);
    assert_eq!((end.encounters, end.interrupted, end.kept_games), (6, false, 0));
    assert_eq!(notes.starting_with("begun").len(), 12);
    let (again, notes) = run(&plan, &journal, &executor(|_| panic!("all is known")));
    assert_eq!(points(&again, 3), [8.0, 4.0, 0.0]);
    assert_eq!(notes.starting_with("counted")[5], "counted 5 known");
}

#[test]
fn the_first_meets_all_others_in_a_gauntlet() {
    let plan = plan(&["B", "A", "C", "D"], Tournament::Gauntlet { seeds: 1 }, 1);
    let (end, _) = run(&plan, &MemoryJournal::default(), &executor(by_name));
    assert_eq!(points(&end, 4), [4.0, 2.0, 0.0, 0.0]);
}

#[test]
fn a_quick_tournament_ranks() {
    let plan = plan(&["C", "A", "D", "B"], Tournament::Quick, 1);
    let journal = MemoryJournal::default();
    let (end, _) = run(&plan, &journal, &executor(by_name));
    let ranking = end.ranking.expect("all is played");
    assert_eq!(ranking.best_first, [1, 3, 0, 2]);
    let (again, _) = run(&plan, &journal, &executor(|_| panic!("all is known")));
    assert_eq!(again.ranking, Some(ranking));
}

#[test]
fn the_test_ends_the_match() {
    let mut plan = plan(&["A", "B"], Tournament::RoundRobin, 10_000);
    plan.rules.sprt = Some(Sprt::new(Model::Logistic, 0.0, 50.0, 0.05, 0.05).unwrap());
    let journal = MemoryJournal::default();
    let strengths = |task: &GameTask| Fake::game(task, |player| if player.name == "A" { 0.5 } else { 0.0 });
    for contestant in &mut plan.contestants {
        let Competitor::Player(player) = &mut contestant.competitor else { panic!("a player of ours") };
        player.name.clone_from(&contestant.name);
    }
    let (end, _) = run(&plan, &journal, &executor(strengths));
    assert!(end.decided && !end.interrupted && end.encounters < 10_000, "{} encounters", end.encounters);
    let (again, notes) = run(&plan, &journal, &executor(|_| panic!("it is decided")));
    assert_eq!((again.encounters, again.decided), (end.encounters, true));
    assert!(notes.starting_with("begun").is_empty());
}

type Submitted = (TaskKey, Task, Box<dyn Listener>);

/// Hands games back in another order than they came in.
struct Reversed {
    fake: Fake,
    waiting: Mutex<Vec<Submitted>>,
    batch: usize,
}

impl Executor for Reversed {
    fn submit(&self, key: TaskKey, task: Task, listener: Box<dyn Listener>) {
        let mut waiting = self.waiting.lock().unwrap();
        waiting.push((key, task, listener));
        if waiting.len() == self.batch {
            waiting.drain(..).rev().for_each(|(key, task, listener)| self.fake.submit(key, task, listener));
        }
    }

    fn close(&self) {
        self.fake.close();
        self.waiting.lock().unwrap().clear();
    }

    fn stop(&self) {
        self.close();
    }

    fn capacity(&self) -> usize {
        self.batch
    }

    fn busy(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

#[test]
fn games_in_any_order_are_counted_in_that_of_the_schedule() {
    let plan = plan(&["A", "B", "C"], Tournament::RoundRobin, 4);
    let reversed = Reversed { fake: executor(by_name), waiting: Mutex::default(), batch: 12 };
    let (end, notes) = run(&plan, &MemoryJournal::default(), &reversed);
    assert_eq!(points(&end, 3), [16.0, 8.0, 0.0]);
    assert_eq!(notes.starting_with("begun")[0], "begun 12");
    let counted: Vec<_> = (0..12).map(|number| format!("counted {number} live")).collect();
    assert_eq!(notes.starting_with("counted"), counted);
}

#[test]
fn an_interrupted_match_is_resumed_where_it_was() {
    let plan = plan(&["A", "B", "C"], Tournament::RoundRobin, 3);
    let (whole, _) = run(&plan, &MemoryJournal::default(), &executor(by_name));
    for stop_after in 0..17 {
        let (journal, control) = (MemoryJournal::default(), Arc::<MatchControl>::default());
        let (played, told) = (Mutex::new(0), Arc::clone(&control));
        let stopping = executor(move |task| {
            let mut played = played.lock().unwrap();
            *played += 1;
            if *played > stop_after {
                told.finish();
            }
            by_name(task)
        });
        let (end, _) = run_with(&plan, &journal, &stopping, &control);
        let end = end.unwrap();
        assert!(end.interrupted, "after {stop_after}");
        assert_eq!(end.encounters * 2 + end.kept_games, stop_after + 1, "no game that is over is lost");
        let (resumed, notes) = run(&plan, &journal, &executor(by_name));
        assert_eq!(notes.starting_with("begun").len() as u64, 18 - stop_after - 1);
        assert_eq!(points(&resumed, 3), points(&whole, 3));
    }
}

/// Keeps outcomes as a grid does, and counts those that it need not keep any more.
struct Keeping {
    fake: Fake,
    receipts: Arc<AtomicU64>,
}

struct WithReceipt(Box<dyn Listener>, Arc<AtomicU64>);

impl Listener for WithReceipt {
    fn begin(&mut self) -> bool {
        self.0.begin()
    }

    fn done(self: Box<Self>, task: Task, outcome: Result<TaskOutcome, TaskError>) {
        let Self(listener, receipts) = *self;
        let receipt = move || {
            receipts.fetch_add(1, Ordering::Relaxed);
        };
        listener.done_with_receipt(task, outcome, Box::new(receipt));
    }
}

impl Executor for Keeping {
    fn submit(&self, key: TaskKey, task: Task, listener: Box<dyn Listener>) {
        self.fake.submit(key, task, Box::new(WithReceipt(listener, Arc::clone(&self.receipts))));
    }

    fn close(&self) {
        self.fake.close();
    }

    fn stop(&self) {
        self.close();
    }

    fn capacity(&self) -> usize {
        1
    }

    fn busy(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

#[test]
fn a_game_is_kept_elsewhere_until_it_is_in_the_journal() {
    let plan = plan(&["A", "B"], Tournament::RoundRobin, 2);
    let receipts = Arc::<AtomicU64>::default();
    let seen = Arc::<Mutex<Vec<u64>>>::default();
    let (of_games, before) = (Arc::clone(&receipts), Arc::clone(&seen));
    let fake = executor(move |task| {
        before.lock().unwrap().push(of_games.load(Ordering::Relaxed));
        by_name(task)
    });
    let keeping = Keeping { fake, receipts: Arc::clone(&receipts) };
    // Two games are given at a time, and those of a pair are journalled together.
    run(&plan, &MemoryJournal::default(), &keeping);
    assert_eq!((&*seen.lock().unwrap(), receipts.load(Ordering::Relaxed)), (&vec![0, 0, 0, 2], 4));
    // One that is over before the match is broken off is journalled at its end.
    let (journal, control) = (MemoryJournal::default(), Arc::<MatchControl>::default());
    let told = Arc::clone(&control);
    let fake = executor(move |task| {
        told.finish();
        by_name(task)
    });
    let receipts = Arc::<AtomicU64>::default();
    let keeping = Keeping { fake, receipts: Arc::clone(&receipts) };
    assert_eq!(run_with(&plan, &journal, &keeping, &control).0.unwrap().kept_games, 1);
    assert_eq!(receipts.load(Ordering::Relaxed), 1);
}

#[test]
fn a_listener_that_panics_ends_the_match() {
    let plan = plan(&["A", "B"], Tournament::RoundRobin, 3);
    let observer = |event: &MatchEvent<'_>| match event {
        MatchEvent::GameOver { number: 3 } => panic!("a test panics"),
        _ => Ok(()),
    };
    let journal = MemoryJournal::default();
    let (files, programs) = (GameFiles::default(), ProgramWatch::default());
    let runner = MatchRunner::new(&plan, &journal, files, programs, Arc::default(), Arc::new(observer));
    let executor = crate::Local::new(1).unwrap();
    let error = runner.unwrap().run(&executor).unwrap_err().to_string();
    assert!(error.starts_with("internal error in encounter 2"), "{error}");
}

#[test]
fn a_failure_ends_a_match_that_does_not_recover() {
    let mut plan = plan(&["A", "B"], Tournament::RoundRobin, 3);
    plan.recover = false;
    let journal = MemoryJournal::default();
    let played = Mutex::new(0);
    let failing = executor(move |task| {
        let mut played = played.lock().unwrap();
        *played += 1;
        match *played {
            4 => outcome(Termination::Disconnect { loser: Color::White }),
            _ => by_name(task),
        }
    });
    let (end, _) = run_with(&plan, &journal, &failing, &Arc::default());
    let end = end.unwrap();
    let failure = end.failure.expect("a failure").to_string();
    assert!(failure.starts_with("game 4: B: "), "{failure}");
    assert_eq!((end.encounters, end.kept_games, end.interrupted), (1, 0, true));
    let (resumed, notes) = run(&plan, &journal, &executor(by_name));
    assert_eq!(notes.starting_with("begun")[0], "begun 3", "the whole encounter is played again");
    assert_eq!(points(&resumed, 2), [6.0, 0.0]);
}

#[test]
fn an_observer_that_is_gone_ends_the_match() {
    let plan = plan(&["A", "B"], Tournament::RoundRobin, 3);
    let journal = MemoryJournal::default();
    let gone = |event: &MatchEvent<'_>| match event {
        MatchEvent::GameBegun { number: 3, .. } => Err(io::ErrorKind::BrokenPipe.into()),
        _ => Ok(()),
    };
    let (files, programs) = (GameFiles::default(), ProgramWatch::default());
    let runner = MatchRunner::new(&plan, &journal, files, programs, Arc::default(), Arc::new(gone)).unwrap();
    let error = runner.run(&executor(by_name)).unwrap_err();
    assert!(matches!(&error, MatchError::Observer(error) if error.kind() == io::ErrorKind::BrokenPipe));
    assert!(!journal.is_empty(), "what was played is there");
}

#[test]
fn games_from_other_openings_are_not_taken_over() {
    let mut plan = plan(&["A", "B"], Tournament::RoundRobin, 2);
    let journal = MemoryJournal::default();
    run(&plan, &journal, &executor(by_name));
    plan.openings = OpeningSource::random(RandomOpenings::new(2, 2), NonZeroU64::MIN);
    let (end, _) = run_with(&plan, &journal, &executor(by_name), &Arc::default());
    assert!(matches!(end, Err(MatchError::AnotherGame { game: 1, .. })));
}

#[test]
fn games_that_were_journalled_before_engines_had_names_are_taken_over() {
    let mut plan = plan(&["A", "B"], Tournament::RoundRobin, 2);
    let mut engines = EngineCatalog::default();
    let engine = engines.add("B", EngineSpec::new("x").with_option("Hash", "1"), Some("1a".to_owned()));
    plan.contestants[1].competitor = Competitor::Engine(engine);
    plan.engines = Arc::new(engines);
    let journal = MemoryJournal::default();
    run(&plan, &journal, &executor(by_name));
    let first = plan.tasks(&plan.schedule().encounter(0)).swap_remove(0);
    let old = first.journal_key_of_commands(&plan.engines).unwrap();
    assert_ne!(old, first.journal_key());
    journal.set_task(0, old);
    let all_known = || executor(|_| panic!("all is known"));
    let (again, _) = run(&plan, &journal, &all_known());
    assert_eq!(points(&again, 2), [4.0, 0.0]);
    let mut engines = EngineCatalog::default();
    engines.add("B", EngineSpec::new("y"), Some("1a".to_owned()));
    plan.engines = Arc::new(engines);
    let (end, _) = run_with(&plan, &journal, &all_known(), &Arc::default());
    assert!(matches!(end, Err(MatchError::AnotherGame { game: 1, .. })));
}

#[test]
fn games_of_a_program_that_was_replaced_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("engine");
    std::fs::write(&program, "one").unwrap();
    let plan = plan(&["A", "B"], Tournament::RoundRobin, 3);
    let found = Program::find(&EngineSpec::new(&program)).unwrap().unwrap().after_start("E");
    let identity = Identity::new(&plan.contestants, BTreeMap::from([("A".to_owned(), found)]), None).unwrap();
    let watch = ProgramWatch::new(&identity).unwrap();
    let (journal, observer) = (MemoryJournal::default(), |_: &MatchEvent<'_>| Ok(()));
    let replacing = executor(move |task| {
        std::fs::write(&program, "the other").unwrap();
        by_name(task)
    });
    let files = GameFiles::default();
    let runner = MatchRunner::new(&plan, &journal, files, watch, Arc::default(), Arc::new(observer)).unwrap();
    let error = runner.run(&replacing).unwrap_err().to_string();
    assert!(error.contains("A was replaced while the match ran"), "{error}");
    journal.games(&mut |game| panic!("{game:?} was kept")).unwrap();
}

/// A journal of a match of which only the second encounter is complete.
fn second_encounter(plan: &MatchPlan<Position>) -> MemoryJournal {
    let journal = MemoryJournal::default();
    let tasks = plan.tasks(&plan.schedule().encounter(1));
    let games: Vec<_> = tasks.iter().map(by_name).collect();
    let records: Vec<_> =
        (2..).zip(tasks.iter().zip(&games)).map(|(number, (task, game))| (number, task, game)).collect();
    journal.record(&records).unwrap();
    journal
}

#[test]
fn encounters_out_of_turn_wait_where_their_order_matters() {
    let sprt = Sprt::new(Model::Logistic, 0.0, 50.0, 0.05, 0.05).unwrap();
    for (tournament, sprt, counted) in [
        (Tournament::RoundRobin, None, 1),
        (Tournament::RoundRobin, Some(sprt), 0),
        (Tournament::Quick, None, 0),
    ] {
        let mut plan = plan(&["A", "B"], tournament, 3);
        plan.rules.sprt = sprt;
        let journal = second_encounter(&plan);
        let control = Arc::<MatchControl>::default();
        control.finish();
        let (end, _) = run_with(&plan, &journal, &executor(by_name), &control);
        let end = end.unwrap();
        assert!(end.interrupted);
        assert_eq!(end.encounters, counted, "{tournament:?}");
        let (resumed, _) = run(&plan, &journal, &executor(by_name));
        assert_eq!(points(&resumed, 2), [6.0, 0.0], "{tournament:?}");
    }
}
