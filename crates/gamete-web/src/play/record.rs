//! A game on the page as it is stored: all that is needed to go on with it after any interruption.

use std::time::Duration;

use gamete_arena::{GameName, Playable, Player, date};
use gamete_engine::{Clock, Limit};
use gamete_game::{ByColor, Color, Line, Outcome, Ply, Tags, Thought, Transcript};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::limits::Limits;

/// A game between people and computers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Its name.
    pub id: String,
    /// Which game.
    pub game: GameName,
    /// When it was begun, in seconds since 1970.
    pub created: u64,
    /// When it was changed last.
    pub updated: u64,
    /// How often it was changed.
    pub version: u64,
    /// Who has White.
    pub white: Chair,
    /// Who has Black.
    pub black: Chair,
    /// How much computers may think, and what clocks there are.
    pub limit: PlayLimit,
    /// For players with noise.
    pub seed: u64,
    /// The position that it started from.
    pub start: String,
    /// What was played.
    pub moves: Vec<Played>,
    /// How it ended, if not by its rules.
    pub end: Option<GivenEnd>,
    /// Whether computers wait.
    pub paused: bool,
    /// Who has offered a draw.
    pub draw_offer: Option<Color>,
    /// What is left on the clocks, if there are any.
    pub clock: Option<Clocks>,
    /// What was left when each turn began, the one of the side to move being the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turn_clocks: Vec<Clocks>,
}

/// Who plays a colour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chair {
    /// The name by which the player was asked for, or `human`.
    pub player: String,
    /// What to call it.
    pub name: String,
    /// The computer that moves, complete, so that the experiment that bred it may go; nothing for a person.
    pub computer: Option<Player>,
}

/// A move with what a computer thought of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// As written.
    pub text: String,
    /// As in the comments of game files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<String>,
}

/// An end that is not by the rules of the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenEnd {
    /// Who won.
    pub outcome: Outcome,
    /// Why it is over, in words.
    pub reason: String,
}

/// What is left on the clocks, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// Of White.
    pub white_ms: u64,
    /// Of Black.
    pub black_ms: u64,
}

impl Clocks {
    /// What a side has left.
    pub fn of(&mut self, color: Color) -> &mut u64 {
        match color {
            Color::White => &mut self.white_ms,
            Color::Black => &mut self.black_ms,
        }
    }
}

/// How much computers may think, and what clocks there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayLimit {
    /// Plies ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Milliseconds a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movetime_ms: Option<u64>,
    /// A clock for each side, people too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockTerms>,
}

/// What a clock begins with, and what each move adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockTerms {
    /// For the whole game.
    pub base_ms: u64,
    /// For each move.
    #[serde(default)]
    pub increment_ms: u64,
}

/// What computers think a move if nothing is said.
const USUAL_MS: u64 = 1000;

impl PlayLimit {
    /// The same within what the server allows; a second a move if nothing is said.
    ///
    /// # Errors
    ///
    /// When it is more than that, or nothing.
    pub fn checked(self, limits: &Limits) -> Result<Self, ApiError> {
        check("limit.depth", self.depth.map(u64::from), limits.depth.into())?;
        check("limit.nodes", self.nodes, limits.nodes)?;
        check("limit.movetime_ms", self.movetime_ms, limits.movetime_ms)?;
        check("limit.clock.base_ms", self.clock.map(|clock| clock.base_ms), Limits::CLOCK_MS)?;
        check(
            "limit.clock.increment_ms",
            self.clock.map(|clock| clock.increment_ms.max(1)),
            limits.movetime_ms,
        )?;
        match self {
            Self { depth: None, nodes: None, movetime_ms: None, clock: None } => {
                Ok(Self { movetime_ms: Some(USUAL_MS), ..self })
            }
            _ => Ok(self),
        }
    }

    /// How much a computer may think about a move with so much on its clock.
    pub fn of_move(&self, left_ms: Option<u64>, limits: &Limits) -> Limit {
        let most = limits.move_time();
        let time = self.movetime_ms.map_or(most, |ms| Duration::from_millis(ms).min(most));
        let clock = self.clock.zip(left_ms).map(|(terms, left)| Clock {
            time: Duration::from_millis(left),
            increment: Duration::from_millis(terms.increment_ms),
            moves_to_go: None,
            overhead: Duration::from_millis(30),
        });
        Limit { depth: self.depth, nodes: self.nodes, time: Some(time), clock, mate: None }
    }

    /// How much an adviser may think, whoever waits for it.
    pub fn of_advice(&self, limits: &Limits) -> Limit {
        const MOST: Duration = Duration::from_secs(3);
        let limit = Self { clock: None, ..*self }.of_move(None, limits);
        let is_open = self.depth.is_none() && self.nodes.is_none() && self.movetime_ms.is_none();
        let usual = if is_open { Duration::from_millis(USUAL_MS) } else { MOST };
        Limit { time: limit.time.map(|time| time.min(usual)), ..limit }
    }
}

fn check(key: &str, value: Option<u64>, most: u64) -> Result<(), ApiError> {
    match value {
        Some(value) if value == 0 || value > most => {
            Err(ApiError::invalid(format!("{key}: {value}: give a number from 1 to {most}")).about(key))
        }
        _ => Ok(()),
    }
}

impl Record {
    /// Who has a colour.
    pub fn chair(&self, color: Color) -> &Chair {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    /// Whether a computer moves for a colour.
    pub fn is_computer(&self, color: Color) -> bool {
        self.chair(color).computer.is_some()
    }

    /// Whether nobody plays but computers.
    pub fn is_watched(&self) -> bool {
        Color::ALL.into_iter().all(|color| self.is_computer(color))
    }

    /// The player that is asked for advice: one at the board, or the usual one.
    pub fn adviser(&self) -> Player {
        let own = Color::ALL.into_iter().find_map(|color| self.chair(color).computer.clone());
        own.unwrap_or_else(|| Player::new(gamete_arena::ModelInfo::default_for(self.game)))
    }

    /// The first so many moves on the board.
    ///
    /// # Errors
    ///
    /// When what is stored makes no sense.
    pub fn line<G: Playable>(&self, plies: usize) -> Result<Line<G>, ApiError> {
        let damaged =
            || ApiError::unavailable(format!("{}: what is stored of this game is damaged", self.id));
        let mut line = Line::new(self.start.parse::<G>().map_err(|_| damaged())?);
        for played in self.moves.iter().take(plies) {
            let mv = line.position().parse_move(&played.text).map_err(|_| damaged())?;
            line.play(mv);
        }
        Ok(line)
    }

    /// How it ended, if it has.
    pub fn ending<G: Playable>(&self, line: &Line<G>) -> Option<GivenEnd> {
        let by_rules = line.ending();
        let by_rules = by_rules.map(|end| GivenEnd { outcome: end.outcome, reason: end.reason.to_string() });
        by_rules.or_else(|| self.end.clone())
    }

    /// The game as files tell it.
    ///
    /// # Errors
    ///
    /// When what is stored makes no sense.
    pub fn transcript<G: Playable>(&self) -> Result<Transcript<G>, ApiError> {
        let line = self.line::<G>(usize::MAX)?;
        let mut game = Transcript::new(line.start().clone());
        let thoughts = self.moves.iter().map(|played| played.thought.clone());
        game.plies =
            line.moves().zip(thoughts).map(|(mv, comment)| Ply { comment, ..Ply::new(mv) }).collect();
        let end = self.ending(&line);
        if let Some(GivenEnd { reason, .. }) = &end
            && let Some(last) = game.plies.last_mut()
        {
            last.comment = Some(match last.comment.take() {
                Some(thought) => format!("{thought}; {reason}"),
                None => reason.clone(),
            });
        }
        game.outcome = end.map(|end| end.outcome);
        game.tags = self.tags();
        Ok(game)
    }

    fn tags(&self) -> Tags {
        let mut tags = Tags::default();
        tags.set("Event", "Gamete game");
        tags.set("Site", "Gamete");
        tags.set("Date", date(self.created));
        tags.set("Round", "-");
        tags.set("White", self.white.name.as_str());
        tags.set("Black", self.black.name.as_str());
        let seconds = |ms: u64| Duration::from_millis(ms).as_secs_f64();
        let control = match self.limit {
            PlayLimit { clock: Some(clock), .. } => {
                format!("{}+{}", seconds(clock.base_ms), seconds(clock.increment_ms))
            }
            PlayLimit { movetime_ms: Some(ms), .. }
                if Color::ALL.into_iter().any(|color| self.is_computer(color)) =>
            {
                format!("{}/move", seconds(ms))
            }
            _ => "-".to_owned(),
        };
        tags.set("TimeControl", control);
        tags
    }

    /// What computers thought, move by move.
    pub fn thoughts(&self) -> impl Iterator<Item = Option<Thought>> {
        self.moves.iter().map(|played| played.thought.as_ref().and_then(|text| text.parse().ok()))
    }

    /// Both seats, White first.
    pub fn chairs(&self) -> ByColor<&Chair> {
        ByColor { white: &self.white, black: &self.black }
    }
}
