use std::collections::BTreeMap;

use gamete_arena::{Adjudication, AtMaxMoves, GameName, Limits, ModelInfo, Noise, Player};
use gamete_engine::SearchSettings;
use gamete_game::{Kind, Parameter};
use gamete_optim::{Dimension, Gene, Space};
use serde::{Deserialize, Serialize};

use crate::concern::{cut_short_advice, is_cut_short};
use crate::experiment::{ExperimentError, unknown_key};
use crate::phenotype::Phenotype;

/// What the players of an experiment have in common: all but their genomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breed {
    /// The model whose weights are sought.
    pub model: String,
    /// The named settings of the search; where a file names none, those that fit the limits.
    pub preset: String,
    /// How much a player may think.
    pub limits: Limits,
    /// Full moves until a game is given up.
    pub max_moves: u32,
    /// What becomes of it then.
    pub at_max_moves: AtMaxMoves,
    /// Whether the third repetition and the forty-move rule end games; in checkers they need not.
    pub draw_rules: bool,
    /// Half the width of the noise on each evaluation, in men; not in chess.
    pub noise: f64,
    /// Whether evaluations are squashed by tanh; not in chess.
    pub tanh: bool,
    /// Settings of the search that differ from the preset's, or ranges of those that are sought.
    pub search: BTreeMap<String, toml::Value>,
    /// What may become of each weight, and under [`REST`] of those that are not named.
    pub weights: BTreeMap<String, Gene>,
}

/// In a file, the weights that have no line of their own.
pub(crate) const REST: &str = "*";

/// What names of settings of the search begin with among the genes of an experiment.
pub(crate) const SEARCH: &str = "search.";

/// What lists the settings of the search.
const SETTING_LISTER: &str = "`echo uci | gamete uci`";

/// The dimension of a setting of the search that has a range.
fn search_dimension(name: &str, value: &toml::Value) -> Result<Option<Dimension>, ExperimentError> {
    let path = format!("{SEARCH}{name}");
    let Some(setting) = SearchSettings::setting(name) else {
        let known = SearchSettings::SETTINGS.iter().map(|setting| setting.parameter.name);
        return Err(unknown_key(SEARCH, name, known, SETTING_LISTER));
    };
    let Some(range) = value.as_array() else { return Ok(None) };
    let parameter = &setting.parameter;
    let number = |value: &toml::Value| match value {
        toml::Value::Boolean(flag) if parameter.kind == Kind::Flag => Some(f64::from(u8::from(*flag))),
        toml::Value::Integer(number) => Some(*number as f64),
        toml::Value::Float(number) => Some(*number),
        _ => None,
    };
    let ends: Option<Vec<f64>> = range.iter().map(number).collect();
    match ends.as_deref() {
        Some(&[min, max]) if parameter.takes(min) && parameter.takes(max) && min <= max => {
            Ok(Some(Dimension {
                parameter: parameter.named(path),
                gene: Gene::Free([min, max]),
                is_bounded: true,
                rate: None,
            }))
        }
        Some(&[min, max]) if parameter.takes(min) && parameter.takes(max) => {
            let reason = format!("{value}: the smaller number comes first, as in [{max}, {min}]");
            Err(ExperimentError::value(&path, reason))
        }
        _ => {
            let range = format!("[{}, {}]", parameter.min, parameter.max);
            let reason =
                format!("{value}: give {}, or a range of such values, at most {range}", parameter.wanted());
            Err(ExperimentError::value(&path, reason))
        }
    }
}

/// Where the value of a weight comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightSource {
    /// It evolves: a gene, by its number.
    Evolved(usize),
    /// It is pinned to this value.
    Pinned(f64),
}

impl WeightSource {
    /// Its value in a genome.
    pub fn value(self, genome: impl Fn(usize) -> f64) -> f64 {
        match self {
            Self::Evolved(gene) => genome(gene),
            Self::Pinned(value) => value,
        }
    }
}

impl Default for Breed {
    fn default() -> Self {
        Self {
            model: "chess/kendall-whitwell".to_owned(),
            preset: String::new(),
            limits: Limits { depth: Some(2), ..Limits::default() },
            max_moves: 200,
            at_max_moves: AtMaxMoves::Draw,
            draw_rules: true,
            noise: 0.0,
            tanh: false,
            search: BTreeMap::new(),
            weights: BTreeMap::new(),
        }
    }
}

impl Breed {
    /// The settings of the search that fit limits where nothing else is said: those of the paper go straight to a depth,
    /// and have nothing to play when nodes or the time are up before.
    pub(crate) fn fitting_preset(limits: &Limits) -> &'static str {
        let only_depth = Limits { depth: limits.depth, ..Limits::default() };
        if *limits == only_depth { "paper" } else { "full" }
    }

    /// Names the search where the file does not, says what becomes of every weight, and checks the rest.
    pub(crate) fn complete(&mut self) -> Result<(), ExperimentError> {
        if self.preset.is_empty() {
            Self::fitting_preset(&self.limits).clone_into(&mut self.preset);
        }
        self.complete_weights()?;
        self.space()?;
        self.template()?;
        if !self.draw_rules && !self.game().can_forget_past() {
            return Err(ExperimentError::value(
                "draw_rules",
                format!("false: {} is not played without them", self.game()),
            ));
        }
        if self.limits.is_unlimited() {
            return Err(ExperimentError::value("limits", "give a limit, as in limits = \"depth=2\""));
        }
        Ok(())
    }

    /// Weights that are not named keep their defaults where others, or settings of the search, have ranges, unless [`REST`] says what becomes of them.
    /// Where none has a range, all but those that are kept evolve in the ranges of their model.
    fn complete_weights(&mut self) -> Result<(), ExperimentError> {
        let model = ModelInfo::find(&self.model).map_err(|error| ExperimentError::value("model", error))?;
        let rest = self.weights.remove(REST);
        if let Some(unknown) = self.weights.keys().find(|name| model.weight(name).is_none()) {
            let known = model.weights.iter().map(|weight| weight.name);
            let lister = format!("`gamete models {}`", self.model);
            return Err(unknown_key("weights.", unknown, known, &lister));
        }
        let is_choice =
            self.weights.values().any(|gene| matches!(gene, Gene::Free(_))) || self.seeks_search();
        let mut is_rest = false;
        for weight in model.weights {
            self.weights.entry(weight.name.to_owned()).or_insert_with(|| {
                is_rest = true;
                match rest {
                    Some(gene) => gene,
                    None if is_choice => Gene::Pinned(weight.default),
                    None => Gene::Free([weight.min, weight.max]),
                }
            });
        }
        if rest.is_some() && !is_rest {
            let reason = "every weight has a line of its own, so that there is nothing left for \"*\"";
            return Err(ExperimentError::value("weights.\"*\"", reason));
        }
        Ok(())
    }

    /// What makes its games say nothing, before any is played.
    pub(crate) fn warning(&self, limits: &Limits) -> Option<String> {
        let search = self.template().ok()?.search;
        is_cut_short(&search, limits).then(|| {
            format!("preset = \"{}\": moves will be nearly random; {}", self.preset, cut_short_advice(limits))
        })
    }

    /// What is sought: weights in the order of the model, which begin in their ranges and go where they like, then settings
    /// of the search, which stay in theirs.
    pub fn space(&self) -> Result<Space, ExperimentError> {
        let mut dimensions: Vec<Dimension> = self
            .model()
            .weights
            .iter()
            .map(|weight| Dimension {
                parameter: Parameter { kind: Kind::Real, ..*weight }.named(weight.name.to_owned()),
                gene: self.weights[weight.name],
                is_bounded: false,
                rate: None,
            })
            .collect();
        for (name, value) in &self.search {
            dimensions.extend(search_dimension(name, value)?);
        }
        Space::new(dimensions).map_err(|error| ExperimentError::of_space("weights", error))
    }

    /// Refuses weights that no score could be computed with.
    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        self.space()?.check_size().map_err(|error| ExperimentError::of_space("weights", error))
    }

    /// The model.
    ///
    /// # Panics
    ///
    /// When the experiment was not checked.
    pub fn model(&self) -> &'static ModelInfo {
        ModelInfo::find(&self.model).expect("a model, as the experiment was checked")
    }

    /// Refuses settings of the search that are sought, for those who compare with experts.
    pub(crate) fn check_no_search(&self) -> Result<(), ExperimentError> {
        match self.search.iter().find(|(_, value)| value.is_array()) {
            None => Ok(()),
            Some((name, value)) => {
                let reason =
                    format!("{value}: positions are evaluated without a search; give weights ranges");
                Err(ExperimentError::value(&format!("{SEARCH}{name}"), reason))
            }
        }
    }

    /// Whether settings of the search are sought.
    pub(crate) fn seeks_search(&self) -> bool {
        self.search.values().any(toml::Value::is_array)
    }

    /// The name of the weight that others are measured by: that of a pawn, in the opening where there are phases.
    pub(crate) fn pawn_name(&self) -> Option<&'static str> {
        let names = ["pawn", "pawn_value", "pawn_opening"];
        names.into_iter().find(|name| self.model().weight(name).is_some())
    }

    /// Where the value of a weight comes from, if there is such a weight.
    pub fn source(&self, name: &str) -> Option<WeightSource> {
        match self.weights.get(name)? {
            Gene::Pinned(value) => Some(WeightSource::Pinned(*value)),
            Gene::Free(_) => {
                self.space().ok()?.names().iter().position(|gene| gene == name).map(WeightSource::Evolved)
            }
        }
    }

    /// Where the value of the pawn comes from, if there is one.
    pub fn pawn(&self) -> Option<WeightSource> {
        self.source(self.pawn_name()?)
    }

    /// The game that is played.
    pub fn game(&self) -> GameName {
        self.model().game
    }

    /// When its games are decided before their end.
    pub fn adjudication(&self) -> Adjudication {
        Adjudication {
            max_moves: Some(self.max_moves),
            at_max_moves: self.at_max_moves,
            endless: !self.draw_rules,
            ..Adjudication::default()
        }
    }

    /// A player with the default weights of the model.
    pub(crate) fn template(&self) -> Result<Player, ExperimentError> {
        let mut player = Player::new(self.model());
        player.name.clear();
        player.set_preset(&self.preset).map_err(|error| ExperimentError::value("preset", error))?;
        for (name, value) in self.search.iter().filter(|(_, value)| !value.is_array()) {
            let key = format!("{SEARCH}{name}");
            player.set_search_value(name, value).map_err(|error| ExperimentError::value(&key, error))?;
        }
        if self.noise != 0.0 || self.tanh {
            let noise = Noise { amplitude: self.noise, tanh: self.tanh };
            player.set_noise(noise).map_err(|error| ExperimentError::value("noise, tanh", error))?;
        }
        Ok(player)
    }

    /// What it says of players, for the head of a report.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let changes = self.search.iter().map(|(key, value)| format!(", {key} = {value}"));
        vec![
            ("model", self.model.clone()),
            ("search", self.preset.clone() + &changes.collect::<String>()),
            ("limits", self.limits.to_string()),
            ("move cap", self.max_moves.to_string()),
        ]
    }

    /// The player of a genome.
    pub fn player(&self, name: &str, genome: &[f64]) -> Player {
        Phenotype::new(self).player(name, genome)
    }
}
