use std::sync::atomic::{AtomicBool, Ordering};

use gamete_chess::Position;
use gamete_engine::{Limit, Searcher};
use gamete_game::{ByColor, Color, Game, Outcome};

use super::*;
use crate::{Competitor, GameName, ModelInfo, Player};

fn person(name: &str) -> SessionSeat {
    SessionSeat { name: name.to_owned(), competitor: None }
}

fn computer(game: GameName) -> SessionSeat {
    let player = Player::new(ModelInfo::default_for(game));
    SessionSeat { name: "Computer".to_owned(), competitor: Some(Competitor::Player(player)) }
}

fn session(white: SessionSeat, black: SessionSeat, limit: Limit) -> GameSession<Position> {
    let options = SessionOptions { limit, seed: 1, hash_bytes: 1 << 20 };
    let seats = ByColor { white, black };
    let mut session = GameSession::new(Position::start(), seats, options).expect("two chess players");
    assert_eq!(session.begin(&AtomicBool::new(false)), Ok(None));
    session
}

#[test]
fn people_play_take_back_and_resign() {
    let mut game = session(person("Ann"), person("Ben"), Limit::depth(1));
    assert_eq!(game.play_text("e4"), Ok("1. e4".to_owned()));
    assert!(matches!(game.play_text("e4"), Err(MoveRefusal::Illegal { .. })));
    assert!(matches!(game.play_text("hello"), Err(MoveRefusal::NotAMove { .. })));
    assert_eq!(game.play_text("e5"), Ok("1... e5".to_owned()));
    assert_eq!((game.turn(), game.new_plies(), game.legal_moves().len()), (Color::White, 2, 29));
    assert_eq!(game.take_back(), TakenBack::Moves(1));
    assert_eq!(game.turn(), Color::Black);
    game.resign();
    assert_eq!(game.end().map(|end| end.outcome), Some(Outcome::Win(Color::White)));
    assert_eq!(game.transcript().outcome, Some(Outcome::Win(Color::White)));
    assert_eq!(game.take_back(), TakenBack::Result, "who resigned has moved nothing");
    assert_eq!((game.end(), game.new_plies()), (None, 1));
    assert_eq!(game.take_back(), TakenBack::Moves(1));
    assert_eq!(game.take_back(), TakenBack::Nothing);
    assert_eq!(game.transcript().tags.get("White"), Some("Ann"));
}

#[test]
fn a_game_ends_by_its_rules() {
    let mut game = session(person("Ann"), person("Ben"), Limit::depth(1));
    for text in ["f3", "e5", "g4", "Qh4#"] {
        game.play_text(text).expect("a legal move");
    }
    let end = game.end().expect("mate");
    assert_eq!((end.outcome, end.reason.as_str()), (Outcome::Win(Color::Black), "checkmate"));
    let changes = game.changes();
    game.begin_another(&AtomicBool::new(false)).expect("people");
    assert_eq!((game.end(), game.new_plies(), game.changes()), (None, 0, changes));
    assert!(game.transcript().plies.is_empty() && game.transcript().outcome.is_none());
}

#[test]
fn a_computer_that_is_stopped_plays_its_best_move_so_far() {
    let limit = Limit::depth(Searcher::<Position>::MAX_DEPTH);
    let mut game = session(computer(GameName::Chess), person("Ben"), limit);
    let stop = AtomicBool::new(false);
    let played = game.let_computer_move(&stop, &mut |_| stop.store(true, Ordering::Relaxed));
    let played = played.expect("a move");
    assert!(played.text.starts_with("1. ") && played.thought.is_some(), "{played:?}");
    assert_eq!(game.new_plies(), 1);
    assert!(game.transcript().plies[0].comment.is_some(), "what it thought is written down");
    let error = game.let_computer_move(&stop, &mut |_| {}).expect_err("a person is to move");
    assert_eq!(error.to_string(), "Ben is no computer");
    assert_eq!(game.take_back(), TakenBack::Nothing, "no person has moved");
}

#[test]
fn computers_answer_offers_and_give_hints() {
    let never = AtomicBool::new(false);
    let mut game = session(person("Ann"), computer(GameName::Chess), Limit::depth(2));
    let hint = game.hint(&never, &mut |_| {}).expect("a hint");
    assert!(game.legal_moves().contains(&hint.line[0]), "{hint:?}");
    // White loses its queen.
    for text in ["e4", "e5", "Qh5", "Nf6", "Qxe5+", "Qe7", "a3", "Qxe5"] {
        game.play_text(text).expect("a legal move");
    }
    let refused = game.offer_draw(&never, &mut |_| {}).expect("an answer");
    assert!(!refused.accepted && game.end().is_none(), "{refused:?}");
    let mut game = session(computer(GameName::Chess), person("Ben"), Limit::depth(2));
    for text in ["e4", "e5", "Qh5", "Nf6", "Qxe5+", "Qe7", "a3", "Qxe5", "a4"] {
        game.play_text(text).expect("a legal move");
    }
    let accepted = game.offer_draw(&never, &mut |_| {}).expect("an answer");
    assert!(accepted.accepted, "{accepted:?}");
    assert_eq!(game.end().map(|end| end.outcome), Some(Outcome::Draw));
}

#[test]
fn who_plays_another_game_cannot_sit_down() {
    let options = SessionOptions { limit: Limit::depth(1), seed: 1, hash_bytes: 1 << 20 };
    let seats = ByColor { white: person("Ann"), black: computer(GameName::Checkers) };
    let error = GameSession::new(Position::start(), seats, options).err().expect("a player of checkers");
    assert!(error.to_string().starts_with("Black: checkers/"), "{error}");
}
