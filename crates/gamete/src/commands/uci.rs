use std::io;
use std::process::ExitCode;

use anyhow::{Context, Result};

/// Play chess for a graphical interface or a match runner.
///
/// Options are listed by the command `uci`: hash size, the player, and every weight and search setting, so that tuners
/// can drive them. `d` shows the board, `eval` names each term of the evaluation, `bench` prints the signature.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete uci
  echo 'go depth 8' | gamete uci
  fastchess -engine cmd=gamete args=uci name=Gamete …")]
pub struct Args {}

pub fn run(_args: &Args) -> Result<ExitCode> {
    gamete_arena::uci::serve(io::BufReader::new(io::stdin()), io::stdout())
        .context("the conversation broke off")?;
    Ok(ExitCode::SUCCESS)
}
