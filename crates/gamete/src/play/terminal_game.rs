use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use anstream::AutoStream;
use anyhow::{Result, anyhow};
use gamete_arena::{
    ComputerMove, DrawAnswer, GameEnd, GameSession, LegalMoves, MoveRefusal, Playable, SessionOptions,
    SessionSeat, TakenBack,
};
use gamete_engine::{Info, Limit};
use gamete_game::{ByColor, Color, Format, Thought};

use super::advice::evaluation_text;
use super::input::{Command, HELP, Input};
use super::{Resumed, SavedGame, Seat};
use crate::draw::{Pieces, View, draw};
use crate::plain::Plain;
use crate::terminal::{self, grouped, one_line};

/// How a game is played.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How long players think about a move.
    pub limit: Limit,
    /// The game stops after so many moves of each side.
    pub max_moves: Option<u64>,
    /// For players with noise.
    pub seed: u64,
    /// The table of each player.
    pub hash_bytes: usize,
    /// How pieces are shown.
    pub pieces: Pieces,
    /// Whether the board is turned around.
    pub flip: bool,
}

/// A game at the terminal.
pub struct TerminalGame<G: Playable> {
    out: Plain<AutoStream<io::Stdout>>,
    input: Input,
    options: Options,
    session: GameSession<G>,
    file: SavedGame<G>,
    below: Color,
    /// Whether the last file that somebody asked for could not be written.
    save_failed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    GoOn,
    Stop,
}

/// Nobody stops a computer at the terminal but by ending the program.
static NEVER: AtomicBool = AtomicBool::new(false);

impl<G: Playable> TerminalGame<G> {
    /// Seats the players before a game from `start`, or before one that is resumed. It is saved to `path` if there is one.
    ///
    /// # Errors
    ///
    /// When a player plays another game, or the file is not for this game.
    pub fn new(
        start: Start<G>,
        seats: &ByColor<Seat>,
        options: Options,
        path: Option<&Path>,
    ) -> Result<Self> {
        let Options { limit, seed, hash_bytes, .. } = options;
        let seat = |seat: &Seat| SessionSeat { name: seat.name(), competitor: seat.competitor().cloned() };
        let named = ByColor { white: seat(&seats.white), black: seat(&seats.black) };
        let how = SessionOptions { limit, seed, hash_bytes };
        let (session, resumed) = match start {
            Start::Position(start) => (GameSession::new(start, named, how), None),
            Start::Game(resumed) => (GameSession::resume(resumed.game.clone(), named, how), Some(resumed)),
        };
        let session = session
            .map_err(|error| anyhow!("{error}; `gamete models --game {0}` lists who does", G::NAME))?;
        let mut file = SavedGame::new(resumed);
        if let Some(path) = path {
            file.record_to(path)?;
        }
        // A person alone sits below.
        let below = match (&seats.white, &seats.black) {
            (Seat::Computer(_), Seat::Human) => Color::Black,
            _ => Color::White,
        };
        Ok(Self {
            out: Plain::new(anstream::stdout()),
            input: Input::new(),
            options,
            below: if options.flip { !below } else { below },
            session,
            file,
            save_failed: false,
        })
    }

    /// Plays until the game is over or somebody leaves.
    ///
    /// # Errors
    ///
    /// When input, output or the file of the game fail.
    pub fn run(mut self) -> Result<ExitCode> {
        let [white, black] = Color::ALL.map(|color| self.session.name(color).to_owned());
        writeln!(self.out, "{}: {white} (White) against {black} (Black)", G::NAME)?;
        if self.has_human() {
            writeln!(self.out, "Type moves like {}; \"help\" lists the commands.", G::MOVE_EXAMPLES)?;
        }
        if let Some(outcome) = self.session.begin(&NEVER)? {
            let result = G::Format::default().result_text(Some(outcome));
            writeln!(self.out, "The file gives the result {result}; the game goes on after its last move.")?;
        }
        self.show()?;
        self.announce()?;
        while self.step()? == Flow::GoOn {}
        self.file.save(&self.session)?;
        if let Some(path) = self.file.saved_to() {
            writeln!(self.out, "Saved to {}", path.display())?;
        }
        self.out.flush()?;
        Ok(if self.save_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn step(&mut self) -> Result<Flow> {
        if self.session.end().is_none() {
            let played = self.session.new_plies() as u64;
            if let Some(moves) = self.options.max_moves.filter(|&moves| played >= moves.saturating_mul(2)) {
                self.show()?;
                writeln!(
                    self.out,
                    "Stopped after {moves} moves of each side, as --moves says: no result, *"
                )?;
                return Ok(Flow::Stop);
            }
            if self.session.is_computer(self.session.turn()) {
                self.let_computer_move()?;
                return Ok(Flow::GoOn);
            }
        } else if !self.has_human() {
            return Ok(Flow::Stop);
        }
        let over = self.session.end().is_some();
        let prompt = if over { "over".to_owned() } else { self.session.turn().to_string() };
        match self.input.line(&mut self.out, &prompt)? {
            Some(line) => self.obey(Command::parse(&line)),
            None => Ok(Flow::Stop),
        }
    }

    fn obey(&mut self, command: Command) -> Result<Flow> {
        let needs_game =
            matches!(command, Command::Move(_) | Command::Resign | Command::Draw | Command::Hint);
        if needs_game && self.session.end().is_some() {
            writeln!(self.out, "The game is over; \"undo\", \"new\", \"save FILE\" or \"quit\".")?;
            return Ok(Flow::GoOn);
        }
        match command {
            Command::Move(text) => match self.session.play_text(&text) {
                Ok(text) => {
                    writeln!(self.out, "{text}")?;
                    self.after_move()?;
                }
                Err(refusal) => writeln!(self.out, "{}", refusal_text(&refusal))?,
            },
            Command::Undo => self.undo()?,
            Command::Hint => self.hint()?,
            Command::Eval => {
                let evaluation = self.session.evaluation()?;
                let (adviser, turn) = (self.session.adviser(), self.session.turn());
                let text = evaluation_text(adviser.name(), &evaluation, turn, adviser.is_noisy());
                write!(self.out, "{text}")?;
            }
            Command::Flip => {
                self.below = !self.below;
                self.show()?;
            }
            Command::Board => self.show()?,
            Command::Moves => {
                let moves = self.session.legal_moves();
                writeln!(self.out, "Legal moves ({}): {}", moves.len(), moves.join(", "))?;
            }
            Command::Fen => writeln!(self.out, "{}", self.session.position())?,
            Command::Save(path) => self.save_to(path.as_deref())?,
            Command::Resign => {
                self.session.resign();
                self.save();
                self.announce()?;
            }
            Command::Draw => return self.offer_draw(),
            Command::New => {
                self.save();
                self.session.begin_another(&NEVER)?;
                self.file.start_next(&self.session);
                self.show()?;
                self.announce()?;
            }
            Command::Help => {
                writeln!(self.out, "Moves are like {}. Besides:", G::MOVE_EXAMPLES)?;
                for (command, about) in HELP {
                    writeln!(self.out, "  {command:<12} {about}")?;
                }
                writeln!(self.out, "Scores are in pawns or men, as the side that moves sees them.")?;
            }
            Command::Quit => return Ok(Flow::Stop),
        }
        Ok(Flow::GoOn)
    }

    fn let_computer_move(&mut self) -> Result<()> {
        let name = self.session.name(self.session.turn()).to_owned();
        let ComputerMove { text, time, thought } =
            watched(&name, |on_iteration| self.session.let_computer_move(&NEVER, on_iteration))?;
        let mut effort = format!("{:.3} s", time.as_secs_f64());
        if let Some(Thought { score, depth, nodes, .. }) = thought {
            let nodes = nodes.map_or_else(String::new, |nodes| format!(", {} nodes", grouped(nodes)));
            effort = format!("{score}, depth {depth}, {effort}{nodes}");
        }
        writeln!(self.out, "{name} plays {text}  {effort}")?;
        self.after_move()
    }

    fn after_move(&mut self) -> Result<()> {
        self.save();
        // Two computers go too fast for anybody but a watcher.
        let is_persons = !self.session.is_computer(self.session.turn());
        if self.session.end().is_some() || is_persons || io::stdout().is_terminal() {
            self.show()?;
        }
        self.announce()
    }

    fn undo(&mut self) -> Result<()> {
        let taken = self.session.take_back();
        self.save();
        match taken {
            TakenBack::Nothing => writeln!(self.out, "There is nothing to take back.")?,
            TakenBack::Result => writeln!(self.out, "The game goes on, {} to move.", self.session.turn())?,
            TakenBack::Moves(plies) => {
                writeln!(self.out, "Taken back: {plies} {}", if plies == 1 { "move" } else { "moves" })?;
                self.show()?;
            }
        }
        Ok(())
    }

    fn hint(&mut self) -> Result<()> {
        let name = self.session.adviser().name().to_owned();
        let hint = watched(&name, |on_iteration| self.session.hint(&NEVER, on_iteration))?;
        let (best, line) = (hint.line.first().map_or("", String::as_str), hint.line.join(" "));
        writeln!(self.out, "Hint: {best}  {}, depth {}: {line}", hint.score, hint.depth)?;
        Ok(())
    }

    fn offer_draw(&mut self) -> Result<Flow> {
        let (turn, other) = (self.session.turn(), !self.session.turn());
        if !self.session.is_computer(other) {
            writeln!(self.out, "{turn} offers a draw. {other}, do you accept? (yes or no)")?;
            let Some(answer) = self.input.line(&mut self.out, &other.to_string())? else {
                return Ok(Flow::Stop);
            };
            if matches!(answer.to_lowercase().as_str(), "y" | "yes") {
                self.session.agree_on_draw();
                self.save();
                self.announce()?;
            } else {
                writeln!(self.out, "{other} declines; {turn} to move.")?;
            }
            return Ok(Flow::GoOn);
        }
        let name = self.session.name(other).to_owned();
        let answer = watched(&name, |on_iteration| self.session.offer_draw(&NEVER, on_iteration))?;
        match answer {
            DrawAnswer { score: None, .. } => {
                writeln!(self.out, "{name} declines: it says nothing of the position.")?;
            }
            DrawAnswer { accepted: true, score: Some(score) } => {
                writeln!(self.out, "{name} accepts: it sees itself at {score}, which is no more than even.")?;
                self.save();
                self.announce()?;
            }
            DrawAnswer { accepted: false, score: Some(score) } => {
                writeln!(self.out, "{name} declines: it sees itself at {score}, better than even.")?;
            }
        }
        Ok(Flow::GoOn)
    }

    fn announce(&mut self) -> Result<()> {
        if let Some(GameEnd { outcome, reason }) = self.session.end() {
            let result = G::Format::default().result_text(Some(*outcome));
            let who = outcome.winner().map_or("a draw".to_owned(), |color| format!("{color} wins"));
            writeln!(self.out, "Game over: {result}, {who} ({reason})")?;
        }
        Ok(())
    }

    fn show(&mut self) -> Result<()> {
        let line = self.session.line();
        let last = line.earlier().next().zip(line.moves().next_back());
        let marks = last.map(|(before, mv)| before.marks(mv)).unwrap_or_default();
        let view = View { pieces: self.options.pieces, below: self.below, marks };
        let position = line.position();
        write!(self.out.raw(), "\n{}", draw(position, &view))?;
        if self.session.end().is_none() {
            let (number, turn) = (position.move_number(), position.turn());
            let forced = if position.is_forced() { format!(", {}", G::FORCED) } else { String::new() };
            writeln!(self.out, "Move {number}, {turn} to move ({}){forced}", self.session.name(turn))?;
        }
        Ok(())
    }

    /// A game goes on even if its file cannot be written; the next change tries again.
    fn save(&mut self) {
        if let Err(error) = self.file.save(&self.session) {
            terminal::print_error(&error);
        }
    }

    fn save_to(&mut self, path: Option<&Path>) -> Result<()> {
        let opened = path.map_or(Ok(()), |path| self.file.record_to(path));
        let saved = opened.and_then(|()| self.file.save_now(&self.session));
        self.save_failed = saved.is_err();
        if let Err(error) = saved {
            terminal::print_error(&error);
            return Ok(());
        }
        match self.file.saved_to() {
            Some(path) => writeln!(self.out, "Saved to {}", path.display())?,
            None => writeln!(self.out, "Say where: \"save FILE\"")?,
        }
        Ok(())
    }

    fn has_human(&self) -> bool {
        Color::ALL.into_iter().any(|color| !self.session.is_computer(color))
    }
}

/// Where a game begins.
pub enum Start<G: Playable> {
    /// From a position, with a new game.
    Position(G),
    /// After the last move of a game.
    Game(Resumed<G>),
}

/// Has somebody think, with a sign of life.
fn watched<G: Playable, T>(name: &str, think: impl FnOnce(&mut dyn FnMut(&Info<'_, G>)) -> T) -> T {
    let spinner = terminal::spinner(&format!("{name} thinks"));
    let found = think(&mut |info| {
        let text = format!("{name} thinks: {}, depth {}", info.score, info.depth);
        spinner.set_message(one_line(&text));
    });
    spinner.finish_and_clear();
    found
}

/// What to tell somebody whose move cannot be played.
fn refusal_text(refusal: &MoveRefusal) -> String {
    match refusal {
        MoveRefusal::NotAMove { text, examples } => {
            format!("{text:?} is not a move, nor a command; moves are like {examples}; try \"help\"")
        }
        MoveRefusal::Illegal { legal: LegalMoves::Many(_), .. } => {
            format!("{refusal}, which \"moves\" lists")
        }
        MoveRefusal::Ambiguous { .. } | MoveRefusal::Illegal { .. } => refusal.to_string(),
    }
}
