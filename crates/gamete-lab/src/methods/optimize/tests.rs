mod checks;
mod league;

use std::sync::atomic::{AtomicBool, Ordering};

use gamete_optim::Evaluation;

use super::rivals::difference;
use crate::run::{Conclusion, run};
use crate::store::Store;
use crate::testing::{TestLab, fake};
use crate::{Event, Experiment, GenerationRow, LabView};

fn experiment(text: &str) -> Result<Experiment, String> {
    experiment_of(&format!("name = 'x'\nmethod = 'optimize'\n{text}"))
}

fn experiment_of(text: &str) -> Result<Experiment, String> {
    Experiment::from_table(&text.parse().expect("TOML")).map_err(|error| error.to_string())
}

/// Runs an experiment in a lab of its own.
fn results(text: &str, threads: usize) -> (Conclusion, Vec<GenerationRow>) {
    let lab = tempfile::tempdir().expect("a directory");
    let store = Store::create(lab.path()).expect("a lab");
    let experiment = experiment(text).expect("an experiment");
    let session = run(
        &store,
        "x",
        &experiment,
        &gamete_arena::Local::new(threads).expect("threads"),
        &AtomicBool::new(false),
        |_| {},
    )
    .expect("a result");
    let runs = store.runs("x").expect("runs");
    (session.conclusion, store.generations(runs[0].number).expect("generations"))
}

const FUNCTION: &str = "objective = 'function'\ngenerations = 60\n";

#[test]
fn a_function_is_optimised_without_a_game() {
    let (found, generations) = results(FUNCTION, 1);
    assert_eq!((found.games, generations.len()), (0, 61));
    assert!(found.champion.iter().all(|(_, x)| x.abs() < 0.3), "{found:?}");
    let (names, _): (Vec<&str>, Vec<f64>) =
        found.champion.iter().map(|(name, x)| (name.as_str(), *x)).unzip();
    assert_eq!(names, ["x1", "x2", "x3", "x4"]);
    let last = &generations[60].population;
    assert!(last.is_sorted_by(|one, two| one.fitness >= two.fitness), "{last:?}");
    assert!(generations[0].population.iter().all(|one| one.parents.is_empty()));
    for one in &generations[1].population {
        let [itself] = one.parents[..] else { panic!("{one:?}") };
        assert_eq!(generations[0].population[itself as usize].genome, one.genome, "it was there before");
    }
    let families = generations[2..].iter().flat_map(|generation| &generation.population);
    assert!(families.clone().all(|one| !one.parents.is_empty()));
    assert!(families.clone().any(|one| one.parents.len() == 2));
    assert_eq!(results(FUNCTION, 2).0.digest, found.digest);
    assert_ne!(results(&format!("{FUNCTION}seed = 2\n"), 1).0.digest, found.digest);
}

#[test]
fn noise_is_part_of_what_is_repeated() {
    let noisy =
        format!("{FUNCTION}function = {{ name = 'elo', noise = 0.01, dimensions = 2, games = 50 }}\n");
    let (found, generations) = results(&noisy, 1);
    assert_eq!(results(&noisy, 2).0.digest, found.digest);
    let mean = generations[60].summary.spread.iter().map(|spread| spread.mean.abs()).fold(0.0, f64::max);
    assert!(mean < 1.5, "{mean}");
}

const MATCH: &str = "generations = 2\nmodel = 'chess/material'\nlimits = 'depth=1'\nmax_moves = 8\n\
    at_max_moves = 'material'\nga.population = 4\nmatch.pairs = 1\nmatch.opponents = ['classical', 'chess/classic']\n";

#[test]
fn players_are_judged_by_matches_against_fixed_opponents() {
    let (found, generations) = results(MATCH, 2);
    // Two generations of four players, each with a pair against two opponents.
    assert_eq!((found.games, experiment(MATCH).expect("an experiment").planned_games()), (32, 32));
    let fitness: Vec<f64> = generations[2].population.iter().filter_map(|one| one.fitness).collect();
    assert!(fitness.len() == 4 && fitness.iter().all(|score| (0.0..=1.0).contains(score)), "{fitness:?}");
    assert_eq!(results(MATCH, 1).0.digest, found.digest);
    // Two generations of three times 4 + 3 ln 5 points, as games are played.
    let text = MATCH.replace("ga.population = 4", "optimizer = 'cma-es'");
    assert_eq!(experiment(&text).expect("an experiment").planned_games(), 2 * 24 * 4);
}

#[test]
fn points_play_against_their_rivals() {
    let text = format!("{MATCH}optimizer = 'spsa'\n")
        .replace("ga.population = 4\n", "spsa = { in_flight = 3, c_scale = 9 }\n");
    let (found, generations) = results(&text, 2);
    // Two generations of three iterations, each with a pair and without the opponents.
    let planned = |text: &str| experiment(text).expect("an experiment").planned_games();
    assert_eq!((found.games, planned(&text)), (12, 12));
    assert_eq!(planned(&text.replace("generations = 2", "generations = 0\ngames = 20")), 20);
    assert_eq!(results(&text, 1).0.digest, found.digest);
    let theta = |generation: usize| &generations[generation].population[0].genome;
    let defaults = [1000.0, 3200.0, 3300.0, 5000.0, 9000.0];
    assert!(theta(0).iter().zip(defaults).all(|(x, default)| (x - default).abs() < 1e-9), "{:?}", theta(0));
    assert_ne!(theta(2), theta(0));
    let champion: Vec<f64> = found.champion.iter().map(|(_, value)| *value).collect();
    assert_eq!(champion, *theta(2));
}

#[test]
fn objectives_that_do_not_compare_give_the_difference() {
    let value = |fitness| Evaluation::Fitness(fitness);
    assert_eq!(difference(value(0.75), value(0.5)), value(0.25));
    assert_eq!(difference(value(0.75), Evaluation::Failed), Evaluation::Failed);
    let sphere = "objective = 'function'\noptimizer = 'spsa'\ngenerations = 300\nspsa = { r_end = 0.05, in_flight = 1 }\n";
    let (found, generations) = results(sphere, 1);
    assert_eq!(generations[0].population[0].genome, [3.0; 4]);
    assert!(found.champion.iter().all(|(_, x)| x.abs() < 0.5), "{found:?}");
}

#[test]
fn the_landscape_of_a_model_is_stored_before_a_tune_is_over() {
    let weights = "weights = { pawn = 1000, knight = 3200, bishop = 3300, rook = 5000, queen = [0, 12000] }";
    let parameters = "queen = { start = 4000, step = 800 }, 'search.null_move_reduction' = { start = 2 }";
    let text = format!(
        "name = 'x'\nmethod = 'optimize'\noptimizer = 'pairs'\ngenerations = 0\ngames = 640\nmodel = 'chess/material'\n\
         limits = 'depth=1'\nmatch.pairs = 1\nsearch.null_move_reduction = [1, 4]\n{weights}\nparameters = {{ {parameters} }}\n"
    );
    let (lab, stop) = (TestLab::new(), AtomicBool::new(false));
    let experiment = experiment_of(&text).expect("an experiment");
    let until = |last: u32| {
        stop.store(false, Ordering::Relaxed);
        run(&lab.store(), "x", &experiment, &fake(), &stop, |event| {
            if matches!(event, Event::Generation { generation, .. } if generation.number >= last) {
                stop.store(true, Ordering::Relaxed);
            }
        })
        .map(drop)
    };
    let view = || LabView::new(&lab.store()).experiment("x").expect("a tune");
    until(4).expect_err("it was stopped");
    let first = view().landscape.expect("a landscape");
    assert_eq!((first.slices.len(), first.slices[0].elo.len()), (1, 31));
    assert!(first.games >= 96, "{}", first.games);
    until(8).expect_err("it was stopped");
    assert!(view().landscape.expect("a landscape").games > first.games);
    until(u32::MAX).expect("a result");
    let finished = view();
    assert_eq!(finished.conclusion.map(|found| found.slices.len()), Some(1));
    assert_eq!(finished.landscape, None);
}

#[test]
fn settings_of_the_search_are_sought_as_weights_are() {
    let text = format!(
        "{MATCH}preset = 'full'\nsearch = {{ null_move_reduction = [1, 4], null_move = [false, true] }}\n"
    );
    let one = experiment(&text).expect("an experiment");
    assert_eq!(
        one.genes(),
        ["search.null_move", "search.null_move_reduction"],
        "weights keep their defaults"
    );
    let (found, generations) = results(&text, 2);
    for genome in generations.iter().flat_map(|generation| &generation.population).map(|one| &one.genome) {
        assert!([0.0, 1.0].contains(&genome[0]) && [1.0, 2.0, 3.0, 4.0].contains(&genome[1]), "{genome:?}");
    }
    let genome: Vec<f64> = found.champion.iter().map(|(_, value)| *value).collect();
    let player = one.method.breed().expect("players").player("champion", &genome);
    assert_eq!(i32::from(player.search.null_move), genome[0] as i32);
    assert_eq!(player.search.null_move_reduction, genome[1] as i32);
    let both = format!("{text}weights.pawn = [500, 1500]\nmatch.rounding = 'stochastic'\n");
    assert_eq!(experiment(&both).expect("an experiment").genes().len(), 3);
    assert_eq!(results(&both, 1).0.digest, results(&both, 2).0.digest);
}
