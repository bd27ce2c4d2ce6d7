//! A game with what happens at its board: clocks that run, and a computer that thinks.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gamete_arena::{Playable, dispatch, now};
use gamete_engine::Limit;
use gamete_game::{Color, Game as _, Outcome};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::AbortHandle;

use super::record::{Clocks, GivenEnd, Played, Record};
use super::sessions::Sessions;
use super::think::{Thinking, think};
use super::view::{Moment, SessionSummary, SessionView};
use super::{gone_on, person};
use crate::app::App;
use crate::error::ApiError;
use crate::events::{News, Topic};
use crate::limits::Limits;

/// A game on the page.
pub struct Session {
    id: String,
    table: Mutex<Table>,
}

/// A game and what happens at its board.
pub struct Table {
    /// What is stored.
    pub record: Record,
    /// Since when the clock of the side to move has run; nothing while it stands.
    running: Option<Instant>,
    /// The computer that thinks or waits for a place to think, if one does.
    thinking: Option<Arc<Thinking>>,
    /// Whether one move is to be made though the game waits.
    step: bool,
    /// Who looks at the clock when it must have run out.
    flag: Option<AbortHandle>,
    /// Whether the game was deleted: nothing is stored of it any more.
    closed: bool,
    /// The game in a line, and of which version.
    summary: Option<(u64, SessionSummary)>,
}

impl Session {
    /// A game whose clocks stand.
    pub fn new(mut record: Record) -> Self {
        if let Some(clock) = record.clock {
            // Games of earlier versions have none of them.
            record.turn_clocks.resize(record.moves.len() + 1, clock);
        }
        let id = record.id.clone();
        let table = Table {
            record,
            running: None,
            thinking: None,
            step: false,
            flag: None,
            closed: false,
            summary: None,
        };
        Self { id, table: Mutex::new(table) }
    }

    /// Its name.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The game as it is stored.
    pub fn record(&self) -> Record {
        self.table().record.clone()
    }

    /// The game as the page shows it.
    ///
    /// # Errors
    ///
    /// When what is stored makes no sense.
    pub fn view(&self) -> Result<SessionView, ApiError> {
        let table = self.table();
        let (record, moment) = (table.record.clone(), table.moment()?);
        drop(table);
        SessionView::new(&record, moment)
    }

    /// The game in a line.
    ///
    /// # Errors
    ///
    /// When what is stored makes no sense.
    pub fn summary(&self) -> Result<SessionSummary, ApiError> {
        let mut table = self.table();
        let version = table.record.version;
        let known = table.summary.take().filter(|(known, _)| *known == version);
        // Whoever lists all games does not have all of them played through again.
        let (_, summary) = match known {
            Some(known) => table.summary.insert(known),
            None => {
                let summary = SessionSummary::new(&table.record)?;
                table.summary.insert((version, summary))
            }
        };
        Ok(summary.clone())
    }

    /// Ends the thinking of a computer, whose move then is none.
    pub fn stop_thinking(&self) {
        if let Some(thinking) = self.table().thinking.take() {
            thinking.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Ends everything that happens at the board of a game that is deleted. Nothing is stored of it from then on.
    pub fn close(&self) {
        let mut table = self.table();
        table.closed = true;
        table.running = None;
        if let Some(flag) = table.flag.take() {
            flag.abort();
        }
        drop(table);
        self.stop_thinking();
    }

    /// Ends the thinking, and stores the clocks if one runs.
    ///
    /// # Errors
    ///
    /// When the game cannot be stored.
    pub fn stop(&self, sessions: &Sessions) -> Result<(), ApiError> {
        self.stop_thinking();
        let mut table = self.table();
        if table.running.is_none() || table.closed {
            return Ok(());
        }
        let (turn, _) = table.turn()?;
        table.stop_clock(turn);
        sessions.save(&table.record)
    }

    /// Has the computer that thinks move at once.
    ///
    /// # Errors
    ///
    /// When none does.
    pub fn move_now(&self) -> Result<(), ApiError> {
        match &self.table().thinking {
            Some(thinking) => {
                thinking.stop.store(true, Ordering::Relaxed);
                Ok(())
            }
            None => Err(ApiError::conflict("no computer thinks in this game")),
        }
    }

    /// The game as a computer has to judge it that is offered a draw; nothing where a person is.
    ///
    /// # Errors
    ///
    /// When nobody can offer one now.
    pub fn offer_to_computer(&self, color: Option<Color>) -> Result<Option<Record>, ApiError> {
        let table = self.table();
        let turn = table.open_turn()?;
        let color = person(&table.record, color, turn)?;
        match table.record.is_computer(!color) {
            true if turn != color => Err(ApiError::conflict("offer it when it is your turn")),
            true => Ok(Some(table.record.clone())),
            false => Ok(None),
        }
    }

    /// Changes the game, stores it, tells everybody, and lets a computer think whose turn it is.
    ///
    /// # Errors
    ///
    /// When `act` refuses, or the game cannot be stored.
    pub fn change(
        self: &Arc<Self>,
        app: &App,
        act: impl FnOnce(&mut Table) -> Result<(), ApiError>,
    ) -> Result<SessionView, ApiError> {
        let mut table = self.table();
        if table.closed {
            return Err(ApiError::not_found("the game was deleted"));
        }
        table.check_flag()?;
        let (before, running) = (table.record.clone(), table.running);
        if let Err(error) = act(&mut table).and_then(|()| {
            table.set_clock()?;
            table.record.version += 1;
            table.record.updated = now();
            app.sessions.save(&table.record)
        }) {
            (table.record, table.running) = (before, running);
            return Err(error);
        }
        // Whoever thought, thought about another position.
        if before.moves != table.record.moves
            || table.record.end.is_some()
            || table.record.paused && !table.step
        {
            if let Some(thinking) = table.thinking.take() {
                thinking.stop.store(true, Ordering::Relaxed);
            }
            table.step &= before.moves == table.record.moves;
        }
        self.let_computer_think(app, &mut table)?;
        self.watch_flag(app, &mut table)?;
        drop(table);
        self.tell(app)
    }

    /// Tells everybody how the game stands.
    fn tell(&self, app: &App) -> Result<SessionView, ApiError> {
        let view = self.view()?;
        app.events.tell([
            News::new(Topic::Session(self.id.clone()), "session", &view),
            News::new(Topic::Lists, "play", &serde_json::json!({ "session": self.summary()? })),
        ]);
        Ok(view)
    }

    /// Lets a computer think whose turn it is, if it may.
    ///
    /// # Errors
    ///
    /// When what is stored makes no sense.
    pub fn wake(self: &Arc<Self>, app: &App) -> Result<(), ApiError> {
        let mut table = self.table();
        if table.record.is_watched() {
            // Nobody has asked for these games since the server was started.
            table.record.paused = true;
            table.summary = None;
        }
        table.set_clock()?;
        self.let_computer_think(app, &mut table)?;
        self.watch_flag(app, &mut table)
    }

    fn let_computer_think(self: &Arc<Self>, app: &App, table: &mut Table) -> Result<(), ApiError> {
        let (turn, is_over) = table.turn()?;
        let may_think = !table.record.paused || table.step;
        if is_over || table.thinking.is_some() || !may_think || !table.record.is_computer(turn) {
            return Ok(());
        }
        let thinking = Arc::new(Thinking::new(self.id.clone(), turn));
        table.thinking = Some(Arc::clone(&thinking));
        let place = Arc::clone(&app.thinkers).try_acquire_owned().ok();
        if place.is_some() {
            table.start_clock();
        }
        tokio::spawn(Arc::clone(self).play_computer(app.clone(), thinking, place));
        Ok(())
    }

    /// Has a computer think when there is a place for it, and plays its move.
    async fn play_computer(
        self: Arc<Self>,
        app: App,
        thinking: Arc<Thinking>,
        place: Option<OwnedSemaphorePermit>,
    ) {
        let place = match place {
            Some(place) => Ok(place),
            None => Arc::clone(&app.thinkers).acquire_owned().await,
        };
        let Ok(place) = place else { return };
        let session = Arc::clone(&self);
        let task = tokio::task::spawn_blocking(move || {
            let _place = place;
            let Some((record, limit)) = self.begin_thinking(&app, &thinking) else { return };
            let found = dispatch!(record.game, G => think::<G>(&app, &record, &thinking, limit));
            let changed = self.change(&app, |table| {
                if !table.is_thinking(&thinking) {
                    return Err(gone_on());
                }
                table.thinking = None;
                match found {
                    Ok(played) => {
                        table.step = false;
                        table.play(played)
                    }
                    // A computer that has no move gives up.
                    Err(reason) => table.end(Outcome::Win(!thinking.color), reason),
                }
            });
            // Where nothing can be stored any more, the next request says so.
            drop(changed);
        });
        if task.await.is_err() {
            // It panicked, which is a mistake of ours, and nobody is to wait for it.
            session.stop_thinking();
        }
    }

    /// Starts the clock of a computer that has a place to think; gives the game and how much it may think, unless its turn is over.
    fn begin_thinking(self: &Arc<Self>, app: &App, thinking: &Arc<Thinking>) -> Option<(Record, Limit)> {
        let mut table = self.table();
        if !table.is_thinking(thinking) {
            return None;
        }
        let has_waited = table.start_clock();
        if has_waited {
            self.watch_flag(app, &mut table).ok()?;
        }
        let left = table.clocks_now(thinking.color).map(|mut clocks| *clocks.of(thinking.color));
        let limit = table.record.limit.of_move(left, &app.limits);
        let record = table.record.clone();
        drop(table);
        if has_waited {
            // Who looks on sees the clock start.
            let _ = self.tell(app);
        }
        Some((record, limit))
    }

    /// Looks at the clock when it must have run out.
    fn watch_flag(self: &Arc<Self>, app: &App, table: &mut Table) -> Result<(), ApiError> {
        if let Some(before) = table.flag.take() {
            before.abort();
        }
        let (turn, is_over) = table.turn()?;
        let Some(mut clocks) = table.clocks_now(turn).filter(|_| !is_over && table.running.is_some()) else {
            return Ok(());
        };
        let (version, left) = (table.record.version, Duration::from_millis(*clocks.of(turn) + 20));
        let (session, app) = (Arc::clone(self), app.clone());
        let look = tokio::spawn(async move {
            tokio::time::sleep(left).await;
            let look = move |app: &App| {
                let is_same = session.table().record.version == version;
                if is_same { session.change(app, |_| Ok(())).map(drop) } else { Ok(()) }
            };
            drop(app.blocking(look).await);
        });
        table.flag = Some(look.abort_handle());
        Ok(())
    }
}

impl Table {
    /// Whose turn it is, and whether the game is over.
    fn turn(&self) -> Result<(Color, bool), ApiError> {
        dispatch!(self.record.game, G => {
            let line = self.record.line::<G>(usize::MAX)?;
            Ok((line.position().turn(), self.record.ending(&line).is_some()))
        })
    }

    /// Refuses where the game is over; gives whose turn it is.
    ///
    /// # Errors
    ///
    /// When it is over.
    pub fn open_turn(&self) -> Result<Color, ApiError> {
        match self.turn()? {
            (turn, false) => Ok(turn),
            (_, true) => Err(ApiError::conflict("the game is over")),
        }
    }

    /// Whether it is this thinking that is waited for.
    fn is_thinking(&self, thinking: &Arc<Thinking>) -> bool {
        self.thinking.as_ref().is_some_and(|own| Arc::ptr_eq(own, thinking))
    }

    /// Starts the clock of the side to move from the first move on; says whether it stood.
    fn start_clock(&mut self) -> bool {
        let starts = self.running.is_none() && self.record.clock.is_some() && !self.record.moves.is_empty();
        if starts {
            self.running = Some(Instant::now());
        }
        starts
    }

    /// Stops the clock of the side to move, which keeps what is left.
    fn stop_clock(&mut self, turn: Color) {
        self.record.clock = self.clocks_now(turn);
        self.running = None;
    }

    /// Has the clock run for a person who is to move, and stand while the game is paused or over. That of a computer starts when it
    /// begins to think.
    fn set_clock(&mut self) -> Result<(), ApiError> {
        let (turn, is_over) = self.turn()?;
        if is_over || (self.record.paused && !self.step) {
            self.stop_clock(turn);
        } else if !self.record.is_computer(turn) {
            self.start_clock();
        }
        Ok(())
    }

    /// What is left on the clocks now.
    fn clocks_now(&self, turn: Color) -> Option<Clocks> {
        let mut clocks = self.record.clock?;
        if let Some(since) = self.running {
            let spent = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            let left = clocks.of(turn);
            *left = left.saturating_sub(spent);
        }
        Some(clocks)
    }

    fn moment(&self) -> Result<Moment, ApiError> {
        let (turn, is_over) = self.turn()?;
        let clocks = if is_over { self.record.clock } else { self.clocks_now(turn) };
        let running = (self.running.is_some() && !is_over).then_some(turn);
        Ok(Moment { thinking: self.thinking.as_ref().map(|thinking| thinking.view()), clocks, running })
    }

    /// Ends the game where the time of the side to move is up.
    fn check_flag(&mut self) -> Result<(), ApiError> {
        let (turn, is_over) = self.turn()?;
        let is_up = self.clocks_now(turn).is_some_and(|mut clocks| *clocks.of(turn) == 0);
        match is_up && !is_over && self.running.is_some() {
            true => self.end(Outcome::Win(!turn), format!("{turn} lost on time")),
            false => Ok(()),
        }
    }

    /// Ends the game.
    ///
    /// # Errors
    ///
    /// When it is over.
    pub fn end(&mut self, outcome: Outcome, reason: String) -> Result<(), ApiError> {
        let turn = self.open_turn()?;
        self.stop_clock(turn);
        self.record.end = Some(GivenEnd { outcome, reason });
        self.record.draw_offer = None;
        Ok(())
    }

    /// Plays a move, which is legal.
    ///
    /// # Errors
    ///
    /// When the game is over or has become too long.
    pub fn play(&mut self, played: Played) -> Result<(), ApiError> {
        let turn = self.open_turn()?;
        if self.record.moves.len() >= Limits::PLIES {
            return Err(ApiError::limit(format!("a game has at most {} plies here", Limits::PLIES)));
        }
        let was_running = self.running.is_some();
        self.stop_clock(turn);
        if let (Some(clocks), Some(terms)) = (&mut self.record.clock, self.record.limit.clock) {
            if was_running {
                *clocks.of(turn) += terms.increment_ms;
            }
            self.record.turn_clocks.push(*clocks);
        }
        self.record.moves.push(played);
        // Whoever moves has declined.
        if self.record.draw_offer == Some(!turn) {
            self.record.draw_offer = None;
        }
        Ok(())
    }

    /// Goes back to the last time that a person had to move, or takes a result back that is not by the rules of the game. The clocks
    /// are what they were when that turn began.
    ///
    /// # Errors
    ///
    /// When there is nothing to take back.
    pub fn take_back(&mut self) -> Result<(), ApiError> {
        if self.record.end.take().is_none() {
            let plies = self.record.moves.len();
            let first = dispatch!(self.record.game, G => self.record.line::<G>(0)?.position().turn());
            let mover = |ply: usize| if ply.is_multiple_of(2) { first } else { !first };
            let back = (0..plies).rev().find(|&ply| !self.record.is_computer(mover(ply)));
            let Some(back) = back else { return Err(ApiError::conflict("there is nothing to take back")) };
            self.record.moves.truncate(back);
        }
        self.record.draw_offer = None;
        self.record.turn_clocks.truncate(self.record.moves.len() + 1);
        self.record.clock = self.record.turn_clocks.last().copied().or(self.record.clock);
        self.running = None;
        Ok(())
    }

    /// Lets one computer move though the game waits.
    ///
    /// # Errors
    ///
    /// When the game is over, or a person is to move.
    pub fn set_step(&mut self) -> Result<(), ApiError> {
        let turn = self.open_turn()?;
        if !self.record.is_computer(turn) {
            return Err(ApiError::conflict("a person is to move"));
        }
        self.record.paused = true;
        self.step = true;
        Ok(())
    }
}

/// The move that a person means.
///
/// # Errors
///
/// When there is none, with those that may be meant.
pub fn understand<G: Playable>(record: &Record, text: &str) -> Result<Played, ApiError> {
    use gamete_arena::{GameSession, SessionOptions, SessionSeat};
    let line = record.line::<G>(usize::MAX)?;
    let person = || SessionSeat { name: String::new(), competitor: None };
    let seats = gamete_game::ByColor { white: person(), black: person() };
    let options = SessionOptions { limit: Limit::depth(1), seed: 0, hash_bytes: 0 };
    let mut board = GameSession::new(line.position().clone(), seats, options).map_err(ApiError::invalid)?;
    board.play_text(text).map_err(ApiError::invalid)?;
    let mv = board.line().moves().last().ok_or_else(|| ApiError::invalid("this is no move"))?;
    Ok(Played { text: line.position().move_text(mv), thought: None })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::begin;
    use super::*;
    use crate::app::AppOptions;

    fn app(lab: &tempfile::TempDir) -> App {
        drop(gamete_lab::Store::create(lab.path()).expect("a lab"));
        App::new(AppOptions {
            lab: lab.path().to_owned(),
            journals: lab.path().to_owned(),
            token: None,
            names: Vec::new(),
            limits: Limits::of_cores(1),
            grid: None,
        })
    }

    fn begun(app: &App, wanted: serde_json::Value) -> Arc<Session> {
        begin(app, &serde_json::from_value(wanted).expect("a game")).expect("a game");
        app.sessions.all().remove(0)
    }

    fn played(text: &str) -> Played {
        Played { text: text.to_owned(), thought: None }
    }

    fn black_ms(session: &Session) -> u64 {
        session.table().clocks_now(Color::Black).expect("clocks").black_ms
    }

    #[test]
    fn one_looks_at_the_clock_however_often_a_game_is_changed() {
        let lab = tempfile::tempdir().expect("a directory");
        let app = app(&lab);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let tasks = runtime.block_on(async {
            let wanted = json!({ "game": "chess", "limit": { "clock": { "base_ms": 3_600_000 } } });
            let session = begun(&app, wanted);
            session.change(&app, |table| table.play(played("e4"))).expect("a move");
            for _ in 0..20 {
                session.change(&app, |table| table.play(played("e5"))).expect("a move");
                session.change(&app, Table::take_back).expect("a move less");
            }
            // What is given up is dropped when it is looked at.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            tokio::runtime::Handle::current().metrics().num_alive_tasks()
        });
        assert_eq!(tasks, 1);
    }

    #[test]
    fn the_clock_of_a_computer_stands_until_it_has_a_place_to_think() {
        let lab = tempfile::tempdir().expect("a directory");
        let app = app(&lab);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let place = Arc::clone(&app.thinkers).acquire_owned().await.expect("a place");
            let limit = json!({ "depth": 1, "clock": { "base_ms": 5000 } });
            let session = begun(&app, json!({ "game": "chess", "black": "chess/material", "limit": limit }));
            session.change(&app, |table| table.play(played("e4"))).expect("a move");
            tokio::time::sleep(Duration::from_millis(100)).await;
            assert_eq!(black_ms(&session), 5000);
            assert!(session.table().running.is_none() && session.table().thinking.is_some());
            drop(place);
            while session.record().moves.len() < 2 {
                assert!(session.record().end.is_none());
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
    }

    #[test]
    fn a_pause_gives_no_time_back() {
        let lab = tempfile::tempdir().expect("a directory");
        let app = app(&lab);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let _inside = runtime.enter();
        let session = begun(&app, json!({ "game": "chess", "limit": { "clock": { "base_ms": 60_000 } } }));
        session.change(&app, |table| table.play(played("e4"))).expect("a move");
        let pause = |paused: bool| {
            let pause = |table: &mut Table| {
                table.record.paused = paused;
                Ok(())
            };
            session.change(&app, pause).expect("a change");
        };
        std::thread::sleep(Duration::from_millis(60));
        pause(true);
        let left = black_ms(&session);
        assert!(left <= 60_000 - 60, "{left}");
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(black_ms(&session), left);
        pause(false);
        assert!(black_ms(&session) <= left && session.table().running.is_some());
    }
}
