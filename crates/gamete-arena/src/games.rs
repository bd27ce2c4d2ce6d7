//! The games: one list, and what asks which of them it is.

use std::fmt;
use std::str::FromStr;

use gamete_game::{BoardGame, Color, Features, Game, OpeningList};
use serde::{Deserialize, Serialize};

use crate::adjudication::syzygy_value;
use crate::engine::{Extras, features_of, new_engine};
use crate::notation::notated_pgn;
use crate::openings::read_epd;
use crate::suite::read_epd_suite;
use crate::uci::uci_seat;
use crate::{Engine, ModelInfo, Playable, Player, WrongGame};

/// Declares the games. Each is a line: a variant of [`GameName`], the type of its positions, and what of [`Extras`] it has.
///
/// `$dollar` is a dollar sign, which a macro cannot write into another one by itself.
macro_rules! games {
    ($dollar:tt $($(#[$doc:meta])* $name:ident => $position:ty $(, $extra:ident: $value:expr)*;)*) => {
        /// The games that can be chosen.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(into = "&'static str", try_from = "String")]
        pub enum GameName {
            $($(#[$doc])* $name,)*
        }

        impl GameName {
            /// All games.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
        }

        /// The types of positions under the names of their games.
        pub mod positions {
            $($(#[$doc])* pub type $name = $position;)*
        }

        /// Evaluates an expression with the type of a game's positions: `dispatch!(game, G => G::start().to_string())`.
        #[macro_export]
        macro_rules! dispatch {
            ($dollar game:expr, $dollar position:ident => $dollar body:expr) => {
                match $dollar game {
                    $($dollar crate::GameName::$name => {
                        type $dollar position = $dollar crate::games::positions::$name;
                        $dollar body
                    })*
                }
            };
        }

        /// Something of each game.
        #[expect(non_snake_case, reason = "a field has the name of its game")]
        pub struct PerGame<F: OfGame> {
            $($name: F::Of<$position>,)*
        }

        impl<F: OfGame> PerGame<F> {
            /// Makes it for each game.
            pub fn new(make: &F) -> Self {
                Self { $($name: make.make(),)* }
            }
        }

        $(impl Playable for $position {
            const GAME_NAME: GameName = GameName::$name;
            const EXTRAS: Extras<Self> = {
                let extras = Extras::NONE;
                $(let extras = Extras { $extra: Some($value), ..extras };)*
                extras
            };

            fn engine(player: &Player, hash_bytes: usize) -> Result<Box<dyn Engine<Self>>, WrongGame> {
                new_engine(player, hash_bytes)
            }

            fn features(&self, model: &ModelInfo) -> Result<Features, WrongGame> {
                features_of(self, model)
            }

            fn own<F: OfGame>(all: &mut PerGame<F>) -> &mut F::Of<Self> {
                &mut all.$name
            }
        })*
    };
}

/// A family of types, one for each game; what makes one of them.
pub trait OfGame {
    /// The type for a game.
    type Of<G: Playable>;

    /// Makes one.
    fn make<G: Playable>(&self) -> Self::Of<G>;
}

games! { $
    /// Chess and Chess960.
    Chess => gamete_chess::Position,
        program: uci_seat, tablebase: syzygy_value, read_positions: read_epd, read_suite: read_epd_suite,
        game_text: notated_pgn;
    /// English checkers.
    Checkers => gamete_checkers::Position;
    /// Connect four on 7 columns of 6 squares.
    ConnectFour => gamete_connect_four::Position;
}

/// What a list of openings is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpeningListName {
    /// The word by which users ask for it.
    pub word: &'static str,
    /// What it is called in the configuration of a match.
    pub title: &'static str,
}

impl OpeningListName {
    fn of<G: BoardGame>(list: Option<OpeningList<G>>) -> Option<Self> {
        list.map(|list| Self { word: list.word, title: list.title })
    }
}

impl GameName {
    /// The name that users type.
    pub const fn as_str(self) -> &'static str {
        dispatch!(self, G => G::NAME)
    }

    /// The ending of the names of its game files.
    pub const fn file_ending(self) -> &'static str {
        dispatch!(self, G => G::FILE_ENDING)
    }

    /// The game whose files have names with this ending.
    pub fn of_file_ending(ending: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.file_ending() == ending)
    }

    /// The game whose positions are written like `fen`; the first one if nothing tells.
    pub fn of_fen(fen: Option<&str>) -> Self {
        let fits = |game: &Self| fen.is_some_and(|fen| dispatch!(*game, G => G::is_fen(fen)));
        Self::ALL.iter().copied().find(fits).unwrap_or_default()
    }

    /// The game that other programs play.
    pub fn of_programs() -> Self {
        let plays = |game: &Self| dispatch!(*game, G => G::EXTRAS.program.is_some());
        Self::ALL.iter().copied().find(plays).unwrap_or_default()
    }

    /// Whether there are files of its positions with best moves.
    pub const fn has_suites(self) -> bool {
        dispatch!(self, G => G::EXTRAS.read_suite.is_some())
    }

    /// The names of the games that have suites.
    pub(crate) fn with_suites() -> String {
        listed(Self::ALL.iter().filter(|game| game.has_suites()).map(|game| game.as_str()), "and")
    }

    /// Who moves first.
    pub fn starter(self) -> Color {
        dispatch!(self, G => G::start().turn())
    }

    /// Whether evaluations may have noise.
    pub(crate) const fn has_noise(self) -> bool {
        dispatch!(self, G => G::NOISE)
    }

    /// Whether draws by repetition and by counting moves can be left out.
    pub const fn can_forget_past(self) -> bool {
        dispatch!(self, G => G::FORGET_PAST.is_some())
    }

    /// Whether there are endgame tables.
    pub const fn has_tablebase(self) -> bool {
        dispatch!(self, G => G::EXTRAS.tablebase.is_some())
    }

    /// Whether its files can have moves in more than one notation.
    pub const fn has_notations(self) -> bool {
        dispatch!(self, G => G::EXTRAS.game_text.is_some())
    }

    /// Plies that a search of a few milliseconds looks ahead.
    pub(crate) const fn quick_depth(self) -> u32 {
        dispatch!(self, G => G::QUICK_DEPTH)
    }

    /// The openings that a match starts from before random ones.
    pub fn openings(self) -> Option<OpeningListName> {
        dispatch!(self, G => OpeningListName::of(G::OPENINGS))
    }

    /// The start positions of the variant with shuffled pieces.
    pub fn shuffled_starts(self) -> Option<OpeningListName> {
        dispatch!(self, G => OpeningListName::of(G::SHUFFLED_STARTS))
    }

    /// The names of all games in a sentence, the last with `last` before it: `chess or checkers`.
    pub fn list(last: &str) -> String {
        listed(Self::ALL.iter().map(|game| game.as_str()), last)
    }
}

/// Words with commas between them, and `last` before the last.
pub(crate) fn listed(words: impl IntoIterator<Item = &'static str>, last: &str) -> String {
    let words: Vec<_> = words.into_iter().collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., end] => format!("{} {last} {end}", others.join(", ")),
    }
}

/// The first game, which is meant where nothing tells.
impl Default for GameName {
    fn default() -> Self {
        Self::ALL[0]
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<GameName> for &'static str {
    fn from(game: GameName) -> Self {
        game.as_str()
    }
}

/// There is no such game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown game {0:?}; there are {games}", games = GameName::list("and"))]
pub struct UnknownGame(pub String);

impl FromStr for GameName {
    type Err = UnknownGame;

    fn from_str(name: &str) -> Result<Self, UnknownGame> {
        let game = Self::ALL.iter().copied().find(|game| game.as_str() == name);
        game.ok_or_else(|| UnknownGame(name.to_owned()))
    }
}

impl TryFrom<String> for GameName {
    type Error = UnknownGame;

    fn try_from(name: String) -> Result<Self, UnknownGame> {
        name.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for &game in GameName::ALL {
            assert_eq!(game.to_string().parse(), Ok(game));
            let json = serde_json::to_string(&game).expect("plain data");
            assert_eq!(json, format!("\"{game}\""));
            assert_eq!(serde_json::from_str::<GameName>(&json).expect("a game"), game);
            assert_eq!(GameName::of_file_ending(game.file_ending()), Some(game));
        }
        let unknown = "go".parse::<GameName>().expect_err("no game of ours").to_string();
        assert!(unknown.starts_with("unknown game \"go\"; there are chess"), "{unknown}");
    }

    #[test]
    fn positions_tell_their_game() {
        for &game in GameName::ALL {
            let start = dispatch!(game, G => G::start().to_string());
            assert_eq!(GameName::of_fen(Some(&start)), game);
        }
        assert_eq!(GameName::of_fen(Some("B:W99:B")), GameName::Checkers, "even with mistakes");
        assert_eq!(GameName::of_fen(Some("8/8 w")), GameName::Chess);
        assert_eq!(GameName::of_fen(None), GameName::Chess);
    }

    #[test]
    fn words_are_listed_as_people_do() {
        assert_eq!(listed([], "or"), "");
        assert_eq!(listed(["a"], "or"), "a");
        assert_eq!(listed(["a", "b", "c"], "or"), "a, b or c");
    }
}
