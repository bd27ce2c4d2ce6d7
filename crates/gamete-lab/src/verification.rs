//! Whether evolution helped: the champion against where it began, and against the classical weights of its model.
//!
//! The games are played after the experiment, with its limits and from random even openings, pair by pair as `compare`
//! plays them. They are no part of the digest. Each pair is stored when it is over, so that what was stopped resumes
//! and what is finished is only read. What was tuned from values of its own plays against these, in openings that no trial
//! started from, as often as a sequential test wants, and if asked for with other limits, too.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use gamete_arena::{Contestant, Executor, Limits, SprtTerms, StartPositions, TaskError};
use gamete_stats::{Decision, Interval, PairResult, Pentanomial, Results, Sprt};
use serde::{Deserialize, Serialize};

use crate::bred::{Bred, BredError};
use crate::experiment::{Experiment, ExperimentError};
use crate::paired_match::{PairedMatch, play_pairs};
use crate::part::{Moment, Part, Place};
use crate::runtime::hash_bytes;
use crate::store::{Store, StoreError};
use crate::study::arms;

/// Whom a champion is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Baseline {
    /// The mean player of the initial population, or the values that were given to start from.
    Start,
    /// The weights that the model has without evolution.
    Classical,
    /// The values that were given to start from, with other limits.
    OtherLimits,
}

impl Baseline {
    /// All of them, in the order in which they are told of.
    pub const ALL: [Self; 3] = [Self::Start, Self::Classical, Self::OtherLimits];

    /// Its name in the store and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Classical => "classical",
            Self::OtherLimits => "other_limits",
        }
    }
}

/// How much a champion is to play.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerificationPlan {
    /// Pairs against each baseline, at most.
    pub pairs: u64,
    /// The test that ends a match against the values that were given to start from.
    pub sprt: Option<Sprt>,
    /// Limits of a second match against these.
    pub other_limits: Option<Limits>,
}

impl From<u64> for VerificationPlan {
    /// So many pairs.
    fn from(pairs: u64) -> Self {
        Self { pairs, sprt: None, other_limits: None }
    }
}

/// What is to be known of a match besides who plays: nothing where it is played as `compare` plays.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VerificationTerms {
    /// How much both may think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Its openings, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<String>,
    /// The test that ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtTerms>,
}

impl VerificationTerms {
    /// The test that ends it.
    pub fn test(&self) -> Option<Sprt> {
        self.sprt.as_ref().and_then(|terms| terms.sprt().ok())
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
    /// How it is played.
    pub terms: VerificationTerms,
}

impl BaselineMatch {
    /// The pairs that count, by what the champion made of them: all that are over, or with a test those up to its decision,
    /// one after another.
    pub fn pairs(&self) -> Pentanomial {
        match self.terms.test() {
            None => self.results.iter().copied().flatten().sum(),
            Some(test) => TestedPairs::new(test, &self.results).pairs,
        }
    }

    /// What the test says; nothing without one.
    pub fn decision(&self) -> Option<Decision> {
        self.terms.test().map(|test| TestedPairs::new(test, &self.results).decision)
    }

    /// What the test says if there is one that decides, else what the games say, with 95 % confidence.
    pub fn verdict(&self) -> Verdict {
        let decision = self.decision();
        if decision == Some(Decision::H1) {
            return Verdict::Stronger;
        }
        let Interval { low, high } = Results::from(self.pairs()).elo_interval();
        if low > 0.0 && decision != Some(Decision::H0) {
            Verdict::Stronger
        } else if high < 0.0 {
            Verdict::Weaker
        } else {
            Verdict::Undecided
        }
    }

    /// Whether no pair is missing, or the test needs no more of them.
    pub fn is_complete(&self) -> bool {
        let is_decided = || self.decision().is_some_and(|decision| decision != Decision::Continue);
        self.results.iter().flatten().count() as u64 >= self.planned || is_decided()
    }
}

/// The first pairs of a match, up to the first that is missing or to the decision of a test.
struct TestedPairs {
    test: Sprt,
    count: usize,
    pairs: Pentanomial,
    decision: Decision,
}

impl TestedPairs {
    fn new(test: Sprt, results: &[Option<PairResult>]) -> Self {
        let mut tested = Self { test, count: 0, pairs: Pentanomial::default(), decision: Decision::Continue };
        tested.advance(results);
        tested
    }

    /// Takes the pairs into account that are over by now.
    fn advance(&mut self, results: &[Option<PairResult>]) {
        while self.decision == Decision::Continue
            && let Some(&Some(result)) = results.get(self.count)
        {
            self.count += 1;
            self.pairs = [self.pairs, result.into()].into_iter().sum();
            self.decision = self.test.decision(self.test.llr(&self.pairs.into()));
        }
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
    /// The openings that were held out cannot be read.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
}

/// The champions that a verification is about: of an experiment with arms the mean champion of each arm, else the one
/// champion; nobody if what is bred are no players.
fn champions(experiment: &Experiment) -> Vec<Place> {
    let places = match experiment.head.arms.len() {
        0 => vec![Place::Whole],
        arms => (0..arms).map(Place::Arm).collect(),
    };
    let variants = arms(experiment);
    let can_play = |one: &Experiment| one.method.breed().is_some() || one.method.has_start_values();
    let breeds = |place: &Place| match *place {
        Place::Arm(arm) => can_play(&variants[arm]),
        _ => can_play(experiment),
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

/// Plays the pairs of a plan of each champion of a finished experiment against each baseline, as far as they are not stored.
/// Where more are stored, they stay. `watch` is called after each game.
///
/// # Errors
///
/// When it is stopped, somebody else runs the experiment, it is not finished, or the store does not work.
pub fn verify(
    store: &Store,
    id: &str,
    plan: impl Into<VerificationPlan>,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut watch: impl FnMut(VerificationProgress),
) -> Result<(), VerificationError> {
    let _claim = store.claim(id)?;
    let mut entries = entries(store, id, &plan.into())?;
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
        let mut tested = found.terms.test().map(|test| TestedPairs::new(test, &found.results));
        let played = play_pairs(missing, executor, stop, on_game, |number, result| {
            found.results[number] = Some(result);
            written = store.add_pair(id, found, number, result);
            let is_decided = tested.as_mut().is_some_and(|tested| {
                tested.advance(&found.results);
                tested.decision != Decision::Continue
            });
            if written.is_ok() && !is_decided { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
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

fn entries(store: &Store, id: &str, plan: &VerificationPlan) -> Result<Vec<Entry>, VerificationError> {
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
        let whole = part(&champion, None);
        for Contest { baseline, opponent, contest, terms } in contests(store, &whole, &part, plan)? {
            let hash = hash_bytes(&serde_json::to_vec(&contest).expect("plain data"));
            let same = |(old, known): &&(i64, BaselineMatch)| {
                *old == hash && (&known.champion, known.baseline) == (&champion, baseline)
            };
            let mut results =
                stored.iter().find(same).map_or_else(Vec::new, |(_, known)| known.results.clone());
            let played = results.iter().rposition(Option::is_some).map_or(0, |last| last as u64 + 1);
            let planned = plan.pairs.min(contest.most_pairs()).max(played);
            results.resize(planned as usize, None);
            let champion = champion.clone();
            let found = BaselineMatch { champion, baseline, opponent, planned, results, terms };
            entries.push(Entry { contest, hash, found });
        }
    }
    Ok(entries)
}

/// A match of a champion.
struct Contest {
    baseline: Baseline,
    /// The opponent, as `compare` names it.
    opponent: String,
    contest: PairedMatch,
    terms: VerificationTerms,
}

/// The matches of a champion: against the values that were given to start from, if there are any, else against the mean of the
/// first population and the classical weights.
fn contests(
    store: &Store,
    champion: &Part,
    part: &dyn Fn(&str, Option<Moment>) -> Part,
    plan: &VerificationPlan,
) -> Result<Vec<Contest>, VerificationError> {
    let method = champion.variant().method;
    if method.has_start_values() {
        let genome = champion.genome(store)?;
        let space = method.space()?;
        if method.start_genome().is_some_and(|start| space.settled(&start) == space.settled(&genome)) {
            // Nobody is stronger than itself.
            return Ok(Vec::new());
        }
        let limits = [
            Some((Baseline::Start, None)),
            plan.other_limits.map(|limits| (Baseline::OtherLimits, Some(limits))),
        ];
        return limits
            .into_iter()
            .flatten()
            .map(|(baseline, limits)| {
                let contest = method.verification(&genome, limits, plan.pairs)?;
                let terms = VerificationTerms {
                    limits: Some(contest.first.limits),
                    openings: Some(contest.openings.clone()),
                    sprt: plan.sprt.as_ref().map(SprtTerms::from),
                };
                Ok(Contest { baseline, opponent: "original values".to_owned(), contest, terms })
            })
            .collect();
    }
    let bred = Bred::of(store, champion)?;
    let contest = |player| PairedMatch {
        first: Contestant::new(bred.player.clone(), bred.limits),
        second: Contestant::new(player, bred.limits),
        adjudication: bred.breed.adjudication(),
        plies: PairedMatch::USUAL_PLIES,
        starts: StartPositions::Usual,
        seed: PairedMatch::USUAL_SEED,
        openings: String::new(),
        listed: Vec::new(),
        held_out: None,
    };
    let start = format!("{}@0", champion.name);
    let first = Bred::of(store, &part(&start, Some(Moment::START)))?.player;
    let model = bred.breed.model();
    let opponents = [
        (Baseline::Start, start, first),
        (Baseline::Classical, model.name.to_owned(), bred.classical(model)),
    ];
    Ok(opponents
        .map(|(baseline, opponent, player)| Contest {
            baseline,
            opponent,
            contest: contest(player),
            terms: VerificationTerms::default(),
        })
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(pairs: &[&str]) -> Verdict {
        let results = pairs.iter().map(|letters| PairResult::from_letters(letters.as_bytes())).collect();
        let planned = pairs.len() as u64;
        let (champion, opponent) = ("mine-1".to_owned(), "mine-1@0".to_owned());
        let terms = VerificationTerms::default();
        BaselineMatch { champion, baseline: Baseline::Start, opponent, planned, results, terms }.verdict()
    }

    #[test]
    fn a_test_counts_pairs_in_their_order_up_to_its_decision() {
        let sprt = Sprt::new(gamete_stats::Model::Logistic, 0.0, 40.0, 0.05, 0.05).expect("a test");
        let pair = |letters: &str| PairResult::from_letters(letters.as_bytes());
        let of = |results: Vec<Option<PairResult>>| BaselineMatch {
            champion: "mine-1".to_owned(),
            baseline: Baseline::Start,
            opponent: String::new(),
            planned: 1000,
            results,
            terms: VerificationTerms { sprt: Some(SprtTerms::from(&sprt)), ..VerificationTerms::default() },
        };
        let letters = ["WD", "DD", "WW", "LD", "WD"];
        let mut results: Vec<_> = (0..500).map(|number| pair(letters[number % 5])).collect();
        let all = of(results.clone());
        let counted = all.pairs().pairs();
        assert!((20..500).contains(&counted), "{counted}");
        assert_eq!((all.decision(), all.is_complete()), (Some(Decision::H1), true));
        assert_eq!(all.verdict(), Verdict::Stronger);
        // What comes after a pair that is missing does not count yet.
        results[7] = None;
        let gap = of(results);
        assert_eq!(
            (gap.pairs().pairs(), gap.decision(), gap.is_complete()),
            (7, Some(Decision::Continue), false)
        );
        let lost = of(vec![pair("LL"); 200]);
        assert_eq!((lost.decision(), lost.verdict()), (Some(Decision::H0), Verdict::Weaker));
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
