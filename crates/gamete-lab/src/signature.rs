use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use gamete_arena::{
    Adjudication, Contestant, GameName, GameTask, Limits, ModelInfo, Noise, OpeningText, Player, Workspace,
};
use gamete_engine::SearchSettings;

use crate::experiment::Experiment;
use crate::study::arms;

/// A short name for how the engine plays: a hash of a quick game with every model. Outcomes of engines with different
/// signatures do not belong in one journal.
pub fn signature() -> String {
    static ENGINE: OnceLock<String> = OnceLock::new();
    ENGINE.get_or_init(engine).clone()
}

/// A short name for how an experiment is played and decided: the engine's [`signature`], and what is used by some
/// experiments only, so that a change of that leaves the others alone.
pub(crate) fn experiment_signature(experiment: &Experiment) -> String {
    static WITH_TANH: OnceLock<String> = OnceLock::new();
    let mut signature = signature();
    let arms = arms(experiment);
    if arms.iter().any(uses_tanh) {
        signature.push_str("+tanh-");
        signature.push_str(WITH_TANH.get_or_init(with_tanh));
    }
    if arms.iter().any(|arm| arm.method.inner().is_some()) {
        signature.push_str(MATCH_RULE);
    }
    signature
}

/// How matches of a meta-evolution count: the second rule, [`gamete_stats::PairScore::of_match`].
const MATCH_RULE: &str = "+match-2";

fn uses_tanh(experiment: &Experiment) -> bool {
    experiment.method.breed().is_some_and(|breed| breed.tanh)
        || experiment.method.inner().is_some_and(|inner| uses_tanh(&inner))
}

fn engine() -> String {
    let mut hasher = blake3::Hasher::new();
    for model in ModelInfo::all() {
        for mut player in ["paper", "full", "minimax"].map(|preset| with_preset(model, preset)) {
            if player.search == SearchSettings::minimax() {
                player.search = plain_alpha_beta();
            }
            player.noise = model.game.has_noise().then_some(Noise { amplitude: 0.05, tanh: false });
            let depth = Some(model.game.quick_depth());
            let contestant = Contestant::new(player, Limits { depth, ..Limits::default() });
            hasher.update(format!("{:?}", game(model.game, &contestant)).as_bytes());
        }
    }
    hasher.finalize().to_hex()[..12].to_owned()
}

/// Games of players with men worth 5, so that tanh reaches 1.
fn with_tanh() -> String {
    let mut hasher = blake3::Hasher::new();
    for model in ModelInfo::all().iter().filter(|model| model.game.has_noise()) {
        let mut player = with_preset(model, "minimax");
        player.search = plain_alpha_beta();
        player.noise = Some(Noise { amplitude: 0.05, tanh: true });
        let dear: Vec<f64> = player.weights().iter().map(|weight| weight * 5.0).collect();
        player.set_weights(&dear);
        let contestant = Contestant::new(player, Limits { depth: Some(5), ..Limits::default() });
        hasher.update(format!("{:?}", game(model.game, &contestant)).as_bytes());
    }
    hasher.finalize().to_hex()[..6].to_owned()
}

/// Plain alpha-beta has a search of its own.
fn plain_alpha_beta() -> SearchSettings {
    SearchSettings {
        alpha_beta: true,
        table: true,
        table_equal_depth: false,
        killers: true,
        ..SearchSettings::minimax()
    }
}

fn with_preset(model: &'static ModelInfo, preset: &str) -> Player {
    let mut player = Player::new(model);
    player.set_preset(preset).expect("a preset");
    player
}

fn game(game: GameName, contestant: &Contestant) -> Vec<String> {
    let OpeningText { start, book } = OpeningText::initial(game);
    let (white, black) = (contestant.clone(), contestant.clone());
    let adjudication = Adjudication { max_moves: Some(20), ..Adjudication::default() };
    let task = GameTask { game, start, book, white, black, adjudication, seed: 1 };
    Workspace::new(&AtomicBool::new(false)).play(&task).expect("a game from the start").moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    fn of(preset: &str, changes: &str) -> String {
        let mut table: toml::Table = presets::text(preset).expect("a preset").parse().expect("TOML");
        table.insert("name".to_owned(), preset.into());
        table.extend(changes.parse::<toml::Table>().expect("TOML"));
        experiment_signature(&Experiment::from_table(&table).expect("an experiment"))
    }

    #[test]
    fn what_some_experiments_use_is_in_their_signatures_only() {
        let engine = of("kendall-whitwell", "");
        assert_eq!(engine.len(), 12);
        assert_eq!(of("piece-difference", ""), engine);
        assert_eq!(of("mutation-study", ""), engine);
        assert_eq!(of("mutation-scale", ""), format!("{engine}{MATCH_RULE}"));
        assert!(of("piece-difference", "tanh = true").starts_with(&format!("{engine}+tanh-")));
        let arm = "[[arms]]\nname = \"literal\"\nset = { tanh = true }";
        assert_eq!(of("piece-difference", arm), of("piece-difference", "tanh = true"));
    }
}
