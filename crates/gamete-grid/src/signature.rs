use std::sync::OnceLock;

use gamete_arena::{ModelInfo, Player, TaskKey, signature};

/// A short name for how this program plays, whatever is asked of it: the [`signature`] of every model with each of the
/// usual searches, and the versions of keys. A worker of another signature might answer otherwise, and is given nothing.
pub fn build_signature() -> &'static str {
    static SIGNATURE: OnceLock<String> = OnceLock::new();
    SIGNATURE.get_or_init(|| {
        let players: Vec<Player> = ModelInfo::all()
            .iter()
            .flat_map(|model| ["paper", "full"].map(|preset| with_preset(model, preset)))
            .collect();
        let (own, engines) = (TaskKey::VERSION, TaskKey::ENGINE_VERSION);
        format!("{}-{own}{engines}", signature(&players))
    })
}

fn with_preset(model: &'static ModelInfo, preset: &str) -> Player {
    let mut player = Player::new(model);
    player.set_preset(preset).expect("a preset");
    player
}
