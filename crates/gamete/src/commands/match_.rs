use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::contest::{self, Options};
use crate::grid::grid_help;
use crate::single_dash::print_help;
use crate::terminal::{self, outln};

/// Play a match or tournament, with Elo, error bars and a sequential test.
///
/// Options are spelt as in fastchess and cutechess. Games are kept in a journal: after any interruption the same
/// command resumes the match, and so does `gamete match JOURNAL`. Ctrl-C finishes the games in progress, and a second
/// one stops at once. The exit status is 0 when all games are played, 130 after Ctrl-C, 141 if the output is closed
/// (as by `| head`), which ends the match, and 1 after errors.
#[derive(clap::Args)]
#[command(
    override_usage = "gamete match -engine KEY=VALUE… -engine KEY=VALUE… [-each KEY=VALUE…] [OPTIONS]\n       \
                      gamete match JOURNAL",
    after_help = concat!(
        "Contestants:
  -engine KEY=VALUE…     Gamete's: player=FILE or model=chess/classic; preset= search.X= weight.X=
                         UCI: cmd=PROGRAM args= dir= option.X= restart=on|off|auto
                         both: name= and the limits
                         tc=10+0.1 st=SECONDS nodes=N depth=N timemargin=MS
                         (some engines slightly exceed st=: give them a margin)
  -each KEY=VALUE…       the same for every contestant
  -game NAME             the game, if the contestants do not determine it
  -variant NAME          standard or fischerandom

  -quick KEY=VALUE…      cmd= cmd= book=: as in fastchess, 10+0.1 and 25000 rounds

Games:
  -rounds N              openings for each pair of players [1]
  -games N               games per opening, with colours reversed [2]
  -repeat                the same, as cutechess spells it
  -noswap                do not swap colours
  -reverse               of two players, the second has White first
  -tournament NAME       roundrobin; gauntlet, the first against all others; or quick, a ranking
                         by quicksort: all play a pivot, which has Black with -games 1, and so on
                         above and below it
  -seeds N               in a gauntlet, the first N play all others [1]
  -openings KEY=VALUE…   file= format=epd|pgn|pdn order=random|sequential plies= start=
                         policy=round (one opening for all players of a round) or encounter
  -openings random       random plies that leave the game even, plies=N [6], new ones for every
                         round. This is the default, because most engines repeat their games at
                         fixed nodes or depth; Chess960 uses its 960 start positions first, and
                         checkers the three-move ballots
  -openings startpos     all games from the start position; also chess960 and ballots
  -draw KEY=VALUE…       movenumber= movecount= score=
  -resign KEY=VALUE…     movecount= score= twosided=
  -maxmoves N [material] longer games are drawn, or won by the side with more pieces
  -tb PATHS              decide games by Syzygy tables in these directories, separated by colons
  -tbpieces N            positions with at most N pieces [all there are tables for]
  -tbignore50            count wins that take more than fifty moves
  -tbadjudicate WHAT     WIN_LOSS, DRAW or BOTH [BOTH]
  -sprt KEY=VALUE…       elo0= elo1= alpha= beta= model=normalized|logistic|bayesian
  -srand N               random seed; by default, or with -randomseed, a new one, which is printed

Running and results:
  -concurrency N         games to play at once [all cores]
",
        grid_help!(),
        "  -use-affinity [LIST]   pin each game to its own processors, of all or of 3,5,7-11
  -wait MS               pause between games
  -startup-ms MS         how long an engine may take to start [10000], to get ready for a new game
                         (-ucinewgame-ms [60000]), and to answer that it is ready (-ping-ms [60000])
  -recover on|off        whether the match continues when a contestant crashes, hangs,
                         plays an illegal move or loses on time [on]
  -pgnout FILE           write the games (PGN, PDN, …); other games in the file are kept, whoever
                         wrote them, unless append=false empties it before the match's first game;
                         min=true leaves out comments and most tags; notation=san|lan|uci;
                         per move: nodes=false seldepth=false nps= hashfull= tbhits=
                         timeleft= pv=true
  -epdout FILE           write the final positions
  -log file=FILE         log engine input and output, with times; engine=false leaves that out;
                         level=info adds all games, warn [the default] what goes wrong, err
                         nothing; append=false starts the file anew
  -debug                 the same on standard error
  -ratinginterval N      report every N pairs [10]; 0 for never
  -output format=NAME    report like fastchess, cutechess, openbench or fishtest [fastchess]
  -event NAME -site NAME tags of the games
  -journal FILE          where results are kept [next to the PGN, or match-….db here]
  -fresh                 discard the journal and start over; game files keep their games
  -version               print the version
  -json                  print only JSON, at the end

Examples:
  gamete match -engine model=chess/classic -engine model=chess/material -each nodes=1000 -rounds 100
  gamete match -engine player=new.toml -engine player=old.toml -each tc=10+0.1 -rounds 10000
      -openings file=book.epd -sprt elo0=0 elo1=2 -pgnout games.pgn
  gamete match games.pgn.db        resume it
  gamete show games.pgn.db         show its results; also report, export and delete"
    )
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
        print_help::<Args>("gamete match")?;
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
