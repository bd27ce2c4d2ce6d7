use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args as _;

use crate::contest::{self, Options};
use crate::terminal::{self, out, outln};

/// Play a match or a tournament: Elo, error bars, a sequential test.
///
/// Options are typed as for fastchess and cutechess. What was played is in a journal, so the same command resumes where
/// it was after anything, and so does the journal instead of all options; Ctrl-C finishes the games in hand, and a second one stops at once. The exit status is 0 when
/// all is played, 130 after Ctrl-C, 141 when the output is closed, as by `| head`, which ends the match, and 1 after errors.
#[derive(clap::Args)]
#[command(
    override_usage = "gamete match -engine KEY=VALUE… -engine KEY=VALUE… [-each KEY=VALUE…] [OPTIONS]\n       \
                      gamete match JOURNAL",
    after_help = "Contestants:
  -engine KEY=VALUE…     ours: player=FILE or model=chess/classic; preset= search.X= weight.X=
                         by UCI: cmd=PROGRAM args= dir= option.X= restart=on|off|auto
                         both: name= and how much it may think,
                         tc=10+0.1 st=SECONDS nodes=N depth=N timemargin=MS
                         (some engines use a little more than st=: give them a margin)
  -each KEY=VALUE…       the same for every contestant
  -game NAME             which game, if the contestants leave it open
  -variant NAME          standard, or fischerandom

  -quick KEY=VALUE…      cmd= cmd= book=: what fastchess means by it, 10+0.1 and 25000 rounds

Games:
  -rounds N              openings that every two players play [1]
  -games N               games from each opening, colours reversed [2]
  -repeat                the same, as cutechess spells it
  -noswap                colours stay as they are
  -reverse               the second of two has White first
  -tournament NAME       roundrobin; gauntlet, the first against all others; or quick, a ranking
                         as by quicksort: all meet a pivot, which has Black with -games 1, and
                         so on above and below it
  -seeds N               the first N against all others in a gauntlet [1]
  -openings KEY=VALUE…   file= format=epd|pgn|pdn order=random|sequential plies= start=
                         policy=round, one opening for all players of a round, or encounter
  -openings random       random plies that leave the game even, plies=N [6], new ones for every
                         round. This is what is played without -openings, because most engines
                         repeat their games at fixed nodes or depth; Chess960 has its 960 start
                         positions first, and checkers the three-move ballots
  -openings startpos     all games from the start position; likewise chess960 and ballots
  -draw KEY=VALUE…       movenumber= movecount= score=
  -resign KEY=VALUE…     movecount= score= twosided=
  -maxmoves N [material] longer games are drawn, or won by who has more pieces
  -tb PATHS              decide games by Syzygy tables in these directories, set apart by colons
  -tbpieces N            positions of at most so many pieces [all there are tables for]
  -tbignore50            wins that take more than fifty moves count
  -tbadjudicate WHAT     WIN_LOSS, DRAW or BOTH [BOTH]
  -sprt KEY=VALUE…       elo0= elo1= alpha= beta= model=normalized|logistic|bayesian
  -srand N               the seed; without it, or with -randomseed, a new one, which is printed

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
  -startup-ms MS         how long an engine may take to start [10000], to be ready for
                         a new game (-ucinewgame-ms [60000]), and ready at all (-ping-ms [60000])
  -recover on|off        whether the match continues when a contestant crashes, stalls,
                         plays an illegal move or loses on time [on]
  -pgnout FILE           write the games (PGN, PDN, …); what is in the file stays, whoever wrote it,
                         unless append=false empties it before the first game of the match
                         min=true leaves out comments and most tags; notation=san|lan|uci;
                         of each move: nodes=false seldepth=false nps= hashfull= tbhits=
                         timeleft= pv=true
  -epdout FILE           write the last positions
  -log file=FILE         what engines are told and say, with times; engine=false leaves that out;
                         level=info adds all games, warn [the default] what goes wrong, err
                         nothing; append=false to start the file anew
  -debug                 the same on the standard error
  -ratinginterval N      a report every so many pairs [10]; 0 for none
  -output format=NAME    reports as of fastchess, cutechess, openbench or fishtest [fastchess]
  -event NAME -site NAME for the tags of the games
  -journal FILE          where results are kept [beside the PGN, or match-….db here]
  -fresh                 forget what the journal has, and start over; game files keep their games
  -version               print the version
  -json                  print JSON at the end and nothing else

Examples:
  gamete match -engine model=chess/classic -engine model=chess/material -each nodes=1000 -rounds 100
  gamete match -engine player=new.toml -engine player=old.toml -each tc=10+0.1 -rounds 10000
      -openings file=book.epd -sprt elo0=0 elo1=2 -pgnout games.pgn
  gamete match games.pgn.db        resumes it
  gamete show games.pgn.db         what it has come to; likewise report, export and delete"
)]
pub struct Args {
    /// Options with one dash
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    // As match runners spell it.
    if args.words.iter().any(|word| matches!(word.as_str(), "-version" | "-v")) {
        outln!("gamete {}", env!("CARGO_PKG_VERSION"))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.words.iter().any(|word| word == "-help") {
        let mut command = Args::augment_args(clap::Command::new("gamete match"));
        out!("{}", command.render_long_help().ansi())?;
        return Ok(ExitCode::SUCCESS);
    }
    let words = match args.words.as_slice() {
        [journal] if !journal.starts_with('-') => &contest::stored_words(Path::new(journal))?,
        words => words,
    };
    match contest::run(Options::parse(words)?) {
        // Nobody reads the reports any more, so the match ends there, as other programs do; but it is not complete.
        Err(error) if terminal::is_broken_pipe(&error) => Ok(ExitCode::from(BROKEN_PIPE)),
        result => result,
    }
}

/// The exit status of programs whose output is closed, as shells have it.
const BROKEN_PIPE: u8 = 141;
