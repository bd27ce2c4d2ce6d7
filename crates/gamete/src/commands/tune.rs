use std::process::ExitCode;

use anyhow::Result;

use crate::grid::grid_help;
use crate::single_dash::print_help;
use crate::tuning::{self, Options};

/// Tune a UCI engine's options, or a player's weights and search, by games.
///
/// A tune is an experiment in the lab: the same command resumes it after any interruption, and `gamete list`, `show`,
/// `report`, `export` and `delete` accept it. At the end the tuned values play against the original ones, from
/// openings that the search never saw.
#[derive(clap::Args)]
#[command(
    override_usage = "gamete tune -engine KEY=VALUE… -params FILE|auto[:PATTERN] -each LIMITS -games N [OPTIONS]",
    after_help = concat!(
        "What is tuned:
  -engine KEY=VALUE…     UCI: cmd=PROGRAM args= arg= dir= option.X= restart=on|off|auto
                         Gamete's: player=FILE or model=chess/classic; preset= search.X= weight.X=
                         both: name= tc=10+0.1 st=SECONDS nodes=N depth=N timemargin=MS
  -each KEY=VALUE…       the same, as in a match
  -params FILE           the parameters, in the format of OpenBench (name, int, value, min, max,
                         c_end, r_end), fishtest (name,value,min,max,c_end,r_end), weather-factory
                         (JSON), chess-tuning-tools (JSON) or Gamete (TOML), detected by content
  -params auto           all spin options of the engine except Hash, Threads and the like; for one
                         of Gamete's players, all weights
  -params auto:PATTERN   those whose names match, such as lmr_*; for a player also search.NAME
  -freeze PATTERN…       parameters that keep their values

How:
  -method NAME [KEY=VALUE…]  the optimiser and its settings [pairs; spsa for more than
                         60 parameters]; `gamete evolve --help` lists them
  -method texel corpus=FILE  a player's weights by gradient from game results; or
                         move-ranking corpus=FILE, from expert moves (see
                         `gamete corpus make --help`)
  -games N               games of the search; 1,000 per parameter is not much
  -pairs N               pairs of games per trial [1 if two points play each other, as with pairs,
                         spsa and bspsa; 4 if a point plays against the start]
  -openings KEY=VALUE…   file= plies=, or random plies=N [random plies=6]; half are held out
  -draw KEY=VALUE…       movenumber= movecount= score=
  -resign KEY=VALUE…     movecount= score= twosided=
  -maxmoves N [material] longer games are drawn, or won by the side with more pieces [200]
  -tb PATHS              decide games by Syzygy tables in these directories, separated by colons;
                         -tbpieces N, -tbignore50 and -tbadjudicate as in a match
  -variant NAME          standard, or fischerandom: random openings begin with Chess960 starts
  -srand N               random seed [1]

Verification, from the held-out openings:
  -verify KEY=VALUE…     games=N [a quarter of -games]; tc= st= nodes= depth= add a second match
                         with these limits; games=0 for none
  -sprt KEY=VALUE…       elo0= elo1= alpha= beta= model=: end it by a sequential test

Before tuning:
  -dry-run [games=N]     no search: a few hundred games [a twentieth of -games, 400 to 2000] show
                         what a step of each parameter is worth and how precise -games games are,
                         and propose a method, c_end, r_end and A
  -o FILE                file for the proposed parameters: TOML, or the format of OpenBench if the
                         name does not end in .toml

Running and results:
  -concurrency N         games to play at once [all cores]
",
        grid_help!(),
        "  -use-affinity [LIST]   pin each game to its own processors, of all or of 3,5,7-11
  -wait MS               pause between games
  -startup-ms MS         how long an engine may take to start [10000]; -ucinewgame-ms, -ping-ms
  -log file=FILE         log engine input and output, with times; append=false starts the file
                         anew; -debug prints the same on standard error
  -name NAME             its name in the lab [tune-ENGINE, plus a hash of what was typed]
  -lab DIR               lab directory [gamete-lab]
  -fresh                 discard what the lab has of this tune and start over
  -change [ID]           continue the tune with this -name or ID, with another -games or other
                         parameter ranges
  -print                 print the experiment without running it
  -json                  print JSON at the end: values, elo, elo_low, elo_high, verdict, …

Examples:
  gamete tune -engine cmd=./engine option.Hash=16 -params params.txt -each nodes=5000 -games 20000
      -openings file=book.epd -concurrency 8
  gamete tune -engine cmd=./engine -params auto:lmr_* -each tc=1+0.01 -games 10000
      -verify tc=10+0.1 -sprt elo0=0 elo1=5
  gamete tune -engine model=chess/classic -params auto:*_mobility -each nodes=1000 -games 4000
  gamete tune -engine cmd=./engine -params auto -each nodes=5000 -games 20000
      -dry-run -o params.toml"
    )
)]
pub struct Args {
    /// Options with one dash
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if args.words.iter().any(|word| word == "-help") {
        print_help::<Args>("gamete tune")?;
        return Ok(ExitCode::SUCCESS);
    }
    tuning::run(&Options::parse(&args.words)?)
}
