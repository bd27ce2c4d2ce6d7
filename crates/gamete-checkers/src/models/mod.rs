//! What a position may be worth, as models whose weights somebody has to choose.

mod material;
#[cfg(test)]
mod noise_tests;
mod on_squares;
mod pieces;
mod squares;
mod squares_symmetric;

pub use material::Material;
pub use squares::Squares;
pub use squares_symmetric::SquaresSymmetric;

#[cfg(test)]
mod tests {
    use gamete_game::{Evaluator, Features, Game, Linear, Model, Noisy, Tactics};
    use proptest::prelude::*;

    use super::*;
    use crate::Position;
    use crate::strategies::{reachable, scattered};

    /// Weights that are all different.
    fn linear<M: Model<Position>>() -> Linear<Position, M> {
        let weight = |n: usize| (n as f64 * 0.7).sin() * 3.0;
        Linear::new(&(0..M::WEIGHTS.len()).map(weight).collect::<Vec<_>>())
    }

    fn check<M: Model<Position>>(position: &Position) {
        let plain = linear::<M>();
        let noisy = Noisy::new(linear::<M>(), 7);
        for mv in position.moves() {
            let mut next = position.clone();
            next.play(mv);

            let mut features = Features::of::<Position, M>(position);
            M::accumulate_move(position, mv, &mut features);
            assert_eq!(features, Features::of::<Position, M>(&next), "{mv}");

            let total = plain.total_after(plain.total(position), position, mv);
            assert_eq!(total, plain.total(&next));
            assert_eq!(plain.evaluate_total(total, &next), plain.evaluate(&next));
            assert_eq!(noisy.evaluate_total(total, &next), noisy.evaluate(&next));

            if !position.is_tactical(mv) {
                let total = plain.total(position);
                for (bounds, score) in [
                    (plain.quiet_bounds(total, position), -plain.evaluate(&next)),
                    (noisy.quiet_bounds(total, position), -noisy.evaluate(&next)),
                ] {
                    let [least, most] = bounds.expect("a model that knows all steps");
                    assert!(least <= score && score <= most, "{mv}: {score} from {least} to {most}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn what_a_move_changes_is_what_accumulating_afresh_finds(position in prop_oneof![scattered(), reachable()]) {
            check::<Material>(&position);
            check::<Squares>(&position);
            check::<SquaresSymmetric>(&position);
        }
    }
}
