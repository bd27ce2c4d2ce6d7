//! Whether evolution helped: the champion against where it began, and against the classical weights of its model.
//!
//! The games are played after the experiment, with its limits and from random even openings, pair by pair as `compare`
//! plays them. They are no part of the digest. Each pair is stored when it is over, so that what was stopped resumes
//! and what is finished is only read.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use gamete_arena::{Contestant, Executor, TaskError};
use gamete_stats::{Interval, PairResult, Pentanomial, Results};
use serde::Serialize;

use crate::bred::{Bred, BredError};
use crate::experiment::Experiment;
use crate::paired_match::{PairedMatch, play_pairs};
use crate::part::{Moment, Part, Place};
use crate::runtime::hash_bytes;
use crate::store::{Store, StoreError};
use crate::study::arms;

/// Whom a champion is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    /// The mean player of the initial population.
    Start,
    /// The weights that the model has without evolution.
    Classical,
}

impl Baseline {
    /// Both, in the order in which they are told of.
    pub const ALL: [Self; 2] = [Self::Start, Self::Classical];

    /// Its name in the store and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Classical => "classical",
        }
    }
}

/// The games of a champion against a baseline, as far as they are played.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineMatch {
    /// The champion, as `compare` and `show --player` name it.
    pub champion: String,
    /// Who the opponent is.
    pub baseline: Baseline,
    /// The opponent, as `compare` names it.
    pub opponent: String,
    /// How many pairs there are to be.
    pub planned: u64,
    /// What the champion made of each pair that is over; none where one is still to be played.
    pub results: Vec<Option<PairResult>>,
}

impl BaselineMatch {
    /// The pairs that are over, by what the champion made of them.
    pub fn pairs(&self) -> Pentanomial {
        self.results.iter().copied().flatten().sum()
    }

    /// What the games say, with 95 % confidence.
    pub fn verdict(&self) -> Verdict {
        let Interval { low, high } = Results::from(self.pairs()).elo_interval();
        if low > 0.0 {
            Verdict::Stronger
        } else if high < 0.0 {
            Verdict::Weaker
        } else {
            Verdict::Undecided
        }
    }

    /// Whether no pair is missing.
    pub fn is_complete(&self) -> bool {
        self.results.iter().flatten().count() as u64 >= self.planned
    }
}

/// What games say of a champion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// It is stronger.
    #[serde(rename = "stronger")]
    Stronger,
    /// It is weaker.
    #[serde(rename = "weaker")]
    Weaker,
    /// They do not tell.
    #[serde(rename = "no difference shown")]
    Undecided,
}

impl Verdict {
    /// In words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stronger => "stronger",
            Self::Weaker => "weaker",
            Self::Undecided => "no difference shown",
        }
    }
}

/// How far a verification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerificationProgress {
    /// Games that are over, those of earlier sessions too.
    pub done: u64,
    /// All games.
    pub planned: u64,
}

/// Why a verification did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum VerificationError {
    /// Somebody stopped it; it resumes when it is asked for again.
    #[error("stopped")]
    Stopped,
    /// There is no champion.
    #[error(transparent)]
    Bred(#[from] BredError),
    /// The store does not work.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A game cannot be played.
    #[error(transparent)]
    Task(#[from] TaskError),
}

/// The champions that a verification is about: of an experiment with arms the mean champion of each arm, else the one
/// champion; nobody if what is bred are no players.
fn champions(experiment: &Experiment) -> Vec<Place> {
    let places = match experiment.head.arms.len() {
        0 => vec![Place::Whole],
        arms => (0..arms).map(Place::Arm).collect(),
    };
    let variants = arms(experiment);
    let breeds = |place: &Place| match *place {
        Place::Arm(arm) => variants[arm].method.breed().is_some(),
        _ => experiment.method.breed().is_some(),
    };
    places.into_iter().filter(breeds).collect()
}

/// How many champions a verification is about.
pub fn count_champions(experiment: &Experiment) -> usize {
    champions(experiment).len()
}

/// Pairs against each baseline if nothing else is said: some per cent of what the experiment took, and so no more of its
/// time, but as many as say something and no more than say enough.
pub fn usual_pairs(games: u64, champions: usize) -> u64 {
    const MIN: u64 = 25;
    const MAX: u64 = 100;
    (games / 100 / champions.max(1) as u64).clamp(MIN, MAX)
}

/// Plays so many pairs of each champion of a finished experiment against each baseline, as far as they are not stored.
/// Where more are stored, they stay. `watch` is called after each game.
///
/// # Errors
///
/// When it is stopped, somebody else runs the experiment, it is not finished, or the store does not work.
pub fn verify(
    store: &Store,
    id: &str,
    pairs: u64,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut watch: impl FnMut(VerificationProgress),
) -> Result<(), VerificationError> {
    let _claim = store.claim(id)?;
    let mut entries = entries(store, id, pairs)?;
    let planned = 2 * entries.iter().map(|entry| entry.found.planned).sum::<u64>();
    let done = 2 * entries.iter().flat_map(|entry| &entry.found.results).flatten().count() as u64;
    let mut progress = VerificationProgress { done, planned };
    watch(progress);
    for (position, Entry { contest, hash, found }) in entries.iter_mut().enumerate() {
        if found.is_complete() {
            continue;
        }
        store.begin_baseline_match(id, position, *hash, found)?;
        let known = found.results.clone();
        let pairs = contest.pairs().take(known.len()).enumerate();
        let missing = pairs
            .take_while(|_| !stop.load(Ordering::Relaxed))
            .filter(|(number, _)| known[*number].is_none());
        let on_game = || {
            progress.done += 1;
            watch(progress);
        };
        let mut written = Ok(());
        let played = play_pairs(missing, executor, stop, on_game, |number, result| {
            found.results[number] = Some(result);
            written = store.add_pair(id, found, number, result);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        written?;
        played?;
        if !found.is_complete() {
            return Err(VerificationError::Stopped);
        }
    }
    Ok(())
}

/// A match with what is known of it.
struct Entry {
    contest: PairedMatch,
    /// Of the contest: what is stored of another one does not count.
    hash: i64,
    found: BaselineMatch,
}

fn entries(store: &Store, id: &str, pairs: u64) -> Result<Vec<Entry>, VerificationError> {
    let experiment = store.experiment(id)?.experiment().map_err(BredError::from)?;
    let stored = store.hashed_verification(id)?;
    let mut entries = Vec::new();
    for place in champions(&experiment) {
        let champion = match place {
            Place::Arm(arm) => format!("{id}/{}", experiment.head.arms[arm].name),
            _ => id.to_owned(),
        };
        let part = |name: &str, moment| Part {
            name: name.to_owned(),
            id: id.to_owned(),
            experiment: experiment.clone(),
            place,
            moment,
        };
        let bred = Bred::of(store, &part(&champion, None))?;
        for baseline in Baseline::ALL {
            let (opponent, player) = match baseline {
                Baseline::Start => {
                    let start = format!("{champion}@0");
                    let bred = Bred::of(store, &part(&start, Some(Moment::START)))?;
                    (start, bred.player)
                }
                Baseline::Classical => {
                    let model = bred.breed.model();
                    (model.name.to_owned(), bred.classical(model))
                }
            };
            let contest = PairedMatch {
                first: Contestant::new(bred.player.clone(), bred.limits),
                second: Contestant::new(player, bred.limits),
                adjudication: bred.breed.adjudication(),
                plies: PairedMatch::USUAL_PLIES,
                seed: PairedMatch::USUAL_SEED,
            };
            let hash = hash_bytes(&serde_json::to_vec(&contest).expect("plain data"));
            let same = |(old, known): &&(i64, BaselineMatch)| {
                *old == hash && (&known.champion, known.baseline) == (&champion, baseline)
            };
            let mut results =
                stored.iter().find(same).map_or_else(Vec::new, |(_, known)| known.results.clone());
            let played = results.iter().rposition(Option::is_some).map_or(0, |last| last as u64 + 1);
            let planned = pairs.max(played);
            results.resize(planned as usize, None);
            let found = BaselineMatch { champion: champion.clone(), baseline, opponent, planned, results };
            entries.push(Entry { contest, hash, found });
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(pairs: &[&str]) -> Verdict {
        let results = pairs.iter().map(|letters| PairResult::from_letters(letters.as_bytes())).collect();
        let planned = pairs.len() as u64;
        let (champion, opponent) = ("mine-1".to_owned(), "mine-1@0".to_owned());
        BaselineMatch { champion, baseline: Baseline::Start, opponent, planned, results }.verdict()
    }

    #[test]
    fn a_verdict_takes_games() {
        assert_eq!(verdict(&[]), Verdict::Undecided);
        assert_eq!(verdict(&["WW"]), Verdict::Undecided, "one pair says nothing");
        assert_eq!(verdict(&["WW"; 10]), Verdict::Stronger);
        assert_eq!(verdict(&["LL"; 10]), Verdict::Weaker);
        assert_eq!(verdict(&["DD"; 10]), Verdict::Undecided);
        assert_eq!(verdict(&["WW", "WD", "LW", "WW", "WW", "DW", "WW", "WW"]), Verdict::Stronger);
        assert_eq!(verdict(&["WL", "WD", "LL", "LW", "LD"]), Verdict::Undecided);
    }

    #[test]
    fn the_usual_size_follows_the_experiment() {
        assert_eq!(usual_pairs(9_800, 1), 98);
        assert_eq!(usual_pairs(50_000, 1), 100);
        assert_eq!(usual_pairs(3_086, 4), 25);
        assert_eq!(usual_pairs(30, 1), 25);
    }
}
