use std::sync::LazyLock;

use gamete_game::{
    BenchPlayer, BoardGame, Color, Diagram, DiagramPiece, DiagramSquare, Game, MoveKind, OpeningList,
    Tactics, TechniqueBench,
};

use crate::{
    BallotStatus, Kind, Material, Move, Pdn, Position, Rules, Square, Squares, SquaresSymmetric,
    three_move_ballots,
};

/// The moves of the ballots that are accepted, in the order of their official numbers.
static ACCEPTED: LazyLock<Vec<[Move; 3]>> = LazyLock::new(|| {
    let accepted = three_move_ballots().into_iter().filter(|ballot| ballot.status == BallotStatus::Accepted);
    accepted.map(|ballot| ballot.moves).collect()
});

impl BoardGame for Position {
    type Format = Pdn;
    type Models = (Material, Squares, SquaresSymmetric);

    const FILE_ENDING: &'static str = "pdn";
    const MOVE_EXAMPLES: &'static str = "11-15, 22x15 or 1x10x19";
    const FORCED: &'static str = "must jump";
    const FORCED_MOVE: &'static str = "a jump is compulsory";
    const FORGET_PAST: Option<fn(&mut Self)> = Some(Self::forget_past);

    const OPENINGS: Option<OpeningList<Self>> = Some(OpeningList {
        word: "ballots",
        name: "three-move ballots",
        title: "ballots",
        count: 156,
        opening: |number| (Self::start(), ACCEPTED[number].to_vec()),
    });

    const BENCH_PLAYERS: &'static [BenchPlayer] = &[
        BenchPlayer::of::<Self, Material>("full", 13),
        BenchPlayer::of::<Self, Squares>("paper", 9),
        BenchPlayer::of::<Self, SquaresSymmetric>("full", 11),
    ];

    const BENCH_POSITIONS: &'static [&'static str] = &[
        "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
        "W:W19,21,22,23,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,20",
        "B:W13,17,18,20,22,24,27,28,30:B1,2,3,5,6,8,10,11,12",
        "W:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
        "B:WK6,K15,21:BK19,K24,12",
        "W:WK14,K18,K23:BK1,K29",
    ];

    /// Also with mistakes in it, so that these are named.
    fn is_fen(text: &str) -> bool {
        text.contains(':') && !text.contains('/')
    }

    fn diagram(&self) -> Diagram {
        let square = |row: u32, column: u32| {
            let square = Square::at(row, column);
            DiagramSquare {
                dark: square.is_some(),
                number: square.map(Square::number),
                piece: square
                    .and_then(|square| self.piece_at(square))
                    .map(|(color, kind)| drawn(color, kind)),
            }
        };
        Diagram {
            squares: (0..8).map(|row| (0..8).map(|column| square(row, column)).collect()).collect(),
            row_labels: Vec::new(),
            column_labels: Vec::new(),
            turns: true,
        }
    }

    fn marks(&self, mv: Move) -> Vec<(usize, usize)> {
        mv.path().into_iter().map(|square| (square.row() as usize, square.column() as usize)).collect()
    }

    fn squares_in(text: &str) -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_digit());
        let squares = words.filter_map(|word| word.parse::<Square>().ok());
        squares.map(|square| square.to_string()).collect()
    }

    fn ends(mv: Move) -> [String; 2] {
        [mv.from(), mv.to()].map(|square| square.to_string())
    }

    fn divide_text(&self, mv: Move, _shuffled: bool) -> String {
        self.full_move_text(mv)
    }

    fn move_kind(&self, mv: Move) -> MoveKind {
        let piece = if self.mover(mv) == Kind::Man as usize { "man" } else { "king" };
        let action = if mv.is_capture() { MoveKind::CAPTURE } else { MoveKind::QUIET };
        MoveKind { piece, action, gives_check: false }
    }

    /// Man 1, king 1.5.
    fn standard_material(&self, color: Color) -> u32 {
        let pieces = self.pieces(color);
        (2 * pieces.len() + (pieces & self.kings()).len()) as u32
    }

    /// By the rules of the MIT report on mutation parameters, which has numbers.
    fn technique_bench() -> TechniqueBench<Self> {
        let jumps = "B:W14,18,21,22,24,26,27,30,31,32:B1,2,3,4,5,6,8,9,11,16";
        let jumps = jumps.parse::<Self>().expect("a good FEN");
        let positions = vec![
            ("the first move", Self::start().with_rules(Rules::MIT)),
            ("jumps to make", jumps.with_rules(Rules::MIT)),
        ];
        TechniqueBench { model: Self::DEFAULT_MODEL.name, depths: &[4, 6, 8], positions, is_published: true }
    }
}

fn drawn(color: Color, kind: Kind) -> DiagramPiece {
    let (letter, symbol) = match (color, kind) {
        (Color::White, Kind::Man) => ('w', '⛀'),
        (Color::White, Kind::King) => ('W', '⛁'),
        (Color::Black, Kind::Man) => ('b', '⛂'),
        (Color::Black, Kind::King) => ('B', '⛃'),
    };
    let picture = match kind {
        Kind::Man => 'o',
        Kind::King => 'd',
    };
    DiagramPiece { color, letter, symbol, picture }
}

#[cfg(test)]
mod tests {
    use gamete_game::Outcome;

    use super::*;

    fn position(fen: &str) -> Position {
        fen.parse().expect("a good FEN")
    }

    #[test]
    fn the_larger_side_has_more_material() {
        for color in Color::ALL {
            assert_eq!(Position::start().standard_material(color), 2 * 12);
        }
        // Two kings are worth three men.
        assert_eq!(position("W:WK1,K2:B9,10,11").material_outcome(), Outcome::Draw);
        assert_eq!(position("W:WK1:B9").material_outcome(), Outcome::Win(Color::White));
    }

    #[test]
    fn moves_have_kinds() {
        let start = Position::start();
        let kind = start.move_kind(start.moves()[0]);
        assert_eq!((kind.piece, kind.action), ("man", MoveKind::QUIET));
        let jump = position("W:WK18:B14");
        let kind = jump.move_kind(jump.moves()[0]);
        assert_eq!((kind.piece, kind.action), ("king", MoveKind::CAPTURE));
    }

    #[test]
    fn every_accepted_ballot_is_an_opening() {
        let list = Position::OPENINGS.expect("the ballots");
        assert_eq!(list.count, ACCEPTED.len());
        assert_eq!((list.opening)(list.count - 1).1.len(), 3);
    }

    #[test]
    fn numbers_are_on_the_dark_squares() {
        let diagram = position("W:WK1:BK32").diagram();
        let [first, last] = [(0, 1), (7, 6)].map(|(row, column)| diagram.squares[row][column]);
        assert!(first.dark && last.dark && !diagram.squares[0][0].dark);
        assert_eq!([first.number, last.number], [Some(1), Some(32)]);
        assert_eq!(
            [first, last].map(|square| square.piece.map(|piece| piece.letter)),
            [Some('W'), Some('B')]
        );
    }

    #[test]
    fn bench_positions_are_good() {
        for fen in Position::BENCH_POSITIONS {
            assert_eq!(position(fen).ending(), None, "{fen}");
        }
        assert_eq!(Position::technique_bench().positions.len(), 2);
    }
}
