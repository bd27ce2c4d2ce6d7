use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use gamete_arena::uci::{EngineOption, EngineSpec, OptionKind, Timeouts, UciEngine};
use gamete_arena::{Competitor, Contestant, Limits};
use gamete_game::{Kind, Parameter};
use gamete_optim::{Dimension, Gene, Space};
use serde::{Deserialize, Serialize};
use toml::Value;

use crate::experiment::{ExperimentError, key_path, unknown_key};

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
                return Err(ExperimentError::value(&key_path(OPTIONS, name), reason));
            }
        }
        self.space().map(drop)
    }

    /// Starts the engine with the smallest and the largest values, which it must take.
    ///
    /// # Errors
    ///
    /// When it does not start, has no such option, or one that takes something else.
    pub fn check_engine(&self, program: &EngineSpec) -> Result<(), ExperimentError> {
        let (space, never) = (self.space()?, AtomicBool::new(false));
        let command = [&[program.cmd.display().to_string()], program.args.as_slice()].concat();
        for end in [0, 1] {
            let spec = self.spec(program.clone(), Some((&space, &space.corner(end))));
            let engine = UciEngine::start(spec, Timeouts::default(), &never);
            let engine = engine
                .map_err(|fault| ExperimentError::value("match.engine", format!("{command:?}: {fault}")))?;
            self.check_options(&engine)?;
        }
        Ok(())
    }

    fn check_options(&self, engine: &UciEngine) -> Result<(), ExperimentError> {
        for (name, value) in &self.options {
            let Some(option) = engine.options().iter().find(|option| option.is_called(name)) else {
                let known = engine.options().iter().map(|option| option.name.as_str());
                let lister = format!("the answer of {} to uci", engine.name());
                return Err(unknown_key(OPTIONS, name, known, &lister));
            };
            let refusal = if value.is_array() {
                refusal_of_range(option, value)
            } else {
                option.refusal(&text(value)).map(|wanted| format!("give {wanted}"))
            };
            if let Some(way_out) = refusal {
                return Err(ExperimentError::value(&key_path(OPTIONS, name), format!("{value}: {way_out}")));
            }
        }
        Ok(())
    }

    /// The program with the options of a genome, or with its own for those that are sought.
    pub fn contestant(
        &self,
        name: &str,
        program: EngineSpec,
        genome: Option<(&Space, &[f64])>,
        limits: Limits,
    ) -> Contestant<EngineSpec> {
        let competitor = Competitor::Engine(self.spec(program, genome));
        Contestant { name: name.to_owned(), competitor, limits, time_margin_ms: 0 }
    }

    fn spec(&self, mut spec: EngineSpec, genome: Option<(&Space, &[f64])>) -> EngineSpec {
        for (name, value) in self.options.iter().filter(|(_, value)| !value.is_array()) {
            spec = spec.with_option(name, text(value));
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

/// A value as the engine is told of it.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What to give instead of a range that an option cannot have.
fn refusal_of_range(option: &EngineOption, range: &Value) -> Option<String> {
    let kind = match &option.kind {
        OptionKind::Spin { min, max, .. } => {
            let fits = |end: &Value| end.as_integer().is_some_and(|end| (*min..=*max).contains(&end));
            let all = range.as_array().is_some_and(|ends| ends.iter().all(fits));
            return (!all).then(|| format!("give two whole numbers, at most [{min}, {max}]"));
        }
        OptionKind::Check { .. } => {
            let is_flag = range.get(0).is_some_and(Value::is_bool);
            return (!is_flag).then(|| "give [false, true]".to_owned());
        }
        // Some engines have numbers as texts, as UCI has no others than whole ones.
        OptionKind::String { default } if default.parse::<f64>().is_ok() => {
            let is_flag = range.get(0).is_some_and(Value::is_bool);
            return is_flag.then(|| "give two numbers".to_owned());
        }
        OptionKind::Combo { .. } => "combo",
        OptionKind::Button => "button",
        OptionKind::String { .. } => "string",
    };
    Some(format!(
        "it is of type {kind}, and only options of type spin and check can be sought; give one value"
    ))
}

/// An option that is sought: a whole number or a switch, or a number that an engine has as a text.
fn dimension(name: &str, value: &Value) -> Result<Dimension, ExperimentError> {
    let path = format!("{OPTIONS}{name}");
    let key = key_path(OPTIONS, name);
    let ends = value.as_array().map(Vec::as_slice);
    let (kind, [min, max]) = match ends {
        Some(&[Value::Integer(min), Value::Integer(max)]) if min <= max => {
            (Kind::Integer, [min as f64, max as f64])
        }
        Some(&[Value::Integer(min), Value::Integer(max)]) => {
            let reason = format!("{value}: the smaller number comes first, as in [{max}, {min}]");
            return Err(ExperimentError::value(&key, reason));
        }
        Some(&[Value::Boolean(false), Value::Boolean(true)]) => (Kind::Flag, [0.0, 1.0]),
        Some(&[Value::Float(min), Value::Float(max)]) if min <= max => (Kind::Real, [min, max]),
        _ => {
            let reason = format!("{value}: give two whole numbers, the smaller first, or [false, true]");
            return Err(ExperimentError::value(&key, reason));
        }
    };
    let middle = (min + max) / 2.0;
    let middle = if kind == Kind::Real { middle } else { middle.floor() };
    let parameter = Parameter::new(kind, "", [min, max], middle, "an option of the engine").named(path);
    Ok(Dimension { parameter, gene: Gene::Free([min, max]), is_bounded: true, rate: None })
}
