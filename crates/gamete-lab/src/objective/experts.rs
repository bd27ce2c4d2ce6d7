use gamete_corpus::{Differences, Part};
use gamete_optim::{Evaluation, Genome, Key, Rng, Settings, Space};
use toml::Table;

use super::{Candidate, Objective, ObjectiveInfo};
use crate::breed::Breed;
use crate::experiment::{ExperimentError, read, write};
use crate::expert_corpus::ExpertCorpus;
use crate::measure::{Measure, Reading, best_place};
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: ObjectiveInfo = ObjectiveInfo {
    name: "experts",
    about: "how often a player finds the expert's move in a corpus, one ply ahead, without games",
    keys: &[
        ExpertCorpus::FILE,
        ExpertCorpus::LEAF,
        ExpertCorpus::PLIES,
        Key::real("power", [0.1, 10.0], 2.0, "the fitness is the number of hits to this power"),
    ],
    read: |table, settings| {
        let players = read(table)?;
        let corpus = ExpertCorpus::new("experts.corpus", &settings);
        Ok(Box::new(Experts { players, settings, corpus }))
    },
    #[cfg(test)]
    small: "experts.corpus = 'src/testing/experts.corpus'\nmodel = 'chess/material'\n",
};

/// Agreement with experts: David, van den Herik, Koppel and Netanyahu, "Genetic Algorithms for Evolving Computer Chess
/// Programs" (2014), first stage. A generation is judged by one matrix product.
#[derive(Debug)]
struct Experts {
    players: Breed,
    settings: Settings,
    corpus: ExpertCorpus,
}

impl Objective for Experts {
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
        Reading::new(Measure::HITS, libm::pow(fitness, 1.0 / self.settings.number("power")).round())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = self.players.facts();
        facts.push(("corpus", self.corpus.file().to_owned()));
        facts.push(("moves are evaluated", self.corpus.leaf_text()));
        facts
    }

    fn evaluate(
        &self,
        candidates: &[Candidate],
        _rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        self.corpus.remember(&self.players, lab)?;
        let phenotype = Phenotype::new(&self.players);
        let players: Vec<Vec<i32>> =
            candidates.iter().map(|candidate| phenotype.whole_weights(&candidate.genome)).collect();
        let mut key = blake3::Hasher::new();
        for weight in players.iter().flatten() {
            key.update(&weight.to_le_bytes());
        }
        let key = format!("hits {}", key.finalize().to_hex());
        let hits = lab.remember(&key, |lab| {
            let table = self.corpus.table(&self.players, lab)?;
            Ok(table.hits(Part::Train, &players, lab.threads()))
        })?;
        let power = self.settings.number("power");
        let hits: Vec<f64> = hits.into_iter().map(f64::from).collect();
        let evaluations: Vec<_> = hits.iter().map(|&hits| Evaluation::new(libm::pow(hits, power))).collect();
        lab.measure(|lab| {
            let [train, test] = self.corpus.positions(&self.players, lab)?;
            let mut measures = vec![Measure::new(Measure::HITS, &hits, &evaluations).out_of(train.into())];
            if let Some(best) = best_place(&evaluations).filter(|_| test > 0) {
                measures.push(self.corpus.test_hits(&self.players, &players[best], lab)?);
            }
            Ok(measures)
        })?;
        Ok(evaluations)
    }

    fn differences(&self, champion: &Genome, lab: &mut Lab<'_>) -> Result<Option<Differences>, LabError> {
        self.corpus.differences(&self.players, champion, None, lab)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    use gamete_arena::Fake;
    use gamete_corpus::{Corpus, ExpertTable, Leaf};
    use gamete_game::whole_weights;

    use super::*;
    use crate::Experiment;
    use crate::testing::{TestLab, fake};
    use crate::view::Event;

    fn text(path: &Path, more: &str) -> String {
        format!(
            "name = 'x'\nmethod = 'optimize'\nobjective = 'experts'\nga.population = 10\ngenerations = 5\n\
             model = 'chess/classic'\nexperts.corpus = '{}'\n{more}",
            path.display()
        )
    }

    fn asset() -> Vec<u8> {
        std::fs::read("src/testing/experts.corpus").expect("a corpus")
    }

    /// Makes another corpus of one, without its first position.
    fn write_fewer(path: &Path) {
        let corpus = Corpus::open(path).expect("a corpus");
        let samples = corpus.samples::<gamete_arena::games::positions::Chess>().expect("chess");
        let fewer: Vec<_> = samples.iter().skip(1).map(|sample| sample.expect("a sample")).collect();
        gamete_corpus::write_corpus(path, corpus.manifest().clone(), &fewer).expect("written");
    }

    #[test]
    fn the_fitness_is_what_the_corpus_says_of_the_player() {
        let path = Path::new("src/testing/experts.corpus");
        let lab = TestLab::new();
        let text = text(path, "weights.pawn_value = 100\n");
        lab.run(&text, &Fake::new(|task| panic!("a task: {task:?}"))).expect("a result");
        let store = lab.store();
        let run = store.runs("x").expect("runs")[0].number;
        let best = store.individuals(run, 5).expect("a population").swap_remove(0);
        let experiment = Experiment::from_table(&text.parse().expect("TOML")).expect("an experiment");
        let breed = experiment.method.breed().expect("players");
        let weights = whole_weights(breed.player("best", &best.genome).weights(), breed.model().scale);
        let corpus = Corpus::open(path).expect("a corpus");
        let samples = corpus.samples::<gamete_arena::games::positions::Chess>().expect("chess");
        let table = ExpertTable::extract(samples, breed.model(), Leaf::Static, 1, &AtomicBool::new(false))
            .expect("a table");
        let hits = table.agreement(Part::Train, &weights).hits;
        assert!(hits > 0);
        assert_eq!(best.fitness, Some(f64::from(hits * hits)));
        assert_eq!(experiment.method.reading(f64::from(hits * hits)), Reading::new("hits", hits.into()));
        let last = store.summaries(run).expect("generations").pop().expect("the last");
        let measured = |name: &str| last.measure(name).map(|measure| (measure.best, measure.of));
        let known = |part: Part| {
            let agreement = table.agreement(part, &weights);
            Some((f64::from(agreement.hits), Some(f64::from(agreement.positions))))
        };
        assert_eq!(measured(Measure::HITS), known(Part::Train));
        assert_eq!(measured(Measure::TEST_HITS), known(Part::Test));
        let population = store.individuals(run, 5).expect("a population");
        let hits: f64 = population.iter().filter_map(|one| one.fitness).map(f64::sqrt).sum();
        let mean = last.measure(Measure::HITS).and_then(|measure| measure.mean).expect("a mean");
        assert!((mean - hits / 10.0).abs() < 1e-9, "{mean}");
    }

    #[test]
    fn what_was_measured_is_told_again_and_never_computed_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.corpus");
        std::fs::write(&path, asset()).expect("written");
        let (lab, text) = (TestLab::new(), text(&path, ""));
        let measures = |events: &[Event]| -> Vec<(Vec<Measure>, bool)> {
            let of = |event: &Event| match event {
                Event::Generation { generation, is_stored, .. } => {
                    Some((generation.measures.clone(), *is_stored))
                }
                _ => None,
            };
            events.iter().filter_map(of).collect()
        };
        let run = |stop_at: u32| {
            let (mut events, stop) = (Vec::new(), AtomicBool::new(false));
            let experiment = crate::testing::experiment(&text);
            let watch = |event: &Event| {
                if matches!(event, Event::Generation { generation, .. } if generation.number >= stop_at) {
                    stop.store(true, Ordering::Relaxed);
                }
                events.push(event.clone());
            };
            let _ = crate::run(&lab.store(), "x", &experiment, &fake(), &stop, watch);
            measures(&events)
        };
        let first = run(2);
        let stored = |lab: &TestLab| {
            let store = lab.store();
            let run = store.runs("x").expect("runs")[0].number;
            store.summaries(run).expect("generations")
        };
        let before = stored(&lab);
        assert!(first.len() >= 3 && first.iter().all(|(_, is_stored)| !is_stored), "{first:?}");
        let whole = run(u32::MAX);
        assert_eq!(whole.len(), 6);
        assert!(whole[..before.len()].iter().all(|(_, is_stored)| *is_stored), "{whole:?}");
        assert_eq!(stored(&lab)[..before.len()], before);
        let other = TestLab::new();
        other.run(&text, &fake()).expect("a result");
        let in_one_go: Vec<_> = stored(&other).into_iter().map(|generation| generation.measures).collect();
        let in_two: Vec<_> = whole.into_iter().map(|(measures, _)| measures).collect();
        assert_eq!(in_two, in_one_go);
        assert!(in_one_go[0].is_empty() && in_one_go[1..].iter().all(|measures| measures.len() == 2));
    }

    #[test]
    fn another_corpus_under_the_same_name_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.corpus");
        std::fs::write(&path, asset()).expect("written");
        let (lab, table) = (TestLab::new(), text(&path, "").parse::<Table>().expect("TOML"));
        let run = || {
            let settings = crate::experiment::read_own_settings(&table, "experts", INFO.keys)?;
            let mut objective = (INFO.read)(&table, settings)?;
            objective.complete()?;
            let genome = objective.space()?.random(&mut Rng::new(1));
            let candidate = Candidate { trial: 0, genome, rival: None };
            lab.method(&fake(), |lab| objective.evaluate(&[candidate], &Rng::new(1), lab))
        };
        run().expect("an evaluation");
        run().expect("the same");
        write_fewer(&path);
        let error = run().expect_err("another corpus").to_string();
        assert!(error.starts_with("experts.corpus: ") && error.contains("this is not the corpus"), "{error}");
    }

    #[test]
    fn what_is_finished_needs_no_corpus_and_takes_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.corpus");
        std::fs::write(&path, asset()).expect("written");
        let (lab, text) = (TestLab::new(), text(&path, ""));
        let whole = lab.run(&text, &fake()).expect("a result").conclusion;
        let stored = lab.store().experiment("x").expect("a row").result;
        std::fs::remove_file(&path).expect("removed");
        let again = lab.run(&text, &fake()).expect("what was stored").conclusion;
        let [differences] = &whole.differences[..] else { panic!("{whole:?}") };
        assert_eq!(again.differences, whole.differences);
        assert!(differences.differences.positions > 0 && !differences.differences.by.is_empty());
        // Text may change the last bit of a number.
        assert_eq!((again.digest, again.games), (whole.digest, whole.games));
        assert_eq!(lab.store().experiment("x").expect("a row").result, stored);
        std::fs::write(&path, asset()).expect("written");
        write_fewer(&path);
        let error = lab.run(&text, &fake()).expect_err("another corpus").to_string();
        assert!(error.contains("this is not the corpus that the experiment began with"), "{error}");
        assert_eq!(lab.store().experiment("x").expect("a row").result, stored);
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_way_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.corpus");
        let base = text(&path, "");
        let refused = |text: &str| TestLab::new().run(text, &fake()).expect_err("an error").to_string();
        assert!(refused(&base).contains("a.corpus: cannot be read: No such file"), "{}", refused(&base));
        std::fs::write(&path, &asset()[..500]).expect("written");
        assert!(refused(&base).contains("damaged or cut short"), "{}", refused(&base));
        std::fs::write(&path, asset()).expect("written");
        let other = base.replace("chess/classic", "checkers/material");
        assert!(refused(&other).ends_with("this corpus is of chess, not of checkers"), "{}", refused(&other));
        let none = base.replace(&path.display().to_string(), "");
        assert!(refused(&none).starts_with("experts.corpus: \"\": name a corpus"), "{}", refused(&none));
        let search = format!("{base}search.null_move_reduction = [1, 4]\n");
        let error = Experiment::from_table(&search.parse().expect("TOML")).expect_err("an error").to_string();
        assert!(
            error.starts_with("search.null_move_reduction: ") && error.ends_with("give weights ranges"),
            "{error}"
        );
    }
}
