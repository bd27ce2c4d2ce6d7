use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use gamete_arena::{Contestant, OpeningText, Rng};
use gamete_game::Parameter;
use gamete_optim::{Dimension, Gene, Genome, Key, Round, Settings, Space};
use gamete_stats::PairScore;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::kendall_whitwell::{MUTATION_RANGE, POPULATION_RANGE, bits, mutation};
use super::{
    Answer, Finding, KendallWhitwell, Method, MethodInfo, Spending, initial_population, with_parents,
};
use crate::beginning::{Start, Take};
use crate::experiment::{
    Budget, Experiment, ExperimentError, Playoff, read, read_settings, write, write_settings,
};
use crate::generation::{MatchCounts, mean};
use crate::phenotype::Phenotype;
use crate::runtime::{GameResult, Lab, LabError};

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "meta-evolution",
    about: "population dynamics over the keys of another experiment",
    keys: KEYS,
    read: |table| Ok(Box::new(MetaEvolution::read(table)?)),
    #[cfg(test)]
    small: "population = 3\ngenerations = 2\ngenes.scale = [0, 2]\nplayoff.pairs = 2\n\
            inner.population = 4\ninner.generations = 2\n",
};

const KEYS: &[Key] = &[
    Key::integer("population", POPULATION_RANGE, 10, "genomes"),
    Key::real("scale", MUTATION_RANGE, 1.0, "multiplier of all outer mutation factors"),
    Key::real("mutation.win_winner", MUTATION_RANGE, 0.0, "factor R of the winner of a match 2–0"),
    Key::real("mutation.win_loser", MUTATION_RANGE, 2.0, "factor R of its clone in the loser's slot"),
    Key::real("mutation.edge_winner", MUTATION_RANGE, 0.2, "factor R of the winner of a match 1½–½"),
    Key::real("mutation.edge_loser", MUTATION_RANGE, 1.0, "factor R of its clone in the loser's slot"),
    Key::real("mutation.draw", MUTATION_RANGE, 0.5, "factor R of both genomes of a match without a winner"),
    Key::flag(
        "fresh_populations",
        false,
        "whether every generation has its own initial population for inner runs",
    ),
];

/// The "Holy Grail" of the MIT report on mutation: population dynamics over the settings of population dynamics.
///
/// A genome is some numbers of another experiment's file. Two of them meet by running that experiment, each with its
/// own numbers and from the same initial population, and letting the mean players that come out play each other.
#[derive(Debug)]
struct MetaEvolution {
    settings: Settings,
    /// Which keys of the inner experiment are sought, and where they begin.
    genes: BTreeMap<String, Gene>,
    /// How two mean players meet.
    playoff: Playoff,
    /// The experiment whose keys are sought.
    inner: Experiment,
}

/// The part of its file that is not declared as keys.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Sought {
    genes: BTreeMap<String, Gene>,
}

impl Method for MetaEvolution {
    fn table(&self) -> Table {
        let mut table = write(&Sought { genes: self.genes.clone() });
        table.extend(write_settings(&self.settings));
        table.insert("inner".to_owned(), Value::Table(self.inner.table()));
        table
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        if self.inner.is_study() {
            return Err(ExperimentError::value(
                "inner",
                "an inner experiment has neither arms nor replicates",
            ));
        }
        if self.inner.head.budget.seconds > 0.0 {
            return Err(ExperimentError::value(
                "inner.seconds",
                "give an inner experiment generations or games",
            ));
        }
        if self.inner.head.take == Take::Player {
            let reason = "\"player\": an inner experiment takes a population or a champion; give it the weights themselves";
            return Err(ExperimentError::value("inner.take", reason));
        }
        if self.genes.contains_key("seconds") {
            let reason =
                "an inner experiment has generations or games; what it does by the clock nobody can repeat";
            return Err(ExperimentError::value("genes.seconds", reason));
        }
        if self.inner.head.method != KendallWhitwell::NAME {
            return Err(ExperimentError::value("inner.method", "give a method whose champions play"));
        }
        let space = self.space()?;
        let corners = [0, 1].map(|end| space.corner(end));
        // Whole numbers at the ends are not all that evolution proposes: keys that take nothing else are refused.
        let inside =
            corners[0].iter().zip(&corners[1]).map(|(low, high)| low + 0.381_966 * (high - low)).collect();
        for genome in corners.into_iter().chain([inside]) {
            self.with_genome(&space, &genome).map_err(|error| error.inside("genes"))?;
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ExperimentError> {
        self.space()?.check_size().map_err(|error| ExperimentError::of_space("genes", error))?;
        self.inner.check().map_err(|error| error.inside("inner"))
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        let dimension = |(name, &gene): (&String, &Gene)| {
            let parameter = Parameter::real("", bounds(name), 0.0, "").named(name.clone());
            Dimension { parameter, gene, is_bounded: false, rate: None }
        };
        Space::new(self.genes.iter().map(dimension).collect())
            .map_err(|error| ExperimentError::of_space("genes", error))
    }

    fn breeds(&self) -> &'static str {
        "settings of another experiment"
    }

    fn subject(&self) -> String {
        self.inner.method.subject()
    }

    fn inner(&self) -> Option<Experiment> {
        let space = self.space().ok()?;
        self.with_genome(&space, &space.corner(0)).ok()
    }

    fn answer(&self) -> Answer {
        Answer::MEAN
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let inner = &self.inner;
        let generations = inner.head.budget.generations;
        let runs = format!(
            "{} players, {generations} {}",
            inner.number("population").unwrap_or(0.0),
            if generations == 1 { "generation" } else { "generations" }
        );
        let mut facts =
            vec![("population", self.settings.count("population").to_string()), ("inner runs", runs)];
        facts.extend(inner.method.facts().into_iter().filter(|(name, _)| *name != "population"));
        facts
    }

    fn planned_games(&self, budget: &Budget) -> u64 {
        let matches = (self.settings.count("population") as u64 - 1) * u64::from(budget.generations);
        // Those of the first generation, and mostly one new genome for each match.
        let inner = matches + self.settings.count("population") as u64;
        let playoffs = matches.saturating_mul(2 * u64::from(self.playoff.pairs));
        inner.saturating_mul(self.inner.planned_games()).saturating_add(playoffs)
    }

    /// Evolves settings. The answer is their mean.
    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        let space = self.space().expect("a space, as the experiment was checked");
        let mutation = mutation(&self.settings).scaled(self.settings.number("scale"));
        let bounds: Vec<_> = space.names().iter().map(|name| bounds(name)).collect();
        let mut rng = lab.rng("dynamics");
        let mut population = initial_population(&space, self.settings.count("population"), start, lab)?;
        let mut spending = Spending::new(*budget, &population);
        let mut inner_runs = InnerRuns { method: self, space: &space, known: HashMap::new(), begun: 0 };
        lab.record(&population, &population, MatchCounts::default())?;
        for generation in spending.generations() {
            lab.begin_generation(generation);
            let seed = if self.settings.flag("fresh_populations") {
                inner_runs.known.clear();
                lab.rng(&format!("inner {generation}"))
            } else {
                lab.rng("inner")
            };
            let mut round = Round::new(&mut population, mutation, &mut rng).within(&bounds);
            let matches = self.play_round(&mut round, generation, &mut inner_runs, &seed, lab)?;
            let mut parents = round.into_parents();
            population.reverse();
            parents.reverse();
            let individuals = with_parents(&population, &parents);
            let games = lab.record_individuals(individuals, population.len(), matches)?;
            if spending.is_spent(lab, games, &population)? {
                break;
            }
        }
        Ok(Finding::new(mean(&population), population))
    }
}

impl MetaEvolution {
    fn read(table: &Table) -> Result<Self, ExperimentError> {
        let mut inner = match table.get("inner") {
            Some(Value::Table(inner)) => inner.clone(),
            Some(_) => return Err(ExperimentError::value("inner", "give a table, [inner]")),
            None => Table::new(),
        };
        inner.entry("name").or_insert(Value::from("inner"));
        let inner = Experiment::from_stored(&inner).map_err(|error| error.inside("inner"))?;
        let head: crate::experiment::Head = read(table)?;
        let Sought { genes } = read(table)?;
        Ok(Self { settings: read_settings(table, KEYS)?, genes, playoff: head.playoff, inner })
    }

    /// The inner experiment with the numbers of a genome.
    fn with_genome(&self, space: &Space, genome: &[f64]) -> Result<Experiment, ExperimentError> {
        let mut changes = Table::new();
        for (key, value) in space.values(genome) {
            let mut table = &mut changes;
            let mut parts: Vec<&str> = key.split('.').collect();
            let last = parts.pop().unwrap_or_default();
            for part in parts {
                let entry = table.entry(part).or_insert_with(|| Value::Table(Table::new()));
                table = entry
                    .as_table_mut()
                    .ok_or_else(|| ExperimentError::value(key, "one gene is inside another"))?;
            }
            table.insert(last.to_owned(), Value::Float(value));
        }
        self.inner.with(&changes)
    }

    /// Plays the matches of a generation, each in a thread of its own, which waits for the inner runs of both genomes.
    fn play_round<'l>(
        &self,
        round: &mut Round<'_>,
        generation: u32,
        inner_runs: &mut InnerRuns<'_, 'l>,
        seed: &Rng,
        lab: &Lab<'l>,
    ) -> Result<MatchCounts, LabError> {
        let mut matches = MatchCounts::default();
        thread::scope(|scope| {
            let mut playing = BTreeMap::new();
            let mut play = || {
                loop {
                    while let Some(next) = round.ask() {
                        let [one, two] = &next.players;
                        let runs = [inner_runs.of(one, seed, lab)?, inner_runs.of(two, seed, lab)?];
                        let name = format!("playoff {generation}-{}", next.number + 1);
                        let playoff = lab.inner_branch(&name, lab.rng(&name))?;
                        let task = lab.spawn(scope, move || self.meet(&runs, playoff, lab))?;
                        playing.insert(next.number, task);
                    }
                    // The earliest is the one that others wait for, whichever is over first.
                    let Some((number, task)) = playing.pop_first() else { return Ok(matches) };
                    let score = task.join()?;
                    matches.add(score);
                    round.tell(number, score);
                }
            };
            // Nobody waits for the threads of a run that has failed.
            play().inspect_err(|_| lab.give_up())
        })
    }

    /// A match of the mean players of two inner runs.
    fn meet<'l>(
        &self,
        [first, second]: &[Arc<InnerRun<'l>>; 2],
        mut playoff: Lab<'l>,
        lab: &Lab<'l>,
    ) -> Result<PairScore, LabError> {
        let players = thread::scope(|scope| {
            let other = lab.spawn(scope, || second.contestant("second"))?;
            Ok::<_, LabError>([first.contestant("first")?, other.join()?])
        })?;
        let pairs = play_pairs(&mut playoff, &first.phenotype, &players, self.playoff)?;
        Ok(PairScore::of_match(&pairs))
    }
}

/// What a key of an inner experiment may be, whatever range its gene begins in. Evolution stays within.
fn bounds(key: &str) -> [f64; 2] {
    match key {
        "convergence" => [0.0, 0.999],
        "noise" => [0.0, 10.0],
        key if key == "scale" || key.starts_with("mutation.") => MUTATION_RANGE,
        _ => [f64::MIN, f64::MAX],
    }
}

/// Pairs of games, the first from the start, the others from random openings.
pub(crate) fn play_pairs(
    lab: &mut Lab<'_>,
    phenotype: &Phenotype,
    players: &[Contestant; 2],
    playoff: Playoff,
) -> Result<Vec<PairScore>, LabError> {
    let [first, second] = players;
    let mut rng = lab.rng("openings");
    let openings = (0..playoff.pairs.max(1)).map(|pair| match pair {
        0 => phenotype.start(),
        _ => OpeningText::random(phenotype.game(), playoff.plies as usize, &mut rng),
    });
    let tasks = openings.flat_map(|opening| phenotype.pair(&opening, [first, second], 0));
    let results = lab.play_all(tasks, true)?;
    Ok(results.chunks_exact(2).map(|pair| GameResult::pair([&pair[0], &pair[1]]).score()).collect())
}

/// The inner runs by their genomes, each of which happens once.
struct InnerRuns<'m, 'l> {
    method: &'m MetaEvolution,
    space: &'m Space,
    known: HashMap<Vec<u64>, Arc<InnerRun<'l>>>,
    begun: usize,
}

/// An inner run, which begins when somebody asks for its mean player.
struct InnerRun<'l> {
    experiment: Experiment,
    /// What makes a player of its genome, which has only the weights that its own experiment leaves free.
    phenotype: Phenotype,
    lab: Mutex<Option<Lab<'l>>>,
    champion: OnceLock<Result<Genome, LabError>>,
}

impl<'l> InnerRuns<'_, 'l> {
    fn of(&mut self, genome: &Genome, seed: &Rng, lab: &Lab<'l>) -> Result<Arc<InnerRun<'l>>, LabError> {
        if let Some(known) = self.known.get(&bits(genome)) {
            return Ok(Arc::clone(known));
        }
        self.begun += 1;
        let experiment = self.method.with_genome(self.space, genome)?;
        let run = Arc::new(InnerRun {
            phenotype: experiment.method.phenotype().expect("players, as the experiment was checked"),
            experiment,
            lab: Mutex::new(Some(lab.inner_branch(&format!("inner {}", self.begun), seed.clone())?)),
            champion: OnceLock::new(),
        });
        self.known.insert(bits(genome), Arc::clone(&run));
        Ok(run)
    }
}

impl InnerRun<'_> {
    /// Puts the mean player to work.
    fn contestant(&self, name: &str) -> Result<Contestant, LabError> {
        Ok(self.phenotype.contestant(name, &self.get()?))
    }

    /// Runs the experiment, or waits for whoever does.
    fn get(&self) -> Result<Genome, LabError> {
        let run = || {
            let lab = self.lab.lock().unwrap_or_else(PoisonError::into_inner).take();
            crate::run::run_method(&self.experiment, &mut lab.expect("the first to come"))
                .map(|found| found.champion)
        };
        self.champion.get_or_init(run).clone()
    }
}
