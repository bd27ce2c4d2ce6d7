use gamete_arena::Playable;
use gamete_checkers::Pdn;
use gamete_chess::Pgn;
use gamete_game::Format;

use crate::draw::Draw;
use crate::files;

/// A game that people can play in the terminal: what they call things in it.
pub trait BoardGame: Playable + Draw {
    /// How its files spell games.
    type Format: Format<Game = Self> + Default;

    /// What its files are.
    const FILES: files::Format;

    /// How a player stands who must answer something.
    const FORCED: &'static str;

    /// Why such a player cannot play any move.
    const FORCED_MOVE: &'static str;

    /// How moves are typed.
    const EXAMPLES: &'static str;

    /// The squares that a text names, in order.
    fn squares_in(text: &str) -> Vec<String>;

    /// The square that a piece leaves and the one it goes to.
    fn ends(mv: Self::Move) -> [String; 2];
}

impl BoardGame for gamete_chess::Position {
    type Format = Pgn;

    const FILES: files::Format = files::Format::Pgn;
    const FORCED: &'static str = "in check";
    const FORCED_MOVE: &'static str = "you are in check";
    const EXAMPLES: &'static str = "e4, Nf3, exd5, O-O, e8=Q or g1f3";

    fn squares_in(text: &str) -> Vec<String> {
        let is_square = |pair: &&[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'8']);
        let pairs = text.as_bytes().windows(2).filter(is_square);
        pairs.map(|pair| String::from_utf8_lossy(pair).into_owned()).collect()
    }

    fn ends(mv: Self::Move) -> [String; 2] {
        [mv.from, mv.to].map(|square| square.to_string())
    }
}

impl BoardGame for gamete_checkers::Position {
    type Format = Pdn;

    const FILES: files::Format = files::Format::Pdn;
    const FORCED: &'static str = "must jump";
    const FORCED_MOVE: &'static str = "a jump is compulsory";
    const EXAMPLES: &'static str = "11-15, 22x15 or 1x10x19";

    fn squares_in(text: &str) -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_digit());
        let squares = words.filter_map(|word| word.parse::<gamete_checkers::Square>().ok());
        squares.map(|square| square.to_string()).collect()
    }

    fn ends(mv: Self::Move) -> [String; 2] {
        [mv.from(), mv.to()].map(|square| square.to_string())
    }
}
