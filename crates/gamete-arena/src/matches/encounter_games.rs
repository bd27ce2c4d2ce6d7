use std::collections::BTreeMap;

use crate::task::GameOutcome;

/// Games by their numbers, put together as encounters.
#[derive(Debug, Clone)]
pub struct EncounterGames {
    each: u64,
    encounters: BTreeMap<u64, Vec<Option<GameOutcome>>>,
}

impl EncounterGames {
    /// No games yet, of encounters of so many.
    pub fn new(each: u64) -> Self {
        Self { each, encounters: BTreeMap::new() }
    }

    /// Takes a game.
    pub fn insert(&mut self, number: u64, game: GameOutcome) {
        let encounter = self.encounters.entry(number / self.each);
        encounter.or_insert_with(|| vec![None; self.each as usize])[(number % self.each) as usize] =
            Some(game);
    }

    /// The encounters that have a game, in order, each with those of its games that there are.
    pub fn into_encounters(self) -> impl Iterator<Item = (u64, Vec<Option<GameOutcome>>)> {
        self.encounters.into_iter()
    }
}
