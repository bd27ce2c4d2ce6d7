//! Verifications: a row for each match, and one for each of its pairs.

use gamete_stats::PairResult;
use rusqlite::params;

use super::{Store, StoreError};
use crate::experiment::Playoff;
use crate::verification::{Baseline, BaselineMatch, VerificationTerms};

impl Store {
    /// The verification of an experiment as far as it is played.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn verification(&self, id: &str) -> Result<Vec<BaselineMatch>, StoreError> {
        Ok(self.hashed_verification(id)?.into_iter().map(|(_, found)| found).collect())
    }

    /// The same, each match with the hash of what is played in it.
    pub(crate) fn hashed_verification(&self, id: &str) -> Result<Vec<(i64, BaselineMatch)>, StoreError> {
        let sql = "SELECT contest, champion, baseline, opponent, planned, terms FROM verification \
                   WHERE experiment = ?1 ORDER BY position";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let mut rows = self.check(select.query([id]))?;
        let mut matches = Vec::new();
        while let Some(row) = self.check(rows.next())? {
            let baseline: String = self.check(row.get("baseline"))?;
            // A newer program may know more of them.
            let Some(baseline) = Baseline::ALL.into_iter().find(|known| known.as_str() == baseline) else {
                continue;
            };
            let champion: String = self.check(row.get("champion"))?;
            let results = self.pair_results(id, &champion, baseline)?;
            let (opponent, planned) =
                (self.check(row.get("opponent"))?, self.check(row.get::<_, i64>("planned"))? as u64);
            let terms: Option<String> = self.check(row.get("terms"))?;
            let terms = terms.map(|text| serde_json::from_str(&text)).transpose();
            let terms = terms.map_err(|error| self.damaged(format!("a verification of {id}: {error}")))?;
            let terms = terms.unwrap_or_default();
            let found = BaselineMatch { champion, baseline, opponent, planned, results, terms };
            matches.push((self.check(row.get("contest"))?, found));
        }
        Ok(matches)
    }

    /// The results by pair, to the last one that is there.
    fn pair_results(
        &self,
        id: &str,
        champion: &str,
        baseline: Baseline,
    ) -> Result<Vec<Option<PairResult>>, StoreError> {
        let sql = "SELECT pair, result FROM verification_pair \
                   WHERE experiment = ?1 AND champion = ?2 AND baseline = ?3 ORDER BY pair";
        let mut select = self.check(self.connection.prepare_cached(sql))?;
        let mut rows = self.check(select.query([id, champion, baseline.as_str()]))?;
        let mut results = Vec::new();
        while let Some(row) = self.check(rows.next())? {
            let (pair, letters): (i64, String) =
                (self.check(row.get("pair"))?, self.check(row.get("result"))?);
            let number = usize::try_from(pair)
                .ok()
                .filter(|&number| results.len() <= number && number <= Playoff::MAX_PAIRS as usize);
            let number =
                number.ok_or_else(|| self.damaged(format!("a verification of {id} has a pair {pair}")))?;
            results.resize(number, None);
            results.push(PairResult::from_letters(letters.as_bytes()));
        }
        Ok(results)
    }

    /// Writes down what is to be played; pairs of another contest are forgotten.
    pub(crate) fn begin_baseline_match(
        &self,
        id: &str,
        position: usize,
        contest: i64,
        found: &BaselineMatch,
    ) -> Result<(), StoreError> {
        let BaselineMatch { champion, baseline, opponent, planned, terms, .. } = found;
        let baseline = baseline.as_str();
        let forget = "DELETE FROM verification \
                      WHERE experiment = ?1 AND champion = ?2 AND baseline = ?3 AND contest <> ?4";
        self.check(self.connection.execute(forget, params![id, champion, baseline, contest]))?;
        let insert = "INSERT INTO verification (experiment, champion, baseline, opponent, position, contest, planned, terms) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
                      ON CONFLICT DO UPDATE SET planned = excluded.planned, position = excluded.position, terms = excluded.terms";
        let (position, planned) = (position as i64, *planned as i64);
        let terms = (*terms != VerificationTerms::default()).then(|| super::json(terms));
        let values = params![id, champion, baseline, opponent, position, contest, planned, terms];
        self.check(self.connection.execute(insert, values))?;
        Ok(())
    }

    /// Forgets all matches and their pairs.
    pub(crate) fn forget_verification(&self, id: &str) -> Result<(), StoreError> {
        self.check(self.connection.execute("DELETE FROM verification WHERE experiment = ?1", [id]))?;
        Ok(())
    }

    /// Writes a pair down.
    pub(crate) fn add_pair(
        &self,
        id: &str,
        found: &BaselineMatch,
        number: usize,
        result: PairResult,
    ) -> Result<(), StoreError> {
        let insert = "INSERT OR REPLACE INTO verification_pair (experiment, champion, baseline, pair, result) \
                      VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut insert = self.check(self.connection.prepare_cached(insert))?;
        let BaselineMatch { champion, baseline, .. } = found;
        let values = params![id, champion, baseline.as_str(), number as i64, result.letters()];
        self.check(insert.execute(values))?;
        Ok(())
    }
}
