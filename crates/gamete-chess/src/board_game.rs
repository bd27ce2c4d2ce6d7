use cozy_chess::{File, Rank};
use gamete_game::{
    BenchPlayer, BoardGame, Color, Diagram, DiagramPiece, DiagramSquare, Game, ModelFacts, MoveKind,
    OpeningList, Tactics, TechniqueBench,
};

use crate::packed;
use crate::{
    CastlingStyle, Classic, KendallWhitwell, Material, MaterialPhased, Move, Pgn, Piece, Position, Square,
    Tapered,
};

impl BoardGame for Position {
    type Format = Pgn;
    type Models = (KendallWhitwell, Material, MaterialPhased, Classic, Tapered);

    const DEFAULT_MODEL: ModelFacts = ModelFacts::of::<Self, Classic>();
    const FILE_ENDING: &'static str = "pgn";
    const MOVE_EXAMPLES: &'static str = "e4, Nf3, exd5, O-O, e8=Q or g1f3";
    const FORCED: &'static str = "in check";
    const FORCED_MOVE: &'static str = "you are in check";
    const NOISE: bool = false;
    const QUICK_DEPTH: u32 = 2;

    const SHUFFLED_STARTS: Option<OpeningList<Self>> = Some(OpeningList {
        word: "chess960",
        name: "chess960",
        title: "960 start positions",
        count: 960,
        opening: |number| (Self::chess960_start(number as u32), Vec::new()),
    });

    const BENCH_PLAYERS: &'static [BenchPlayer] = &[
        BenchPlayer::of::<Self, Classic>("full", 10),
        BenchPlayer::of::<Self, Classic>("classic", 7),
        BenchPlayer::of::<Self, KendallWhitwell>("paper", 3),
        BenchPlayer::of::<Self, Material>("full", 9),
        BenchPlayer::of::<Self, MaterialPhased>("full", 9),
        BenchPlayer::of::<Self, Tapered>("full", 9),
    ];

    const BENCH_POSITIONS: &'static [&'static str] = &[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9",
        "rnbq1rk1/ppp1bppp/4pn2/3p2B1/2PP4/2N1PN2/PP3PPP/R2QKB1R b KQ - 0 6",
        "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
        "rnbq1rk1/ppp1ppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQK2R b KQ - 3 6",
        "8/5pk1/4p1p1/7p/1R5P/r5P1/5PK1/8 w - - 0 40",
        "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",
        "8/pp3p2/2p1k3/4p1p1/1P2P1P1/P3K3/2P2P2/8 w - - 0 35",
        "8/6pk/7p/3q4/8/7P/4Q1PK/8 w - - 0 50",
        "8/5k2/2b1p1p1/p3P2p/P2B1P1P/1P3KP1/8/8 w - - 0 45",
        "nrkbqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRKBQRBN w KQkq - 0 1",
    ];

    fn is_shuffled(&self) -> bool {
        self.is_chess960()
    }

    fn packed(&self) -> Vec<u8> {
        packed::pack(self)
    }

    fn from_packed(bytes: &[u8]) -> Option<Self> {
        packed::unpack(bytes)
    }

    fn diagram(&self) -> Diagram {
        let square = |rank: Rank, file: File| DiagramSquare {
            dark: (rank as usize + file as usize).is_multiple_of(2),
            number: None,
            piece: self.piece_at(Square::new(file, rank)).map(|(color, piece)| drawn(color, piece)),
        };
        let row = |rank: Rank| File::ALL.into_iter().map(|file| square(rank, file)).collect();
        let ranks = || Rank::ALL.into_iter().rev();
        Diagram {
            squares: ranks().map(row).collect(),
            row_labels: ranks().map(|rank| rank.to_string()).collect(),
            column_labels: File::ALL.into_iter().map(|file| file.to_string()).collect(),
            turns: true,
        }
    }

    /// Of castling the king's squares alone; in Chess960, where the king may stand on its square or beside it, those of king and rook.
    fn marks(&self, mv: Move) -> Vec<(usize, usize)> {
        let takes_own = self.piece_at(mv.to).is_some_and(|(color, _)| color == self.turn());
        let castles = takes_own && !self.is_chess960();
        let to = match castles {
            true if mv.to.file() > mv.from.file() => Square::new(File::G, mv.from.rank()),
            true => Square::new(File::C, mv.from.rank()),
            false => mv.to,
        };
        [mv.from, to].map(place).to_vec()
    }

    fn threatened(&self) -> Vec<(usize, usize)> {
        let king = self.in_check().then(|| self.board().king(self.board().side_to_move()));
        king.map(place).into_iter().collect()
    }

    fn squares_in(text: &str) -> Vec<String> {
        let is_square = |pair: &&[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'8']);
        let pairs = text.as_bytes().windows(2).filter(is_square);
        pairs.map(|pair| String::from_utf8_lossy(pair).into_owned()).collect()
    }

    fn ends(mv: Move) -> [String; 2] {
        [mv.from, mv.to].map(|square| square.to_string())
    }

    fn divide_text(&self, mv: Move, shuffled: bool) -> String {
        self.uci(mv, if shuffled { CastlingStyle::Chess960 } else { CastlingStyle::Standard })
    }

    fn move_kind(&self, mv: Move) -> MoveKind {
        let [own, target] = [mv.from, mv.to].map(|square| self.piece_at(square));
        let action = match (mv.promotion, target) {
            (Some(_), _) => "promotion",
            (None, Some((color, _))) if color == self.turn() => "castling",
            _ if self.is_capture(mv) => MoveKind::CAPTURE,
            _ => MoveKind::QUIET,
        };
        let mut next = self.clone();
        next.play(mv);
        let piece = own.map_or("piece", |(_, piece)| PIECE_NAMES[piece as usize]);
        MoveKind { piece, action, gives_check: next.in_check() }
    }

    /// Pawn 1, knight 3, bishop 3, rook 5, queen 9.
    fn standard_material(&self, color: Color) -> u32 {
        let pieces = Square::ALL.into_iter().filter_map(|square| self.piece_at(square));
        let halves = |piece| match piece {
            Piece::Pawn => 2,
            Piece::Knight | Piece::Bishop => 6,
            Piece::Rook => 10,
            Piece::Queen => 18,
            Piece::King => 0,
        };
        pieces.filter(|&(owner, _)| owner == color).map(|(_, piece)| halves(piece)).sum()
    }

    fn technique_bench() -> TechniqueBench<Self> {
        let captures = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let captures = captures.parse().expect("a good FEN");
        TechniqueBench {
            model: ModelFacts::of::<Self, Material>().name,
            depths: &[2, 3, 4],
            positions: vec![("the first move", Self::start()), ("captures to make", captures)],
            is_published: false,
        }
    }
}

const PIECE_NAMES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// Where a square is on the diagram.
fn place(square: Square) -> (usize, usize) {
    (7 - square.rank() as usize, square.file() as usize)
}

fn drawn(color: Color, piece: Piece) -> DiagramPiece {
    let picture = char::from(piece);
    let (letter, symbols) = match color {
        Color::White => (picture.to_ascii_uppercase(), ['♙', '♘', '♗', '♖', '♕', '♔']),
        Color::Black => (picture, ['♟', '♞', '♝', '♜', '♛', '♚']),
    };
    DiagramPiece { color, letter, symbol: symbols[piece as usize], picture }
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
            assert_eq!(Position::start().standard_material(color), 2 * 39);
        }
        let outcome = |fen| position(fen).material_outcome();
        assert_eq!(outcome("4kbb1/8/8/8/8/8/8/4KNN1 w - - 0 1"), Outcome::Draw);
        assert_eq!(position("4k3/8/8/8/8/8/PP6/4KR2 w - - 0 1").standard_material(Color::White), 2 * 7);
        assert_eq!(outcome("q3k3/8/8/8/8/8/8/R3KB2 w - - 0 1"), Outcome::Win(Color::Black));
        assert_eq!(outcome("r3k3/8/8/8/8/8/8/Q3K3 b - - 0 1"), Outcome::Win(Color::White));
    }

    #[test]
    fn moves_have_kinds() {
        let kind = |fen: &str, san: &str| {
            let position = position(fen);
            let MoveKind { piece, action, gives_check } =
                position.move_kind(position.parse_move(san).expect("a legal move"));
            (piece, action, gives_check)
        };
        let fen = "r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";
        assert_eq!(kind(fen, "O-O"), ("king", "castling", false));
        assert_eq!(kind(fen, "exd6"), ("pawn", "capture", false));
        assert_eq!(kind(fen, "bxa8=Q"), ("pawn", "promotion", true));
        assert_eq!(kind(fen, "Rxa8"), ("rook", "capture", true));
        assert_eq!(kind(fen, "Kd2"), ("king", "quiet move", false));
    }

    #[test]
    fn the_diagram_is_as_white_sees_it() {
        let diagram = Position::start().diagram();
        let letters: String =
            diagram.iter().filter_map(|square| square.piece).map(|piece| piece.letter).collect();
        assert_eq!(letters, "rnbqkbnrppppppppPPPPPPPPRNBQKBNR");
        assert_eq!((diagram.row_labels[0].as_str(), diagram.column_labels[0].as_str()), ("8", "a"));
        let corners = [(0, 0), (7, 0)].map(|(row, column)| diagram.squares[row][column].dark);
        assert_eq!(corners, [false, true], "a8 and a1");
    }

    #[test]
    fn bench_positions_are_good() {
        for fen in Position::BENCH_POSITIONS {
            assert_eq!(position(fen).ending(), None, "{fen}");
        }
        assert_eq!(Position::technique_bench().positions.len(), 2);
    }
}
