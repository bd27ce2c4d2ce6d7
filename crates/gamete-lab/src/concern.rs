//! Games that say nothing: nearly all drawn, cut off or the same.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use gamete_arena::{
    AtMaxMoves, Competitor, Contestant, GameOutcome, GameTask, Limits, Termination, VerdictReason,
};
use gamete_engine::SearchSettings;
use gamete_game::{Color, Outcome};
use serde::Serialize;

use crate::engines;

/// Why the games of a run tell its players hardly apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Concern {
    /// What is wrong with them.
    pub kind: ConcernKind,
    /// The run; empty for the experiment itself.
    pub path: String,
    /// How many of its first games it is true of.
    pub affected: usize,
    /// How many there were.
    pub games: usize,
    /// What may help.
    pub advice: String,
}

/// What is wrong with the games of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConcernKind {
    /// They reach the longest length.
    CutOff,
    /// They are the same moves as another game.
    Same,
    /// They are drawn.
    Drawn,
    /// They end by a fault of a player.
    Fault,
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, path, affected, games, advice } = self;
        if !path.is_empty() {
            write!(f, "run {path}: ")?;
        }
        let what = match kind {
            ConcernKind::Fault => return write!(f, "{advice}"),
            ConcernKind::CutOff => "were cut off by max_moves",
            ConcernKind::Same => "repeat another game move by move",
            ConcernKind::Drawn => "were drawn",
        };
        write!(f, "{affected} of the first {games} games {what}, so they hardly tell players apart; {advice}")
    }
}

/// Whether a search goes straight to its depth, and has nothing to play when it is stopped on the way.
pub(crate) fn is_cut_short(search: &SearchSettings, limits: &Limits) -> bool {
    !search.iterative_deepening && limits.depth.is_none()
}

/// Looks at the first games of a run.
#[derive(Debug, Default)]
pub(crate) struct GameWatch {
    path: String,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    games: usize,
    drawn: usize,
    cut_off: usize,
    distinct: HashSet<blake3::Hash>,
    is_over: bool,
    /// How many of the last games a player broke off, without one that was played to its end between them.
    broken_in_row: usize,
    /// How many of the last games a player did not answer in.
    silent_in_row: usize,
}

impl GameWatch {
    /// Enough games to say something.
    const MIN: usize = 50;
    /// What is true of so many is no accident any more, and later games differ for better reasons.
    const MAX: usize = 1000;
    /// Per cent of games that are nearly all.
    const NEARLY_ALL: usize = 95;

    pub fn new(path: &str) -> Self {
        Self { path: path.to_owned(), seen: Mutex::default() }
    }

    /// So many games in a row that a player broke off say that it cannot play.
    const MAX_BROKEN: usize = 20;

    /// Games in a row without an answer that say the same: each takes as long as an engine is waited for.
    const MAX_SILENT: usize = 4;

    /// What is wrong with a player that has broken off too many games in a row, of which this is the last. Only games of this
    /// session count, so that a player that was mended goes on.
    pub fn broken(&self, task: &GameTask, game: &GameOutcome) -> Option<String> {
        let loser = game.termination.at_fault();
        let loser = loser.filter(|_| !matches!(game.termination, Termination::TimeLoss { .. }));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.broken_in_row = if loser.is_some() { seen.broken_in_row + 1 } else { 0 };
        let is_silent = matches!(game.termination, Termination::Stall { .. });
        seen.silent_in_row = if is_silent { seen.silent_in_row + 1 } else { 0 };
        let is_broken = seen.broken_in_row >= Self::MAX_BROKEN || seen.silent_in_row >= Self::MAX_SILENT;
        loser.filter(|_| is_broken).map(|loser| {
            let (who, how) = fault_text(task, game, loser);
            format!(
                "{} games in a row ended by a fault, the last as {who} lost it, {how}",
                seen.broken_in_row
            )
        })
    }

    /// The run whose games it looks at.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Takes a game into account. Gives what is wrong with them all, once.
    pub fn tell(&self, task: &GameTask, game: &GameOutcome) -> Option<Concern> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loser) = game.termination.at_fault() {
            let (kind, path) = (ConcernKind::Fault, self.path.clone());
            let advice = fault_advice(task, game, loser);
            return Some(Concern { kind, path, affected: 1, games: seen.games + 1, advice });
        }
        if seen.is_over {
            return None;
        }
        seen.games += 1;
        seen.drawn += usize::from(game.outcome() == Some(Outcome::Draw));
        seen.cut_off += usize::from(is_cut_off(game.termination));
        seen.distinct
            .insert(blake3::hash(format!("{} {:?} {:?}", task.start, task.book, game.moves).as_bytes()));
        if seen.games < Self::MIN {
            return None;
        }
        let games = seen.games;
        let kinds = [
            (ConcernKind::CutOff, seen.cut_off),
            (ConcernKind::Same, games - seen.distinct.len()),
            (ConcernKind::Drawn, seen.drawn),
        ];
        let worst = kinds.into_iter().find(|(_, affected)| affected * 100 >= games * Self::NEARLY_ALL);
        seen.is_over = worst.is_some() || games == Self::MAX;
        if seen.is_over {
            seen.distinct = HashSet::new();
        }
        let (kind, affected) = worst?;
        Some(Concern { kind, path: self.path.clone(), affected, games, advice: advice(kind, task) })
    }
}

fn is_cut_off(termination: Termination) -> bool {
    matches!(termination, Termination::Adjudication(verdict)
        if matches!(verdict.reason, VerdictReason::MaxMoves | VerdictReason::Material))
}

/// The key that is probably at fault.
fn advice(kind: ConcernKind, task: &GameTask) -> String {
    let limits = &task.white.limits;
    let cut_short = [&task.white, &task.black].into_iter().any(|contestant| match &contestant.competitor {
        Competitor::Player(player) => is_cut_short(&player.search, &contestant.limits),
        Competitor::Engine(_) => false,
    });
    if cut_short {
        return cut_short_advice(limits);
    }
    let is_engine = |contestant: &Contestant| matches!(contestant.competitor, Competitor::Engine(_));
    let what = if is_engine(&task.white) && is_engine(&task.black) { "the options" } else { "[weights]" };
    match kind {
        ConcernKind::CutOff => {
            let moves = task.adjudication.max_moves.map_or_else(String::new, |moves| format!(" = {moves}"));
            let material = match task.adjudication.at_max_moves {
                AtMaxMoves::Draw => ", or let material decide them with at_max_moves = \"material\"",
                AtMaxMoves::Material => "",
            };
            format!("raise max_moves{moves}{material}")
        }
        ConcernKind::Same => format!("give {what} wider ranges, so that players differ"),
        ConcernKind::Drawn | ConcernKind::Fault => {
            format!("let players think more than limits = \"{limits}\", or give {what} wider ranges")
        }
    }
}

/// What becomes of games in which somebody fails.
fn fault_advice(task: &GameTask, game: &GameOutcome, loser: Color) -> String {
    let (who, how) = fault_text(task, game, loser);
    format!("{who} loses a game by a fault, {how}; further faults are counted and reported at the end")
}

/// Who failed, and how.
fn fault_text(task: &GameTask, game: &GameOutcome, loser: Color) -> (String, String) {
    let player = if loser == Color::White { &task.white } else { &task.black };
    let program = match &player.competitor {
        Competitor::Engine(engine) => format!(" ({})", engines::title(&engine.name)),
        Competitor::Player(_) => String::new(),
    };
    let detail = game.fault.as_ref().map_or_else(String::new, |fault| format!(": {fault}"));
    (format!("{}{program}", player.name), format!("{}{detail}", game.termination.tag()))
}

/// What to do about searches that are stopped on the way.
pub(crate) fn cut_short_advice(limits: &Limits) -> String {
    format!(
        "set preset = \"full\": this preset searches straight to a depth, and limits = \"{limits}\" stop it on the way; or \
         set limits = \"depth=2\""
    )
}
