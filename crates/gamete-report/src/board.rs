//! Games as a page can replay them: the first board, and what each move changes.

use gamete_arena::{GameName, Playable, dispatch};
use gamete_game::{Color, Diagram, DiagramPiece, Outcome};
use gamete_lab::GameRecord;
use serde::Serialize;

/// A game that the page's script can replay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    pub game: GameName,
    /// What to call it in a list.
    pub label: String,
    pub white: String,
    pub black: String,
    pub result: &'static str,
    /// Why it was over.
    pub end: String,
    /// How many squares a row has.
    pub columns: usize,
    /// The squares, row by row from the top as White sees them: `x` for dark ones, `.` for light ones.
    pub shades: String,
    /// The numbers that players call the squares by, if they have any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<Option<u32>>,
    /// What stands beside the rows.
    pub row_labels: Vec<String>,
    /// What stands under the columns.
    pub column_labels: Vec<String>,
    /// Whether Black sees the board turned.
    pub turns: bool,
    /// The first board: the pictures of pieces, capitals for White, and `.` on empty squares.
    pub start: String,
    /// Whether the side that begins by the rules of the game is to move.
    pub first: bool,
    /// The number of the first move.
    pub number: u32,
    /// The moves with blanks between them.
    pub moves: String,
    /// For each move the squares that it changes by their numbers, each followed by what stands there after it.
    pub changes: String,
}

impl Replay {
    /// Makes it of a record; nothing if the record cannot be replayed.
    pub fn new(label: String, record: &GameRecord) -> Option<Self> {
        dispatch!(record.game, G => replay::<G>(label, record))
    }
}

fn replay<G: Playable>(label: String, record: &GameRecord) -> Option<Replay> {
    let mut position: G = record.start.parse().ok()?;
    let diagram = position.diagram();
    let (turn, number) = (position.turn(), position.move_number());
    let (start, mut board) = (pictures(&diagram), pictures(&diagram));
    let mut changes = Vec::with_capacity(record.moves.len());
    for text in &record.moves {
        position.play(position.parse_move(text).ok()?);
        let next = pictures(&position.diagram());
        changes.push(change(&board, &next));
        board = next;
    }
    Some(Replay {
        game: record.game,
        label,
        white: record.white.clone(),
        black: record.black.clone(),
        result: result(record),
        end: record.termination.to_string(),
        columns: diagram.columns(),
        shades: diagram.iter().map(|square| if square.dark { 'x' } else { '.' }).collect(),
        numbers: numbers(&diagram),
        turns: diagram.turns,
        start: start.into_iter().collect(),
        first: turn == record.game.starter(),
        number,
        moves: record.moves.join(" "),
        changes: changes.join(" "),
        row_labels: diagram.row_labels,
        column_labels: diagram.column_labels,
    })
}

/// Who won, White's points first.
pub fn result(record: &GameRecord) -> &'static str {
    match record.termination.outcome() {
        Some(Outcome::Win(Color::White)) => "1–0",
        Some(Outcome::Win(Color::Black)) => "0–1",
        Some(Outcome::Draw) => "½–½",
        None => "*",
    }
}

fn numbers(diagram: &Diagram) -> Vec<Option<u32>> {
    let numbers: Vec<_> = diagram.iter().map(|square| square.number).collect();
    if numbers.iter().all(Option::is_none) { Vec::new() } else { numbers }
}

fn pictures(diagram: &Diagram) -> Vec<char> {
    let picture = |piece: DiagramPiece| match piece.color {
        Color::White => piece.picture.to_ascii_uppercase(),
        Color::Black => piece.picture,
    };
    diagram.iter().map(|square| square.piece.map_or('.', picture)).collect()
}

fn change(before: &[char], after: &[char]) -> String {
    let pairs = before.iter().zip(after).enumerate();
    let changed = pairs.filter(|(_, (before, after))| before != after);
    changed.map(|(square, (_, after))| format!("{square}{after}")).collect()
}

#[cfg(test)]
mod tests {
    use gamete_arena::{OpeningText, Termination};

    use super::*;

    fn record(game: GameName, moves: &[&str]) -> GameRecord {
        GameRecord {
            generation: 1,
            game,
            white: "A".to_owned(),
            black: "B".to_owned(),
            start: OpeningText::initial(game).start,
            moves: moves.iter().map(|&text| text.to_owned()).collect(),
            termination: Termination::IllegalMove { loser: Color::Black },
        }
    }

    /// How many squares each move changes.
    fn squares_changed(replay: &Replay) -> Vec<usize> {
        let pieces = |change: &str| change.chars().filter(|letter| !letter.is_ascii_digit()).count();
        replay.changes.split(' ').map(pieces).collect()
    }

    #[test]
    fn moves_of_chess_are_changes_of_squares() {
        let replay = Replay::new(String::new(), &record(GameName::Chess, &["e4", "Nf6"])).unwrap();
        assert_eq!(&replay.start[..16], "rnbqkbnrpppppppp");
        assert_eq!(&replay.start[48..], "PPPPPPPPRNBQKBNR");
        // e4 is in the row 4 from the top, e2 in the row 6; f6 in the row 2, g8 in the row 0.
        assert_eq!(replay.changes, "36P52. 6.21n");
        assert_eq!((replay.columns, &replay.shades[..9], replay.turns), (8, ".x.x.x.xx", true));
        assert_eq!((replay.row_labels[0].as_str(), replay.column_labels[7].as_str()), ("8", "h"));
        assert_eq!((replay.first, replay.number, replay.result), (true, 1, "1–0"));
    }

    #[test]
    fn castling_and_en_passant_change_more() {
        let moves = ["e4", "a6", "e5", "d5", "exd6", "a5", "Nf3", "a4", "Be2", "a3", "O-O"];
        let replay = Replay::new(String::new(), &record(GameName::Chess, &moves)).unwrap();
        assert_eq!(squares_changed(&replay), [2, 2, 2, 2, 3, 2, 2, 2, 2, 2, 4]);
    }

    #[test]
    fn checkers_begins_with_black_at_the_top() {
        let replay =
            Replay::new(String::new(), &record(GameName::Checkers, &["11-15", "22-18", "15x22"])).unwrap();
        assert_eq!(&replay.start[..16], ".o.o.o.oo.o.o.o.");
        assert_eq!(&replay.start[56..], "O.O.O.O.");
        assert!(replay.first);
        assert_eq!(squares_changed(&replay), [2, 2, 3]);
        assert_eq!((replay.numbers[0], replay.numbers[1]), (None, Some(1)));
    }

    #[test]
    fn what_cannot_be_replayed_is_left_out() {
        assert_eq!(Replay::new(String::new(), &record(GameName::Chess, &["e5"])), None);
        let damaged = GameRecord { start: "8/8 w".to_owned(), ..record(GameName::Chess, &[]) };
        assert_eq!(Replay::new(String::new(), &damaged), None);
    }
}
