use std::error::Error;
use std::path::Path;
use std::sync::OnceLock;

use gamete_arena::{Puzzle, Solution, SolveOutcome, SolveTask, Suite as SuiteFile, SuiteError, TimeControl};
use gamete_optim::{Evaluation, Key, Rng, Settings, Space};
use toml::Table;

use super::{Candidate, Objective, ObjectiveInfo};
use crate::breed::Breed;
use crate::experiment::{ExperimentError, read, write};
use crate::measure::{Measure, Reading};
use crate::phenotype::Phenotype;
use crate::runtime::{Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: ObjectiveInfo = ObjectiveInfo {
    name: "suite",
    about: "how well a player solves positions with known best moves (EPD), without games",
    keys: &[
        Key::text("file", "", "EPD file, compressed or not; or own, for Gamete's own positions"),
        Key::choice(
            "measure",
            &["solved", "nodes", "reciprocal"],
            "positions solved, with fewer nodes as tie-break; or the share of the node limit not needed; or the limit divided \
             by the nodes needed",
        ),
        Key::integer(
            "positions",
            [0, SuiteFile::MAX_POSITIONS as i64],
            0,
            "positions per generation, drawn by the seed; all if 0",
        ),
        Key::integer("hash", [1, 16_384], 16, "hash table size for each position, in megabytes"),
    ],
    read: |table, settings| Ok(Box::new(Suite { players: read(table)?, settings, puzzles: OnceLock::new() })),
    #[cfg(test)]
    small: "suite.file = 'src/testing/mates.epd'\nmodel = 'chess/material'\nlimits = 'nodes=1000'\n",
};

/// Positions of a task: what a killed run has to search again at most, and what one thread does at a time.
const TASK_POSITIONS: usize = 16;

/// What solving a suite is worth: the number of positions solved, or the nodes that it did not take.
///
/// The file is no part of the experiment, but the hash of its positions is journalled by every run, which so refuses another suite.
#[derive(Debug)]
struct Suite {
    players: Breed,
    settings: Settings,
    puzzles: OnceLock<(Vec<Puzzle>, String)>,
}

/// What a fitness by nodes is read as.
const SHARE: &str = "share of nodes needed";

fn solved(solutions: &[&Solution]) -> usize {
    solutions.iter().filter(|solution| solution.solved).count()
}

fn bad_file(reason: impl std::fmt::Display) -> ExperimentError {
    ExperimentError::value("suite.file", reason)
}

impl Suite {
    fn file(&self) -> &str {
        self.settings.choice("file")
    }

    /// The positions of the file and their hash, read once.
    fn puzzles(&self) -> Result<&(Vec<Puzzle>, String), ExperimentError> {
        if let Some(puzzles) = self.puzzles.get() {
            return Ok(puzzles);
        }
        if self.file().is_empty() {
            return Err(bad_file("\"\": name an EPD file, as in suite.file = \"wac.epd\""));
        }
        let suite = SuiteFile::load(self.players.game(), Path::new(self.file())).map_err(|error| {
            let reason = Error::source(&error).map_or_else(String::new, |source| format!(": {source}"));
            bad_file(format!("{error}{reason}"))
        })?;
        if let Some(problem) = suite.problems.first() {
            return Err(bad_file(format!("{problem}; mend the line, or take it out")));
        }
        let hash = suite.hash();
        let puzzles = suite.positions.into_iter().map(|position| position.puzzle).collect();
        Ok(self.puzzles.get_or_init(|| (puzzles, hash)))
    }

    /// The positions of a generation, in the order of the file.
    fn sample<'a>(&self, puzzles: &'a [Puzzle], rng: &Rng) -> Vec<&'a Puzzle> {
        let (count, mut places) = (self.settings.count("positions"), (0..puzzles.len()).collect::<Vec<_>>());
        if (1..puzzles.len()).contains(&count) {
            rng.fork("positions").shuffle(&mut places);
            places.truncate(count);
            places.sort_unstable();
        }
        places.into_iter().map(|place| &puzzles[place]).collect()
    }

    /// What solutions are worth, the more the better.
    fn fitness(&self, solutions: &[&Solution]) -> f64 {
        let (count, nodes) = (solutions.len() as f64, self.nodes(solutions));
        let share = |limit: u64| nodes.max(1) as f64 / (count * limit as f64);
        match (self.settings.choice("measure"), self.node_limit()) {
            ("nodes", Some(limit)) => 1.0 - share(limit),
            (_, Some(limit)) => 1.0 / share(limit),
            (_, None) => solved(solutions) as f64 + 1.0 / (2.0 + nodes as f64 / count),
        }
    }

    /// The nodes that solutions took; all of the limit where there is none and nodes are what is measured.
    fn nodes(&self, solutions: &[&Solution]) -> u64 {
        // Nodes until the move was the choice for good: what the search did after that is of no use.
        let needed = |solution: &Solution| solution.settled.unwrap_or(solution.nodes);
        let nodes = |one: &&Solution| match self.node_limit() {
            Some(limit) => {
                if one.solved {
                    needed(one).min(limit)
                } else {
                    limit
                }
            }
            None => {
                if one.solved {
                    needed(one)
                } else {
                    one.nodes
                }
            }
        };
        solutions.iter().map(nodes).sum()
    }

    /// The limit of nodes, where nodes are what is measured.
    fn node_limit(&self) -> Option<u64> {
        self.players.limits.nodes.filter(|_| self.settings.choice("measure") != "solved")
    }

    /// Nodes and solved positions of a generation, what is judged by first.
    fn measures(&self, solutions: &[Vec<&Solution>], evaluations: &[Evaluation]) -> Vec<Measure> {
        let positions = solutions.first().map_or(0, Vec::len) as f64;
        let [nodes, solved] = [
            solutions.iter().map(|solutions| self.nodes(solutions) as f64).collect::<Vec<_>>(),
            solutions.iter().map(|solutions| solved(solutions) as f64).collect(),
        ];
        let nodes = Measure::new(Measure::NODES, &nodes, evaluations);
        let solved = Measure::new(Measure::SOLVED, &solved, evaluations).out_of(positions);
        match self.node_limit() {
            Some(limit) => vec![nodes.out_of(positions * limit as f64), solved],
            None => vec![solved, nodes],
        }
    }
}

impl Objective for Suite {
    fn table(&self) -> Table {
        write(&self.players)
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        self.players.complete()?;
        let (game, limits) = (self.players.game(), self.players.limits);
        if !game.has_suites() {
            let reason = format!("{:?}: {}", self.players.model, SuiteError::Game(game));
            return Err(ExperimentError::value("model", reason));
        }
        if limits.time_control != TimeControl::Infinite {
            let reason = format!("\"{limits}\": positions have no clock; give nodes, a depth or st=SECONDS");
            return Err(ExperimentError::value("limits", reason));
        }
        let measure = self.settings.choice("measure");
        if measure != "solved" && limits.nodes.is_none() {
            let reason =
                format!("{measure:?}: there is no limit of nodes; give one, as in limits = \"nodes=500000\"");
            return Err(ExperimentError::value("suite.measure", reason));
        }
        Ok(())
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.players.space()
    }

    fn breed(&self) -> Option<&Breed> {
        Some(&self.players)
    }

    fn check_resources(&self) -> Result<(), ExperimentError> {
        self.puzzles().map(drop)
    }

    fn reading(&self, fitness: f64) -> Reading {
        match self.settings.choice("measure") {
            "nodes" => Reading::new(SHARE, 1.0 - fitness),
            "reciprocal" => Reading::new(SHARE, 1.0 / fitness),
            _ => Reading::new(Measure::SOLVED, fitness.floor()),
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = self.players.facts();
        let (count, measure) = (self.settings.count("positions"), self.settings.choice("measure"));
        facts.push(("suite", self.file().to_owned()));
        facts.push(("positions", if count == 0 { "all".to_owned() } else { count.to_string() }));
        facts.push(("measure", measure.to_owned()));
        facts
    }

    fn evaluate(
        &self,
        candidates: &[Candidate],
        rng: &Rng,
        lab: &mut Lab<'_>,
    ) -> Result<Vec<Evaluation>, LabError> {
        let (puzzles, hash) = self.puzzles()?;
        if lab.remember("suite.file", |_| Ok(hash.clone()))? != *hash {
            let error = ExperimentError::other_file("suite.file", self.file(), "its positions are not those");
            return Err(error.into());
        }
        let phenotype = Phenotype::new(&self.players);
        let sample = self.sample(puzzles, rng);
        let tasks = candidates.iter().flat_map(|Candidate { trial, genome, .. }| {
            let solver = phenotype.contestant(&format!("trial {}", trial + 1), genome);
            sample.chunks(TASK_POSITIONS).map(move |part| (solver.clone(), part))
        });
        let tasks = tasks.map(|(solver, part)| SolveTask {
            game: phenotype.game(),
            solver,
            hash_mb: self.settings.count("hash") as u32,
            positions: part.iter().map(|&puzzle| puzzle.clone()).collect(),
        });
        let outcomes: Vec<SolveOutcome> = lab.play_all(tasks, false)?;
        let tasks_each = sample.len().div_ceil(TASK_POSITIONS);
        let solutions: Vec<Vec<&Solution>> = outcomes
            .chunks_exact(tasks_each)
            .map(|outcomes| outcomes.iter().flat_map(|outcome| &outcome.solutions).collect())
            .collect();
        let evaluations: Vec<_> =
            solutions.iter().map(|solutions| Evaluation::new(self.fitness(solutions))).collect();
        lab.measure(|_| Ok(self.measures(&solutions, &evaluations)))?;
        Ok(evaluations)
    }
}

#[cfg(test)]
mod tests {
    use gamete_arena::{Fake, Local};

    use super::*;
    use crate::Experiment;
    use crate::testing::{TestLab, fake};

    const EPD: &str = include_str!("../testing/mates.epd");

    fn text(path: &Path, more: &str) -> String {
        format!(
            "name = 'x'\nmethod = 'optimize'\nobjective = 'suite'\nga.population = 4\ngenerations = 2\n\
             model = 'chess/material'\nlimits = 'nodes=1000'\nsuite.file = '{}'\n{more}",
            path.display()
        )
    }

    fn error(text: &str) -> String {
        Experiment::from_table(&text.parse().expect("TOML")).expect_err("an error").to_string()
    }

    /// The best of the second generation.
    fn best_fitness(lab: &TestLab) -> f64 {
        let store = lab.store();
        let run = store.runs("x").expect("runs")[0].number;
        store.individuals(run, 2).expect("a population")[0].fitness.expect("a fitness")
    }

    #[test]
    fn every_mate_of_a_real_suite_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mates.epd");
        std::fs::write(&path, EPD).expect("written");
        let lab = TestLab::new();
        let one = lab.run(&text(&path, ""), &Local::new(1).expect("a thread")).expect("a result");
        assert_eq!(one.conclusion.games, 0);
        let best = best_fitness(&lab);
        let positions = EPD.lines().filter(|line| line.contains("bm ")).count();
        assert_eq!(best.floor(), positions as f64, "{best}");
        let two = TestLab::new().run(&text(&path, ""), &Local::new(2).expect("threads")).expect("a result");
        assert_eq!(two.conclusion, one.conclusion);
        let nodes = text(&path, "suite.measure = 'nodes'\n");
        let lab = TestLab::new();
        lab.run(&nodes, &Local::new(1).expect("a thread")).expect("a result");
        let best = best_fitness(&lab);
        assert!((0.5..1.0).contains(&best), "{best}");
        let store = lab.store();
        let run = store.runs("x").expect("runs")[0].number;
        let last = store.summaries(run).expect("generations").pop().expect("the last");
        let [total, solved] =
            [Measure::NODES, Measure::SOLVED].map(|name| last.measure(name).expect("a measure"));
        let most = 1000.0 * positions as f64;
        assert_eq!(
            (total.of, solved.of, solved.best),
            (Some(most), Some(positions as f64), positions as f64)
        );
        assert!((1.0 - total.best / most - best).abs() < 1e-9, "{total:?}");
        assert!(total.mean >= Some(total.best) && solved.mean <= Some(solved.best), "{total:?} {solved:?}");
        let experiment = crate::testing::experiment(&nodes);
        assert_eq!(experiment.method.reading(best), Reading::new(SHARE, 1.0 - best));
    }

    #[test]
    fn the_share_of_nodes_that_is_not_needed_and_its_reciprocal_measure_the_same() {
        let solution = |solved, settled| Solution {
            solved,
            chosen: None,
            nodes: 1000,
            settled: Some(settled),
            fault: None,
        };
        let solutions = [solution(true, 150), solution(false, 10), solution(true, 0)];
        let fitness = |measure: &str| {
            let table: Table = format!("suite.measure = '{measure}'").parse().expect("TOML");
            let settings =
                crate::experiment::read_own_settings(&table, "suite", INFO.keys).expect("settings");
            let players = Breed { limits: gamete_arena::Limits::nodes(1000), ..Breed::default() };
            let suite = Suite { players, settings, puzzles: OnceLock::new() };
            suite.fitness(&solutions.iter().collect::<Vec<_>>())
        };
        // Of 3000 nodes 150 and 1000 were needed.
        assert!((fitness("nodes") - 1850.0 / 3000.0).abs() < 1e-12);
        assert!((fitness("reciprocal") - 3000.0 / 1150.0).abs() < 1e-12);
        assert_eq!(fitness("solved").floor(), 2.0);
    }

    #[test]
    fn nobody_solves_a_position_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mates.epd");
        std::fs::write(&path, EPD).expect("written");
        // Four different players at most.
        let small = text(&path, "search.null_move = [false, true]\nsearch.null_move_reduction = [1, 2]\n");
        let dying_after = |count: u64| {
            let asked = std::sync::Mutex::new(std::collections::HashSet::new());
            Fake::new(move |task| {
                let mut asked = asked.lock().expect("a lock");
                assert!((asked.len() as u64) < count, "killed");
                assert!(asked.insert(task.key()), "{task:?} is done twice");
                Ok(Fake::outcome(task, crate::testing::strength))
            })
        };
        let whole = dying_after(u64::MAX);
        let found = TestLab::new().run(&small, &whole).expect("a result").conclusion;
        let tasks_each =
            EPD.lines().filter(|line| line.contains("bm ")).count().div_ceil(TASK_POSITIONS) as u64;
        assert!(whole.tasks() <= 4 * tasks_each, "{}", whole.tasks());
        let lab = TestLab::new();
        lab.run(&small, &dying_after(1)).expect_err("a run that is killed");
        let rest = dying_after(u64::MAX);
        assert_eq!(lab.run(&small, &rest).expect("a result").conclusion, found);
        assert_eq!(rest.tasks(), whole.tasks() - 1);
    }

    #[test]
    fn another_suite_under_the_same_name_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mates.epd");
        std::fs::write(&path, EPD).expect("written");
        let (lab, text) = (TestLab::new(), text(&path, ""));
        let nobody = || Fake::new(|_| panic!("killed"));
        let error = lab.run(&text, &nobody()).expect_err("a run that is killed").to_string();
        assert!(error.contains("killed"), "{error}");
        let fewer: Vec<&str> = EPD.lines().skip(2).collect();
        std::fs::write(&path, fewer.join("\n")).expect("written");
        let error = lab.run(&text, &nobody()).expect_err("another suite").to_string();
        assert!(
            error.starts_with("suite.file: ") && error.contains("not those that the experiment"),
            "{error}"
        );
        std::fs::remove_file(&path).expect("removed");
        let error = lab.run(&text, &nobody()).expect_err("no suite").to_string();
        assert!(error.starts_with("suite.file: ") && error.contains("cannot be opened: "), "{error}");
        std::fs::write(&path, EPD.replace("id \"", "id \"another ")).expect("written");
        lab.run(&text, &fake()).expect("names are no part of positions");
    }

    #[test]
    fn what_is_finished_needs_no_suite() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("mates.epd");
        std::fs::write(&path, EPD).expect("written");
        let (lab, text) = (TestLab::new(), text(&path, ""));
        let whole = lab.run(&text, &fake()).expect("a result");
        std::fs::remove_file(&path).expect("removed");
        let nobody = Fake::new(|task| panic!("{task:?}"));
        let again = lab.run(&text, &nobody).expect("what was stored");
        // Text may change the last bit of a number.
        assert_eq!(again.conclusion.digest, whole.conclusion.digest);
        let store = lab.store();
        let view = crate::LabView::new(&store).experiment("x").expect("what is stored is enough");
        assert_eq!(view.conclusion, Some(again.conclusion));
        assert!(view.facts.iter().any(|(name, _)| name == "suite"), "{:?}", view.facts);
    }

    #[test]
    fn a_sample_is_drawn_by_the_seed_and_generation() {
        let puzzle = |number: usize| Puzzle { fen: number.to_string(), best: Vec::new(), avoid: Vec::new() };
        let puzzles: Vec<Puzzle> = (0..100).map(puzzle).collect();
        let table = "suite.positions = 10".parse::<Table>().expect("TOML");
        let settings = crate::experiment::read_own_settings(&table, "suite", INFO.keys).expect("settings");
        let suite = Suite { players: Breed::default(), settings, puzzles: OnceLock::new() };
        let places = |seed| -> Vec<usize> {
            let sample = suite.sample(&puzzles, &Rng::new(seed));
            sample.into_iter().map(|puzzle| puzzle.fen.parse().expect("a number")).collect()
        };
        assert!(places(1).len() == 10 && places(1).is_sorted() && places(1) == places(1));
        assert_ne!(places(1), places(2));
        assert_eq!(suite.sample(&puzzles[..5], &Rng::new(1)).len(), 5);
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_way_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.epd");
        let base = text(&path, "");
        assert_eq!(
            error(&base.replace("chess/material", "checkers/material")),
            "model: \"checkers/material\": there are no suites of checkers; suites are EPD files of chess"
        );
        assert!(error(&base.replace("nodes=1000", "tc=1")).starts_with("limits: "));
        let depth = base.replace("nodes=1000", "depth=2") + "suite.measure = 'nodes'\n";
        assert!(error(&depth).ends_with("give one, as in limits = \"nodes=500000\""), "{}", error(&depth));
        let refused = |text: &str| TestLab::new().run(text, &fake()).expect_err("an error").to_string();
        let none = base.replace(&path.display().to_string(), "");
        assert_eq!(refused(&none), "suite.file: \"\": name an EPD file, as in suite.file = \"wac.epd\"");
        assert!(refused(&base).contains("a.epd: cannot be opened: "), "{}", refused(&base));
        std::fs::write(&path, "B:W18:B1,10\n").expect("written");
        assert!(refused(&base).contains("a.epd: no positions"), "{}", refused(&base));
        std::fs::write(&path, format!("{EPD}\nB:W18:B1,10\n")).expect("written");
        assert!(refused(&base).ends_with("; mend the line, or take it out"), "{}", refused(&base));
    }
}
