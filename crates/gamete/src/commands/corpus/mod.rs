mod kinds;
mod make;
mod openings;
mod score;
mod view;

use std::process::ExitCode;

use anyhow::Result;

/// Make, inspect and use corpora: positions to learn from.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete corpus make games.pgn.zst --min-rating 2600 -o experts.corpus
  gamete corpus info experts.corpus
  gamete corpus sample experts.corpus --count 3
  gamete corpus score experts.corpus --player chess/classic
  gamete corpus openings games.pgn.zst --ply 19 --unique --balanced -o openings.epd")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Make(make::Args),
    Openings(openings::Args),
    Info(view::InfoArgs),
    Check(view::CheckArgs),
    Sample(view::SampleArgs),
    Score(score::Args),
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Command::Make(args) => make::run(args),
        Command::Openings(args) => openings::run(args),
        Command::Info(args) => view::info(args),
        Command::Check(args) => view::check(args),
        Command::Sample(args) => view::sample(args),
        Command::Score(args) => score::run(args),
    }
}
