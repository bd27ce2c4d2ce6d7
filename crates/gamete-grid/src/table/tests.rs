use std::sync::atomic::Ordering;
use std::sync::mpsc;

use gamete_arena::{
    Contestant, ExpertOutcome, ExpertTask, GameName, Limits, OutcomeReceipt, Player, TaskError, TaskOutcome,
};

use super::*;
use crate::message::Answer;
use crate::telling::Count;

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
    assert!(said.contains(" (an outcome of another number of positions): it gets no more tasks"), "{said}");
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
        ["worker one (1) sent an outcome of a task that was not given out, or was answered in an earlier \
             session; it is left out"]
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
        std::iter::from_fn(|| Some(give_out(table, slots)).filter(|sent| !sent.is_empty())).flatten().count()
    };
    assert_eq!(all(&mut table, 0), 4);
    assert_eq!(all(&mut table, 2), 6);
    assert!(hear(&mut table, "3", &receipts));
    assert_eq!(all(&mut table, 2), 1);
    // Those that were sent and are not there any more are sent again; what was just sent is not looked at.
    let queued = (0..8).map(|number| number.to_string()).collect();
    let ids: Vec<_> = table.lost(&queued, Instant::now()).into_iter().map(|(_, order)| order.id).collect();
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
    assert_eq!((0..10).map(&mut answer).collect::<Vec<_>>(), [[(0, 0); 9].as_slice(), &[(10, 10)]].concat());
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
