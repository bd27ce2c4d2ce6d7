use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use gamete_arena::{CountedEncounter, CountedGame, MatchEvent, MatchObserver};
use gamete_game::result_text;
use gamete_stats::report;
use indicatif::ProgressBar;

use super::reporting::Reporter;
use crate::contest::eta::Eta;
use crate::contest::log_options::Log;
use crate::terminal::{self, outln};

/// Prints what happens in a match, and logs it.
pub struct Terminal {
    pub reporter: Arc<Reporter>,
    pub bar: ProgressBar,
    pub log: Option<Log>,
    pub eta: Mutex<Eta>,
    /// What is said of the openings.
    pub openings: Option<String>,
}

impl Terminal {
    /// Prints a line, unless the output is for machines.
    fn say(&self, text: &str) -> io::Result<()> {
        if !self.reporter.options.json {
            self.bar.suspend(|| outln!("{text}"))?;
        }
        Ok(())
    }

    fn say_and_log(&self, text: &str) -> io::Result<()> {
        if let Some(log) = &self.log {
            log.info(text);
        }
        self.say(text)
    }

    fn started(&self, known_games: u64, planned_games: u64, is_exact: bool) -> io::Result<()> {
        let about = if is_exact { "" } else { "about " };
        let known = match known_games {
            0 => String::new(),
            known => format!(", which has {known} of {about}{planned_games} games"),
        };
        self.say(&format!("Seed: {} (-srand {0})", self.reporter.seed))?;
        self.say(&format!("Journal: {}{known}", self.reporter.journal.display()))?;
        self.openings.iter().try_for_each(|openings| self.say(openings))
    }

    fn counted(&self, counted: &CountedEncounter<'_>) -> io::Result<()> {
        let options = &self.reporter.options;
        let progress = &counted.progress;
        self.bar.set_length(progress.expected_games);
        if !counted.live {
            self.bar.inc(options.games);
            return Ok(());
        }
        let mut eta = self.eta.lock().unwrap_or_else(PoisonError::into_inner);
        eta.count(options.games);
        counted.games.iter().try_for_each(|game| self.game_over(game))?;
        let interval = options.rating_interval;
        if !progress.is_last && interval > 0 && progress.encounters.is_multiple_of(interval) {
            self.say(self.reporter.block(counted.standings).trim_end())?;
            let left = progress.expected_games.saturating_sub(progress.games);
            eta.line(left).iter().try_for_each(|line| self.say(line))?;
        }
        Ok(())
    }

    fn game_over(&self, game: &CountedGame<'_>) -> io::Result<()> {
        let &CountedGame { number, white, black, outcome } = game;
        let reason = outcome.termination.to_string();
        self.say_and_log(&report::finished_game(
            number,
            white,
            black,
            result_text(outcome.outcome()),
            &reason,
        ))?;
        if let Some(fault) = &outcome.fault {
            let fault = format!("game {number}: {reason}: {fault}");
            if let Some(log) = &self.log {
                log.warn(&fault);
            }
            terminal::print_warning(&fault);
        }
        Ok(())
    }
}

impl MatchObserver for Terminal {
    fn event(&self, event: &MatchEvent<'_>) -> io::Result<()> {
        match event {
            MatchEvent::Started { known_games, planned_games, is_exact } => {
                self.started(*known_games, *planned_games, *is_exact)?;
            }
            MatchEvent::GamesKept { games } => self.bar.inc(*games),
            MatchEvent::Playing => {
                self.bar.reset_eta();
                *self.eta.lock().unwrap_or_else(PoisonError::into_inner) = Eta::start();
            }
            MatchEvent::GameBegun { number, planned_games, white, black } => {
                self.say_and_log(&report::started_game(*number, *planned_games, white, black))?;
            }
            MatchEvent::GameOver { .. } => self.bar.inc(1),
            MatchEvent::EncounterCounted(counted) => self.counted(counted)?,
            MatchEvent::Ended { .. } => self.bar.finish_and_clear(),
        }
        Ok(())
    }
}
