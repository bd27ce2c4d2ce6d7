//! Whole pipelines on a fake executor.

mod checks;
mod kept_values;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use gamete_arena::{Executor, Fake};

use super::*;
use crate::RunError;
use crate::bred::Bred;
use crate::plan::Plan;
use crate::presets;
use crate::run::Session;
use crate::testing::{TestLab, fake, strength};
use crate::view::{Event, LabView, State, View};

/// Weights, which then begin again with their population and their champion; then the search of that player.
const FOUR_STAGES: &str = "name = 'four'\nmodel = 'chess/material'\nlimits = 'depth=1'\n
    [[stages]]\nname = 'one'\nset = { method = 'kendall-whitwell', population = 4, generations = 2 }\n
    [[stages]]\nname = 'two'\nset = { method = 'quick-tournament', population = 5, generations = 2 }\n
    [[stages]]\nname = 'three'\nfrom = 'one'\ntake = 'champion'\n
    set = { method = 'optimize', optimizer = 'es', generations = 1, es = { parents = 2, children = 3 }, match = { pairs = 1 } }\n
    [[stages]]\nname = 'four'\ntake = 'player'\n
    set = { method = 'optimize', generations = 2, ga = { population = 3 }, match = { pairs = 1 }, \
            search = { null_move = [false, true], null_move_reduction = [1, 4] } }\n";

fn pipeline(text: &str) -> Pipeline {
    Pipeline::from_table(&text.parse().expect("TOML")).expect("a pipeline")
}

fn error(text: &str) -> String {
    Pipeline::from_table(&text.parse().expect("TOML")).expect_err("an error").to_string()
}

fn run(lab: &TestLab, text: &str, executor: &dyn Executor) -> Result<Session, RunError> {
    run_pipeline(&lab.store(), "x-1", &pipeline(text), executor, &AtomicBool::new(false), |_| {})
}

/// Plays so many games, and panics at the next.
fn dying(games: u64) -> Fake {
    let left = AtomicU64::new(games);
    Fake::new(move |task| {
        let alive = left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        assert!(alive.is_ok(), "killed");
        Ok(Fake::outcome(task, strength))
    })
}

/// The first population of a stage.
fn first_population(lab: &TestLab, id: &str) -> Vec<Vec<f64>> {
    let store = lab.store();
    let run = store.runs(id).expect("runs")[0].number;
    store.individuals(run, 0).expect("individuals").into_iter().map(|one| one.genome).collect()
}

fn is_near(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-6)
}

#[test]
fn every_stage_begins_with_what_an_earlier_one_came_to() {
    let lab = TestLab::new();
    let found = run(&lab, FOUR_STAGES, &fake()).expect("a run to its end").conclusion;
    let store = lab.store();
    let last = store.last_population(store.runs("x-1/one").expect("runs")[0].number).expect("a lab");
    let last = last.expect("a population");
    let two = first_population(&lab, "x-1/two");
    assert!(last.iter().zip(&two).all(|(one, other)| is_near(&one.genome, other)), "{two:?}");
    let [one, three, four, whole] = ["x-1/one", "x-1/three", "x-1/four", "x-1"]
        .map(|name| Bred::find(&store, name).unwrap_or_else(|error| panic!("{error}")));
    assert!(is_near(&first_population(&lab, "x-1/three")[0], one.player.weights()));
    assert_eq!(four.player.weights(), three.player.weights(), "weights are kept, another space is sought");
    assert_eq!(whole.player.weights(), four.player.weights());
    assert_eq!(whole.player.search, four.player.search);
    let genes: Vec<&str> = found.champion.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(genes, ["search.null_move", "search.null_move_reduction"]);
    let rows = store.experiments().expect("rows");
    let games: u64 = rows
        .iter()
        .filter(|row| !row.is_pipeline())
        .map(|row| row.conclusion().expect("a result").expect("a finished stage").games)
        .sum();
    assert_eq!(found.games, games);
    let seeds: std::collections::BTreeSet<u64> = rows.iter().map(|row| row.seed).collect();
    assert_eq!((rows.len(), seeds.len()), (5, 4), "the first stage has the seed of the pipeline");
}

#[test]
fn a_pipeline_that_is_killed_anywhere_comes_to_the_same_end() {
    let whole = run(&TestLab::new(), FOUR_STAGES, &fake()).expect("a run to its end");
    let games = whole.conclusion.games;
    assert!(games > 40, "{games}");
    let lab = TestLab::new();
    let mut played = 0;
    for step in (0..).map(|n| 1 + n % 7) {
        if played + step >= games {
            break;
        }
        let error = run(&lab, FOUR_STAGES, &dying(step)).expect_err("a run that is killed").to_string();
        assert!(error.starts_with("internal error: killed"), "{error}");
        played += step;
    }
    let executor = fake();
    let resumed = run(&lab, FOUR_STAGES, &executor).expect("a run to its end");
    assert_eq!(resumed.conclusion, whole.conclusion);
    assert_eq!(executor.tasks(), games - played, "what was played is not played again");
    assert_eq!(run(&lab, FOUR_STAGES, &dying(0)).expect("a finished run").conclusion, whole.conclusion);
}

/// The preset of David et al. with small numbers.
fn small_grandmaster() -> String {
    let (text, data) = (presets::text("grandmaster").expect("a preset"), "src/testing");
    let text = text
        .replace("corpus = \"own\"", &format!("corpus = \"{data}/experts.corpus\""))
        .replace("file = \"own\"", &format!("file = \"{data}/mates.epd\""))
        .replace("replicates = 10", "replicates = 3")
        .replace("generations = 200", "generations = 2")
        .replace("generations = 50", "generations = 2\n")
        .replace("population = 100", "population = 5")
        .replace("population = 10\n", "population = 4\n")
        .replace("method = \"coevolution\"", "method = \"coevolution\"\npopulation = 4\npair_games = 1");
    format!("name = 'grandmaster'\n{text}")
}

#[test]
fn the_stages_of_a_grandmaster_follow_from_each_other() {
    let (lab, text) = (TestLab::new(), small_grandmaster());
    run(&lab, &text, &fake()).expect("a run to its end");
    let store = lab.store();
    let winners = (1..=3).map(|run| {
        Bred::find(&store, &format!("x-1/imitate/{run}")).expect("a winner").player.weights().to_vec()
    });
    let first = first_population(&lab, "x-1/coevolve");
    let pawn = 1;
    for (winner, genome) in winners.zip(&first) {
        assert!(is_near(genome, &winner[pawn..]), "{genome:?} {winner:?}");
    }
    assert_eq!(first.len(), 4, "the rest is random");
    let [evol0, evol_star] =
        ["x-1/coevolve", "x-1/search"].map(|stage| Bred::find(&store, stage).expect("a player").player);
    assert_eq!(evol_star.weights(), evol0.weights());
    assert!(!evol0.search.null_move && evol0.search.check_extension == 0, "plain alpha-beta");
    let players: Vec<String> = pipeline(&text).stages().iter().map(|stage| stage.player.clone()).collect();
    assert_eq!(players, ["", "evol0", "evol-star"]);
}

#[test]
fn a_grandmaster_that_is_killed_anywhere_comes_to_the_same_end() {
    let (text, executor) = (small_grandmaster(), fake());
    let whole = run(&TestLab::new(), &text, &executor).expect("a run to its end").conclusion;
    let tasks = executor.tasks();
    let (lab, mut done) = (TestLab::new(), 0);
    while done + 3 < tasks {
        run(&lab, &text, &dying(3)).expect_err("a run that is killed");
        done += 3;
    }
    let executor = fake();
    assert_eq!(run(&lab, &text, &executor).expect("a run to its end").conclusion, whole);
    assert_eq!(executor.tasks(), tasks - done, "what was done is not done again");
}

#[test]
fn whoever_watches_hears_of_the_whole_pipeline() {
    let (lab, never) = (TestLab::new(), AtomicBool::new(false));
    let mut events = Vec::new();
    run_pipeline(&lab.store(), "x-1", &pipeline(FOUR_STAGES), &fake(), &never, |event| {
        events.push(event.clone());
    })
    .expect("a run to its end");
    assert!(matches!(&events[0], Event::Started { id, .. } if id == "x-1"), "{:?}", events[0]);
    assert!(matches!(events.last(), Some(Event::Finished { .. })));
    let stages: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            Event::Stage { name, number, stages, .. } => Some(format!("{number}/{stages} {name}")),
            _ => None,
        })
        .collect();
    assert_eq!(stages, ["1/4 one", "2/4 two", "3/4 three", "4/4 four"]);
    let run = |event: &Event| match event {
        Event::Generation { run, .. } => Some(run.clone()),
        _ => None,
    };
    let runs: std::collections::BTreeSet<String> = events.iter().filter_map(run).collect();
    assert_eq!(runs.into_iter().collect::<Vec<_>>(), ["four", "one", "three", "two"]);
    let mut done = 0;
    for event in &events {
        if let Event::Progress(progress) = event {
            let now = progress.played + progress.replayed;
            assert!(now >= done && progress.planned >= now, "{progress:?} after {done}");
            done = now;
        }
    }
}

#[test]
fn a_stage_may_be_a_study_and_another_begin_with_one_of_its_runs() {
    let text = "name = 'study'\nmodel = 'chess/material'\n
        [[stages]]\nname = 'arms'\n[stages.set]\nmethod = 'kendall-whitwell'\npopulation = 3\ngenerations = 1\nreplicates = 2\n
        arms = [{ name = 'a', set = { scale = 0.5 } }, { name = 'b', set = { scale = 2 } }]\n
        [[stages]]\nname = 'run'\nfrom = 'arms/b/2'\nset = { population = 3, generations = 1 }\n
        [[stages]]\nname = 'mean'\nfrom = 'arms/a'\ntake = 'champion'\nset = { population = 3, generations = 1 }\n
        [[stages]]\nname = 'search'\nfrom = 'arms'\ntake = 'player'\n
        set = { population = 3, generations = 1, search = { null_move_reduction = [1, 4] } }\n";
    let lab = TestLab::new();
    run(&lab, text, &fake()).expect("a run to its end");
    let store = lab.store();
    for name in ["x-1/arms/b/2", "x-1/arms/a", "x-1/arms/a@1", "x-1/run@0#2", "x-1"] {
        Bred::find(&store, name).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let error = |name: &str| Bred::find(&store, name).expect_err("nobody").to_string();
    assert_eq!(error("x-1@0"), "x-1 is a pipeline; name one of its stages, as in x-1/arms");
    assert_eq!(error("x-1/rum"), "x-1 has no stage \"rum\", but arms, run, mean, search");
    assert!(error("x-1/arms/c").contains("no arm or run \"c\""));
}

#[test]
fn a_pipeline_is_listed_shown_and_deleted_as_one() {
    let lab = TestLab::new();
    run(&lab, FOUR_STAGES, &dying(20)).expect_err("a run that is killed");
    let store = lab.store();
    let view = LabView::new(&store);
    let listed = view.experiments().expect("a list");
    assert_eq!(listed.len(), 1);
    assert!(matches!(listed[0].state, State::Stages { finished: 1, stages: 4 }), "{:?}", listed[0].state);
    assert_eq!(listed[0].set, ["stages=one|two|three|four"]);
    let View::Pipeline(shown) = view.find("x-1").expect("a pipeline") else { panic!("a pipeline") };
    assert_eq!((shown.stages.len(), shown.experiments().count()), (4, 2));
    assert_eq!(shown.stages[3].beginning, "the player of three");
    assert_eq!(shown.seconds, shown.experiments().map(|stage| stage.seconds).sum::<f64>());
    let error = view.experiment("x-1").expect_err("a pipeline").to_string();
    assert_eq!(error, "x-1 is a pipeline; name one of its stages, as in x-1/one");
    let error = store.delete("x-1/one").expect_err("a stage").to_string();
    assert_eq!(error, "x-1/one is a stage of x-1; `gamete delete x-1` deletes the whole pipeline");
    let refused = run(&lab, &FOUR_STAGES.replace("generations = 1", "generations = 3"), &fake());
    let error = refused.expect_err("another pipeline").to_string();
    assert!(error.contains("stages.three.generations was 1, and is now 3"), "{error}");
    run(&lab, FOUR_STAGES, &fake()).expect("a run to its end");
    assert_eq!(view.experiments().expect("a list")[0].stages.len(), 4);
    store.delete("x-1").expect("a pipeline");
    assert_eq!(store.experiments().expect("rows"), []);
}

#[test]
fn a_printed_pipeline_reads_back() {
    for text in presets::PRESETS
        .iter()
        .map(|(name, text)| format!("name = '{name}'\n{text}"))
        .chain([FOUR_STAGES.to_owned()])
    {
        let table: Table = text.parse().expect("TOML");
        let Ok(Plan::Pipeline(pipeline)) = Plan::from_table(&table) else { continue };
        let printed = pipeline.annotated_text();
        assert!(printed.contains("# generations = "), "{printed}");
        let again = Pipeline::from_table(&printed.parse().expect("TOML")).expect("a pipeline");
        assert_eq!(again.table(), pipeline.table());
    }
}

#[test]
fn player_files_become_part_of_the_pipeline() {
    let folder = tempfile::tempdir().expect("a directory");
    let model = gamete_arena::ModelInfo::find("chess/material").expect("a model");
    let files = ["first.toml", "second.toml"].map(|name| folder.path().join(name));
    for (number, file) in files.iter().enumerate() {
        let mut player = gamete_arena::Player::new(model);
        player.set_weights(&[900.0 + number as f64, 3000.0, 3000.0, 5000.0, 9000.0]);
        std::fs::write(file, player.to_string()).expect("a file");
    }
    let text = format!(
        "name = 'x'\nmodel = 'chess/material'\nmethod = 'optimize'\ngenerations = 1\nga.population = 3\nmatch.pairs = 1\n\
         match.opponents = [{:?}]\n[[stages]]\nname = 'one'\n[[stages]]\nname = 'two'\nset = {{ match = {{ opponents = [{:?}] }} }}\n\
         [[stages]]\nname = 'three'\n",
        files[0], files[1]
    );
    let lab = TestLab::new();
    run(&lab, &text, &fake()).expect("a run to its end");
    drop(folder);
    let store = lab.store();
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), &text).expect("a file");
    let source = file.path().to_str().expect("a path in UTF-8");
    assert!(Plan::load(source, &[], None).expect_err("no file").to_string().contains("first.toml"));
    let (plan, id) = Plan::load_from_lab(source, &[], None, &store).expect("the pipeline of the lab");
    assert_eq!((plan.experiments().len(), id.as_str()), (3, "x-1"));
    let others = ["stages.three.generations=2".to_owned()];
    assert!(Plan::load_from_lab(source, &others, None, &store).is_none());
    let stored = store.experiment("x-1").expect("a row").pipeline().expect("a pipeline");
    for (draft, pawn) in stored.drafts().iter().zip(["pawn = 900", "pawn = 901", "pawn = 900"]) {
        assert!(draft.text().contains(pawn), "{}", draft.text());
    }
    let View::Pipeline(view) = LabView::new(&store).find("x-1").expect("a pipeline") else {
        panic!("a pipeline")
    };
    assert_eq!(view.experiments().count(), 3);
}

#[test]
fn plans_without_end_are_no_overflow() {
    let text = "name = 'long'\nmodel = 'chess/material'\npopulation = 3\n
        [[stages]]\nname = 'one'\nset = { generations = 1 }\n
        [[stages]]\nname = 'two'\n
        set = { replicates = 3, generations = 0, games = 9223372036854775807, seconds = 0.0001 }\n";
    let mut most = 0;
    let (lab, never) = (TestLab::new(), AtomicBool::new(false));
    run_pipeline(&lab.store(), "x-1", &pipeline(text), &fake(), &never, |event| {
        if let Event::Progress(progress) = event {
            most = most.max(progress.planned);
        }
    })
    .expect("a run to its end");
    assert_eq!(most, u64::MAX);
}
