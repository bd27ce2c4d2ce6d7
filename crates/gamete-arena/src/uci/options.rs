use std::io::{self, Write};
use std::time::Duration;

use gamete_chess::Position;
use gamete_engine::SearchSettings;
use gamete_game::{Kind, Parameter};

use crate::nearest::suggest;
use crate::{ModelInfo, Playable, Player};

/// What a graphical interface or a tuner can set.
#[derive(Debug, Clone)]
pub struct Options {
    /// Megabytes of transposition table.
    pub hash: usize,
    /// Whether castling is written as the king taking its rook.
    pub chess960: bool,
    /// Time lost for each move on the way to the opponent.
    pub overhead: Duration,
    /// Who plays.
    pub player: Player,
}

/// What a change of options means for the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It plays on.
    None,
    /// It forgets what it knows.
    Clear,
    /// It has to be made anew.
    Rebuild,
}

const HASH: [i64; 2] = [1, 16_384];
const OVERHEAD: [i64; 2] = [0, 5_000];

impl Default for Options {
    fn default() -> Self {
        let player = Player::new(ModelInfo::default_for(Position::GAME_NAME));
        Self { hash: 16, chess960: false, overhead: Duration::from_millis(10), player }
    }
}

impl Options {
    /// Lists every option, for the answer to `uci`.
    pub fn list(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "option name Threads type spin default 1 min 1 max 1")?;
        writeln!(out, "option name Hash type spin default 16 min {} max {}", HASH[0], HASH[1])?;
        writeln!(out, "option name Clear Hash type button")?;
        writeln!(out, "option name UCI_Chess960 type check default false")?;
        writeln!(
            out,
            "option name Move Overhead type spin default 10 min {} max {}",
            OVERHEAD[0], OVERHEAD[1]
        )?;
        writeln!(out, "option name Player type string default <empty>")?;
        write!(out, "option name Model type combo default {}", self.player.model().name)?;
        for model in ModelInfo::of_game(Position::GAME_NAME) {
            write!(out, " var {}", model.name)?;
        }
        write!(out, "\noption name Preset type combo default full")?;
        for preset in SearchSettings::PRESETS {
            write!(out, " var {preset}")?;
        }
        writeln!(out)?;
        for setting in SearchSettings::SETTINGS {
            list_spin(out, &setting.parameter, setting.get(&self.player.search).into(), 1.0)?;
        }
        for (weight, value) in self.player.model().weights.iter().zip(self.player.weights()) {
            list_spin(out, weight, *value, self.spin_units(weight.kind))?;
        }
        Ok(())
    }

    /// A spin is a whole number: real weights are given in thousandths of a pawn.
    fn spin_units(&self, kind: Kind) -> f64 {
        match kind {
            Kind::Integer | Kind::Flag => 1.0,
            Kind::Real => self.player.model().scale,
        }
    }

    /// Sets an option.
    ///
    /// # Errors
    ///
    /// With what is wrong, and nothing changed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Change, String> {
        let lower = name.to_lowercase();
        match lower.as_str() {
            "threads" => spin(name, value, [1, 1]).map(|_| Change::None),
            "hash" => {
                self.hash = spin(name, value, HASH)? as usize;
                Ok(Change::Rebuild)
            }
            "clear hash" => Ok(Change::Clear),
            "uci_chess960" => {
                self.chess960 = match value.to_lowercase().as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return Err(format!("{name} is {value:?} instead of true or false")),
                };
                Ok(Change::None)
            }
            "move overhead" => {
                self.overhead = Duration::from_millis(spin(name, value, OVERHEAD)? as u64);
                Ok(Change::None)
            }
            "player" if value.is_empty() || value == "<empty>" => Ok(Change::None),
            "player" => {
                self.set_player(Player::load(value).map_err(|error| format!("player {value}: {error}"))?)
            }
            "model" => {
                let model = ModelInfo::find(value).map_err(|error| error.to_string())?;
                let mut player = Player::new(model);
                player.search = self.player.search.clone();
                self.set_player(player)
            }
            "preset" => {
                self.player.set_preset(value).map_err(|error| error.to_string())?;
                Ok(Change::Rebuild)
            }
            _ => self.set_number(&lower, value),
        }
    }

    fn set_player(&mut self, player: Player) -> Result<Change, String> {
        if player.model().game != Position::GAME_NAME {
            return Err(format!("player {} plays {}, not chess", player.name, player.model().game));
        }
        self.player = player;
        Ok(Change::Rebuild)
    }

    fn set_number(&mut self, name: &str, value: &str) -> Result<Change, String> {
        let weights = self.player.model().weights.iter().map(|weight| weight.name);
        let settings = SearchSettings::SETTINGS.iter().map(|setting| setting.parameter.name);
        let numbers: Vec<_> = weights.chain(settings).collect();
        if !numbers.contains(&name) {
            let known = numbers.into_iter().chain(["hash", "player", "model", "preset", "move overhead"]);
            return Err(format!("unknown option {name:?}{}", suggest(name, known)));
        }
        let number: f64 = value.parse().map_err(|_| format!("{name} is {value:?} instead of a number"))?;
        let set = match self.player.model().weight(name) {
            Some(index) => {
                let units = self.spin_units(self.player.model().weights[index].kind);
                self.player.set_weight(name, number / units)
            }
            None => self.player.set_search(name, number),
        };
        set.map(|()| Change::Rebuild).map_err(|error| error.to_string())
    }
}

/// Lists a parameter as a spin, in so many units to one.
fn list_spin(out: &mut impl Write, parameter: &Parameter, value: f64, units: f64) -> io::Result<()> {
    let [value, min, max] =
        [value, parameter.min, parameter.max].map(|number| (number * units).round() as i64);
    writeln!(out, "option name {} type spin default {value} min {min} max {max}", parameter.name)
}

fn spin(name: &str, value: &str, [min, max]: [i64; 2]) -> Result<i64, String> {
    let number = value.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| format!("{name} is {value:?} instead of a number from {min} to {max}"))
}
