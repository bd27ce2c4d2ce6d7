use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use gamete_lab::{LabView, MatchStore, MatchView};

use crate::lab::{LabArgs, journal_path};
use crate::terminal::{counted, outln};

/// Delete an experiment, a pipeline or the journal of a match.
///
/// Everything that belongs to it is deleted too, such as the stages of a pipeline; reports and game files are kept.
/// Asks for confirmation first; without a terminal, --yes is required.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete delete kendall-whitwell-1
  gamete delete kendall-whitwell-1 --yes
  gamete delete games.pgn.db")]
pub struct Args {
    /// Experiment, pipeline or journal of a match
    id: String,

    #[command(flatten)]
    lab: LabArgs,

    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(journal) = journal_path(&args.id)? {
        let what = match MatchView::read(&journal) {
            Ok(view) => format!("{} in {:.0} s", counted(view.games, "game"), view.seconds),
            Err(_) => "which is damaged, or no journal".to_owned(),
        };
        if !is_meant(args, &what)? {
            return Ok(ExitCode::FAILURE);
        }
        MatchStore::delete(&journal)?;
    } else {
        let store = args.lab.open()?;
        let stored = LabView::new(&store).stored(&args.id)?;
        let what = match stored.runs {
            _ if stored.stages.is_some() => {
                let stages = counted(stored.stages.unwrap_or(0) as u64, "stage");
                format!("a pipeline of {stages} in {:.0} s", stored.seconds)
            }
            Some(runs) => format!("{} in {:.0} s", counted(runs as u64, "run"), stored.seconds),
            None => "which is damaged".to_owned(),
        };
        if !is_meant(args, &what)? {
            return Ok(ExitCode::FAILURE);
        }
        store.delete(&args.id)?;
    }
    outln!("deleted {}", args.id)?;
    Ok(ExitCode::SUCCESS)
}

/// Asks whether it is really to be deleted, unless that was said.
fn is_meant(args: &Args, what: &str) -> Result<bool> {
    if args.yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        bail!(
            "{}: there is no terminal to ask at whether to delete it; nothing was deleted. Say --yes to delete it",
            args.id
        );
    }
    anstream::eprint!("Delete {}, {what}, for good? [y/N] ", args.id);
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).context("the answer cannot be read")?;
    let meant = ["y", "yes"].contains(&answer.trim().to_lowercase().as_str());
    if !meant {
        crate::terminal::errln!("{} is kept", args.id);
    }
    Ok(meant)
}
