use std::sync::atomic::AtomicBool;

use gamete_engine::{Info, Limit, SearchResult, Searcher};
use gamete_game::{
    BoardGame, Contribution, Features, Format, Line, Linear, Model, ModelList, ModelVisitor, Noisy,
    PieceValues, Score, Tactics, Transcript, TranscriptWriter,
};

use crate::games::{OfGame, PerGame};
use crate::openings::PositionReader;
use crate::suite::SuiteReader;
use crate::uci::{EngineCatalog, EngineSetup, EngineSpec};
use crate::{
    Competitor, Contestant, GameName, Limits, ModelInfo, Noise, Notation, Player, PlayerSeat, Seat,
    Tablebase, TablebaseValue, TaskError,
};

/// A player at the board.
pub trait Engine<G: Tactics>: Send {
    /// Forgets the last game. Players with noise play by the `seed` of the game.
    fn new_game(&mut self, seed: u64);

    /// Searches the position at the end of a line; see [`Searcher::search`].
    fn search(
        &mut self,
        line: &Line<G>,
        limit: &Limit,
        stop: &AtomicBool,
        root_moves: Option<&[G::Move]>,
        on_iteration: &mut dyn FnMut(&Info<'_, G>),
    ) -> SearchResult<G>;

    /// The evaluation of a position, term by term.
    fn evaluate(&self, position: &G) -> Evaluation;

    /// Becomes another player with the same model and the same search, and so keeps its tables; the next thing it is
    /// told must be a new game. Any other player it cannot become, and stays who it was.
    fn take_over(&mut self, player: &Player) -> bool;
}

/// What a player thinks of a position without searching.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// For the side to move.
    pub score: Score,
    /// For White, term by term.
    pub terms: Vec<Contribution>,
}

/// The player plays another game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{player} plays {plays}, not {wanted}")]
pub struct WrongGame {
    /// The player's name.
    pub player: String,
    /// The game it plays.
    pub plays: GameName,
    /// The game that was asked for.
    pub wanted: GameName,
}

/// A game that players can be put to: a [`BoardGame`] of the list of games.
pub trait Playable: BoardGame {
    /// Its name.
    const GAME_NAME: GameName;

    /// What it has that takes more than the game itself.
    const EXTRAS: Extras<Self>;

    /// Its part of something that there is for each game.
    fn own<F: OfGame>(all: &mut PerGame<F>) -> &mut F::Of<Self>;

    /// Puts a player of this game to the board, with a table of at most `hash_bytes`.
    ///
    /// # Errors
    ///
    /// When the player plays another game.
    fn engine(player: &Player, hash_bytes: usize) -> Result<Box<dyn Engine<Self>>, WrongGame>;

    /// The features of a position under a model, one for each of its weights.
    ///
    /// # Errors
    ///
    /// When the model is of another game.
    fn features(&self, model: &ModelInfo) -> Result<Features, WrongGame>;

    /// Puts a contestant to the board, if it is another program one of these.
    ///
    /// # Errors
    ///
    /// When the contestant plays another game, or its program is not here.
    fn seat(
        contestant: &Contestant,
        engines: &EngineCatalog,
        setup: &EngineSetup,
    ) -> Result<Box<dyn Seat<Self>>, TaskError> {
        match &contestant.competitor {
            Competitor::Player(player) => {
                let engine = Self::engine(player, MATCH_HASH_BYTES)?;
                Ok(Box::new(PlayerSeat::new(engine, contestant.limits, !contestant.is_repeatable())))
            }
            Competitor::Engine(engine) => {
                let (name, margin) = (Some(contestant.name.clone()), contestant.time_margin());
                let setup = EngineSetup { name, margin, ..setup.clone() };
                Ok(Self::program(&engines.spec(engine)?, contestant.limits, setup)?)
            }
        }
    }

    /// A game as its files have it, with moves in this notation where there is more than one.
    fn game_text(game: &Transcript<Self>, notation: Notation) -> Vec<u8> {
        match Self::EXTRAS.game_text {
            Some(text) => text(game, notation),
            None => written(game, Self::Format::default()),
        }
    }

    /// Puts another program to the board.
    ///
    /// # Errors
    ///
    /// When there is no protocol for this game.
    fn program(
        spec: &EngineSpec,
        limits: Limits,
        setup: EngineSetup,
    ) -> Result<Box<dyn Seat<Self>>, WrongGame> {
        match Self::EXTRAS.program {
            Some(program) => Ok(program(spec, limits, setup)),
            None => {
                let plays = GameName::of_programs();
                Err(WrongGame { player: spec.title(), plays, wanted: Self::GAME_NAME })
            }
        }
    }

    /// What tables say of a position of at most so many pieces that they can be asked about.
    fn tablebase_value(&self, tables: &Tablebase, max_pieces: Option<u32>) -> Option<TablebaseValue> {
        Self::EXTRAS.tablebase.and_then(|value| value(self, tables, max_pieces))
    }
}

/// Puts another program to the board.
pub type ProgramSeat<G> = fn(&EngineSpec, Limits, EngineSetup) -> Box<dyn Seat<G>>;

/// Says what tables have of a position of at most so many pieces.
pub type TablebaseProbe<G> = fn(&G, &Tablebase, Option<u32>) -> Option<TablebaseValue>;

/// Writes a game as its files have it, with moves in a notation.
pub type NotatedText<G> = fn(&Transcript<G>, Notation) -> Vec<u8>;

/// What some games have that takes more than the game itself: other programs, tables, formats beside those of its files.
#[derive(Clone, Copy)]
pub struct Extras<G: BoardGame> {
    /// Puts another program to the board.
    pub program: Option<ProgramSeat<G>>,
    /// What tables say of a position of at most so many pieces.
    pub tablebase: Option<TablebaseProbe<G>>,
    /// Reads a file of positions; else each line is a FEN.
    pub read_positions: Option<PositionReader<G>>,
    /// Reads a file of positions with best moves.
    pub read_suite: Option<SuiteReader>,
    /// A game as its files have it, with moves in a notation.
    pub game_text: Option<NotatedText<G>>,
}

impl<G: BoardGame> Extras<G> {
    /// None of these.
    pub const NONE: Self =
        Self { program: None, tablebase: None, read_positions: None, read_suite: None, game_text: None };
}

/// The most that the table of a player in a match takes. It starts small and grows with the search.
const MATCH_HASH_BYTES: usize = 16 << 20;

/// A game in the text of a format.
pub(crate) fn written<F: Format>(game: &Transcript<F::Game>, format: F) -> Vec<u8> {
    let mut writer = TranscriptWriter::new(Vec::new(), format);
    writer.write(game).expect("room in memory");
    writer.into_inner()
}

/// What [`Playable::engine`] does. It is called for each game in this crate, so that searches are compiled here and nowhere else.
pub(crate) fn new_engine<G: Playable>(
    player: &Player,
    hash_bytes: usize,
) -> Result<Box<dyn Engine<G>>, WrongGame> {
    visit_model(player.model(), &player.name, EngineOf { player, hash_bytes })
}

/// What [`Playable::features`] does.
pub(crate) fn features_of<G: Playable>(position: &G, model: &ModelInfo) -> Result<Features, WrongGame> {
    visit_model(model, model.name, FeaturesOf { position })
}

fn visit_model<G: Playable, V: ModelVisitor<G>>(
    model: &ModelInfo,
    player: &str,
    visitor: V,
) -> Result<V::Output, WrongGame> {
    let own = (model.game == G::GAME_NAME).then_some(model.index);
    own.and_then(|index| G::Models::visit(index, visitor)).ok_or_else(|| WrongGame {
        player: player.to_owned(),
        plays: model.game,
        wanted: G::GAME_NAME,
    })
}

struct FeaturesOf<'a, G> {
    position: &'a G,
}

impl<G: Playable> ModelVisitor<G> for FeaturesOf<'_, G> {
    type Output = Features;

    fn visit<M: Model<G>>(self) -> Features {
        Features::of::<G, M>(self.position)
    }
}

struct EngineOf<'a> {
    player: &'a Player,
    hash_bytes: usize,
}

impl<G: Playable> ModelVisitor<G> for EngineOf<'_> {
    type Output = Box<dyn Engine<G>>;

    fn visit<M: Model<G>>(self) -> Self::Output {
        let Self { player, hash_bytes } = self;
        match player.noise {
            Some(noise) if G::NOISE => search_engine(player, hash_bytes, move |player| {
                let linear = Linear::<G, M>::new(player.weights());
                let noisy = Noisy::new(linear, 0).with_amplitude(noise.amplitude);
                if noise.tanh { noisy.with_tanh() } else { noisy }
            }),
            _ => search_engine(player, hash_bytes, |player| Linear::<G, M>::new(player.weights())),
        }
    }
}

fn search_engine<G: Tactics, J: Judge<G> + 'static>(
    player: &Player,
    hash_bytes: usize,
    judge: impl Fn(&Player) -> J + Send + 'static,
) -> Box<dyn Engine<G>> {
    Box::new(SearchEngine {
        searcher: Searcher::new(&player.search, hash_bytes),
        judge: judge(player),
        judge_of: judge,
        model: player.model(),
        noise: player.noise,
    })
}

struct SearchEngine<G: Tactics, J, F> {
    searcher: Searcher<G>,
    judge: J,
    judge_of: F,
    model: &'static ModelInfo,
    noise: Option<Noise>,
}

/// An evaluator that an engine can be built around.
trait Judge<G: Tactics>: PieceValues<G> {
    fn start_game(&mut self, seed: u64);
    fn terms(&self, position: &G) -> Vec<Contribution>;
}

impl<G: Tactics, M: Model<G>> Judge<G> for Linear<G, M> {
    fn start_game(&mut self, _seed: u64) {}

    fn terms(&self, position: &G) -> Vec<Contribution> {
        self.contributions(position)
    }
}

impl<G: Tactics, M: Model<G>> Judge<G> for Noisy<Linear<G, M>> {
    fn start_game(&mut self, seed: u64) {
        Noisy::start_game(self, seed);
    }

    fn terms(&self, position: &G) -> Vec<Contribution> {
        self.without_noise().contributions(position)
    }
}

impl<G: Tactics, J: Judge<G>, F: Fn(&Player) -> J + Send> Engine<G> for SearchEngine<G, J, F> {
    fn new_game(&mut self, seed: u64) {
        self.searcher.new_game();
        self.judge.start_game(seed);
    }

    fn search(
        &mut self,
        line: &Line<G>,
        limit: &Limit,
        stop: &AtomicBool,
        root_moves: Option<&[G::Move]>,
        on_iteration: &mut dyn FnMut(&Info<'_, G>),
    ) -> SearchResult<G> {
        self.searcher.search(line, &self.judge, limit, stop, root_moves, on_iteration)
    }

    fn evaluate(&self, position: &G) -> Evaluation {
        Evaluation { score: self.judge.evaluate(position), terms: self.judge.terms(position) }
    }

    fn take_over(&mut self, player: &Player) -> bool {
        let can = player.model().name == self.model.name
            && player.noise == self.noise
            && player.search == *self.searcher.settings();
        if can {
            self.judge = (self.judge_of)(player);
        }
        can
    }
}
