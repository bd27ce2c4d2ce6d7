use gamete_game::{Game, Model, Parameter};

use crate::GameName;
use crate::nearest::suggest;

/// What there is to know of a model without playing it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelInfo {
    /// The name by which users choose it.
    pub name: &'static str,
    /// The game it evaluates.
    pub game: GameName,
    /// What it is, in a line.
    pub about: &'static str,
    /// Its weights, in order.
    pub weights: &'static [Parameter],
    /// Thousandths of a pawn that one unit of weight is worth.
    pub scale: f64,
}

/// There is no such model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model {name:?}{hint}")]
pub struct UnknownModel {
    /// What was asked for.
    pub name: String,
    /// What was probably meant.
    pub hint: String,
}

impl ModelInfo {
    /// Every model.
    pub const ALL: &'static [Self] = &[
        Self::of::<gamete_chess::Position, gamete_chess::KendallWhitwell>(GameName::Chess),
        Self::of::<gamete_chess::Position, gamete_chess::Material>(GameName::Chess),
        Self::of::<gamete_chess::Position, gamete_chess::MaterialPhased>(GameName::Chess),
        Self::of::<gamete_chess::Position, gamete_chess::Classic>(GameName::Chess),
        Self::of::<gamete_checkers::Position, gamete_checkers::Material>(GameName::Checkers),
        Self::of::<gamete_checkers::Position, gamete_checkers::Squares>(GameName::Checkers),
        Self::of::<gamete_checkers::Position, gamete_checkers::SquaresSymmetric>(GameName::Checkers),
    ];

    const fn of<G: Game, M: Model<G>>(game: GameName) -> Self {
        Self { name: M::NAME, game, about: M::ABOUT, weights: M::WEIGHTS, scale: M::SCALE }
    }

    /// The model with this name.
    ///
    /// # Errors
    ///
    /// With the nearest name, when there is none.
    pub fn find(name: &str) -> Result<&'static Self, UnknownModel> {
        Self::ALL.iter().find(|model| model.name == name).ok_or_else(|| {
            let hint = suggest(name, Self::ALL.iter().map(|model| model.name));
            UnknownModel { name: name.to_owned(), hint }
        })
    }

    /// The model that a game is played with when nothing else is said.
    pub fn default_for(game: GameName) -> &'static Self {
        let name = match game {
            GameName::Chess => "chess/classic",
            GameName::Checkers => "checkers/material",
        };
        Self::find(name).expect("a model of the catalog")
    }

    /// The index of a weight.
    pub fn weight(&self, name: &str) -> Option<usize> {
        self.weights.iter().position(|weight| weight.name == name)
    }
}
