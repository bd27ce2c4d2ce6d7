use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use gamete_engine::Limit;

use super::Opening;
use crate::{ModelInfo, Playable, Player, Rng};

/// Half a pawn or man.
const EVEN: i32 = 500;

/// Openings that were drawn are kept, so many of them: the games of an opening are played and counted one after another.
const KEPT: usize = 256;

/// Openings by number, each a start and random moves after which a quick search finds neither side much ahead.
///
/// An opening depends on the seed and its number alone.
pub struct RandomOpenings<G: Playable> {
    seed: u64,
    plies: usize,
    start: fn(&mut Rng) -> G,
    kept: Mutex<VecDeque<(u64, Opening<G>)>>,
}

/// As many random moves as people mean by an opening.
pub const RANDOM_PLIES: usize = 6;

/// With more random moves even positions are too hard to find.
pub const MAX_RANDOM_PLIES: usize = 40;

impl<G: Playable> RandomOpenings<G> {
    /// Openings of so many plies from the start position.
    pub fn new(seed: u64, plies: usize) -> Self {
        Self::from_starts(seed, plies, |_| G::start())
    }

    /// Openings of so many plies from starts that are drawn, too.
    pub(crate) fn from_starts(seed: u64, plies: usize, start: fn(&mut Rng) -> G) -> Self {
        Self { seed, plies, start, kept: Mutex::default() }
    }

    /// Openings of so many plies from the shuffled start positions of a variant, or the usual one if there is no variant.
    pub fn shuffled(seed: u64, plies: usize) -> Self {
        Self::from_starts(seed, plies, shuffled_start)
    }

    /// How many random moves there are.
    pub fn plies(&self) -> usize {
        self.plies
    }

    /// The opening with this number.
    pub fn opening(&self, number: u64) -> Opening<G> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, opening)) = kept().iter().find(|&&(known, _)| known == number) {
            return opening.clone();
        }
        let mut rng = Rng::new(self.seed).fork(&format!("opening {number}"));
        let opening = draw(self.start, self.plies, &mut rng);
        let mut kept = kept();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((number, opening.clone()));
        opening
    }
}

/// A shuffled start position of the variant that has such, or the usual one if there is no variant.
pub(super) fn shuffled_start<G: Playable>(rng: &mut Rng) -> G {
    match G::SHUFFLED_STARTS {
        Some(list) => (list.opening)(rng.below(list.count as u64) as usize).0,
        None => G::start(),
    }
}

/// So often an opening is drawn before it is tried with a ply less.
const MAX_TRIES: u32 = 1_000;

/// A start and so many random moves, drawn again until a quick search finds neither side much ahead. In games that are over
/// sooner there are fewer.
pub(super) fn draw<G: Playable>(start: fn(&mut Rng) -> G, plies: usize, rng: &mut Rng) -> Opening<G> {
    let player = Player::new(ModelInfo::default_for(G::GAME_NAME));
    let mut engine = G::engine(&player, 1 << 20).expect("the model of the game");
    let (mut plies, mut tries) = (plies, 0);
    loop {
        tries += 1;
        if tries > MAX_TRIES {
            (plies, tries) = (plies.saturating_sub(1), 0);
        }
        let mut opening = Opening::new(start(rng));
        let mut line = opening.line();
        while opening.moves.len() < plies && line.ending().is_none() {
            let moves = line.position().moves();
            let mv = moves[rng.below(moves.len() as u64) as usize];
            opening.moves.push(mv);
            line.play(mv);
        }
        if line.ending().is_some() {
            continue;
        }
        engine.new_game(0);
        let found = engine.search(&line, &Limit::depth(4), &AtomicBool::new(false), None, &mut |_| ());
        let is_even = !found.score.is_end() && found.score.millipawns().abs() <= EVEN;
        if is_even || plies == 0 {
            return opening;
        }
    }
}

#[cfg(test)]
mod tests {
    use gamete_chess::Position;

    use super::*;

    #[test]
    fn an_opening_depends_on_seed_and_number_alone() {
        let openings = RandomOpenings::<Position>::new(7, 6);
        let drawn: Vec<_> = (0..4).map(|number| openings.opening(number)).collect();
        let again = RandomOpenings::<Position>::new(7, 6);
        for number in [2, 0, 3, 1, 2] {
            assert_eq!(again.opening(number), drawn[number as usize]);
        }
        assert!((1..4).all(|number| drawn[number] != drawn[0]));
        assert_ne!(RandomOpenings::<Position>::new(8, 6).opening(0), drawn[0]);
        assert!(drawn.iter().all(|opening| opening.moves.len() == 6 && opening.ending().is_none()));
    }

    #[test]
    fn chess960_has_starts_of_its_own() {
        let openings = RandomOpenings::<Position>::shuffled(7, 2);
        let starts: Vec<_> = (0..3).map(|number| openings.opening(number).start).collect();
        assert!(starts[0] != starts[1] && starts.iter().any(Position::is_chess960));
    }
}
