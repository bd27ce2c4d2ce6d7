use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use gamete_arena::{
    Adjudication, Contestant, GameName, GameTask, Limits, ModelInfo, Noise, OpeningText, Player, Workspace,
};
use gamete_engine::SearchSettings;

/// A short name for how the engine plays: a hash of a quick game with every model. Outcomes of engines with different
/// signatures do not belong in one journal.
pub fn signature() -> String {
    static SIGNATURE: OnceLock<String> = OnceLock::new();
    SIGNATURE.get_or_init(compute).clone()
}

fn compute() -> String {
    let mut hasher = blake3::Hasher::new();
    for model in ModelInfo::ALL {
        for mut player in ["paper", "full", "minimax"].map(|preset| with_preset(model, preset)) {
            if player.search == SearchSettings::minimax() {
                // Plain alpha-beta has a search of its own.
                player.search = SearchSettings {
                    alpha_beta: true,
                    table: true,
                    table_equal_depth: false,
                    killers: true,
                    ..SearchSettings::minimax()
                };
            }
            let checkers = model.game == GameName::Checkers;
            player.noise = checkers.then_some(Noise { amplitude: 0.05, tanh: false });
            let depth = Some(if checkers { 5 } else { 2 });
            let contestant = Contestant::new(player, Limits { depth, ..Limits::default() });
            hasher.update(format!("{:?}", game(model.game, &contestant)).as_bytes());
        }
    }
    hasher.finalize().to_hex()[..12].to_owned()
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
