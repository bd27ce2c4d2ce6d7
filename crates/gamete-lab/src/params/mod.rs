//! Parameters to tune, in the forms that tuners of engines have them: one file for each form, told apart by content.

mod error;
mod fishtest;
mod lines;
mod objects;
mod openbench;
mod own;
mod texts;
mod tuning_tools;
mod weather_factory;

use std::collections::BTreeMap;
use std::path::Path;

use gamete_game::Kind;

pub use error::{LineError, ParameterFileError};
pub use texts::{ValueText, value_texts};

/// A parameter as a file for tuners has it.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedParameter {
    /// Its name: an option of an engine, or a weight or setting of a player of ours.
    pub name: String,
    /// Which numbers it can be.
    pub kind: Kind,
    /// Where it starts, if the file says so.
    pub start: Option<f64>,
    /// The smallest and the largest number; a parameter with one number is kept.
    pub range: [f64; 2],
    /// A change that makes a difference in play: `c_end` of SPSA.
    pub step: Option<f64>,
    /// The learning rate at the end of SPSA: `r_end`.
    pub rate: Option<f64>,
}

impl TunedParameter {
    /// The smallest perturbation of a whole number that does not always round to nothing.
    pub const SMALLEST_WHOLE_STEP: f64 = 0.5;

    /// Whether it keeps its number.
    pub fn is_frozen(&self) -> bool {
        self.range[0] == self.range[1]
    }

    /// Refuses numbers that it cannot have, in the words of a form.
    fn check(&self, words: &Words) -> Result<(), String> {
        let Self { kind, start, range: [min, max], step, rate, .. } = *self;
        let named = [(words.min, Some(min)), (words.max, Some(max)), (words.start, start)];
        let given = || named.into_iter().filter_map(|(word, number)| Some((word, number?)));
        if let Some((word, number)) = given().find(|(_, number)| !number.is_finite()) {
            return Err(format!("{word} {number} is not a finite number"));
        }
        if let Some((word, number)) = given().find(|(_, number)| kind != Kind::Real && number.fract() != 0.0)
        {
            return Err(format!("{word} {number} is not whole, as the parameter is"));
        }
        if min > max {
            return Err(format!("{} {min} is above {} {max}", words.min, words.max));
        }
        if let Some(start) = start.filter(|start| !(min..=max).contains(start)) {
            return Err(format!("{} {start} is not from {min} to {max}", words.start));
        }
        if self.is_frozen() {
            return Ok(());
        }
        let keep = format!("or make {} and {} equal to keep its value", words.min, words.max);
        match step {
            Some(step) if !(step > 0.0 && step.is_finite()) => {
                return Err(format!("{} {step} changes nothing; give a number above 0, {keep}", words.step));
            }
            Some(step) if kind != Kind::Real && step < Self::SMALLEST_WHOLE_STEP => {
                return Err(format!(
                    "{} {step} rounds to nothing, as the parameter is whole; the smallest that works is {}",
                    words.step,
                    Self::SMALLEST_WHOLE_STEP
                ));
            }
            _ => {}
        }
        match rate {
            Some(rate) if !(rate > 0.0 && rate.is_finite()) => {
                Err(format!("{} {rate} learns nothing; give a number above 0, {keep}", words.rate))
            }
            _ => Ok(()),
        }
    }
}

/// What a form calls the numbers of a parameter.
struct Words {
    start: &'static str,
    min: &'static str,
    max: &'static str,
    step: &'static str,
    rate: &'static str,
}

/// The words of SPSA.
const SPSA_WORDS: Words = Words { start: "value", min: "min", max: "max", step: "c_end", rate: "r_end" };

/// The form of a file with parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterFormat {
    /// Lines of seven fields.
    OpenBench,
    /// Lines of six fields; also the `.var` files of zamar's tuner, which may have a seventh.
    Fishtest,
    /// JSON with an object for each parameter.
    WeatherFactory,
    /// JSON with ranges as `Integer(1, 100)`.
    TuningTools,
    /// TOML, our own.
    Toml,
}

impl ParameterFormat {
    /// Its name for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenBench => "OpenBench",
            Self::Fishtest => "fishtest",
            Self::WeatherFactory => "weather-factory",
            Self::TuningTools => "chess-tuning-tools",
            Self::Toml => "TOML",
        }
    }

    /// The form that a text is in: braces are JSON, a line with = is TOML, and others have commas.
    fn of(text: &str) -> Result<Self, LineError> {
        let Some((number, line)) = lines::content(text).next() else {
            return Err(LineError::new(1, "there is no parameter in it"));
        };
        if line.starts_with('{') {
            return objects::format(text);
        }
        let is_pair = line.find('=').is_some_and(|equals| line.find(',').is_none_or(|comma| equals < comma));
        if is_pair || line.starts_with('[') {
            return Ok(Self::Toml);
        }
        let fields = lines::fields(line);
        if openbench::is_line(&fields) {
            Ok(Self::OpenBench)
        } else if fishtest::is_line(&fields) {
            Ok(Self::Fishtest)
        } else {
            let reason = format!(
                "{} fields; OpenBench has seven ({}), fishtest six ({})",
                fields.len(),
                openbench::FIELDS,
                fishtest::FIELDS
            );
            Err(LineError::new(number, reason))
        }
    }
}

/// A file with parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterFile {
    /// Its form.
    pub format: ParameterFormat,
    /// What is in it, in its order where that is known.
    pub parameters: Vec<TunedParameter>,
    /// What it says that has no effect here, in words.
    pub notes: Vec<String>,
}

/// A parameter with the line it stands in.
type Numbered = (usize, TunedParameter);

impl ParameterFile {
    /// Reads a file of any form.
    ///
    /// # Errors
    ///
    /// With the file, the line and the reason.
    pub fn load(path: &Path) -> Result<Self, ParameterFileError> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ParameterFileError::Unreadable(file.clone(), error.to_string()))?;
        Self::parse(&text).map_err(|error| ParameterFileError::Line(file, error))
    }

    /// Reads a text of any form.
    ///
    /// # Errors
    ///
    /// With the line and the reason.
    pub fn parse(text: &str) -> Result<Self, LineError> {
        // Some editors begin a file so.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let format = ParameterFormat::of(text)?;
        let mut notes = Vec::new();
        let (numbered, words) = match format {
            ParameterFormat::OpenBench => (openbench::read(text)?, &SPSA_WORDS),
            ParameterFormat::Fishtest => (fishtest::read(text)?, &SPSA_WORDS),
            ParameterFormat::WeatherFactory => (weather_factory::read(text)?, &weather_factory::WORDS),
            ParameterFormat::TuningTools => (tuning_tools::read(text, &mut notes)?, &SPSA_WORDS),
            ParameterFormat::Toml => (own::read(text)?, &own::WORDS),
        };
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (line, parameter) in &numbered {
            let name = parameter.name.as_str();
            if name.is_empty() || name.contains(['\n', '\r']) {
                return Err(LineError::new(*line, format!("{name:?} is no name of a parameter")));
            }
            parameter.check(words).map_err(|reason| LineError::new(*line, format!("{name}: {reason}")))?;
            if let Some(first) = seen.insert(name, *line) {
                return Err(LineError::new(*line, format!("{name} is given twice, first in line {first}")));
            }
        }
        if numbered.is_empty() {
            return Err(LineError::new(1, "there is no parameter in it"));
        }
        Ok(Self { format, parameters: numbered.into_iter().map(|(_, one)| one).collect(), notes })
    }
}

/// Whole if all of these numbers are.
fn kind_of(numbers: impl IntoIterator<Item = f64>) -> Kind {
    if numbers.into_iter().all(|number| number.fract() == 0.0) { Kind::Integer } else { Kind::Real }
}

#[cfg(test)]
mod tests;
