//! Workers that are wrong, slow or of different speed, with a real broker between them and a coordinator.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use broker::Broker;
use common::{
    Lines, Outcome, expected, forge, messages, next, options, solve, start, submit, task, wait_until,
    with_streams, worker, worker_options,
};
use gamete_arena::{
    Adjudication, Contestant, Executor, ExpertOutcome, Fake, GameName, GameTask, Limits, Listener,
    OutcomeReceipt, SolveTask, Task, TaskKey, TaskOutcome,
};
use gamete_game::{Color, Ending, Reason};
use gamete_grid::{Access, Grid, GridOptions, GridStatus, Lease, TimedGames, Worker, WorkerOptions};
use needs::{nats_server, needing};

#[path = "../../gamete/tests/common/broker.rs"]
mod broker;
mod common;
#[path = "../../gamete/tests/common/needs.rs"]
mod needs;

needing! {
    a_worker_that_lies_is_found_and_replaced: [nats_server()],
    the_coordinators_own_worker_decides: [nats_server()],
    nobody_else_can_be_the_coordinators_own_worker: [nats_server()],
    nonsense_is_done_again_by_others: [nats_server()],
    nonsense_that_comes_before_the_rest_of_its_batch_is_done_again: [nats_server()],
    nonsense_under_many_names_stops_nobody: [nats_server()],
    outcomes_of_tasks_of_nobody_are_left_out: [nats_server()],
    an_outcome_stays_at_the_broker_until_it_is_stored: [nats_server()],
    games_under_a_clock_are_told_by_worker: [nats_server()],
    clocks_are_scaled_by_the_speed_of_a_machine: [nats_server()],
    games_under_a_clock_wait_for_a_coordinator_that_comes_back: [nats_server()],
    outcomes_that_nobody_has_checked_wait_for_the_coordinator: [nats_server()],
}

fn named(broker: &Broker, name: &str, lines: &Lines) -> WorkerOptions {
    WorkerOptions { name: name.to_owned(), notices: lines.notices(), ..worker_options(broker) }
}

/// A worker that says of every position that it is solved if it is not, and the other way round.
fn liar(broker: &Broker, lines: &Lines) -> Worker {
    liar_of(broker, lines, Arc::default())
}

/// The same where it is noted what it was asked.
fn liar_of(broker: &Broker, lines: &Lines, asked: Arc<Mutex<HashSet<TaskKey>>>) -> Worker {
    let lie = move |task: &Task| {
        asked.lock().unwrap().insert(task.key());
        let TaskOutcome::Solve(mut outcome) = expected(task) else { unreachable!("positions to solve") };
        outcome.solutions.iter_mut().for_each(|solution| solution.solved = !solution.solved);
        Ok(TaskOutcome::Solve(outcome))
    };
    Worker::with_executor(named(broker, "liar", lines), Box::new(Fake::new(lie))).expect("a worker")
}

fn checked(broker: &Broker, share: &str, lines: &Lines) -> Grid {
    let checked = share.parse().expect("a share");
    Grid::start(GridOptions { checked, notices: lines.notices(), ..options(broker) }).expect("a grid")
}

fn a_worker_that_lies_is_found_and_replaced() {
    let broker = start();
    let tasks: Vec<Task> = (0..200).map(task).collect();
    let (lines, of_liar) = (Lines::default(), Lines::default());
    // First it is the only one, so that all is done by it.
    let asked = Arc::<Mutex<HashSet<TaskKey>>>::default();
    let liar = liar_of(&broker, &of_liar, Arc::clone(&asked));
    let grid = checked(&broker, "5%", &lines);
    let outcomes = submit(&grid, tasks.clone());
    wait_until("a lie", || (liar.counts().done > 20).then_some(()));
    assert!(outcomes.try_recv().is_err(), "what nobody has checked is told");
    let _honest = [(); 2].map(|()| worker(&broker));
    let mut told = 0;
    for (number, outcome) in &outcomes {
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
        told += 1;
    }
    assert_eq!(told, tasks.len());
    let line = lines.wait_for("is wrong about task");
    assert!(line.starts_with(&format!("worker liar ({}) is wrong about task ", liar.id())), "{line}");
    assert!(line.contains("it gets no more tasks, and "), "{line}");
    of_liar.wait_for("has found an outcome of this worker wrong, and gives it no more tasks");
    wait_until("the end of its work", || (liar.counts().experiments == 0).then_some(()));
    let more: Vec<Task> = (300..340).map(task).collect();
    let outcomes = submit(&grid, more.clone());
    assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 40);
    let asked = asked.lock().unwrap();
    assert!(more.iter().all(|task| !asked.contains(&task.key())), "it gets no more");
    grid.finish();
}

fn the_coordinators_own_worker_decides() {
    let broker = start();
    let (lines, of_liars) = (Lines::default(), Lines::default());
    // Two that lie in the same way agree.
    let _liars = [(); 2].map(|()| liar(&broker, &of_liars));
    let grid = checked(&broker, "100%", &lines);
    let own = worker(&broker);
    grid.believe(&own);
    let tasks: Vec<Task> = (0..30).map(task).collect();
    for (number, outcome) in &submit(&grid, tasks.clone()) {
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    lines.wait_for("is wrong about task ");
    grid.finish();
}

fn nobody_else_can_be_the_coordinators_own_worker() {
    let broker = start();
    let lines = Lines::default();
    let grid = checked(&broker, "100%", &lines);
    let own = worker(&broker);
    grid.believe(&own);
    // Nobody else answers.
    own.leave();
    wait_until("the end of a worker", || own.has_left().then_some(()));
    let outcomes = submit(&grid, [task(1)]);
    wait_until("a task in the queue", || (messages(&broker, "tasks") > 0).then_some(()));
    let result = serde_json::json!({ "Err": { "refused": "a lie" } });
    let answer = serde_json::json!({ "id": task(1).key().to_string(), "micros": 1, "result": result });
    forge(&broker, &grid, own.id(), &serde_json::json!([answer]));
    lines.wait_for("it is not sealed by the worker whose name it has");
    assert!(outcomes.try_recv().is_err(), "a lie is told");
    grid.finish();
}

fn nonsense_is_done_again_by_others() {
    let broker = start();
    let (lines, of_fool) = (Lines::default(), Lines::default());
    // An outcome of another kind of task, one of too few positions, a game that cannot be played and one that did not end so.
    let nonsense = |task: &Task| {
        let Task::Solve(task) = task else {
            let TaskOutcome::Game(mut game) = expected(task) else { unreachable!("a game") };
            match task.contestants().any(|one| one.limits == Limits::nodes(3)) {
                true => (game.moves, game.thoughts) = (vec!["e4".to_owned(), "xx".to_owned()], vec![None; 2]),
                false => game.termination = Ending::win(Color::White, Reason::Checkmate).into(),
            }
            return Ok(TaskOutcome::Game(game));
        };
        Ok(match task.solver.limits == Limits::nodes(21) {
            true => TaskOutcome::Expert(ExpertOutcome { agreed: vec![true], nodes: 1 }),
            false => TaskOutcome::Solve(gamete_arena::SolveOutcome { solutions: Vec::new() }),
        })
    };
    for (number, task, kind) in [
        (1, task(1), "kind of task"),
        (2, task(2), "number of positions"),
        (3, game(3, "nodes=3"), "a move that cannot be played"),
        (4, game(4, "nodes=4"), "another end than its moves have"),
    ] {
        let fool = Worker::with_executor(named(&broker, "fool", &of_fool), Box::new(Fake::new(nonsense)));
        let fool = fool.expect("a worker");
        let options = GridOptions {
            experiment: format!("test {number}"),
            notices: lines.notices(),
            ..options(&broker)
        };
        let grid = Grid::start(options).expect("a grid");
        let outcomes = submit(&grid, [task.clone()]);
        let line = lines.wait_for(kind);
        assert!(line.starts_with(&format!("worker fool ({}) is wrong about task ", fool.id())), "{line}");
        wait_until("the end of its work", || (fool.counts().experiments == 0).then_some(()));
        let _honest = worker(&broker);
        assert_eq!(next(&outcomes).1.expect("an outcome"), expected(&task));
        grid.finish();
    }
}

/// Does each task on a thread of its own, by a function.
struct Threads<F>(Arc<F>);

impl<F: Fn(&Task) -> Outcome + Send + Sync + 'static> Executor for Threads<F> {
    fn submit(&self, _key: TaskKey, task: Task, mut listener: Box<dyn Listener>) {
        let answer = Arc::clone(&self.0);
        std::thread::spawn(move || {
            listener.begin();
            let outcome = answer(&task);
            listener.done(task, outcome);
        });
    }

    fn close(&self) {}

    fn stop(&self) {}

    fn capacity(&self) -> usize {
        1
    }

    fn busy(&self) -> Duration {
        Duration::ZERO
    }
}

fn nonsense_that_comes_before_the_rest_of_its_batch_is_done_again() {
    let broker = start();
    // Long enough that nothing is given out again, or looked for, while the test runs.
    let hour = Duration::from_secs(3600);
    let lease = Lease { wait: hour, patience: hour, ..Lease::default() };
    let grid = Grid::start(GridOptions { lease, ..options(&broker) }).expect("a grid");
    // First it is honest, so that tasks are known to be quick. Then it answers every other task with nonsense, and the others later.
    let is_open = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&is_open);
    let answer = move |task: &Task| {
        let Task::Solve(solve) = task else { unreachable!("positions to solve") };
        let nodes = solve.solver.limits.nodes.expect("a limit");
        if nodes < 1_000 {
            return Ok(expected(task));
        }
        if nodes % 2 == 0 {
            return Ok(TaskOutcome::Solve(gamete_arena::SolveOutcome { solutions: Vec::new() }));
        }
        wait_until("the end of a task", || waits.load(Ordering::Relaxed).then_some(()));
        Ok(expected(task))
    };
    let fool = Worker::with_executor(worker_options(&broker), Box::new(Threads(Arc::new(answer))));
    let fool = fool.expect("a worker");
    let outcomes = submit(&grid, (0..20).map(task));
    assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 20);
    let tasks: Vec<Task> = (0..40).map(|number| solve(Limits::nodes(1_000 + number))).collect();
    let outcomes = submit(&grid, tasks.clone());
    wait_until("nonsense", || (fool.counts().done > 20).then_some(()));
    let _honest = worker(&broker);
    let mut told = HashSet::new();
    let is_even = |number: &usize| number.is_multiple_of(2);
    while told.iter().filter(|number| is_even(number)).count() < 20 {
        let (number, outcome) = next(&outcomes);
        assert!(told.insert(number), "told twice");
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert!(told.len() < 40, "the others are in the hands of the first worker");
    is_open.store(true, Ordering::Relaxed);
    assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 40 - told.len());
    grid.finish();
}

/// Sends messages with the outcomes of a task as any worker could, each under another name.
fn forge_many(broker: &Broker, grid: &Grid, count: usize, answers: &serde_json::Value) {
    let subject = format!("gamete.outcome.{}", grid.slug());
    with_streams(broker, |context, _| async move {
        for number in 0..count {
            let id = format!("{number:064}");
            let message = serde_json::json!({ "version": 3, "batch": "b", "worker": "forger", "id": id, "answers": answers });
            let payload = zstd::encode_all(message.to_string().as_bytes(), 1).expect("memory");
            // It is heartbeats that make it a worker that is there.
            let heartbeat = serde_json::json!({
                "version": 3, "id": id, "name": "forger", "inbox": "_INBOX.x", "signature": "", "concurrency": 1,
                "serves": [], "done": 0, "failed": 0, "rate": 0.0, "leaving": false
            });
            let client = context.client();
            let beat = client.publish("gamete.worker.x", heartbeat.to_string().into_bytes().into());
            beat.await.expect("a broker");
            client.publish(subject.clone(), payload.into()).await.expect("a broker");
        }
    });
}

fn nonsense_under_many_names_stops_nobody() {
    const NAMES: usize = 3_000;
    let broker = start();
    let lines = Lines::default();
    let grid = GridOptions { notices: lines.notices(), ..options(&broker) };
    let grid = Grid::start(grid).expect("a grid");
    let tasks: Vec<Task> = (0..10).map(task).collect();
    let outcomes = submit(&grid, tasks.clone());
    wait_until("a full queue", || (messages(&broker, "tasks") == 4).then_some(()));
    let result = serde_json::json!({ "Ok": { "expert": { "agreed": [true], "nodes": 1 } } });
    let answer = serde_json::json!({ "id": tasks[0].key().to_string(), "micros": 1, "result": result });
    let offers = Lines::default();
    let heard = Arc::clone(&offers.0);
    let url = broker.url();
    let is_over = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&is_over);
    let listener = std::thread::spawn(move || {
        use futures_util::StreamExt as _;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let client = async_nats::connect(url).await.expect("a broker");
            let mut offers = client.subscribe("gamete.offer").await.expect("a broker");
            while !ends.load(Ordering::Relaxed) {
                if let Some(offer) = offers.next().await {
                    heard.lock().unwrap().push(String::from_utf8(offer.payload.to_vec()).expect("text"));
                }
            }
        });
    });
    forge_many(&broker, &grid, NAMES, &serde_json::json!([answer]));
    wait_until("the end of the nonsense", || (messages(&broker, "outcomes") == 0).then_some(()));
    assert_eq!(messages(&broker, "tasks"), 4, "what is in the queue is not sent again");
    let refused = |offer: &String| {
        let offer: serde_json::Value = serde_json::from_str(offer).expect("an offer");
        offer["refused"].as_array().map_or(0, Vec::len)
    };
    wait_until("an offer", || {
        offers.0.lock().unwrap().iter().any(|offer| refused(offer) == 500).then_some(())
    });
    let _honest = worker(&broker);
    for (number, outcome) in &outcomes {
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert!(offers.0.lock().unwrap().iter().all(|offer| refused(offer) <= 500));
    let said = lines.0.lock().unwrap().len();
    assert!(said < NAMES / 5, "{said} lines");
    is_over.store(true, Ordering::Relaxed);
    listener.join().expect("a listener that ends at the next offer");
    grid.finish();
}

fn outcomes_of_tasks_of_nobody_are_left_out() {
    let broker = start();
    let lines = Lines::default();
    let grid = GridOptions { notices: lines.notices(), ..options(&broker) };
    let grid = Grid::start(grid).expect("a grid");
    let outcomes = submit(&grid, [task(1)]);
    for number in 2..5 {
        let result = serde_json::json!({ "Err": { "refused": "no" } });
        let answer =
            serde_json::json!({ "id": task(number).key().to_string(), "micros": 1, "result": result });
        forge(&broker, &grid, "7", &serde_json::json!([answer]));
    }
    wait_until("the end of all messages", || (messages(&broker, "outcomes") == 0).then_some(()));
    assert_eq!(
        *lines.0.lock().unwrap(),
        [
            "worker forger (7) sent an outcome of a task that was not given out, or was answered in an earlier \
                 session; it is left out"
        ]
    );
    assert_eq!(grid.unclaimed(), 0);
    let _worker = worker(&broker);
    assert_eq!(next(&outcomes).1.expect("an outcome"), expected(&task(1)));
    grid.finish();
}

/// Somebody who says later that an outcome is stored.
struct Storing(mpsc::Sender<OutcomeReceipt>);

impl Listener for Storing {
    fn done(self: Box<Self>, _: Task, _: Outcome) {
        unreachable!("there is a receipt");
    }

    fn done_with_receipt(self: Box<Self>, _: Task, outcome: Outcome, receipt: OutcomeReceipt) {
        assert!(outcome.is_ok());
        self.0.send(receipt).expect("somebody who listens");
    }
}

fn an_outcome_stays_at_the_broker_until_it_is_stored() {
    let broker = start();
    let worker = worker(&broker);
    let submit = |grid: &Grid| {
        let (sender, receiver) = mpsc::channel();
        grid.submit(task(1).key(), task(1), Box::new(Storing(sender)));
        receiver.recv_timeout(Duration::from_secs(120)).expect("an outcome")
    };
    let grid = Grid::start(options(&broker)).expect("a grid");
    let receipt = submit(&grid);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(messages(&broker, "outcomes"), 1);
    // The coordinator dies before it is stored.
    drop((grid, receipt));
    let grid = Grid::start(options(&broker)).expect("a grid");
    assert_eq!(grid.unclaimed(), 1);
    let receipt = submit(&grid);
    receipt();
    wait_until("an acknowledgement", || (messages(&broker, "outcomes") == 0).then_some(()));
    assert_eq!(worker.counts().done, 1);
    grid.finish();
}

fn outcomes_that_nobody_has_checked_wait_for_the_coordinator() {
    let broker = start();
    let lines = Lines::default();
    let tasks: Vec<Task> = (0..4).map(task).collect();
    let grid = checked(&broker, "1%", &lines);
    let one = worker(&broker);
    let outcomes = submit(&grid, tasks.clone());
    wait_until("tasks that are done", || (one.counts().done == 4).then_some(()));
    wait_until("outcomes", || {
        (messages(&broker, "outcomes") > 0 && messages(&broker, "tasks") == 0).then_some(())
    });
    drop(grid);
    assert_eq!(outcomes.iter().count(), 0);
    // They are at the broker, and a second worker checks them: the first of a worker are all checked.
    let grid = checked(&broker, "1%", &lines);
    let two = worker(&broker);
    for (number, outcome) in &submit(&grid, tasks.clone()) {
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert_eq!((one.counts().done, two.counts().done), (4, 4));
    grid.finish();
}

/// A game under a clock, which ends after two moves.
fn timed_game(number: u64) -> Task {
    game(number, "st=0.001")
}

/// The same with other limits.
fn game(number: u64, limits: &str) -> Task {
    let Task::Solve(SolveTask { solver, positions, .. }) = solve(limits.parse().expect("limits")) else {
        unreachable!("positions to solve")
    };
    let player = |name: &str| Contestant { name: name.to_owned(), time_margin_ms: 60_000, ..solver.clone() };
    let task = GameTask {
        game: GameName::Chess,
        start: positions[0].fen.clone(),
        book: Vec::new(),
        white: player("a"),
        black: player("b"),
        adjudication: Adjudication { max_moves: Some(2), ..Adjudication::default() },
        seed: number,
        details: false,
    };
    task.into()
}

fn games_under_a_clock_are_told_by_worker() {
    let broker = start();
    let lines = Lines::default();
    let grid = checked(&broker, "100%", &lines);
    let play = |worker: &WorkerOptions, answer: Option<&'static str>| {
        let worker = match answer {
            None => Worker::start(worker.clone()).expect("a worker"),
            Some(termination) => {
                let fake = move |task: &Task| {
                    let TaskOutcome::Game(mut game) = expected(task) else { unreachable!("a game") };
                    // Black fails before its last move.
                    game.moves.pop();
                    game.thoughts.pop();
                    game.termination = serde_json::from_str(termination).expect("a termination");
                    Ok(TaskOutcome::Game(game))
                };
                Worker::with_executor(worker.clone(), Box::new(Fake::new(fake))).expect("a worker")
            }
        };
        let outcomes = submit(&grid, (0..30).map(timed_game));
        assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 30, "none of them waits");
        drop(worker);
    };
    play(&named(&broker, "one", &lines), None);
    play(&named(&broker, "two", &lines), None);
    play(&named(&broker, "hot", &lines), Some(r#"{"disconnect":{"loser":"black"}}"#));
    let report = wait_until("a report of all workers", || {
        let status = GridStatus::ask(&Access::new(broker.url()), Duration::from_millis(500));
        let report = status.expect("a status").experiments.remove(0).report;
        report.filter(|report| report.workers.len() == 3)
    });
    let found: Vec<_> = report
        .workers
        .iter()
        .map(|worker| {
            let TimedGames { wins, draws, losses, crashes, time_losses } = worker.games;
            (worker.name.as_str(), [wins, draws, losses, crashes, time_losses], worker.is_suspect())
        })
        .collect();
    assert_eq!(
        found,
        [
            ("hot", [30, 0, 0, 30, 0], true),
            ("one", [0, 30, 0, 0, 0], false),
            ("two", [0, 30, 0, 0, 0], false)
        ]
    );
    assert_eq!((report.failed, report.workers[0].told, report.workers[0].concurrency), (0, 30, 1));
    assert_eq!(grid.workers()[1].games, report.workers[1].games);
    grid.finish();
}

/// Somebody who waits for a game that is journalled.
struct Journalled(usize, mpsc::Sender<(usize, Outcome)>);

impl Listener for Journalled {
    fn place(&self) -> Option<String> {
        Some(self.0.to_string())
    }

    fn done(self: Box<Self>, _: Task, outcome: Outcome) {
        let _ = self.1.send((self.0, outcome));
    }
}

fn games_under_a_clock_wait_for_a_coordinator_that_comes_back() {
    let broker = start();
    // The same game three times: three different ones.
    let submit = |grid: &Grid| {
        let (sender, receiver) = mpsc::channel();
        for place in 0..3 {
            let task = timed_game(7);
            grid.submit(task.key(), task, Box::new(Journalled(place, sender.clone())));
        }
        receiver
    };
    let (is_open, played) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let slow = {
        let (is_open, played) = (Arc::clone(&is_open), Arc::clone(&played));
        move |task: &Task| {
            played.fetch_add(1, Ordering::Relaxed);
            wait_until("the end of a game", || is_open.load(Ordering::Relaxed).then_some(()));
            Ok(expected(task))
        }
    };
    let _worker =
        Worker::with_executor(worker_options(&broker), Box::new(Fake::new(slow))).expect("a worker");
    let grid = Grid::start(options(&broker)).expect("a grid");
    let outcomes = submit(&grid);
    wait_until("a game in hand", || (played.load(Ordering::Relaxed) > 0).then_some(()));
    drop(grid);
    assert_eq!(outcomes.iter().count(), 0);
    is_open.store(true, Ordering::Relaxed);
    wait_until("the end of all games", || (messages(&broker, "tasks") == 0).then_some(()));
    let grid = Grid::start(options(&broker)).expect("a grid");
    assert_eq!(grid.unclaimed(), 3);
    let outcomes = submit(&grid);
    assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 3);
    assert_eq!(played.load(Ordering::Relaxed), 3, "none is played again");
    drop(grid);
    // Whoever starts over hears of none of them.
    is_open.store(false, Ordering::Relaxed);
    let grid = Grid::start(options(&broker)).expect("a grid");
    drop(submit(&grid));
    wait_until("a game in hand", || (played.load(Ordering::Relaxed) > 3).then_some(()));
    drop(grid);
    is_open.store(true, Ordering::Relaxed);
    wait_until("outcomes", || (messages(&broker, "outcomes") > 0).then_some(()));
    let fresh = Grid::start(GridOptions { fresh: true, ..options(&broker) }).expect("a grid");
    assert_eq!(fresh.unclaimed(), 0);
    fresh.finish();
}

fn clocks_are_scaled_by_the_speed_of_a_machine() {
    let broker = start();
    let reference = Some(1_000_000);
    let grid = Grid::start(GridOptions { reference, ..options(&broker) }).expect("a grid");
    let thought = Arc::new(Mutex::new(Vec::new()));
    let fake = {
        let thought = Arc::clone(&thought);
        move |task: &Task| {
            let limits: Vec<String> = task.contestants().map(|one| one.limits.to_string()).collect();
            thought.lock().unwrap().push(limits.join(", "));
            Ok(expected(task))
        }
    };
    let fast = WorkerOptions { speed: Some(4_000_000), ..worker_options(&broker) };
    let worker = Worker::with_executor(fast, Box::new(Fake::new(fake))).expect("a worker");
    let (_, outcome) = next(&submit(&grid, [timed_game(1)]));
    let Ok(TaskOutcome::Game(game)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(game.timing.and_then(|timing| timing.clock_scale), Some(250));
    // Nodes are nodes everywhere.
    assert!(next(&submit(&grid, [task(1)])).1.is_ok());
    assert_eq!(*thought.lock().unwrap(), ["st=0.00025, st=0.00025", "nodes=21"]);
    drop(worker);
    // A machine that does not know its speed measures it.
    let _worker = Worker::start(worker_options(&broker)).expect("a worker");
    let (_, outcome) = next(&submit(&grid, [timed_game(1)]));
    let Ok(TaskOutcome::Game(game)) = outcome else { panic!("{outcome:?}") };
    assert!(game.timing.is_some_and(|timing| timing.clock_scale.is_some()));
    wait_until("the speed of a worker", || {
        let status = GridStatus::ask(&Access::new(broker.url()), Duration::from_millis(500));
        status.expect("a status").workers.first()?.speed.filter(|&speed| speed > 0)
    });
    grid.finish();
}
