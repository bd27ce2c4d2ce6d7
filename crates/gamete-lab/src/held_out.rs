use gamete_arena::{GameName, OpeningText, StartPositions};
use gamete_optim::Rng;

/// Which random openings are drawn, and which are held out of them: a share of all positions, chosen by a seed.
///
/// It depends on the position that an opening leads to, so that no position is on both sides, however it is reached and however
/// often a file has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOut {
    /// What the choice depends on.
    pub seed: u64,
    /// The share, from 0 to below 1.
    pub share: f64,
    /// Where they begin.
    pub starts: StartPositions,
}

impl HeldOut {
    /// The place of a position between 0 and 1: those below the share are held out.
    pub fn place(&self, key: u64) -> f64 {
        Rng::new(self.seed ^ key).fork("openings").uniform()
    }

    /// Draws random openings until one is held out, or until one is not.
    pub fn draw(&self, game: GameName, plies: usize, is_held_out: bool, rng: &mut Rng) -> OpeningText {
        self.draw_with_key(game, plies, is_held_out, rng).0
    }

    /// The same with the key of the position that it leads to.
    pub fn draw_with_key(
        &self,
        game: GameName,
        plies: usize,
        is_held_out: bool,
        rng: &mut Rng,
    ) -> (OpeningText, u64) {
        loop {
            let (opening, key) = OpeningText::random_with_key(game, self.starts, plies, rng);
            if (self.place(key) < self.share) == is_held_out {
                return (opening, key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_all_positions_is_held_out() {
        let held_out = HeldOut { seed: 7, share: 0.25, starts: StartPositions::Usual };
        let count = (0..4000_u64).filter(|key| held_out.place(key.wrapping_mul(0x9e37_79b9)) < 0.25).count();
        assert!((900..1100).contains(&count), "{count}");
        assert_ne!(held_out.place(1), HeldOut { seed: 8, ..held_out }.place(1));
    }

    #[test]
    fn random_openings_are_on_one_side() {
        let held_out = HeldOut { seed: 1, share: 0.5, starts: StartPositions::Usual };
        let draw = |is_held_out, seed| {
            let mut rng = Rng::new(seed);
            (0..20).map(|_| held_out.draw(GameName::Checkers, 6, is_held_out, &mut rng)).collect::<Vec<_>>()
        };
        let (ours, theirs) = (draw(true, 1), draw(false, 1));
        assert_eq!(ours, draw(true, 1));
        assert!(ours.iter().all(|opening| !theirs.contains(opening)), "{ours:?}");
    }
}
