use std::marker::PhantomData;

use super::{Format, Tags, Transcript};
use crate::Game;

/// Game files in the manner of PGN, for games that have no format of their own: tag pairs, numbered moves, and the result
/// with White's points first. A tag `Variant` has the name of the game, and `FEN` a start position that is not the usual.
#[derive(Debug, Clone, Copy)]
pub struct TaggedText<G>(PhantomData<fn() -> G>);

impl<G> Default for TaggedText<G> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<G: Game> Format for TaggedText<G> {
    type Game = G;

    fn start(&self, tags: &Tags) -> Result<G, String> {
        if let Some(variant) = tags.get("Variant").filter(|variant| *variant != G::NAME) {
            return Err(format!("the Variant tag says {variant:?}; this is a file of {}", G::NAME));
        }
        tags.find("FEN").map_or_else(
            || Ok(G::start()),
            |fen| fen.parse().map_err(|error| format!("the FEN tag is wrong: {error}")),
        )
    }

    fn tags(&self, game: &Transcript<G>) -> Tags {
        let mut tags = game.tags.clone();
        tags.set("Result", self.result_text(game.outcome));
        tags.set("Variant", G::NAME);
        tags.remove("SetUp");
        tags.remove("FEN");
        if game.start != G::start() {
            tags.set("SetUp", "1");
            tags.set("FEN", game.start.to_string());
        }
        if tags.get("PlyCount").is_some() {
            tags.set("PlyCount", game.plies.len().to_string());
        }
        tags
    }
}
