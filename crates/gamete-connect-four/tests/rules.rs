//! The rules against a slow twin that has squares instead of bits.

use gamete_connect_four::Position;
use gamete_game::{Color, Ending, Game, Reason, perft};
use proptest::prelude::*;

/// Columns of discs from the bottom.
#[derive(Clone, Default)]
struct Twin {
    columns: [Vec<Color>; 7],
    plies: usize,
}

impl Twin {
    fn at(&self, column: i32, row: i32) -> Option<Color> {
        let column = self.columns.get(usize::try_from(column).ok()?)?;
        column.get(usize::try_from(row).ok()?).copied()
    }

    fn winner(&self) -> Option<Color> {
        for (column, row) in (0..7).flat_map(|column| (0..6).map(move |row| (column, row))) {
            let Some(color) = self.at(column, row) else { continue };
            for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                if (1..4).all(|n| self.at(column + n * right, row + n * up) == Some(color)) {
                    return Some(color);
                }
            }
        }
        None
    }

    fn moves(&self) -> Vec<usize> {
        let over = self.winner().is_some();
        (0..7).filter(|&column| !over && self.columns[column].len() < 6).collect()
    }

    fn play(&mut self, column: usize) {
        self.columns[column].push(if self.plies.is_multiple_of(2) { Color::White } else { Color::Black });
        self.plies += 1;
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let count = |column| {
            let mut next = self.clone();
            next.play(column);
            next.perft(depth - 1)
        };
        self.moves().into_iter().map(count).sum()
    }
}

fn letters(columns: &[usize]) -> Vec<String> {
    columns.iter().map(|&column| char::from(b'a' + column as u8).to_string()).collect()
}

fn after(moves: &str) -> Position {
    let mut position = Position::start();
    for text in moves.split(' ') {
        position.play(position.parse_move(text).expect("a legal move"));
    }
    position
}

#[test]
fn counts_are_the_known_ones() {
    let known = [7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234];
    for (depth, nodes) in (1..).zip(known) {
        assert_eq!(perft(&Position::start(), depth), nodes, "depth {depth}");
    }
    for (depth, nodes) in (1..).zip(known).take(7) {
        assert_eq!(Twin::default().perft(depth), nodes, "depth {depth}");
    }
}

#[test]
fn four_in_a_row_win_in_every_direction() {
    let won = |color| Some(Ending::win(color, Reason::Connection));
    for (moves, winner) in [
        ("a a b b c c d", Color::White),
        ("d e d e d e d", Color::White),
        ("a b b c d c c d d g d", Color::White),
        ("g f f e d e e d d a d", Color::White),
        ("a d b d a d b d", Color::Black),
    ] {
        let position = after(moves);
        assert_eq!((position.ending(), position.count_moves()), (won(winner), 0), "{moves}");
        let (before, _) = moves.rsplit_once(' ').expect("many moves");
        assert_eq!(after(before).ending(), None, "{before}");
    }
    // Three at the right edge and one at the left, one row up, are no line.
    assert_eq!(after("e a f a g b a").ending(), None);
}

#[test]
fn a_full_board_is_a_draw() {
    let full = "xoxoxo/xoxoxo/oxoxox/oxoxox/xoxoxo/xoxoxo/oxoxox x";
    let position: Position = full.parse().expect("a position");
    assert_eq!(position.count_moves(), 0);
    assert_eq!(position.ending(), Some(Ending::draw(Reason::FullBoard)));
}

#[test]
fn wrong_positions_are_explained() {
    let error = |text: &str| text.parse::<Position>().expect_err(text).to_string();
    for text in
        ["", "//////", "////// z", "///// x", "/////// x", "xoxoxox////// o", "y////// o", "////// x x"]
    {
        assert!(error(text).starts_with("expected 7 columns of x and o"), "{text}: {}", error(text));
    }
    for text in ["x////// x", "o////// o", "xx////// x", "oo////// x"] {
        assert_eq!(error(text), "the discs are not of players who take turns", "{text}");
    }
    assert_eq!(error("x/x/x/x/ooo// x"), "the discs are not of players who take turns");
    assert_eq!(error("xo/xo/xo/xo/// x"), "four in a row of who is to move");
}

#[test]
fn moves_are_letters_or_numbers() {
    let full = after("a a a a a a");
    let text =
        |text: &str| full.parse_move(text).map(|mv| full.move_text(mv)).map_err(|error| error.to_string());
    assert_eq!(text("d"), Ok("d".to_owned()));
    assert_eq!(text("D"), Ok("d".to_owned()));
    assert_eq!(text("7"), Ok("g".to_owned()));
    assert_eq!(text("a"), Err("illegal move".to_owned()));
    for wrong in ["", "h", "0", "8", "dd", "d4", "ä"] {
        assert_eq!(text(wrong), Err("not a move".to_owned()), "{wrong:?}");
    }
}

proptest! {
    #[test]
    fn positions_are_as_the_twin_says(choices in prop::collection::vec(0_usize..7, 0..60)) {
        let (mut position, mut twin) = (Position::start(), Twin::default());
        for choice in choices {
            let moves: Vec<String> = position.moves().into_iter().map(|mv| position.move_text(mv)).collect();
            prop_assert_eq!(&moves, &letters(&twin.moves()));
            prop_assert_eq!(position.ending().and_then(|ending| ending.outcome.winner()), twin.winner());
            prop_assert_eq!(position.move_number() as usize, twin.plies / 2 + 1);
            prop_assert_eq!(position.has_moves(), position.ending().is_none());
            prop_assert_eq!(&position.to_string().parse::<Position>().expect("its own text"), &position);
            prop_assert_eq!(position.flipped().flipped(), position.clone());
            let flipped = position.flipped();
            prop_assert_eq!(&flipped.to_string().parse::<Position>().expect("its own text"), &flipped);
            prop_assert_ne!(flipped.key(), position.key());
            let Some(&column) = twin.moves().get(choice) else { break };
            position.play(position.parse_move(&letters(&[column])[0]).expect("a legal move"));
            twin.play(column);
        }
    }
}
