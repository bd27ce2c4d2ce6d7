use std::process::ExitCode;

use anyhow::Result;
use clap::Args as _;

use crate::terminal::out;
use crate::tuning::{self, Options};

/// Tune the options of a UCI engine, or the weights and search of a player, by matches.
///
/// A tune is an experiment of the lab: the same command resumes it after anything, and `gamete list`, `show`, `report`, `export` and
/// `delete` take it. At the end the tuned values play against the original ones, from openings that the search never saw.
#[derive(clap::Args)]
#[command(
    override_usage = "gamete tune -engine KEY=VALUE… -params FILE|auto[:PATTERN] -each LIMITS -games N [OPTIONS]",
    after_help = "What is tuned:
  -engine KEY=VALUE…     by UCI: cmd=PROGRAM args= arg= dir= option.X= restart=on|off|auto
                         ours: player=FILE or model=chess/classic; preset= search.X= weight.X=
                         both: name= tc=10+0.1 st=SECONDS nodes=N depth=N timemargin=MS
  -each KEY=VALUE…       the same; for those who write a match so
  -params FILE           the parameters, in the form of OpenBench (name, int, value, min, max, c_end,
                         r_end), fishtest (name,value,min,max,c_end,r_end), weather-factory (JSON),
                         chess-tuning-tools (JSON) or ours (TOML), told apart by content
  -params auto           all spin options of the engine but Hash, Threads and the like; of a player
                         of ours all weights
  -params auto:PATTERN   those whose names match, as lmr_*; of a player also search.NAME
  -freeze PATTERN…       parameters that keep their values

How:
  -method NAME [KEY=VALUE…]  the optimiser and its settings [pairs; spsa for more than 60
                         parameters]; `gamete evolve --help` lists them
  -method texel corpus=FILE  weights of ours by gradient, from results of games; or move-ranking
                         corpus=FILE, from moves of experts: see `gamete corpus make --help`
  -games N               games of the search; 1,000 for each parameter is little
  -pairs N               pairs of games of a trial [1 where two points play each other, as by pairs and
                         spsa; 4 where a point plays against the start]
  -openings KEY=VALUE…   file= plies=, or random plies=N [random plies=6]; a half is held out
  -draw KEY=VALUE…       movenumber= movecount= score=
  -resign KEY=VALUE…     movecount= score= twosided=
  -maxmoves N [material] longer games are drawn, or won by who has more pieces [200]
  -tb PATHS              decide games by Syzygy tables in these directories, set apart by colons;
                         -tbpieces N, -tbignore50 and -tbadjudicate as in a match
  -variant NAME          standard, or fischerandom: random openings begin with the starts of Chess960
  -srand N               the seed [1]

Verification, from the openings that were held out:
  -verify KEY=VALUE…     games=N [a quarter of -games]; tc= st= nodes= depth= play a second match
                         with these limits; games=0 plays none
  -sprt KEY=VALUE…       elo0= elo1= alpha= beta= model=: a sequential test ends it

Before a tune:
  -dry-run [games=N]     no search: a few hundred games [a twentieth of -games, 400 to 2000] show what
                         a step of each parameter is worth, how precise -games games are, and propose
                         a method, c_end, r_end and A
  -o FILE                the proposed parameters, as TOML, or as OpenBench has them if the name does
                         not end in .toml

Running and results:
  -concurrency N         games at a time [all cores]
  -grid URL              games are played by the workers of a NATS broker instead of here
  -local N               games at a time here beside those of the grid [0]
  -check-workers SHARE   the share of games, as 2%, that a second worker plays as well; who is found
                         wrong gets no more, and its games are played again (not under a clock)
  -scale-clocks [SPEED]  scale clocks by the speed of each machine of a grid; they are made for that of
                         this one, or for so many nodes a second
  -grid-lease SECONDS    how long a worker may be silent about a game [300]; -grid-replicas N
  -grid-user NAME        what the broker lets us in for, also in the environment; likewise
                         -grid-password-file, -grid-token-file, -grid-nkey, -grid-creds and -grid-ca
                         FILE, see docs/grid.md
  -use-affinity [LIST]   each game on processors of its own, of all or of 3,5,7-11
  -wait MS               between two games
  -startup-ms MS         how long an engine may take to start [10000]; -ucinewgame-ms, -ping-ms
  -log file=FILE         what engines are told and say, with times; append=false to start the file
                         anew; -debug prints the same on the standard error
  -name NAME             what to call it in the lab [tune-ENGINE, with a mark for what was typed]
  -lab DIR               the lab [gamete-lab]
  -fresh                 forget what the lab has of this tune, and start over
  -change [ID]           go on with a tune of the lab, the one with this -name or ID, with another -games
                         or other ranges of its parameters
  -print                 print the experiment, and run nothing
  -json                  print JSON at the end: values, elo, elo_low, elo_high, verdict, …

Examples:
  gamete tune -engine cmd=./engine option.Hash=16 -params params.txt -each nodes=5000 -games 20000
      -openings file=book.epd -concurrency 8
  gamete tune -engine cmd=./engine -params auto:lmr_* -each tc=1+0.01 -games 10000
      -verify tc=10+0.1 -sprt elo0=0 elo1=5
  gamete tune -engine model=chess/classic -params auto:*_mobility -each nodes=1000 -games 4000
  gamete tune -engine cmd=./engine -params auto -each nodes=5000 -games 20000 -dry-run -o params.toml"
)]
pub struct Args {
    /// Options with one dash
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if args.words.iter().any(|word| word == "-help") {
        let mut command = Args::augment_args(clap::Command::new("gamete tune"));
        out!("{}", command.render_long_help().ansi())?;
        return Ok(ExitCode::SUCCESS);
    }
    tuning::run(&Options::parse(&args.words)?)
}
