use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use gamete_arena::uci::{EngineSpec, Timeouts, UciEngine};
use gamete_arena::{Competitor, Contestant, Limits};
use gamete_game::{Kind, Parameter};
use gamete_optim::{Dimension, Gene, Space};
use serde::{Deserialize, Serialize};
use toml::Value;

use crate::experiment::ExperimentError;

/// The options of a UCI engine in a file: values that are kept, and ranges of those that are sought.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EngineOptions {
    pub options: BTreeMap<String, Value>,
}

/// What names of options begin with among the genes of an experiment.
pub(crate) const OPTIONS: &str = "options.";

impl EngineOptions {
    /// The options that have ranges.
    pub fn space(&self) -> Result<Space, ExperimentError> {
        let ranges = self.options.iter().filter(|(_, value)| value.is_array());
        let dimensions = ranges.map(|(name, value)| dimension(name, value)).collect::<Result<Vec<_>, _>>()?;
        if dimensions.is_empty() {
            let reason =
                "none has a range; give one to an option that is sought, as in options.Contempt = [0, 100]";
            return Err(ExperimentError::value("options", reason));
        }
        Space::new(dimensions).map_err(|error| ExperimentError::of_space("options", error))
    }

    /// Checks the options that are kept.
    pub fn check(&self) -> Result<(), ExperimentError> {
        for (name, value) in &self.options {
            if value.is_table() || value.is_datetime() || name.contains(['\n', '\r']) {
                let reason = format!("{value}: give a text, a number, true or false, or a range");
                return Err(ExperimentError::value(&format!("{OPTIONS}{name}"), reason));
            }
        }
        self.space().map(drop)
    }

    /// Starts the engine with the smallest and the largest values, which it must take.
    pub fn check_engine(&self, command: &[String]) -> Result<(), ExperimentError> {
        let (space, never) = (self.space()?, AtomicBool::new(false));
        for end in [0, 1] {
            let spec = self.spec(command, Some((&space, &space.corner(end))));
            let engine = UciEngine::start(spec, Timeouts::default(), &never);
            let engine = engine
                .map_err(|fault| ExperimentError::value("match.engine", format!("{command:?}: {fault}")))?;
            if let Some(warning) = engine.warnings().first() {
                return Err(ExperimentError::value("options", warning));
            }
        }
        Ok(())
    }

    /// The program with the options of a genome, or with its own for those that are sought.
    pub fn contestant(
        &self,
        name: &str,
        command: &[String],
        genome: Option<(&Space, &[f64])>,
        limits: Limits,
    ) -> Contestant {
        let competitor = Competitor::Engine(self.spec(command, genome));
        Contestant { name: name.to_owned(), competitor, limits, time_margin_ms: 0 }
    }

    fn spec(&self, command: &[String], genome: Option<(&Space, &[f64])>) -> EngineSpec {
        let mut spec = EngineSpec::new(command.first().map_or("", String::as_str)).with_args(&command[1..]);
        for (name, value) in self.options.iter().filter(|(_, value)| !value.is_array()) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            spec = spec.with_option(name, text);
        }
        for (name, value) in genome.into_iter().flat_map(|(space, genome)| space.values(genome)) {
            let name = name.strip_prefix(OPTIONS).expect("an option, as there is nothing else");
            let is_flag = self.options[name].get(0).is_some_and(Value::is_bool);
            let text = if is_flag { (value != 0.0).to_string() } else { value.to_string() };
            spec = spec.with_option(name, text);
        }
        spec
    }
}

/// An option that is sought: a whole number or a switch, as UCI has no others.
fn dimension(name: &str, value: &Value) -> Result<Dimension, ExperimentError> {
    let path = format!("{OPTIONS}{name}");
    let ends = value.as_array().map(Vec::as_slice);
    let (kind, [min, max]) = match ends {
        Some(&[Value::Integer(min), Value::Integer(max)]) if min <= max => {
            (Kind::Integer, [min as f64, max as f64])
        }
        Some(&[Value::Integer(min), Value::Integer(max)]) => {
            let reason = format!("{value}: the smaller number comes first, as in [{max}, {min}]");
            return Err(ExperimentError::value(&path, reason));
        }
        Some(&[Value::Boolean(false), Value::Boolean(true)]) => (Kind::Flag, [0.0, 1.0]),
        _ => {
            let reason = format!("{value}: give two whole numbers, the smaller first, or [false, true]");
            return Err(ExperimentError::value(&path, reason));
        }
    };
    let parameter = Parameter { kind, ..Parameter::integer("", [min, max], min, "an option of the engine") };
    Ok(Dimension { parameter: parameter.named(path), gene: Gene::Free([min, max]), is_bounded: true })
}
