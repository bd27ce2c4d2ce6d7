//! What a coordinator knows of tasks: those that wait, those that are given out, and outcomes that nobody asked for yet.

use std::collections::{HashMap, HashSet, VecDeque};
use std::mem::discriminant;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gamete_arena::{Listener, NamedEngine, Task};

use crate::early::Early;
use crate::message::{Order, Refusal};
use crate::misfit::misfit;
use crate::pace::Pace;
use crate::recent::Recent;
use crate::telling::{Receipt, Telling, Unstored};
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
        if self.unstored.contains(id) {
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
                let Open { task, listeners, .. } = self.open.remove(&heard.answer.id)?;
                self.answered.insert(&heard.answer.id);
                Some(Consequence::Tell(Telling::found(heard, task, listeners, &self.unstored)))
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
        Some(Telling::failed(task, listeners, reason))
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

/// A task for people.
pub(crate) fn described(id: &str, task: &Task) -> String {
    let names: Vec<_> = task.contestants().map(|contestant| contestant.name.as_str()).collect();
    let key: String = id.chars().take(12).collect();
    format!("task {key} of {} ({})", names.join(" and "), task.game())
}

#[cfg(test)]
mod tests;
