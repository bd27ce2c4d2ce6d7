//! Whole games of players against themselves: legal to the end, and the same every time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicBool;

use gamete_arena::{ModelInfo, Playable, Player};
use gamete_engine::Limit;
use gamete_game::Line;

/// Games a model; `GAMETE_GAMES` asks for more.
fn games() -> u64 {
    std::env::var("GAMETE_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(200)
}

/// Plays one game from a random opening and returns all its moves and its end.
fn play<G: Playable>(player: &Player, seed: u64) -> String {
    let mut engine = G::engine(player, 1 << 20).expect("a player of the game");
    engine.new_game(seed);
    let stop = AtomicBool::new(false);
    let mut line = Line::new(G::start());
    let mut text = String::new();
    let mut random = seed;
    while line.ending().is_none() && line.moves().len() < 400 {
        let position = line.position();
        let mv = if line.moves().len() < 6 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let moves = position.moves();
            moves[(random >> 33) as usize % moves.len()]
        } else {
            let outcome = engine.search(&line, &Limit::depth(2), &stop, None, &mut |_| ());
            outcome.best.expect("a move, as the game is not over")
        };
        assert!(position.is_legal(mv), "{mv:?} in {position}");
        text += &position.move_text(mv);
        text.push(' ');
        line.play(mv);
    }
    text + &format!("{:?}", line.ending())
}

fn self_play<G: Playable>() {
    let models: Vec<_> = ModelInfo::of_game(G::GAME_NAME).collect();
    for model in &models {
        let mut player = Player::new(model);
        let fingerprint = |player: &Player| {
            let mut hasher = DefaultHasher::new();
            (0..games() / models.len() as u64).for_each(|seed| play::<G>(player, seed).hash(&mut hasher));
            hasher.finish()
        };
        for preset in ["full", "paper"] {
            player.set_preset(preset).expect("a preset");
            assert_eq!(fingerprint(&player), fingerprint(&player), "{} {preset}", model.name);
        }
    }
}

#[test]
fn chess_games_are_legal_and_the_same_twice() {
    self_play::<gamete_chess::Position>();
}

#[test]
fn checkers_games_are_legal_and_the_same_twice() {
    self_play::<gamete_checkers::Position>();
}
