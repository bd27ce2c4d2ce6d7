use gamete_game::{Game, MoveError};

use crate::{Move, Position, Square};

/// What stands between the squares of a step.
pub(crate) const STEP: [char; 2] = ['-', '–'];

/// What stands between the squares of a jump.
pub(crate) const JUMP: [char; 4] = ['x', 'X', ':', '×'];

fn is_separator(c: char) -> bool {
    STEP.contains(&c) || JUMP.contains(&c)
}

/// Squares joined by `-` or `x`: the first, the last, and any of those in between. The squares alone say which move it
/// is: archives write `10x14` for a step and `9-18` for a jump, `1 - 5`, and jumps one by one, `11x18 18x25`.
pub(crate) fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let squares = parse_path(text.trim().trim_end_matches(['!', '?'])).ok_or(MoveError::Syntax)?;
    let mut fitting = position.moves();
    fitting.retain(|mv| fits(*mv, &squares));
    let exact = fitting.iter().find(|mv| mv.path() == squares);
    let first = exact.or(fitting.first()).ok_or(MoveError::Illegal)?;
    let same_capture = fitting.iter().all(|mv| mv.captured() == first.captured());
    if exact.is_some() || same_capture { Ok(*first) } else { Err(MoveError::Ambiguous) }
}

/// Whether two words may be parts of one move: there is a separator between them, or the second jumps on from where the
/// first ended.
pub(crate) fn may_join(first: &str, second: &str) -> bool {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
    if first.ends_with(is_separator) {
        return second.starts_with(|c: char| c.is_ascii_digit());
    }
    if second.starts_with(is_separator) {
        return first.ends_with(|c: char| c.is_ascii_digit());
    }
    match (first.rsplit_once(is_separator), second.split_once(is_separator)) {
        (Some((_, last)), Some((next, _))) => number(last) && last == next,
        _ => false,
    }
}

/// The squares of a move, at least two.
fn parse_path(text: &str) -> Option<Vec<Square>> {
    let mut compact = String::with_capacity(text.len());
    for c in text.chars() {
        if is_separator(c) {
            compact.truncate(compact.trim_end().len());
        }
        if !(c.is_whitespace() && (compact.is_empty() || compact.ends_with(is_separator))) {
            compact.push(c);
        }
    }
    let mut squares: Vec<Square> = Vec::new();
    for part in compact.split_whitespace() {
        let path = part.split(is_separator).map(str::parse).collect::<Result<Vec<Square>, _>>().ok()?;
        if path.len() < 2 || squares.last().is_some_and(|last| *last != path[0]) {
            return None;
        }
        squares.extend(&path[usize::from(!squares.is_empty())..]);
    }
    (!squares.is_empty()).then_some(squares)
}

/// Whether the piece goes from the first to the last of `squares` and touches the others on its way, in order.
fn fits(mv: Move, squares: &[Square]) -> bool {
    if Some(&mv.from()) != squares.first() || Some(&mv.to()) != squares.last() {
        return false;
    }
    let path = mv.path();
    let mut path = path.iter();
    squares.iter().all(|square| path.any(|touched| touched == square))
}

/// First and last square when they say enough, and else the whole path.
pub(crate) fn move_text(position: &Position, mv: Move) -> String {
    let mut same_ends = 0;
    position.for_each_move(|other| {
        same_ends += u32::from((other.from(), other.to()) == (mv.from(), mv.to()));
    });
    if mv.jumps() > 1 && same_ends <= 1 { format!("{}x{}", mv.from(), mv.to()) } else { mv.to_string() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategies::{reachable, scattered};

    fn parse(fen: &str, text: &str) -> Result<String, MoveError> {
        let position: Position = fen.parse().expect("a FEN");
        position.parse_move(text).map(|mv| mv.to_string())
    }

    fn texts(fen: &str) -> Vec<String> {
        let position: Position = fen.parse().expect("a FEN");
        let mut texts: Vec<_> = position.moves().into_iter().map(|mv| position.move_text(mv)).collect();
        texts.sort();
        texts
    }

    #[test]
    fn reads_paths_whole_in_part_and_not_at_all() {
        let fen = "B:W6,15,24:BK1";
        for text in ["1x28", "1x10x28", "1x19x28", "1x10x19x28", "1-28", "1-10-19-28", "1:28!", " 1x28 "] {
            assert_eq!(parse(fen, text).as_deref(), Ok("1x10x19x28"), "{text}");
        }
        for text in ["1x10", "1x19x10x28", "1x5", "2x28"] {
            assert_eq!(parse(fen, text), Err(MoveError::Illegal), "{text}");
        }
        for text in ["", "1", "x", "1x", "1x33", "1xx28", "e4", "1x10x", "-1-5"] {
            assert_eq!(parse(fen, text), Err(MoveError::Syntax), "{text}");
        }
    }

    #[test]
    fn the_squares_decide_whatever_stands_between_them() {
        for text in ["11-15", "11x15", "11:15", "11–15", "11 - 15", "11- 15", "11 x15"] {
            assert_eq!(parse("B:W32:B11", text).as_deref(), Ok("11-15"), "{text}");
        }
        for text in ["9x18", "9-18", "9 - 18"] {
            assert_eq!(parse("B:W14:B9", text).as_deref(), Ok("9x18"), "{text}");
        }
        assert_eq!(parse("B:W32:B11", "11-18"), Err(MoveError::Illegal));
        assert_eq!(parse("B:W32:B11", "11 15"), Err(MoveError::Syntax));
    }

    #[test]
    fn jumps_may_come_one_by_one() {
        let fen = "B:W6,15,24:BK1";
        assert_eq!(parse(fen, "1x10 10x19 19x28").as_deref(), Ok("1x10x19x28"));
        assert_eq!(parse(fen, "1-10 10x28").as_deref(), Ok("1x10x19x28"));
        assert_eq!(parse(fen, "1x10 19x28"), Err(MoveError::Syntax));
        for (first, second) in
            [("1x10", "10x19"), ("1", "-5"), ("1-", "5"), ("1 -", "5"), ("1x10 10x19", "19x28")]
        {
            assert!(may_join(first, second), "{first} {second}");
        }
        for (first, second) in
            [("1x10", ""), ("1x10", "11x19"), ("2", "11-15"), ("1-5", "22"), ("x", "x"), ("", "-")]
        {
            assert!(!may_join(first, second), "{first} {second}");
        }
    }

    #[test]
    fn ends_that_fit_two_captures_are_ambiguous() {
        let fen = "B:W6,7,14,15:B2";
        assert_eq!(texts(fen), ["2x11x18", "2x9x18"]);
        assert_eq!(parse(fen, "2x18"), Err(MoveError::Ambiguous));
        assert_eq!(parse(fen, "2x9x18").as_deref(), Ok("2x9x18"));
    }

    #[test]
    fn ends_that_fit_two_ways_to_one_capture_mean_the_first() {
        let fen = "B:W6,7,14,15:BK2";
        assert_eq!(texts(fen), ["2x11x18x9x2", "2x9x18x11x2"]);
        assert!(parse(fen, "2x2").is_ok());
        assert_eq!(parse(fen, "2x9x18x2").as_deref(), Ok("2x9x18x11x2"));
    }

    proptest! {
        #[test]
        fn parsing_undoes_writing(position in prop_oneof![scattered(), reachable()]) {
            for mv in position.moves() {
                prop_assert_eq!(position.parse_move(&position.move_text(mv)), Ok(mv));
                prop_assert_eq!(position.parse_move(&position.full_move_text(mv)), Ok(mv));
            }
        }

        #[test]
        fn any_text_is_refused_or_read(position in scattered(), text in "[0-9x:! -]{0,12}|.*") {
            if let Ok(mv) = position.parse_move(&text) {
                prop_assert!(position.is_legal(mv));
            }
        }
    }
}
