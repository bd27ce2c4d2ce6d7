use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gamete_engine::{Info, Limit};
use gamete_game::{ByColor, Line, Thought};

use crate::uci::{EngineSetup, EngineSpec};
use crate::{Competitor, Engine, Limits, Playable, Seat, SeatFault, WrongGame};

/// Whoever moves for a seat without a person.
pub(super) enum Computer<G: Playable> {
    /// A player of ours.
    Player(Box<dyn Engine<G>>),
    /// Another program.
    Program(Box<dyn Seat<G>>),
}

/// The move that was chosen.
pub(super) struct Choice<G: Playable> {
    /// The move.
    pub mv: G::Move,
    /// How long it took.
    pub time: Duration,
    /// What was thought of it, if that was told.
    pub thought: Option<Thought>,
}

/// Why a computer has no move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComputerError {
    /// Another program cannot be started, or fails.
    #[error("{name} cannot play: {detail}")]
    Failed {
        /// Who.
        name: String,
        /// Why.
        detail: String,
    },
    /// Another program does not answer.
    #[error("{name} cannot play: it does not answer in time")]
    Late {
        /// Who.
        name: String,
    },
    /// A search was stopped before it had a move, or there is none.
    #[error("{name} found no move in {position}")]
    NoMove {
        /// Who.
        name: String,
        /// Where.
        position: String,
    },
    /// Another program does not know the rules.
    #[error("{name} answered with an illegal move in {position}")]
    Illegal {
        /// Who.
        name: String,
        /// Where.
        position: String,
    },
    /// A person moves here.
    #[error("{name} is no computer")]
    Person {
        /// Who.
        name: String,
    },
}

impl ComputerError {
    fn of_fault(name: &str, fault: &SeatFault) -> Self {
        let name = name.to_owned();
        match fault.detail() {
            Some(detail) => Self::Failed { name, detail: detail.to_owned() },
            None => Self::Late { name },
        }
    }
}

impl<G: Playable> Computer<G> {
    /// Puts a competitor to the board. Another program thinks within `limit`, whatever it is asked.
    ///
    /// # Errors
    ///
    /// When it plays another game.
    pub fn new(
        competitor: &Competitor<EngineSpec>,
        limit: &Limit,
        hash_bytes: usize,
    ) -> Result<Self, WrongGame> {
        match competitor {
            Competitor::Player(player) => G::engine(player, hash_bytes).map(Self::Player),
            Competitor::Engine(spec) => {
                let limits = Limits {
                    depth: limit.depth,
                    nodes: limit.nodes,
                    move_time: limit.time,
                    ..Limits::default()
                };
                let setup = EngineSetup { margin: EngineSetup::PATIENCE, ..EngineSetup::default() };
                G::program(spec, limits, setup).map(Self::Program)
            }
        }
    }

    /// Gets ready for a game.
    ///
    /// # Errors
    ///
    /// When another program cannot be started or does not answer.
    pub fn new_game(
        &mut self,
        start: &G,
        seed: u64,
        name: &str,
        stop: &AtomicBool,
    ) -> Result<(), ComputerError> {
        match self {
            Self::Player(engine) => {
                engine.new_game(seed);
                Ok(())
            }
            Self::Program(seat) => {
                seat.new_game(start, seed, stop).map_err(|fault| ComputerError::of_fault(name, &fault))
            }
        }
    }

    /// Chooses a move. A search that is stopped gives the best one so far.
    ///
    /// # Errors
    ///
    /// When there is none, or another program fails.
    pub fn choose(
        &mut self,
        line: &Line<G>,
        limit: &Limit,
        name: &str,
        stop: &AtomicBool,
        on_iteration: &mut dyn FnMut(&Info<'_, G>),
    ) -> Result<Choice<G>, ComputerError> {
        let position = || line.position().to_string();
        match self {
            Self::Player(engine) => {
                let start = Instant::now();
                let found = engine.search(line, limit, stop, None, on_iteration);
                let time = start.elapsed();
                let none = || ComputerError::NoMove { name: name.to_owned(), position: position() };
                let mv = found.best.ok_or_else(none)?;
                let (score, depth) = (found.score, found.depth);
                let thought = Thought { score, depth, selective_depth: None, time, nodes: Some(found.nodes) };
                Ok(Choice { mv, time, thought: Some(thought) })
            }
            Self::Program(seat) => {
                let reply = seat.think(line, &ByColor::default(), stop);
                let reply = reply.map_err(|fault| ComputerError::of_fault(name, &fault))?;
                if !line.position().is_legal(reply.mv) {
                    return Err(ComputerError::Illegal { name: name.to_owned(), position: position() });
                }
                Ok(Choice { mv: reply.mv, time: reply.time, thought: reply.thought })
            }
        }
    }
}
