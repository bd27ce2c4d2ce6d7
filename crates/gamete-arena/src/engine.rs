use std::sync::atomic::AtomicBool;

use gamete_checkers::{Squares, SquaresSymmetric};
use gamete_chess::{CastlingStyle, Classic, KendallWhitwell, MaterialPhased};
use gamete_engine::{Info, Limit, SearchResult, Searcher};
use gamete_game::{
    Contribution, Format, Line, Linear, Model, Noisy, PieceValues, Score, Tactics, Transcript,
    TranscriptWriter,
};

use crate::notation::NotatedPgn;
use crate::uci::{EngineSetup, EngineSpec, UciSeat};
use crate::{
    Competitor, Contestant, GameName, HasBooks, HasTablebase, Limits, ModelInfo, Noise, Notation, Player,
    PlayerSeat, Seat, StandardMaterial,
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

/// A game that players can be put to.
pub trait Playable: Tactics + HasBooks + StandardMaterial + HasTablebase {
    /// Its name.
    const GAME_NAME: GameName;

    /// How its files spell games.
    type GameFormat: Format<Game = Self> + Default;

    /// Puts a player of this game to the board, with a table of at most `hash_bytes`.
    ///
    /// # Errors
    ///
    /// When the player plays another game.
    fn engine(player: &Player, hash_bytes: usize) -> Result<Box<dyn Engine<Self>>, WrongGame>;

    /// Puts a contestant to the board.
    ///
    /// # Errors
    ///
    /// When the contestant plays another game.
    fn seat(contestant: &Contestant) -> Result<Box<dyn Seat<Self>>, WrongGame> {
        Self::seat_with(contestant, &EngineSetup::default())
    }

    /// The same with more to say on how other programs are run.
    ///
    /// # Errors
    ///
    /// Likewise.
    fn seat_with(contestant: &Contestant, setup: &EngineSetup) -> Result<Box<dyn Seat<Self>>, WrongGame> {
        match &contestant.competitor {
            Competitor::Player(player) => {
                let engine = Self::engine(player, MATCH_HASH_BYTES)?;
                Ok(Box::new(PlayerSeat::new(engine, contestant.limits, !contestant.is_repeatable())))
            }
            Competitor::Engine(spec) => {
                let name = Some(contestant.name.clone());
                Self::program(spec, contestant.limits, EngineSetup { name, ..setup.clone() })
            }
        }
    }

    /// A game as its files have it, with moves in this notation where there is more than one.
    fn game_text(game: &Transcript<Self>, notation: Notation) -> Vec<u8> {
        let _ = notation;
        written(game, Self::GameFormat::default())
    }

    /// How a position becomes one that has just come about, so that nothing before it counts for a draw; not every game can.
    const FORGET_PAST: Option<fn(&mut Self)> = None;

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
        let _ = (limits, setup);
        Err(WrongGame { player: spec.title(), plays: GameName::Chess, wanted: Self::GAME_NAME })
    }
}

/// The most that the table of a player in a match takes. It starts small and grows with the search.
const MATCH_HASH_BYTES: usize = 16 << 20;

impl Playable for gamete_chess::Position {
    const GAME_NAME: GameName = GameName::Chess;

    type GameFormat = gamete_chess::Pgn;

    fn engine(player: &Player, hash_bytes: usize) -> Result<Box<dyn Engine<Self>>, WrongGame> {
        match player.model().name {
            name if name == KendallWhitwell::NAME => Ok(plain::<Self, KendallWhitwell>(player, hash_bytes)),
            name if name == gamete_chess::Material::NAME => {
                Ok(plain::<Self, gamete_chess::Material>(player, hash_bytes))
            }
            name if name == MaterialPhased::NAME => Ok(plain::<Self, MaterialPhased>(player, hash_bytes)),
            name if name == Classic::NAME => Ok(plain::<Self, Classic>(player, hash_bytes)),
            _ => Err(wrong_game::<Self>(player)),
        }
    }

    fn game_text(game: &Transcript<Self>, notation: Notation) -> Vec<u8> {
        let castling =
            if game.start.is_chess960() { CastlingStyle::Chess960 } else { CastlingStyle::Standard };
        written(game, NotatedPgn { notation, castling })
    }

    fn program(
        spec: &EngineSpec,
        limits: Limits,
        setup: EngineSetup,
    ) -> Result<Box<dyn Seat<Self>>, WrongGame> {
        Ok(Box::new(UciSeat::new(spec.clone(), limits, setup)))
    }
}

impl Playable for gamete_checkers::Position {
    const GAME_NAME: GameName = GameName::Checkers;

    type GameFormat = gamete_checkers::Pdn;

    const FORGET_PAST: Option<fn(&mut Self)> = Some(Self::forget_past);

    fn engine(player: &Player, hash_bytes: usize) -> Result<Box<dyn Engine<Self>>, WrongGame> {
        match player.model().name {
            name if name == gamete_checkers::Material::NAME => {
                Ok(noisy::<gamete_checkers::Material>(player, hash_bytes))
            }
            name if name == Squares::NAME => Ok(noisy::<Squares>(player, hash_bytes)),
            name if name == SquaresSymmetric::NAME => Ok(noisy::<SquaresSymmetric>(player, hash_bytes)),
            _ => Err(wrong_game::<Self>(player)),
        }
    }
}

fn written<F: Format>(game: &Transcript<F::Game>, format: F) -> Vec<u8> {
    let mut writer = TranscriptWriter::new(Vec::new(), format);
    writer.write(game).expect("room in memory");
    writer.into_inner()
}

fn wrong_game<G: Playable>(player: &Player) -> WrongGame {
    WrongGame { player: player.name.clone(), plays: player.model().game, wanted: G::GAME_NAME }
}

fn plain<G: Tactics, M: Model<G>>(player: &Player, hash_bytes: usize) -> Box<dyn Engine<G>> {
    search_engine(player, hash_bytes, |player| Linear::<G, M>::new(player.weights()))
}

type Checkers = gamete_checkers::Position;

fn noisy<M: Model<Checkers>>(player: &Player, hash_bytes: usize) -> Box<dyn Engine<Checkers>> {
    let Some(noise) = player.noise else { return plain::<Checkers, M>(player, hash_bytes) };
    search_engine(player, hash_bytes, move |player| {
        let linear = Linear::<Checkers, M>::new(player.weights());
        let noisy = Noisy::new(linear, 0).with_amplitude(noise.amplitude);
        if noise.tanh { noisy.with_tanh() } else { noisy }
    })
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

impl<M: Model<Checkers>> Judge<Checkers> for Noisy<Linear<Checkers, M>> {
    fn start_game(&mut self, seed: u64) {
        Noisy::start_game(self, seed);
    }

    fn terms(&self, position: &Checkers) -> Vec<Contribution> {
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
