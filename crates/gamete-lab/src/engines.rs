//! The engines of an experiment: what its tasks call them, how they are started, and what they are.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use gamete_arena::uci::{EngineCatalog, EngineSpec, Timeouts, UciEngine};
use gamete_arena::{Contestant, NamedEngine, Program};

use crate::experiment::{Experiment, ExperimentError};
use crate::runtime::hash_bytes;
use crate::signature::experiments;

/// What engines are by the content of their files, under their names.
pub(crate) type EngineContents = BTreeMap<String, String>;

/// What tasks call an engine: the program, if that is all there is to say; else with a hash of the command.
fn name(spec: &EngineSpec) -> String {
    let cmd = spec.cmd.to_string_lossy();
    if spec.args.is_empty() && spec.dir.is_none() && spec.cmd.components().count() == 1 {
        return cmd.into_owned();
    }
    let dir = spec.dir.as_ref().map(|dir| format!("in {}", dir.display()));
    let command = [&[cmd.into_owned()], spec.args.as_slice(), dir.as_slice()].concat().join("\0");
    format!("{}-{:06x}", spec.title(), hash_bytes(command.as_bytes()).cast_unsigned() >> 40)
}

/// The program of an engine that tasks call so, without the hash.
pub(crate) fn title(name: &str) -> &str {
    let is_hash =
        |text: &str| text.len() == 6 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    name.rsplit_once('-').filter(|(_, hash)| is_hash(hash)).map_or(name, |(title, _)| title)
}

/// A contestant as tasks have it. What its program is, is added when the task is asked for.
pub(crate) fn in_task(contestant: Contestant<EngineSpec>) -> Contestant {
    contestant.map_engine(|spec| NamedEngine { name: name(&spec), content: None, options: spec.options })
}

/// The engines of an experiment, with the options that it keeps of those whose options it seeks.
fn specs(experiment: &Experiment) -> BTreeMap<String, EngineSpec> {
    let engines = experiments(experiment).into_iter().flat_map(|arm| arm.method.engines());
    engines.map(|spec| (name(&spec), spec)).collect()
}

/// The engines of experiments, for whoever plays their games.
pub(crate) fn catalog<'a>(experiments: impl IntoIterator<Item = &'a Experiment>) -> EngineCatalog {
    let mut catalog = EngineCatalog::default();
    for (name, spec) in experiments.into_iter().flat_map(specs) {
        catalog.add(&name, spec, None);
    }
    catalog
}

/// What the engines of an experiment are now, given what starts them: files that they change then are not what they are.
///
/// # Errors
///
/// When one cannot be read, or does not start.
pub(crate) fn contents(
    experiment: &Experiment,
    start: impl FnOnce(&Experiment) -> Result<(), ExperimentError>,
) -> Result<EngineContents, ExperimentError> {
    let mut programs = Vec::new();
    for (name, spec) in specs(experiment) {
        let found = Program::find(&spec).map_err(|error| wrong(&name, &error))?;
        programs.extend(found.map(|program| (name, program)));
    }
    start(experiment)?;
    Ok(programs.into_iter().map(|(name, program)| (name, program.after_start("").content())).collect())
}

/// Starts every engine of an experiment once.
///
/// # Errors
///
/// When one does not start.
pub(crate) fn start(experiment: &Experiment) -> Result<(), ExperimentError> {
    for (name, spec) in specs(experiment) {
        let never = AtomicBool::new(false);
        let engine = UciEngine::start(spec, Timeouts::default(), &never);
        engine.map_err(|fault| wrong(&name, &fault))?.quit();
    }
    Ok(())
}

fn wrong(name: &str, reason: &dyn std::fmt::Display) -> ExperimentError {
    ExperimentError::value("match.engine", format!("{name}: {reason}"))
}
