use std::io::{self, Read};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use gamete_arena::{GameName, Player};

/// Run the chess engine for a UCI interface or match runner.
///
/// The command `uci` lists the options: hash size, the player, and every weight and search setting, so that tuners
/// can set them. `d` shows the board, `eval` each term of the evaluation, and `bench` the signature.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete uci
  gamete uci --player champion.toml
  echo 'go depth 8' | gamete uci
  fastchess -engine cmd=gamete args=uci name=Gamete …")]
pub struct Args {
    /// Player file, as with the UCI option Player [default: chess/classic]
    #[arg(long, value_name = "FILE")]
    player: Option<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut first = String::new();
    if let Some(file) = &args.player {
        let player = Player::load(file).with_context(|| format!("player {file}"))?;
        if player.model().game != GameName::Chess {
            bail!(
                "player {file}: {} plays {}, and UCI is for chess",
                player.model().name,
                player.model().game
            );
        }
        first = format!("setoption name Player value {file}\n");
    }
    let input = io::Cursor::new(first).chain(io::BufReader::new(io::stdin()));
    gamete_arena::uci::serve(input, io::stdout()).context("the conversation broke off")?;
    Ok(ExitCode::SUCCESS)
}
