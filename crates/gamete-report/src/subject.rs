use gamete_lab::{
    ArmView, ExperimentView, GameRecord, Generation, LabView, MatchCounts, PipelineView, Ranking, RunView,
    StageView, WeightSource, convergence,
};

use crate::ReportError;

/// What a report is about: everything the lab has of an experiment.
pub struct Subject {
    /// All but its arms.
    pub view: ExperimentView,
    pub arms: Vec<Arm>,
    /// Its arms by what came of them, if they are optimisers.
    pub ranking: Option<Ranking>,
    /// All games that were kept, those of play-offs last.
    pub games: Vec<Kept>,
}

/// What the report of a pipeline is about.
pub struct PipelineSubject {
    /// All but its stages.
    pub view: PipelineView,
    pub stages: Vec<StageSubject>,
    /// The games of all stages that were kept.
    pub games: Vec<Kept>,
}

/// A stage of a pipeline.
pub struct StageSubject {
    pub name: String,
    /// What it begins with, in words.
    pub beginning: String,
    pub method: String,
    /// What there is of it, if it has begun.
    pub subject: Option<Subject>,
}

impl PipelineSubject {
    /// Reads all there is of a pipeline.
    pub fn load(lab: LabView<'_>, mut view: PipelineView) -> Result<Self, ReportError> {
        let games = kept(lab.pipeline_games(&view)?);
        let mut stages = Vec::new();
        for StageView { name, beginning, method, experiment, .. } in std::mem::take(&mut view.stages) {
            let subject = experiment.map(|experiment| Subject::load(lab, experiment)).transpose()?;
            stages.push(StageSubject { name, beginning, method, subject });
        }
        Ok(Self { view, stages, games })
    }
}

/// Games in the order in which they are shown: by generation, those of play-offs last.
fn kept(games: Vec<(String, GameRecord)>) -> Vec<Kept> {
    let mut games: Vec<Kept> = games.into_iter().map(|(place, record)| Kept { place, record }).collect();
    games.sort_by_key(|game| (game.record.generation == 0, game.record.generation));
    games
}

/// A variant, or the experiment itself if it has none.
pub struct Arm {
    /// All but its runs.
    pub view: ArmView,
    /// What to call it.
    pub title: String,
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
    pub fn load(lab: LabView<'_>, mut view: ExperimentView) -> Result<Self, ReportError> {
        let (ranking, mut arms) = (view.ranking(), Vec::new());
        for mut arm in std::mem::take(&mut view.arms) {
            let runs = std::mem::take(&mut arm.runs);
            let runs = runs.into_iter().map(|run| Run::load(lab, &view, run)).collect::<Result<_, _>>()?;
            arms.push(Arm { title: view.title(&arm).to_owned(), view: arm, runs });
        }
        let games = kept(lab.games(&view.id)?);
        Ok(Self { view, arms, ranking, games })
    }

    /// The only run of an experiment that is no study.
    pub fn single(&self) -> Option<(&Arm, &Run)> {
        let arm = self.arms.first().filter(|_| !self.view.is_study)?;
        Some((arm, arm.runs.first()?))
    }

    /// Whether games come in matches, as in population dynamics.
    pub fn has_matches(&self) -> bool {
        self.runs().flat_map(|run| &run.generations).any(|row| row.matches.total() > 0)
    }

    /// Whether it has games, or may yet have some.
    pub fn plays_games(&self) -> bool {
        let is_over = self.view.conclusion.is_some() || self.runs().any(|run| run.last().number > 0);
        !is_over || self.runs().flat_map(|run| &run.generations).any(|row| row.games > 0)
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

impl Arm {
    /// How its values are shown in the papers' way, if it has a pawn to measure them by, and nothing but weights.
    pub fn pawn(&self) -> Option<Unit> {
        let players = self.view.players.as_ref()?;
        let only_weights = self.view.genes.iter().all(|gene| players.weight(gene).is_some());
        players.pawn_source().filter(|_| only_weights).map(Unit::Pawn)
    }

    /// The value that a gene has without any evolution: the model's, or the published one.
    pub fn classical(&self, gene: &str) -> Option<f64> {
        match &self.view.players {
            Some(players) => players.weight(gene).map(|weight| weight.classical),
            None => crate::published::setting(gene),
        }
    }

    /// The same in a unit, not a number where there is none.
    pub fn classical_in(&self, unit: Unit, gene: &str) -> f64 {
        let classical = |gene: &str| self.classical(gene).unwrap_or(f64::NAN);
        match unit {
            Unit::Raw => classical(gene),
            Unit::Pawn(_) => {
                let pawn = self.view.players.as_ref().and_then(|players| players.pawn.as_deref());
                100.0 * classical(gene) / pawn.map_or(f64::NAN, classical)
            }
        }
    }

    /// What to call values that are known without evolution.
    pub fn known(&self) -> &'static str {
        if self.view.players.is_some() { "classical" } else { "published" }
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
    fn load(lab: LabView<'_>, view: &ExperimentView, run: RunView) -> Result<Self, ReportError> {
        let population = |generation: &Generation| -> Result<Vec<Vec<f64>>, ReportError> {
            let individuals = lab.individuals(view, &run, generation.number)?;
            Ok(individuals.into_iter().map(|one| one.genome).collect())
        };
        let first_population = population(&run.generations[0])?;
        let last_population = population(run.last())?;
        Ok(Self { generations: run.generations, champion: run.champion, first_population, last_population })
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
