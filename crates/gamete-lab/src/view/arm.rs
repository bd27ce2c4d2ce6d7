use std::collections::BTreeMap;

use gamete_arena::GameName;
use gamete_optim::Genome;
use serde::Serialize;
use toml::{Table, Value};

use crate::breed::{Breed, WeightSource};
use crate::experiment::Experiment;
use crate::generation::Generation;
use crate::measure::Reading;

/// A variant of an experiment, or the experiment itself where it has none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArmView {
    /// What to call it; empty for the experiment itself.
    pub name: String,
    /// How it is done.
    pub method: String,
    /// The names of its genes.
    pub genes: Vec<String>,
    /// What its players have in common; nothing where genomes are no players.
    pub players: Option<PlayersView>,
    /// What the champion of a run is, in words.
    pub answer: String,
    /// Who of a population is left out of means and deviations, as a part of a sentence.
    pub judged: String,
    /// How many games a generation has on average, where luck decides.
    pub expected_games: Option<f64>,
    /// The keys of its file that are numbers, as in `budget.games`; those of an experiment inside begin with `inner.`.
    pub numbers: BTreeMap<String, f64>,
    /// Its replicates, as far as they have a generation.
    pub runs: Vec<RunView>,
}

/// What the players of an experiment have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayersView {
    /// The game.
    pub game: GameName,
    /// Whose weights are sought.
    pub model: String,
    /// The weight that the values of others are measured by, if there is one and nothing but weights is sought.
    pub pawn: Option<String>,
    /// All weights of the model, in its order.
    pub weights: Vec<WeightView>,
}

/// A weight of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightView {
    /// Its name.
    pub name: String,
    /// What it multiplies.
    pub about: String,
    /// Its value without evolution.
    pub classical: f64,
    /// Where its value comes from.
    pub source: WeightSource,
}

/// One run, from the population at the start.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunView {
    /// Where it belongs: `s=0.5/2` is the second replicate of an arm; empty for an experiment of one run.
    pub path: String,
    /// Which replicate, from 1.
    pub replicate: u32,
    /// What happened, generation by generation, at least one.
    pub generations: Vec<Generation>,
    /// The answer, or what it would be now, whole numbers being whole.
    pub champion: Genome,
    /// What it was ranked by, where the method ranks.
    pub fitness: Option<f64>,
    /// The same as people read it.
    pub reading: Option<Reading>,
    /// Its number in the store.
    #[serde(skip)]
    pub(super) number: i64,
}

impl ArmView {
    /// An arm without runs.
    pub fn new(name: &str, experiment: &Experiment) -> Self {
        let method = &experiment.method;
        let mut numbers = BTreeMap::new();
        add_numbers("", &experiment.table(), &mut numbers);
        if let Some(inner) = method.inner() {
            add_numbers("inner.", &inner.table(), &mut numbers);
        }
        Self {
            name: name.to_owned(),
            method: experiment.head.method.clone(),
            genes: experiment.genes(),
            players: method.breed().map(PlayersView::new),
            answer: method.answer().text.to_owned(),
            judged: method.judged().to_owned(),
            expected_games: method.expected_games(),
            numbers,
            runs: Vec::new(),
        }
    }
}

impl PlayersView {
    pub(super) fn new(breed: &Breed) -> Self {
        let model = breed.model();
        let weights = model.weights.iter().filter_map(|weight| {
            Some(WeightView {
                name: weight.name.to_owned(),
                about: weight.about.to_owned(),
                classical: weight.default,
                source: breed.source(weight.name)?,
            })
        });
        Self {
            game: model.game,
            model: model.name.to_owned(),
            pawn: breed.pawn_name().filter(|_| !breed.seeks_search()).map(str::to_owned),
            weights: weights.collect(),
        }
    }

    /// A weight by its name.
    pub fn weight(&self, name: &str) -> Option<&WeightView> {
        self.weights.iter().find(|weight| weight.name == name)
    }

    /// Where the value of the pawn comes from, if there is one.
    pub fn pawn_source(&self) -> Option<WeightSource> {
        self.weight(self.pawn.as_deref()?).map(|pawn| pawn.source)
    }
}

impl RunView {
    /// Its number in the store, by which generations are asked for.
    pub fn number(&self) -> i64 {
        self.number
    }

    /// The last generation.
    pub fn last(&self) -> &Generation {
        &self.generations[self.generations.len() - 1]
    }
}

fn add_numbers(place: &str, table: &Table, numbers: &mut BTreeMap<String, f64>) {
    for (key, value) in table {
        let key = format!("{place}{key}");
        match value {
            Value::Table(table) => add_numbers(&format!("{key}."), table, numbers),
            Value::Integer(number) => drop(numbers.insert(key, *number as f64)),
            Value::Float(number) => drop(numbers.insert(key, *number)),
            _ => {}
        }
    }
}
