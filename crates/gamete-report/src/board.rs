//! Games as a page can replay them: the first board, and what each move changes.

use gamete_arena::{GameName, positions};
use gamete_game::{Color, Outcome};
use gamete_lab::GameRecord;
use serde::Serialize;

/// What stands on the squares, in rows from the top as White sees them: letters as in FEN, `o` and `d` for men and
/// kings of checkers, capitals for White.
type Board = [u8; 64];

const EMPTY: Board = [b'.'; 64];

/// Names of the squares, one letter each.
const SQUARES: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

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
    /// The first board.
    pub start: String,
    /// Whether the side that begins by the rules of the game is to move.
    pub first: bool,
    /// The number of the first move.
    pub number: u32,
    /// The moves with blanks between them.
    pub moves: String,
    /// For each move the squares that it changes, each followed by what stands there after it.
    pub changes: String,
}

impl Replay {
    /// Makes it of a record; nothing if the record cannot be replayed.
    pub fn new(label: String, record: &GameRecord) -> Option<Self> {
        let fens = positions(record.game, &record.start, &record.moves).ok()?;
        let boards: Vec<Board> = fens.iter().map(|fen| board(record.game, fen)).collect::<Option<_>>()?;
        let changes: Vec<String> = boards.windows(2).map(|pair| change(&pair[0], &pair[1])).collect();
        let (turn, number) = turn(record.game, &fens[0]);
        let beginner = match record.game {
            GameName::Chess => Color::White,
            GameName::Checkers => Color::Black,
        };
        Some(Self {
            game: record.game,
            label,
            white: record.white.clone(),
            black: record.black.clone(),
            result: result(record),
            end: record.termination.to_string(),
            start: boards[0].iter().map(|&letter| char::from(letter)).collect(),
            first: turn == beginner,
            number,
            moves: record.moves.join(" "),
            changes: changes.join(" "),
        })
    }
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

fn change(before: &Board, after: &Board) -> String {
    let changed = (0..64).filter(|&square| before[square] != after[square]);
    changed.flat_map(|square| [SQUARES[square], after[square]]).map(char::from).collect()
}

fn board(game: GameName, fen: &str) -> Option<Board> {
    match game {
        GameName::Chess => chess_board(fen),
        GameName::Checkers => checkers_board(fen),
    }
}

fn turn(game: GameName, fen: &str) -> (Color, u32) {
    let (turn, number) = match game {
        GameName::Chess => {
            let mut fields = fen.split(' ');
            (fields.nth(1), fields.next_back().and_then(|number| number.parse().ok()))
        }
        GameName::Checkers => (fen.split(':').next(), None),
    };
    let color =
        if turn.is_some_and(|turn| turn.eq_ignore_ascii_case("b")) { Color::Black } else { Color::White };
    (color, number.unwrap_or(1))
}

fn chess_board(fen: &str) -> Option<Board> {
    let mut board = EMPTY;
    let mut square = 0;
    for letter in fen.split(' ').next()?.bytes().filter(|&letter| letter != b'/') {
        if letter.is_ascii_digit() {
            square += usize::from(letter - b'0');
        } else {
            *board.get_mut(square)? = letter;
            square += 1;
        }
    }
    (square == 64).then_some(board)
}

/// Squares have the numbers 1 to 32 from the top, Black's side.
fn checkers_board(fen: &str) -> Option<Board> {
    let mut board = EMPTY;
    for side in fen.split(':').skip(1) {
        let white = side.starts_with('W');
        for piece in side[1..].split(',').filter(|piece| !piece.is_empty()) {
            let (king, number) = match piece.strip_prefix('K') {
                Some(number) => (true, number),
                None => (false, piece),
            };
            let index = number.parse::<usize>().ok()?.checked_sub(1)?;
            let (row, column) = (index / 4, index % 4 * 2 + usize::from(index / 4 % 2 == 0));
            let letter = if king { b'd' } else { b'o' };
            *board.get_mut(8 * row + column)? = if white { letter.to_ascii_uppercase() } else { letter };
        }
    }
    Some(board)
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

    #[test]
    fn moves_of_chess_are_changes_of_squares() {
        let replay = Replay::new(String::new(), &record(GameName::Chess, &["e4", "Nf6"])).unwrap();
        assert_eq!(&replay.start[..16], "rnbqkbnrpppppppp");
        assert_eq!(&replay.start[48..], "PPPPPPPPRNBQKBNR");
        // e4 is in the row 4 from the top, e2 in the row 6; f6 in the row 2, g8 in the row 0.
        assert_eq!(replay.changes, "kP0. G.Vn");
        assert_eq!((replay.first, replay.number, replay.result), (true, 1, "1–0"));
    }

    #[test]
    fn castling_and_en_passant_change_more() {
        let moves = ["e4", "a6", "e5", "d5", "exd6", "a5", "Nf3", "a4", "Be2", "a3", "O-O"];
        let replay = Replay::new(String::new(), &record(GameName::Chess, &moves)).unwrap();
        let lengths: Vec<usize> = replay.changes.split(' ').map(str::len).collect();
        assert_eq!(lengths, [4, 4, 4, 4, 6, 4, 4, 4, 4, 4, 8]);
    }

    #[test]
    fn checkers_begins_with_black_at_the_top() {
        let replay =
            Replay::new(String::new(), &record(GameName::Checkers, &["11-15", "22-18", "15x22"])).unwrap();
        assert_eq!(&replay.start[..16], ".o.o.o.oo.o.o.o.");
        assert_eq!(&replay.start[56..], "O.O.O.O.");
        assert!(replay.first);
        assert_eq!(replay.changes.split(' ').map(str::len).collect::<Vec<_>>(), [4, 4, 6]);
        assert_eq!(checkers_board("W:WK1:B").unwrap()[1], b'D');
    }

    #[test]
    fn what_cannot_be_replayed_is_left_out() {
        assert_eq!(Replay::new(String::new(), &record(GameName::Chess, &["e5"])), None);
        assert_eq!(chess_board("8/8 w"), None);
        assert_eq!(checkers_board("W:W99:B"), None);
    }
}
