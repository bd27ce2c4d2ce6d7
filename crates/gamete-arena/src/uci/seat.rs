use std::sync::atomic::AtomicBool;

use gamete_chess::Position;
use gamete_game::{ByColor, Line};

use super::client::cause;
use super::{EngineCatalog, EngineSetup, EngineSpec, Fault, Restart, UciEngine, Warning};
use crate::task::{Contestant, MoveDetail, Reply, Seat, SeatFault};
use crate::{GameClock, Limits};

/// Another program at the board. It is started for its first game, and anew after a fault.
pub struct UciSeat {
    spec: EngineSpec,
    limits: Limits,
    setup: EngineSetup,
    engine: Option<UciEngine>,
}

/// Puts a program that speaks UCI to the board.
pub(crate) fn uci_seat(spec: &EngineSpec, limits: Limits, setup: EngineSetup) -> Box<dyn Seat<Position>> {
    Box::new(UciSeat::new(spec.clone(), limits, setup))
}

impl UciSeat {
    /// A program that will be started when it is needed.
    pub fn new(spec: EngineSpec, limits: Limits, setup: EngineSetup) -> Self {
        Self { spec, limits, setup, engine: None }
    }

    fn get_ready(&mut self, start: &Position, stop: &AtomicBool) -> Result<(), Fault> {
        if self.spec.restart == Restart::On {
            self.engine = None;
        }
        let engine = match &mut self.engine {
            Some(engine) if engine.is_running() => engine,
            engine => engine.insert(UciEngine::set_up(self.spec.clone(), self.setup.clone(), stop)?),
        };
        engine.set_chess960(start.is_chess960())?;
        engine.new_game(start, stop)
    }
}

/// A fault with what the engine last wrote to its standard error, if it is gone or does not answer.
fn explained(fault: Fault, engine: Option<&mut UciEngine>) -> SeatFault {
    let with_cause = |text: String| match engine.and_then(|engine| cause(engine.last_words())) {
        Some(cause) => format!("{text}: {cause}"),
        None => text,
    };
    match SeatFault::from(fault) {
        SeatFault::Disconnect(text) => SeatFault::Disconnect(with_cause(text)),
        SeatFault::Stall(text) => SeatFault::Stall(with_cause(text)),
        fault => fault,
    }
}

impl Seat<Position> for UciSeat {
    fn new_game(&mut self, start: &Position, _seed: u64, stop: &AtomicBool) -> Result<(), SeatFault> {
        self.get_ready(start, stop).map_err(|fault| {
            let fault = explained(fault, self.engine.as_mut());
            self.engine = None;
            fault
        })
    }

    fn think(
        &mut self,
        line: &Line<Position>,
        clocks: &ByColor<Option<GameClock>>,
        stop: &AtomicBool,
    ) -> Result<Reply<Position>, SeatFault> {
        let engine = self.engine.as_mut().ok_or(Fault::NotRunning)?;
        let reply =
            engine.think(line, &self.limits, clocks, stop).map_err(|fault| explained(fault, Some(engine)))?;
        Ok(Reply { mv: reply.mv, time: reply.time, thought: reply.thought })
    }

    fn detail(&self, _position: &Position) -> MoveDetail {
        self.engine.as_ref().map(UciEngine::detail).unwrap_or_default()
    }

    /// Another contestant that is the same program with other values of the same options: they are set, and nothing is
    /// started anew.
    fn take_over(&mut self, contestant: &Contestant, engines: &EngineCatalog) -> bool {
        let Some(Ok(spec)) = contestant.engine().map(|engine| engines.spec(engine)) else { return false };
        let names = |spec: &EngineSpec| spec.options.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let same = EngineSpec { options: self.spec.options.clone(), ..spec.clone() } == self.spec;
        if !same || names(&spec) != names(&self.spec) || self.spec.restart == Restart::On {
            return false;
        }
        if let Some(engine) = &mut self.engine {
            let changed = spec.options.iter().zip(&self.spec.options).filter(|(new, old)| new != old);
            for ((name, value), _) in changed {
                // An option that it does not have is passed over as at its start.
                if !matches!(engine.set_option(name, value), Ok(None | Some(Warning::UnknownOption { .. }))) {
                    // What it has set by now is not known: it is started again for whoever it was.
                    self.engine = None;
                    return false;
                }
            }
        }
        self.spec = spec;
        self.limits = contestant.limits;
        true
    }

    fn break_off(&mut self) {
        if let Some(mut engine) = self.engine.take() {
            engine.kill();
        }
    }
}

impl From<Fault> for SeatFault {
    fn from(fault: Fault) -> Self {
        let text = fault.to_string();
        match fault {
            Fault::Late { time } => Self::Late(time),
            Fault::IllegalMove(_) | Fault::BadAnswer(_) => Self::IllegalMove(text),
            Fault::Stall { .. } | Fault::IgnoresLimit { .. } => Self::Stall(text),
            Fault::StartFailed(_)
            | Fault::NotUci { .. }
            | Fault::Crash { .. }
            | Fault::NotRunning
            | Fault::Stopped
            | Fault::Io(_) => Self::Disconnect(text),
        }
    }
}
