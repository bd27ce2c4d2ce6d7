//! Evolves and tunes the players of board games: engines, an arena and a lab in one program.

#![warn(clippy::print_stdout)]

mod commands;
mod contest;
mod draw;
mod files;
mod grid;
mod interrupt;
mod lab;
mod output_format;
mod perft_suite;
mod plain;
mod play;
mod process;
mod scratch;
mod single_dash;
mod terminal;
mod tuning;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{
    ballots, bench, compare, convert, corpus, delete, evolve, export, grid as grid_command, league, list,
    match_, models, perft, play as play_command, ratings, report, serve, show, show_board, solve, stats,
    tune, uci, worker,
};

/// Evolve and tune players of board games.
#[derive(Parser)]
#[command(version, propagate_version = true, max_term_width = terminal::HELP_WIDTH)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Evolve(evolve::Args),
    League(league::Args),
    List(list::Args),
    Show(show::Args),
    Report(report::Args),
    Compare(compare::Args),
    Export(export::Args),
    Delete(delete::Args),
    Play(play_command::Args),
    Serve(serve::Args),
    Match(match_::Args),
    Tune(tune::Args),
    Grid(grid_command::Args),
    Worker(worker::Args),
    Perft(perft::Args),
    Convert(convert::Args),
    Corpus(corpus::Args),
    ShowBoard(show_board::Args),
    Ballots(ballots::Args),
    Models(models::Args),
    Uci(uci::Args),
    Bench(bench::Args),
    Solve(solve::Args),
    Stats(stats::Args),
    Ratings(ratings::Args),
}

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Evolve(args) => evolve::run(&args),
        Command::League(args) => league::run(args),
        Command::List(args) => list::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Delete(args) => delete::run(&args),
        Command::Play(args) => play_command::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Match(args) => match_::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Grid(args) => grid_command::run(&args),
        Command::Worker(args) => worker::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Corpus(args) => corpus::run(&args),
        Command::ShowBoard(args) => show_board::run(&args),
        Command::Ballots(args) => ballots::run(&args),
        Command::Models(args) => models::run(&args),
        Command::Uci(args) => uci::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Ratings(args) => ratings::run(&args),
    };
    match result {
        Ok(status) => status,
        Err(error) if terminal::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::print_error(&error);
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Args::command().debug_assert();
    }
}
