use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use gamete_engine::SearchSettings;
use gamete_game::Kind;
use serde::{Deserialize, Serialize};

use crate::nearest::suggest;
use crate::task::KeyWriter;
use crate::{GameName, ModelInfo, UnknownModel};

/// A model with its weights, and a search with its settings.
///
/// As a file it is TOML, in which everything but the model may be left out:
///
/// ```
/// # use gamete_arena::Player;
/// let player: Player = r#"
///     model = "chess/material"
///     preset = "full"
///     weights = { knight = 3100, bishop = 3300 }
///     search = { null_move = false, futility_depth = 2 }
/// "#
/// .parse()?;
/// assert_eq!(player.weight("knight"), Some(3100.0));
/// # Ok::<(), gamete_arena::PlayerError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Player {
    /// What to call it.
    pub name: String,
    model: &'static ModelInfo,
    weights: Vec<f64>,
    /// How it searches.
    pub search: SearchSettings,
    /// Noise in its evaluation, in checkers.
    pub noise: Option<Noise>,
}

/// The noise of Hughes's checkers players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Half its width, in men.
    pub amplitude: f64,
    /// Whether scores are squashed by tanh.
    pub tanh: bool,
}

/// Why a player cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// The file cannot be read.
    #[error("cannot be read")]
    Io(#[from] std::io::Error),
    /// The text is not TOML, or not a player's.
    #[error("line {line}: {message}")]
    Toml {
        /// Where, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// A setting that is neither a number nor true or false.
    #[error("search setting {0} must be a number, true or false")]
    Setting(String),
    /// There is no such model.
    #[error(transparent)]
    Model(#[from] UnknownModel),
    /// There is no such weight, setting or preset.
    #[error("unknown {what} {name:?}{hint}")]
    Unknown {
        /// Weight, search setting or preset.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What was probably meant.
        hint: String,
    },
    /// A number that the weight or setting cannot be.
    #[error("{name} is {value}, but must be {wanted}")]
    Value {
        /// Which weight or setting.
        name: String,
        /// The number.
        value: f64,
        /// What it may be.
        wanted: String,
    },
    /// Players of this game have no noise.
    #[error("players of {0} have no noise")]
    NoNoise(GameName),
    /// Neither a file nor a model.
    #[error("{0:?} is neither a player file nor a model; `gamete models` lists the models")]
    Neither(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerFile {
    name: Option<String>,
    model: String,
    preset: Option<String>,
    #[serde(default)]
    weights: BTreeMap<String, f64>,
    #[serde(default)]
    search: BTreeMap<String, toml::Value>,
    noise: Option<f64>,
    #[serde(default)]
    tanh: bool,
}

impl Player {
    /// A model with its default weights and the strongest search.
    pub fn new(model: &'static ModelInfo) -> Self {
        let weights = model.weights.iter().map(|weight| weight.default).collect();
        Self { name: model.name.to_owned(), model, weights, search: SearchSettings::full(), noise: None }
    }

    /// The player of a file, or the default player of a model.
    ///
    /// # Errors
    ///
    /// When `text` is neither, or the file is not a player's.
    pub fn load(text: &str) -> Result<Self, PlayerError> {
        if let Ok(model) = ModelInfo::find(text) {
            return Ok(Self::new(model));
        }
        let path = Path::new(text);
        if !path.exists() {
            // What looks like a model is a misspelt one rather than a missing file.
            let looks_like_model = GameName::ALL.iter().any(|game| text.starts_with(game.as_str()));
            return Err(match ModelInfo::find(text) {
                Err(unknown) if looks_like_model && !text.ends_with(".toml") => unknown.into(),
                _ => PlayerError::Neither(text.to_owned()),
            });
        }
        let mut player: Self = std::fs::read_to_string(path)?.parse()?;
        if player.name.is_empty() {
            player.name =
                path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        }
        Ok(player)
    }

    /// Writes all that decides how it plays.
    pub(crate) fn write_key(&self, key: &mut KeyWriter<'_>) {
        let Self { name: _, model, weights, search, noise } = self;
        key.text("model", model.name);
        key.reals("weights", weights);
        key.search(search);
        if let Some(Noise { amplitude, tanh }) = *noise {
            key.reals("noise", &[amplitude]);
            key.number("tanh", tanh.into());
        }
    }

    /// The model.
    pub fn model(&self) -> &'static ModelInfo {
        self.model
    }

    /// The weights of the model, in its order.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// A weight by its name.
    pub fn weight(&self, name: &str) -> Option<f64> {
        self.model.weight(name).map(|index| self.weights[index])
    }

    /// Changes a weight.
    ///
    /// # Errors
    ///
    /// When there is no such weight, or it cannot have this value.
    pub fn set_weight(&mut self, name: &str, value: f64) -> Result<(), PlayerError> {
        let index = self.weight_index(name)?;
        let weight = &self.model.weights[index];
        if !weight.takes(value) {
            return Err(PlayerError::Value { name: name.to_owned(), value, wanted: weight.wanted() });
        }
        self.weights[index] = value;
        Ok(())
    }

    fn weight_index(&self, name: &str) -> Result<usize, PlayerError> {
        self.model.weight(name).ok_or_else(|| {
            let known = self.model.weights.iter().map(|weight| weight.name);
            unknown("weight", name, known)
        })
    }

    /// Gives the player the weights of an experiment, in the order of the model, whatever their range.
    ///
    /// # Panics
    ///
    /// When their number is not that of the model's weights.
    pub fn set_weights(&mut self, weights: &[f64]) {
        self.weights.copy_from_slice(weights);
    }

    /// Changes a setting of the search; flags are 0 or 1.
    ///
    /// # Errors
    ///
    /// When there is no such setting, or it cannot have this value.
    pub fn set_search(&mut self, name: &str, value: f64) -> Result<(), PlayerError> {
        let setting = SearchSettings::setting(name).ok_or_else(|| {
            let known = SearchSettings::SETTINGS.iter().map(|setting| setting.parameter.name);
            unknown("search setting", name, known)
        })?;
        if !setting.set(&mut self.search, value) {
            let wanted = setting.parameter.wanted();
            return Err(PlayerError::Value { name: name.to_owned(), value, wanted });
        }
        Ok(())
    }

    /// Changes a setting of the search to a value of a file.
    ///
    /// # Errors
    ///
    /// When there is no such setting, or it cannot have this value.
    pub fn set_search_value(&mut self, name: &str, value: &toml::Value) -> Result<(), PlayerError> {
        let number = match *value {
            toml::Value::Boolean(flag) => f64::from(u8::from(flag)),
            toml::Value::Integer(number) => number as f64,
            toml::Value::Float(number) => number,
            _ => return Err(PlayerError::Setting(name.to_owned())),
        };
        self.set_search(name, number)
    }

    /// Gives the player noise, in checkers.
    ///
    /// # Errors
    ///
    /// When players of the game have none, or the noise is out of range.
    pub fn set_noise(&mut self, noise: Noise) -> Result<(), PlayerError> {
        if !self.model.game.has_noise() {
            return Err(PlayerError::NoNoise(self.model.game));
        }
        if !(0.0..=10.0).contains(&noise.amplitude) {
            let (name, wanted) = ("noise".to_owned(), "a number from 0 to 10".to_owned());
            return Err(PlayerError::Value { name, value: noise.amplitude, wanted });
        }
        self.noise = Some(noise);
        Ok(())
    }

    /// Goes over to one of the [`SearchSettings::PRESETS`].
    ///
    /// # Errors
    ///
    /// When there is no such preset.
    pub fn set_preset(&mut self, name: &str) -> Result<(), PlayerError> {
        let known = SearchSettings::PRESETS.iter().copied();
        self.search = SearchSettings::preset(name).ok_or_else(|| unknown("preset", name, known))?;
        Ok(())
    }
}

fn unknown(what: &'static str, name: &str, known: impl IntoIterator<Item = &'static str>) -> PlayerError {
    PlayerError::Unknown { what, name: name.to_owned(), hint: suggest(name, known) }
}

impl FromStr for Player {
    type Err = PlayerError;

    fn from_str(text: &str) -> Result<Self, PlayerError> {
        let file: PlayerFile = toml::from_str(text).map_err(|error| {
            let before = error.span().map_or(0, |span| span.start).min(text.len());
            let line = 1 + text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count();
            PlayerError::Toml { line, message: error.message().to_owned() }
        })?;
        let mut player = Self::new(ModelInfo::find(&file.model)?);
        player.name = file.name.unwrap_or_default();
        if let Some(preset) = &file.preset {
            player.set_preset(preset)?;
        }
        for (name, &value) in &file.weights {
            let index = player.weight_index(name)?;
            // Evolution does not stay in ranges, nor with whole numbers.
            if !value.is_finite() {
                let wanted = "a finite number".to_owned();
                return Err(PlayerError::Value { name: name.clone(), value, wanted });
            }
            player.weights[index] = value;
        }
        for (name, setting) in &file.search {
            player.set_search_value(name, setting)?;
        }
        if file.noise.is_some() || file.tanh {
            player.set_noise(Noise { amplitude: file.noise.unwrap_or(0.0), tanh: file.tanh })?;
        }
        Ok(player)
    }
}

impl TryFrom<String> for Player {
    type Error = PlayerError;

    fn try_from(text: String) -> Result<Self, PlayerError> {
        text.parse()
    }
}

impl From<Player> for String {
    fn from(player: Player) -> Self {
        player.to_string()
    }
}

/// The file that reads back as this player.
impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            writeln!(f, "name = {}", toml::Value::from(self.name.as_str()))?;
        }
        writeln!(f, "model = \"{}\"", self.model.name)?;
        let preset = SearchSettings::PRESETS
            .iter()
            .find(|name| SearchSettings::preset(name).is_some_and(|preset| preset == self.search));
        writeln!(f, "preset = \"{}\"", preset.unwrap_or(&"full"))?;
        if let Some(noise) = self.noise {
            writeln!(f, "noise = {:?}\ntanh = {}", noise.amplitude, noise.tanh)?;
        }
        writeln!(f, "\n[weights]")?;
        for (weight, value) in self.model.weights.iter().zip(&self.weights) {
            writeln!(f, "{} = {value}", weight.name)?;
        }
        if preset.is_none() {
            writeln!(f, "\n[search]")?;
            let full = SearchSettings::full();
            for setting in SearchSettings::SETTINGS {
                let value = setting.get(&self.search);
                if value != setting.get(&full) {
                    let name = setting.parameter.name;
                    match setting.parameter.kind {
                        Kind::Flag => writeln!(f, "{name} = {}", value != 0)?,
                        Kind::Integer | Kind::Real => writeln!(f, "{name} = {value}")?,
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<Player>().expect_err("a bad player").to_string()
    }

    #[test]
    fn a_player_survives_being_written() {
        for model in ModelInfo::all() {
            let mut player = Player::new(model);
            assert_eq!(player.to_string().parse::<Player>().expect("our own file"), player);
            player.set_search("null_move", 0.0).expect("a setting");
            player.set_search("aspiration", 33.0).expect("a setting");
            player.noise = model.game.has_noise().then_some(Noise { amplitude: 0.05, tanh: true });
            assert_eq!(player.to_string().parse::<Player>().expect("our own file"), player);
            player.set_preset("paper").expect("a preset");
            assert_eq!(player.to_string().parse::<Player>().expect("our own file"), player);
        }
    }

    #[test]
    fn says_what_was_probably_meant() {
        assert_eq!(
            error("model = 'chess/clasic'"),
            "unknown model \"chess/clasic\"; did you mean \"chess/classic\"?"
        );
        assert_eq!(
            error("model = 'chess/material'\nweights = { knigth = 3 }"),
            "unknown weight \"knigth\"; did you mean \"knight\"?"
        );
        assert_eq!(
            error("model = 'chess/material'\nsearch = { nul_move = true }"),
            "unknown search setting \"nul_move\"; did you mean \"null_move\"?"
        );
        assert_eq!(
            error("model = 'chess/material'\npreset = 'ful'"),
            "unknown preset \"ful\"; did you mean \"full\"?"
        );
    }

    #[test]
    fn refuses_numbers_that_cannot_be() {
        let weights =
            |value: &str| error(&format!("model = 'chess/material'\nweights = {{ pawn = {value} }}"));
        assert_eq!(weights("nan"), "pawn is NaN, but must be a finite number");
        assert_eq!(weights("-inf"), "pawn is -inf, but must be a finite number");
        let set = |value| Player::load("chess/material").unwrap().set_weight("pawn", value).unwrap_err();
        assert_eq!(set(30000.0).to_string(), "pawn is 30000, but must be a whole number from 1 to 20000");
        assert_eq!(set(1.5).to_string(), "pawn is 1.5, but must be a whole number from 1 to 20000");
        assert_eq!(
            error("model = 'chess/material'\nsearch = { null_move_reduction = 9 }"),
            "null_move_reduction is 9, but must be a whole number from 0 to 7"
        );
        assert_eq!(
            error("model = 'chess/material'\nsearch = { null_move = 'four' }"),
            "search setting null_move must be a number, true or false"
        );
        assert!(error("model = 'chess/material'\nweigths = {}").starts_with("line 2: unknown field"));
        assert_eq!(error("model = 'chess/material'\nnoise = 0.1"), "players of chess have no noise");
    }
}
