use gamete_lab::{
    Answer, BaselineMatch, Breed, Conclusion, Experiment, ExperimentRow, GameRecord, Generation, MatchCounts,
    Store, WeightSource, arms, convergence, run_path,
};

use crate::ReportError;

/// What a report is about: everything the lab has of an experiment.
pub struct Subject {
    pub row: ExperimentRow,
    pub experiment: Experiment,
    /// What came out, if it is finished.
    pub conclusion: Option<Conclusion>,
    pub arms: Vec<Arm>,
    /// All games that were kept, those of play-offs last.
    pub games: Vec<Kept>,
    /// The champions against their start and the classical weights, as far as that is played.
    pub verification: Vec<BaselineMatch>,
}

/// A variant, or the experiment itself if it has none.
pub struct Arm {
    pub name: String,
    pub experiment: Experiment,
    /// The names of its genes.
    pub genes: Vec<String>,
    /// Its replicates, as far as they have begun.
    pub runs: Vec<Run>,
}

/// One run, from the population at the start.
pub struct Run {
    pub generations: Vec<Generation>,
    /// The answer, or what it would be now.
    pub champion: Vec<f64>,
    pub first_population: Vec<Vec<f64>>,
    pub last_population: Vec<Vec<f64>>,
}

/// A game to look at.
pub struct Kept {
    /// The run it was played in, in words.
    pub place: String,
    pub record: GameRecord,
}

/// How values of genes are shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unit {
    /// As they are.
    Raw,
    /// With the pawn as 100, as the papers do.
    Pawn(WeightSource),
}

impl Unit {
    /// A value in this unit where genes have the values that `gene` tells; not a number where that makes no sense.
    pub fn show(self, value: f64, gene: impl Fn(usize) -> f64) -> f64 {
        match self {
            Self::Raw => value,
            Self::Pawn(pawn) => match pawn.value(gene) {
                pawn if pawn > 0.0 => value / pawn * 100.0,
                _ => f64::NAN,
            },
        }
    }

    /// Whether it is this gene that is 100.
    pub fn is(self, gene: usize) -> bool {
        self == Self::Pawn(WeightSource::Evolved(gene))
    }
}

impl Subject {
    /// Reads all there is of an experiment.
    pub fn load(store: &Store, id: &str) -> Result<Self, ReportError> {
        let row = store.experiment(id)?;
        let damaged = |what: String| ReportError::Damaged { id: id.to_owned(), what };
        let experiment = row.experiment()?;
        let conclusion = row.conclusion()?;
        let rows = store.runs(id)?;
        let is_study = experiment.is_study();
        let mut found = Vec::new();
        for (index, variant) in arms(&experiment).into_iter().enumerate() {
            let name = experiment.head.arms.get(index).map_or_else(String::new, |arm| arm.name.clone());
            let genes = variant.genes();
            let mut runs = Vec::new();
            for replicate in 0..experiment.head.replicates {
                let path = if is_study { run_path(&experiment, index, replicate) } else { String::new() };
                let Some(row) = rows.iter().find(|row| row.path == path) else { continue };
                let Some(mut run) = Run::load(store, row.number, variant.method.answer())? else { continue };
                if let Some(champion) = concluded(conclusion.as_ref(), is_study, index, replicate) {
                    run.champion = champion;
                }
                if run.is_of(genes.len()) {
                    runs.push(run);
                } else {
                    return Err(damaged(format!("run {path:?} has genomes of another length")));
                }
            }
            found.push(Arm { name, experiment: variant, genes, runs });
        }
        let mut games = Vec::new();
        for run in &rows {
            let place = &run.path;
            games.extend(
                store.games(run.number)?.into_iter().map(|record| Kept { place: place.clone(), record }),
            );
        }
        games.sort_by_key(|game| (game.record.generation == 0, game.record.generation));
        let verification = store.verification(id)?;
        Ok(Self { row, experiment, conclusion, arms: found, games, verification })
    }

    /// The only run of an experiment that is no study.
    pub fn single(&self) -> Option<(&Arm, &Run)> {
        let arm = self.arms.first().filter(|_| !self.experiment.is_study())?;
        Some((arm, arm.runs.first()?))
    }

    /// Whether games come in matches, as in population dynamics.
    pub fn has_matches(&self) -> bool {
        self.runs().flat_map(|run| &run.generations).any(|row| row.matches.total() > 0)
    }

    /// All runs of all arms.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.arms.iter().flat_map(|arm| &arm.runs)
    }

    /// Games and draws of all generations.
    pub fn games_and_draws(&self) -> (u64, u64) {
        let generations = || self.runs().flat_map(|run| &run.generations);
        (generations().map(|row| row.games).sum(), generations().map(|row| row.draws).sum())
    }
}

fn concluded(
    conclusion: Option<&Conclusion>,
    is_study: bool,
    arm: usize,
    replicate: u32,
) -> Option<Vec<f64>> {
    let found = conclusion?;
    if !is_study {
        return Some(found.champion.iter().map(|(_, value)| *value).collect());
    }
    let own = found.champions.iter().find(|champion| (champion.arm, champion.replicate) == (arm, replicate));
    own.map(|champion| champion.genome.clone())
}

impl Arm {
    /// How its values are shown in the papers' way, if it has a pawn to measure them by.
    pub fn pawn(&self) -> Option<Unit> {
        self.experiment.method.breed()?.pawn().map(Unit::Pawn)
    }

    /// The value that a gene has without any evolution: the model's, or the published one.
    pub fn classical(&self, gene: &str) -> Option<f64> {
        match self.experiment.method.breed() {
            Some(breed) => {
                let model = breed.model();
                model.weight(gene).map(|index| model.weights[index].default)
            }
            None => crate::published::setting(gene),
        }
    }

    /// The same in a unit, not a number where there is none.
    pub fn classical_in(&self, unit: Unit, gene: &str) -> f64 {
        let classical = |gene: &str| self.classical(gene).unwrap_or(f64::NAN);
        match unit {
            Unit::Raw => classical(gene),
            Unit::Pawn(_) => {
                let pawn = self.experiment.method.breed().and_then(Breed::pawn_name);
                100.0 * classical(gene) / pawn.map_or(f64::NAN, classical)
            }
        }
    }

    /// What to call values that are known without evolution.
    pub fn known(&self) -> &'static str {
        if self.experiment.method.breed().is_some() { "classical" } else { "published" }
    }

    /// What the answer of a run is.
    pub fn answer(&self) -> &'static str {
        self.experiment.method.answer().text
    }

    /// Who of a population is left out of means and deviations, as a part of a sentence.
    pub fn judged(&self) -> &'static str {
        self.experiment.method.judged()
    }

    /// How many games a generation has on average, where luck decides.
    pub fn expected_games(&self) -> Option<f64> {
        self.experiment.method.expected_games()
    }

    /// How matches ended, in all replicates together, by generation.
    pub fn matches(&self) -> Vec<(u32, [u64; 3])> {
        let last = self.runs.iter().map(|run| run.generations.len()).max().unwrap_or(0);
        (0..last)
            .map(|index| {
                let rows = || self.runs.iter().filter_map(|run| run.generations.get(index));
                let sum = |of: fn(&MatchCounts) -> u64| rows().map(|row| of(&row.matches)).sum();
                let number = rows().next().map_or(0, |row| row.number);
                (number, [sum(|counts| counts.won), sum(|counts| counts.edged), sum(|counts| counts.drawn)])
            })
            .collect()
    }
}

impl Run {
    fn load(store: &Store, number: i64, answer: Answer) -> Result<Option<Self>, ReportError> {
        let generations = store.summaries(number)?;
        let (Some(first), Some(last)) = (generations.first(), generations.last()) else { return Ok(None) };
        let population = |generation| -> Result<Vec<Vec<f64>>, ReportError> {
            let individuals = store.individuals(number, generation)?;
            Ok(individuals.into_iter().map(|one| one.genome).collect())
        };
        let first_population = population(first.number)?;
        let last_population = population(last.number)?;
        let mean = || last.spread.iter().map(|spread| spread.mean).collect();
        // Populations are stored with the best first, once they are ranked.
        let first = last_population.first().filter(|_| !answer.is_mean && last.number > 0);
        let champion = first.cloned().unwrap_or_else(mean);
        Ok(Some(Self { generations, champion, first_population, last_population }))
    }

    /// Whether everything in it has so many genes.
    fn is_of(&self, genes: usize) -> bool {
        self.champion.len() == genes
            && self.generations.iter().all(|row| row.spread.len() == genes)
            && self.first_population.iter().chain(&self.last_population).all(|genome| genome.len() == genes)
    }

    /// How far it had converged after each generation.
    pub fn convergence(&self) -> Vec<f64> {
        let start = &self.generations[0].spread;
        self.generations.iter().map(|row| convergence(start, &row.spread)).collect()
    }

    /// How far it had converged after a generation, if it came to that.
    pub fn convergence_after(&self, number: u32) -> Option<f64> {
        let row = self.generations.iter().find(|row| row.number == number)?;
        Some(convergence(&self.generations[0].spread, &row.spread))
    }

    /// The last generation.
    pub fn last(&self) -> &Generation {
        &self.generations[self.generations.len() - 1]
    }
}
