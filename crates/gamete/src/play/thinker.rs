use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use gamete_arena::uci::EngineSetup;
use gamete_arena::{Competitor, Engine, Limits, Playable, WrongGame};
use gamete_engine::{Limit, SearchResult};
use gamete_game::{ByColor, Line, Thought};

use crate::terminal::{self, one_line};

/// Whoever moves for a seat without a person.
pub enum Thinker<G: Playable> {
    /// A player of ours.
    Player(Box<dyn Engine<G>>),
    /// Another program.
    Program(Box<dyn gamete_arena::Seat<G>>),
}

/// The move that was chosen.
pub struct Choice<G: Playable> {
    /// The move.
    pub mv: G::Move,
    /// How long it took.
    pub time: Duration,
    /// What was thought of it, if that was told.
    pub thought: Option<Thought>,
}

impl<G: Playable> Thinker<G> {
    /// Puts a competitor to the board. Another program thinks within `limit`, whatever it is asked.
    ///
    /// # Errors
    ///
    /// When it plays another game.
    pub fn new(competitor: &Competitor, limit: &Limit, hash_bytes: usize) -> Result<Self, WrongGame> {
        match competitor {
            Competitor::Player(player) => G::engine(player, hash_bytes).map(Self::Player),
            Competitor::Engine(spec) => {
                let limits = Limits {
                    depth: limit.depth,
                    nodes: limit.nodes,
                    move_time: limit.time,
                    ..Limits::default()
                };
                G::program(spec, limits, EngineSetup::default()).map(Self::Program)
            }
        }
    }

    /// Gets ready for a game.
    ///
    /// # Errors
    ///
    /// When another program cannot be started or does not answer.
    pub fn new_game(&mut self, start: &G, seed: u64, name: &str) -> Result<()> {
        match self {
            Self::Player(engine) => {
                engine.new_game(seed);
                Ok(())
            }
            Self::Program(seat) => {
                seat.new_game(start, seed, &AtomicBool::new(false)).map_err(|fault| failed(name, &fault))
            }
        }
    }

    /// Chooses a move.
    ///
    /// # Errors
    ///
    /// When there is none, or another program fails.
    pub fn choose(&mut self, line: &Line<G>, limit: &Limit, name: &str) -> Result<Choice<G>> {
        match self {
            Self::Player(engine) => {
                let start = Instant::now();
                let found = search(&mut **engine, line, limit, name);
                let time = start.elapsed();
                let mv =
                    found.best.with_context(|| format!("{name} found no move in {}", line.position()))?;
                let (score, depth) = (found.score, found.depth);
                let thought = Thought { score, depth, selective_depth: None, time, nodes: Some(found.nodes) };
                Ok(Choice { mv, time, thought: Some(thought) })
            }
            Self::Program(seat) => {
                let spinner = terminal::spinner(&format!("{name} thinks"));
                let reply = seat.think(line, &ByColor::default(), &AtomicBool::new(false));
                spinner.finish_and_clear();
                let reply = reply.map_err(|fault| failed(name, &fault))?;
                if !line.position().is_legal(reply.mv) {
                    bail!("{name} answered with an illegal move in {}", line.position());
                }
                Ok(Choice { mv: reply.mv, time: reply.time, thought: reply.thought })
            }
        }
    }
}

fn failed(name: &str, fault: &gamete_arena::SeatFault) -> anyhow::Error {
    match fault.detail() {
        Some(detail) => anyhow!("{name} cannot play: {detail}"),
        None => anyhow!("{name} cannot play: it does not answer in time"),
    }
}

/// A search of a player of ours, with a sign of life.
pub fn search<G: Playable>(
    engine: &mut dyn Engine<G>,
    line: &Line<G>,
    limit: &Limit,
    name: &str,
) -> SearchResult<G> {
    let spinner = terminal::spinner(&format!("{name} thinks"));
    let found = engine.search(line, limit, &AtomicBool::new(false), None, &mut |info| {
        let text = format!("{name} thinks: {}, depth {}", info.score, info.depth);
        spinner.set_message(one_line(&text));
    });
    spinner.finish_and_clear();
    found
}
