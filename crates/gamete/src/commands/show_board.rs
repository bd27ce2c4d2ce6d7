use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use gamete_arena::{GameName, dispatch};
use gamete_game::{BoardGame, Color, Game};

use crate::draw::{Pieces, View, draw};
use crate::files::game_parser;
use crate::terminal::outln;

/// Draw a position in the terminal.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete show-board
  gamete show-board 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3'
  gamete show-board B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29")]
pub struct Args {
    /// A FEN of any game, with or without quotes [default: the start position]
    fen: Vec<String>,

    /// The game, if the FEN does not tell
    #[arg(long, value_name = "GAME", value_parser = game_parser())]
    game: Option<GameName>,

    /// How pieces are shown
    #[arg(long, value_enum, default_value_t = Pieces::Letters)]
    pieces: Pieces,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let fen = Some(args.fen.join(" ")).filter(|fen| !fen.is_empty());
    let game = args.game.unwrap_or_else(|| GameName::of_fen(fen.as_deref()));
    dispatch!(game, G => show::<G>(fen.as_deref(), args.pieces))
}

fn show<G: BoardGame>(fen: Option<&str>, pieces: Pieces) -> Result<ExitCode> {
    let position = parse_position::<G>(fen)?;
    let view = View { pieces, below: Color::White, marks: Vec::new() };
    write!(anstream::stdout(), "{}", draw(&position, &view))?;
    outln!("{position}")?;
    match position.ending() {
        Some(ending) => {
            let winner =
                ending.outcome.winner().map_or("drawn".to_owned(), |color| format!("{color} has won"));
            outln!("{winner}: {}", ending.reason)?;
        }
        None => outln!("{} to move, {} legal moves", position.turn(), position.count_moves())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The position of a FEN, or the one that games start from.
pub fn parse_position<G: Game>(fen: Option<&str>) -> Result<G>
where
    G::Err: 'static,
{
    match fen {
        None | Some("start" | "startpos") => Ok(G::start()),
        Some(fen) => fen.parse().with_context(|| format!("FEN {fen:?}")),
    }
}
