use std::collections::VecDeque;

use gamete_arena::uci::EngineSpec;
use gamete_arena::{Contestant, Limits, grouped, suggest};
use gamete_corpus::Differences;
use gamete_optim::{
    Evaluation, Gain, Genome, Key, Member, Optimizer, OptimizerInfo, Problem, Rng, Settings, Space, Trial,
};
use gamete_stats::elo_of_score;
use toml::{Table, Value};

use super::{Answer, Finding, Method, MethodInfo, Spending, recall_start};
use crate::beginning::Start;
use crate::breed::Breed;
use crate::earlier::Earlier;
use crate::experiment::{
    Budget, Experiment, ExperimentError, read, read_own_settings, write, write_settings,
};
use crate::generation::MatchCounts;
use crate::individual::Individual;
use crate::measure::{Measure, Reading};
use crate::model_slice::ModelSlice;
use crate::objective::{Candidate, OBJECTIVES, Objective, ObjectiveInfo};
use crate::paired_match::PairedMatch;
use crate::runtime::{Lab, LabError};
use crate::start_values::StartValues;

/// Its entry in the registry.
pub(super) const INFO: MethodInfo = MethodInfo {
    name: "optimize",
    about: "any optimiser on any objective",
    keys: KEYS,
    read: |table| Ok(Box::new(Optimize::read(table)?)),
    #[cfg(test)]
    small: "generations = 2\nmodel = 'chess/material'\nmatch.pairs = 1\nga.population = 4\n",
};

const KEYS: &[Key] = &[
    Key::text("optimizer", "ga", "who proposes genomes; its keys are in the table of its name"),
    Key::text("objective", "match", "what a genome is worth; its keys are in the table of its name"),
];

/// Any optimiser on any objective.
#[derive(Debug)]
struct Optimize {
    optimizer: &'static OptimizerInfo,
    settings: Settings,
    objective_name: &'static str,
    objective: Box<dyn Objective>,
    /// Where the search starts.
    start: StartValues,
    /// What came before what the file says now, and the objective as it was then.
    earlier: Earlier,
    before: Vec<Box<dyn Objective>>,
    /// The objective with ranges that include all of them, if there were others; it plays the games.
    widest: Option<Box<dyn Objective>>,
    /// Tables of other optimisers and objectives, for arms that use them.
    others: Table,
}

impl Optimize {
    fn read(table: &Table) -> Result<Self, ExperimentError> {
        let optimizers = OptimizerInfo::all().map(|optimizer| optimizer.name);
        let optimizer =
            OptimizerInfo::find(name(table, "optimizer", optimizers)?).expect("one of the registry");
        let objectives = OBJECTIVES.iter().map(|objective| objective.name);
        let objective =
            ObjectiveInfo::find(name(table, "objective", objectives)?).expect("one of the registry");
        let mut others = Table::new();
        let registered = OptimizerInfo::all().map(|info| (info.name, info.keys));
        for (other, keys) in registered.chain(OBJECTIVES.iter().map(|info| (info.name, info.keys))) {
            read_own_settings(table, other, keys)?;
            if ![optimizer.name, objective.name].contains(&other) {
                others.extend(table.get(other).map(|value| (other.to_owned(), value.clone())));
            }
        }
        let settings = read_own_settings(table, optimizer.name, optimizer.keys)?;
        let own = read_own_settings(table, objective.name, objective.keys)?;
        let (objective_name, start, earlier) = (objective.name, read(table)?, read::<Earlier>(table)?);
        let of = |table: &Table| (objective.read)(table, own.clone());
        let before =
            earlier.earlier.iter().map(|stretch| of(&stretch.file(table))).collect::<Result<_, _>>()?;
        let present = of(table)?;
        let widest = earlier.widest_file(table).map(|file| of(&file)).transpose()?;
        Ok(Self {
            optimizer,
            settings,
            objective_name,
            objective: present,
            start,
            earlier,
            before,
            widest,
            others,
        })
    }

    /// What plays the games.
    fn arena(&self) -> &dyn Objective {
        self.widest.as_deref().unwrap_or(self.objective.as_ref())
    }

    /// The stretches of a run: the space of each, its budget, and after how many games it is over; that of the last says its budget.
    fn stretches(&self, budget: &Budget) -> Result<VecDeque<(Space, Budget, Option<u64>)>, ExperimentError> {
        let mut stretches = VecDeque::new();
        for (stretch, objective) in self.earlier.earlier.iter().zip(&self.before) {
            let budget = Budget { games: stretch.games, ..*budget };
            stretches.push_back((self.start.apply(objective.space()?)?, budget, Some(stretch.until)));
        }
        stretches.push_back((self.space()?, *budget, None));
        Ok(stretches)
    }

    /// What the optimiser first asks for, with nothing to begin with.
    fn outlook(&self, space: &Space) -> Outlook {
        let problem = Problem { games: self.objective.games_with_rival(), ..Problem::new(space) };
        let mut optimizer = (self.optimizer.begin)(&self.settings, problem, Rng::new(0));
        let has_rivals = optimizer.ask().is_some_and(|trial| trial.rival.is_some());
        Outlook { batch: optimizer.batch_size() as u64, has_rivals, games: self.games(has_rivals) }
    }

    /// Measures what is recommended after so many games, where the optimum is known.
    fn measure(&self, recommended: &Genome, games: u64, lab: &mut Lab<'_>) -> Result<(), LabError> {
        let Some(regret) = self.objective.regret(recommended, lab) else { return Ok(()) };
        lab.measure(|_| {
            let mut measures = vec![Measure::of_best(Measure::REGRET, regret)];
            if self.spends_games() {
                measures.push(Measure::of_best(Measure::SIMULATED_GAMES, games as f64));
            }
            Ok(measures)
        })
    }

    /// Whether it searches from values in use by games.
    fn is_tuned(&self) -> bool {
        !self.start.is_empty() && self.objective.can_verify() && self.optimizer.name != "screen"
    }

    /// Games of a trial.
    fn games(&self, has_rival: bool) -> u64 {
        if has_rival { self.objective.games_with_rival() } else { self.objective.games() }
    }
}

/// What candidates are worth, or how much better than their rivals, where the objective does not compare them by itself, too.
fn evaluate(
    objective: &dyn Objective,
    candidates: &[Candidate],
    rng: &Rng,
    lab: &mut Lab<'_>,
) -> Result<Vec<Evaluation>, LabError> {
    if objective.compares() || candidates.iter().all(|candidate| candidate.rival.is_none()) {
        return objective.evaluate(candidates, rng, lab);
    }
    let alone = |trial, genome: &Genome| Candidate { trial, genome: genome.clone(), rival: None };
    let each = candidates.iter().flat_map(|Candidate { trial, genome, rival }| {
        [Some(genome), rival.as_ref()].into_iter().flatten().map(|genome| alone(*trial, genome))
    });
    let each: Vec<Candidate> = each.collect();
    let mut evaluations = objective.evaluate(&each, rng, lab)?.into_iter();
    let mut next = || evaluations.next().expect("an evaluation for each candidate");
    let evaluation = |candidate: &Candidate| match candidate.rival {
        Some(_) => difference(next(), next()),
        None => next(),
    };
    Ok(candidates.iter().map(evaluation).collect())
}

/// How much better one is than the other; nothing if it is not known of both.
fn difference(one: Evaluation, other: Evaluation) -> Evaluation {
    match (one, other) {
        (Evaluation::Fitness(one), Evaluation::Fitness(other)) => Evaluation::new(one - other),
        _ => Evaluation::Failed,
    }
}

/// How far a search is that starts from values in use: what its best is worth, how far apart its points are, and how sure it is of each parameter.
fn measures(optimizer: &dyn Optimizer, space: &Space) -> Vec<Measure> {
    let elo = |advantage: f64| elo_of_score(f64::midpoint(1.0, advantage));
    let deviation = |name: &str, value| Measure::of_best(&format!("{}{name}", Measure::DEVIATION), value);
    let gain = optimizer.gain().map_or_else(Vec::new, |Gain { mean, deviation: sure }| {
        let half = (elo(mean + sure) - elo(mean - sure)) / 2.0;
        vec![Measure::of_best(Measure::ELO, elo(mean)), deviation(Measure::ELO, half)]
    });
    let size = optimizer.step_size().map(|size| Measure::of_best(Measure::STEP_SIZE, size));
    let units = space.units().into_iter().zip(space.ranges());
    let widths = units.map(|(unit, [min, max])| unit.map_or(max - min, |unit| 1.0 / unit));
    let of_parameters = space.names().into_iter().zip(optimizer.beliefs()).zip(widths);
    let of_parameters =
        of_parameters.map(|((name, belief), width)| deviation(&name, belief.deviation * width));
    let scores: Option<Vec<f64>> = optimizer.population().into_iter().map(|member| member.fitness).collect();
    let score = scores.filter(|scores| !scores.is_empty()).map(|scores| Measure {
        mean: Some(scores.iter().sum::<f64>() / scores.len() as f64),
        ..Measure::of_best(Measure::SCORE, scores.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    });
    score.into_iter().chain(gain).chain(size).chain(of_parameters).collect()
}

/// How an optimiser begins.
struct Outlook {
    /// Trials of a generation.
    batch: u64,
    /// Whether trials have rivals.
    has_rivals: bool,
    /// Games of a trial.
    games: u64,
}

impl Outlook {
    /// How many trials the first limit of a budget allows, if it has one but time.
    fn trials(&self, budget: &Budget) -> Option<u64> {
        // One trial is always made.
        let by_games =
            budget.games.checked_div(self.games).filter(|_| budget.games > 0).map(|trials| trials.max(1));
        let by_generations = (budget.generations > 0).then(|| u64::from(budget.generations));
        let by_generations = by_generations.map(|generations| generations.saturating_mul(self.batch));
        by_generations.into_iter().chain(by_games).min()
    }
}

/// What a key chooses among, the first if it is left out.
fn name<'a>(
    table: &'a Table,
    key: &str,
    mut known: impl Iterator<Item = &'static str> + Clone,
) -> Result<&'a str, ExperimentError> {
    match table.get(key) {
        None => Ok(known.next().unwrap_or_default()),
        Some(Value::String(name)) if known.clone().any(|known| known == name) => Ok(name),
        Some(Value::String(name)) => {
            let reason = format!("unknown {key} {name:?}{}", suggest(name, known));
            Err(ExperimentError::value(key, reason))
        }
        Some(other) => {
            let names: Vec<&str> = known.collect();
            let reason = format!(
                "{other}: give a name, one of {}; its settings are in a table of that name",
                names.join(", ")
            );
            Err(ExperimentError::value(key, reason))
        }
    }
}

/// The optimiser and the objective that a table names.
fn choices(table: &Table) -> Vec<String> {
    let named =
        ["optimizer", "objective"].map(|key| table.get(key).and_then(Value::as_str).map(str::to_owned));
    named.into_iter().flatten().collect()
}

impl Method for Optimize {
    fn table(&self) -> Table {
        let mut table = self.objective.table();
        table.extend(self.others.clone());
        table.extend(write(&self.start));
        table.extend(write(&self.earlier));
        table.insert("optimizer".to_owned(), self.optimizer.name.into());
        table.insert("objective".to_owned(), self.objective_name.into());
        table.insert(self.optimizer.name.to_owned(), write_settings(&self.settings).into());
        table.insert(self.objective_name.to_owned(), write_settings(self.objective.settings()).into());
        table
    }

    fn complete(&mut self) -> Result<(), ExperimentError> {
        let check = (self.optimizer.check)(&self.settings);
        check.map_err(|error| ExperimentError::from(error).inside(self.optimizer.name))?;
        self.objective.complete()?;
        self.before.iter_mut().chain(&mut self.widest).try_for_each(|objective| objective.complete())?;
        if self.start.is_empty() { Ok(()) } else { self.space().map(drop) }
    }

    fn check(&self) -> Result<(), ExperimentError> {
        self.objective.check()
    }

    fn check_unread(&self, arms: &[Experiment]) -> Result<(), ExperimentError> {
        let used: Vec<String> = arms.iter().flat_map(|arm| choices(&arm.method.table())).collect();
        match self.others.iter().find(|(table, _)| !used.contains(table)) {
            None => Ok(()),
            Some((table, value)) => {
                let key = value.as_table().and_then(|own| own.keys().next());
                let path = key.map_or_else(|| table.clone(), |key| format!("{table}.{key}"));
                let chooser = if ObjectiveInfo::find(table).is_some() { "objective" } else { "optimizer" };
                let reason = format!("nothing reads it; set {chooser} = {table:?}, or leave it out");
                Err(ExperimentError::value(&path, reason))
            }
        }
    }

    fn contents(&self) -> Table {
        Table::from_iter([(self.objective_name.to_owned(), self.objective.contents().into())])
    }

    fn space(&self) -> Result<Space, ExperimentError> {
        self.start.apply(self.objective.space()?)
    }

    fn start_genome(&self) -> Option<Genome> {
        let start = self.start.genome(self.objective.space().ok()?).ok()?;
        start.filter(|_| self.objective.can_verify())
    }

    fn verification(
        &self,
        champion: &[f64],
        limits: Option<Limits>,
        pairs: u64,
    ) -> Result<PairedMatch, ExperimentError> {
        self.objective.verification(champion, limits, pairs)
    }

    fn plays_games(&self) -> bool {
        self.spends_games() && !self.objective.simulates()
    }

    fn knows_optimum(&self) -> bool {
        self.objective.knows_optimum()
    }

    fn spends_games(&self) -> bool {
        self.objective.games() > 0
    }

    fn has_populations(&self) -> bool {
        let begun = |space| (self.optimizer.begin)(&self.settings, Problem::new(&space), Rng::new(0));
        self.space().map_or(true, |space| begun(space).population().len() > 1)
    }

    fn breed(&self) -> Option<&Breed> {
        self.objective.breed()
    }

    fn engine(&self, genome: Option<&[f64]>) -> Option<Contestant<EngineSpec>> {
        self.objective.engine(genome)
    }

    fn engines(&self) -> Vec<EngineSpec> {
        self.objective.engines()
    }

    fn breeds(&self) -> &'static str {
        self.objective.breeds()
    }

    fn subject(&self) -> String {
        self.objective.subject()
    }

    fn check_resources(&self) -> Result<(), ExperimentError> {
        self.objective.check_resources()
    }

    fn opponents(&self) -> Vec<Contestant> {
        self.objective.opponents()
    }

    fn answer(&self) -> Answer {
        Answer::first("the best point that was found")
    }

    fn reading(&self, fitness: f64) -> Reading {
        self.objective.reading(fitness)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let set: Vec<String> = write_settings(&self.settings)
            .into_iter()
            .filter(|(key, value)| {
                write_settings(&Settings::new(self.optimizer.keys)).get(key) != Some(value)
            })
            .map(|(key, value)| format!(", {key} = {value}"))
            .collect();
        let mut facts = vec![
            ("optimizer", format!("{}{}", self.optimizer.name, set.concat())),
            ("objective", self.objective_name.to_owned()),
        ];
        facts.extend(self.objective.facts());
        let changes = self.earlier.earlier.iter().map(|stretch| {
            let [until, games] = [stretch.until, stretch.games].map(|number| grouped(&number.to_string()));
            format!("after {until} of {games} games")
        });
        let changes: Vec<String> = changes.collect();
        facts.extend((!changes.is_empty()).then(|| ("changed", changes.join(", "))));
        facts
    }

    fn keeps_course(&self) -> bool {
        // The schedule of SPSA is made for its budget.
        self.optimizer.name != "spsa"
    }

    fn planned_generations(&self, budget: &Budget) -> u64 {
        let Some(space) = self.space().ok().filter(|_| self.objective.simulates()) else {
            return budget.generations.into();
        };
        let outlook = self.outlook(&space);
        outlook.trials(budget).map_or(0, |trials| trials.div_ceil(outlook.batch.max(1)))
    }

    fn planned_games(&self, budget: &Budget) -> u64 {
        let Some(space) = self.space().ok().filter(|_| self.plays_games()) else { return 0 };
        let outlook = self.outlook(&space);
        outlook.trials(budget).map_or(0, |trials| trials.saturating_mul(outlook.games))
    }

    fn run(&self, budget: &Budget, start: Start<'_>, lab: &mut Lab<'_>) -> Result<Finding, LabError> {
        let mut stretches = self.stretches(budget)?;
        let (mut space, first, mut until) = stretches.pop_front().expect("the last one");
        let outlook = self.outlook(&space);
        // Genomes that are rounded for each pair of games are recorded as they are.
        let is_exact = self.objective.rounds() || outlook.has_rivals && self.objective.compares();
        let genome_in = |space: &Space, point: &Genome| {
            let genome = space.at(point);
            if is_exact { genome } else { space.rounded(&genome) }
        };
        let mut start = recall_start(&space, start, lab)?;
        if start.is_empty() && !self.start.is_empty() {
            start.push(space.defaults());
        }
        let start: Vec<Genome> = start.iter().map(|genome| space.point(genome)).collect();
        let (trials, games) = (outlook.trials(&first), self.objective.games_with_rival());
        let problem = Problem { start, trials, games, ..Problem::new(&space) };
        let mut optimizer = (self.optimizer.begin)(&self.settings, problem, lab.rng("optimizer"));
        let mut tried: Vec<Genome> = Vec::new();
        let mut population: Vec<Genome> =
            optimizer.population().iter().map(|member| genome_in(&space, &member.point)).collect();
        let mut spending = Spending::new(*budget, &population);
        self.measure(&population[0], 0, lab)?;
        lab.record(&population, &population, MatchCounts::default())?;
        for generation in spending.generations() {
            lab.begin_generation(generation);
            let rng = lab.rng(&format!("evaluation {generation}"));
            while let Some(over) = until.filter(|over| spending.games >= *over) {
                let (next, budget, end) = stretches.pop_front().expect("the last one, which has no end");
                let left = Budget { games: budget.games.saturating_sub(over), ..budget };
                let best = optimizer.best().map_or_else(|| space.defaults(), |best| space.at(&best.point));
                let problem = Problem {
                    start: vec![next.point(&best)],
                    trials: outlook.trials(&left),
                    games,
                    ..Problem::new(&next)
                };
                let is_same = next.ranges() == space.ranges();
                let goes_on = self.keeps_course()
                    && (is_same || optimizer.change_ranges(&space.axis_changes(&next), &problem));
                if !goes_on {
                    let rng = lab.rng(&format!("optimizer after {over} games"));
                    optimizer = (self.optimizer.begin)(&self.settings, problem, rng);
                }
                if !is_same {
                    tried.clear();
                }
                (space, until) = (next, end);
            }
            let genome = |point: &Genome| genome_in(&space, point);
            let left = until.map_or(spending.trials_left(outlook.games), |until| {
                until.saturating_sub(spending.games).checked_div(outlook.games)
            });
            let batch = match left {
                Some(0) if spending.games > 0 => break,
                Some(left) => optimizer.batch_size().min(left.max(1) as usize),
                None => optimizer.batch_size(),
            };
            let mut told = 0;
            while told < batch {
                let trials: Vec<Trial> = std::iter::from_fn(|| optimizer.ask()).take(batch - told).collect();
                if trials.is_empty() {
                    break;
                }
                let candidate = |trial: &Trial| Candidate {
                    trial: trial.number,
                    genome: genome(&trial.point),
                    rival: trial.rival.as_ref().map(genome),
                };
                let candidates: Vec<Candidate> = trials.iter().map(candidate).collect();
                let evaluations = evaluate(self.arena(), &candidates, &rng, lab)?;
                tried.extend(trials.iter().map(|trial| trial.point.clone()));
                for (trial, evaluation) in trials.iter().zip(evaluations) {
                    optimizer.tell(trial.number, evaluation);
                }
                told += trials.len();
            }
            if told == 0 {
                break;
            }
            let simulated = if self.objective.simulates() { told as u64 * outlook.games } else { 0 };
            if self.is_tuned() {
                lab.measure(|_| Ok(measures(optimizer.as_ref(), &space)))?;
            }
            let members = optimizer.population();
            population = members.iter().map(|member| genome(&member.point)).collect();
            let individual = |Member { point, fitness, parents }: Member| Individual {
                genome: genome(&point),
                fitness,
                parents,
            };
            let best = optimizer.best().map(|best| genome(&best.point));
            self.measure(best.as_ref().unwrap_or(&population[0]), spending.games + simulated, lab)?;
            let judged = members.len();
            let individuals = members.into_iter().map(individual).collect();
            let games = lab.record_individuals(individuals, judged, MatchCounts::default())?;
            if spending.is_spent(lab, games + simulated, &population)? {
                break;
            }
        }
        let best = optimizer.best().map(|best| genome_in(&space, &best.point));
        let best = best.unwrap_or_else(|| population[0].clone());
        let champion = if self.objective.rounds() { best } else { space.rounded(&best) };
        let slices = if self.is_tuned() && !tried.is_empty() {
            ModelSlice::of(optimizer.as_ref(), &space, &space.point(&space.defaults()), &tried)
        } else {
            Vec::new()
        };
        Ok(Finding { champion, population, slices })
    }

    fn differences(&self, champion: &Genome, lab: &mut Lab<'_>) -> Result<Option<Differences>, LabError> {
        self.objective.differences(champion, lab)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use gamete_optim::OPTIMIZERS;

    use super::{Evaluation, difference};
    use crate::run::{Conclusion, run};
    use crate::store::Store;
    use crate::testing::TestLab;
    use crate::{Experiment, ExperimentView, GenerationRow, LabView, Measure, RankedBy, Ranking, RunView};

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
        assert!(
            theta(0).iter().zip(defaults).all(|(x, default)| (x - default).abs() < 1e-9),
            "{:?}",
            theta(0)
        );
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

    const LEAGUE: &str = "objective = 'function'\ngenerations = 0\ngames = 250\nreplicates = 2\narms = 'optimizers'\n\
        function = { name = 'quadratic', dimensions = 3, pairs = 2 }\n";

    /// What came of a study in a lab of its own.
    fn view(text: &str, threads: usize) -> ExperimentView {
        let lab = TestLab::new();
        let text = format!("name = 'x'\nmethod = 'optimize'\n{text}");
        lab.run(&text, &gamete_arena::Local::new(threads).expect("threads")).expect("a result");
        LabView::new(&lab.store()).experiment("x").expect("a study")
    }

    #[test]
    fn a_league_ranks_every_optimiser_with_the_same_games() {
        let view = view(LEAGUE, 1);
        let Ranking { by, arms } = view.ranking().expect("a ranking");
        assert_eq!((by, arms.len()), (RankedBy::Regret, OPTIMIZERS.len()));
        assert!(OPTIMIZERS.iter().all(|info| arms.iter().any(|arm| arm.arm == info.name)));
        assert!(arms.is_sorted_by(|one, two| one.value.mean <= two.value.mean), "{arms:?}");
        for arm in &arms {
            // A pair with a rival, two pairs without: none goes beyond the budget, or stops before it.
            assert!((248.0..=250.0).contains(&arm.games), "{arm:?}");
            assert_eq!(arm.value.runs.len(), 2);
            assert_eq!(arm.better_than_random.is_none(), arm.arm == "random");
        }
        // All begin with the same landscape of the replicate, and those that begin with one point where 40 Elo are lost.
        let spsa = view.arms.iter().find(|arm| arm.name == "spsa").expect("an arm");
        for run in &spsa.runs {
            let first = run.generations[0].measure(Measure::REGRET).expect("a regret").best;
            assert!((first - 40.0).abs() < 1e-9, "{first}");
        }
        let better = arms.iter().find(|arm| arm.arm == "spsa").and_then(|arm| arm.better_than_random.clone());
        let value = |name: &str| &arms.iter().find(|arm| arm.arm == name).expect("an arm").value.runs;
        let differences: Vec<f64> =
            value("random").iter().zip(value("spsa")).map(|(random, own)| random - own).collect();
        assert_eq!(better.expect("a difference").runs, differences);
    }

    #[test]
    fn a_league_is_the_same_on_any_number_of_threads() {
        let digest = |threads| view(LEAGUE, threads).conclusion.expect("an end").digest;
        assert_eq!(digest(1), digest(2));
    }

    #[test]
    fn champions_of_a_league_without_a_known_optimum_play() {
        let text = "generations = 0\ngames = 8\nmodel = 'chess/material'\nlimits = 'depth=1'\nmax_moves = 6\n\
            at_max_moves = 'material'\nmatch.pairs = 1\nplayoff = { pairs = 1, classical = 2 }\n\
            arms = [{ name = 'random', set = { optimizer = 'random' } }, { name = 'spsa', set = { optimizer = 'spsa' } }]\n";
        let Ranking { by, arms } = view(text, 2).ranking().expect("a ranking");
        assert_eq!((by, arms.len()), (RankedBy::Play, 2));
        let shares: f64 = arms.iter().map(|arm| arm.value.mean).sum();
        assert!((shares - 1.0).abs() < 1e-12, "{arms:?}");
        assert!(arms.iter().all(|arm| arm.elo_to_start.is_some() && arm.games == 8.0), "{arms:?}");
    }

    #[test]
    fn replicates_have_landscapes_of_their_own_and_arms_share_them() {
        let first = |view: &ExperimentView| -> Vec<f64> {
            // Where a search from one point begins on a saturating landscape says which one it is.
            let start = |run: &RunView| run.generations[0].measure(Measure::REGRET).expect("a regret").best;
            view.runs().map(start).collect()
        };
        let text = "objective = 'function'\ngenerations = 1\nreplicates = 2\narms = [{ name = 'a', set = { optimizer = 'spsa' } }, \
            { name = 'b', set = { optimizer = 'nelder-mead' } }]\nfunction = { name = 'saturating', dimensions = 2, pairs = 1 }\n";
        let own = first(&view(text, 1));
        assert!(own[0] == own[2] && own[1] == own[3] && own[0] != own[1], "{own:?}");
        let one = first(&view(&text.replace("pairs = 1", "pairs = 1, landscape = 7"), 1));
        assert!(one.iter().all(|regret| *regret == one[0]), "{one:?}");
    }

    #[test]
    fn whole_numbers_of_landscapes_are_whole() {
        for optimizer in ["spsa", "random", "nelder-mead"] {
            let text = format!(
                "objective = 'function'\noptimizer = '{optimizer}'\ngenerations = 0\ngames = 400\n\
                 function = {{ name = 'quadratic', dimensions = 2, integers = true, pairs = 2 }}\n"
            );
            let (found, _) = results(&text, 1);
            assert!(found.champion.iter().all(|(_, x)| x.fract() == 0.0 && x.abs() <= 18.0), "{found:?}");
        }
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
        for genome in generations.iter().flat_map(|generation| &generation.population).map(|one| &one.genome)
        {
            assert!(
                [0.0, 1.0].contains(&genome[0]) && [1.0, 2.0, 3.0, 4.0].contains(&genome[1]),
                "{genome:?}"
            );
        }
        let genome: Vec<f64> = found.champion.iter().map(|(_, value)| *value).collect();
        let player = one.method.breed().expect("players").player("champion", &genome);
        assert_eq!(i32::from(player.search.null_move), genome[0] as i32);
        assert_eq!(player.search.null_move_reduction, genome[1] as i32);
        let both = format!("{text}weights.pawn = [500, 1500]\nmatch.rounding = 'stochastic'\n");
        assert_eq!(experiment(&both).expect("an experiment").genes().len(), 3);
        assert_eq!(results(&both, 1).0.digest, results(&both, 2).0.digest);
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_way_out() {
        let error = |text: &str| experiment(text).expect_err("an error");
        assert_eq!(error("optimizer = 'gaa'"), "optimizer: unknown optimizer \"gaa\"; did you mean \"ga\"?");
        assert!(
            error("optimizer = { population = 3 }").ends_with("; its settings are in a table of that name")
        );
        assert_eq!(
            error("objective = 'matches'"),
            "objective: unknown objective \"matches\"; did you mean \"match\"?"
        );
        assert_eq!(
            error("ga.popluation = 3"),
            "unknown key \"ga.popluation\"; did you mean \"ga.population\"?"
        );
        assert_eq!(error("ga.population = 1"), "ga.population: 1: give a whole number from 2 to 100000");
        assert_eq!(error("ga = 3"), "ga: 3: give a table, as in ga.population = …");
        assert_eq!(error("ga.elite = 20"), "ga.elite: 20: give less than the population of 20");
        assert_eq!(
            error("search.null_move = [0.5, 1]"),
            "search.null_move: [0.5, 1]: give true or false, or a range of such values, at most [0, 1]"
        );
        assert_eq!(
            error("search.null_move_reduction = [1, 9]"),
            "search.null_move_reduction: [1, 9]: give a whole number from 0 to 7, or a range of such values, at most [0, 7]"
        );
        assert!(error("search.nul_move = [0, 1]").contains("did you mean \"search.null_move\"?"));
        assert!(error("search.null_move = 0.5").contains("null_move is 0.5, but must be true or false"));
        assert!(error("match.opponents = ['nobody']").starts_with("match.opponents: \"nobody\": "));
        assert!(error("match.opponents = ['checkers/material']").contains("name players of one game"));
        assert!(
            error("objective = 'function'\nmodel = 'chess/material'").starts_with("unknown key \"model\"; ")
        );
        assert_eq!(error("population = 3"), "unknown key \"population\"; did you mean \"ga.population\"?");
        assert_eq!(
            error("arms = [{ name = 'a', set = { 'ga.population' = 4 } }]"),
            "arms.a.set.\"ga.population\": write ga.population = … without quotes, which make one key of it"
        );
        assert_eq!(
            error("search.nonsense = 1"),
            "unknown key \"search.nonsense\"; `echo uci | gamete uci` lists all"
        );
        assert_eq!(
            error("model = 'chess/material'\nweights.nonsense = 1"),
            "unknown key \"weights.nonsense\"; there are pawn, knight, bishop, rook, queen"
        );
        assert_eq!(
            error("search.null_move_reduction = [false, true]"),
            "search.null_move_reduction: [false, true]: give a whole number from 0 to 7, or a range of such values, at most [0, 7]"
        );
        assert_eq!(
            error("search.null_move_reduction = [4, 1]"),
            "search.null_move_reduction: [4, 1]: the smaller number comes first, as in [1, 4]"
        );
        assert_eq!(
            error("weights.pawn = [0, 1e300]"),
            "weights.pawn: 1e300: give a number from -1e100 to 1e100"
        );
        assert_eq!(
            error("objective = 'function'\nfunction = { name = 'rosenbrock', dimensions = 1 }"),
            "function.dimensions: 1: rosenbrock is made of pairs of neighbours; give at least 2"
        );
        assert_eq!(
            error("objective = 'function'\nfunction = { name = 'ridge', dimensions = 301 }"),
            "function.dimensions: 301: a landscape has at most 300"
        );
        assert_eq!(
            error("arms = 'optimisers'"),
            "arms: \"optimisers\": give a list of arms, or \"optimizers\" for one arm with each"
        );
    }

    #[test]
    fn a_budget_that_cannot_be_reached_is_refused() {
        let endless = "objective = 'function'\ngenerations = 0\ngames = 50\n";
        assert_eq!(
            experiment(endless).expect_err("an error"),
            "games: 50: it plays no games, and so never ends; give generations or seconds"
        );
        for other in ["seconds = 1", "convergence = 0.1"] {
            experiment(&format!("{endless}{other}")).expect("something ends it");
        }
        for optimizer in ["spsa", "pairs", "clop"] {
            let text = format!("objective = 'function'\noptimizer = '{optimizer}'\nconvergence = 0.1\n");
            let error = experiment(&text).expect_err("one point");
            assert!(error.starts_with("convergence: 0.1: it begins with one point"), "{error}");
        }
        let warnings = |text| experiment(text).expect("an experiment").warnings();
        let close = warnings("objective = 'function'\ngenerations = 0\nconvergence = 0.1");
        assert!(close[0].starts_with("convergence = 0.1: a population may never come so close"), "{close:?}");
        assert!(warnings("objective = 'function'\nconvergence = 0.1").is_empty());
    }

    #[test]
    fn tables_of_others_are_for_arms_that_use_them() {
        let unread = |text: &str| experiment(text).expect_err("an error");
        assert_eq!(
            unread("function.name = 'elo'"),
            "function.name: nothing reads it; set objective = \"function\", or leave it out"
        );
        assert_eq!(
            unread("objective = 'function'\nes.step = 0.1"),
            "es.step: nothing reads it; set optimizer = \"es\", or leave it out"
        );
        let arms = "[[arms]]\nname = 'a'\n[[arms]]\nname = 'b'\nset = { objective = 'function' }\n";
        let study = experiment(&format!("function.dimensions = 7\nmax_moves = 9\n{arms}")).expect("a study");
        assert_eq!(study.arm(1).expect("an arm").genes().len(), 7);
        assert!(!study.arm(1).expect("an arm").table().contains_key("max_moves"));
        assert_eq!(experiment_of(&study.text()).expect("the same"), study);
    }
}
