//! What the rest of Gamete has of the game: search, model, drawing and files.

use std::sync::atomic::AtomicBool;

use gamete_connect_four::{Lines, Position};
use gamete_engine::{Limit, SearchSettings, Searcher};
use gamete_game::{
    BoardGame, Color, Features, Game, Line, Linear, MoveCode, Outcome, Score, Tactics, TaggedText,
    Transcript, TranscriptReader, TranscriptWriter,
};
use proptest::prelude::*;

fn after(moves: &str) -> Position {
    let mut position = Position::start();
    for text in moves.split_whitespace() {
        position.play(position.parse_move(text).expect("a legal move"));
    }
    position
}

fn search(position: &Position, preset: &str, depth: u32) -> (String, Score) {
    let settings = SearchSettings::preset(preset).expect("a preset");
    let mut searcher = Searcher::new(&settings, 1 << 20);
    let model = Linear::<Position, Lines>::default();
    let line = Line::new(position.clone());
    let found = searcher.search(&line, &model, &Limit::depth(depth), &AtomicBool::new(false), None, |_| ());
    (position.move_text(found.best.expect("a move")), found.score)
}

#[test]
fn every_search_sees_a_win_and_a_threat() {
    for preset in SearchSettings::PRESETS {
        let (mv, score) = search(&after("d a d a d a"), preset, 3);
        assert_eq!((mv.as_str(), score), ("d", Score::win_in(1)), "{preset}");
        let (mv, _) = search(&after("d a d b d"), preset, 3);
        assert_eq!(mv, "d", "{preset}");
        // Two in the middle of the lowest row with room on both sides win in five plies.
        let (_, score) = search(&after("d d e e"), preset, 5);
        assert_eq!(score, Score::win_in(3), "{preset}");
    }
}

/// A plain search of the same depth and evaluation.
fn negamax(position: &Position, model: &Linear<Position, Lines>, depth: u32, ply: u32) -> Score {
    match position.ending().map(|ending| ending.outcome) {
        Some(Outcome::Win(_)) => return Score::loss_in(ply),
        Some(Outcome::Draw) => return Score::ZERO,
        None if depth == 0 => return gamete_game::Evaluator::evaluate(model, position),
        None => {}
    }
    let score = |mv| {
        let mut next = position.clone();
        next.play(mv);
        -negamax(&next, model, depth - 1, ply + 1)
    };
    position.moves().into_iter().map(score).max().expect("a move")
}

fn reachable() -> impl Strategy<Value = Position> {
    prop::collection::vec(0_usize..7, 0..36).prop_map(|choices| {
        let mut position = Position::start();
        for choice in choices {
            let moves = position.moves();
            let mut next = position.clone();
            let Some(&mv) = moves.get(choice % moves.len().max(1)) else { break };
            next.play(mv);
            if next.ending().is_some() {
                break;
            }
            position = next;
        }
        position
    })
}

proptest! {
    #[test]
    fn minimax_finds_the_value_of_a_plain_search(position in reachable()) {
        let model = Linear::<Position, Lines>::default();
        prop_assert_eq!(search(&position, "minimax", 4).1, negamax(&position, &model, 4, 0));
    }

    #[test]
    fn the_value_flips_with_the_colours(position in reachable()) {
        let model = Linear::<Position, Lines>::default();
        prop_assert_eq!(model.value(&position.flipped()), -model.value(&position));
    }

    #[test]
    fn moves_are_found_by_their_codes(position in reachable()) {
        for mv in position.moves() {
            prop_assert_eq!(position.decode(Position::code(mv)), Some(mv));
            prop_assert!(position.history_index(mv) < Position::HISTORY_SIZE);
            prop_assert_eq!(position.marks(mv).len(), 1);
        }
        prop_assert_eq!(position.decode(MoveCode::new(99).expect("a code")), None);
    }
}

#[test]
fn features_are_counts_of_lines() {
    let features = |moves: &str| Features::of::<Position, Lines>(&after(moves)).0;
    assert_eq!(features(""), [0, 0, 0, 0]);
    // Four lines to the side, one upwards and one on each diagonal.
    assert_eq!(features("d"), [7, 0, 0, 1]);
    // A corner has a line in three directions.
    assert_eq!(features("a"), [3, 0, 0, 0]);
    assert_eq!(features("a g"), [0, 0, 0, 0]);
    assert_eq!(features("d a e")[1], 3, "from b, from c and from d");
    assert_eq!(features("c a d a e")[2], 2, "from b and from c");
}

#[test]
fn the_diagram_stands_upright() {
    let diagram = after("d d c").diagram();
    assert!(!diagram.turns);
    assert_eq!((diagram.squares.len(), diagram.columns()), (6, 7));
    assert_eq!(diagram.column_labels.concat(), "abcdefg");
    let discs = |row: usize| -> String {
        let squares = diagram.squares[row].iter();
        squares.map(|square| square.piece.map_or('.', |piece| piece.letter)).collect()
    };
    assert_eq!([discs(4), discs(5)], ["...o...", "..xx..."]);
    assert_eq!(after("d d").marks(after("d d").moves()[3]), [(3, 3)]);
}

#[test]
fn games_are_written_and_read() {
    let mut game = Transcript::new("///x/// o".parse::<Position>().expect("a position"));
    let mut position = game.start.clone();
    for text in ["d", "c", "a", "e", "a", "f"] {
        let mv = position.parse_move(text).expect("a legal move");
        position.play(mv);
        game.plies.push(gamete_game::Ply::new(mv));
    }
    game.outcome = position.ending().map(|ending| ending.outcome);
    assert_eq!(game.outcome, Some(Outcome::Win(Color::White)));
    let mut writer = TranscriptWriter::new(Vec::new(), TaggedText::<Position>::default());
    writer.write(&game).expect("room in memory");
    let text = String::from_utf8(writer.into_inner()).expect("text");
    assert!(text.contains("[Variant \"connect-four\"]") && text.contains("[FEN \"///x/// o\"]"), "{text}");
    assert!(text.ends_with("\n\n1... d 2. c a 3. e a 4. f 1-0\n\n"), "{text}");
    let mut games = TranscriptReader::new(text.as_bytes(), TaggedText::<Position>::default());
    let read = games.next_game().expect("a game").expect("a good one");
    assert_eq!((read.start, read.plies, read.outcome), (game.start, game.plies, game.outcome));
    let other = text.replace("connect-four", "chess");
    let error = TranscriptReader::new(other.as_bytes(), TaggedText::<Position>::default()).next_game();
    let error = error.expect("a game").expect_err("another game").to_string();
    assert!(error.contains("the Variant tag says \"chess\"; this is a file of connect-four"), "{error}");
}
