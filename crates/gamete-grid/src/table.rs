//! What a coordinator knows of tasks: those that wait, those that are given out, and outcomes that nobody asked for yet.

use std::collections::{HashMap, HashSet, VecDeque};
use std::mem::discriminant;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gamete_arena::{Listener, NamedEngine, OutcomeReceipt, Task, TaskError, TaskOutcome};

use crate::early::Early;
use crate::message::{Order, Refusal};
use crate::misfit::misfit;
use crate::pace::Pace;
use crate::trust::{Author, Heard, Present, Questions, Trust, Verdict};

/// A task that was submitted.
pub(crate) struct Submission {
    pub id: String,
    /// The engines that it needs, and what stands for them.
    pub engines: Vec<NamedEngine>,
    pub token: String,
    pub task: Task,
    pub compared: Compared,
    pub listener: Box<dyn Listener>,
}

/// Whether what comes of a task is compared with what comes of it elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compared {
    /// It is not the same twice, or nothing is compared.
    Never,
    /// Where others wait for it.
    IfNeeded,
    Always,
}

/// What is to be said when nobody needs the outcomes of a message any more, on whatever thread.
pub(crate) trait Receipt: Send + Sync + 'static {
    /// One of them is stored, or not needed.
    fn told(&self);
}

/// A receipt for tests: how many outcomes were told.
#[cfg(test)]
pub(crate) type Count = Arc<AtomicUsize>;

#[cfg(test)]
impl Receipt for Count {
    fn told(&self) {
        self.fetch_add(1, Ordering::Relaxed);
    }
}

/// All tasks of a coordinator.
pub(crate) struct Table<R> {
    waiting: VecDeque<Submission>,
    open: HashMap<String, Open>,
    /// Outcomes of tasks that were not submitted in this life.
    early: Early<R>,
    /// Tasks of an earlier life that are still in the queue.
    queued: HashSet<String>,
    /// Tasks that were given out and that nobody waits for any more: a later life may.
    abandoned: HashSet<String>,
    /// Whether all outcomes that an earlier life has left are here.
    is_complete: bool,
    answered: Recent,
    unstored: Unstored,
    closed: bool,
    /// How many workers there are, as far as is known.
    pub workers: usize,
    pub pace: Pace,
    pub trust: Trust<R>,
}

/// A task that is given out.
struct Open {
    task: Task,
    token: String,
    compared: Compared,
    listeners: Vec<Box<dyn Listener>>,
    since: Instant,
    /// The batch in which it was sent last, if that was in this life.
    batch: Option<Arc<str>>,
    /// Whether this batch is in the queue as far as is known, or about to be.
    is_queued: bool,
    /// The workers that had no outcome of it, each as often as it was asked.
    refused_by: Vec<String>,
}

/// Tasks whose outcomes were told and are not stored yet.
#[derive(Clone, Default)]
struct Unstored(Arc<Mutex<HashSet<[u8; 16]>>>);

impl Unstored {
    fn ids(&self) -> MutexGuard<'_, HashSet<[u8; 16]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who is to be told, when nothing is locked.
pub(crate) struct Telling<R> {
    task: Task,
    listeners: Vec<Box<dyn Listener>>,
    result: Result<TaskOutcome, Refusal>,
    receipt: Option<StoredReceipt<R>>,
    /// Who did it, if anybody.
    pub author: Option<Author>,
    /// How long it took.
    pub micros: u64,
}

/// The receipt of an outcome that was told, for when all who were told have stored it.
struct StoredReceipt<R> {
    id: [u8; 16],
    unstored: Unstored,
    receipt: R,
}

impl<R: Receipt> StoredReceipt<R> {
    fn stored(&self) {
        self.receipt.told();
        self.unstored.ids().remove(&self.id);
    }
}

/// What follows from an outcome.
pub(crate) enum Consequence<R> {
    /// Somebody is to be told.
    Tell(Telling<R>),
    /// A task is to be sent again, with what stands for its engines.
    Send(String, Order),
    /// People are to know.
    Say(String),
}

/// What becomes of a task that is about to be given out.
#[expect(clippy::large_enum_variant, reason = "most are sent, and live for a moment")]
pub(crate) enum Admitted<R> {
    /// It is to be sent.
    Send(Order),
    /// Its outcome is there.
    Known(Vec<Consequence<R>>),
    /// It is under way.
    UnderWay,
}

impl<R: Receipt> Table<R> {
    /// An empty one; `queued` are tasks that an earlier life has left in the queue.
    pub fn new(queued: HashSet<String>) -> Self {
        Self {
            waiting: VecDeque::new(),
            open: HashMap::new(),
            early: Early::default(),
            queued,
            abandoned: HashSet::new(),
            is_complete: false,
            answered: Recent::default(),
            unstored: Unstored::default(),
            closed: false,
            workers: 0,
            pace: Pace::default(),
            trust: Trust::default(),
        }
    }

    /// Takes a task; gives it back if no more are taken.
    pub fn submit(&mut self, submission: Submission) -> Option<Submission> {
        if self.closed {
            return Some(submission);
        }
        self.waiting.push_back(submission);
        None
    }

    /// How many tasks are to be given out together now, to workers that do `slots` at a time. A batch is not broken up where there
    /// is little room: what is given out is enough until there is more.
    pub fn ready(&self, slots: usize) -> usize {
        let Some(Submission { token, task, .. }) = self.waiting.front() else { return 0 };
        if self.is_full(slots) {
            return 0;
        }
        let size = self.pace.batch_of(token, task, self.waiting.len(), slots);
        let most = batches(slots) * self.pace.batch(token, task);
        if self.open() + size <= most { size } else { 0 }
    }

    /// Whether so many outcomes are held that they are to be compared before more come.
    fn is_full(&self, slots: usize) -> bool {
        self.trust.len() >= MOST_HELD + MOST_HELD_EACH * slots
    }

    /// The next tasks to be given out together: of one kind, and with the same engines.
    pub fn take(&mut self, slots: usize) -> Vec<Submission> {
        let size = self.ready(slots);
        let mut next = self.waiting.iter().take(size);
        let Some(first) = next.next() else { return Vec::new() };
        let same = next.take_while(|next| {
            next.token == first.token && discriminant(&next.task) == discriminant(&first.task)
        });
        let count = 1 + same.count();
        self.waiting.drain(..count).collect()
    }

    /// How many tasks are worth having: what is given out, as much again that waits, and those whose outcomes are held. The next
    /// ones are expected to be of the same kind as the last.
    pub fn room(&self, slots: usize) -> usize {
        let last = self.waiting.back().map(|Submission { token, task, .. }| self.pace.batch(token, task));
        2 * batches(slots) * last.unwrap_or_else(|| self.pace.largest_batch()) + self.trust.len()
    }

    /// Notes that a task is given out.
    pub fn admit(&mut self, submission: Submission) -> Admitted<R> {
        let Submission { id, token, task, compared, listener, .. } = submission;
        if let Some(open) = self.open.get_mut(&id) {
            open.listeners.push(listener);
            return Admitted::UnderWay;
        }
        let order = Order::new(id.clone(), task.clone());
        let listeners = vec![listener];
        let (since, batch) = (Instant::now(), None);
        let is_queued = self.queued.remove(&id);
        let is_early = self.early.contains(&id);
        let open = Open {
            task,
            token,
            compared,
            listeners,
            since,
            batch,
            is_queued: !is_early,
            refused_by: Vec::new(),
        };
        self.open.insert(id.clone(), open);
        if let Some(mut heard) = self.early.take(&id) {
            // It took none of the time of this life.
            let micros = std::mem::take(&mut heard.answer.micros);
            return Admitted::Known(self.judge(heard, micros));
        }
        if is_queued { Admitted::UnderWay } else { Admitted::Send(order) }
    }

    /// Notes that tasks are sent, in which batch.
    pub fn sent<'a>(&mut self, ids: impl Iterator<Item = &'a str>, batch: &str) {
        let batch: Arc<str> = batch.into();
        for id in ids {
            if let Some(open) = self.open.get_mut(id) {
                (open.batch, open.is_queued) = (Some(Arc::clone(&batch)), true);
            }
        }
    }

    /// Notes that all outcomes that an earlier life has left are here. Of those that come later, tasks that are not known are tasks of
    /// nobody: what is not answered yet was found in the queue.
    pub fn complete(&mut self) {
        self.is_complete = true;
    }

    /// Notes that tasks are given out; gives those that are to be sent, and what follows from outcomes that are there already, if
    /// there are any.
    pub fn admit_all(&mut self, submissions: Vec<Submission>) -> (Vec<Order>, Option<Vec<Consequence<R>>>) {
        let (mut orders, mut known) = (Vec::with_capacity(submissions.len()), None);
        for submission in submissions {
            match self.admit(submission) {
                Admitted::Send(order) => orders.push(order),
                Admitted::Known(consequences) => known.get_or_insert_with(Vec::new).extend(consequences),
                Admitted::UnderWay => {}
            }
        }
        (orders, known)
    }

    /// Takes what came of a task, and gives what follows from it. What was heard before is left out, and what nobody has asked
    /// for yet is kept.
    pub fn hear(&mut self, heard: Heard<R>) -> Vec<Consequence<R>> {
        let id = &heard.answer.id;
        if let Some(open) = self.open.get_mut(id) {
            // Whoever answers a batch without having it does not take it out of the queue.
            if open.batch.as_ref().is_none_or(|batch| *batch == heard.batch) {
                open.is_queued = false;
            }
            let micros = heard.answer.micros;
            return self.judge(heard, micros);
        }
        // It is acknowledged with the delivery that was told.
        if self.unstored.ids().contains(&short(id)) {
            return Vec::new();
        }
        if self.answered.contains(id) {
            heard.receipt.told();
            return Vec::new();
        }
        let is_expected = self.queued.contains(id) || self.abandoned.contains(id) || self.early.contains(id);
        if self.is_complete && !is_expected {
            heard.receipt.told();
            let Author { id: worker, name } = &heard.author;
            return vec![Consequence::Say(format!(
                "worker {name} ({worker}) sent an outcome of a task that was not given out, or was answered in an earlier \
                 session; it is left out"
            ))];
        }
        let Some(left_out) = self.early.keep(heard) else { return Vec::new() };
        left_out.receipt.told();
        vec![Consequence::Say("more outcomes come than were asked for; some are left out".to_owned())]
    }

    /// Tells what came of a task that is given out, or holds it until it is known to be right. It took the worker so long.
    fn judge(&mut self, heard: Heard<R>, micros: u64) -> Vec<Consequence<R>> {
        let Some(open) = self.open.get(&heard.answer.id) else { return Vec::new() };
        let is_refused = self.trust.is_refused(&heard.author.id);
        if open.compared == Compared::Never && !is_refused && heard.answer.result.is_err() {
            return self.hear_refusal(heard);
        }
        let verdicts = match open.misfit(&heard) {
            Some(reason) => self.trust.hear_misfit(&heard, reason),
            None => {
                // Who refuses a task at once says nothing of how long it takes others.
                if micros > 0 && heard.answer.result.is_ok() {
                    self.pace.learn(&open.token, &open.task, micros);
                }
                match open.compared {
                    Compared::Never if !is_refused => vec![Verdict::Tell(heard)],
                    compared => self.trust.hear(heard, compared == Compared::Always),
                }
            }
        };
        verdicts.into_iter().filter_map(|verdict| self.consequence(verdict)).collect()
    }

    /// Takes the answer of a worker that has no outcome. That may be due to the worker, and so others are asked, until it is clear that the
    /// task has none.
    fn hear_refusal(&mut self, mut heard: Heard<R>) -> Vec<Consequence<R>> {
        let id = heard.answer.id.clone();
        let is_alone = self.workers <= 1;
        let Some(open) = self.open.get_mut(&id) else { return Vec::new() };
        // It is in the queue: another who had it has refused it, or whoever answers never had it.
        if open.is_queued {
            heard.receipt.told();
            return Vec::new();
        }
        let mut line = described(&id, &open.task);
        if let Err(Refusal::Refused(reason) | Refusal::Panicked(reason)) = &mut heard.answer.result {
            line = format!("{line}: {reason}");
            reason.clone_from(&line);
        }
        if open.refuse(&heard.author.id, is_alone) {
            return self.consequence(Verdict::Tell(heard)).into_iter().collect();
        }
        heard.receipt.told();
        let said = Consequence::Say(format!("{line}; it is given out again"));
        self.consequence(Verdict::Again(id)).into_iter().chain([said]).collect()
    }

    fn consequence(&mut self, verdict: Verdict<R>) -> Option<Consequence<R>> {
        match verdict {
            Verdict::Tell(heard) => {
                let Heard { answer, author, receipt, .. } = heard;
                let Open { task, listeners, .. } = self.open.remove(&answer.id)?;
                self.answered.insert(&answer.id);
                let id = short(&answer.id);
                self.unstored.ids().insert(id);
                let unstored = self.unstored.clone();
                let (author, receipt) = (Some(author), Some(StoredReceipt { id, unstored, receipt }));
                let (result, micros) = (answer.result, answer.micros);
                Some(Consequence::Tell(Telling { task, listeners, result, receipt, author, micros }))
            }
            Verdict::Again(id) => {
                let open = self.open.get_mut(&id).filter(|open| !open.is_queued)?;
                (open.since, open.batch, open.is_queued) = (Instant::now(), None, true);
                Some(Consequence::Send(open.token.clone(), Order::new(id, open.task.clone())))
            }
            Verdict::Wrong { author: Author { id: worker, name }, id, reason, again } => {
                let task = self.described(&id);
                let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
                Some(Consequence::Say(format!(
                    "worker {name} ({worker}) is wrong about {task}{reason}: it gets no more tasks, and {again} that it did since \
                     it was last found right are done again by others"
                )))
            }
            Verdict::Undecided { id, opinions } => {
                let reason =
                    format!("{opinions} workers differ about {}, each from all others", self.described(&id));
                self.fail(&id, reason).map(Consequence::Tell)
            }
        }
    }

    fn described(&self, id: &str) -> String {
        self.open.get(id).map_or_else(|| "a task".to_owned(), |open| described(id, &open.task))
    }

    /// Whom of those who are present to ask for which tasks, and whether outcomes wait and there is nobody to ask.
    pub fn ask(
        &mut self,
        present: &[Present],
        slots: usize,
        lease: Duration,
    ) -> (Vec<(String, Order)>, bool) {
        let has_nothing = self.waiting.is_empty() || self.is_full(slots);
        let is_idle = has_nothing && self.open() + self.trust.under_way() < slots;
        let Questions { asked, is_alone } = self.trust.ask(present, is_idle, Instant::now(), lease);
        let order = |id: String| {
            let task = self.open.get(&id)?.task.clone();
            Some(Order::new(id, task))
        };
        let asked = asked.into_iter().filter_map(|(worker, id)| Some((worker, order(id)?)));
        (asked.collect(), is_alone)
    }

    /// Gives a task up.
    pub fn fail(&mut self, id: &str, reason: String) -> Option<Telling<R>> {
        let Open { task, listeners, .. } = self.open.remove(id)?;
        self.abandoned.insert(id.to_owned());
        self.trust.forget(id);
        let result = Err(Refusal::Refused(reason));
        Some(Telling { task, listeners, result, receipt: None, author: None, micros: 0 })
    }

    /// Tasks that were given out before and are not in the queue any more, to be sent again; those of each kind together.
    pub fn lost(&mut self, queued: &HashSet<String>, before: Instant) -> Vec<(String, Order)> {
        let now = Instant::now();
        let lost = self.open.iter_mut().filter(|(id, open)| open.since < before && !queued.contains(*id));
        let lost = lost.filter(|(id, _)| !self.trust.holds(id));
        let mut lost: Vec<_> = lost
            .map(|(id, open)| {
                open.since = now;
                (open.token.clone(), Order::new(id.clone(), open.task.clone()))
            })
            .collect();
        lost.sort_by(|(a, x), (b, y)| (a, &x.id).cmp(&(b, &y.id)));
        lost
    }

    /// Takes no more tasks, and gives those that wait, whose listeners are to be dropped.
    pub fn close(&mut self) -> Vec<Submission> {
        self.closed = true;
        self.waiting.drain(..).collect()
    }

    /// The same with those that are given out.
    pub fn stop(&mut self) -> (Vec<Submission>, Vec<Box<dyn Listener>>) {
        self.trust.clear();
        let mut listeners = Vec::new();
        for (id, open) in self.open.drain() {
            self.abandoned.insert(id);
            listeners.extend(open.listeners);
        }
        (self.close(), listeners)
    }

    /// Tasks that are given out and not answered.
    pub fn open(&self) -> usize {
        self.open.len() - self.trust.len()
    }

    /// What stands for the engines of the tasks that are given out and not answered.
    pub fn open_tokens(&self) -> HashSet<String> {
        let mut tokens = HashSet::new();
        for Open { token, .. } in self.open.values() {
            if !tokens.contains(token) {
                tokens.insert(token.clone());
            }
        }
        tokens
    }

    /// Tasks that nobody has asked for and that were answered, or are being done.
    pub fn unclaimed(&self) -> usize {
        self.early.len()
    }
}

/// Outcomes that may be held before no more tasks are given out, and how many more for each task that workers do at a time.
const MOST_HELD: usize = 10_000;
const MOST_HELD_EACH: usize = 256;

/// How often workers may have no outcome of a task until it is believed that there is none, if it is always the same worker; and if there
/// is nobody else to ask.
const MOST_REFUSALS: usize = 10;
const MOST_REFUSALS_ALONE: usize = 5;

/// Batches that are given out to workers that do so many at a time: they have what they do, and as much again in hand; and
/// some is in the queue for them.
fn batches(slots: usize) -> usize {
    3 * slots + 4
}

impl Open {
    /// Notes that a worker has no outcome of it; says whether that is enough to believe that there is none.
    fn refuse(&mut self, worker: &str, is_alone: bool) -> bool {
        let is_confirmed = self.refused_by.iter().any(|other| other != worker);
        self.refused_by.push(worker.to_owned());
        let most = if is_alone { MOST_REFUSALS_ALONE } else { MOST_REFUSALS };
        is_confirmed || self.refused_by.len() >= most
    }

    /// Why this cannot have come of the task, if so.
    fn misfit<R>(&self, heard: &Heard<R>) -> Option<&'static str> {
        heard.answer.result.as_ref().ok().and_then(|outcome| misfit(&self.task, outcome))
    }
}

impl<R: Receipt> Telling<R> {
    /// What came of which task.
    pub fn outcome(&self) -> (&Task, &Result<TaskOutcome, Refusal>) {
        (&self.task, &self.result)
    }

    /// Tells them.
    pub fn tell(self) {
        let Self { task, mut listeners, result, receipt, .. } = self;
        let shared = Arc::new((AtomicUsize::new(listeners.len()), receipt));
        let receipt = || -> OutcomeReceipt {
            let shared = Arc::clone(&shared);
            Box::new(move || {
                let (left, receipt) = &*shared;
                if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    receipt.iter().for_each(StoredReceipt::stored);
                }
            })
        };
        let last = listeners.pop();
        for listener in listeners {
            listener.done_with_receipt(task.clone(), in_words(result.clone()), receipt());
        }
        if let Some(last) = last {
            last.done_with_receipt(task, in_words(result), receipt());
        }
    }
}

/// A task for people.
pub(crate) fn described(id: &str, task: &Task) -> String {
    let names: Vec<_> = task.contestants().map(|contestant| contestant.name.as_str()).collect();
    let key: String = id.chars().take(12).collect();
    format!("task {key} of {} ({})", names.join(" and "), task.game())
}

fn in_words(result: Result<TaskOutcome, Refusal>) -> Result<TaskOutcome, TaskError> {
    result.map_err(|refusal| match refusal {
        Refusal::Refused(reason) => TaskError::Elsewhere(reason),
        Refusal::Panicked(message) => TaskError::Panicked(message),
    })
}

/// The last tasks that were answered, so that a second answer is known for what it is. They are many, and so each is kept as a short
/// hash.
#[derive(Default)]
struct Recent {
    ids: HashSet<[u8; 16]>,
    order: VecDeque<[u8; 16]>,
}

impl Recent {
    const MOST: usize = 100_000;

    fn insert(&mut self, id: &str) {
        let id = short(id);
        if self.ids.insert(id) {
            self.order.push_back(id);
        }
        if self.order.len() > Self::MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }

    fn contains(&self, id: &str) -> bool {
        self.ids.contains(&short(id))
    }
}

fn short(id: &str) -> [u8; 16] {
    *blake3::hash(id.as_bytes()).as_bytes().first_chunk().expect("32 bytes")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use gamete_arena::{Contestant, ExpertOutcome, ExpertTask, GameName, Limits, Player};

    use super::*;
    use crate::message::Answer;

    type Outcomes = mpsc::Sender<Result<TaskOutcome, TaskError>>;

    fn submission(id: &str, token: &str, sender: &Outcomes) -> Submission {
        let player = Contestant::new(Player::load("checkers/material").unwrap(), Limits::nodes(1));
        let task = ExpertTask { game: GameName::Checkers, player, hash_mb: 1, positions: Vec::new() };
        let sender = sender.clone();
        let listener = move |_: Task, outcome| sender.send(outcome).expect("somebody who listens");
        Submission {
            id: id.to_owned(),
            engines: Vec::new(),
            token: token.to_owned(),
            task: task.into(),
            compared: Compared::Never,
            listener: Box::new(listener),
        }
    }

    fn heard(id: &str, receipts: &Count) -> Heard<Count> {
        let outcome = TaskOutcome::Expert(ExpertOutcome { agreed: Vec::new(), nodes: 1 });
        Heard {
            answer: Answer { id: id.to_owned(), micros: 1_000_000, result: Ok(outcome) },
            author: Author { id: "1".to_owned(), name: "one".to_owned() },
            place: 1,
            batch: "b".into(),
            receipt: Arc::clone(receipts),
        }
    }

    /// Tells who is to be told; says whether anybody was.
    fn tell(consequences: Vec<Consequence<Count>>) -> bool {
        let tellings = consequences.into_iter().filter_map(|consequence| match consequence {
            Consequence::Tell(telling) => Some(telling),
            _ => None,
        });
        tellings.map(Telling::tell).count() > 0
    }

    fn give_out(table: &mut Table<Count>, slots: usize) -> Vec<String> {
        let taken = table.take(slots);
        let admitted = taken.into_iter().map(|submission| table.admit(submission));
        let sent = admitted.filter_map(|admitted| match admitted {
            Admitted::Send(order) => Some(order.id),
            Admitted::Known(consequences) => {
                assert!(tell(consequences));
                None
            }
            Admitted::UnderWay => None,
        });
        sent.collect()
    }

    fn hear(table: &mut Table<Count>, id: &str, receipts: &Count) -> bool {
        tell(table.hear(heard(id, receipts)))
    }

    #[test]
    fn a_result_is_told_once_however_often_it_comes() {
        let (sender, told) = mpsc::channel();
        let receipts = Arc::default();
        let mut table = Table::new(HashSet::new());
        // Two that are one task are sent once and told twice.
        for _ in 0..2 {
            assert!(table.submit(submission("a", "none", &sender)).is_none());
        }
        assert_eq!(give_out(&mut table, 1), ["a"]);
        assert!(give_out(&mut table, 1).is_empty());
        assert_eq!([0, 1, 2].map(|_| hear(&mut table, "a", &receipts)), [true, false, false]);
        assert_eq!(told.try_iter().count(), 2);
        assert_eq!(receipts.load(Ordering::Relaxed), 3, "what came again is acknowledged, too");
        // When it is asked for again it is sent again.
        assert!(table.submit(submission("a", "none", &sender)).is_none());
        assert_eq!(give_out(&mut table, 1), ["a"]);
        assert!(hear(&mut table, "a", &receipts));
        assert_eq!(told.try_iter().count(), 1);
    }

    /// Somebody who says later that an outcome is stored.
    struct Storing(mpsc::Sender<OutcomeReceipt>);

    impl Listener for Storing {
        fn done(self: Box<Self>, _: Task, _: Result<TaskOutcome, TaskError>) {
            unreachable!("there is a receipt");
        }

        fn done_with_receipt(
            self: Box<Self>,
            _: Task,
            _: Result<TaskOutcome, TaskError>,
            receipt: OutcomeReceipt,
        ) {
            self.0.send(receipt).expect("somebody who listens");
        }
    }

    #[test]
    fn an_outcome_is_acknowledged_when_all_have_stored_it() {
        let (sender, _told) = mpsc::channel();
        let (storing, stored) = mpsc::channel();
        let receipts = Arc::default();
        let count = |receipts: &Count| receipts.load(Ordering::Relaxed);
        let mut table = Table::new(HashSet::new());
        for _ in 0..2 {
            let listener = Box::new(Storing(storing.clone()));
            assert!(table.submit(Submission { listener, ..submission("a", "none", &sender) }).is_none());
            give_out(&mut table, 1);
        }
        assert!(hear(&mut table, "a", &receipts));
        let [one, other] = [(); 2].map(|()| stored.recv().expect("a receipt"));
        one();
        // What is delivered again meanwhile is acknowledged with the first delivery.
        assert!(!hear(&mut table, "a", &receipts));
        assert_eq!((count(&receipts), table.unclaimed()), (0, 0));
        other();
        assert_eq!(count(&receipts), 1);
        assert!(!hear(&mut table, "a", &receipts));
        assert_eq!(count(&receipts), 2);
    }

    #[test]
    fn what_cannot_have_come_of_a_task_is_asked_for_again() {
        let (sender, told) = mpsc::channel();
        let receipts = Arc::default();
        let mut table = Table::new(HashSet::new());
        let nonsense = |id: &str| {
            let mut heard = heard(id, &receipts);
            heard.answer.result = Ok(TaskOutcome::Expert(ExpertOutcome { agreed: vec![true], nodes: 1 }));
            heard
        };
        let sent = |consequences: Vec<Consequence<Count>>| {
            let sent = consequences.into_iter().map(|consequence| match consequence {
                Consequence::Send(_, order) => order.id,
                Consequence::Say(line) => line,
                Consequence::Tell(_) => panic!("it is told"),
            });
            sent.collect::<Vec<_>>()
        };
        // One comes in time, and one before it is asked for.
        assert!(table.hear(nonsense("early")).is_empty());
        assert!(table.submit(submission("a", "none", &sender)).is_none());
        assert_eq!(give_out(&mut table, 1), ["a"]);
        let [said, again] = sent(table.hear(nonsense("a"))).try_into().expect("two consequences");
        assert!(said.starts_with("worker one (1) is wrong about task a of ") && again == "a", "{said}");
        assert!(
            said.contains(" (an outcome of another number of positions): it gets no more tasks"),
            "{said}"
        );
        let Admitted::Known(consequences) = table.admit(submission("early", "none", &sender)) else {
            panic!("an outcome that is there")
        };
        assert_eq!(sent(consequences), ["early"]);
        assert_eq!(receipts.load(Ordering::Relaxed), 2);
        // Nor is anything else of this worker told.
        assert_eq!(sent(table.hear(heard("a", &receipts))), ["a"]);
        let mut honest = heard("a", &receipts);
        honest.author.id = "2".to_owned();
        assert!(tell(table.hear(honest)));
        assert_eq!(told.try_iter().count(), 1);
    }

    /// A task that is given out, to be refused by workers.
    struct Refused {
        table: Table<Count>,
        receipts: Count,
        batch: u32,
    }

    impl Refused {
        fn new(workers: usize, sender: &Outcomes) -> Self {
            let mut table = Table::new(HashSet::new());
            table.workers = workers;
            assert!(table.submit(submission("a", "none", sender)).is_none());
            assert_eq!(give_out(&mut table, 1), ["a"]);
            table.sent(["a"].into_iter(), "0");
            Self { table, receipts: Arc::default(), batch: 0 }
        }

        fn by(&mut self, worker: &str, batch: u32) -> Vec<Consequence<Count>> {
            let mut heard = heard("a", &self.receipts);
            heard.author.id = worker.to_owned();
            heard.batch = batch.to_string().into();
            heard.answer.result = Err(Refusal::Refused("worker one: no".to_owned()));
            self.table.hear(heard)
        }

        fn answered_by(&mut self, worker: &str) -> bool {
            let mut heard = heard("a", &self.receipts);
            heard.author.id = worker.to_owned();
            heard.batch = self.batch.to_string().into();
            tell(self.table.hear(heard))
        }

        /// Refused by one who has it; says whether that is told.
        fn again(&mut self, worker: &str) -> bool {
            let consequences = self.by(worker, self.batch);
            let [Consequence::Send(_, order), Consequence::Say(line)] = consequences.as_slice() else {
                return tell(consequences);
            };
            assert_eq!(
                (order.id.as_str(), line.as_str()),
                ("a", "task a of checkers/material (checkers): worker one: no; it is given out again")
            );
            self.batch += 1;
            self.table.sent(["a"].into_iter(), &self.batch.to_string());
            false
        }
    }

    #[test]
    fn a_task_that_one_worker_refuses_is_given_out_again() {
        let (sender, told) = mpsc::channel();
        let mut task = Refused::new(3, &sender);
        assert!(!task.again("1"));
        // What comes late, or from somebody who does not have it, counts for nothing.
        assert!(task.by("2", 0).is_empty() && task.by("2", 7).is_empty());
        assert!(!task.again("1"));
        assert_eq!(task.receipts.load(Ordering::Relaxed), 4);
        assert!(task.answered_by("2"));
        assert!(told.try_recv().expect("an outcome").is_ok());
        // A second one confirms it.
        let mut task = Refused::new(3, &sender);
        assert!(!task.again("1") && task.again("2"));
        let error = told.try_recv().expect("an outcome").expect_err("a refusal").to_string();
        assert_eq!(error, "task a of checkers/material (checkers): worker one: no");
        // So does one that goes on refusing it, sooner where there is nobody else.
        for (workers, most) in [(3, MOST_REFUSALS), (1, MOST_REFUSALS_ALONE)] {
            let mut task = Refused::new(workers, &sender);
            let count = 1 + (0..).take_while(|_| !task.again("1")).count();
            assert_eq!(count, most);
        }
    }

    #[test]
    fn a_task_that_is_queued_again_is_not_sent_once_more() {
        let (sender, told) = mpsc::channel();
        let receipts = Arc::default();
        let mut table = Table::new(HashSet::from(["left".to_owned()]));
        for id in ["a", "left"] {
            assert!(table.submit(submission(id, "none", &sender)).is_none());
            give_out(&mut table, 1);
        }
        table.sent(["a"].into_iter(), "first");
        // What follows when somebody sends nonsense, for a batch.
        let mut worker = 0;
        let mut sent = |table: &mut Table<Count>, id: &str, batch: &str| {
            worker += 1;
            let mut heard = heard(id, &receipts);
            (heard.author.id, heard.batch) = (worker.to_string(), batch.into());
            heard.answer.result = Ok(TaskOutcome::Expert(ExpertOutcome { agreed: vec![true], nodes: 1 }));
            let consequences = table.hear(heard).into_iter();
            consequences.filter(|consequence| matches!(consequence, Consequence::Send(..))).count()
        };
        assert_eq!([(); 100].map(|()| sent(&mut table, "a", "guessed")), [0; 100], "it is in the queue");
        assert_eq!(sent(&mut table, "a", "first"), 1);
        table.sent(["a"].into_iter(), "second");
        assert_eq!([(); 100].map(|()| sent(&mut table, "a", "first")), [0; 100], "it was taken once");
        assert_eq!(sent(&mut table, "a", "second"), 1);
        table.sent(["a"].into_iter(), "third");
        // In which batch an earlier life has sent it is not known.
        assert_eq!(sent(&mut table, "left", "old"), 1);
        table.sent(["left"].into_iter(), "fourth");
        assert_eq!(sent(&mut table, "left", "old"), 0);
        let mut honest = heard("a", &receipts);
        (honest.author.id, honest.batch) = ("honest".to_owned(), "third".into());
        assert!(tell(table.hear(honest)));
        assert_eq!(told.try_iter().count(), 1);
    }

    #[test]
    fn an_outcome_of_a_task_of_nobody_is_left_out() {
        let (sender, _told) = mpsc::channel();
        let receipts = Arc::default();
        let count = |receipts: &Count| receipts.load(Ordering::Relaxed);
        let mut table = Table::new(HashSet::from(["queued".to_owned()]));
        assert!(table.hear(heard("early", &receipts)).is_empty());
        table.complete();
        let lines = |consequences: Vec<Consequence<Count>>| {
            let said = consequences.into_iter().map(|consequence| match consequence {
                Consequence::Say(line) => line,
                _ => panic!("something follows"),
            });
            said.collect::<Vec<_>>()
        };
        let said = lines(table.hear(heard("unknown", &receipts)));
        assert_eq!(
            said,
            [
                "worker one (1) sent an outcome of a task that was not given out, or was answered in an earlier \
                 session; it is left out"
            ]
        );
        assert_eq!((count(&receipts), table.unclaimed()), (1, 1));
        // Those of an earlier life are waited for, and so are those of tasks that nobody waits for in this one.
        for id in ["queued", "early"] {
            assert!(table.hear(heard(id, &receipts)).is_empty());
        }
        for id in ["failed", "stopped"] {
            assert!(table.submit(submission(id, "none", &sender)).is_none());
            assert_eq!(give_out(&mut table, 1), [id]);
        }
        assert!(table.fail("failed", "no".to_owned()).is_some());
        drop(table.stop());
        for id in ["failed", "stopped"] {
            assert!(table.hear(heard(id, &receipts)).is_empty());
        }
        assert_eq!((count(&receipts), table.unclaimed()), (1, 4), "they wait at the broker for a later life");
    }

    #[test]
    fn what_an_earlier_life_has_left_is_not_sent_again() {
        let (sender, told) = mpsc::channel();
        let receipts = Arc::default();
        let mut table = Table::new(HashSet::from(["queued".to_owned()]));
        assert!(!hear(&mut table, "early", &receipts));
        assert_eq!((table.unclaimed(), receipts.load(Ordering::Relaxed)), (1, 0), "it waits, unacknowledged");
        for id in ["queued", "early", "new"] {
            assert!(table.submit(submission(id, "none", &sender)).is_none());
        }
        let sent: Vec<_> = (0..3).flat_map(|_| give_out(&mut table, 1)).collect();
        assert_eq!(sent, ["new"]);
        assert_eq!((told.try_iter().count(), receipts.load(Ordering::Relaxed)), (1, 1));
        assert!(hear(&mut table, "queued", &receipts));
    }

    #[test]
    fn what_an_earlier_life_has_left_tells_how_long_tasks_take() {
        let (sender, _told) = mpsc::channel();
        let receipts = Arc::default();
        let mut table = Table::new(HashSet::new());
        let mut early = heard("early", &receipts);
        early.answer.micros = 20_000;
        assert!(table.hear(early).is_empty());
        assert!(table.submit(submission("early", "none", &sender)).is_none());
        let taken = table.take(1);
        let (_, known) = table.admit_all(taken);
        let micros = known.into_iter().flatten().map(|consequence| match consequence {
            Consequence::Tell(telling) => telling.micros,
            _ => panic!("it is told"),
        });
        assert_eq!(micros.collect::<Vec<_>>(), [0], "it took none of the time of this life");
        assert_eq!(table.pace.batch("none", &submission("a", "none", &sender).task), 10);
        // Who has no outcome, or does not know how long it took, says nothing of the pace.
        let refusal = Err(Refusal::Refused("no".to_owned()));
        let unmeasured = heard("b", &receipts).answer.result;
        for (id, micros, result) in [("a", 1, refusal), ("b", 0, unmeasured)] {
            assert!(table.submit(submission(id, "none", &sender)).is_none());
            assert_eq!(give_out(&mut table, 1), [id]);
            let mut heard = heard(id, &receipts);
            (heard.answer.micros, heard.answer.result) = (micros, result);
            assert_eq!(tell(table.hear(heard)), id == "b");
        }
        assert_eq!(table.pace.batch("none", &submission("c", "none", &sender).task), 10);
    }

    #[test]
    fn no_more_is_given_out_than_workers_can_have() {
        let (sender, told) = mpsc::channel();
        let receipts = Arc::default();
        let mut table = Table::new(HashSet::new());
        for number in 0..100 {
            assert!(table.submit(submission(&number.to_string(), "none", &sender)).is_none());
        }
        let all = |table: &mut Table<Count>, slots| {
            std::iter::from_fn(|| Some(give_out(table, slots)).filter(|sent| !sent.is_empty()))
                .flatten()
                .count()
        };
        assert_eq!(all(&mut table, 0), 4);
        assert_eq!(all(&mut table, 2), 6);
        assert!(hear(&mut table, "3", &receipts));
        assert_eq!(all(&mut table, 2), 1);
        // Those that were sent and are not there any more are sent again; what was just sent is not looked at.
        let queued = (0..8).map(|number| number.to_string()).collect();
        let ids: Vec<_> =
            table.lost(&queued, Instant::now()).into_iter().map(|(_, order)| order.id).collect();
        assert_eq!(ids, ["10", "8", "9"]);
        assert!(table.lost(&queued, Instant::now() - Duration::from_secs(1)).is_empty());
        let failed = table.fail("8", "no".to_owned()).expect("a task that is given out");
        failed.tell();
        assert_eq!(told.try_iter().filter(Result::is_err).count(), 1);
        drop(table.stop());
        drop(sender);
        assert_eq!(told.iter().count(), 0, "nobody waits any more");
        assert_eq!(table.open(), 0);
    }

    #[test]
    fn no_more_is_given_out_while_too_many_outcomes_are_held() {
        let (sender, _told) = mpsc::channel();
        let receipts = Arc::default();
        let mut table = Table::new(HashSet::new());
        table.pace.learn("none", &submission("", "none", &sender).task, 1);
        for number in 0..12_000 {
            let compared = Compared::IfNeeded;
            let submission = submission(&format!("{number:06}"), "none", &sender);
            assert!(table.submit(Submission { compared, ..submission }).is_none());
        }
        let said = |table: &mut Table<Count>, worker: &str, id: &str| {
            let mut heard = heard(id, &receipts);
            heard.place = receipts.load(Ordering::Relaxed) as u64 + id.parse::<u64>().expect("a number");
            worker.clone_into(&mut heard.author.id);
            tell(table.hear(heard))
        };
        loop {
            let given_out = give_out(&mut table, 1);
            if given_out.is_empty() {
                break;
            }
            given_out.iter().for_each(|id| assert!(!said(&mut table, "one", id)));
        }
        let held = table.trust.len();
        assert!((10_256..10_600).contains(&held) && table.open() == 0, "{held}");
        // Though tasks wait, what is held is compared then.
        let present = |id: &str| Present { id: id.to_owned(), seen: Instant::now(), checks: HashSet::new() };
        let present = ["one", "two"].map(present);
        while table.ready(1) == 0 {
            let (asked, _) = table.ask(&present, 1, Duration::from_secs(60));
            assert!(!asked.is_empty());
            asked.iter().for_each(|(worker, order)| _ = said(&mut table, worker, &order.id));
        }
        assert!(table.trust.len() < held);
    }

    #[test]
    fn a_batch_is_not_broken_up_where_there_is_little_room() {
        let (sender, _told) = mpsc::channel();
        let receipts = Arc::default();
        let mut table = Table::new(HashSet::new());
        // Ten of them are a batch.
        table.pace.learn("none", &submission("", "none", &sender).task, 20_000);
        for number in 0..200 {
            assert!(table.submit(submission(&number.to_string(), "none", &sender)).is_none());
        }
        let sizes: Vec<_> =
            std::iter::from_fn(|| Some(give_out(&mut table, 1).len()).filter(|&size| size > 0)).collect();
        assert_eq!(sizes, [10; 7]);
        let mut answer = |id: usize| {
            let mut heard = heard(&id.to_string(), &receipts);
            heard.answer.micros = 20_000;
            assert!(tell(table.hear(heard)));
            (table.ready(1), table.take(1).len())
        };
        assert_eq!(
            (0..10).map(&mut answer).collect::<Vec<_>>(),
            [[(0, 0); 9].as_slice(), &[(10, 10)]].concat()
        );
    }

    #[test]
    fn there_is_room_for_more_where_tasks_are_quick() {
        let (sender, _told) = mpsc::channel();
        let mut table = Table::<Count>::new(HashSet::new());
        for (token, micros) in [("quick", 1_000), ("slow", 100_000)] {
            table.pace.learn(token, &submission("", token, &sender).task, micros);
        }
        assert_eq!(table.room(1), 2 * 7 * 200, "it is not known what comes next");
        assert!(table.submit(submission("1", "slow", &sender)).is_none());
        assert_eq!(table.room(1), 2 * 7 * 2);
        assert!(table.submit(submission("2", "quick", &sender)).is_none());
        assert_eq!(table.room(1), 2 * 7 * 200);
    }

    #[test]
    fn tasks_with_other_engines_are_not_sent_together() {
        let (sender, _told) = mpsc::channel();
        let mut table: Table<Count> = Table::new(HashSet::new());
        table.pace.learn("a", &submission("0", "a", &sender).task, 1);
        for (id, token) in [("1", "a"), ("2", "a"), ("3", "b"), ("4", "a")] {
            assert!(table.submit(submission(id, token, &sender)).is_none());
        }
        assert_eq!(give_out(&mut table, 1), ["1", "2"]);
        assert_eq!(give_out(&mut table, 1), ["3"]);
        assert_eq!(give_out(&mut table, 1), ["4"]);
    }
}
