use std::sync::{Arc, OnceLock};

use gamete_arena::Player;
use gamete_corpus::{Alternatives, Differences, ExpertTable, Part};
use gamete_optim::{Genome, Key};
use toml::Table;

use super::corpus_method::{CorpusMethod, Learner};
use super::gradient::{self, Gradient, Learned, Lessons};
use super::{Finding, Method as _, MethodInfo};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::experiment::{Budget, ExperimentError, read_settings};
use crate::expert_corpus::{ExpertCorpus, test_measure};
use crate::measure::{Measure, Reading};
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "move-ranking",
    about: "weights by gradient that make the expert moves of a corpus likeliest, no games",
    keys: KEYS,
    read: |table| Ok(Box::new(method(table)?)),
    #[cfg(test)]
    small: "corpus = 'src/testing/experts.corpus'\nmodel = 'chess/material'\ngenerations = 3\nsteps = 2\n",
};

const KEYS: &[Key] = &[
    ExpertCorpus::FILE,
    Key::choice(
        "leaf",
        &["static", "quiet", "search", "own"],
        "where moves are evaluated: at once; after the captures that then pay, or where a search leads, both by textbook \
         values; or where the player's own search leads",
    ),
    Key::integer(
        "plies",
        [1, 5],
        3,
        "plies of the search after each move, if leaf = \"search\" or \"own\"; captures follow",
    ),
    Key::integer(
        "renew",
        [1, 10_000],
        10,
        "generations after which moves are searched again with the current weights, if leaf = \"own\"",
    ),
    gradient::L2,
    gradient::TOWARDS,
    gradient::FOLDS,
    gradient::STEPS,
];

/// A logistic model of experts' moves, fitted by gradient from random weights on.
///
/// A generation is one genome: the weights after some more steps. Its fitness is the share of hits.
#[derive(Debug)]
struct MoveRanking {
    corpus: ExpertCorpus,
    /// The plies of searches by the player itself, if there are such.
    own_plies: Option<u32>,
    /// Those of all runs, where they are the same for all weights.
    leaves: Arc<Leaves>,
}

/// Where moves are evaluated, and what they change there, found once.
#[derive(Debug, Default)]
struct Leaves {
    /// Who searches them, if it is not the same for all weights.
    searcher: Option<Player>,
    searched: OnceLock<ExpertTable>,
    moves: OnceLock<Alternatives>,
}

fn method(table: &Table) -> Result<CorpusMethod<MoveRanking>, ExperimentError> {
    let settings = read_settings(table, KEYS)?;
    let own_plies = (settings.choice("leaf") == "own").then(|| settings.count("plies") as u32);
    let corpus = ExpertCorpus::new("corpus", &settings);
    let learner = MoveRanking { corpus, own_plies, leaves: Arc::default() };
    CorpusMethod::read(table, settings, learner)
}

impl MoveRanking {
    /// Where moves are evaluated from now on.
    fn leaves(&self, players: &Breed, genome: &Genome) -> Arc<Leaves> {
        match self.own_plies {
            None => Arc::clone(&self.leaves),
            Some(_) => {
                let searcher = Some(players.player("", genome));
                Arc::new(Leaves { searcher, ..Leaves::default() })
            }
        }
    }

    /// The features of the corpus.
    fn table<'a>(
        &'a self,
        players: &Breed,
        leaves: &'a Leaves,
        lab: &Lab<'_>,
    ) -> Result<&'a ExpertTable, LabError> {
        let (Some(searcher), Some(plies)) = (&leaves.searcher, self.own_plies) else {
            return self.corpus.table(players, lab);
        };
        if let Some(table) = leaves.searched.get() {
            return Ok(table);
        }
        let table = self.corpus.searched_table(players, searcher, plies, lab)?;
        Ok(leaves.searched.get_or_init(|| table))
    }
}

impl Learner for MoveRanking {
    fn check_corpus(&self, players: &Breed) -> Result<(), ExperimentError> {
        self.corpus.hash(players).map(drop)
    }

    fn reading(&self, fitness: f64) -> Reading {
        Reading::new("share of hits", fitness)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let evaluated = match self.own_plies {
            Some(plies) => format!("where its own search of {plies} more plies leads"),
            None => self.corpus.leaf_text(),
        };
        vec![("corpus", self.corpus.file().to_owned()), ("moves are evaluated", evaluated)]
    }

    fn learn(
        method: &CorpusMethod<Self>,
        budget: &Budget,
        start: Start<'_>,
        lab: &mut Lab<'_>,
    ) -> Result<Finding, LabError> {
        let CorpusMethod { players, settings, learner, .. } = method;
        learner.corpus.remember(players, lab)?;
        let renew = learner.own_plies.map(|_| settings.count("renew") as u32);
        let gradient = Gradient { players, settings, in_use: method.start_genome(), renew };
        gradient.run(budget, start, lab, |genome| Moves {
            players,
            learner,
            leaves: learner.leaves(players, genome),
        })
    }

    fn differences(
        method: &CorpusMethod<Self>,
        champion: &Genome,
        lab: &mut Lab<'_>,
    ) -> Result<Option<Differences>, LabError> {
        let CorpusMethod { players, learner, .. } = method;
        learner.corpus.differences(players, champion, learner.own_plies, lab)
    }
}

/// The moves of experts, evaluated somewhere.
struct Moves<'a> {
    players: &'a Breed,
    learner: &'a MoveRanking,
    leaves: Arc<Leaves>,
}

impl Moves<'_> {
    fn table(&self, lab: &Lab<'_>) -> Result<&ExpertTable, LabError> {
        self.learner.table(self.players, &self.leaves, lab)
    }
}

impl Lessons for Moves<'_> {
    fn alternatives(&self, lab: &Lab<'_>) -> Result<&Alternatives, LabError> {
        if let Some(moves) = self.leaves.moves.get() {
            return Ok(moves);
        }
        let moves = Alternatives::moves(self.table(lab)?);
        Ok(self.leaves.moves.get_or_init(|| moves))
    }

    /// The share of the positions to learn from in which the expert's move is chosen.
    fn fitness(&self, learned: &Learned<'_>, lab: &Lab<'_>) -> Result<f64, LabError> {
        let table = self.table(lab)?;
        let weights = Phenotype::new(self.players).whole_weights(learned.genome);
        let hits = table.hits(Part::Train, &[weights], lab.threads())[0];
        Ok(f64::from(hits) / f64::from(table.positions(Part::Train)))
    }

    fn measures(&self, learned: &Learned<'_>, fitness: f64, lab: &Lab<'_>) -> Result<Vec<Measure>, LabError> {
        let table = self.table(lab)?;
        let [train, test] = [Part::Train, Part::Test].map(|part| f64::from(table.positions(part)));
        let mut measures = vec![Measure::of_best(Measure::HITS, (fitness * train).round()).out_of(train)];
        if test > 0.0 {
            let weights = Phenotype::new(self.players).whole_weights(learned.genome);
            measures.push(test_measure(table.hits(Part::Test, &[weights], lab.threads())[0], table));
        }
        Ok(measures)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use gamete_arena::Local;

    use crate::run::{Session, run};
    use crate::testing::{TestLab, experiment, fake};
    use crate::{GenerationRow, Measure, RunError};

    fn text(more: &str) -> String {
        text_of("chess/classic", more)
    }

    fn text_of(model: &str, more: &str) -> String {
        format!(
            "name = 'x'\nmethod = 'move-ranking'\nmodel = '{model}'\ncorpus = 'src/testing/experts.corpus'\n\
             generations = 8\nsteps = 3\n{more}"
        )
    }

    fn generations(lab: &TestLab) -> Vec<GenerationRow> {
        let store = lab.store();
        let run = store.runs("x").expect("runs")[0].number;
        store.generations(run).expect("generations")
    }

    fn hits(lab: &TestLab) -> Vec<f64> {
        let population = |row: &GenerationRow| row.population[0].fitness;
        generations(lab).iter().filter_map(population).collect()
    }

    #[test]
    fn hits_become_more_from_generation_to_generation() {
        let lab = TestLab::new();
        lab.run(&text("weights.pawn_value = 100\n"), &fake()).expect("a result");
        let rows = generations(&lab);
        assert!(rows.iter().all(|row| row.population.len() == 1));
        let hits = hits(&lab);
        assert_eq!(hits.len(), rows.len() - 1, "generation 0 is where it begins");
        assert!(
            hits[hits.len() - 1] > hits[0] && hits.iter().all(|hits| (0.0..=1.0).contains(hits)),
            "{hits:?}"
        );
        for (row, hits) in rows[1..].iter().zip(hits) {
            let [train, test] =
                [Measure::HITS, Measure::TEST_HITS].map(|name| row.summary.measure(name).cloned());
            assert_eq!(train.and_then(|train| Some(train.best / train.of?)), Some(hits));
            assert!(test.is_some_and(|test| test.of > Some(0.0)), "{row:?}");
            let l2 = row.summary.measure(Measure::L2).expect("the penalty").best;
            assert!(crate::methods::gradient::PENALTIES.contains(&l2), "{l2}");
        }
    }

    #[test]
    fn a_large_penalty_draws_weights_to_their_defaults() {
        let end = |more: &str| {
            let lab = TestLab::new();
            lab.run(&text(&format!("towards = 'defaults'\n{more}")), &fake()).expect("a result");
            let rows = generations(&lab);
            [&rows[0], &rows[rows.len() - 1]].map(|row| row.population[0].genome.clone())
        };
        let [start, held] = end("l2 = 100.0\n");
        let [_, free] = end("l2 = 0.001\n");
        let experiment = experiment(&text(""));
        let model = experiment.method.breed().expect("players").model();
        assert!(start.iter().zip(model.weights).all(|(value, weight)| *value == weight.default), "{start:?}");
        let distance = |genome: &[f64]| {
            genome.iter().zip(&start).map(|(one, two)| (one - two).abs()).fold(0.0, f64::max)
        };
        assert!(distance(&held) < 10.0 && distance(&free) > 50.0, "{held:?} {free:?}");
        assert_eq!(end("seed = 2\nl2 = 0.001\n")[1], free, "nothing is random");
    }

    #[test]
    fn moves_are_searched_again_with_the_weights_of_then() {
        let text = |renew: u32| {
            text_of("chess/material", &format!("leaf = 'own'\nplies = 1\nl2 = 0.01\nrenew = {renew}\n"))
        };
        let end = |renew: u32| {
            let lab = TestLab::new();
            lab.run(&text(renew), &fake()).expect("a result");
            generations(&lab).pop().expect("a generation").population.swap_remove(0).genome
        };
        assert_ne!(end(1), end(1_000));
    }

    #[test]
    fn weights_stay_in_their_ranges_and_are_as_exact_as_they_are_multiplied() {
        let lab = TestLab::new();
        let text = text("weights = { pawn_value = 100, '*' = [5, 63], queen_value = [0, 2047] }\n");
        lab.run(&text, &fake()).expect("a result");
        let experiment = experiment(&text);
        let genes = experiment.genes();
        for row in &generations(&lab)[1..] {
            for (gene, value) in genes.iter().zip(&row.population[0].genome) {
                let range = if gene == "queen_value" { 0.0..=2047.0 } else { 5.0..=63.0 };
                assert!(range.contains(value) && (value * 10.0).fract() == 0.0, "{gene}: {value}");
            }
        }
    }

    #[test]
    fn what_has_no_unit_is_measured_by_the_pawn() {
        for more in ["", "weights = { bishop_pair = 0, '*' = [0, 500] }\n"] {
            let lab = TestLab::new();
            let text = text(more);
            lab.run(&text, &fake()).expect("a result");
            let genome = generations(&lab).pop().expect("a generation").population.swap_remove(0).genome;
            let pawn = experiment(&text).genes().iter().position(|gene| gene == "pawn_value");
            assert_eq!(genome[pawn.expect("a pawn")], 100.0, "{more}");
        }
    }

    #[test]
    fn a_descent_ends_by_itself() {
        let lab = TestLab::new();
        let text = "name = 'x'\nmethod = 'move-ranking'\nmodel = 'chess/material'\n\
            corpus = 'src/testing/experts.corpus'\ngenerations = 0\nseconds = 1e9\nl2 = 0.01\n";
        lab.run(text, &fake()).expect("a result");
        assert!((2..50).contains(&generations(&lab).len()));
    }

    /// Runs until so many generations are reported.
    fn run_until(lab: &TestLab, text: &str, generation: usize) -> Result<Session, RunError> {
        let (stop, experiment) = (AtomicBool::new(false), experiment(text));
        let mut seen = 0;
        run(&lab.store(), "x", &experiment, &fake(), &stop, |event| {
            seen += usize::from(matches!(event, crate::view::Event::Generation { .. }));
            stop.store(seen >= generation, Ordering::Relaxed);
        })
    }

    #[test]
    fn it_comes_to_the_same_end_on_any_number_of_threads_and_in_pieces() {
        let own = "leaf = 'own'\nplies = 1\nrenew = 4\ntowards = 'defaults'\nl2 = 0.1\n";
        for text in [text(""), text_of("chess/material", own)] {
            let whole = TestLab::new().run(&text, &fake()).expect("a result").conclusion;
            for threads in [1, 2] {
                let executor = Local::new(threads).expect("threads");
                let other = TestLab::new().run(&text, &executor).expect("a result").conclusion;
                assert_eq!(other.digest, whole.digest, "{threads} threads");
            }
            let lab = TestLab::new();
            for generation in [1, 3] {
                let stopped = run_until(&lab, &text, generation);
                // A quick run may be over before it is stopped.
                let is_stop = matches!(&stopped, Err(RunError::Lab(error)) if error.is_stop());
                assert!(is_stop || stopped.is_ok(), "{stopped:?}");
            }
            assert_eq!(lab.run(&text, &fake()).expect("a result").conclusion, whole);
        }
    }

    #[test]
    fn seeds_change_the_way() {
        let end = |more: &str| TestLab::new().run(&text(more), &fake()).expect("a result").conclusion.digest;
        assert_ne!(end(""), end("seed = 2\n"));
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_way_out() {
        let refused = |text: &str| TestLab::new().run(text, &fake()).expect_err("an error").to_string();
        let none = text("").replace("src/testing/experts.corpus", "");
        assert!(refused(&none).starts_with("corpus: \"\": name a corpus"), "{}", refused(&none));
        let other = text("").replace("chess/classic", "checkers/material");
        assert!(refused(&other).ends_with("this corpus is of chess, not of checkers"), "{}", refused(&other));
        let search = text("search.null_move_reduction = [1, 4]\n");
        let error = crate::Experiment::from_table(&search.parse().expect("TOML")).expect_err("an error");
        assert!(error.to_string().ends_with("give weights ranges"), "{error}");
    }
}
