use std::process::ExitCode;

use anyhow::Result;

use crate::lab::LabArgs;
use crate::terminal::outln;

/// Delete an experiment and all that belongs to it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete delete kendall-whitwell-1")]
pub struct Args {
    /// The experiment
    id: String,

    #[command(flatten)]
    lab: LabArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    args.lab.open()?.delete(&args.id)?;
    outln!("deleted {}", args.id)?;
    Ok(ExitCode::SUCCESS)
}
