//! Parts of a lab by their names: an experiment or a stage of a pipeline, an arm or a run of a study, and any of them at a generation.

use gamete_optim::Genome;

use crate::bred::BredError;
use crate::experiment::Experiment;
use crate::run::{Conclusion, RunChampion};
use crate::store::{ExperimentRow, RunRow, Store};
use crate::study::{arms, run_path};

/// An experiment of the lab, or what its name says is meant of it.
pub(crate) struct Part {
    /// The name it was asked for by.
    pub name: String,
    /// The experiment.
    pub id: String,
    /// Its file.
    pub experiment: Experiment,
    /// Which runs of it.
    pub place: Place,
    /// When, if not at the end.
    pub moment: Option<Moment>,
}

impl Part {
    /// The part of this name: `ID`, `ID@0`, `ID@3#1`, `ID/s=0.5/2`, `ID/s=0.5`, and both with a generation. The `ID` of a
    /// stage is `PIPELINE/STAGE`, and that of a pipeline stands for its last stage.
    pub fn find(store: &Store, text: &str) -> Result<Self, BredError> {
        let (head, rest) = text.split_once('/').unwrap_or((text, ""));
        let (head, moment) = if rest.is_empty() { split_generation(head)? } else { (head, None) };
        let row = store.experiment(head)?;
        if row.is_pipeline() {
            return Self::of_pipeline(store, text, &row, rest, moment);
        }
        Self::of_experiment(text, &row, rest, moment)
    }

    /// What a name with a pipeline stands for, which has a stage behind it, or else its last one.
    fn of_pipeline(
        store: &Store,
        text: &str,
        row: &ExperimentRow,
        rest: &str,
        moment: Option<Moment>,
    ) -> Result<Self, BredError> {
        let pipeline = row.pipeline()?;
        let names: Vec<&str> = pipeline.stages().iter().map(|stage| stage.name.as_str()).collect();
        let (stage, run) = rest.split_once('/').unwrap_or((rest, ""));
        let (stage, moment) = match (stage, run) {
            ("", _) if moment.is_some() => {
                let (id, example) = (row.id.clone(), format!("{}/{}", row.id, names[0]));
                return Err(BredError::Pipeline { id, example });
            }
            ("", _) => (names[names.len() - 1], None),
            (stage, "") => split_generation(stage)?,
            (stage, _) => (stage, None),
        };
        if !names.contains(&stage) {
            let (id, stage, names) = (row.id.clone(), stage.to_owned(), names.join(", "));
            return Err(BredError::NoStage { id, stage, names });
        }
        match store.find(&format!("{}/{stage}", row.id))? {
            Some(row) => Self::of_experiment(text, &row, run, moment),
            None => Err(BredError::StageNotBegun { id: row.id.clone(), stage: stage.to_owned() }),
        }
    }

    fn of_experiment(
        text: &str,
        row: &ExperimentRow,
        run: &str,
        moment: Option<Moment>,
    ) -> Result<Self, BredError> {
        let (id, experiment) = (row.id.as_str(), row.experiment()?);
        let part = |experiment, place, moment| Self {
            name: text.to_owned(),
            id: id.to_owned(),
            experiment,
            place,
            moment,
        };
        if run.is_empty() {
            return Ok(part(experiment, Place::Whole, moment));
        }
        if !experiment.is_study() {
            return Err(BredError::OneRun { id: id.to_owned(), run: run.to_owned() });
        }
        // An arm may have an @ in its name.
        let (place, moment) = match (Place::find(&experiment, run), split_generation(run)) {
            (Some(place), _) => (Some(place), None),
            (None, Ok((run, moment))) => (Place::find(&experiment, run), moment),
            (None, Err(_)) => (None, None),
        };
        match place {
            Some(place) => Ok(part(experiment, place, moment)),
            None => {
                let example = example(&experiment, id);
                Err(BredError::NoRun { id: id.to_owned(), run: run.to_owned(), example })
            }
        }
    }

    /// The experiment of its arm, or the experiment itself.
    pub fn variant(&self) -> Experiment {
        match self.place {
            Place::Whole => self.experiment.clone(),
            Place::Arm(arm) | Place::Run(arm, _) => arms(&self.experiment).swap_remove(arm),
        }
    }

    /// Its genome: the champion, the mean of a generation, or an individual.
    pub fn genome(&self, store: &Store) -> Result<Genome, BredError> {
        let genome = match self.moment {
            Some(Moment { generation, individual: None }) => self.generation_mean(store, generation)?,
            Some(Moment { generation, individual: Some(number) }) => {
                self.individual(store, generation, number)?
            }
            None => self.champion(store)?,
        };
        if genome.len() != self.variant().genes().len() || !genome.iter().all(|gene| gene.is_finite()) {
            // Arms with other weights than the file's own have no mean in its terms.
            return Err(self.study());
        }
        Ok(genome)
    }

    /// The last population of its only run.
    pub fn last_population(&self, store: &Store) -> Result<Vec<Genome>, BredError> {
        let run = self.single_run(store)?;
        let last = store.last_population(run.number)?;
        let population = last.ok_or_else(|| self.not_begun(run.path))?;
        Ok(population.into_iter().map(|one| one.genome).collect())
    }

    /// Whether it is one run, and so has a last population.
    pub fn is_single_run(&self) -> bool {
        match self.place {
            Place::Run(..) => true,
            Place::Whole => !self.experiment.is_study(),
            Place::Arm(_) => false,
        }
    }

    /// The champion of each of its runs, in their order.
    pub fn champions(&self, store: &Store) -> Result<Vec<Genome>, BredError> {
        let found = store.experiment(&self.id)?.conclusion()?;
        match found.filter(|_| self.experiment.is_study()) {
            Some(found) => Ok(champions(&found, self.place).cloned().collect()),
            None => Ok(vec![self.genome(store)?]),
        }
    }

    /// The champion, which of several runs is the mean of theirs.
    fn champion(&self, store: &Store) -> Result<Genome, BredError> {
        let found = store.experiment(&self.id)?.conclusion()?;
        let champion = found.and_then(|found| champion(&found, self.place));
        champion.ok_or_else(|| BredError::Unfinished { path: self.name.clone() })
    }

    /// An individual of a generation, from 1.
    fn individual(&self, store: &Store, generation: u32, number: usize) -> Result<Genome, BredError> {
        let run = self.single_run(store)?;
        let Some(last) = store.summaries(run.number)?.last().map(|last| last.number) else {
            return Err(self.not_begun(run.path));
        };
        let text = || self.name.clone();
        if generation > last {
            return Err(BredError::NoGeneration { text: text(), last });
        }
        let mut individuals = store.individuals(run.number, generation)?;
        let count = individuals.len();
        if number > count {
            return Err(BredError::NoIndividual { text: text(), count });
        }
        Ok(individuals.swap_remove(number - 1).genome)
    }

    /// The mean of those by whom a generation is judged, of several runs the mean of theirs.
    fn generation_mean(&self, store: &Store, number: u32) -> Result<Genome, BredError> {
        let experiment = &self.experiment;
        if self.place == Place::Whole && experiment.head.arms.len() > 1 {
            return Err(self.study());
        }
        let mut paths = Vec::new();
        for arm in 0..experiment.head.arms.len().max(1) {
            let replicates = 0..experiment.head.replicates;
            for replicate in replicates.filter(|&number| self.place.contains(arm, number)) {
                paths.push(match experiment.is_study() {
                    true => run_path(experiment, arm, replicate),
                    false => String::new(),
                });
            }
        }
        let rows = store.runs(&self.id)?;
        let mut means = Vec::new();
        for path in paths {
            let summaries = match rows.iter().find(|row| row.path == path) {
                Some(run) => store.summaries(run.number)?,
                None => Vec::new(),
            };
            match (summaries.iter().find(|summary| summary.number == number), summaries.last()) {
                (Some(found), _) => means.push(found.spread.iter().map(|spread| spread.mean).collect()),
                (None, Some(last)) => {
                    return Err(BredError::NoGeneration { text: self.name.clone(), last: last.number });
                }
                (None, None) => return Err(self.not_begun(path)),
            }
        }
        Ok(mean(&means).expect("a run at least"))
    }

    /// The row of its only run.
    fn single_run(&self, store: &Store) -> Result<RunRow, BredError> {
        let path = match self.place {
            Place::Run(arm, replicate) => run_path(&self.experiment, arm, replicate),
            Place::Whole if !self.experiment.is_study() => String::new(),
            Place::Whole | Place::Arm(_) => return Err(self.study()),
        };
        let run = store.runs(&self.id)?.into_iter().find(|run| run.path == path);
        run.ok_or_else(|| self.not_begun(path))
    }

    /// How one of its runs is named.
    pub fn example(&self) -> String {
        example(&self.experiment, &self.id)
    }

    fn study(&self) -> BredError {
        BredError::Study { id: self.id.clone(), example: self.example() }
    }

    fn not_begun(&self, run: String) -> BredError {
        BredError::NotBegun { text: self.name.clone(), run }
    }
}

/// Apart what is before and behind the @.
fn split_generation(text: &str) -> Result<(&str, Option<Moment>), BredError> {
    let Some((path, moment)) = text.rsplit_once('@') else { return Ok((text, None)) };
    let not_a_generation = || BredError::NotAGeneration { text: text.to_owned(), number: moment.to_owned() };
    let (generation, individual) = match moment.split_once('#') {
        None => (moment, None),
        Some((generation, individual)) => {
            let number = individual.parse().ok().filter(|&number| number > 0);
            (generation, Some(number.ok_or_else(not_a_generation)?))
        }
    };
    let generation = generation.parse().map_err(|_| not_a_generation())?;
    Ok((path, Some(Moment { generation, individual })))
}

/// A generation, or one of its individuals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Which generation, from 0.
    pub generation: u32,
    /// Which of its individuals, from 1.
    pub individual: Option<usize>,
}

impl Moment {
    /// The population at the start.
    pub const START: Self = Self { generation: 0, individual: None };
}

/// A part of an experiment that has a champion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// All of it.
    Whole,
    /// All runs of an arm, from 0.
    Arm(usize),
    /// A run: the arm and the replicate, from 0.
    Run(usize, u32),
}

impl Place {
    /// The run of this path, else the arm of this name.
    pub fn find(experiment: &Experiment, name: &str) -> Option<Self> {
        let arms = 0..experiment.head.arms.len().max(1);
        let mut runs =
            arms.flat_map(|arm| (0..experiment.head.replicates).map(move |replicate| (arm, replicate)));
        let run = runs.find(|&(arm, replicate)| run_path(experiment, arm, replicate) == name);
        let arm = || experiment.head.arms.iter().position(|arm| arm.name == name).map(Self::Arm);
        run.map(|(arm, replicate)| Self::Run(arm, replicate)).or_else(arm)
    }

    fn contains(self, arm: usize, replicate: u32) -> bool {
        match self {
            Self::Whole => true,
            Self::Arm(own) => own == arm,
            Self::Run(own, number) => (own, number) == (arm, replicate),
        }
    }
}

/// How a run of a study is named.
fn example(experiment: &Experiment, id: &str) -> String {
    format!("{id}/{}", run_path(experiment, 0, 0))
}

/// The champion of a part, which of several runs is the mean of theirs.
fn champion(found: &Conclusion, place: Place) -> Option<Genome> {
    if place == Place::Whole {
        return Some(found.champion.iter().map(|(_, value)| *value).collect());
    }
    mean(&champions(found, place).cloned().collect::<Vec<_>>())
}

/// The champions of the runs of a part.
fn champions(found: &Conclusion, place: Place) -> impl Iterator<Item = &Genome> {
    let is_own = move |one: &&RunChampion| place.contains(one.arm, one.replicate);
    found.champions.iter().filter(is_own).map(|one| &one.genome)
}

/// Gene by gene; nothing of nobody. A single genome stays as it is to the bit.
fn mean(genomes: &[Genome]) -> Option<Genome> {
    let count = genomes.len() as f64;
    let first = genomes.first()?;
    Some(
        (0..first.len()).map(|gene| genomes.iter().map(|genome| genome[gene]).sum::<f64>() / count).collect(),
    )
}
