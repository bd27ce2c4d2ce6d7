use std::process::ExitCode;

use anyhow::{Result, bail};
use gamete_arena::suggest;
use gamete_lab::Arm;
use gamete_optim::{OPTIMIZERS, OptimizerInfo};

use super::evolve::{self, Options};

/// Run several optimisers on one objective and rank their results.
///
/// All have the same number of games and the same seeds. Results are ranked by regret where the optimum is known,
/// otherwise by games of the champions against each other and against the defaults.
///
/// A league is a study in the lab, with an arm for each optimiser: the same command resumes it, and `list`, `show`,
/// `report` and `export` accept it like any other.
#[derive(clap::Args)]
#[command(
    after_help = "Without a file, it runs the preset league (Elo landscapes with a known optimum, in seconds) or, with \
                  --objective match, league-match (twelve chess weights by games, in a few minutes per core). The key \
                  games is the budget of each run.

Examples:
  gamete league
  gamete league --set dimensions=30 --set function.name=saturating --set games=8000
  gamete league --optimizers spsa,cma-es,random --set guess=0.333
  gamete league --objective match --set games=500 --set replicates=2
  gamete league mine.toml --json"
)]
pub struct Args {
    /// An experiment file with method = "optimize", or a preset
    #[arg(value_name = "FILE|PRESET", conflicts_with = "objective")]
    experiment: Option<String>,

    /// What to optimise, if there is no file
    #[arg(long, value_name = "NAME", value_parser = ["function", "match"], default_value = "function")]
    objective: String,

    /// Optimisers to run [default: all, or the arms of the file]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    optimizers: Vec<String>,

    #[command(flatten)]
    options: Options,
}

pub fn run(args: Args) -> Result<ExitCode> {
    let Args { experiment, objective, optimizers, mut options } = args;
    let preset = if objective == "match" { "league-match" } else { "league" };
    let source = experiment.unwrap_or_else(|| preset.to_owned());
    options.set.splice(0..0, arms(&source, &optimizers)?);
    evolve::run_source(&source, &options)
}

/// What makes a league of a file: arms for the optimisers that are asked for, or for all where the file has no arms.
fn arms(source: &str, optimizers: &[String]) -> Result<Option<String>> {
    if let Some(unknown) = optimizers.iter().find(|name| OptimizerInfo::find(name).is_none()) {
        let known = suggest(unknown, OPTIMIZERS.iter().map(|info| info.name));
        bail!("--optimizers: unknown optimizer {unknown:?}{known}");
    }
    if optimizers.is_empty() {
        let has_arms = gamete_lab::has_arms(source)?;
        return Ok((!has_arms).then(|| format!("arms={:?}", Arm::OPTIMIZERS)));
    }
    let arms: Vec<String> = optimizers
        .iter()
        .map(|name| format!("{{ name = {name:?}, set = {{ optimizer = {name:?} }} }}"))
        .collect();
    Ok(Some(format!("arms=[{}]", arms.join(", "))))
}
