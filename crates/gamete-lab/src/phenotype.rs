use gamete_arena::{Adjudication, Contestant, GameName, GameTask, Limits, OpeningText, Player};
use gamete_engine::SearchSettings;
use gamete_game::whole_weights;
use gamete_optim::{Genome, Space};

use crate::breed::{Breed, SEARCH};

/// How a genome becomes a player: what all players have in common, and where each number goes.
#[derive(Debug, Clone)]
pub struct Phenotype {
    template: Player,
    space: Space,
    limits: Limits,
    adjudication: Adjudication,
}

impl Phenotype {
    /// A phenotype of these players.
    pub fn new(breed: &Breed) -> Self {
        Self {
            template: breed.template().expect("a player, as the experiment was checked"),
            space: breed.space().expect("a space, as the experiment was checked"),
            limits: breed.limits,
            adjudication: breed.adjudication(),
        }
    }

    /// The weights and settings that are sought.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Puts a genome to work.
    pub fn contestant(&self, name: &str, genome: &[f64]) -> Contestant {
        Contestant::new(self.player(name, genome), self.limits)
    }

    /// The player of a genome.
    pub(crate) fn player(&self, name: &str, genome: &[f64]) -> Player {
        let mut player = self.template.clone();
        name.clone_into(&mut player.name);
        let mut values = self.space.values(genome);
        let count = player.model().weights.len();
        let weights: Vec<f64> = values.by_ref().take(count).map(|(_, value)| value).collect();
        player.set_weights(&weights);
        for (name, value) in values {
            let setting = name.strip_prefix(SEARCH).expect("a setting, as what is no weight");
            player.set_search(setting, value).expect("a value of its range, as the space was checked");
        }
        player
    }

    /// The weights of a genome as they are multiplied.
    pub(crate) fn whole_weights(&self, genome: &[f64]) -> Vec<i32> {
        let player = self.player("", genome);
        whole_weights(player.weights(), player.model().scale)
    }

    /// Puts a population to work, its members numbered from 1.
    pub fn contestants<'a>(&self, genomes: impl Iterator<Item = &'a Genome>) -> Vec<Contestant> {
        (1..)
            .zip(genomes)
            .map(|(number, genome)| self.contestant(&format!("player {number}"), genome))
            .collect()
    }

    /// A game of two contestants, White and Black, from an opening.
    pub fn game_of(&self, opening: &OpeningText, players: [&Contestant; 2], seed: u64) -> GameTask {
        let [white, black] = players;
        GameTask {
            game: self.game(),
            start: opening.start.clone(),
            book: opening.book.clone(),
            white: white.clone(),
            black: black.clone(),
            adjudication: self.adjudication,
            seed,
            details: false,
        }
    }

    /// Two games of two contestants from one opening, the first having White first.
    pub fn pair(&self, opening: &OpeningText, players: [&Contestant; 2], seed: u64) -> [GameTask; 2] {
        let [first, second] = players;
        [self.game_of(opening, [first, second], seed), self.game_of(opening, [second, first], seed)]
    }

    /// The same players with so much thought to each move.
    #[must_use]
    pub(crate) fn with_limits(mut self, limits: Option<Limits>) -> Self {
        self.limits = limits.unwrap_or(self.limits);
        self
    }

    /// Puts the weights to work that the model has without evolution.
    pub fn classical(&self) -> Contestant {
        let mut player = self.template.clone();
        player.name = "classical".to_owned();
        Contestant::new(player, self.limits)
    }

    /// How players search where nothing is sought of it.
    pub(crate) fn search(&self) -> &SearchSettings {
        &self.template.search
    }

    /// Has games decided by what players think of them, or by endgame tables, as these rules say.
    pub(crate) fn set_rules(&mut self, rules: &Adjudication) {
        let &Adjudication { draw, resign, tablebase, .. } = rules;
        self.adjudication = Adjudication { draw, resign, tablebase, ..self.adjudication };
    }

    /// When games are decided before their end.
    pub(crate) fn adjudication(&self) -> Adjudication {
        self.adjudication
    }

    /// Gives games up after so many full moves.
    pub(crate) fn set_max_moves(&mut self, moves: u32) {
        self.adjudication.max_moves = Some(moves);
    }

    /// Where games start by the rules.
    pub fn start(&self) -> OpeningText {
        OpeningText::initial(self.game())
    }

    /// Which game is played.
    pub fn game(&self) -> GameName {
        self.template.model().game
    }
}
