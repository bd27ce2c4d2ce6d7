//! What a store says of experiments while they run, without reading all of them.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};
use crate::generation::Generation;

/// How far an experiment is, in so little that it can be asked for again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Pulse {
    /// The experiment.
    pub id: String,
    /// How long it has run; it grows while somebody runs it.
    pub seconds: f64,
    /// Whether it came to its end.
    pub finished: bool,
    /// Pairs of games that verify it, which are played after its end.
    pub pairs: u64,
}

const SELECT_PULSE: &str = "SELECT id, seconds, result IS NOT NULL AS finished,
    (SELECT count(*) FROM verification_pair WHERE verification_pair.experiment = experiment.id) AS pairs FROM experiment";

fn pulse(row: &rusqlite::Row<'_>) -> rusqlite::Result<Pulse> {
    let pairs: i64 = row.get("pairs")?;
    Ok(Pulse {
        id: row.get("id")?,
        seconds: row.get("seconds")?,
        finished: row.get("finished")?,
        pairs: pairs.max(0) as u64,
    })
}

/// Some generations of a run, evenly apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Thinned {
    /// The number of the last generation of the run, if it has any.
    pub last: Option<u32>,
    /// How far they are apart, but for the last, which is always there.
    pub step: u32,
    /// The generations, in order.
    pub generations: Vec<Generation>,
}

/// Games of runs, which are counted on from where they were counted last: who watches a run asks again and again.
#[derive(Debug, Default)]
pub(super) struct CountedGames(RefCell<HashMap<i64, Counted>>);

#[derive(Debug)]
struct Counted {
    /// The last generation that is in it, and its summary as it is stored.
    last: u32,
    text: String,
    games: u64,
}

impl Store {
    /// All experiments, stages too.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn pulses(&self) -> Result<Vec<Pulse>, StoreError> {
        let sql = format!("{SELECT_PULSE} ORDER BY created, id");
        let mut select = self.check(self.connection.prepare_cached(&sql))?;
        let rows = self.check(select.query_map([], pulse))?;
        self.check(rows.collect())
    }

    /// One experiment, if it is there.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn pulse(&self, id: &str) -> Result<Option<Pulse>, StoreError> {
        let sql = format!("{SELECT_PULSE} WHERE id = ?1");
        let mut select = self.check(self.connection.prepare_cached(&sql))?;
        self.check(select.query_row([id], pulse).optional())
    }

    /// The number of the last generation of a run, if it has any.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn last_number(&self, run: i64) -> Result<Option<u32>, StoreError> {
        let mut select =
            self.check(self.connection.prepare_cached("SELECT max(number) FROM generation WHERE run = ?1"))?;
        self.check(select.query_row([run], |row| row.get(0)))
    }

    /// How many questions of a run are answered: games, if that is what it asks for.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn answered(&self, run: i64) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(max(number) + 1, 0) FROM outcome WHERE run = ?1";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        Ok(self.check(select.query_row([run], |row| row.get::<_, i64>(0)))?.max(0) as u64)
    }

    /// How many seconds an experiment had run when a generation of a run of it was over; nothing where there is none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn generation_end(&self, run: i64, number: u32) -> Result<Option<f64>, StoreError> {
        let sql = "SELECT CAST(json_extract(summary, '$.seconds') AS REAL) FROM generation
                   WHERE run = ?1 AND number = ?2 AND json_valid(summary)";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let found = select.query_row(params![run, number], |row| row.get::<_, Option<f64>>(0)).optional();
        Ok(self.check(found)?.flatten())
    }

    /// Something that grows with the games of a run that are kept.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn last_kept(&self, run: i64) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(max(number) + 1, 0) FROM game WHERE run = ?1";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        Ok(self.check(select.query_row([run], |row| row.get::<_, i64>(0)))?.max(0) as u64)
    }

    /// Games of all generations of a run.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(crate) fn games_played(&self, run: i64) -> Result<u64, StoreError> {
        let known = self.counted.0.borrow_mut().remove(&run);
        let known = match known {
            // The number of a run that was deleted may be another's by now.
            Some(known) if self.summary_text(run, known.last)?.as_ref() == Some(&known.text) => Some(known),
            _ => None,
        };
        let sql = "SELECT max(number), coalesce(sum(CASE WHEN json_valid(summary) THEN json_extract(summary, '$.games') END), 0)
                   FROM generation WHERE run = ?1 AND number > ?2";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let after = known.as_ref().map_or(-1, |known| i64::from(known.last));
        let (last, more) = self.check(select.query_row(params![run, after], |row| {
            Ok((row.get::<_, Option<u32>>(0)?, row.get::<_, i64>(1)?.max(0) as u64))
        }))?;
        let games = known.as_ref().map_or(0, |known| known.games) + more;
        let counted = match last {
            Some(last) => self.summary_text(run, last)?.map(|text| Counted { last, text, games }),
            None => known,
        };
        self.counted.0.borrow_mut().extend(counted.map(|counted| (run, counted)));
        Ok(games)
    }

    /// At most so many generations of a run from `first` to `last`, evenly apart, the last one included.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn thinned(&self, run: i64, first: u32, last: u32, points: usize) -> Result<Thinned, StoreError> {
        let known = self.last_number(run)?;
        let last = last.min(known.unwrap_or(0));
        let gaps = u32::try_from(points.max(2) - 1).unwrap_or(u32::MAX);
        let step = last.saturating_sub(first).div_ceil(gaps).max(1);
        let sql = "SELECT number, summary FROM generation WHERE run = ?1 AND number BETWEEN ?2 AND ?3
                   AND ((number - ?2) % ?4 = 0 OR number = ?3) ORDER BY number";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let rows = select.query_map(params![run, first, last, step], |row| {
            Ok((row.get::<_, i64>("number")?, row.get::<_, String>("summary")?))
        });
        let mut generations = Vec::new();
        for row in self.check(rows)? {
            let (number, summary) = self.check(row)?;
            generations.push(self.summary(run, number, &summary)?);
        }
        Ok(Thinned { last: known, step, generations })
    }
}
