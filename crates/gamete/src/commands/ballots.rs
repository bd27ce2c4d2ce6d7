use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use gamete_checkers::{Ballot, BallotStatus, Position, three_move_ballots, two_move_ballots};
use gamete_game::Game;

/// List the opening ballots of checkers, with barred ones marked.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete ballots
  gamete ballots --two-move")]
pub struct Args {
    /// List the older two-move ballots
    #[arg(long)]
    two_move: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let printed = if args.two_move { print(&two_move_ballots()) } else { print(&three_move_ballots()) };
    printed?;
    Ok(ExitCode::SUCCESS)
}

fn print<const N: usize>(ballots: &[Ballot<N>]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (number, ballot) in (1..).zip(ballots) {
        let mut position = Position::start();
        let mut moves = String::new();
        for mv in ballot.moves {
            moves += &format!("{:<6}", position.move_text(mv));
            position.play(mv);
        }
        let status = match ballot.status {
            BallotStatus::Accepted => "      ",
            BallotStatus::Barred => "barred",
        };
        writeln!(out, "{number:>3} {moves} {status} {}", ballot.position)?;
    }
    let barred = ballots.iter().filter(|ballot| ballot.status == BallotStatus::Barred).count();
    writeln!(out, "{} ballots, {barred} of them barred", ballots.len())
}
