use std::sync::LazyLock;

use gamete_game::{BoardGame, ModelFacts, ModelList, Parameter};

use crate::nearest::suggest;
use crate::{GameName, Playable};

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
    /// What features are divided by.
    pub divisor: i32,
    /// Its place in the list of the game's models.
    pub(crate) index: usize,
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
    /// Every model, game by game.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<ModelInfo>> = LazyLock::new(|| {
            GameName::ALL.iter().flat_map(|&game| dispatch!(game, G => of_game::<G>())).collect()
        });
        &ALL
    }

    /// The models of a game.
    pub fn of_game(game: GameName) -> impl Iterator<Item = &'static Self> {
        Self::all().iter().filter(move |model| model.game == game)
    }

    /// The model with this name.
    ///
    /// # Errors
    ///
    /// With the nearest name, when there is none.
    pub fn find(name: &str) -> Result<&'static Self, UnknownModel> {
        Self::all().iter().find(|model| model.name == name).ok_or_else(|| {
            let hint = suggest(name, Self::all().iter().map(|model| model.name));
            UnknownModel { name: name.to_owned(), hint }
        })
    }

    /// The model that a game is played with when nothing else is said.
    pub fn default_for(game: GameName) -> &'static Self {
        let name = dispatch!(game, G => G::DEFAULT_MODEL.name);
        Self::find(name).expect("a model of the game")
    }

    /// The index of a weight.
    pub fn weight(&self, name: &str) -> Option<usize> {
        self.weights.iter().position(|weight| weight.name == name)
    }
}

fn of_game<G: Playable>() -> Vec<ModelInfo> {
    let facts = <<G as BoardGame>::Models as ModelList<G>>::FACTS;
    let info = |(index, facts): (usize, &ModelFacts)| {
        let &ModelFacts { name, about, weights, scale, divisor } = facts;
        ModelInfo { name, game: G::GAME_NAME, about, weights, scale, divisor, index }
    };
    facts.iter().enumerate().map(info).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_default_model_of_its_own() {
        for &game in GameName::ALL {
            assert_eq!(ModelInfo::default_for(game).game, game);
            for model in ModelInfo::of_game(game) {
                assert!(model.name.starts_with(&format!("{game}/")), "{}", model.name);
                assert_eq!(ModelInfo::find(model.name), Ok(model), "names are unique");
            }
        }
    }
}
