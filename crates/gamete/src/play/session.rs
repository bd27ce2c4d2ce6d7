use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anstream::AutoStream;
use anyhow::{Result, anyhow, bail};
use gamete_arena::{ModelInfo, Playable, Player};
use gamete_engine::Limit;
use gamete_game::{ByColor, Color, Format, Outcome, Ply, Score, Thought};

use super::advice::{Adviser, line_text};
use super::input::{Command, HELP, Input};
use super::thinker::{Choice, Thinker, search};
use super::understand::{listed, understand};
use super::{ScoreSheet, Seat};
use crate::draw::{Pieces, View, draw};
use crate::plain::Plain;
use crate::terminal::{self, grouped};

/// How long a player thinks about an offer at most.
const OFFER_TIME: Duration = Duration::from_millis(250);

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
pub struct Session<G: Playable> {
    out: Plain<AutoStream<io::Stdout>>,
    input: Input,
    options: Options,
    seats: ByColor<Seat>,
    engines: ByColor<Option<Thinker<G>>>,
    adviser: Adviser<G>,
    below: Color,
    sheet: ScoreSheet<G>,
    over: Option<End>,
    /// Whether the last file that somebody asked for could not be written.
    save_failed: bool,
}

/// Who won, and why the game is over.
#[derive(Debug, Clone)]
struct End {
    outcome: Outcome,
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    GoOn,
    Stop,
}

impl<G: Playable> Session<G> {
    /// Seats the players before a game.
    ///
    /// # Errors
    ///
    /// When a player plays another game.
    pub fn new(sheet: ScoreSheet<G>, seats: ByColor<Seat>, options: Options) -> Result<Self> {
        let engine = |color| {
            let competitor = seats[color].competitor();
            let engine = competitor.map(|who| Thinker::new(who, &options.limit, options.hash_bytes));
            engine.transpose().map_err(|error| {
                anyhow!("{color}: {error}; `gamete models --game {0}` lists who does", G::NAME)
            })
        };
        let engines = ByColor { white: engine(Color::White)?, black: engine(Color::Black)? };
        let adviser = seats.white.player().or(seats.black.player()).cloned();
        let adviser = adviser.unwrap_or_else(|| Player::new(ModelInfo::default_for(G::GAME_NAME)));
        // A person alone sits below.
        let below = match (&seats.white, &seats.black) {
            (Seat::Computer(_), Seat::Human) => Color::Black,
            _ => Color::White,
        };
        Ok(Self {
            out: Plain::new(anstream::stdout()),
            input: Input::new(),
            options,
            engines,
            adviser: Adviser::new(adviser, options.hash_bytes),
            below: if options.flip { !below } else { below },
            sheet,
            seats,
            over: None,
            save_failed: false,
        })
    }

    /// Plays until the game is over or somebody leaves.
    ///
    /// # Errors
    ///
    /// When input, output or the file of the game fail.
    pub fn run(mut self) -> Result<ExitCode> {
        let (white, black) = (self.seats.white.name(), self.seats.black.name());
        writeln!(self.out, "{}: {white} (White) against {black} (Black)", G::NAME)?;
        if self.has_human() {
            writeln!(self.out, "Type moves like {}; \"help\" lists the commands.", G::MOVE_EXAMPLES)?;
        }
        if let Some(outcome) = self.sheet.take_result() {
            let result = G::Format::default().result_text(Some(outcome));
            writeln!(self.out, "The file gives the result {result}; the game goes on after its last move.")?;
        }
        self.start()?;
        while self.step()? == Flow::GoOn {}
        self.sheet.save()?;
        if let Some(path) = self.sheet.saved_to() {
            writeln!(self.out, "Saved to {}", path.display())?;
        }
        self.out.flush()?;
        Ok(if self.save_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn start(&mut self) -> Result<()> {
        let time = self.options.limit.time.filter(|_| self.has_computer());
        let time_control = time.map_or("-".to_owned(), |time| format!("{}/move", time.as_secs_f64()));
        self.sheet.set_tags(&self.seats.white.name(), &self.seats.black.name(), time_control);
        for color in Color::ALL {
            if let Some(engine) = &mut self.engines[color] {
                let seed = self.options.seed.wrapping_add(color as u64);
                engine.new_game(self.sheet.line().start(), seed, &self.seats[color].name())?;
            }
        }
        self.look_for_end();
        self.show()?;
        self.announce()
    }

    fn step(&mut self) -> Result<Flow> {
        if self.over.is_none() {
            let played = self.sheet.new_plies() as u64;
            if let Some(moves) = self.options.max_moves.filter(|&moves| played >= moves.saturating_mul(2)) {
                self.show()?;
                writeln!(
                    self.out,
                    "Stopped after {moves} moves of each side, as --moves says: no result, *"
                )?;
                return Ok(Flow::Stop);
            }
            if self.engines[self.turn()].is_some() {
                self.let_computer_move()?;
                return Ok(Flow::GoOn);
            }
        } else if !self.has_human() {
            return Ok(Flow::Stop);
        }
        let prompt = if self.over.is_some() { "over".to_owned() } else { self.turn().to_string() };
        match self.input.line(&mut self.out, &prompt)? {
            Some(line) => self.obey(Command::parse(&line)),
            None => Ok(Flow::Stop),
        }
    }

    fn obey(&mut self, command: Command) -> Result<Flow> {
        let needs_game =
            matches!(command, Command::Move(_) | Command::Resign | Command::Draw | Command::Hint);
        if needs_game && self.over.is_some() {
            writeln!(self.out, "The game is over; \"undo\", \"new\", \"save FILE\" or \"quit\".")?;
            return Ok(Flow::GoOn);
        }
        match command {
            Command::Move(text) => match understand(self.position(), &text) {
                Ok(mv) => {
                    let text = self.numbered(mv);
                    writeln!(self.out, "{text}")?;
                    self.play(Ply::new(mv))?;
                }
                Err(answer) => writeln!(self.out, "{answer}")?,
            },
            Command::Undo => self.undo()?,
            Command::Hint => self.hint()?,
            Command::Eval => write!(self.out, "{}", self.adviser.evaluation(self.sheet.line().position())?)?,
            Command::Flip => {
                self.below = !self.below;
                self.show()?;
            }
            Command::Board => self.show()?,
            Command::Moves => {
                let moves = listed(self.position(), |_, _| true);
                writeln!(self.out, "Legal moves ({}): {}", moves.len(), moves.join(", "))?;
            }
            Command::Fen => writeln!(self.out, "{}", self.sheet.line().position())?,
            Command::Save(path) => self.save_to(path.as_deref())?,
            Command::Resign => {
                let loser = self.turn();
                self.end(Outcome::Win(!loser), format!("{loser} resigned"))?;
            }
            Command::Draw => return self.offer_draw(),
            Command::New => {
                self.save();
                self.sheet.start_next();
                self.options.seed = self.options.seed.wrapping_add(2);
                self.start()?;
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
        let turn = self.turn();
        let name = self.seats[turn].name();
        let mut limit = self.options.limit;
        if limit.depth.is_none() && limit.nodes.is_none() && self.position().count_moves() == 1 {
            // There is nothing to think about.
            limit = Limit::depth(1);
        }
        let Some(engine) = &mut self.engines[turn] else { bail!("{turn} is no computer") };
        let Choice { mv, time, thought } = engine.choose(self.sheet.line(), &limit, &name)?;
        let mut effort = format!("{:.3} s", time.as_secs_f64());
        if let Some(Thought { score, depth, nodes, .. }) = thought {
            let nodes = nodes.map_or_else(String::new, |nodes| format!(", {} nodes", grouped(nodes)));
            effort = format!("{score}, depth {depth}, {effort}{nodes}");
        }
        writeln!(self.out, "{name} plays {}  {effort}", self.numbered(mv))?;
        self.play(Ply { comment: thought.map(|thought| thought.to_string()), ..Ply::new(mv) })
    }

    fn play(&mut self, ply: Ply<G>) -> Result<()> {
        self.sheet.play(ply);
        self.look_for_end();
        self.save();
        // Two computers go too fast for anybody but a watcher.
        if self.over.is_some() || self.engines[self.turn()].is_none() || io::stdout().is_terminal() {
            self.show()?;
        }
        self.announce()
    }

    /// Goes back to the last time that somebody at the keyboard had to move.
    fn undo(&mut self) -> Result<()> {
        // Who resigned or agreed has moved nothing.
        if self.over.is_some() && self.sheet.line().ending().is_none() {
            self.over = None;
            self.sheet.undo(0);
            self.save();
            writeln!(self.out, "The game goes on, {} to move.", self.turn())?;
            return Ok(());
        }
        let mut earlier = self.sheet.line().earlier().map(G::turn);
        let Some(plies) = earlier.position(|turn| self.engines[turn].is_none()).map(|index| index + 1) else {
            writeln!(self.out, "There is nothing to take back.")?;
            return Ok(());
        };
        drop(earlier);
        self.over = None;
        self.sheet.undo(plies);
        self.save();
        writeln!(self.out, "Taken back: {plies} {}", if plies == 1 { "move" } else { "moves" })?;
        self.show()
    }

    fn hint(&mut self) -> Result<()> {
        let name = self.adviser.name().to_owned();
        let found = search(self.adviser.engine()?, self.sheet.line(), &self.options.limit, &name);
        let line = line_text(self.position(), &found.pv);
        let best = line.split(' ').next().unwrap_or_default();
        writeln!(self.out, "Hint: {best}  {}, depth {}: {line}", found.score, found.depth)?;
        Ok(())
    }

    fn offer_draw(&mut self) -> Result<Flow> {
        let (turn, other) = (self.turn(), !self.turn());
        let name = self.seats[other].name();
        let Some(engine) = &mut self.engines[other] else {
            writeln!(self.out, "{turn} offers a draw. {other}, do you accept? (yes or no)")?;
            let Some(answer) = self.input.line(&mut self.out, &other.to_string())? else {
                return Ok(Flow::Stop);
            };
            if matches!(answer.to_lowercase().as_str(), "y" | "yes") {
                self.end(Outcome::Draw, "by agreement".to_owned())?;
            } else {
                writeln!(self.out, "{other} declines; {turn} to move.")?;
            }
            return Ok(Flow::GoOn);
        };
        let time = self.options.limit.time.map_or(OFFER_TIME, |time| time.min(OFFER_TIME));
        let limit = Limit { time: Some(time), ..self.options.limit };
        let Some(thought) = engine.choose(self.sheet.line(), &limit, &name)?.thought else {
            writeln!(self.out, "{name} declines: it says nothing of the position.")?;
            return Ok(Flow::GoOn);
        };
        let score = -thought.score;
        if score <= Score::ZERO {
            writeln!(self.out, "{name} accepts: it sees itself at {score}, which is no more than even.")?;
            self.end(Outcome::Draw, "by agreement".to_owned())?;
        } else {
            writeln!(self.out, "{name} declines: it sees itself at {score}, better than even.")?;
        }
        Ok(Flow::GoOn)
    }

    fn look_for_end(&mut self) {
        let ending = self.sheet.look_for_end();
        self.over = ending.map(|end| End { outcome: end.outcome, reason: end.reason.to_string() });
    }

    fn end(&mut self, outcome: Outcome, reason: String) -> Result<()> {
        self.over = Some(End { outcome, reason });
        self.sheet.end(outcome);
        self.save();
        self.announce()
    }

    fn announce(&mut self) -> Result<()> {
        if let Some(End { outcome, reason }) = &self.over {
            let result = G::Format::default().result_text(Some(*outcome));
            let who = outcome.winner().map_or("a draw".to_owned(), |color| format!("{color} wins"));
            writeln!(self.out, "Game over: {result}, {who} ({reason})")?;
        }
        Ok(())
    }

    fn show(&mut self) -> Result<()> {
        let line = self.sheet.line();
        let last = line.earlier().next().zip(line.moves().next_back());
        let marks = last.map(|(before, mv)| before.marks(mv)).unwrap_or_default();
        let view = View { pieces: self.options.pieces, below: self.below, marks };
        let position = line.position();
        write!(self.out.raw(), "\n{}", draw(position, &view))?;
        if self.over.is_none() {
            let (number, turn) = (position.move_number(), position.turn());
            let forced = if position.is_forced() { format!(", {}", G::FORCED) } else { String::new() };
            writeln!(self.out, "Move {number}, {turn} to move ({}){forced}", self.seats[turn].name())?;
        }
        Ok(())
    }

    /// A game goes on even if its file cannot be written; the next change tries again.
    fn save(&mut self) {
        if let Err(error) = self.sheet.save() {
            terminal::print_error(&error);
        }
    }

    fn save_to(&mut self, path: Option<&Path>) -> Result<()> {
        let opened = path.map_or(Ok(()), |path| self.sheet.record_to(path));
        let saved = opened.and_then(|()| self.sheet.save_now());
        self.save_failed = saved.is_err();
        if let Err(error) = saved {
            terminal::print_error(&error);
            return Ok(());
        }
        match self.sheet.saved_to() {
            Some(path) => writeln!(self.out, "Saved to {}", path.display())?,
            None => writeln!(self.out, "Say where: \"save FILE\"")?,
        }
        Ok(())
    }

    fn position(&self) -> &G {
        self.sheet.line().position()
    }

    fn turn(&self) -> Color {
        self.position().turn()
    }

    fn has_human(&self) -> bool {
        Color::ALL.into_iter().any(|color| self.engines[color].is_none())
    }

    fn has_computer(&self) -> bool {
        Color::ALL.into_iter().any(|color| self.engines[color].is_some())
    }

    /// The move as written, with its number.
    fn numbered(&self, mv: G::Move) -> String {
        let position = self.position();
        let dots = if position.turn() == G::start().turn() { "." } else { "..." };
        format!("{}{dots} {}", position.move_number(), position.move_text(mv))
    }
}
