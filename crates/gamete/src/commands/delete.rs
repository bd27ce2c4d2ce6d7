use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use gamete_lab::LabView;

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
    let stored = LabView::new(&store).stored(&args.id)?;
    if !args.yes {
        if !std::io::stdin().is_terminal() {
            bail!(
                "{}: there is no terminal to ask at whether to delete it; nothing was deleted. Say --yes to delete it",
                args.id
            );
        }
        let what = match stored.runs {
            Some(runs) => format!("{} in {:.0} s", counted(runs as u64, "run"), stored.seconds),
            None => "which is damaged".to_owned(),
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
