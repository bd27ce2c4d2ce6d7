//! What a coordinator knows of tasks: those that wait, those that are given out, and outcomes that nobody asked for yet.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Instant;

use gamete_arena::{Listener, NamedEngine, Task, TaskError, TaskOutcome};

use crate::message::{Answer, Order, Refusal};
use crate::pace::Pace;

/// A task that was submitted.
pub(crate) struct Submission {
    pub id: String,
    /// The engines that it needs, and what stands for them.
    pub engines: Vec<NamedEngine>,
    pub token: String,
    pub task: Task,
    pub listener: Box<dyn Listener>,
}

/// What is to be said when the outcomes of a message have been told.
pub(crate) trait Receipt {
    /// One of them was.
    fn told(&self);
}

/// All tasks of a coordinator.
pub(crate) struct Table<R> {
    waiting: VecDeque<Submission>,
    open: HashMap<String, Open>,
    /// Outcomes of tasks that were not submitted in this life.
    early: HashMap<String, (Answer, R)>,
    /// Tasks of an earlier life that are still in the queue.
    queued: HashSet<String>,
    answered: Recent,
    closed: bool,
    pub pace: Pace,
}

/// A task that is given out.
struct Open {
    task: Task,
    token: String,
    listeners: Vec<Box<dyn Listener>>,
    since: Instant,
}

/// Somebody who is to be told, when nothing is locked.
pub(crate) struct Telling<R> {
    task: Task,
    listeners: Vec<Box<dyn Listener>>,
    result: Result<TaskOutcome, Refusal>,
    receipt: Option<R>,
}

/// What becomes of a task that is about to be given out.
pub(crate) enum Admitted<R> {
    /// It is to be sent.
    Send(Order),
    /// Its outcome is there.
    Tell(Telling<R>),
    /// It is under way.
    UnderWay,
}

impl<R: Receipt> Table<R> {
    /// An empty one; `queued` are tasks that an earlier life has left in the queue.
    pub fn new(queued: HashSet<String>) -> Self {
        Self {
            waiting: VecDeque::new(),
            open: HashMap::new(),
            early: HashMap::new(),
            queued,
            answered: Recent::default(),
            closed: false,
            pace: Pace::default(),
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

    /// The next tasks to be given out together, if workers that do `slots` at a time can have more.
    pub fn take(&mut self, slots: usize) -> Vec<Submission> {
        let Some(first) = self.waiting.front() else { return Vec::new() };
        let token = first.token.clone();
        let room = (batches(slots) * self.pace.batch(&token)).saturating_sub(self.open.len());
        let size = self.pace.batch_of(&token, self.waiting.len(), slots).min(room);
        let same = self.waiting.iter().take(size).take_while(|next| next.token == token).count();
        self.waiting.drain(..same).collect()
    }

    /// How many tasks are worth having: what is given out, and as much again that waits.
    pub fn room(&self, slots: usize) -> usize {
        2 * batches(slots) * self.pace.largest_batch()
    }

    /// Notes that a task is given out.
    pub fn admit(&mut self, submission: Submission) -> Admitted<R> {
        let Submission { id, token, task, listener, .. } = submission;
        if let Some(open) = self.open.get_mut(&id) {
            open.listeners.push(listener);
            return Admitted::UnderWay;
        }
        let listeners = vec![listener];
        if let Some((answer, receipt)) = self.early.remove(&id) {
            self.answered.insert(id);
            return Admitted::Tell(Telling {
                task,
                listeners,
                result: answer.result,
                receipt: Some(receipt),
            });
        }
        let order = Order::new(id.clone(), task.clone());
        let is_queued = self.queued.remove(&id);
        self.open.insert(id, Open { task, token, listeners, since: Instant::now() });
        if is_queued { Admitted::UnderWay } else { Admitted::Send(order) }
    }

    /// Takes what came of a task, and gives who waits for it. What was heard before is left out, and what nobody has asked for
    /// yet is kept.
    pub fn hear(&mut self, answer: Answer, receipt: R) -> Option<Telling<R>> {
        if let Some(open) = self.open.remove(&answer.id) {
            self.pace.learn(&open.token, answer.micros);
            self.answered.insert(answer.id);
            let Open { task, listeners, .. } = open;
            return Some(Telling { task, listeners, result: answer.result, receipt: Some(receipt) });
        }
        if self.answered.contains(&answer.id) {
            receipt.told();
            return None;
        }
        self.early.insert(answer.id.clone(), (answer, receipt));
        None
    }

    /// Gives a task up.
    pub fn fail(&mut self, id: &str, reason: String) -> Option<Telling<R>> {
        let Open { task, listeners, .. } = self.open.remove(id)?;
        Some(Telling { task, listeners, result: Err(Refusal::Refused(reason)), receipt: None })
    }

    /// Tasks that were given out before and are not in the queue any more, to be sent again; those of each kind together.
    pub fn lost(&mut self, queued: &HashSet<String>, before: Instant) -> Vec<(String, Order)> {
        let now = Instant::now();
        let lost = self.open.iter_mut().filter(|(id, open)| open.since < before && !queued.contains(*id));
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
        let listeners = self.open.drain().flat_map(|(_, open)| open.listeners).collect();
        (self.close(), listeners)
    }

    /// Tasks that are given out and not answered.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Tasks that nobody has asked for and that were answered, or are being done.
    pub fn unclaimed(&self) -> usize {
        self.early.len()
    }
}

/// Batches that are given out to workers that do so many at a time: they have what they do, and as much again in hand; and
/// some is in the queue for them.
fn batches(slots: usize) -> usize {
    3 * slots + 4
}

impl<R: Receipt> Telling<R> {
    /// Tells them.
    pub fn tell(self) {
        let Self { task, mut listeners, result, receipt } = self;
        let last = listeners.pop();
        for listener in listeners {
            listener.done(task.clone(), in_words(result.clone()));
        }
        if let Some(last) = last {
            last.done(task, in_words(result));
        }
        if let Some(receipt) = receipt {
            receipt.told();
        }
    }
}

fn in_words(result: Result<TaskOutcome, Refusal>) -> Result<TaskOutcome, TaskError> {
    result.map_err(|refusal| match refusal {
        Refusal::Refused(reason) => TaskError::Elsewhere(reason),
        Refusal::Panicked(message) => TaskError::Panicked(message),
    })
}

/// The last tasks that were answered, so that a second answer is known for what it is.
#[derive(Default)]
struct Recent {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Recent {
    const MOST: usize = 100_000;

    fn insert(&mut self, id: String) {
        if self.ids.insert(id.clone()) {
            self.order.push_back(id);
        }
        if self.order.len() > Self::MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }

    fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};

    use gamete_arena::{Contestant, ExpertOutcome, ExpertTask, GameName, Limits, Player};

    use super::*;

    struct Count(Arc<AtomicUsize>);

    impl Receipt for Count {
        fn told(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

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
            listener: Box::new(listener),
        }
    }

    fn answer(id: &str) -> Answer {
        let outcome = TaskOutcome::Expert(ExpertOutcome { agreed: Vec::new(), nodes: 1 });
        Answer { id: id.to_owned(), micros: 1_000_000, result: Ok(outcome) }
    }

    fn give_out(table: &mut Table<Count>, slots: usize) -> Vec<String> {
        let taken = table.take(slots);
        let admitted = taken.into_iter().map(|submission| table.admit(submission));
        let sent = admitted.filter_map(|admitted| match admitted {
            Admitted::Send(order) => Some(order.id),
            Admitted::Tell(telling) => {
                telling.tell();
                None
            }
            Admitted::UnderWay => None,
        });
        sent.collect()
    }

    fn hear(table: &mut Table<Count>, id: &str, receipts: &Arc<AtomicUsize>) -> bool {
        table.hear(answer(id), Count(Arc::clone(receipts))).map(Telling::tell).is_some()
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
        assert!(table.lost(&queued, Instant::now() - std::time::Duration::from_secs(1)).is_empty());
        let failed = table.fail("8", "no".to_owned()).expect("a task that is given out");
        failed.tell();
        assert_eq!(told.try_iter().filter(Result::is_err).count(), 1);
        drop(table.stop());
        drop(sender);
        assert_eq!(told.iter().count(), 0, "nobody waits any more");
        assert_eq!(table.open(), 0);
    }

    #[test]
    fn tasks_with_other_engines_are_not_sent_together() {
        let (sender, _told) = mpsc::channel();
        let mut table: Table<Count> = Table::new(HashSet::new());
        table.pace.learn("a", 1);
        for (id, token) in [("1", "a"), ("2", "a"), ("3", "b"), ("4", "a")] {
            assert!(table.submit(submission(id, token, &sender)).is_none());
        }
        assert_eq!(give_out(&mut table, 1), ["1", "2"]);
        assert_eq!(give_out(&mut table, 1), ["3"]);
        assert_eq!(give_out(&mut table, 1), ["4"]);
    }
}
