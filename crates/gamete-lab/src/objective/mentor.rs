use std::sync::OnceLock;

use gamete_arena::dispatch;
use gamete_corpus::{Leaf, Lesson, MentorTable, Part};
use gamete_optim::{Evaluation, Key, Rng, Settings, Space};
use toml::Table;

use super::{Candidate, Objective, ObjectiveInfo};
use crate::breed::Breed;
use crate::corpus_file::CorpusFile;
use crate::experiment::{ExperimentError, read, write};
use crate::measure::{Measure, Reading, best_place};
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: ObjectiveInfo = ObjectiveInfo {
    name: "mentor",
    about: "how close a player's evaluation is to a mentor's scores in a corpus, without games",
    keys: &[
        Key::text("corpus", "", "corpus of positions, made by `gamete corpus make --mentor …`"),
        Key::choice(
            "leaf",
            &["static", "quiet"],
            "whether positions are evaluated at once, or after the captures that pay by textbook values",
        ),
        Key::integer(
            "sample",
            [0, 100_000_000],
            1_000,
            "positions per generation, drawn by the seed; all if 0",
        ),
    ],
    read: |table, settings| {
        let made_by = "gamete corpus make games.pgn -o mentor.corpus --mentor cmd=stockfish nodes=10000";
        let corpus = CorpusFile::new("mentor.corpus", settings.choice("corpus"), Lesson::Scores, made_by);
        Ok(Box::new(Mentor { players: read(table)?, settings, corpus, tables: OnceLock::new() }))
    },
    #[cfg(test)]
    small: "mentor.corpus = 'src/testing/mentor.corpus'\nmodel = 'chess/material'\nmentor.sample = 5\n",
};

/// Nearness to a mentor: David, Koppel and Netanyahu, "Expert-driven genetic algorithms for simulating evaluation functions"
/// (2011). The fitness is the mean error, with a minus before it, in hundredths of a pawn. A generation is judged by one matrix
/// product.
#[derive(Debug)]
struct Mentor {
    players: Breed,
    settings: Settings,
    corpus: CorpusFile,
    /// The positions to learn from, and the others.
    tables: OnceLock<[MentorTable; 2]>,
}

/// What is measured of generations: the mean error in the positions to learn from, and in the others.
const ERROR: &str = "error";
const TEST_ERROR: &str = "test error";

impl Mentor {
    /// The features of the positions to learn from and of the others, extracted once.
    fn tables(&self, lab: &Lab<'_>) -> Result<&[MentorTable; 2], LabError> {
        if let Some(tables) = self.tables.get() {
            return Ok(tables);
        }
        let (corpus, model) = (self.corpus.open_again(&self.players)?, self.players.model());
        let leaf = if self.settings.choice("leaf") == "quiet" { Leaf::Quiet } else { Leaf::Static };
        let load = |part| -> Result<MentorTable, LabError> {
            dispatch!(model.game, G => {
                let samples = corpus.samples::<G>().map_err(|error| self.corpus.bad(error))?;
                MentorTable::extract(samples, part, model, leaf, lab.threads(), lab.stop())
                    .map_err(|error| self.corpus.not_extracted(error))
            })
        };
        let tables = [load(Part::Train)?, load(Part::Test)?];
        Ok(self.tables.get_or_init(|| tables))
    }

    /// The positions of a generation, in the order of the corpus.
    fn sample(&self, positions: usize, rng: &Rng) -> Vec<usize> {
        let count = self.settings.count("sample");
        let mut places: Vec<usize> = (0..positions).collect();
        if (1..positions).contains(&count) {
            rng.fork("positions").shuffle(&mut places);
            places.truncate(count);
            places.sort_unstable();
        }
        places
    }
}

impl Objective for Mentor {
    fn table(&self) -> Table {
        write(&self.players)
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        self.players.complete()?;
        self.players.check_no_search()
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.players.space()
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.players)
    }

    fn check_resources(&self) -> Result<(), ExperimentError> {
        self.corpus.hash(&self.players).map(drop)
    }

    fn reading(&self, fitness: f64) -> Reading {
        Reading::new(ERROR, -fitness)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let (mut facts, count) = (self.players.facts(), self.settings.count("sample"));
        facts.push(("corpus", self.corpus.path().to_owned()));
        facts.push(("positions", if count == 0 { "all".to_owned() } else { count.to_string() }));
        facts
    }

    fn evaluate(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        self.corpus.remember("mentor.corpus", &self.players, lab)?;
        let phenotype = Phenotype::new(&self.players);
        let players: Vec<Vec<i32>> =
            candidates.iter().map(|candidate| phenotype.whole_weights(&candidate.genome)).collect();
        let mut key = blake3::Hasher::new();
        // The positions follow from the seed and the generation, and so from the first random number.
        key.update(&rng.fork("positions").next_u64().to_le_bytes());
        for weight in players.iter().flatten() {
            key.update(&weight.to_le_bytes());
        }
        let errors = lab.remember(&format!("errors {}", key.finalize().to_hex()), |lab| {
            let [train, _] = self.tables(lab)?;
            let positions = self.sample(train.positions(), rng);
            Ok(train.errors(&positions, &players, lab.threads()))
        })?;
        let evaluations: Vec<_> = errors.iter().map(|&error| Evaluation::new(-error)).collect();
        lab.measure(|lab| {
            let mut measures = vec![Measure::new(ERROR, &errors, &evaluations)];
            let [_, test] = self.tables(lab)?;
            if let Some(best) = best_place(&evaluations).filter(|_| test.positions() > 0) {
                let positions: Vec<usize> = (0..test.positions()).collect();
                let errors = test.errors(&positions, &players[best..=best], lab.threads());
                measures.push(Measure::of_best(TEST_ERROR, errors[0]));
            }
            Ok(measures)
        })?;
        Ok(evaluations)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use gamete_arena::Fake;
    use gamete_corpus::Corpus;
    use gamete_game::whole_weights;

    use super::*;
    use crate::Experiment;
    use crate::testing::{TestLab, fake};

    const CORPUS: &str = "src/testing/mentor.corpus";

    fn text(path: &str, more: &str) -> String {
        format!(
            "name = 'x'\nmethod = 'optimize'\nobjective = 'mentor'\nga.population = 10\ngenerations = 5\n\
             model = 'chess/classic'\nmentor.corpus = '{path}'\n{more}"
        )
    }

    #[test]
    fn the_fitness_is_the_mean_error_of_the_player_in_centipawns() {
        let lab = TestLab::new();
        let text = text(CORPUS, "mentor.sample = 0\nga.elite = 1\n");
        lab.run(&text, &Fake::new(|task| panic!("a task: {task:?}"))).expect("a result");
        let store = lab.store();
        let run = store.runs("x").expect("runs")[0].number;
        let best = store.individuals(run, 5).expect("a population").swap_remove(0);
        let experiment = Experiment::from_table(&text.parse().expect("TOML")).expect("an experiment");
        let breed = experiment.method.breed().expect("players");
        let weights = whole_weights(breed.player("best", &best.genome).weights(), breed.model().scale);
        let corpus = Corpus::open(Path::new(CORPUS)).expect("a corpus");
        let samples = corpus.samples::<gamete_arena::games::positions::Chess>().expect("chess");
        let table = MentorTable::extract(
            samples,
            Part::Train,
            breed.model(),
            Leaf::Static,
            1,
            &AtomicBool::new(false),
        )
        .expect("a table");
        let positions: Vec<usize> = (0..table.positions()).collect();
        let error = table.errors(&positions, &[weights], 1)[0];
        let fitness = best.fitness.expect("a fitness");
        assert!(error > 0.0 && (fitness + error).abs() < 1e-9, "{fitness} {error}");
        assert_eq!(experiment.method.reading(fitness), Reading::new(ERROR, -fitness));
        let last = store.summaries(run).expect("generations").pop().expect("the last");
        let measured = |name: &str| last.measure(name).map(|measure| measure.best);
        assert!(measured(ERROR).is_some_and(|error| (fitness + error).abs() < 1e-9), "{last:?}");
        assert!(measured(TEST_ERROR).is_some_and(|error| error > 0.0));
    }

    #[test]
    fn each_generation_has_positions_of_its_own() {
        let table = "mentor.sample = 10".parse::<Table>().expect("TOML");
        let settings = crate::experiment::read_own_settings(&table, "mentor", INFO.keys).expect("settings");
        let corpus = CorpusFile::new("mentor.corpus", "", Lesson::Scores, "");
        let mentor = Mentor { players: Breed::default(), settings, corpus, tables: OnceLock::new() };
        let places = |seed| mentor.sample(100, &Rng::new(seed));
        assert!(places(1).len() == 10 && places(1).is_sorted() && places(1) == places(1));
        assert_ne!(places(1), places(2));
        assert_eq!(mentor.sample(5, &Rng::new(1)), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_cannot_be_learned_from_is_refused_with_the_way_out() {
        let refused = |text: &str| TestLab::new().run(text, &fake()).expect_err("an error").to_string();
        assert_eq!(
            refused(&text("", "")),
            "mentor.corpus: \"\": name a corpus; `gamete corpus make games.pgn -o mentor.corpus \
             --mentor cmd=stockfish nodes=10000` makes one"
        );
        assert_eq!(
            refused(&text("src/testing/experts.corpus", "")),
            "mentor.corpus: src/testing/experts.corpus: the positions of this corpus have no scores; \
             `gamete corpus make games.pgn --mentor …` makes one that has"
        );
        assert_eq!(
            refused(&text(CORPUS, "").replace("chess/classic", "checkers/material")),
            "mentor.corpus: src/testing/mentor.corpus: this corpus is of chess, not of checkers"
        );
        let search = text(CORPUS, "search.history = [0, 1]\n");
        let error = Experiment::from_table(&search.parse().expect("TOML")).expect_err("an error").to_string();
        assert!(error.contains("positions are evaluated without a search; give weights ranges"), "{error}");
    }
}
