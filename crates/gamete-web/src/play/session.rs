//! A game with what happens at its board: clocks that run, and a computer that thinks.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gamete_arena::{Playable, dispatch, now};
use gamete_engine::Limit;
use gamete_game::{Color, Game as _, Outcome};

use super::record::{Clocks, GivenEnd, Played, Record};
use super::think::{Thinking, think};
use super::view::{Moment, SessionSummary, SessionView};
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
    /// Since when the side to move has had its turn.
    since: Instant,
    /// The computer that thinks, if one does.
    thinking: Option<Arc<Thinking>>,
    /// Whether one move is to be made though the game waits.
    step: bool,
}

impl Session {
    /// A game whose clocks begin to run now.
    pub fn new(record: Record) -> Self {
        let id = record.id.clone();
        Self { id, table: Mutex::new(Table { record, since: Instant::now(), thinking: None, step: false }) }
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
        SessionSummary::new(&self.record())
    }

    /// Ends the thinking of a computer, whose move then is none.
    pub fn stop_thinking(&self) {
        if let Some(thinking) = self.table().thinking.take() {
            thinking.stop.store(true, Ordering::Relaxed);
        }
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
        table.check_flag()?;
        let before = table.record.clone();
        if let Err(error) = act(&mut table).and_then(|()| {
            table.record.version += 1;
            table.record.updated = now();
            app.sessions.save(&table.record)
        }) {
            table.record = before;
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
        self.watch_flag(app, &table)?;
        drop(table);
        self.tell(app)
    }

    /// Tells everybody how the game stands.
    fn tell(&self, app: &App) -> Result<SessionView, ApiError> {
        let view = self.view()?;
        app.events.tell(News::new(Topic::Session(self.id.clone()), "session", &view));
        app.events.tell(News::new(Topic::Lists, "play", &serde_json::json!({ "session": self.summary()? })));
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
        }
        self.let_computer_think(app, &mut table)?;
        self.watch_flag(app, &table)
    }

    fn let_computer_think(self: &Arc<Self>, app: &App, table: &mut Table) -> Result<(), ApiError> {
        let (turn, is_over) = table.turn()?;
        let may_think = !table.record.paused || table.step;
        if is_over || table.thinking.is_some() || !may_think || !table.record.is_computer(turn) {
            return Ok(());
        }
        let clocks = table.clocks_now(turn);
        let limit = table.record.limit.of_move(clocks.map(|mut clocks| *clocks.of(turn)), &app.limits);
        let thinking = Arc::new(Thinking::new(self.id.clone(), turn));
        table.thinking = Some(Arc::clone(&thinking));
        let (session, app) = (Arc::clone(self), app.clone());
        tokio::spawn(session.play_computer(app, thinking, limit));
        Ok(())
    }

    /// Has a computer think when there is room for it, and plays its move.
    async fn play_computer(self: Arc<Self>, app: App, thinking: Arc<Thinking>, limit: Limit) {
        let Ok(permit) = Arc::clone(&app.thinkers).acquire_owned().await else { return };
        let session = Arc::clone(&self);
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let is_current = || {
                let table = self.table();
                table
                    .thinking
                    .as_ref()
                    .is_some_and(|own| Arc::ptr_eq(own, &thinking))
                    .then(|| table.record.clone())
            };
            let Some(record) = is_current() else { return };
            let started = Instant::now();
            let found = dispatch!(record.game, G => think::<G>(&app, &record, &thinking, limit));
            if is_current().is_none() {
                return;
            }
            self.table().thinking = None;
            let took = started.elapsed();
            let changed = self.change(&app, |table| match found {
                Ok(played) => {
                    table.step = false;
                    table.play(played, Some(took))
                }
                Err(reason) => {
                    // A computer that has no move gives up.
                    let loser = thinking.color;
                    table.record.end = Some(GivenEnd { outcome: Outcome::Win(!loser), reason });
                    Ok(())
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

    /// Looks at the clock when it must have run out.
    fn watch_flag(self: &Arc<Self>, app: &App, table: &Table) -> Result<(), ApiError> {
        let (turn, is_over) = table.turn()?;
        let Some(mut clocks) = table.clocks_now(turn).filter(|_| !is_over && table.runs()) else {
            return Ok(());
        };
        let (version, left) = (table.record.version, Duration::from_millis(*clocks.of(turn) + 20));
        let (session, app) = (Arc::clone(self), app.clone());
        tokio::spawn(async move {
            tokio::time::sleep(left).await;
            let is_same = session.table().record.version == version;
            if is_same {
                drop(session.change(&app, |_| Ok(())));
            }
        });
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

    /// Whether a clock runs: from the first move on, and not while computers wait.
    fn runs(&self) -> bool {
        !self.record.moves.is_empty() && (!self.record.paused || self.step)
    }

    /// What is left on the clocks now.
    fn clocks_now(&self, turn: Color) -> Option<Clocks> {
        let mut clocks = self.record.clock?;
        if self.runs() {
            let spent = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
            let left = clocks.of(turn);
            *left = left.saturating_sub(spent);
        }
        Some(clocks)
    }

    fn moment(&self) -> Result<Moment, ApiError> {
        let (turn, is_over) = self.turn()?;
        let clocks = if is_over { self.record.clock } else { self.clocks_now(turn) };
        let running = (clocks.is_some() && !is_over && self.runs()).then_some(turn);
        Ok(Moment { thinking: self.thinking.as_ref().map(|thinking| thinking.view()), clocks, running })
    }

    /// Ends the game where the time of the side to move is up.
    fn check_flag(&mut self) -> Result<(), ApiError> {
        let (turn, is_over) = self.turn()?;
        let Some(mut clocks) = self.clocks_now(turn).filter(|_| !is_over && self.runs()) else {
            return Ok(());
        };
        if *clocks.of(turn) == 0 {
            self.record.clock = Some(clocks);
            self.end(Outcome::Win(!turn), format!("{turn} lost on time"));
        }
        Ok(())
    }

    /// Ends the game.
    pub fn end(&mut self, outcome: Outcome, reason: String) {
        self.record.end = Some(GivenEnd { outcome, reason });
        self.record.draw_offer = None;
    }

    /// Plays a move, which is legal; a computer's took so long.
    ///
    /// # Errors
    ///
    /// When the game is over or has become too long.
    pub fn play(&mut self, played: Played, took: Option<Duration>) -> Result<(), ApiError> {
        let turn = self.open_turn()?;
        if self.record.moves.len() >= Limits::PLIES {
            return Err(ApiError::limit(format!("a game has at most {} plies here", Limits::PLIES)));
        }
        if let (Some(mut clocks), Some(terms)) = (self.record.clock, self.record.limit.clock) {
            if self.runs() {
                let spent = took.unwrap_or_else(|| self.since.elapsed());
                let left = clocks.of(turn);
                *left = left.saturating_sub(u64::try_from(spent.as_millis()).unwrap_or(u64::MAX))
                    + terms.increment_ms;
            }
            self.record.clock = Some(clocks);
        }
        self.record.moves.push(played);
        self.since = Instant::now();
        // Whoever moves has declined.
        if self.record.draw_offer == Some(!turn) {
            self.record.draw_offer = None;
        }
        Ok(())
    }

    /// Goes back to the last time that a person had to move, or takes a result back that was only agreed on.
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
        self.since = Instant::now();
        Ok(())
    }

    /// Lets computers go on, or wait.
    pub fn set_paused(&mut self, paused: bool) {
        if self.record.paused && !paused {
            self.since = Instant::now();
        }
        self.record.paused = paused;
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
        self.since = Instant::now();
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
