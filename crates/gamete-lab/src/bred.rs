//! Players that experiments have bred, by their names.

use gamete_arena::{Limits, ModelInfo, Player};
use gamete_optim::Genome;

use crate::breed::Breed;
use crate::experiment::Experiment;
use crate::run::Conclusion;
use crate::store::{Store, StoreError};
use crate::stored::Damaged;
use crate::study::{arms, run_path};

/// A player bred in the lab, and how it was bred to play.
#[derive(Debug, Clone)]
pub struct Bred {
    /// The player.
    pub player: Player,
    /// What the experiment let its players think.
    pub limits: Limits,
    /// What all players of the experiment have in common.
    pub breed: Breed,
}

/// Why there is no such player.
#[derive(Debug, thiserror::Error)]
pub enum BredError {
    /// The lab cannot be read, or has no such experiment.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What is stored makes no sense.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// Behind the @ is no number.
    #[error("{text}: {number:?} is no generation, nor an individual of one as in 3#1")]
    NotAGeneration {
        /// What was asked for.
        text: String,
        /// What is behind the @.
        number: String,
    },
    /// It breeds no players.
    #[error("{id}: what it breeds are settings of another experiment, not players")]
    Settings {
        /// The experiment.
        id: String,
    },
    /// A run of an experiment that has no runs to choose from.
    #[error("{id} has one run only; leave out {run:?}")]
    OneRun {
        /// The experiment.
        id: String,
        /// What was asked for.
        run: String,
    },
    /// There is no such arm or run.
    #[error("{id} has no arm or run {run:?}; name one as in {example}")]
    NoRun {
        /// The experiment.
        id: String,
        /// What was asked for.
        run: String,
        /// The first run there is.
        example: String,
    },
    /// Its arms have no generation in common.
    #[error("{id} is a study; name one of its runs, as in {example}, or an arm for the mean of its runs")]
    Study {
        /// The experiment.
        id: String,
        /// The first run there is.
        example: String,
    },
    /// It has no champion yet.
    #[error("{path} is not finished; name a generation, as in {path}@0")]
    Unfinished {
        /// What was asked for.
        path: String,
    },
    /// It has no generations.
    #[error("{text}: run {run:?} has no generations yet")]
    NotBegun {
        /// What was asked for.
        text: String,
        /// The run.
        run: String,
    },
    /// There are not so many in the generation.
    #[error("{text}: the generation has {count} individuals, which are numbered from 1")]
    NoIndividual {
        /// What was asked for.
        text: String,
        /// How many there are.
        count: usize,
    },
    /// It has not come so far.
    #[error("{text}: the last generation is {last}")]
    NoGeneration {
        /// What was asked for.
        text: String,
        /// The last one there is.
        last: u32,
    },
}

impl Bred {
    /// The champion of an experiment, of an arm or of a run of a study, the mean player of a generation, or one of its
    /// individuals: `ID`, `ID@0` for the initial population, `ID@3#1` for the first individual of generation 3, `ID/s=0.5/2`
    /// for a run, `ID/s=0.5` for the mean of the champions of an arm, and both with a generation.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, arm, run, generation or individual, or it is not finished, or no player.
    pub fn find(store: &Store, text: &str) -> Result<Self, BredError> {
        let (head, run) = text.split_once('/').unwrap_or((text, ""));
        let (id, generation) = if run.is_empty() { split_generation(head)? } else { (head, None) };
        let experiment = store.experiment(id)?.experiment()?;
        if run.is_empty() {
            return Self::of(store, id, &experiment, Place::Whole, generation, text);
        }
        if !experiment.is_study() {
            return Err(BredError::OneRun { id: id.to_owned(), run: run.to_owned() });
        }
        // An arm may have an @ in its name.
        let (place, generation) = match (Place::find(&experiment, run), split_generation(run)) {
            (Some(place), _) => (Some(place), None),
            (None, Ok((run, generation))) => (Place::find(&experiment, run), generation),
            (None, Err(_)) => (None, None),
        };
        let place = place.ok_or_else(|| BredError::NoRun {
            id: id.to_owned(),
            run: run.to_owned(),
            example: example(&experiment, id),
        })?;
        Self::of(store, id, &experiment, place, generation, text)
    }

    /// The champion of a part of an experiment or the mean player of one of its generations, called `name`.
    pub(crate) fn of(
        store: &Store,
        id: &str,
        experiment: &Experiment,
        place: Place,
        generation: Option<Moment>,
        name: &str,
    ) -> Result<Self, BredError> {
        let variant = match place {
            Place::Whole => experiment.clone(),
            Place::Arm(arm) | Place::Run(arm, _) => arms(experiment).swap_remove(arm),
        };
        let Some(breed) = variant.method.breed() else {
            return Err(BredError::Settings { id: id.to_owned() });
        };
        let genome = match generation {
            Some(Moment { generation, individual: None }) => {
                generation_mean(store, name, id, experiment, place, generation)?
            }
            Some(Moment { generation, individual: Some(number) }) => {
                individual(store, name, id, experiment, place, generation, number)?
            }
            None => {
                let found = store.experiment(id)?.conclusion()?;
                let champion = found.and_then(|found| champion(&found, place));
                champion.ok_or_else(|| BredError::Unfinished { path: name.to_owned() })?
            }
        };
        if genome.len() != variant.genes().len() || !genome.iter().all(|gene| gene.is_finite()) {
            // Arms with other weights than the file's own have no mean in its terms.
            return Err(BredError::Study { id: id.to_owned(), example: example(experiment, id) });
        }
        Ok(Self { player: breed.player(name, &genome), limits: breed.limits, breed: breed.clone() })
    }

    /// A player with the weights that a model has without evolution, which thinks as this one does.
    pub fn classical(&self, model: &'static ModelInfo) -> Player {
        let mut player = Player::new(model);
        player.search = self.player.search.clone();
        player.noise = self.player.noise.filter(|_| model.game == self.breed.game());
        player
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
    fn find(experiment: &Experiment, name: &str) -> Option<Self> {
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
    let own = found.champions.iter().filter(|one| place.contains(one.arm, one.replicate));
    mean(&own.map(|one| one.genome.clone()).collect::<Vec<_>>())
}

/// An individual of a generation of a run, from 1.
fn individual(
    store: &Store,
    text: &str,
    id: &str,
    experiment: &Experiment,
    place: Place,
    generation: u32,
    number: usize,
) -> Result<Genome, BredError> {
    let path = match place {
        Place::Run(arm, replicate) => run_path(experiment, arm, replicate),
        Place::Whole if !experiment.is_study() => String::new(),
        Place::Whole | Place::Arm(_) => {
            return Err(BredError::Study { id: id.to_owned(), example: example(experiment, id) });
        }
    };
    let text = text.to_owned();
    let Some(run) = store.runs(id)?.into_iter().find(|run| run.path == path) else {
        return Err(BredError::NotBegun { text, run: path });
    };
    let Some(last) = store.summaries(run.number)?.last().map(|last| last.number) else {
        return Err(BredError::NotBegun { text, run: path });
    };
    if generation > last {
        return Err(BredError::NoGeneration { text, last });
    }
    let mut individuals = store.individuals(run.number, generation)?;
    let count = individuals.len();
    if number > count {
        return Err(BredError::NoIndividual { text, count });
    }
    Ok(individuals.swap_remove(number - 1).genome)
}

/// The mean of those by whom a generation is judged, of several runs the mean of theirs.
fn generation_mean(
    store: &Store,
    text: &str,
    id: &str,
    experiment: &Experiment,
    place: Place,
    number: u32,
) -> Result<Genome, BredError> {
    if place == Place::Whole && experiment.head.arms.len() > 1 {
        return Err(BredError::Study { id: id.to_owned(), example: example(experiment, id) });
    }
    let mut paths = Vec::new();
    for arm in 0..experiment.head.arms.len().max(1) {
        for replicate in (0..experiment.head.replicates).filter(|&number| place.contains(arm, number)) {
            paths.push(match experiment.is_study() {
                true => run_path(experiment, arm, replicate),
                false => String::new(),
            });
        }
    }
    let rows = store.runs(id)?;
    let mut means = Vec::new();
    for path in paths {
        let summaries = match rows.iter().find(|row| row.path == path) {
            Some(run) => store.summaries(run.number)?,
            None => Vec::new(),
        };
        match (summaries.iter().find(|summary| summary.number == number), summaries.last()) {
            (Some(found), _) => means.push(found.spread.iter().map(|spread| spread.mean).collect()),
            (None, Some(last)) => {
                return Err(BredError::NoGeneration { text: text.to_owned(), last: last.number });
            }
            (None, None) => return Err(BredError::NotBegun { text: text.to_owned(), run: path }),
        }
    }
    Ok(mean(&means).expect("a run at least"))
}

/// Gene by gene; nothing of nobody. A single genome stays as it is to the bit.
fn mean(genomes: &[Genome]) -> Option<Genome> {
    let count = genomes.len() as f64;
    let first = genomes.first()?;
    Some(
        (0..first.len()).map(|gene| genomes.iter().map(|genome| genome[gene]).sum::<f64>() / count).collect(),
    )
}
