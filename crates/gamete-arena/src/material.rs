use gamete_chess::Piece;
use gamete_game::{Color, Game, Outcome};

/// A game in which pieces can be counted to tell who is ahead.
pub trait StandardMaterial: Game {
    /// What a side's pieces are worth by the textbook, whoever plays: in halves of a pawn or man.
    fn standard_material(&self, color: Color) -> u32;

    /// The side with more of it wins; nobody does if there is as much on both.
    fn material_outcome(&self) -> Outcome {
        let [white, black] = Color::ALL.map(|color| self.standard_material(color));
        match white.cmp(&black) {
            std::cmp::Ordering::Greater => Outcome::Win(Color::White),
            std::cmp::Ordering::Less => Outcome::Win(Color::Black),
            std::cmp::Ordering::Equal => Outcome::Draw,
        }
    }
}

/// Pawn 1, knight 3, bishop 3, rook 5, queen 9.
impl StandardMaterial for gamete_chess::Position {
    fn standard_material(&self, color: Color) -> u32 {
        let pieces = gamete_chess::Square::ALL.into_iter().filter_map(|square| self.piece_at(square));
        let halves = |piece| match piece {
            Piece::Pawn => 2,
            Piece::Knight | Piece::Bishop => 6,
            Piece::Rook => 10,
            Piece::Queen => 18,
            Piece::King => 0,
        };
        pieces.filter(|&(owner, _)| owner == color).map(|(_, piece)| halves(piece)).sum()
    }
}

/// Man 1, king 1.5.
impl StandardMaterial for gamete_checkers::Position {
    fn standard_material(&self, color: Color) -> u32 {
        let pieces = self.pieces(color);
        (2 * pieces.len() + (pieces & self.kings()).len()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chess(fen: &str) -> gamete_chess::Position {
        fen.parse().expect("a good FEN")
    }

    fn checkers(fen: &str) -> gamete_checkers::Position {
        fen.parse().expect("a good FEN")
    }

    #[test]
    fn both_sides_start_with_the_same() {
        for color in Color::ALL {
            assert_eq!(gamete_chess::Position::start().standard_material(color), 2 * 39);
            assert_eq!(gamete_checkers::Position::start().standard_material(color), 2 * 12);
        }
    }

    #[test]
    fn the_larger_side_wins() {
        let knights_and_bishops = chess("4kbb1/8/8/8/8/8/8/4KNN1 w - - 0 1");
        assert_eq!(knights_and_bishops.material_outcome(), Outcome::Draw);
        assert_eq!(chess("4k3/8/8/8/8/8/PP6/4KR2 w - - 0 1").standard_material(Color::White), 2 * 7);
        assert_eq!(chess("q3k3/8/8/8/8/8/8/R3KB2 w - - 0 1").material_outcome(), Outcome::Win(Color::Black));
        assert_eq!(chess("r3k3/8/8/8/8/8/8/Q3K3 b - - 0 1").material_outcome(), Outcome::Win(Color::White));
        // Two kings are worth three men.
        assert_eq!(checkers("W:WK1,K2:B9,10,11").material_outcome(), Outcome::Draw);
        assert_eq!(checkers("W:WK1:B9").material_outcome(), Outcome::Win(Color::White));
    }
}
