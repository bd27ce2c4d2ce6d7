use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use gamete_arena::{
    Adjudication, Contestant, GameName, GameTask, Limits, ModelInfo, OpeningText, Player, Workspace,
};

/// A short name for how the engine plays: a hash of a quick game with every model. Outcomes of engines with different
/// signatures do not belong in one journal.
pub fn signature() -> String {
    static SIGNATURE: OnceLock<String> = OnceLock::new();
    SIGNATURE.get_or_init(compute).clone()
}

fn compute() -> String {
    let mut hasher = blake3::Hasher::new();
    for model in ModelInfo::ALL {
        for preset in ["paper", "full"] {
            let mut player = Player::new(model);
            player.set_preset(preset).expect("a preset");
            let contestant = Contestant::new(player, Limits { depth: Some(2), ..Limits::default() });
            hasher.update(format!("{:?}", game(model.game, &contestant)).as_bytes());
        }
    }
    hasher.finalize().to_hex()[..12].to_owned()
}

fn game(game: GameName, contestant: &Contestant) -> Vec<String> {
    let OpeningText { start, book } = OpeningText::initial(game);
    let (white, black) = (contestant.clone(), contestant.clone());
    let adjudication = Adjudication { max_moves: Some(20), ..Adjudication::default() };
    let task = GameTask { game, start, book, white, black, adjudication, seed: 1 };
    Workspace::new(&AtomicBool::new(false)).play(&task).expect("a game from the start").moves
}
