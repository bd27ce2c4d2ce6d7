//! Damaged texts of every kind, read in this process: many more than processes could be started for.

#[path = "../../../../fuzz/checks.rs"]
mod checks;

use gamete_arena::{Player, Rng};
use gamete_lab::{Experiment, Pipeline, Plan, presets};

use crate::inputs::{damage_bytes, damaged_experiment, seeds};
use crate::{Siege, pick};

/// An experiment that is read is the same when it is read from its own text, and so are those of its arms.
fn experiment(text: &str) {
    let Ok(table) = text.parse::<toml::Table>() else { return };
    if let Ok(Plan::Pipeline(pipeline)) = Plan::from_table(&table) {
        let again = Pipeline::from_table(&pipeline.table()).expect("the same pipeline");
        assert_eq!(again.text(), pipeline.text());
        drop((pipeline.annotated_text(), pipeline.planned_games()));
    }
    let Ok(experiment) = Experiment::from_table(&table) else { return };
    let again = experiment.text().parse().ok().and_then(|table| Experiment::from_table(&table).ok());
    assert_eq!(again.as_ref().map(Experiment::text), Some(experiment.text()), "{text}");
    for index in 0..experiment.head.arms.len() {
        drop(experiment.arm(index));
    }
    drop((experiment.genes(), experiment.planned_games(), experiment.text()));
}

fn damaged_seed(kind: &str, rng: &mut Rng) -> Vec<u8> {
    let seeds = seeds(kind);
    let path = &seeds[rng.below(seeds.len() as u64) as usize];
    let mut bytes = std::fs::read(path).expect("a seed");
    damage_bytes(&mut bytes, rng);
    bytes
}

#[test]
fn damaged_texts_never_panic() {
    Siege::new("texts", 500).each(|_, rng| {
        experiment(&damaged_experiment(pick(rng, &presets::names().collect::<Vec<_>>()), rng));
        let player = "model = \"chess/classic\"\n[weights]\npawn = 100\n[search]\npreset = \"full\"\n";
        let mut player = player.as_bytes().to_vec();
        damage_bytes(&mut player, rng);
        drop(Player::load(&String::from_utf8_lossy(&player)));
        checks::fen(&damaged_seed("fen", rng));
        checks::pgn(&damaged_seed("pgn", rng));
        checks::epd(&damaged_seed("epd", rng));
        checks::pdn(&damaged_seed("pdn", rng));
    });
}
