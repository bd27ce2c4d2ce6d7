//! The noise of Hughes on positions of checkers.

use gamete_game::{Evaluator, Game, Linear, Noisy};
use proptest::prelude::*;

use super::Material;
use crate::Position;
use crate::strategies::{reachable, scattered};

fn material() -> Linear<Position, Material> {
    Linear::default()
}

#[test]
fn the_noise_is_uniform() {
    let position = Position::start();
    let mut counts = [0_u32; 101];
    for seed in 0..101_000 {
        let noise = Noisy::new(material(), seed).evaluate(&position).millipawns();
        counts[usize::try_from(noise + 50).expect("at most the amplitude")] += 1;
    }
    assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
}

#[test]
fn tanh_keeps_small_differences_and_loses_large_ones() {
    let tanh = |man: f64, fen: &str| {
        let weights = Linear::<Position, Material>::new(&[man, 1.3]);
        let silent = Noisy::new(weights, 0).with_amplitude(0.0).with_tanh();
        silent.evaluate(&fen.parse().expect("a FEN")).millipawns()
    };
    assert_eq!(tanh(1.0, "B:W32:B1"), 0);
    assert_eq!(tanh(1.0, "B:W32:B1,2"), 1000);
    assert_eq!(tanh(1.0, "W:W32:B1,2"), -1000);
    let (eight, nine) = ("B:W:B1,2,3,4,5,6,7,8", "B:W:B1,2,3,4,5,6,7,8,9");
    assert!(tanh(1.0, eight) < tanh(1.0, nine), "a double tells 8 from 9");
    assert_eq!(tanh(3.0, eight), tanh(3.0, nine), "but not 24 from 27");
}

proptest! {
    #[test]
    fn the_same_game_and_position_have_the_same_noise(position in reachable(), seed: u64) {
        let score = Noisy::new(material(), seed).evaluate(&position);
        prop_assert_eq!(Noisy::new(material(), seed).evaluate(&position), score);
        let plain = material().evaluate(&position).millipawns();
        prop_assert!((plain - score.millipawns()).abs() <= 50);
    }

    #[test]
    fn tanh_does_not_change_the_order(one in scattered(), other in scattered(), seed: u64) {
        let (plain, tanh) = (Noisy::new(material(), seed), Noisy::new(material(), seed).with_tanh());
        if plain.evaluate(&one) <= plain.evaluate(&other) {
            prop_assert!(tanh.evaluate(&one) <= tanh.evaluate(&other));
        }
    }
}
