use crate::task::{TaskError, parse_moves};
use crate::{GameName, Playable};

/// Every position of a game as a FEN, the start first.
///
/// # Errors
///
/// When the start or a move makes no sense.
pub fn positions(game: GameName, start: &str, moves: &[String]) -> Result<Vec<String>, TaskError> {
    match game {
        GameName::Chess => replay::<gamete_chess::Position>(start, moves),
        GameName::Checkers => replay::<gamete_checkers::Position>(start, moves),
    }
}

fn replay<G: Playable>(start: &str, moves: &[String]) -> Result<Vec<String>, TaskError> {
    let mut position: G = start
        .parse()
        .map_err(|error: G::Err| TaskError::Start { fen: start.to_owned(), reason: error.to_string() })?;
    let mut fens = vec![position.to_string()];
    for mv in parse_moves(&position.clone(), moves)? {
        position.play(mv);
        fens.push(position.to_string());
    }
    Ok(fens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpeningText;

    fn after(game: GameName, moves: &[&str]) -> Result<Vec<String>, TaskError> {
        let moves: Vec<_> = moves.iter().map(|&text| text.to_owned()).collect();
        positions(game, &OpeningText::initial(game).start, &moves)
    }

    #[test]
    fn games_are_followed_ply_by_ply() {
        let chess = after(GameName::Chess, &["e4", "e5"]).unwrap();
        assert_eq!(chess.len(), 3);
        assert!(chess[0].starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"), "{}", chess[0]);
        assert!(chess[2].starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"), "{}", chess[2]);
        let checkers = after(GameName::Checkers, &["11-15", "22-18", "15x22"]).unwrap();
        assert!(checkers[3].ends_with(":B1,2,3,4,5,6,7,8,9,10,12,22"), "{}", checkers[3]);
    }

    #[test]
    fn what_cannot_be_played_is_named() {
        let error = after(GameName::Chess, &["e4", "e4"]).unwrap_err();
        assert!(matches!(error, TaskError::Move { number: 2, .. }), "{error}");
        assert!(matches!(positions(GameName::Checkers, "?", &[]), Err(TaskError::Start { .. })));
    }
}
