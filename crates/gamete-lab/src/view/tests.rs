use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::lab_view::count_runs;
use super::*;
use crate::bred::Bred;
use crate::experiment::Experiment;
use crate::run::run;
use crate::store::Store;
use crate::study::run_path;

/// A lab with a study of two arms that is finished, and a ranking that was stopped in its second generation.
fn lab() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::create(directory.path()).expect("a lab");
    let never = AtomicBool::new(false);
    let executor = gamete_arena::Local::new(2).expect("threads");
    let common = "limits = 'depth=1'\nmax_moves = 8\n";
    let study =
        "population = 3\ngenerations = 2\n[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\nset = { scale = 2 }\n";
    let study = format!("name = 'study'\n{common}{study}").parse().expect("TOML");
    let study = Experiment::from_table(&study).expect("an experiment");
    run(&store, "study-1", &study, &executor, &never, |_| {}).expect("a study");
    let ranking = "name = 'ranking'\nmethod = 'quick-tournament'\nmodel = 'chess/material'\npopulation = 5\n";
    let ranking = format!("{ranking}{common}generations = 1000\n").parse().expect("TOML");
    let ranking = Experiment::from_table(&ranking).expect("an experiment");
    let stop = AtomicBool::new(false);
    let stopped = run(&store, "ranking-1", &ranking, &executor, &stop, |event| {
        if matches!(event, Event::Generation { generation, .. } if generation.number == 2) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert!(stopped.is_err(), "it was stopped");
    (directory, store)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn an_experiment_is_seen_finished_or_not() {
    let (_directory, store) = lab();
    let lab = LabView::new(&store);
    let listed = lab.experiments().expect("experiments");
    let state = |id: &str| listed.iter().find(|one| one.id == id).map(|one| one.state);
    assert_eq!(state("study-1"), Some(State::Done));
    let Some(State::Unfinished { begun: 1, runs: 1, generation, most: Some(1000) }) = state("ranking-1")
    else {
        panic!("{listed:?}")
    };

    let study = lab.experiment("study-1").expect("a study");
    assert!(study.is_study && study.has_arms && study.single().is_none());
    assert_eq!(study.runs().map(|run| run.path.as_str()).collect::<Vec<_>>(), ["a/1", "b/1"]);
    assert_eq!(study.arms[1].numbers["scale"], 2.0);
    let start = lab.individuals(&study, &study.arms[0].runs[0], 0).expect("individuals");
    let next = lab.individuals(&study, &study.arms[0].runs[0], 1).expect("individuals");
    assert!(start.iter().all(|one| one.parents.is_empty()) && next.iter().all(|one| one.parents.len() == 1));
    let result = study.result();
    let arms: Vec<_> = result.study.expect("a study").champions.into_iter().map(|one| one.arm).collect();
    assert_eq!(arms, [Some("a".to_owned()), Some("b".to_owned())]);

    let ranking = lab.experiment("ranking-1").expect("a ranking");
    assert_eq!(ranking.next_commands(""), [], "it is not finished");
    let (_, run) = ranking.single().expect("a run");
    assert_eq!(run.last().number, generation);
    let last = lab.individuals(&ranking, run, generation).expect("individuals");
    assert_eq!(last[0].genome, run.champion, "the first of the ranking so far");
}

#[test]
fn every_individual_of_every_generation_is_seen_with_fitness_and_parents() {
    let (_directory, store) = lab();
    let lab = LabView::new(&store);
    let view = lab.experiment("ranking-1").expect("a ranking");
    let (_, run) = view.single().expect("a run");
    let start = lab.individuals(&view, run, 0).expect("individuals");
    assert!(start.iter().all(|one| one.fitness.is_none() && one.parents.is_empty()), "{start:?}");
    let mut before = start;
    for number in 1..=run.last().number {
        let now = lab.individuals(&view, run, number).expect("individuals");
        let fitness: Vec<_> = now.iter().map(|one| one.fitness).collect();
        assert_eq!(fitness, [4.0, 3.0, 2.0, 1.0, 0.0].map(Some));
        assert!(now.iter().flat_map(|one| &one.parents).all(|&parent| parent < 5));
        let same = |one: &&crate::Individual| match one.parents[..] {
            [parent] => before[parent as usize].genome == one.genome,
            _ => false,
        };
        assert!(now.iter().filter(same).count() >= 1, "the best stays");
        before = now;
    }
    assert_eq!(lab.individuals(&view, run, 9999).expect("nobody"), []);
}

#[test]
fn every_individual_has_a_name() {
    let (_directory, store) = lab();
    let lab = LabView::new(&store);
    let view = lab.experiment("ranking-1").expect("a ranking");
    let (_, run) = view.single().expect("a run");
    let second = lab.individuals(&view, run, 1).expect("individuals").swap_remove(1);
    let weights = |name: &str| Bred::find(&store, name).map(|bred| bred.player.weights().to_vec());
    assert_eq!(weights("ranking-1@1#2").expect("a player"), second.genome);
    let error = |name: &str| weights(name).expect_err("no such player").to_string();
    assert_eq!(
        error("ranking-1@1#6"),
        "ranking-1@1#6: the generation has 5 individuals, which are numbered from 1"
    );
    assert!(error("ranking-1@1#0").contains("\"1#0\" is no generation, nor an individual of one"));
    assert!(error("ranking-1@9999#1").contains("the last generation is"));
    assert!(error("study-1@1#1").contains("name one of its runs"));
    assert!(weights("study-1/b/1@2#3").is_ok());
}

#[test]
fn views_are_data() {
    let (_directory, store) = lab();
    let lab = LabView::new(&store);
    let study = lab.experiment("study-1").expect("a study");
    let json = serde_json::to_value(&study).expect("data");
    assert_eq!(json["arms"][0]["players"]["model"], "chess/kendall-whitwell");
    assert_eq!(json["arms"][0]["runs"][0]["generations"].as_array().map(Vec::len), Some(3));
    let shown = serde_json::to_value(study.result()).expect("data");
    let wanted = [
        "about",
        "champion",
        "champions",
        "classical",
        "digest",
        "finished",
        "fitness",
        "games",
        "id",
        "method",
        "playoffs",
        "seconds",
        "seed",
        "signature",
        "verification",
    ];
    assert_eq!(keys(&shown), wanted);
    let export = serde_json::to_value(lab.export(&study).expect("an export")).expect("data");
    assert_eq!(keys(&export), ["file", "genes", "id", "result", "runs", "seconds", "seed", "signature"]);
    assert_eq!(keys(&export["runs"][0]["generations"][0]), ["fitness", "parents", "population", "summary"]);
    let event = Event::Started { id: "x".to_owned(), planned_games: 3, seconds: 0.0 };
    assert_eq!(
        keys(&serde_json::to_value(event).expect("data")),
        ["event", "id", "planned_games", "seconds"]
    );
}

#[test]
fn play_offs_are_no_runs() {
    let study = Experiment::load("mutation-study", &["replicates=2".to_owned()], None).expect("a study");
    let mut paths = vec![String::new(), "playoff 1/a - b".to_owned(), "classical a/1".to_owned()];
    assert_eq!(count_runs(&study, &paths), 0);
    paths.extend([(0, 0), (1, 0), (1, 1)].map(|(arm, replicate)| run_path(&study, arm, replicate)));
    assert_eq!(count_runs(&study, &paths), 3);
    let single = Experiment::load("kendall-whitwell", &[], None).expect("an experiment");
    assert_eq!(count_runs(&single, &paths), 1);
}

#[test]
fn a_tune_that_was_stopped_has_present_values_in_the_order_of_its_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Store::create(directory.path()).expect("a lab");
    let text = "name = 'x'\nmethod = 'optimize'\noptimizer = 'spsa'\ngenerations = 0\ngames = 400\nmodel = 'chess/material'\n\
                match = { pairs = 1, opponents = ['start'] }\nweights = { knight = [0, 4000], bishop = [0, 4000], rook = 5000 }\n\
                parameters = { knight = { start = 100, place = 1 }, bishop = { start = 3000, place = 3 }, rook = { start = 5000, kept = true, place = 2 } }\n";
    let experiment = crate::testing::experiment(text);
    let stop = AtomicBool::new(false);
    let stopped = run(&store, "x", &experiment, &crate::testing::fake(), &stop, |event| {
        if matches!(event, Event::Generation { generation, .. } if generation.number == 2) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert!(stopped.is_err(), "it was stopped");
    let view = LabView::new(&store).experiment("x").expect("a tune");
    let tuning = view.tuning.as_ref().expect("values");
    assert!(!tuning.is_finished && view.tuning_verdict() == "not finished" && view.engine.is_none());
    let names: Vec<&str> = tuning.parameters.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["knight", "bishop"]);
    assert_ne!(tuning.parameters[0].value, 100.0, "it moved");
    let toml = tuning.texts.iter().find(|text| text.form == "TOML").expect("a form");
    let places = ["knight", "rook", "bishop"].map(|name| toml.text.find(name));
    assert!(places.is_sorted(), "{}", toml.text);
}

#[test]
fn a_thinned_view_has_the_first_and_the_last_generation() {
    let (_directory, store) = lab();
    let whole = LabView::new(&store).experiment("ranking-1").expect("an experiment");
    let thin = LabView::new(&store).thinned(2).experiment("ranking-1").expect("an experiment");
    let run = |view: &ExperimentView| view.arms[0].runs[0].clone();
    let (all, few) = (run(&whole).generations, run(&thin).generations);
    assert_eq!(few, [all[0].clone(), all[all.len() - 1].clone()]);
    assert_eq!((run(&thin).champion, run(&thin).fitness), (run(&whole).champion, run(&whole).fitness));

    let number = run(&whole).number();
    let last = all.len() as u32 - 1;
    assert_eq!(store.last_number(number).expect("a number"), Some(last));
    let every = store.thinned(number, 0, u32::MAX, 1000).expect("generations");
    assert_eq!((every.generations.len(), every.step, every.last), (all.len(), 1, Some(last)));
    let second = store.thinned(number, 1, u32::MAX, 1000).expect("generations");
    assert_eq!(second.generations, all[1..]);
    let none = store.thinned(number, last + 1, u32::MAX, 1000).expect("nothing");
    assert!(none.generations.is_empty(), "{none:?}");
}

#[test]
fn one_experiment_is_summed_up_as_in_the_list() {
    let (_directory, store) = lab();
    let lab = LabView::new(&store);
    for one in lab.experiments().expect("experiments") {
        assert_eq!(lab.summary_of(&one.id).expect("a summary"), one);
    }
    let games: u64 = lab
        .experiment("ranking-1")
        .expect("one")
        .runs()
        .flat_map(|run| &run.generations)
        .map(|one| one.games)
        .sum();
    assert_eq!(lab.summary_of("ranking-1").expect("a summary").games, games);
    let pulses = store.pulses().expect("pulses").into_iter().map(|pulse| (pulse.id, pulse.finished));
    let pulses: std::collections::BTreeMap<String, bool> = pulses.collect();
    assert_eq!(pulses, [("ranking-1".to_owned(), false), ("study-1".to_owned(), true)].into());
}
