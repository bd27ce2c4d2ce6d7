use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use gamete_lab::{Experiment, arms, run_path};

use crate::lab::LabArgs;
use crate::terminal::{counted, outln};

/// Delete an experiment and all that belongs to it.
///
/// Asks before it does; without a terminal to ask at, it takes --yes. Reports are left where they are.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete delete kendall-whitwell-1
  gamete delete kendall-whitwell-1 --yes")]
pub struct Args {
    /// The experiment
    id: String,

    #[command(flatten)]
    lab: LabArgs,

    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let store = args.lab.open()?;
    let row = store.experiment(&args.id)?;
    if !args.yes {
        if !std::io::stdin().is_terminal() {
            bail!(
                "{}: there is no terminal to ask at whether to delete it; nothing was deleted. Say --yes to delete it",
                args.id
            );
        }
        let paths: Vec<String> = store.runs(&args.id)?.into_iter().map(|run| run.path).collect();
        let what = match row.experiment() {
            Ok(experiment) => {
                format!("{} in {:.0} s", counted(count_runs(&experiment, &paths), "run"), row.seconds)
            }
            Err(_) => "which is damaged".to_owned(),
        };
        anstream::eprint!("Delete {}, {what}, for good? [y/N] ", args.id);
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer).context("the answer cannot be read")?;
        if !["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) {
            crate::terminal::errln!("{} is kept", args.id);
            return Ok(ExitCode::FAILURE);
        }
    }
    store.delete(&args.id)?;
    outln!("deleted {}", args.id)?;
    Ok(ExitCode::SUCCESS)
}

/// How many of the paths are runs of the experiment itself: no play-offs, matches against the classical weights or runs
/// that a method began.
fn count_runs(experiment: &Experiment, paths: &[String]) -> u64 {
    if !experiment.is_study() {
        return 1;
    }
    let all = (0..arms(experiment).len()).flat_map(|arm| {
        (0..experiment.head.replicates).map(move |replicate| run_path(experiment, arm, replicate))
    });
    all.filter(|path| paths.contains(path)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn play_offs_are_no_runs() {
        let study = Experiment::load("mutation-study", &["replicates=2".to_owned()], None).expect("a study");
        let mut paths = vec![String::new(), "playoff 1/a - b".to_owned(), "classical a/1".to_owned()];
        assert_eq!(count_runs(&study, &paths), 0);
        paths.extend([(0, 0), (1, 0), (1, 1)].map(|(arm, replicate)| run_path(&study, arm, replicate)));
        assert_eq!(count_runs(&study, &paths), 3);
        let single = Experiment::load("kendall-whitwell", &[], None).expect("an experiment");
        assert_eq!(count_runs(&single, &paths), 1);
    }
}
