use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use gamete_engine::SearchSettings;

use crate::{
    Adjudication, Contestant, GameTask, Limits, ModelInfo, Noise, OpeningText, Player, TaskKey, TaskOutcome,
    Workspace, WorkspaceOptions,
};

/// A short name for how players play: a hash of a quick game with the model and the search of each. Their names and weights
/// are no part of it, and neither are models and searches that they do not use.
///
/// Outcomes of programs with different signatures do not belong in one journal.
pub fn signature<'a>(players: impl IntoIterator<Item = &'a Player>) -> String {
    let mut templates: Vec<Player> = Vec::new();
    for player in players {
        let mut template = Player::new(player.model());
        (template.search, template.noise) = (player.search.clone(), player.noise);
        if !templates.contains(&template) {
            templates.push(template);
        }
    }
    // The order in which they are named does not matter.
    let mut games: Vec<String> = templates.into_iter().map(quick_game).collect();
    games.sort_unstable();
    let hash = blake3::hash(games.join("\n").as_bytes());
    format!("{SECOND}{}", &hash.to_hex()[..12])
}

/// What signatures begin with since there are more than those of the first kind.
const SECOND: &str = "2-";

/// Whether a signature is of version 0.1 of the program, and so to be compared with [`first_signature`].
pub fn is_first_signature(signature: &str) -> bool {
    !signature.starts_with(SECOND)
}

fn quick_game(mut player: Player) -> String {
    if player.noise.is_some_and(|noise| noise.tanh) {
        strengthen(&mut player);
    }
    let limits = if player.search.iterative_deepening {
        Limits::nodes(2000)
    } else {
        Limits { depth: Some(player.model().game.quick_depth()), ..Limits::default() }
    };
    /// The same players come again and again.
    static KNOWN: Mutex<Option<HashMap<TaskKey, String>>> = Mutex::new(None);
    let task = self_play(player, limits);
    let key = TaskKey::of_game(&task);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(game) = known().as_ref().and_then(|games| games.get(&key)) {
        return game.clone();
    }
    let game = format!("{} {}", task.white.game(), moves(task).join(" "));
    known().get_or_insert_default().insert(key, game.clone());
    game
}

/// Men worth 5, so that tanh reaches 1.
fn strengthen(player: &mut Player) {
    let dear: Vec<f64> = player.weights().iter().map(|weight| weight * 5.0).collect();
    player.set_weights(&dear);
}

fn self_play(player: Player, limits: Limits) -> GameTask {
    let game = player.model().game;
    let OpeningText { start, book } = OpeningText::initial(game);
    let white = Contestant::new(player, limits);
    let black = white.clone();
    let adjudication = Adjudication { max_moves: Some(20), ..Adjudication::default() };
    GameTask { game, start, book, white, black, adjudication, seed: 1, details: false }
}

fn moves(task: GameTask) -> Vec<String> {
    match Workspace::new(&WorkspaceOptions::default()).run(&task.into()) {
        Ok(TaskOutcome::Game(game)) => game.moves,
        other => panic!("a game from the start: {other:?}"),
    }
}

/// The models that there were in version 0.1 of the program, all of which were part of its signatures.
const FIRST_MODELS: [&str; 7] = [
    "chess/kendall-whitwell",
    "chess/material",
    "chess/material-phased",
    "chess/classic",
    "checkers/material",
    "checkers/squares",
    "checkers/squares-symmetric",
];

fn first_models() -> impl Iterator<Item = &'static ModelInfo> {
    FIRST_MODELS.iter().map(|name| ModelInfo::find(name).expect("a model of version 0.1"))
}

/// The signature that version 0.1 of the program would have with the engine of today.
pub fn first_signature() -> String {
    static SIGNATURE: OnceLock<String> = OnceLock::new();
    let compute = || {
        let mut hasher = blake3::Hasher::new();
        for model in first_models() {
            for mut player in ["paper", "full", "minimax"].map(|preset| with_preset(model, preset)) {
                if player.search == SearchSettings::minimax() {
                    player.search = plain_alpha_beta();
                }
                player.noise = model.game.has_noise().then_some(Noise { amplitude: 0.05, tanh: false });
                let limits = Limits { depth: Some(model.game.quick_depth()), ..Limits::default() };
                hasher.update(format!("{:?}", moves(self_play(player, limits))).as_bytes());
            }
        }
        hasher.finalize().to_hex()[..12].to_owned()
    };
    SIGNATURE.get_or_init(compute).clone()
}

/// What version 0.1 added for players with tanh.
pub fn first_tanh_signature() -> String {
    let mut hasher = blake3::Hasher::new();
    for model in first_models().filter(|model| model.game.has_noise()) {
        let mut player = with_preset(model, "minimax");
        player.search = plain_alpha_beta();
        player.noise = Some(Noise { amplitude: 0.05, tanh: true });
        strengthen(&mut player);
        let limits = Limits { depth: Some(model.game.quick_depth()), ..Limits::default() };
        hasher.update(format!("{:?}", moves(self_play(player, limits))).as_bytes());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn player(model: &str, preset: &str) -> Player {
        with_preset(ModelInfo::find(model).expect("a model"), preset)
    }

    /// Signatures are stored with experiments and matches. These may only change when players play otherwise; what the
    /// catalog has besides them does not matter.
    #[test]
    fn signatures_stay_what_they_are() {
        assert_eq!(signature([&player("checkers/squares", "paper")]), "2-f2badc24dc45");
        assert_eq!(signature([&player("chess/kendall-whitwell", "paper")]), "2-28557b3e9145");
        assert_eq!(signature([&player("chess/classic", "full")]), "2-6efbb71d2f20");
        assert_eq!(first_signature(), "d952d6e1f7da");
    }

    #[test]
    fn names_weights_and_order_do_not_matter() {
        let (one, other) = (player("chess/material", "full"), player("checkers/material", "paper"));
        let mut renamed = one.clone();
        renamed.name = "another".to_owned();
        renamed.set_weight("queen", 1.0).expect("a weight");
        let both = signature([&one, &other]);
        assert_eq!(signature([&other, &renamed, &one]), both);
        assert_ne!(signature([&one]), both);
        assert_ne!(signature([&one]), signature([&player("chess/material", "paper")]));
    }
}
