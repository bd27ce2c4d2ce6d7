use std::collections::BTreeMap;

use gamete_arena::JournalError;
use gamete_optim::Genome;
use gamete_stats::Sample;
use serde::Serialize;

use super::{
    ArmView, BaselineView, EngineView, ExperimentSummary, ExperimentView, PlayersView, RunView, State,
    TuningView,
};
use crate::experiment::Experiment;
use crate::individual::Individual;
use crate::measure::{Measure, Reading};
use crate::run::Conclusion;
use crate::store::{ExperimentRow, GameRecord, RunRow, Store, StoreError, pipeline_of};
use crate::stored::Damaged;
use crate::study::{arms, run_path};

/// The reading side of a lab.
#[derive(Clone, Copy)]
pub struct LabView<'s> {
    pub(super) store: &'s Store,
    /// How many generations of a run are enough.
    points: usize,
}

/// Why something cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The lab cannot be read, or has no such experiment.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What the lab has makes no sense.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// The journal of a match cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A journal has no match yet.
    #[error("{path}: no match has begun in this journal")]
    NoMatch {
        /// The file.
        path: String,
    },
    /// What a match was asked for makes no sense.
    #[error("{path}: the configuration of the match cannot be understood: {what}")]
    Configuration {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// A pipeline is not one experiment.
    #[error("{id} is a pipeline; name one of its stages, as in {example}")]
    Pipeline {
        /// The pipeline.
        id: String,
        /// Its first stage.
        example: String,
    },
}

/// What can be said of an experiment whatever state its file is in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stored {
    /// Its file, with every default in it.
    pub file: String,
    /// How long it has run, all sessions together.
    pub seconds: f64,
    /// How many runs of it have begun; nothing where its file is damaged, or that of a pipeline.
    pub runs: Option<usize>,
    /// How many stages it has, if it is a pipeline.
    pub stages: Option<usize>,
}

impl<'s> LabView<'s> {
    /// The reading side of this store.
    pub const fn new(store: &'s Store) -> Self {
        Self { store, points: usize::MAX }
    }

    /// The same with at most so many generations of each run, evenly apart, the first and the last among them.
    #[must_use]
    pub const fn thinned(self, points: usize) -> Self {
        Self { points, ..self }
    }

    /// Every experiment, the oldest first; stages are in their pipelines.
    ///
    /// # Errors
    ///
    /// When the lab cannot be read, or an experiment is damaged.
    pub fn experiments(&self) -> Result<Vec<ExperimentSummary>, ViewError> {
        let (stages, rows): (Vec<_>, Vec<_>) =
            self.store.experiments()?.into_iter().partition(|row| pipeline_of(&row.id).is_some());
        rows.into_iter()
            .map(|row| match row.is_pipeline() {
                true => self.pipeline_summary(row, &stages),
                false => self.summary(row),
            })
            .collect()
    }

    /// One experiment or pipeline in a line.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, it is damaged, or the lab cannot be read.
    pub fn summary_of(&self, id: &str) -> Result<ExperimentSummary, ViewError> {
        let row = self.store.experiment(id)?;
        if !row.is_pipeline() {
            return self.summary(row);
        }
        let rows = self.store.experiments()?.into_iter();
        let stages: Vec<_> = rows.filter(|row| pipeline_of(&row.id) == Some(id)).collect();
        self.pipeline_summary(row, &stages)
    }

    fn pipeline_summary(
        &self,
        row: ExperimentRow,
        stages: &[ExperimentRow],
    ) -> Result<ExperimentSummary, ViewError> {
        let pipeline = row.pipeline()?;
        let mut found = Vec::new();
        for stage in pipeline.stages() {
            let id = format!("{}/{}", row.id, stage.name);
            let stage = stages.iter().find(|row| row.id == id);
            found.extend(stage.map(|stage| self.summary(stage.clone())).transpose()?);
        }
        let state = match row.result {
            // Its champion is that of the last stage, and so are the games that verify it.
            Some(_) => found.last().map_or(State::Done, |last| last.state),
            None => {
                let finished = found.iter().filter(|stage| stage.finished).count();
                State::Stages { finished, stages: pipeline.stages().len() }
            }
        };
        Ok(ExperimentSummary {
            games: found.iter().map(|stage| stage.games).sum(),
            state,
            finished: row.result.is_some(),
            set: pipeline.what_is_set(),
            verification: found.last().map_or_else(Vec::new, |last| last.verification.clone()),
            regret: found.last().and_then(|last| last.regret),
            seconds: found.iter().map(|stage| stage.seconds).sum(),
            stages: found,
            id: row.id,
            method: row.method,
            about: row.about,
            seed: row.seed,
            created: row.created,
        })
    }

    fn summary(&self, row: ExperimentRow) -> Result<ExperimentSummary, ViewError> {
        let experiment = row.experiment()?;
        let conclusion = row.conclusion()?;
        let verification = self.verification(&row.id)?;
        let (games, state) = match &conclusion {
            Some(found) if verification.iter().all(BaselineView::is_complete) => (found.games, State::Done),
            Some(found) => (found.games, State::Unverified),
            None => self.progress_of(&row.id, &experiment)?,
        };
        Ok(ExperimentSummary {
            games,
            state,
            finished: conclusion.is_some(),
            set: experiment.what_is_set(),
            verification,
            regret: self.regret(&row.id, &experiment)?,
            id: row.id,
            method: row.method,
            about: row.about,
            seed: row.seed,
            created: row.created,
            seconds: row.seconds,
            stages: Vec::new(),
        })
    }

    /// The mean regret of the runs of an experiment, of arms the least.
    fn regret(&self, id: &str, experiment: &Experiment) -> Result<Option<f64>, ViewError> {
        let mut arms: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        if !experiment.method.knows_optimum() {
            return Ok(None);
        }
        for run in self.store.runs(id)? {
            let last = self.store.last_generation(run.number)?;
            let regret = last.and_then(|last| last.measure(Measure::REGRET).map(|measure| measure.best));
            let arm = run.path.rsplit_once('/').map_or("", |(arm, _)| arm).to_owned();
            arms.entry(arm).or_default().extend(regret);
        }
        let means = arms.into_values().map(|runs| Sample::of(runs).mean());
        Ok(means.filter(|mean| mean.is_finite()).min_by(f64::total_cmp))
    }

    /// The games of an unfinished experiment, and how far it is.
    fn progress_of(&self, id: &str, experiment: &Experiment) -> Result<(u64, State), ViewError> {
        let (mut games, mut begun, mut generation) = (0, 0, 0);
        for run in self.store.runs(id)? {
            if let Some(last) = self.store.last_number(run.number)? {
                begun += 1;
                generation = last.max(generation);
            }
            games += self.store.games_played(run.number)?;
        }
        let head = &experiment.head;
        let runs = head.arms.len().max(1) * head.replicates as usize;
        let most = Some(head.budget.generations).filter(|&most| most > 0);
        Ok((games, State::Unfinished { begun, runs, generation, most }))
    }

    /// What there is of an experiment in any case.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, or the lab cannot be read.
    pub fn stored(&self, id: &str) -> Result<Stored, ViewError> {
        let row = self.store.experiment(id)?;
        let paths: Vec<String> = self.store.runs(id)?.into_iter().map(|run| run.path).collect();
        let runs = row.experiment().ok().map(|experiment| count_runs(&experiment, &paths));
        let stages = if row.is_pipeline() { row.pipeline().ok().map(|one| one.stages().len()) } else { None };
        Ok(Stored { file: row.file, seconds: row.seconds, runs, stages })
    }

    /// An experiment of the lab.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, it is damaged, or the lab cannot be read.
    pub fn experiment(&self, id: &str) -> Result<ExperimentView, ViewError> {
        let row = self.store.experiment(id)?;
        if row.is_pipeline() {
            let first = row.pipeline()?.stages()[0].name.clone();
            return Err(ViewError::Pipeline { example: format!("{id}/{first}"), id: id.to_owned() });
        }
        let experiment = row.experiment()?;
        self.view(row, &experiment)
    }

    /// An experiment of the lab that is at hand, so that its file need not be read again.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, it is damaged, or the lab cannot be read.
    pub fn experiment_at_hand(&self, id: &str, experiment: &Experiment) -> Result<ExperimentView, ViewError> {
        self.view(self.store.experiment(id)?, experiment)
    }

    fn view(&self, row: ExperimentRow, experiment: &Experiment) -> Result<ExperimentView, ViewError> {
        let conclusion = row.conclusion()?;
        let rows = self.store.runs(&row.id)?;
        let mut found = Vec::new();
        for (index, variant) in arms(experiment).iter().enumerate() {
            let name = experiment.head.arms.get(index).map_or("", |arm| arm.name.as_str());
            let mut arm = ArmView::new(name, variant);
            for replicate in 0..experiment.head.replicates {
                let place = Place { experiment, variant, arm: index, replicate };
                arm.runs.extend(self.run(&row.id, &rows, place, conclusion.as_ref())?);
            }
            found.push(arm);
        }
        let screening = match found.as_slice() {
            [arm] => self.screening(experiment, &arm.runs)?,
            _ => None,
        };
        let head = &experiment.head;
        let inner = experiment.method.inner();
        let champion: Option<Genome> = conclusion
            .as_ref()
            .map(|found| found.champion.iter().map(|(_, value)| *value).collect::<Genome>())
            .filter(|genome| genome.len() == experiment.genes().len());
        // A tune that is not finished has present values.
        let present = match (&conclusion, found.as_slice()) {
            (None, [ArmView { runs, .. }]) => {
                runs.first().filter(|run| run.last().number > 0).map(|run| run.champion.clone())
            }
            _ => None,
        };
        let measures = match found.as_slice() {
            [ArmView { runs, .. }] => runs.first().map_or(&[][..], |run| &run.last().measures),
            _ => &[],
        };
        let landscape = match conclusion {
            None => self.store.landscape(&row.id)?,
            Some(_) => None,
        };
        Ok(ExperimentView {
            name: head.name.clone(),
            landscape,
            command: experiment.command().filter(|_| experiment.text() == row.file),
            facts: experiment
                .method
                .facts()
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            budget: head.budget,
            playoff_pairs: head.playoff.pairs,
            replicates: head.replicates,
            is_study: experiment.is_study(),
            has_arms: !head.arms.is_empty(),
            answer: experiment.method.answer().text.to_owned(),
            players: experiment.method.breed().map(PlayersView::new),
            tuning: champion
                .as_ref()
                .or(present.as_ref())
                .filter(|_| screening.is_none())
                .and_then(|genome| TuningView::new(experiment, genome, measures, conclusion.is_some())),
            screening,
            engine: champion.and_then(|genome| EngineView::new(experiment, &genome)),
            inner_changes: inner.as_ref().map_or_else(Vec::new, Experiment::player_changes),
            inner_method: inner.map(|inner| inner.head.method),
            genes: experiment.genes(),
            arms: found,
            conclusion,
            verification: self.verification(&row.id)?,
            id: row.id,
            method: row.method,
            about: row.about,
            seed: row.seed,
            signature: row.signature,
            created: row.created,
            seconds: row.seconds,
            file: row.file,
        })
    }

    /// A run, if it has a generation.
    fn run(
        &self,
        id: &str,
        rows: &[RunRow],
        place: Place<'_>,
        conclusion: Option<&Conclusion>,
    ) -> Result<Option<RunView>, ViewError> {
        let path = place.path();
        let Some(row) = rows.iter().find(|row| row.path == path) else { return Ok(None) };
        let generations = match self.points {
            usize::MAX => self.store.summaries(row.number)?,
            points => self.store.thinned(row.number, 0, u32::MAX, points)?.generations,
        };
        let Some(last) = generations.last() else { return Ok(None) };
        let champion = match conclusion.and_then(|found| place.champion(found)) {
            Some(champion) => champion,
            // Populations are stored with the best first, once they are ranked.
            None if !place.variant.method.answer().is_mean && last.number > 0 => {
                let first = self.store.individuals(row.number, last.number)?.into_iter().next();
                first.map_or_else(Vec::new, |first| first.genome)
            }
            None => last.spread.iter().map(|spread| spread.mean).collect(),
        };
        let genes = place.variant.genes().len();
        if champion.len() != genes || generations.iter().any(|one| one.spread.len() != genes) {
            let what = format!("run {path:?} has genomes of another length");
            return Err(Damaged { id: id.to_owned(), what }.into());
        }
        let (replicate, number) = (place.replicate + 1, row.number);
        let fitness = match place.variant.method.answer().is_mean {
            true => None,
            false => self.fitness(row.number, last.number, &champion)?,
        };
        let reading = fitness.map(|fitness| {
            let reading = place.variant.method.reading(fitness);
            let of = last.measure(&reading.name).and_then(|measure| measure.of);
            Reading { of: reading.of.or(of), ..reading }
        });
        let champion =
            place.variant.method.space().map_or(champion.clone(), |space| space.rounded(&champion));
        Ok(Some(RunView { path, replicate, generations, champion, fitness, reading, number }))
    }

    /// What a genome was ranked by in the last generation that it was in, up to the generation `last`. Genomes of conclusions were
    /// text, and may differ in the last bit.
    fn fitness(&self, run: i64, last: u32, genome: &Genome) -> Result<Option<f64>, ViewError> {
        for generation in (1..=last).rev() {
            let individuals = self.store.individuals(run, generation)?;
            let is_same = |(one, other): (&f64, &f64)| (one - other).abs() <= 1e-12 * one.abs();
            let is_found = |one: &&Individual| one.genome.iter().zip(genome).all(is_same);
            if let Some(found) = individuals.iter().find(is_found) {
                return Ok(found.fitness);
            }
        }
        Ok(None)
    }

    /// The individuals after a generation of a run, in the order of the population; nobody where there is no such generation.
    ///
    /// # Errors
    ///
    /// When they are damaged, or the lab cannot be read.
    pub fn individuals(
        &self,
        view: &ExperimentView,
        run: &RunView,
        generation: u32,
    ) -> Result<Vec<Individual>, ViewError> {
        let individuals = self.store.individuals(run.number, generation)?;
        if individuals.iter().any(|one| one.genome.len() != run.champion.len()) {
            let what = format!("run {:?} has genomes of another length", run.path);
            return Err(Damaged { id: view.id.clone(), what }.into());
        }
        Ok(individuals)
    }

    /// All games of an experiment that were kept, each with the path of its run, run by run.
    ///
    /// # Errors
    ///
    /// When the lab cannot be read.
    pub fn games(&self, id: &str) -> Result<Vec<(String, GameRecord)>, ViewError> {
        let mut games = Vec::new();
        for run in self.store.runs(id)? {
            let records = self.store.games(run.number)?;
            games.extend(records.into_iter().map(|record| (run.path.clone(), record)));
        }
        Ok(games)
    }

    fn verification(&self, id: &str) -> Result<Vec<BaselineView>, ViewError> {
        Ok(self.store.verification(id)?.iter().map(BaselineView::from).collect())
    }
}

/// How many of the paths are runs of the experiment itself: no play-offs, matches against the classical weights or runs
/// that a method began.
pub(super) fn count_runs(experiment: &Experiment, paths: &[String]) -> usize {
    if !experiment.is_study() {
        return 1;
    }
    let all = (0..arms(experiment).len()).flat_map(|arm| {
        (0..experiment.head.replicates).map(move |replicate| run_path(experiment, arm, replicate))
    });
    all.filter(|path| paths.contains(path)).count()
}

/// A run of an experiment: its arm and its replicate, from 0.
#[derive(Clone, Copy)]
struct Place<'a> {
    experiment: &'a Experiment,
    variant: &'a Experiment,
    arm: usize,
    replicate: u32,
}

impl Place<'_> {
    fn path(&self) -> String {
        match self.experiment.is_study() {
            true => run_path(self.experiment, self.arm, self.replicate),
            false => String::new(),
        }
    }

    /// The answer of the run, if it has come to one.
    fn champion(&self, found: &Conclusion) -> Option<Vec<f64>> {
        if !self.experiment.is_study() {
            return Some(found.champion.iter().map(|(_, value)| *value).collect());
        }
        let mut champions = found.champions.iter();
        let own = champions.find(|one| (one.arm, one.replicate) == (self.arm, self.replicate));
        own.map(|one| one.genome.clone())
    }
}
