use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use gamete_game::{ByColor, Color};

use super::game_outcome::Timing;
use super::{GameOutcome, GameTask, MoveDetail, Seat, SeatFault, TaskError};
use crate::{Adjudicator, GameClock, Playable, Tablebase, Termination};

/// Plays a game between two seats. The task says from where, under which clocks and rules, for which there may have to be
/// tables. When `stop` is set the game is broken off.
///
/// # Errors
///
/// When the opening makes no sense, or tables are missing.
pub fn play<G: Playable>(
    task: &GameTask,
    seats: ByColor<&mut Box<dyn Seat<G>>>,
    tables: Option<&Tablebase>,
    stop: &AtomicBool,
) -> Result<GameOutcome, TaskError> {
    if task.adjudication.tablebase.is_some() && tables.is_none() {
        return Err(TaskError::NoTables);
    }
    let opening = task.opening::<G>()?;
    if task.adjudication.endless && G::FORGET_PAST.is_none() {
        return Err(TaskError::Endless);
    }
    let repeatable = task.white.is_repeatable() && task.black.is_repeatable();
    let started = (!repeatable).then(|| (Instant::now(), SystemTime::now()));
    let mut game = Match { task, seats, line: opening.line(), outcome: empty() };
    game.outcome.termination = match game.run(&opening.start, tables, stop) {
        Ok(termination) => termination,
        // Whoever was called off is not to blame.
        Err(_) if stop.load(Ordering::Relaxed) => Termination::Interrupted,
        Err((loser, fault)) => {
            game.outcome.fault = fault.detail().map(str::to_owned);
            fault.termination(loser)
        }
    };
    if game.outcome.termination == Termination::Interrupted {
        Color::ALL.into_iter().for_each(|color| game.seats[color].break_off());
    }
    let mut outcome = game.outcome;
    outcome.timing = started.map(|(instant, time)| Timing {
        started: time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
        milliseconds: instant.elapsed().as_millis() as u64,
        clock_scale: None,
    });
    Ok(outcome)
}

fn empty() -> GameOutcome {
    let termination = Termination::Interrupted;
    let (moves, thoughts, details) = (Vec::new(), Vec::new(), Vec::new());
    GameOutcome { moves, thoughts, details, termination, fault: None, timing: None }
}

struct Match<'a, G: Playable> {
    task: &'a GameTask,
    seats: ByColor<&'a mut Box<dyn Seat<G>>>,
    line: gamete_game::Line<G>,
    outcome: GameOutcome,
}

impl<G: Playable> Match<'_, G> {
    fn run(
        &mut self,
        start: &G,
        tables: Option<&Tablebase>,
        stop: &AtomicBool,
    ) -> Result<Termination, (Color, SeatFault)> {
        for color in Color::ALL {
            self.seats[color].new_game(start, self.task.seed, stop).map_err(|fault| (color, fault))?;
        }
        if let Some(ending) = self.line.ending() {
            return Ok(ending.into());
        }
        let mut clocks =
            ByColor::new_with(|color| GameClock::new(&self.task.contestant(color).limits.time_control));
        let mut adjudicator = Adjudicator::new(self.task.adjudication, tables);
        loop {
            let color = self.line.position().turn();
            let reply = self.seats[color].think(&self.line, &clocks, stop);
            if stop.load(Ordering::Relaxed) {
                return Ok(Termination::Interrupted);
            }
            let time = match &reply {
                Ok(reply) => Some(reply.time),
                Err(SeatFault::Late(time)) => Some(*time),
                Err(_) => None,
            };
            let overrun =
                time.and_then(|time| self.task.contestant(color).overrun(clocks[color].as_mut(), time));
            if let Some(overrun) = overrun {
                return Ok(Termination::TimeLoss { loser: color, overrun });
            }
            let reply = reply.map_err(|fault| (color, fault))?;
            self.outcome.moves.push(self.line.position().move_text(reply.mv));
            self.outcome.thoughts.push(reply.thought);
            if self.task.details {
                let time_left_ms = clocks[color].map(|clock| clock.left().as_millis() as u64);
                let detail = self.seats[color].detail(self.line.position());
                self.outcome.details.push(MoveDetail { time_left_ms, ..detail });
            }
            self.line.play(reply.mv);
            if let Some(forget_past) = G::FORGET_PAST.filter(|_| self.task.adjudication.endless) {
                self.line.change(forget_past);
            }
            let score = reply.thought.map(|thought| thought.score);
            if let Some(termination) = adjudicator.after_move(&self.line, score) {
                return Ok(termination);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gamete_game::{Game, Outcome, Reason};

    use super::*;
    use crate::uci::{EngineCatalog, EngineSetup};
    use crate::{Adjudication, Book, Competitor, Contestant, Limits, Opening, Player};

    fn contestant(text: &str, limits: &str) -> Contestant {
        Contestant::new(Player::load(text).unwrap(), limits.parse().unwrap())
    }

    fn seat<G: Playable>(contestant: &Contestant) -> Box<dyn Seat<G>> {
        G::seat(contestant, &EngineCatalog::default(), &EngineSetup::default()).unwrap()
    }

    fn play_task<G: Playable>(task: &GameTask) -> GameOutcome {
        let json = serde_json::to_string(task).unwrap();
        let task: GameTask = serde_json::from_str(&json).unwrap();
        let [mut white, mut black] = [&task.white, &task.black].map(seat::<G>);
        let seats = ByColor { white: &mut white, black: &mut black };
        play::<G>(&task, seats, None, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn games_at_fixed_nodes_repeat_to_the_byte() {
        let opening = Opening::new(gamete_chess::Position::chess960_start(5));
        let (white, black) =
            (contestant("chess/material", "nodes=200"), contestant("chess/classic", "depth=2"));
        let task = GameTask::new(&opening, white, black, Adjudication::default(), 3);
        let game = play_task::<gamete_chess::Position>(&task);
        assert_eq!(play_task::<gamete_chess::Position>(&task), game);
        assert!(game.outcome().is_some());
        assert_eq!(game.timing, None);
        let json = serde_json::to_string(&game).unwrap();
        let read: GameOutcome = serde_json::from_str(&json).unwrap();
        assert_eq!(read.moves, game.moves);
        assert_eq!(serde_json::to_string(&read).unwrap(), json, "what is read is written the same");
    }

    #[test]
    fn checkers_is_played_from_ballots_and_with_noise() {
        let mut white = contestant("checkers/squares", "depth=3");
        let Competitor::Player(player) = &mut white.competitor else { panic!("a player of our own") };
        player.noise = Some(crate::Noise { amplitude: 0.1, tanh: false });
        let black = contestant("checkers/material", "nodes=300");
        let opening = Book::three_move_ballots().opening(40);
        let mut task = GameTask::new(&opening, white, black, Adjudication::default(), 3);
        let game = play_task::<gamete_checkers::Position>(&task);
        assert_eq!(play_task::<gamete_checkers::Position>(&task), game);
        let others = (4..10).map(|seed| {
            task.seed = seed;
            play_task::<gamete_checkers::Position>(&task)
        });
        assert!(others.into_iter().any(|other| other.moves != game.moves), "the seed has no effect");
    }

    #[test]
    fn endless_games_of_checkers_have_no_draws_but_by_length() {
        let start: gamete_checkers::Position = "B:WK32:BK1".parse().unwrap();
        let player = contestant("checkers/material", "depth=2");
        let adjudication = Adjudication { max_moves: Some(60), ..Adjudication::default() };
        let mut task = GameTask::new(&Opening::new(start), player.clone(), player, adjudication, 3);
        let game = play_task::<gamete_checkers::Position>(&task);
        assert!(game.moves.len() < 100, "{}", game.termination);
        task.adjudication.endless = true;
        let game = play_task::<gamete_checkers::Position>(&task);
        assert_eq!((game.moves.len(), game.outcome()), (120, Some(Outcome::Draw)));

        let player = contestant("chess/material", "depth=1");
        let opening = Opening::new(gamete_chess::Position::start());
        let mut task = GameTask::new(&opening, player.clone(), player, adjudication, 3);
        task.adjudication.endless = true;
        let error = crate::Workspace::new(&crate::WorkspaceOptions::default())
            .run(&task.into())
            .unwrap_err()
            .to_string();
        assert_eq!(error, "endless games are for checkers");
    }

    #[test]
    fn the_clock_runs_for_players_of_our_own() {
        let opening = Opening::new(gamete_chess::Position::start());
        let mut player = contestant("chess/material", "tc=0.2+0.002");
        // Other tests want the processor too.
        player.time_margin_ms = 1000;
        let mut task = GameTask::new(&opening, player.clone(), player, Adjudication::default(), 3);
        let game = play_task::<gamete_chess::Position>(&task);
        assert!(game.termination.at_fault().is_none(), "{}", game.termination);
        assert!(game.timing.is_some());
        task.white.limits = Limits { nodes: Some(5_000_000), ..task.white.limits };
        task.black.limits = "st=0.001".parse().unwrap();
        let game = play_task::<gamete_chess::Position>(&task);
        assert!(game.termination.at_fault().is_none(), "{}", game.termination);
    }

    #[test]
    fn a_slow_mover_loses_on_time() {
        struct Slow;
        impl Seat<gamete_chess::Position> for Slow {
            fn new_game(
                &mut self,
                _: &gamete_chess::Position,
                _: u64,
                _: &AtomicBool,
            ) -> Result<(), SeatFault> {
                Ok(())
            }
            fn think(
                &mut self,
                line: &gamete_game::Line<gamete_chess::Position>,
                _: &ByColor<Option<GameClock>>,
                _: &AtomicBool,
            ) -> Result<super::super::Reply<gamete_chess::Position>, SeatFault> {
                let mv = line.position().moves()[0];
                Ok(super::super::Reply { mv, time: Duration::from_millis(400), thought: None })
            }
        }
        let play_slowly = |limits: &str, time_margin_ms| {
            let player = Contestant { time_margin_ms, ..contestant("chess/material", limits) };
            let opening = Opening::new(gamete_chess::Position::start());
            let adjudication = Adjudication { max_moves: Some(4), ..Adjudication::default() };
            let task = GameTask::new(&opening, player.clone(), player, adjudication, 3);
            let mut white: Box<dyn Seat<_>> = Box::new(Slow);
            let mut black: Box<dyn Seat<_>> = Box::new(Slow);
            let seats = ByColor { white: &mut white, black: &mut black };
            let game = play(&task, seats, None, &AtomicBool::new(false)).unwrap();
            (game.moves.len(), game.termination)
        };
        let late =
            |overrun| Termination::TimeLoss { loser: Color::White, overrun: Duration::from_millis(overrun) };
        assert_eq!(play_slowly("tc=1", 0), (4, late(200)));
        assert_eq!(play_slowly("tc=1", 200), (6, late(400)), "the margin is not lent");
        assert_eq!(play_slowly("st=0.3", 99), (0, late(100)));
        assert_eq!(play_slowly("st=0.3", 100).0, 8);
        assert_eq!(play_slowly("st=0.4", 0).0, 8);
    }

    #[test]
    fn a_stopped_game_has_no_outcome_and_a_finished_one_does() {
        let start: gamete_chess::Position = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 5 1".parse().unwrap();
        let player = contestant("chess/material", "depth=2");
        let task = GameTask::new(&Opening::new(start), player.clone(), player, Adjudication::default(), 3);
        let game = play_task::<gamete_chess::Position>(&task);
        let mate = gamete_game::Ending::win(Color::White, Reason::Checkmate);
        assert_eq!((game.termination, game.outcome()), (mate.into(), Some(Outcome::Win(Color::White))));
        let [mut white, mut black] = [&task.white, &task.black].map(seat::<gamete_chess::Position>);
        let seats = ByColor { white: &mut white, black: &mut black };
        let game = play::<gamete_chess::Position>(&task, seats, None, &AtomicBool::new(true)).unwrap();
        assert_eq!(game.termination, Termination::Interrupted);
    }
}
