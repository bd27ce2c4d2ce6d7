//! Boards of any game as the page draws them, and moves as clicks on squares. Nothing here asks which game it is.

use std::collections::BTreeMap;

use gamete_arena::Playable;
use gamete_game::{Color, Diagram, DiagramPiece, Outcome, Score, ScoreKind, Thought, result_text};
use serde::Serialize;

/// A square as its row from the top and its column, as White sees them.
pub type Square = (usize, usize);

/// A board without what stands on it, and how pieces look.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Geometry {
    rows: usize,
    columns: usize,
    turns: bool,
    row_labels: Vec<String>,
    column_labels: Vec<String>,
    /// A text for each row: `1` for dark squares, `0` for light ones.
    dark: Vec<String>,
    /// The numbers of squares, where they have any.
    numbers: Option<Vec<Vec<Option<u32>>>>,
    /// Pieces by their letters.
    pieces: BTreeMap<char, PieceLook>,
}

/// How a piece looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct PieceLook {
    color: Color,
    picture: char,
    symbol: char,
}

impl From<DiagramPiece> for PieceLook {
    fn from(piece: DiagramPiece) -> Self {
        Self { color: piece.color, picture: piece.picture, symbol: piece.symbol }
    }
}

impl Geometry {
    /// The board of a diagram, with its pieces.
    pub fn new(diagram: &Diagram) -> Self {
        let numbers: Vec<Vec<_>> =
            diagram.squares.iter().map(|row| row.iter().map(|square| square.number).collect()).collect();
        let mut geometry = Self {
            rows: diagram.squares.len(),
            columns: diagram.columns(),
            turns: diagram.turns,
            row_labels: diagram.row_labels.clone(),
            column_labels: diagram.column_labels.clone(),
            dark: diagram
                .squares
                .iter()
                .map(|row| row.iter().map(|square| if square.dark { '1' } else { '0' }).collect())
                .collect(),
            numbers: Some(numbers).filter(|rows| rows.iter().flatten().any(Option::is_some)),
            pieces: BTreeMap::new(),
        };
        geometry.learn(diagram);
        geometry
    }

    /// Takes pieces into account that were not there before.
    fn learn(&mut self, diagram: &Diagram) {
        for piece in diagram.iter().filter_map(|square| square.piece) {
            self.pieces.insert(piece.letter, piece.into());
        }
    }
}

/// What stands on a board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PositionView {
    fen: String,
    /// A text for each row: the letters of pieces, and `.` on empty squares.
    squares: Vec<String>,
    turn: Color,
    /// The squares of the move that led here, in order.
    last: Vec<Square>,
    /// The squares of what has to be saved at once, as a king in check.
    threatened: Vec<Square>,
}

/// A move that was played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoveView {
    text: String,
    /// With its number, as in game scores.
    label: String,
    number: u32,
    color: Color,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<ThoughtView>,
}

/// What a player thought of its move.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThoughtView {
    /// As White sees it.
    score: ScoreView,
    depth: u32,
    nodes: Option<u64>,
    time_ms: u64,
}

/// A move that may be played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LegalMove {
    /// As it is written, which is how it is asked for.
    pub text: String,
    /// The squares to click on, in order.
    pub clicks: Vec<Square>,
    /// Other squares on which a click means the same, where there is one click.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Square>,
    /// The letter of the piece that will stand on the last square, where other moves have the same clicks.
    pub choice: Option<char>,
    /// Whether it takes something.
    pub captures: bool,
}

/// What a position is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreView {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pawns: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
    text: String,
}

impl From<Score> for ScoreView {
    fn from(score: Score) -> Self {
        let (kind, pawns, plies) = match score.kind() {
            ScoreKind::Centipawns(_) => ("pawns", Some(f64::from(score.millipawns()) / 1000.0), None),
            ScoreKind::Win(plies) => ("mate", None, Some(plies)),
            ScoreKind::Loss(plies) => ("mated", None, Some(plies)),
        };
        Self { kind, pawns, plies, text: score.to_string() }
    }
}

/// A score of the side to move as White sees it.
pub fn of_white(score: Score, turn: Color) -> Score {
    match turn {
        Color::White => score,
        Color::Black => -score,
    }
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EndView {
    outcome: Option<&'static str>,
    result: &'static str,
    reason: String,
}

impl EndView {
    /// Of who won, if anybody did, and why it was over.
    pub fn new(outcome: Option<Outcome>, reason: String) -> Self {
        let name = outcome.map(|outcome| match outcome {
            Outcome::Win(Color::White) => "white",
            Outcome::Win(Color::Black) => "black",
            Outcome::Draw => "draw",
        });
        Self { outcome: name, result: result_text(outcome), reason }
    }
}

/// A game on its board, from the first position to the last.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoardView {
    geometry: Geometry,
    start_fen: String,
    positions: Vec<PositionView>,
    moves: Vec<MoveView>,
}

impl BoardView {
    /// The game of some moves, each with what was thought of it.
    pub fn new<G: Playable>(start: &G, moves: impl IntoIterator<Item = (G::Move, Option<Thought>)>) -> Self {
        let mut position = start.clone();
        let diagram = position.diagram();
        let mut geometry = Geometry::new(&diagram);
        let mut positions = vec![view(&position, &diagram, Vec::new())];
        let mut played = Vec::new();
        for (mv, thought) in moves {
            let (color, marks) = (position.turn(), position.marks(mv));
            played.push(MoveView {
                text: position.move_text(mv),
                label: label(&position, mv),
                number: position.move_number(),
                color,
                thought: thought.map(|thought| ThoughtView::new(&thought, color)),
            });
            position.play(mv);
            let diagram = position.diagram();
            geometry.learn(&diagram);
            positions.push(view(&position, &diagram, marks));
        }
        for mv in position.moves() {
            let mut next = position.clone();
            next.play(mv);
            geometry.learn(&next.diagram());
        }
        Self { geometry, start_fen: start.to_string(), positions, moves: played }
    }
}

impl ThoughtView {
    fn new(thought: &Thought, mover: Color) -> Self {
        Self {
            score: of_white(thought.score, mover).into(),
            depth: thought.depth,
            nodes: thought.nodes,
            time_ms: u64::try_from(thought.time.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

fn view<G: Playable>(position: &G, diagram: &Diagram, last: Vec<Square>) -> PositionView {
    let letters = |row: &Vec<gamete_game::DiagramSquare>| {
        row.iter().map(|square| square.piece.map_or('.', |piece| piece.letter)).collect()
    };
    PositionView {
        fen: position.to_string(),
        squares: diagram.squares.iter().map(letters).collect(),
        turn: position.turn(),
        last,
        threatened: position.threatened(),
    }
}

/// A move with its number, as in game scores.
pub fn label<G: Playable>(position: &G, mv: G::Move) -> String {
    let dots = if position.turn() == G::start().turn() { "." } else { "..." };
    format!("{}{dots} {}", position.move_number(), position.move_text(mv))
}

/// A move as an arrow: its text and its squares.
pub fn legal_move<G: Playable>(position: &G, mv: G::Move) -> LegalMove {
    LegalMove {
        text: position.move_text(mv),
        clicks: position.marks(mv),
        also: position.clicked_alike(mv),
        choice: None,
        captures: position.is_capture(mv),
    }
}

/// All legal moves. Of those with the same clicks, the one that leaves most on the board is the first.
pub fn legal_moves<G: Playable>(position: &G) -> Vec<LegalMove> {
    let moves = position.moves();
    let mut found: Vec<(LegalMove, u32)> = moves.iter().map(|&mv| (legal_move(position, mv), 0)).collect();
    let mut alike: BTreeMap<Vec<Square>, Vec<usize>> = BTreeMap::new();
    for (index, (one, _)) in found.iter().enumerate() {
        alike.entry(one.clicks.clone()).or_default().push(index);
    }
    for (clicks, places) in alike.into_iter().filter(|(_, places)| places.len() > 1) {
        let Some((row, column)) = clicks.last().copied() else { continue };
        for &index in &places {
            let mut next = position.clone();
            next.play(moves[index]);
            let (one, worth) = &mut found[index];
            one.choice = next.diagram().squares[row][column].piece.map(|piece| piece.letter);
            *worth = next.standard_material(position.turn());
        }
        let mut sorted: Vec<_> = places.iter().map(|&index| found[index].clone()).collect();
        sorted.sort_by_key(|(_, worth)| std::cmp::Reverse(*worth));
        for (index, one) in places.into_iter().zip(sorted) {
            found[index] = one;
        }
    }
    found.into_iter().map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use gamete_arena::games::positions::{Checkers, Chess, ConnectFour};
    use gamete_arena::{GameName, dispatch};
    use gamete_game::Game;

    use super::*;

    fn find(moves: &[LegalMove], text: &str) -> LegalMove {
        moves.iter().find(|one| one.text == text).unwrap_or_else(|| panic!("{text}: {moves:?}")).clone()
    }

    #[test]
    fn every_move_of_every_game_is_a_path_of_clicks() {
        for &game in GameName::ALL {
            dispatch!(game, G => {
                let mut position = G::start();
                for ply in 0..40 {
                    let moves = legal_moves(&position);
                    if moves.is_empty() {
                        break;
                    }
                    let mut seen = std::collections::BTreeSet::new();
                    for one in &moves {
                        assert!(!one.clicks.is_empty(), "{game}: {one:?}");
                        assert!(seen.insert((one.clicks.clone(), one.choice)), "{game}: {one:?}");
                        assert!(position.parse_move(&one.text).is_ok(), "{game}: {one:?}");
                    }
                    let mv = position.moves()[ply * 7 % moves.len()];
                    position.play(mv);
                }
            });
        }
    }

    #[test]
    fn promotions_are_chosen_by_their_piece_and_castling_is_a_step_of_the_king() {
        let position: Chess = "4k3/P7/8/8/8/8/8/4K2R w K - 0 1".parse().expect("a good FEN");
        let moves = legal_moves(&position);
        let choices: Vec<_> =
            moves.iter().filter(|one| one.clicks == [(1, 0), (0, 0)]).filter_map(|one| one.choice).collect();
        assert_eq!((choices[0], choices[1], choices.len()), ('Q', 'R', 4), "{moves:?}");
        assert!(choices.contains(&'B') && choices.contains(&'N'));
        assert_eq!(find(&moves, "O-O").clicks, [(7, 4), (7, 6)]);
        let geometry = BoardView::new(&position, []).geometry;
        assert_eq!(geometry.pieces[&'Q'].picture, 'q', "pieces that may come are known");
    }

    #[test]
    fn castling_in_chess960_is_the_king_onto_its_rook() {
        let castling = |fen: &str| {
            let position: Chess = fen.parse().expect("a good FEN");
            let moves = legal_moves(&position);
            let clicks = find(&moves, if fen.contains(" HB") { "O-O+" } else { "O-O-O" }).clicks;
            assert!(moves.iter().filter(|one| one.clicks == clicks).count() == 1, "{moves:?}");
            clicks
        };
        // The king stands where castling puts it, and one step from there.
        assert_eq!(castling("1rk3r1/8/8/8/8/8/8/1RK3R1 w GB - 0 1"), [(7, 2), (7, 1)]);
        assert_eq!(castling("1r3k1r/8/8/8/8/8/8/1R3K1R w HB - 0 1"), [(7, 5), (7, 7)]);
    }

    #[test]
    fn jumps_are_clicked_square_by_square() {
        let position: Checkers = "B:W18,26:B15".parse().expect("a good FEN");
        let moves = legal_moves(&position);
        assert_eq!(moves.len(), 1);
        assert_eq!((moves[0].clicks.len(), moves[0].captures), (3, true), "{moves:?}");
    }

    #[test]
    fn where_pieces_fall_the_whole_column_is_one_move() {
        let moves = legal_moves(&ConnectFour::start());
        assert_eq!((moves.len(), moves[0].clicks.len(), moves[0].also.len()), (7, 1, 6));
        let board = BoardView::new(&ConnectFour::start(), []);
        assert_eq!((board.geometry.rows, board.geometry.columns, board.geometry.turns), (6, 7, false));
    }

    #[test]
    fn games_are_told_position_by_position() {
        let start = Chess::start();
        let board = BoardView::new(&start, [(start.parse_move("e4").expect("a move"), None)]);
        assert_eq!(board.positions.len(), 2);
        assert_eq!(board.positions[1].last, [(6, 4), (4, 4)]);
        assert_eq!(board.positions[1].squares[4], "....P...");
        assert_eq!((board.moves[0].label.as_str(), board.moves[0].color), ("1. e4", Color::White));
    }

    #[test]
    fn a_king_in_check_is_told_of_and_a_man_that_must_jump_is_not() {
        let position: Chess = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1".parse().expect("a good FEN");
        let board = BoardView::new(&position, [(position.parse_move("Kxe2").expect("a move"), None)]);
        let threatened: Vec<_> = board.positions.iter().map(|position| position.threatened.clone()).collect();
        assert_eq!(threatened, [vec![(7, 4)], vec![]]);
        let position: Checkers = "B:W18,26:B15".parse().expect("a good FEN");
        assert_eq!(BoardView::new(&position, []).positions[0].threatened, []);
    }
}
