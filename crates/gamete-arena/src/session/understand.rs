use std::fmt;

use gamete_game::MoveError;

use crate::Playable;

/// So many moves are listed; more are only counted.
const FEW: usize = 12;

/// Why a text is no move that can be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveRefusal {
    /// It is not written like a move.
    #[error("{text:?} is not a move; moves are like {examples}")]
    NotAMove {
        /// What was typed.
        text: String,
        /// How moves are typed.
        examples: &'static str,
    },
    /// It may mean several moves.
    #[error("{text:?} is ambiguous; say one of {}", meant.join(", "))]
    Ambiguous {
        /// What was typed.
        text: String,
        /// The moves that it may mean.
        meant: Vec<String>,
    },
    /// It breaks the rules.
    #[error("{text:?} is illegal{}; {legal}", forced.map_or_else(String::new, |why| format!(": {why}")))]
    Illegal {
        /// What was typed.
        text: String,
        /// Why not any move can be played.
        forced: Option<&'static str>,
        /// Those that can.
        legal: LegalMoves,
    },
}

/// Legal moves, as far as they help somebody who typed another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LegalMoves {
    /// All of them.
    All(Vec<String>),
    /// Those from a square.
    From(String, Vec<String>),
    /// Those to a square.
    To(String, Vec<String>),
    /// There are so many.
    Many(usize),
}

impl fmt::Display for LegalMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(moves) => write!(f, "legal: {}", moves.join(", ")),
            Self::From(square, moves) => write!(f, "legal from {square}: {}", moves.join(", ")),
            Self::To(square, moves) => write!(f, "legal to {square}: {}", moves.join(", ")),
            Self::Many(count) => write!(f, "there are {count} legal moves"),
        }
    }
}

/// The move that somebody means.
pub(super) fn understand<G: Playable>(position: &G, text: &str) -> Result<G::Move, MoveRefusal> {
    let tidy = tidy(text);
    let error = match position.parse_move(&tidy) {
        Ok(mv) => return Ok(mv),
        Err(error) => error,
    };
    // Those who type in small letters mean the piece, but a b may be a pawn; and UCI has no dashes.
    let other = match tidy.chars().next() {
        Some(letter @ ('k' | 'q' | 'r' | 'n')) => format!("{}{}", letter.to_ascii_uppercase(), &tidy[1..]),
        _ => tidy.replace('-', ""),
    };
    let (tidy, error) = match position.parse_move(&other) {
        Ok(mv) => return Ok(mv),
        Err(second) if error == MoveError::Syntax => (other, second),
        Err(_) => (tidy, error),
    };
    let text = shortened(text);
    Err(match error {
        MoveError::Syntax => MoveRefusal::NotAMove { text, examples: G::MOVE_EXAMPLES },
        MoveError::Ambiguous => {
            let meant = listed(position, |mv, name| same_ends::<G>(mv, &tidy) && same_piece(name, &tidy));
            MoveRefusal::Ambiguous { text, meant }
        }
        MoveError::Illegal => {
            let forced = position.is_forced().then_some(G::FORCED_MOVE);
            MoveRefusal::Illegal { text, forced, legal: nearest(position, &tidy) }
        }
    })
}

/// Without the number of the move, and with the squares joined.
fn tidy(text: &str) -> String {
    let text = text.trim();
    let unnumbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text =
        if unnumbered.starts_with('.') { unnumbered.trim_start_matches('.').trim_start() } else { text };
    text.split_whitespace().collect::<Vec<_>>().join("-")
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_owned() } else { text.chars().take(39).chain(['…']).collect() }
}

/// The legal moves that are nearest to what was typed.
fn nearest<G: Playable>(position: &G, text: &str) -> LegalMoves {
    let all = listed(position, |_, _| true);
    if all.len() <= FEW {
        return LegalMoves::All(all);
    }
    let squares = G::squares_in(text);
    let from = match squares.as_slice() {
        [from, _, ..] => listed(position, |mv, _| G::ends(mv)[0] == *from),
        _ => Vec::new(),
    };
    if let (Some(square), false) = (squares.first(), from.is_empty()) {
        return LegalMoves::From(square.clone(), from);
    }
    let to = |piece: bool| {
        listed(position, |mv, name| {
            squares.last() == Some(&G::ends(mv)[1]) && (!piece || same_piece(name, text))
        })
    };
    let to = Some(to(true)).filter(|moves| !moves.is_empty()).unwrap_or_else(|| to(false));
    match (squares.last(), to.is_empty()) {
        (Some(square), false) => LegalMoves::To(square.clone(), to),
        _ => LegalMoves::Many(all.len()),
    }
}

fn same_ends<G: Playable>(mv: G::Move, text: &str) -> bool {
    let ends = G::ends(mv);
    match G::squares_in(text).as_slice() {
        [] => true,
        [to] => ends[1] == *to,
        [from, .., to] => ends == [from.clone(), to.clone()],
    }
}

/// Whether both texts begin with the same capital, or both with none.
fn same_piece(one: &str, two: &str) -> bool {
    let capital = |text: &str| text.chars().next().filter(char::is_ascii_uppercase);
    capital(one) == capital(two)
}

/// The legal moves that `wanted` accepts, as written.
fn listed<G: Playable>(position: &G, wanted: impl Fn(G::Move, &str) -> bool) -> Vec<String> {
    let named = position.moves().into_iter().map(|mv| (mv, position.move_text(mv)));
    named.filter(|(mv, name)| wanted(*mv, name)).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use gamete_game::Game;

    use super::*;

    fn answer<G: Playable>(fen: &str, text: &str) -> String {
        let position: G = fen.parse().expect("a good FEN");
        understand(&position, text).map_or_else(|refusal| refusal.to_string(), |mv| position.move_text(mv))
    }

    fn chess(fen: &str, text: &str) -> String {
        answer::<gamete_chess::Position>(fen, text)
    }

    fn checkers(fen: &str, text: &str) -> String {
        answer::<gamete_checkers::Position>(fen, text)
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn people_need_not_be_pedantic() {
        for text in ["Nf3", "nf3", "g1f3", "1. Nf3", "1.Nf3!", "g1 f3", "Ng1-f3"] {
            assert_eq!(chess(START, text), "Nf3", "{text}");
        }
        let start = gamete_checkers::Position::start().to_string();
        for text in ["11-15", "11 15", "1. 11-15", "1.11-15"] {
            assert_eq!(checkers(&start, text), "11-15", "{text}");
        }
    }

    #[test]
    fn what_cannot_be_played_is_explained() {
        assert_eq!(chess(START, "e2e5"), "\"e2e5\" is illegal; legal from e2: e3, e4");
        assert_eq!(chess(START, "Bf3"), "\"Bf3\" is illegal; legal to f3: f3, Nf3");
        assert_eq!(chess(START, "Qd5"), "\"Qd5\" is illegal; there are 20 legal moves");
        assert!(chess(START, "hello").starts_with("\"hello\" is not a move; moves are like e4"));
        assert_eq!(
            chess("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "Ne2"),
            "\"Ne2\" is ambiguous; say one of Nge2, Nce2"
        );
        assert_eq!(
            chess("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "ne2"),
            "\"ne2\" is ambiguous; say one of Nge2, Nce2"
        );
        assert_eq!(
            chess("4k3/4r3/8/8/8/8/8/R3K3 w - - 0 1", "Ra8"),
            "\"Ra8\" is illegal: you are in check; legal: Kd1, Kf1, Kd2, Kf2"
        );
        assert_eq!(
            checkers("B:W18,21:B1,15", "1-5"),
            "\"1-5\" is illegal: a jump is compulsory; legal: 15x22"
        );
        assert!(chess(START, &"x".repeat(10_000)).len() < 200);
    }
}
