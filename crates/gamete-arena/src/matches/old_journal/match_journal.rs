//! Encounters, read and written game by game.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::journal::{JournalError, JournalGame, MatchHead, MatchJournal, Written};
use super::Journal;
use crate::task::{GameOutcome, GameTask};

/// The setting with the games of encounters that were broken off.
const KEPT: &str = "kept games";

type Kept = BTreeMap<u64, Vec<Option<GameOutcome>>>;

impl Journal {
    /// Games of an encounter.
    fn games_each(&self) -> u64 {
        let configuration = self.setting("configuration").unwrap_or_default();
        let json: serde_json::Value = serde_json::from_str(&configuration).unwrap_or_default();
        json["games"].as_u64().unwrap_or(2).max(1)
    }

    fn kept(&self) -> Kept {
        self.setting(KEPT).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    fn set_kept(&self, kept: &Kept) -> Result<(), JournalError> {
        self.set(KEPT, &serde_json::to_string(kept).expect("plain data"))
    }
}

impl MatchJournal for Journal {
    fn path(&self) -> &Path {
        Self::path(self)
    }

    fn head(&self) -> Result<Option<MatchHead>, JournalError> {
        let Some(configuration) = self.setting("configuration") else { return Ok(None) };
        let identity = self.setting("identity").unwrap_or_default();
        let seed = self.setting("seed").and_then(|seed| seed.parse().ok()).unwrap_or_default();
        Ok(Some(MatchHead { configuration, identity, seed }))
    }

    fn set_head(&self, head: &MatchHead) -> Result<(), JournalError> {
        self.set("configuration", &head.configuration)?;
        self.set("identity", &head.identity)?;
        self.set("seed", &head.seed.to_string())
    }

    fn is_empty(&self) -> bool {
        Self::is_empty(self) && self.setting(KEPT).is_none()
    }

    fn games(&self, read: &mut dyn FnMut(JournalGame)) -> Result<(), JournalError> {
        let each = self.games_each();
        let mut game = |encounter: u64, index: usize, outcome| {
            read(JournalGame { number: encounter * each + index as u64, task: None, opening: None, outcome });
        };
        self.read(|number, games| {
            games.into_iter().enumerate().for_each(|(index, outcome)| game(number, index, outcome));
        })?;
        for (number, games) in self.kept() {
            let games = games.into_iter().enumerate();
            games.for_each(|(index, outcome)| outcome.into_iter().for_each(|one| game(number, index, one)));
        }
        Ok(())
    }

    fn record(&self, games: &[(u64, &GameTask, &GameOutcome)]) -> Result<(), JournalError> {
        let each = self.games_each();
        let Some(&(first, ..)) = games.first() else { return Ok(()) };
        let (number, mut kept) = (first / each, self.kept());
        if games.len() as u64 == each {
            let outcomes: Vec<_> = games.iter().map(|&(_, _, outcome)| outcome.clone()).collect();
            Self::record(self, number, &outcomes)?;
            return if kept.remove(&number).is_some() { self.set_kept(&kept) } else { Ok(()) };
        }
        let encounter = kept.entry(number).or_insert_with(|| vec![None; each as usize]);
        for &(game, _, outcome) in games {
            encounter[(game % each) as usize] = Some(outcome.clone());
        }
        self.set_kept(&kept)
    }

    fn setting(&self, name: &str) -> Option<String> {
        Self::setting(self, name)
    }

    fn set(&self, name: &str, value: &str) -> Result<(), JournalError> {
        Self::set(self, name, value)
    }

    fn written(&self, file: &str) -> Result<BTreeMap<u64, Written>, JournalError> {
        Self::written(self, file)
    }

    fn set_written(&self, file: &str, records: &[(u64, Written)]) -> Result<(), JournalError> {
        Self::set_written(self, file, records)
    }

    fn has_lost_places(&self) -> bool {
        Self::has_lost_places(self)
    }
}
