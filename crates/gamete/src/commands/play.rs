use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gamete_arena::{GameName, Playable, dispatch};
use gamete_engine::{Limit, Searcher};
use gamete_game::{ByColor, Color, Tags};

use super::show_board::parse_position;
use crate::draw::Pieces;
use crate::files::{Format, game_parser};
use crate::play::{Options, Resumed, Seat, Start, TerminalGame};
use crate::terminal::errln;

/// How long players think about a move if nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(1);

/// Play a game in the terminal, against a player or between players.
///
/// Each side is `human`, a player file, the name of a model (see `gamete models`), or a UCI chess engine as after
/// `-engine` in a match: `cmd=stockfish`, followed by `args=`, `dir=`, `name=` and `option.NAME=` in the same
/// argument. Type moves as SAN or UCI in chess and as PDN in checkers; `help` lists the other commands. Moves are
/// read from standard input, so a game can also be scripted.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete play
  gamete play --game checkers --depth 9 --save games.pdn
  gamete play --white chess/classic --black human --movetime 200
  gamete play --white human --black human --pieces symbols
  gamete play --black 'cmd=stockfish option.Skill Level=3' --movetime 100
  gamete play --white chess/classic --black my-player.toml --nodes 20000 --save match.pgn
  gamete play --resume games.pgn --game-number 3 --save games.pgn
  gamete play --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1'")]
pub struct Args {
    /// The game [default: that of the FEN, file or players, else chess]
    #[arg(long, value_name = "GAME", value_parser = game_parser())]
    game: Option<GameName>,

    /// Who plays White [default: human if White moves first]
    #[arg(long, value_name = "human|PLAYER|cmd=PROGRAM")]
    white: Option<String>,

    /// Who plays Black [default: human if Black moves first]
    #[arg(long, value_name = "human|PLAYER|cmd=PROGRAM")]
    black: Option<String>,

    /// Search depth of players, in plies
    #[arg(long, value_name = "N")]
    depth: Option<u32>,

    /// Nodes that players search per move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Milliseconds that players think per move [default: 1000, if there is no other limit]
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,

    /// Hash memory of each player, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 64)]
    hash: usize,

    /// Position to start from [default: the start position]
    #[arg(long)]
    fen: Option<String>,

    /// Continue a game from this file
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    resume: Option<PathBuf>,

    /// With --resume: which game of the file, from 1 [default: the last]
    #[arg(long, value_name = "N", requires = "resume")]
    game_number: Option<u64>,

    /// Save the game to this file after every move, after any other games in it
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Turn the board around; by default a human who plays against a player is at the bottom, otherwise White
    #[arg(long)]
    flip: bool,

    /// How pieces are shown
    #[arg(long, value_enum, default_value_t = Pieces::Letters)]
    pieces: Pieces,

    /// Seed of players with noise; every game gets its own
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Stop after this many moves by each side
    #[arg(long, value_name = "N")]
    moves: Option<u64>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let white = load_seat("--white", args.white.as_deref())?;
    let black = load_seat("--black", args.black.as_deref())?;
    let seats = ByColor { white, black };
    dispatch!(find_game(args, &seats)?, G => play::<G>(args, seats))
}

fn play<G: Playable>(args: &Args, named: ByColor<Option<Seat>>) -> Result<ExitCode> {
    let options = options::<G>(args)?;
    let resumed =
        args.resume.as_deref().map(|path| Resumed::<G>::load(path, args.game_number)).transpose()?;
    let seats = find_seats::<G>(named, resumed.as_ref().map(|resumed| &resumed.game.tags));
    if let Some(resumed) = resumed.as_ref().filter(|resumed| resumed.variations > 0) {
        errln!("{}: {} variations left out", resumed.path.display(), resumed.variations);
    }
    let start = match resumed {
        Some(resumed) => Start::Game(resumed),
        None => Start::Position(parse_position(args.fen.as_deref())?),
    };
    TerminalGame::new(start, &seats, options, args.save.as_deref())?.run()
}

fn load_seat(option: &str, text: Option<&str>) -> Result<Option<Seat>> {
    text.map(|text| Seat::load(text).with_context(|| format!("{option} {text}"))).transpose()
}

/// The game that the options speak of.
fn find_game(args: &Args, seats: &ByColor<Option<Seat>>) -> Result<GameName> {
    let of_file = match &args.resume {
        None => None,
        Some(path) => match (Format::of_path(path), args.game) {
            (Some(Format::Games(game)), _) => Some(game),
            (Some(Format::Positions), _) => {
                bail!("{}: has positions, not games; start from one with --fen", path.display())
            }
            (None, Some(game)) => Some(game),
            (None, None) => {
                let games = GameName::list("or");
                bail!("{}: cannot tell the game from the name; say --game {games}", path.display())
            }
        },
    };
    if let (Some(path), Some(file), Some(game)) = (&args.resume, of_file, args.game)
        && file != game
    {
        bail!("{}: holds games of {file} by its name, not of {game}; leave out --game", path.display());
    }
    let of_fen = args.fen.as_deref().filter(|fen| !fen.starts_with("start"));
    let mut players = [&seats.white, &seats.black].into_iter().flatten().filter_map(Seat::game);
    let named = args.game.or(of_file).or_else(|| of_fen.map(|fen| GameName::of_fen(Some(fen))));
    Ok(named.or_else(|| players.next()).unwrap_or_default())
}

/// Who sits where, given those that were named and the tags of a game that goes on.
fn find_seats<G: Playable>(named: ByColor<Option<Seat>>, tags: Option<&Tags>) -> ByColor<Seat> {
    match (named.white, named.black) {
        (Some(white), Some(black)) => ByColor { white, black },
        (Some(white), None) => ByColor { black: white.usual_opponent::<G>(), white },
        (None, Some(black)) => ByColor { white: black.usual_opponent::<G>(), black },
        (None, None) => {
            let tag = |name| Seat::of_tag::<G>(tags?.get(name)?);
            if let (Some(white), Some(black)) = (tag("White"), tag("Black")) {
                return ByColor { white, black };
            }
            let starter = G::start().turn();
            ByColor::new_with(
                |color: Color| {
                    if color == starter { Seat::Human } else { Seat::default_computer::<G>() }
                },
            )
        }
    }
}

fn options<G: Playable>(args: &Args) -> Result<Options> {
    let depth = args.depth.map(u64::from);
    check("--depth", depth, u64::from(Searcher::<G>::MAX_DEPTH), "plies")?;
    check("--nodes", args.nodes, u64::MAX, "positions")?;
    check("--movetime", args.movetime, 24 * 60 * 60 * 1000, "milliseconds")?;
    check("--hash", Some(args.hash as u64), 1 << 16, "megabytes")?;
    check("--moves", args.moves, u64::MAX, "moves")?;
    check("--game-number", args.game_number, u64::MAX, "the number of a game")?;
    let unlimited = args.depth.is_none() && args.nodes.is_none();
    let time = args.movetime.map(Duration::from_millis).or(unlimited.then_some(USUAL_TIME));
    Ok(Options {
        limit: Limit { depth: args.depth, nodes: args.nodes, time, ..Limit::INFINITE },
        max_moves: args.moves,
        seed: args.seed,
        hash_bytes: args.hash << 20,
        pieces: args.pieces,
        flip: args.flip,
    })
}

fn check(option: &str, value: Option<u64>, most: u64, unit: &str) -> Result<()> {
    match value {
        Some(0) if most == u64::MAX => bail!("{option} 0: must be at least 1 ({unit})"),
        Some(value) if value == 0 || value > most => {
            bail!("{option} {value}: must be from 1 to {most} ({unit})")
        }
        _ => Ok(()),
    }
}
