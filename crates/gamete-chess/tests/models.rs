//! What must hold of every chess model, in every position that play can reach.

use gamete_chess::{Classic, KendallWhitwell, Material, MaterialPhased, Position, Tapered};
use gamete_game::{Evaluator, Features, Game, Kind, Linear, Model};
use proptest::prelude::*;

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Calls `f` with positions of random games, every second one from the start position of a Chess960.
fn for_each_position(seed: u64, count: usize, mut f: impl FnMut(&Position)) {
    let mut random = SplitMix(seed);
    let mut moves = Vec::new();
    let mut position = Position::start();
    for _ in 0..count {
        f(&position);
        moves.clear();
        position.for_each_move(|mv| moves.push(mv));
        if moves.is_empty() || position.ending().is_some() || position.move_number() > 150 {
            let start = [518, random.below(960) as u32][random.below(2)];
            position = Position::chess960_start(start);
        } else {
            position.play(moves[random.below(moves.len())]);
        }
    }
}

fn random_position() -> impl Strategy<Value = Position> {
    (any::<u64>(), 0..300_usize).prop_map(|(seed, plies)| {
        let mut last = Position::start();
        for_each_position(seed, plies, |position| last = position.clone());
        last
    })
}

fn random_weights<M: Model<Position>>(seed: u64) -> Linear<Position, M> {
    let mut random = SplitMix(seed);
    let weights = M::WEIGHTS.iter().map(|weight| weight.min + random.unit() * (weight.max - weight.min));
    Linear::new(&weights.collect::<Vec<_>>())
}

fn value_is_weights_times_features<M: Model<Position>>(model: &Linear<Position, M>, position: &Position) {
    let features = Features::of::<_, M>(position);
    let products = model.weights().iter().zip(&features.0).map(|(weight, count)| weight * count);
    assert_eq!(model.value(position), products.sum::<i32>() / M::DIVISOR, "{} of {position}", M::NAME);
}

fn flipping_colors_flips_the_value<M: Model<Position>>(model: &Linear<Position, M>, position: &Position) {
    let flipped = position.flipped();
    assert_eq!(model.value(&flipped), -model.value(position), "{} of {position}", M::NAME);
    assert_eq!(model.evaluate(&flipped), model.evaluate(position), "{} of {position}", M::NAME);
}

fn is_well_described<M: Model<Position>>(count: usize) {
    assert_eq!(M::WEIGHTS.len(), count);
    for (index, weight) in M::WEIGHTS.iter().enumerate() {
        assert!((weight.min..=weight.max).contains(&weight.default), "{}", weight.name);
        let whole = [weight.min, weight.max, weight.default].iter().all(|value| value.fract() == 0.0);
        assert!(whole || weight.kind == Kind::Real, "{}", weight.name);
        assert!(M::WEIGHTS[..index].iter().all(|other| other.name != weight.name), "{}", weight.name);
    }
}

#[test]
fn every_model_names_its_weights_once_with_a_default_in_range() {
    is_well_described::<Material>(5);
    is_well_described::<MaterialPhased>(12);
    is_well_described::<KendallWhitwell>(9);
    is_well_described::<Classic>(35);
    is_well_described::<Tapered>(883);
}

#[test]
fn playing_and_learning_agree_in_a_hundred_thousand_positions() {
    let (material, phased) = (random_weights::<Material>(1), random_weights::<MaterialPhased>(2));
    let (kendall_whitwell, classic) = (random_weights::<KendallWhitwell>(3), random_weights::<Classic>(4));
    let tapered = random_weights::<Tapered>(7);
    for_each_position(5, 100_000, |position| {
        value_is_weights_times_features(&material, position);
        value_is_weights_times_features(&phased, position);
        value_is_weights_times_features(&kendall_whitwell, position);
        value_is_weights_times_features(&classic, position);
        value_is_weights_times_features(&tapered, position);
    });
}

#[test]
fn mobility_is_the_number_of_legal_moves_of_both_sides() {
    let mobility = KendallWhitwell::WEIGHTS.iter().position(|weight| weight.name == "mobility");
    let mobility = mobility.expect("a weight for mobility");
    for_each_position(6, 100_000, |position| {
        let turn = position.count_moves() as i32;
        let other = position.board().null_move().map_or(0, |board| Position::new(board).count_moves() as i32);
        let white_less_black = match position.turn() {
            gamete_game::Color::White => turn - other,
            gamete_game::Color::Black => other - turn,
        };
        let features = Features::of::<_, KendallWhitwell>(position);
        assert_eq!(features.0[mobility], white_less_black, "{position}");
    });
}

proptest! {
    #[test]
    fn playing_and_learning_agree(position in random_position(), seed: u64) {
        value_is_weights_times_features(&random_weights::<Material>(seed), &position);
        value_is_weights_times_features(&random_weights::<MaterialPhased>(seed), &position);
        value_is_weights_times_features(&random_weights::<KendallWhitwell>(seed), &position);
        value_is_weights_times_features(&random_weights::<Classic>(seed), &position);
        value_is_weights_times_features(&random_weights::<Tapered>(seed), &position);
    }

    #[test]
    fn the_other_side_of_the_board_has_the_other_value(position in random_position(), seed: u64) {
        flipping_colors_flips_the_value(&random_weights::<Material>(seed), &position);
        flipping_colors_flips_the_value(&random_weights::<MaterialPhased>(seed), &position);
        flipping_colors_flips_the_value(&random_weights::<KendallWhitwell>(seed), &position);
        flipping_colors_flips_the_value(&random_weights::<Classic>(seed), &position);
        flipping_colors_flips_the_value(&random_weights::<Tapered>(seed), &position);
    }

    #[test]
    fn no_weights_are_too_large(position in random_position(), weights in proptest::collection::vec(-1e300..1e300, 35)) {
        let score = Linear::<Position, Classic>::new(&weights).evaluate(&position);
        prop_assert!(!score.is_end());
    }
}
