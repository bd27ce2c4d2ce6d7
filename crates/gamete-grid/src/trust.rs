//! Whether outcomes are right. Some tasks are done by a second worker, and what came of them is compared.
//!
//! An outcome is held until one of the same worker that came later was found right. So a worker that is found wrong has told
//! nothing since it was last found right, and what it has sent since then is done again by others. Whoever listens never hears
//! what would have to be taken back.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gamete_arena::TaskOutcome;

use crate::message::{Answer, Refusal, short_id};
use crate::telling::Receipt;

/// A worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Author {
    /// What tells it from all others.
    pub id: String,
    /// What it is called.
    pub name: String,
}

/// When an outcome came first: they are counted as they come.
pub(crate) type Place = u64;

/// A worker that is there.
#[derive(Debug, Clone)]
pub(crate) struct Present {
    pub id: String,
    /// When it last said that it is there.
    pub seen: Instant,
    /// The tasks that it was doing then as others have done them, by what they begin with.
    pub checks: HashSet<String>,
}

/// An outcome that was received.
pub(crate) struct Heard<R> {
    pub answer: Answer,
    pub author: Author,
    pub place: Place,
    /// The batch that it is an answer to, as its worker says.
    pub batch: Arc<str>,
    pub receipt: R,
}

/// What follows from an outcome.
pub(crate) enum Verdict<R> {
    /// It is to be told.
    Tell(Heard<R>),
    /// The task is to be done again by others.
    Again(String),
    /// A worker was wrong about a task, and is given nothing any more.
    Wrong { author: Author, id: String, reason: Option<&'static str>, again: usize },
    /// Nobody knows what comes of the task.
    Undecided { id: String, opinions: usize },
}

/// Outcomes that are held, and what is known of workers.
pub(crate) struct Trust<R> {
    /// The worker of the coordinator itself, which is believed.
    own: Option<String>,
    workers: HashMap<String, Standing>,
    /// The workers that were wrong, in the order in which that was found.
    refused: VecDeque<String>,
    held: HashMap<String, Held<R>>,
    /// Tasks of these that are to be compared.
    compared: BTreeSet<String>,
    /// Since when nobody can be asked.
    alone_since: Option<Instant>,
    /// How often a worker has to be found right before it vouches for what is not compared.
    probation: u64,
}

/// What is known of a worker.
#[derive(Default)]
struct Standing {
    /// The tasks whose outcomes are held, by when these came.
    held: BTreeMap<Place, String>,
    /// When those of them came that are to be compared.
    compared: BTreeSet<Place>,
    /// When the last outcome came that was found right.
    right: Option<Place>,
    agreements: u64,
    is_refused: bool,
}

/// A task that somebody has done.
struct Held<R> {
    /// What came of it, by different workers.
    opinions: Vec<Heard<R>>,
    asked: Option<Asked>,
    /// How often somebody was asked.
    times: u32,
}

/// Somebody who is to do a task as well.
struct Asked {
    worker: String,
    since: Instant,
}

/// Who is to be asked for which tasks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Questions {
    /// Workers by their ids, and tasks.
    pub asked: Vec<(String, String)>,
    /// Whether outcomes wait, and there has been nobody to ask for a while.
    pub is_alone: bool,
}

/// Answers that differ, until it is clear that the task has none.
const MOST_OPINIONS: usize = 5;

/// The first outcomes of a worker, all of which are compared: one that lies now and then is right now and then.
const PROBATION: u64 = 10;

/// The most workers that are remembered as wrong. Whoever takes another id is not known by this one any more.
const MOST_REFUSED: usize = 10_000;

/// The most tasks that a worker is asked for at a time: it speaks of [1,000](crate::message::MAX_CHECKS), which may be of several
/// experiments. What it does not speak of counts as lost.
const MOST_ASKED: usize = 200;

/// How long after a question who was asked may not yet speak of it.
const UNHEARD: Duration = Duration::from_secs(6);

/// How long there may be nobody to ask until it is said.
const ALONE: Duration = Duration::from_secs(10);

impl<R> Default for Trust<R> {
    fn default() -> Self {
        Self {
            own: None,
            workers: HashMap::new(),
            refused: VecDeque::new(),
            held: HashMap::new(),
            compared: BTreeSet::new(),
            alone_since: None,
            probation: PROBATION,
        }
    }
}

impl<R: Receipt> Trust<R> {
    /// Believes what a worker says, and what it says of others.
    pub fn believe(&mut self, worker: &str) {
        self.own = Some(worker.to_owned());
    }

    fn is_own(&self, worker: &str) -> bool {
        self.own.as_deref() == Some(worker)
    }

    /// Whether a worker was wrong.
    pub fn is_refused(&self, worker: &str) -> bool {
        self.workers.get(worker).is_some_and(|standing| standing.is_refused)
    }

    /// How many outcomes of a worker are held, and how often it was found right.
    pub fn counts(&self, worker: &str) -> (usize, u64) {
        self.workers.get(worker).map_or((0, 0), |standing| (standing.held.len(), standing.agreements))
    }

    /// Whether the outcome of a task is held.
    pub fn holds(&self, id: &str) -> bool {
        self.held.contains_key(id)
    }

    /// Whether anything is known of a worker.
    pub fn knows(&self, worker: &str) -> bool {
        self.workers.contains_key(worker)
    }

    /// How many tasks are held.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Tasks that somebody is doing for the second time.
    pub fn under_way(&self) -> usize {
        self.compared.iter().filter(|id| self.held.get(*id).is_some_and(|held| held.asked.is_some())).count()
    }

    /// Forgets what is held.
    pub fn clear(&mut self) {
        self.held.clear();
        self.compared.clear();
        for standing in self.workers.values_mut() {
            standing.held.clear();
            standing.compared.clear();
        }
    }

    /// Takes an outcome of a task that comes to the same wherever it is done. Those that are `drawn` are compared, and so are the first
    /// ones of a worker and refusals.
    pub fn hear(&mut self, heard: Heard<R>, is_drawn: bool) -> Vec<Verdict<R>> {
        let id = heard.answer.id.clone();
        let worker = heard.author.id.as_str();
        let known = self.held.get(&id);
        if self.is_refused(worker) {
            heard.receipt.told();
            return if known.is_some() { Vec::new() } else { vec![Verdict::Again(id)] };
        }
        let is_own = self.is_own(worker);
        if known.is_none() && is_own {
            return vec![Verdict::Tell(heard)];
        }
        // What is delivered again is acknowledged with the first delivery.
        if known.is_some_and(|held| held.opinions.iter().any(|opinion| opinion.author.id == worker)) {
            return Vec::new();
        }
        let mut is_compared = known.is_some() || is_drawn || heard.answer.result.is_err();
        if !is_own {
            let standing = self.workers.entry(worker.to_owned()).or_default();
            is_compared |= standing.agreements + (standing.compared.len() as u64) < self.probation;
            if !is_compared && standing.vouches_for(heard.place, self.probation) {
                return vec![Verdict::Tell(heard)];
            }
            standing.held.insert(heard.place, id.clone());
        }
        let held = self.held.entry(id.clone()).or_insert_with(|| Held {
            opinions: Vec::new(),
            asked: None,
            times: 0,
        });
        held.opinions.push(heard);
        if is_compared {
            self.compare(&id);
        }
        self.settle(&id)
    }

    /// Takes what cannot have come of its task: whoever sends it is wrong, whatever others say.
    pub fn hear_misfit(&mut self, heard: &Heard<R>, reason: &'static str) -> Vec<Verdict<R>> {
        let Heard { answer: Answer { id, .. }, author, receipt, .. } = heard;
        receipt.told();
        let mut verdicts = Vec::new();
        if !self.is_refused(&author.id) {
            verdicts = self.refuse(author, id, Some(reason));
        }
        let is_again = |verdict: &Verdict<R>| matches!(verdict, Verdict::Again(again) if again == id);
        if !self.held.contains_key(id) && !verdicts.iter().any(is_again) {
            verdicts.push(Verdict::Again(id.clone()));
        }
        verdicts
    }

    /// Notes that a task is to be compared.
    fn compare(&mut self, id: &str) {
        let Some(held) = self.held.get(id) else { return };
        self.compared.insert(id.to_owned());
        for opinion in &held.opinions {
            if let Some(standing) = self.workers.get_mut(&opinion.author.id) {
                standing.compared.insert(opinion.place);
            }
        }
    }

    /// What follows for a task that is compared: the coordinator's own worker is right, and where there is none, two that agree.
    fn settle(&mut self, id: &str) -> Vec<Verdict<R>> {
        let Some(held) = self.held.get(id).filter(|_| self.compared.contains(id)) else { return Vec::new() };
        let opinions = &held.opinions;
        let own = opinions.iter().position(|opinion| self.is_own(&opinion.author.id));
        let agreed = || {
            let pairs = (1..opinions.len()).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
            let mut alike =
                pairs.filter(|&(a, b)| is_same(&opinions[a].answer.result, &opinions[b].answer.result));
            alike.next().map(|(earlier, _)| earlier)
        };
        let right = if self.own.is_some() { own } else { agreed() };
        let Some(right) = right else {
            let count = opinions.len();
            if count < MOST_OPINIONS {
                return Vec::new();
            }
            self.forget(id);
            return vec![Verdict::Undecided { id: id.to_owned(), opinions: count }];
        };
        let mut opinions = self.forget(id);
        let truth = opinions.swap_remove(right);
        let (agreeing, wrong): (Vec<_>, Vec<_>) =
            opinions.into_iter().partition(|opinion| is_same(&opinion.answer.result, &truth.answer.result));
        let mut verdicts = Vec::new();
        for opinion in std::iter::once(&truth).chain(&agreeing) {
            if let Some(standing) = self.workers.get_mut(&opinion.author.id) {
                standing.right = standing.right.max(Some(opinion.place));
                standing.agreements += 1;
            }
        }
        for opinion in &wrong {
            verdicts.extend(self.refuse(&opinion.author, id, None));
        }
        agreeing.iter().chain(&wrong).for_each(|opinion| opinion.receipt.told());
        let right: Vec<String> =
            std::iter::once(&truth).chain(&agreeing).map(|opinion| opinion.author.id.clone()).collect();
        verdicts.push(Verdict::Tell(truth));
        for worker in right {
            verdicts.extend(self.release(&worker));
        }
        verdicts
    }

    /// Holds a task no longer; gives what came of it.
    pub fn forget(&mut self, id: &str) -> Vec<Heard<R>> {
        self.compared.remove(id);
        let opinions = self.held.remove(id).map(|held| held.opinions).unwrap_or_default();
        for opinion in &opinions {
            if let Some(standing) = self.workers.get_mut(&opinion.author.id) {
                standing.held.remove(&opinion.place);
                standing.compared.remove(&opinion.place);
            }
        }
        opinions
    }

    /// Gives outcomes of a worker that was found right since.
    fn release(&mut self, worker: &str) -> Vec<Verdict<R>> {
        let Some(standing) = self.workers.get(worker) else { return Vec::new() };
        let free = standing.held.iter().filter(|(place, _)| standing.vouches_for(**place, self.probation));
        let free: Vec<String> = free.map(|(_, id)| id.clone()).collect();
        free.iter().flat_map(|id| self.forget(id)).map(Verdict::Tell).collect()
    }

    /// Believes a worker no more: what is held of it is done again.
    fn refuse(&mut self, author: &Author, id: &str, reason: Option<&'static str>) -> Vec<Verdict<R>> {
        self.refused.push_back(author.id.clone());
        if self.refused.len() > MOST_REFUSED
            && let Some(oldest) = self.refused.pop_front()
        {
            self.workers.remove(&oldest);
        }
        let standing = self.workers.entry(author.id.clone()).or_default();
        standing.is_refused = true;
        standing.compared.clear();
        let tasks = std::mem::take(&mut standing.held);
        let mut again = Vec::new();
        for task in tasks.into_values() {
            let Some(held) = self.held.get_mut(&task) else { continue };
            let is_own = |opinion: &mut Heard<R>| opinion.author.id == author.id;
            held.opinions.extract_if(.., is_own).for_each(|opinion| opinion.receipt.told());
            if held.opinions.is_empty() {
                self.forget(&task);
                again.push(Verdict::Again(task));
            }
        }
        let wrong = Verdict::Wrong { author: author.clone(), id: id.to_owned(), reason, again: again.len() };
        std::iter::once(wrong).chain(again).collect()
    }

    /// Whom of those who are `present` to ask for which tasks. Where somebody has nothing to do, or a worker is gone, the last outcome
    /// of each worker is compared, so that nobody waits for those before it.
    pub fn ask(&mut self, present: &[Present], is_idle: bool, now: Instant, lease: Duration) -> Questions {
        let here: HashMap<&str, &Present> = present.iter().map(|one| (one.id.as_str(), one)).collect();
        let waiting = self.workers.iter().filter(|(_, standing)| standing.compared.is_empty());
        let waiting = waiting.filter(|(id, _)| is_idle || !here.contains_key(id.as_str()));
        let last: Vec<String> =
            waiting.filter_map(|(_, standing)| standing.held.values().next_back().cloned()).collect();
        last.iter().for_each(|id| self.compare(id));
        let mut load: HashMap<&str, usize> = HashMap::new();
        let mut to_ask = Vec::new();
        for id in &self.compared {
            let Some(held) = self.held.get(id) else { continue };
            match &held.asked {
                Some(asked)
                    if held.is_awaited(id, asked, &here, now, lease) && !self.is_refused(&asked.worker) =>
                {
                    *load.entry(asked.worker.as_str()).or_default() += 1;
                }
                _ => to_ask.push(id),
            }
        }
        let may_be_asked = |worker: &str| self.own.as_deref().is_none_or(|own| own == worker);
        let ids = present.iter().map(|one| one.id.as_str());
        let able: Vec<&str> = ids.filter(|worker| may_be_asked(worker) && !self.is_refused(worker)).collect();
        let room = |load: usize| MOST_ASKED.saturating_sub(load);
        let mut places: usize = able.iter().map(|worker| room(load.get(worker).copied().unwrap_or(0))).sum();
        let mut asked = Vec::new();
        let mut is_alone = false;
        for id in to_ask {
            let Some(worker) = self.choose(id, &able, &load) else {
                is_alone = true;
                continue;
            };
            let load = load.entry(worker).or_default();
            if *load < MOST_ASKED {
                *load += 1;
                places -= 1;
                asked.push((worker.to_owned(), id.clone()));
            }
            // The others wait for answers to these.
            if places == 0 {
                break;
            }
        }
        for (worker, id) in &asked {
            if let Some(held) = self.held.get_mut(id) {
                held.asked = Some(Asked { worker: worker.clone(), since: now });
                held.times += 1;
            }
        }
        self.alone_since = is_alone.then(|| self.alone_since.unwrap_or(now));
        let is_alone = self.alone_since.is_some_and(|since| now.duration_since(since) >= ALONE);
        Questions { asked, is_alone }
    }

    /// Notes that nobody was asked for a task after all.
    pub fn was_not_asked(&mut self, id: &str) {
        if let Some(held) = self.held.get_mut(id) {
            held.asked = None;
            held.times = held.times.saturating_sub(1);
        }
    }

    /// Who of those who may be asked is to do a task as well: somebody who has little to do and is to be compared, too.
    fn choose<'a>(&self, id: &str, able: &[&'a str], load: &HashMap<&str, usize>) -> Option<&'a str> {
        let held = self.held.get(id)?;
        let before = held.asked.as_ref().map(|asked| asked.worker.as_str());
        let has_done = |worker: &str| held.opinions.iter().any(|opinion| opinion.author.id == worker);
        let free = able.iter().copied().filter(|worker| !has_done(worker));
        free.min_by_key(|worker| {
            let waits = self.workers.get(*worker).is_some_and(|standing| !standing.held.is_empty());
            let load = load.get(worker).copied().unwrap_or(0);
            (load >= MOST_ASKED, before == Some(*worker), load, !waits, *worker)
        })
    }
}

impl Standing {
    /// Whether an outcome that came then is right as far as is known.
    fn vouches_for(&self, place: Place, probation: u64) -> bool {
        self.agreements >= probation
            && self.right.is_some_and(|right| place <= right)
            && self.compared.first().is_none_or(|&compared| place < compared)
    }
}

impl<R> Held<R> {
    /// Whether an answer may still come.
    fn is_awaited(
        &self,
        id: &str,
        asked: &Asked,
        here: &HashMap<&str, &Present>,
        now: Instant,
        lease: Duration,
    ) -> bool {
        let Some(Present { seen, checks, .. }) = here.get(asked.worker.as_str()) else { return false };
        let has_answered = self.opinions.iter().any(|opinion| opinion.author.id == asked.worker);
        // The question was lost, or the answer is: whoever does the task says so.
        let is_lost = *seen > asked.since + UNHEARD && !checks.contains(short_id(id));
        let patience = lease.saturating_mul(1 << self.times.min(6));
        !has_answered && !is_lost && now.duration_since(asked.since) < patience
    }
}

/// Whether two workers say the same. What they add about their speed, and why they have no outcome, may differ.
fn is_same(one: &Result<TaskOutcome, Refusal>, other: &Result<TaskOutcome, Refusal>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => comparable(one) == comparable(other),
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

fn comparable(outcome: &TaskOutcome) -> Vec<u8> {
    let mut outcome = outcome.clone();
    if let TaskOutcome::Game(game) = &mut outcome {
        game.details.clear();
    }
    serde_json::to_vec(&outcome).expect("plain data")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use gamete_arena::ExpertOutcome;

    use super::*;
    use crate::telling::Count;

    struct Scene {
        trust: Trust<Count>,
        receipts: Count,
        sequence: u64,
        begun: Instant,
    }

    impl Default for Scene {
        /// Nobody has to be found right more than once.
        fn default() -> Self {
            let trust = Trust { probation: 0, ..Trust::default() };
            Self { trust, receipts: Arc::default(), sequence: 0, begun: Instant::now() }
        }
    }

    const LEASE: Duration = Duration::from_secs(1);

    impl Scene {
        /// What follows when a worker says something of a task.
        fn hear(&mut self, worker: &str, id: &str, nodes: u64, is_drawn: bool) -> Vec<String> {
            let outcome = TaskOutcome::Expert(ExpertOutcome { agreed: Vec::new(), nodes });
            self.hear_result(worker, id, Ok(outcome), is_drawn)
        }

        fn hear_result(
            &mut self,
            worker: &str,
            id: &str,
            result: Result<TaskOutcome, Refusal>,
            is_drawn: bool,
        ) -> Vec<String> {
            self.sequence += 1;
            let heard = Heard {
                answer: Answer { id: id.to_owned(), micros: 1, result },
                author: Author { id: worker.to_owned(), name: worker.to_owned() },
                place: self.sequence,
                batch: "".into(),
                receipt: Arc::clone(&self.receipts),
            };
            let words = |verdict| match verdict {
                Verdict::Tell(heard) => format!("{} by {}", heard.answer.id, heard.author.id),
                Verdict::Again(id) => format!("{id} again"),
                Verdict::Wrong { author, id, again, .. } => {
                    format!("{} wrong about {id}, {again}", author.name)
                }
                Verdict::Undecided { id, opinions } => format!("{id} undecided by {opinions}"),
            };
            let misfit = matches!(&heard.answer.result, Ok(TaskOutcome::Solve(_)));
            let verdicts = match misfit {
                true => self.trust.hear_misfit(&heard, "nonsense"),
                false => self.trust.hear(heard, is_drawn),
            };
            verdicts.into_iter().map(words).collect()
        }

        /// Workers that are there, and last said so when the test began.
        fn present(&self, ids: &[&str]) -> Vec<Present> {
            let present =
                |id: &&str| Present { id: (*id).to_owned(), seen: self.begun, checks: HashSet::new() };
            ids.iter().map(present).collect()
        }

        fn ask(&mut self, present: &[&str], is_idle: bool, now: Instant) -> Vec<(String, String)> {
            let present = self.present(present);
            self.trust.ask(&present, is_idle, now, LEASE).asked
        }
    }

    fn asked(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|&(worker, id)| (worker.to_owned(), id.to_owned())).collect()
    }

    const NOTHING: [&str; 0] = [];

    #[test]
    fn an_outcome_is_told_when_a_later_one_of_the_same_worker_was_found_right() {
        let mut scene = Scene::default();
        assert_eq!(scene.hear("one", "a", 1, false), NOTHING);
        assert_eq!(scene.hear("one", "b", 1, true), NOTHING);
        assert_eq!(scene.hear("one", "c", 1, false), NOTHING);
        assert_eq!(scene.hear("two", "x", 1, false), NOTHING);
        assert_eq!(scene.trust.len(), 4);
        let now = Instant::now();
        assert_eq!(scene.ask(&["one", "two"], false, now), asked(&[("two", "b")]));
        assert_eq!(scene.ask(&["one", "two"], false, now), asked(&[]), "two is asked once");
        assert_eq!(
            scene.hear("two", "b", 1, true),
            ["b by one", "a by one", "x by two"],
            "what came later waits"
        );
        assert_eq!((scene.trust.len(), scene.trust.counts("one")), (1, (1, 1)));
        assert_eq!(scene.receipts.load(Ordering::Relaxed), 1, "the second opinion is not needed any more");
        // What is delivered again changes nothing.
        assert_eq!(scene.hear("one", "c", 1, false), NOTHING);
        assert_eq!(scene.receipts.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_first_outcomes_of_a_worker_are_all_compared() {
        let mut scene = Scene::default();
        scene.trust.probation = 3;
        for id in ["a", "b", "c", "d"] {
            assert_eq!(scene.hear("one", id, 1, false), NOTHING);
        }
        let now = Instant::now();
        assert_eq!(
            scene.ask(&["one", "two"], false, now),
            asked(&[("two", "a"), ("two", "b"), ("two", "c")])
        );
        assert_eq!(scene.hear("two", "a", 1, false), ["a by one"]);
        assert_eq!(scene.hear("two", "c", 1, false), ["c by one"]);
        assert_eq!(scene.hear("two", "b", 1, false), ["b by one"]);
        // From then on one that is right vouches for those before it.
        assert_eq!(scene.hear("one", "e", 1, true), NOTHING);
        assert_eq!(scene.hear("two", "e", 1, true), ["e by one", "d by one"]);
    }

    #[test]
    fn what_is_being_compared_vouches_for_nobody() {
        let mut scene = Scene::default();
        assert_eq!(scene.hear("one", "a", 1, true), NOTHING);
        assert_eq!(scene.hear("one", "b", 1, false), NOTHING);
        assert_eq!(scene.hear("one", "c", 1, true), NOTHING);
        assert_eq!(scene.hear("two", "c", 1, true), ["c by one"], "an earlier one may be wrong");
        assert_eq!(scene.hear("two", "a", 1, true), ["a by one", "b by one"]);
    }

    #[test]
    fn what_a_worker_sent_since_it_was_right_is_done_again_when_it_is_wrong() {
        let mut scene = Scene::default();
        assert_eq!(scene.hear("bad", "a", 1, true), NOTHING);
        assert_eq!(scene.hear("two", "a", 1, true), ["a by bad"]);
        assert_eq!(scene.hear("bad", "b", 1, false), NOTHING);
        assert_eq!(scene.hear("bad", "c", 1, true), NOTHING);
        assert_eq!(scene.hear("bad", "d", 1, true), NOTHING);
        assert_eq!(scene.hear("two", "c", 2, true), NOTHING, "either may be wrong");
        assert_eq!(
            scene.ask(&["bad", "two", "six"], false, Instant::now()),
            asked(&[("six", "c"), ("two", "d")])
        );
        assert_eq!(
            scene.hear("six", "c", 2, true),
            ["bad wrong about c, 2", "b again", "d again", "c by two"]
        );
        assert_eq!(scene.trust.refused, ["bad"]);
        assert_eq!(scene.trust.len(), 0);
        let receipts = scene.receipts.load(Ordering::Relaxed);
        assert_eq!(scene.hear("bad", "e", 1, false), ["e again"], "it is not listened to");
        assert_eq!(scene.receipts.load(Ordering::Relaxed), receipts + 1);
        assert_eq!(scene.hear("two", "e", 1, true), NOTHING);
        assert_eq!(
            scene.ask(&["bad", "six"], false, Instant::now()),
            asked(&[("six", "e")]),
            "nor is it asked"
        );
    }

    #[test]
    fn the_own_worker_decides() {
        let mut scene = Scene::default();
        scene.trust.believe("own");
        assert_eq!(scene.hear("own", "a", 1, true), ["a by own"]);
        assert_eq!(scene.hear("one", "b", 1, true), NOTHING);
        assert_eq!(scene.hear("two", "b", 1, true), NOTHING, "they may be in league");
        assert_eq!(scene.ask(&["six"], false, Instant::now()), asked(&[]));
        assert_eq!(scene.ask(&["six", "own"], false, Instant::now()), asked(&[("own", "b")]));
        assert_eq!(
            scene.hear("own", "b", 2, true),
            ["one wrong about b, 0", "two wrong about b, 0", "b by own"]
        );
    }

    #[test]
    fn nobody_waits_for_outcomes_that_others_have_time_to_check() {
        let mut scene = Scene::default();
        let now = Instant::now();
        assert_eq!(scene.hear("one", "a", 1, false), NOTHING);
        assert_eq!(scene.hear("one", "b", 1, false), NOTHING);
        assert_eq!(scene.ask(&["one", "two"], false, now), asked(&[]), "all have something to do");
        assert_eq!(scene.ask(&["one", "two"], true, now), asked(&[("two", "b")]));
        // Who does not answer is not the only one.
        assert_eq!(scene.ask(&["one", "two", "six"], true, now + LEASE), asked(&[]));
        assert_eq!(scene.ask(&["one", "two", "six"], true, now + 3 * LEASE), asked(&[("six", "b")]));
        assert_eq!(scene.ask(&["one", "two"], true, now + 3 * LEASE), asked(&[("two", "b")]), "six is gone");
        assert_eq!(scene.hear("two", "b", 1, false), ["b by one", "a by one"]);
        // What a worker has left is checked whatever others have to do.
        assert_eq!(scene.hear("one", "c", 1, false), NOTHING);
        assert_eq!(scene.ask(&["two"], false, now), asked(&[("two", "c")]));
    }

    #[test]
    fn a_question_that_was_lost_is_asked_again_soon() {
        let mut scene = Scene::default();
        let now = scene.begun;
        let long = Duration::from_secs(300);
        let id = "0123456789abcdef01";
        assert_eq!(scene.hear("one", id, 1, true), NOTHING);
        let mut present = scene.present(&["one", "two", "six"]);
        let mut ask = |present: &[Present], after| scene.trust.ask(present, false, now + after, long).asked;
        assert_eq!(ask(&present, Duration::ZERO), asked(&[("six", id)]));
        // Six is there and says that it does the task, and then that it does not.
        (present[2].seen, present[2].checks) = (now + 2 * UNHEARD, HashSet::from([id[..16].to_owned()]));
        assert_eq!(ask(&present, 2 * UNHEARD), asked(&[]));
        present[2].checks.clear();
        assert_eq!(ask(&present, 2 * UNHEARD), asked(&[("two", id)]));
        // Where the question could not be sent, the next is asked at once.
        scene.trust.was_not_asked(id);
        assert_eq!(scene.trust.ask(&present, false, now + 2 * UNHEARD, long).asked.len(), 1);
    }

    #[test]
    fn nobody_is_asked_for_more_than_it_speaks_of() {
        let mut scene = Scene::default();
        let (now, long) = (scene.begun, Duration::from_secs(300));
        let id = |number: usize| format!("{number:016}");
        for number in 0..1_500 {
            assert_eq!(scene.hear("one", &id(number), 1, true), NOTHING);
        }
        let mut present = scene.present(&["one", "two", "six"]);
        let first = scene.trust.ask(&present, false, now, long);
        let of = |worker: &str| first.asked.iter().filter(|(asked, _)| asked == worker).count();
        assert_eq!((of("two"), of("six"), first.asked.len()), (MOST_ASKED, MOST_ASKED, 2 * MOST_ASKED));
        assert!(!first.is_alone);
        // As long as they do them, nobody is asked for anything, and nobody is missed.
        for one in &mut present[1..] {
            let asked = first.asked.iter().filter(|(worker, _)| *worker == one.id);
            (one.seen, one.checks) = (now + 2 * UNHEARD, asked.map(|(_, id)| id.clone()).collect());
        }
        let later = scene.trust.ask(&present, false, now + 2 * UNHEARD, long);
        assert_eq!(later, Questions { asked: Vec::new(), is_alone: false });
        let (worker, id) = &first.asked[0];
        assert_eq!(scene.hear(worker, id, 1, true), [format!("{id} by one")]);
        let next = scene.trust.ask(&present, false, now + 2 * UNHEARD, long);
        assert_eq!(next.asked.iter().map(|(worker, _)| worker).collect::<Vec<_>>(), [worker]);
    }

    #[test]
    fn who_sends_what_cannot_have_come_of_a_task_is_wrong() {
        let mut scene = Scene::default();
        let nonsense = || Ok(TaskOutcome::Solve(gamete_arena::SolveOutcome { solutions: Vec::new() }));
        assert_eq!(scene.hear("bad", "a", 1, false), NOTHING);
        assert_eq!(
            scene.hear_result("bad", "b", nonsense(), false),
            ["bad wrong about b, 1", "a again", "b again"]
        );
        assert_eq!(scene.hear_result("bad", "b", nonsense(), false), ["b again"]);
        assert!(scene.trust.is_refused("bad") && scene.trust.len() == 0);
        assert_eq!(scene.receipts.load(Ordering::Relaxed), 3, "nobody needs any of it");
        // What somebody else has done is not done again.
        assert_eq!(scene.hear("one", "b", 1, true), NOTHING);
        assert_eq!(scene.hear_result("two", "b", nonsense(), true), ["two wrong about b, 0"]);
        // However many ids there are, so many are remembered.
        for number in 0..MOST_REFUSED {
            scene.hear_result(&format!("forged {number}"), "b", nonsense(), true);
        }
        assert_eq!((scene.trust.refused.len(), scene.trust.workers.len()), (MOST_REFUSED, MOST_REFUSED + 1));
        assert!(!scene.trust.is_refused("bad") && scene.trust.is_refused("forged 0"));
    }

    #[test]
    fn where_there_is_nobody_to_ask_people_are_told() {
        let mut scene = Scene::default();
        let now = Instant::now();
        assert_eq!(scene.hear("one", "a", 1, true), NOTHING);
        let present = scene.present(&["one"]);
        let mut is_alone = |after| scene.trust.ask(&present, true, now + after, LEASE).is_alone;
        assert!(!is_alone(Duration::ZERO));
        assert!(is_alone(ALONE));
    }

    #[test]
    fn refusals_are_compared_and_answers_that_all_differ_are_none() {
        let mut scene = Scene::default();
        let refused = |text: &str| Err(Refusal::Refused(text.to_owned()));
        assert_eq!(scene.hear_result("one", "a", refused("worker one: no"), false), NOTHING);
        assert_eq!(scene.hear_result("two", "a", refused("worker two: no"), false), ["a by one"]);
        for (number, worker) in ["v", "w", "x", "y"].iter().enumerate() {
            assert_eq!(scene.hear(worker, "b", number as u64, true), NOTHING);
        }
        assert_eq!(scene.hear("z", "b", 9, true), ["b undecided by 5"]);
        assert_eq!(scene.trust.len(), 0);
    }
}
