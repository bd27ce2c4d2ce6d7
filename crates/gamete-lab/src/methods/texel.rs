use std::sync::OnceLock;

use gamete_arena::dispatch;
use gamete_corpus::{Alternatives, Leaf, Lesson, LogisticRegression, Part, ResultTable};
use gamete_optim::Key;
use toml::Table;

use super::corpus_method::{CorpusMethod, Learner};
use super::gradient::{self, Gradient, Learned, Lessons};
use super::{Finding, Method as _, MethodInfo};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::corpus_file::CorpusFile;
use crate::experiment::{Budget, ExperimentError, read_settings};
use crate::measure::{Measure, Reading};
use crate::runtime::{Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "texel",
    about: "weights by gradient that make the game results of a corpus likeliest, no games",
    keys: KEYS,
    read: |table| Ok(Box::new(method(table)?)),
    #[cfg(test)]
    small: "corpus = 'src/testing/mentor.corpus'\nmodel = 'chess/material'\ngenerations = 3\nsteps = 2\n",
};

const KEYS: &[Key] = &[
    Key::text("corpus", "", "corpus of positions, made by `gamete corpus make --take results`"),
    Key::choice(
        "leaf",
        &["static", "quiet"],
        "whether positions are evaluated at once, or after the captures that pay by textbook values",
    ),
    gradient::L2,
    gradient::TOWARDS,
    gradient::FOLDS,
    gradient::STEPS,
];

/// A logistic model of who wins, by the evaluation of a position, fitted by gradient: Österlund's "Texel's tuning method" (2014) with
/// cross-entropy in the place of squared errors, and L-BFGS in that of a search weight by weight.
///
/// Its fitness is the loss, with a minus before it: the mean of −ln(chance) of the results.
#[derive(Debug)]
struct Texel {
    corpus: CorpusFile,
    leaf: Leaf,
    /// The positions to learn from, and the others.
    results: OnceLock<[Alternatives; 2]>,
}

/// What is measured of generations: the loss in the positions to learn from, and in the others.
const LOSS: &str = "loss";
const TEST_LOSS: &str = "test loss";

fn method(table: &Table) -> Result<CorpusMethod<Texel>, ExperimentError> {
    let settings = read_settings(table, KEYS)?;
    let made_by = "gamete corpus make games.pgn --take results --per-game 10 -o results.corpus";
    let corpus = CorpusFile::new("corpus", settings.choice("corpus"), Lesson::Results, made_by);
    let leaf = if settings.choice("leaf") == "quiet" { Leaf::Quiet } else { Leaf::Static };
    let learner = Texel { corpus, leaf, results: OnceLock::new() };
    CorpusMethod::read(table, settings, learner)
}

impl Texel {
    /// The positions to learn from and the others, extracted once.
    fn results(&self, players: &Breed, lab: &Lab<'_>) -> Result<&[Alternatives; 2], LabError> {
        if let Some(results) = self.results.get() {
            return Ok(results);
        }
        let (corpus, model) = (self.corpus.open_again(players)?, players.model());
        let load = |part| -> Result<Alternatives, LabError> {
            let table = dispatch!(model.game, G => {
                let samples = corpus.samples::<G>().map_err(|error| self.corpus.bad(error))?;
                ResultTable::extract(samples, part, model, self.leaf, lab.threads(), lab.stop())
                    .map_err(|error| self.corpus.not_extracted(error))?
            });
            Ok(Alternatives::results(&table))
        };
        let results = [load(Part::Train)?, load(Part::Test)?];
        Ok(self.results.get_or_init(|| results))
    }

    /// How unlikely results were, on average.
    fn loss(results: &Alternatives, learned: &Learned<'_>, lab: &Lab<'_>) -> f64 {
        let descent = learned.descent;
        let regression = LogisticRegression::new(results, &descent.scales, &descent.ranges, lab.threads());
        regression.resume(learned.iterate, 0.0).value
    }
}

impl Lessons for &CorpusMethod<Texel> {
    fn alternatives(&self, lab: &Lab<'_>) -> Result<&Alternatives, LabError> {
        Ok(&self.learner.results(&self.players, lab)?[0])
    }

    fn fitness(&self, learned: &Learned<'_>, lab: &Lab<'_>) -> Result<f64, LabError> {
        Ok(-Texel::loss(self.alternatives(lab)?, learned, lab))
    }

    fn measures(&self, learned: &Learned<'_>, fitness: f64, lab: &Lab<'_>) -> Result<Vec<Measure>, LabError> {
        let mut measures = vec![Measure::of_best(LOSS, -fitness)];
        let test = &self.learner.results(&self.players, lab)?[1];
        if !test.is_empty() {
            measures.push(Measure::of_best(TEST_LOSS, Texel::loss(test, learned, lab)));
        }
        Ok(measures)
    }
}

impl Learner for Texel {
    fn check_corpus(&self, players: &Breed) -> Result<(), ExperimentError> {
        self.corpus.hash(players).map(drop)
    }

    fn reading(&self, fitness: f64) -> Reading {
        Reading::new(LOSS, -fitness)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("corpus", self.corpus.path().to_owned())]
    }

    fn learn(
        method: &CorpusMethod<Self>,
        budget: &Budget,
        start: Start<'_>,
        lab: &mut Lab<'_>,
    ) -> Result<Finding, LabError> {
        method.learner.corpus.remember("corpus", &method.players, lab)?;
        let gradient = Gradient {
            players: &method.players,
            settings: &method.settings,
            in_use: method.start_genome(),
            renew: None,
        };
        gradient.run(budget, start, lab, |_| method)
    }
}

#[cfg(test)]
mod tests {
    use gamete_arena::Local;

    use crate::testing::{TestLab, experiment, fake};
    use crate::{GenerationRow, LabView, Measure};

    fn text(more: &str) -> String {
        format!(
            "name = 'x'\nmethod = 'texel'\nmodel = 'chess/classic'\ncorpus = 'src/testing/mentor.corpus'\n\
             generations = 8\nsteps = 3\n{more}"
        )
    }

    fn generations(lab: &TestLab) -> Vec<GenerationRow> {
        let store = lab.store();
        let run = store.runs("x").expect("runs")[0].number;
        store.generations(run).expect("generations")
    }

    #[test]
    fn results_become_likelier_from_generation_to_generation() {
        let lab = TestLab::new();
        lab.run(&text("l2 = 0.001\n"), &fake()).expect("a result");
        let rows = generations(&lab);
        let losses: Vec<f64> =
            rows[1..].iter().map(|row| row.summary.measure(super::LOSS).expect("a loss").best).collect();
        let end = losses[losses.len() - 1];
        assert!(end < losses[0] && end < std::f64::consts::LN_2, "a coin says as much: {losses:?}");
        for (row, loss) in rows[1..].iter().zip(losses) {
            assert_eq!(row.population[0].fitness, Some(-loss));
            assert!(row.summary.measure(super::TEST_LOSS).is_some_and(|test| test.best > 0.0));
            assert_eq!(row.summary.measure(Measure::L2).map(|l2| l2.best), Some(0.001));
        }
    }

    #[test]
    fn it_comes_to_the_same_end_on_any_number_of_threads() {
        let digests = [1, 2].map(|threads| {
            let executor = Local::new(threads).expect("threads");
            TestLab::new().run(&text(""), &executor).expect("a result").conclusion.digest
        });
        assert_eq!(digests[0], digests[1]);
    }

    #[test]
    fn weights_are_learned_from_values_in_use_and_verified_by_games() {
        let parameters = "knight = { start = 3000 }, bishop = { start = 3500 }";
        let weights = "pawn = 1000, rook = 5000, queen = 9000, knight = [0, 9000], bishop = [0, 9000]";
        let text = text("").replace("chess/classic", "chess/material")
            + &format!(
                "limits = 'depth=1'\nweights = {{ {weights} }}\nparameters = {{ {parameters} }}\nmatch = {{ held_out = 0.5 }}\n"
            );
        let lab = TestLab::new();
        lab.run(&text, &fake()).expect("a result");
        let rows = generations(&lab);
        assert_eq!(rows[0].population[0].genome, [3000.0, 3500.0]);
        let experiment = experiment(&text);
        assert_eq!(experiment.method.start_genome(), Some(vec![3000.0, 3500.0]));
        let last = &rows[rows.len() - 1].population[0].genome;
        let contest = experiment.method.verification(last, None, 4).expect("a match");
        assert_eq!((contest.first.name.as_str(), contest.second.name.as_str()), ("tuned", "original"));
        assert!(contest.openings.contains("50 % held out"), "{}", contest.openings);
        assert_eq!(crate::testing::experiment(&experiment.text()), experiment, "its file is complete");
        let view = LabView::new(&lab.store()).experiment("x").expect("an experiment");
        let tuning = view.tuning.expect("tuned values");
        assert_eq!(tuning.parameters.iter().map(|one| one.start).collect::<Vec<_>>(), [3000.0, 3500.0]);
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_way_out() {
        let refused = |text: &str| TestLab::new().run(text, &fake()).expect_err("an error").to_string();
        let none = refused(&text("").replace("src/testing/mentor.corpus", ""));
        assert!(none.contains("name a corpus; `gamete corpus make games.pgn --take results"), "{none}");
    }
}
