//! What tests share.

use std::path::Path;

use gamete_arena::{Playable, Rng};

use crate::{Corpus, Manifest, Part, Sample, write_corpus};

/// The manifest of a corpus of nothing.
pub(crate) fn manifest<G: Playable>() -> Manifest {
    Manifest {
        game: G::GAME_NAME,
        program: "a test".to_owned(),
        files: Vec::new(),
        seed: 7,
        settings: Vec::new(),
        train: 0,
        test: 0,
        asked: None,
        finished: None,
    }
}

/// Positions from random games, `a.corpus`, in which the expert plays at random as well, and the mentor says any number.
pub(crate) fn random_corpus<G: Playable>(folder: &Path, count: u32, seed: u64) -> Corpus {
    let mut rng = Rng::new(seed);
    let mut samples = Vec::new();
    while samples.len() < count as usize {
        let mut position = G::start();
        for _ in 0..5 + rng.below(60) {
            let moves = position.moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[rng.below(moves.len() as u64) as usize]);
        }
        let moves = position.moves();
        if position.ending().is_none() && !moves.is_empty() {
            let choices = vec![moves[rng.below(moves.len() as u64) as usize]];
            let part = if rng.below(2) == 0 { Part::Train } else { Part::Test };
            let (source, score) = (samples.len() as u32, Some(rng.below(10_000) as i32 - 5_000));
            samples.push(Sample { position, source, part, choices, outcome: None, score });
        }
    }
    let path = folder.join("a.corpus");
    write_corpus(&path, manifest::<G>(), &samples).expect("written");
    Corpus::open(&path).expect("a corpus")
}
