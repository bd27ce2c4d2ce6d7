use serde_json::Value;

use super::difference::{self, Change};
use super::{JournalError, MatchHead, MatchJournal};
use crate::matches::{Identity, MatchError};

/// Checks that a journal is of the match with this configuration and these contestants, which a new one remembers. Gives the
/// seed, the one that is asked for, or the one that the match began with, or a new one; and whom the match began with.
///
/// # Errors
///
/// When it is another match's, or was made by others.
pub fn claim(
    journal: &dyn MatchJournal,
    configuration: &Value,
    identity: &Identity,
    seed: Option<u64>,
    new_seed: impl FnOnce() -> u64,
) -> Result<(u64, Identity), MatchError> {
    let wanted = configuration.to_string();
    let known = journal.head()?;
    if let Some(known) = known.as_ref().filter(|known| known.configuration != wanted) {
        return Err(another_match(journal, &known.configuration, configuration).into());
    }
    let (identity, text) =
        match known.as_ref().filter(|known| !known.identity.is_empty() && !journal.is_empty()) {
            Some(known) => (identity.check(&known.identity, journal.path())?, known.identity.clone()),
            None => (identity.clone(), identity.to_json()),
        };
    let seed = seed.or(known.as_ref().map(|known| known.seed)).unwrap_or_else(new_seed);
    let head = MatchHead { configuration: wanted, identity: text, seed };
    if known.as_ref() != Some(&head) {
        journal.set_head(&head)?;
    }
    Ok((seed, identity))
}

fn another_match(journal: &dyn MatchJournal, known: &str, wanted: &Value) -> JournalError {
    let mut known: Value = serde_json::from_str(known).unwrap_or_default();
    let mut wanted = wanted.clone();
    let contestants = |value: &mut Value| value.get_mut("contestants").map(Value::take).unwrap_or_default();
    let change = difference::change(&contestants(&mut known), &contestants(&mut wanted));
    let path = journal.path().display().to_string();
    match change {
        Some(Change::Engines(change)) if known == wanted => JournalError::OtherEngines { path, change },
        Some(Change::Limits(difference)) if known == wanted => {
            JournalError::AnotherMatch { path, difference }
        }
        _ => JournalError::AnotherMatch { path, difference: difference::difference(&known, &wanted) },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::MemoryJournal;
    use super::*;

    #[test]
    fn a_journal_belongs_to_one_match() {
        let journal = MemoryJournal::default();
        let attempt = |nodes: u64, seed| {
            let configuration = json!({ "contestants": ["A"], "nodes": nodes });
            claim(&journal, &configuration, &Identity::default(), seed, || 77).map(|(seed, _)| seed)
        };
        assert_eq!(attempt(5, None).unwrap(), 77);
        assert_eq!(attempt(5, None).unwrap(), 77, "the seed is remembered");
        assert_eq!(attempt(5, Some(3)).unwrap(), 3);
        let error = attempt(6, None).unwrap_err().to_string();
        assert!(error.contains("the journal of another match: it has nodes 5, not 6"), "{error}");
    }
}
