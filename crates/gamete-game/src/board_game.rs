use crate::{Color, Diagram, Format, Model, ModelFacts, ModelList, MoveKind, Outcome, Tactics};

/// What a board game offers to those who play, draw, file and measure it, beyond its rules and its tactics.
///
/// A game is a crate that implements [`Game`](crate::Game), [`Tactics`] and this trait for the type of its positions, and a
/// line in the list of games of the arena. What has a default need not be written.
pub trait BoardGame: Tactics {
    /// How its files spell games; [`TaggedText`](crate::TaggedText) does for games without a format of their own.
    type Format: Format<Game = Self> + Default;

    /// Its models, at least one.
    type Models: ModelList<Self>;

    /// The model that plays when nothing else is said.
    const DEFAULT_MODEL: ModelFacts = <Self::Models as ModelList<Self>>::FACTS[0];

    /// The ending of the names of its game files, `pgn`.
    const FILE_ENDING: &'static str;

    /// How moves are typed, as examples with `or` before the last.
    const MOVE_EXAMPLES: &'static str;

    /// How a player stands who must answer something, [`is_forced`](Tactics::is_forced).
    const FORCED: &'static str = "forced";

    /// Why such a player cannot play any move.
    const FORCED_MOVE: &'static str = "you must answer";

    /// Whether evaluations may have noise, see [`Noisy`](crate::Noisy).
    const NOISE: bool = true;

    /// Plies that a search of a few milliseconds looks ahead.
    const QUICK_DEPTH: u32 = 5;

    /// How a position becomes one that has just come about, so that nothing before it counts for a draw; not every game can.
    const FORGET_PAST: Option<fn(&mut Self)> = None;

    /// The openings that games between players start from when no book is named, before random ones.
    const OPENINGS: Option<OpeningList<Self>> = None;

    /// The start positions of a variant with shuffled pieces, such as Chess960.
    const SHUFFLED_STARTS: Option<OpeningList<Self>> = None;

    /// The players of the bench. The sum of their nodes is a signature, so a new one is a new signature.
    const BENCH_PLAYERS: &'static [BenchPlayer] = &[];

    /// The positions of the bench, as FENs.
    const BENCH_POSITIONS: &'static [&'static str] = &[];

    /// Whether `text` is a position of this game rather than of another one.
    fn is_fen(text: &str) -> bool {
        text.parse::<Self>().is_ok()
    }

    /// Whether the position is of the variant with [`SHUFFLED_STARTS`](Self::SHUFFLED_STARTS) and of no other.
    fn is_shuffled(&self) -> bool {
        false
    }

    /// The position in few bytes, for files of many positions. What a position was packed to stays readable for ever.
    fn packed(&self) -> Vec<u8> {
        self.to_string().into_bytes()
    }

    /// The position of [`packed`](Self::packed) bytes; none if they are no legal position.
    fn from_packed(bytes: &[u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok()?.parse().ok()
    }

    /// The position to draw.
    fn diagram(&self) -> Diagram;

    /// The squares to mark for a legal move, as rows and columns of the [`diagram`](Self::diagram), in the order in which a player
    /// clicks on them.
    fn marks(&self, mv: Self::Move) -> Vec<(usize, usize)> {
        let mut next = self.clone();
        next.play(mv);
        self.diagram().differences(&next.diagram())
    }

    /// Other squares on which a click means the same move, where one click is all it takes: a whole column where pieces fall.
    fn clicked_alike(&self, mv: Self::Move) -> Vec<(usize, usize)> {
        let _ = mv;
        Vec::new()
    }

    /// The squares of what the side to move would lose the game with, and has to save at once: a king in check.
    fn threatened(&self) -> Vec<(usize, usize)> {
        Vec::new()
    }

    /// The squares that a text names, in order; for hints on illegal moves.
    fn squares_in(text: &str) -> Vec<String> {
        let _ = text;
        Vec::new()
    }

    /// The square that a piece leaves and the one it goes to; for hints on illegal moves.
    fn ends(mv: Self::Move) -> [String; 2] {
        let _ = mv;
        Default::default()
    }

    /// A legal move as programs compare counts by it: with all squares, in a variant with [`SHUFFLED_STARTS`](Self::SHUFFLED_STARTS)
    /// as is usual there.
    fn divide_text(&self, mv: Self::Move, shuffled: bool) -> String {
        let _ = shuffled;
        self.move_text(mv)
    }

    /// What a legal move is, for those who count moves by their kinds.
    fn move_kind(&self, mv: Self::Move) -> MoveKind {
        let action = if self.is_capture(mv) { MoveKind::CAPTURE } else { MoveKind::QUIET };
        MoveKind { piece: "piece", action, gives_check: false }
    }

    /// What a side's pieces are worth by the textbook, whoever plays: in halves of a pawn or man. Games without captures
    /// leave it at 0.
    fn standard_material(&self, color: Color) -> u32 {
        let _ = color;
        0
    }

    /// The side with more [`standard_material`](Self::standard_material) wins; with as much on both nobody does.
    fn material_outcome(&self) -> Outcome {
        let [white, black] = Color::ALL.map(|color| self.standard_material(color));
        match white.cmp(&black) {
            std::cmp::Ordering::Greater => Outcome::Win(Color::White),
            std::cmp::Ordering::Less => Outcome::Win(Color::Black),
            std::cmp::Ordering::Equal => Outcome::Draw,
        }
    }

    /// What the techniques of the search are measured on.
    fn technique_bench() -> TechniqueBench<Self> {
        TechniqueBench {
            model: Self::DEFAULT_MODEL.name,
            depths: &[2, 4, 6],
            positions: vec![("the first move", Self::start())],
            is_published: false,
        }
    }
}

/// Openings or start positions that a game is known for, by number.
#[derive(Debug, Clone, Copy)]
pub struct OpeningList<G: Tactics> {
    /// The word by which users ask for them.
    pub word: &'static str,
    /// What they are called in reports.
    pub name: &'static str,
    /// What they are called in the configuration of a match.
    pub title: &'static str,
    /// How many there are.
    pub count: usize,
    /// The start and the moves of the one with this index.
    pub opening: fn(usize) -> (G, Vec<G::Move>),
}

/// A player of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchPlayer {
    /// Its model.
    pub model: &'static str,
    /// The preset of its search.
    pub preset: &'static str,
    /// How many plies it looks ahead.
    pub depth: u32,
}

/// Positions on which the techniques of the search are measured.
#[derive(Debug, Clone)]
pub struct TechniqueBench<G> {
    /// The model that evaluates.
    pub model: &'static str,
    /// The depths if none are asked for.
    pub depths: &'static [u32],
    /// The positions, each with what it is.
    pub positions: Vec<(&'static str, G)>,
    /// Whether there are published numbers for the first position.
    pub is_published: bool,
}

impl BenchPlayer {
    /// A player with model `M`.
    pub const fn of<G: Tactics, M: Model<G>>(preset: &'static str, depth: u32) -> Self {
        Self { model: M::NAME, preset, depth }
    }
}
