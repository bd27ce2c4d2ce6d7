use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gamete_engine::{Info, Limit};
use gamete_game::{ByColor, Color, Line, Outcome, Ply, Score, Thought, Transcript};

use super::{Adviser, Choice, Computer, ComputerError, Hint, MoveRefusal, understand};
use crate::uci::EngineSpec;
use crate::{Competitor, Evaluation, ModelInfo, Playable, Player, WrongGame, today};

/// How long a player thinks about an offer at most.
const OFFER_TIME: Duration = Duration::from_millis(250);

/// Who plays a colour.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSeat {
    /// What to call whoever sits there.
    pub name: String,
    /// The computer that moves; nothing for a person.
    pub competitor: Option<Competitor<EngineSpec>>,
}

/// How computers play in a session.
#[derive(Debug, Clone, Copy)]
pub struct SessionOptions {
    /// How long they think about a move.
    pub limit: Limit,
    /// For players with noise; every game has its own.
    pub seed: u64,
    /// The table of each player.
    pub hash_bytes: usize,
}

/// A game between people and computers: its moves, its result, and who moves for whom.
///
/// It waits for nobody: people's moves are told as text, and a computer thinks when it is asked to, until it has a move or
/// is stopped.
pub struct GameSession<G: Playable> {
    options: SessionOptions,
    names: ByColor<String>,
    computers: ByColor<Option<Computer<G>>>,
    adviser: Adviser<G>,
    line: Line<G>,
    transcript: Transcript<G>,
    end: Option<GameEnd>,
    /// Moves of the game that it began with.
    old_plies: usize,
    /// Whether it began with a game that others had begun, whose tags say when.
    is_resumed: bool,
    changes: u64,
}

/// Who won, and why the game is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameEnd {
    /// Who won.
    pub outcome: Outcome,
    /// Why it is over, in words.
    pub reason: String,
}

/// A computer's move.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputerMove {
    /// The move with its number, as written.
    pub text: String,
    /// How long it took.
    pub time: Duration,
    /// What was thought of it, if that was told.
    pub thought: Option<Thought>,
}

/// What was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBack {
    /// So many moves, to the last time that a person had to move.
    Moves(usize),
    /// No move, but that somebody resigned or both agreed.
    Result,
    /// There is nothing to take back.
    Nothing,
}

/// What a computer says to the offer of a draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawAnswer {
    /// Whether it accepts; then the game is over.
    pub accepted: bool,
    /// Where it sees itself, if it says so.
    pub score: Option<Score>,
}

/// A seat is taken by somebody who plays another game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{color}: {source}")]
pub struct WrongSeat {
    /// Which seat.
    pub color: Color,
    /// Why not.
    #[source]
    pub source: WrongGame,
}

impl<G: Playable> GameSession<G> {
    /// A game without moves.
    ///
    /// # Errors
    ///
    /// When a computer plays another game.
    pub fn new(start: G, seats: ByColor<SessionSeat>, options: SessionOptions) -> Result<Self, WrongSeat> {
        Self::seated(Transcript::new(start), false, seats, options)
    }

    /// A game that goes on after its last move.
    ///
    /// # Errors
    ///
    /// When a computer plays another game.
    pub fn resume(
        game: Transcript<G>,
        seats: ByColor<SessionSeat>,
        options: SessionOptions,
    ) -> Result<Self, WrongSeat> {
        Self::seated(game, true, seats, options)
    }

    fn seated(
        transcript: Transcript<G>,
        is_resumed: bool,
        seats: ByColor<SessionSeat>,
        options: SessionOptions,
    ) -> Result<Self, WrongSeat> {
        let mut line = Line::new(transcript.start.clone());
        for ply in &transcript.plies {
            line.play(ply.mv);
        }
        let computer = |color: Color| {
            let competitor = seats[color].competitor.as_ref();
            let computer = competitor.map(|who| Computer::new(who, &options.limit, options.hash_bytes));
            computer.transpose().map_err(|source| WrongSeat { color, source })
        };
        let computers = ByColor { white: computer(Color::White)?, black: computer(Color::Black)? };
        let player = |color: Color| match &seats[color].competitor {
            Some(Competitor::Player(player)) => Some(player.clone()),
            Some(Competitor::Engine(_)) | None => None,
        };
        let adviser = player(Color::White).or_else(|| player(Color::Black));
        let adviser = adviser.unwrap_or_else(|| Player::new(ModelInfo::default_for(G::GAME_NAME)));
        Ok(Self {
            adviser: Adviser::new(adviser, options.hash_bytes),
            names: ByColor { white: seats.white.name, black: seats.black.name },
            options,
            computers,
            line,
            old_plies: transcript.plies.len(),
            transcript,
            end: None,
            is_resumed,
            changes: 0,
        })
    }

    /// Gets the computers ready and names the players in the tags. Gives the result that a resumed game has although it can go
    /// on, and forgets it.
    ///
    /// # Errors
    ///
    /// When another program cannot be started.
    pub fn begin(&mut self, stop: &AtomicBool) -> Result<Option<Outcome>, ComputerError> {
        self.set_tags();
        for color in Color::ALL {
            if let Some(computer) = &mut self.computers[color] {
                let seed = self.options.seed.wrapping_add(color as u64);
                computer.new_game(self.line.start(), seed, &self.names[color], stop)?;
            }
        }
        let known = self.transcript.outcome.take();
        self.look_for_end();
        Ok(known.filter(|_| self.end.is_none()))
    }

    /// Puts up the pieces for another game from the same start.
    ///
    /// # Errors
    ///
    /// When another program cannot be started.
    pub fn begin_another(&mut self, stop: &AtomicBool) -> Result<(), ComputerError> {
        let start = self.line.start().clone();
        self.line = Line::new(start.clone());
        self.transcript = Transcript::new(start);
        (self.old_plies, self.is_resumed) = (0, false);
        // Every colour has a seed of its own.
        self.options.seed = self.options.seed.wrapping_add(2);
        self.begin(stop).map(drop)
    }

    /// Says who plays and how long they think, leaving alone what a file says already.
    fn set_tags(&mut self) {
        let time =
            self.options.limit.time.filter(|_| Color::ALL.into_iter().any(|color| self.is_computer(color)));
        let time_control = time.map_or("-".to_owned(), |time| format!("{}/move", time.as_secs_f64()));
        let always = [
            ("Event", "Gamete game".to_owned()),
            ("White", self.names.white.clone()),
            ("Black", self.names.black.clone()),
        ];
        let now = [("Date", today()), ("Round", "-".to_owned()), ("TimeControl", time_control)];
        for (name, value) in always.into_iter().chain(now.into_iter().filter(|_| !self.is_resumed)) {
            if self.transcript.tags.get(name).is_none_or(|old| old == "?") {
                self.transcript.tags.set(name, value);
            }
        }
    }

    /// The position and how it came about.
    pub fn line(&self) -> &Line<G> {
        &self.line
    }

    /// The position.
    pub fn position(&self) -> &G {
        self.line.position()
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Color {
        self.position().turn()
    }

    /// The game as it is written down.
    pub fn transcript(&self) -> &Transcript<G> {
        &self.transcript
    }

    /// How often the game has changed, for those who save it.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// How many moves both sides have made since the game was started or resumed.
    pub fn new_plies(&self) -> usize {
        self.transcript.plies.len().saturating_sub(self.old_plies)
    }

    /// How the game has ended, if it has.
    pub fn end(&self) -> Option<&GameEnd> {
        self.end.as_ref()
    }

    /// Whether a computer moves for this colour.
    pub fn is_computer(&self, color: Color) -> bool {
        self.computers[color].is_some()
    }

    /// What to call whoever plays a colour.
    pub fn name(&self, color: Color) -> &str {
        &self.names[color]
    }

    /// Who is asked for hints and evaluations.
    pub fn adviser(&self) -> &Adviser<G> {
        &self.adviser
    }

    /// The legal moves, as written.
    pub fn legal_moves(&self) -> Vec<String> {
        let position = self.position();
        position.moves().into_iter().map(|mv| position.move_text(mv)).collect()
    }

    /// Plays a person's move, and gives it with its number, as written.
    ///
    /// # Errors
    ///
    /// When there is no such move, with those that may be meant.
    pub fn play_text(&mut self, text: &str) -> Result<String, MoveRefusal> {
        let mv = understand(self.position(), text)?;
        let text = self.numbered(mv);
        self.play(Ply::new(mv));
        Ok(text)
    }

    /// Has the computer whose turn it is choose a move, and plays it. `on_iteration` hears of a player of ours as it thinks;
    /// when `stop` is set it plays the best move so far.
    ///
    /// # Errors
    ///
    /// When it has no move, or a person is to move.
    pub fn let_computer_move(
        &mut self,
        stop: &AtomicBool,
        on_iteration: &mut dyn FnMut(&Info<'_, G>),
    ) -> Result<ComputerMove, ComputerError> {
        let mut limit = self.options.limit;
        if limit.depth.is_none() && limit.nodes.is_none() && self.position().count_moves() == 1 {
            // There is nothing to think about.
            limit = Limit::depth(1);
        }
        let Choice { mv, time, thought } = self.choose(self.turn(), &limit, stop, on_iteration)?;
        let text = self.numbered(mv);
        self.play(Ply { comment: thought.map(|thought| thought.to_string()), ..Ply::new(mv) });
        Ok(ComputerMove { text, time, thought })
    }

    fn choose(
        &mut self,
        color: Color,
        limit: &Limit,
        stop: &AtomicBool,
        on_iteration: &mut dyn FnMut(&Info<'_, G>),
    ) -> Result<Choice<G>, ComputerError> {
        let name = &self.names[color];
        match &mut self.computers[color] {
            Some(computer) => computer.choose(&self.line, limit, name, stop, on_iteration),
            None => Err(ComputerError::Person { name: name.clone() }),
        }
    }

    fn play(&mut self, ply: Ply<G>) {
        self.line.play(ply.mv);
        self.transcript.plies.push(ply);
        self.changes += 1;
        self.look_for_end();
    }

    /// How the game has ended by its rules, if it has.
    fn look_for_end(&mut self) {
        let ending = self.line.ending();
        if let Some(ending) = ending {
            self.transcript.outcome = Some(ending.outcome);
        }
        self.end = ending.map(|end| GameEnd { outcome: end.outcome, reason: end.reason.to_string() });
    }

    /// Goes back to the last time that a person had to move.
    pub fn take_back(&mut self) -> TakenBack {
        // Who resigned or agreed has moved nothing.
        if self.end.is_some() && self.line.ending().is_none() {
            self.undo(0);
            return TakenBack::Result;
        }
        let person = self.line.earlier().position(|position| !self.is_computer(position.turn()));
        let Some(plies) = person.map(|index| index + 1) else { return TakenBack::Nothing };
        self.undo(plies);
        TakenBack::Moves(plies)
    }

    /// Strikes the last moves and any result out.
    fn undo(&mut self, plies: usize) {
        for _ in 0..plies {
            self.line.undo();
            self.transcript.plies.pop();
        }
        self.transcript.outcome = None;
        self.end = None;
        self.changes += 1;
    }

    /// Ends the game: whose turn it is gives it up.
    pub fn resign(&mut self) {
        let loser = self.turn();
        self.end_with(Outcome::Win(!loser), format!("{loser} resigned"));
    }

    /// Ends the game with a draw that both sides want.
    pub fn agree_on_draw(&mut self) {
        self.end_with(Outcome::Draw, "by agreement".to_owned());
    }

    fn end_with(&mut self, outcome: Outcome, reason: String) {
        self.end = Some(GameEnd { outcome, reason });
        self.transcript.outcome = Some(outcome);
        self.changes += 1;
    }

    /// Offers a draw to the computer whose turn it is not. It accepts if it sees itself no better than even.
    ///
    /// # Errors
    ///
    /// When it fails, or is a person, who has to be asked.
    pub fn offer_draw(
        &mut self,
        stop: &AtomicBool,
        on_iteration: &mut dyn FnMut(&Info<'_, G>),
    ) -> Result<DrawAnswer, ComputerError> {
        let time = self.options.limit.time.map_or(OFFER_TIME, |time| time.min(OFFER_TIME));
        let limit = Limit { time: Some(time), ..self.options.limit };
        let thought = self.choose(!self.turn(), &limit, stop, on_iteration)?.thought;
        let score = thought.map(|thought| -thought.score);
        let accepted = score.is_some_and(|score| score <= Score::ZERO);
        if accepted {
            self.agree_on_draw();
        }
        Ok(DrawAnswer { accepted, score })
    }

    /// A good move for whose turn it is.
    ///
    /// # Errors
    ///
    /// When the adviser plays another game.
    pub fn hint(
        &mut self,
        stop: &AtomicBool,
        on_iteration: &mut dyn FnMut(&Info<'_, G>),
    ) -> Result<Hint, WrongGame> {
        self.adviser.hint(&self.line, &self.options.limit, stop, on_iteration)
    }

    /// What the position is worth without a search, term by term.
    ///
    /// # Errors
    ///
    /// When the adviser plays another game.
    pub fn evaluation(&mut self) -> Result<Evaluation, WrongGame> {
        self.adviser.evaluate(self.line.position())
    }

    /// The move as written, with its number.
    fn numbered(&self, mv: G::Move) -> String {
        let position = self.position();
        let dots = if position.turn() == G::start().turn() { "." } else { "..." };
        format!("{}{dots} {}", position.move_number(), position.move_text(mv))
    }
}
