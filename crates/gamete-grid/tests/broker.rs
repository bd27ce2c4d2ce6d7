//! A coordinator and workers in one process, with a real broker between them.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::stream;
use broker::Broker;
use common::{
    Lines, endless, expected, forge, large_task, messages, next, options, refused, solve, start, submit,
    task, wait_until, with_streams, worker, worker_options,
};
use futures_util::TryStreamExt as _;
use gamete_arena::uci::{EngineCatalog, EngineSpec};
use gamete_arena::{Competitor, Executor as _, Fake, Limits, NamedEngine, Task, TaskError, TaskOutcome};
use gamete_grid::{Access, Grid, GridError, GridOptions, GridStatus, Lease, Worker, WorkerOptions};
use needs::{nats_server, needing};

#[path = "../../gamete/tests/common/broker.rs"]
mod broker;
mod common;
#[path = "../../gamete/tests/common/needs.rs"]
mod needs;

needing! {
    outcomes_are_the_same_with_any_number_of_workers: [nats_server()],
    a_coordinator_that_comes_back_finds_what_was_done: [nats_server()],
    tasks_that_the_broker_lost_are_sent_again: [nats_server()],
    a_task_of_a_worker_that_is_silent_goes_elsewhere: [nats_server()],
    a_task_that_is_never_answered_is_named: [nats_server()],
    games_in_hand_are_given_back: [nats_server()],
    all_that_comes_to_a_worker_that_leaves_is_given_back: [nats_server()],
    a_worker_drops_what_an_experiment_that_is_over_has_left: [nats_server()],
    nobody_waits_for_tasks_of_an_experiment_that_is_over: [nats_server()],
    a_batch_that_fails_is_given_out_later_each_time: [nats_server()],
    a_worker_that_refuses_all_stops_nobody: [nats_server()],
    a_task_that_the_only_worker_refuses_is_named: [nats_server()],
    a_worker_without_an_engine_is_never_asked: [nats_server()],
    another_program_is_told_so_and_gets_nothing: [nats_server()],
    messages_that_are_not_ours_are_left_out: [nats_server()],
    what_is_wrong_with_a_broker_is_said: [nats_server()],
    nothing_is_left_of_an_experiment: [nats_server()],
    a_stream_is_kept_on_as_many_brokers_as_are_asked_for: [nats_server()],
    streams_of_others_are_named: [nats_server()],
    a_queue_that_no_worker_serves_is_told_of: [nats_server()],
    an_experiment_that_nobody_comes_back_to_is_removed: [nats_server()],
    a_worker_needs_no_more_rights_than_the_docs_give_it: [nats_server()],
    a_run_survives_a_worker_that_has_its_streams_removed: [nats_server()],
    passwords_of_digits_are_passwords: [nats_server()],
}

fn outcomes_are_the_same_with_any_number_of_workers() {
    let broker = start();
    let tasks: Vec<Task> = (0..300).map(task).collect();
    for workers in [1, 4] {
        let workers: Vec<Worker> = (0..workers).map(|_| worker(&broker)).collect();
        let grid = Grid::start(options(&broker)).expect("a grid");
        // Each twice: one with the key of another is done once or twice, and told of twice.
        let outcomes = submit(&grid, tasks.iter().chain(&tasks).cloned());
        let mut told = HashSet::new();
        for (number, outcome) in &outcomes {
            assert!(told.insert(number), "told twice");
            assert_eq!(outcome.expect("an outcome"), expected(&tasks[number % tasks.len()]));
        }
        assert_eq!(told.len(), 2 * tasks.len());
        assert!(grid.busy() > Duration::ZERO);
        // A worker may have taken no part.
        wait_until("all workers", || (grid.capacity() == workers.len()).then_some(()));
        grid.finish();
    }
}

fn a_coordinator_that_comes_back_finds_what_was_done() {
    let broker = start();
    // On a busy machine, a worker may be silent for a while.
    let lease = Lease { wait: Duration::from_secs(60), ..options(&broker).lease };
    let options = |broker: &Broker| GridOptions { lease, ..options(broker) };
    let tasks: Vec<Task> = (0..40).map(task).collect();
    for _ in 0..2 {
        // Nobody works, so that a few are in the queue when it leaves, and the second time they are the same ones.
        let grid = Grid::start(options(&broker)).expect("a grid");
        let outcomes = submit(&grid, tasks.clone());
        wait_until("a full queue", || (messages(&broker, "tasks") == 4).then_some(()));
        std::thread::sleep(Duration::from_millis(300));
        drop(grid);
        assert_eq!(outcomes.iter().count(), 0);
        assert_eq!(messages(&broker, "tasks"), 4);
    }
    let worker = worker(&broker);
    let grid = Grid::start(options(&broker)).expect("a grid");
    let outcomes = submit(&grid, tasks.clone());
    for (number, outcome) in &outcomes {
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert_eq!(worker.counts().done, 40, "what was in the queue was done once");
    // The last of them may be told before the worker has put it aside.
    wait_until("an idle worker", || (worker.counts().in_hand == 0).then_some(()));
    // It leaves while a task is in hand, and comes back when it is done.
    let long = || [solve(Limits::nodes(6_000_000))];
    let outcomes = submit(&grid, long());
    wait_until("a task in hand", || (worker.counts().in_hand == 1).then_some(()));
    drop(grid);
    assert_eq!(outcomes.iter().count(), 0);
    wait_until("an outcome that waits", || (messages(&broker, "outcomes") == 1).then_some(()));
    let grid = Grid::start(options(&broker)).expect("a grid");
    assert_eq!(grid.unclaimed(), 1);
    assert!(next(&submit(&grid, long())).1.is_ok());
    assert_eq!((worker.counts().done, grid.unclaimed()), (41, 0));
    wait_until("an acknowledgement", || (messages(&broker, "outcomes") == 0).then_some(()));
    grid.finish();
}

fn tasks_that_the_broker_lost_are_sent_again() {
    let broker = start();
    let grid = Grid::start(options(&broker)).expect("a grid");
    let outcomes = submit(&grid, (0..5).map(task));
    std::thread::sleep(Duration::from_millis(300));
    with_streams(&broker, |context, names| async move {
        for name in names {
            context.delete_stream(name).await.expect("a stream that is there");
        }
    });
    let _worker = worker(&broker);
    assert_eq!(outcomes.iter().take(5).filter(|(_, outcome)| outcome.is_ok()).count(), 5);
    grid.finish();
}

fn a_task_of_a_worker_that_is_silent_goes_elsewhere() {
    let broker = start();
    let grid = Grid::start(options(&broker)).expect("a grid");
    let outcomes = submit(&grid, [task(1)]);
    wait_until("a task in the queue", || {
        let mut taken = false;
        // Somebody takes the task and is never heard of again.
        with_streams(&broker, |context, names| {
            let taken = &mut taken;
            async move {
                use futures_util::StreamExt as _;
                let Some(tasks) = names.iter().find(|name| name.contains("tasks")) else { return };
                let stream = context.get_stream(tasks).await.expect("a stream");
                let Some(Ok(consumer)) = stream.consumer_names().next().await else { return };
                let consumer: async_nats::jetstream::consumer::PullConsumer =
                    stream.get_consumer(&consumer).await.expect("a queue");
                let mut messages = consumer.fetch().max_messages(1).messages().await.expect("messages");
                *taken = messages.next().await.is_some();
            }
        });
        taken.then_some(())
    });
    let worker = worker(&broker);
    let (_, outcome) = next(&outcomes);
    assert_eq!(outcome.expect("an outcome"), expected(&task(1)));
    assert_eq!(worker.counts().done, 1);
    grid.finish();
}

fn a_task_that_is_never_answered_is_named() {
    let broker = start();
    let lines = Lines::default();
    let lease = Lease {
        wait: Duration::from_millis(200),
        deliveries: 2,
        patience: Duration::from_secs(1),
        ..Lease::default()
    };
    let grid =
        Grid::start(GridOptions { notices: lines.notices(), lease, ..options(&broker) }).expect("a grid");
    let outcomes = submit(&grid, [endless()]);
    // Workers that are gone before they answer.
    let outcome = loop {
        let worker = worker(&broker);
        if let Ok(outcome) = outcomes.recv_timeout(Duration::from_millis(500)) {
            break outcome;
        }
        drop(worker);
    };
    let error = outcome.1.expect_err("no outcome").to_string();
    assert!(
        error.starts_with("task ") && error.ends_with("was given to workers 2 times, and none has answered"),
        "{error}"
    );
    lines.wait_for("2 times, and none has answered");
    grid.finish();
}

fn games_in_hand_are_given_back() {
    let broker = start();
    let stop = Arc::new(AtomicBool::new(false));
    let lease = Lease { wait: Duration::from_secs(300), ..Lease::default() };
    let grid =
        Grid::start(GridOptions { stop: Arc::clone(&stop), lease, ..options(&broker) }).expect("a grid");
    let first = worker(&broker);
    let outcomes = submit(&grid, [endless()]);
    wait_until("a task in hand", || (first.counts().in_hand == 1).then_some(()));
    first.leave();
    assert!(!first.has_left());
    first.give_back();
    wait_until("the end of a worker", || first.has_left().then_some(()));
    // Long before the lease is over.
    let second = worker(&broker);
    wait_until("the same task in hand", || (second.counts().in_hand == 1).then_some(()));
    stop.store(true, Ordering::Relaxed);
    assert_eq!(outcomes.iter().count(), 0, "nobody waits any more");
    grid.finish();
}

fn all_that_comes_to_a_worker_that_leaves_is_given_back() {
    let broker = start();
    // Nothing is given out again for want of news while the test runs.
    let hour = Duration::from_secs(3600);
    let lease = Lease { wait: hour, patience: hour, ..Lease::default() };
    let grid = Grid::start(GridOptions { lease, ..options(&broker) }).expect("a grid");
    let first = Worker::start(WorkerOptions { concurrency: 4, ..worker_options(&broker) }).expect("a worker");
    assert!(next(&submit(&grid, [task(0)])).1.is_ok());
    // It has asked for eight batches, and waits for them.
    wait_until("an idle worker", || (first.counts().in_hand == 0).then_some(()));
    std::thread::sleep(Duration::from_millis(200));
    first.leave();
    let outcomes = submit(&grid, (1..9).map(task));
    wait_until("the end of a worker", || first.has_left().then_some(()));
    let _second = worker(&broker);
    for _ in 1..9 {
        assert!(next(&outcomes).1.is_ok());
    }
    grid.finish();
}

fn a_worker_drops_what_an_experiment_that_is_over_has_left() {
    let broker = start();
    let lines = Lines::default();
    let is_open = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&is_open);
    let answer = move |task: &Task| {
        wait_until("the end of a task", || waits.load(Ordering::Relaxed).then_some(()));
        Ok(expected(task))
    };
    let of_worker = WorkerOptions { notices: lines.notices(), ..worker_options(&broker) };
    let worker = Worker::with_executor(of_worker, Box::new(Fake::new(answer))).expect("a worker");
    let grid = Grid::start(options(&broker)).expect("a grid");
    let _outcomes = submit(&grid, [task(1)]);
    wait_until("a task in hand", || (worker.counts().in_hand == 1).then_some(()));
    grid.finish();
    is_open.store(true, Ordering::Relaxed);
    lines.wait_for("the broker cannot take a message: ");
    let begun = Instant::now();
    wait_until("an idle worker", || (worker.counts().in_hand == 0).then_some(()));
    // Not some minutes.
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

fn nobody_waits_for_tasks_of_an_experiment_that_is_over() {
    let broker = start();
    let worker = worker(&broker);
    for number in 0..3 {
        let experiment = format!("test {number}");
        let grid = Grid::start(GridOptions { experiment, ..options(&broker) }).expect("a grid");
        assert!(next(&submit(&grid, [task(number)])).1.is_ok());
        // It has asked for more.
        std::thread::sleep(Duration::from_millis(200));
        grid.finish();
        let begun = Instant::now();
        wait_until("the end of its work", || (worker.counts().experiments == 0).then_some(()));
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

fn a_batch_that_fails_is_given_out_later_each_time() {
    let broker = start();
    let lease = Lease { wait: Duration::from_secs(300), ..Lease::default() };
    let grid = Grid::start(GridOptions { lease, ..options(&broker) }).expect("a grid");
    let attempts = Arc::<Mutex<Vec<Instant>>>::default();
    // One who breaks off the first two times, and does not leave.
    let of_worker = Arc::clone(&attempts);
    let executor = Fake::new(move |task| {
        let mut attempts = of_worker.lock().unwrap();
        attempts.push(Instant::now());
        if attempts.len() < 3 { Err(TaskError::Interrupted) } else { Ok(expected(task)) }
    });
    let _worker = Worker::with_executor(worker_options(&broker), Box::new(executor)).expect("a worker");
    let outcomes = submit(&grid, [task(1)]);
    assert_eq!(next(&outcomes).1.expect("an outcome"), expected(&task(1)));
    let attempts = attempts.lock().unwrap();
    let gaps: Vec<_> = attempts.windows(2).map(|pair| (pair[1] - pair[0]).as_millis()).collect();
    assert!(gaps.len() == 2 && gaps[0] >= 240 && gaps[1] >= 490, "{gaps:?}");
    grid.finish();
}

/// A worker that has no outcome of anything.
fn broken(broker: &Broker) -> Worker {
    let executor = Fake::new(|_: &Task| Err(TaskError::Elsewhere("no memory".to_owned())));
    let options = WorkerOptions { name: "broken".to_owned(), concurrency: 4, ..worker_options(broker) };
    Worker::with_executor(options, Box::new(executor)).expect("a worker")
}

fn a_worker_that_refuses_all_stops_nobody() {
    let broker = start();
    let lines = Lines::default();
    let (_broken, _honest) = (broken(&broker), worker(&broker));
    let grid = Grid::start(GridOptions { notices: lines.notices(), ..options(&broker) }).expect("a grid");
    // Each takes some sooner or later.
    let mut count = 0;
    while lines.0.lock().unwrap().is_empty() {
        let tasks: Vec<Task> = (count..count + 50).map(task).collect();
        count += 50;
        for (number, outcome) in &submit(&grid, tasks.clone()) {
            assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
        }
    }
    let line = lines.wait_for("no memory");
    assert!(
        line.starts_with("task ")
            && line.ends_with(" of chess/material (chess): worker broken: no memory; it is given out again"),
        "{line}"
    );
    grid.finish();
}

fn a_task_that_the_only_worker_refuses_is_named() {
    let broker = start();
    let grid = Grid::start(options(&broker)).expect("a grid");
    let worker = broken(&broker);
    let outcomes = submit(&grid, [task(1)]);
    let error = next(&outcomes).1.expect_err("no outcome").to_string();
    assert!(error.starts_with("task ") && error.ends_with("(chess): worker broken: no memory"), "{error}");
    assert_eq!((worker.counts().done, worker.counts().failed), (5, 5));
    grid.finish();
}

fn a_worker_without_an_engine_is_never_asked() {
    let broker = start();
    let lines = Lines::default();
    let without = Worker::start(WorkerOptions { notices: lines.notices(), ..worker_options(&broker) })
        .expect("a worker");
    let grid = Grid::start(options(&broker)).expect("a grid");
    let folder = tempfile::tempdir().expect("a folder");
    let ran = folder.path().join("ran");
    let command = format!("touch {}; exit 1", ran.display());
    let with_engine = |name: &str, content: Option<&str>| {
        let Task::Solve(mut task) = task(1) else { unreachable!() };
        let content = content.map(str::to_owned);
        let options = vec![("Hash".to_owned(), "1".to_owned())];
        task.solver.competitor = Competitor::Engine(NamedEngine { name: name.to_owned(), content, options });
        Task::from(task)
    };
    // A command in the place of a name is a name.
    let outcomes = submit(&grid, [with_engine(&command, None), with_engine("x", Some("1a"))]);
    lines.wait_for(&format!(
        "test is not helped from here: there is no engine called {command:?} here; the catalogue has none"
    ));
    lines.wait_for("no engine called \"x\"");
    assert_eq!((without.counts().done, without.counts().in_hand, ran.exists()), (0, 0, false));
    // One that does not know what its program is, is not asked for a certain one.
    let mut engines = EngineCatalog::default();
    engines.add("x", EngineSpec::new("/bin/false"), None);
    let engines = Arc::new(engines);
    let unsure = WorkerOptions { engines, notices: lines.notices(), ..worker_options(&broker) };
    let unsure = Worker::start(unsure).expect("a worker");
    lines.wait_for("it is not known what the engine called \"x\" is here, and the task is for 1a");
    assert_eq!((unsure.counts().done, unsure.counts().in_hand), (0, 0));
    // One with the engine has it run its own program and nothing else.
    let mut engines = EngineCatalog::default();
    engines.add("x", EngineSpec::new("/bin/false"), Some("1a".to_owned()));
    let with = Worker::start(WorkerOptions { engines: Arc::new(engines), ..worker_options(&broker) });
    let with = with.expect("a worker");
    let (number, outcome) = next(&outcomes);
    assert_eq!(number, 1);
    let Ok(TaskOutcome::Solve(outcome)) = outcome else { panic!("{outcome:?}") };
    assert!(outcome.solutions[0].fault.is_some(), "a program that does not play");
    assert_eq!((with.counts().done, without.counts().done, ran.exists()), (1, 0, false));
    grid.finish();
}

fn another_program_is_told_so_and_gets_nothing() {
    let broker = start();
    let lines = Lines::default();
    let worker = Worker::start(WorkerOptions { notices: lines.notices(), ..worker_options(&broker) });
    let worker = worker.expect("a worker");
    let offer = |version: u32, signature: &str| {
        format!(
            r#"{{"version":{version},"experiment":"e","slug":"s","signature":"{signature}","lease_ms":1000,
            "queues":[{{"token":"none","engines":[]}}],"open":1,"told":0}}"#
        )
    };
    let offers = [offer(3, "2-other"), offer(4, "x"), "hello".to_owned()];
    let line = wait_until("an answer to offers", || {
        // The broker may not know yet that the worker listens.
        let offers = offers.clone();
        with_streams(&broker, |context, _| async move {
            for text in offers {
                context.client().publish("gamete.offer", text.into()).await.expect("a broker");
            }
        });
        lines.0.lock().unwrap().iter().find(|line| line.contains("plays by another program")).cloned()
    });
    assert!(line.starts_with("e plays by another program (signature 2-other, and this one has 2-"), "{line}");
    lines.wait_for(
        "an offer of tasks is left out: it is of version 4 of the protocol, and this program speaks 3",
    );
    lines.wait_for("an offer of tasks is left out: it is not a message of this program: ");
    assert_eq!(worker.counts().experiments, 0);
}

fn messages_that_are_not_ours_are_left_out() {
    let broker = start();
    let (lines, of_worker) = (Lines::default(), Lines::default());
    let grid = Grid::start(GridOptions { notices: lines.notices(), ..options(&broker) }).expect("a grid");
    let outcomes = submit(&grid, [task(1)]);
    let outcome_subject = format!("gamete.outcome.{}", grid.slug());
    wait_until("a task in the queue", || {
        let mut subjects = Vec::new();
        with_streams(&broker, |context, names| {
            let subjects = &mut subjects;
            async move {
                let tasks = names.iter().find(|name| name.contains("tasks")).expect("a queue");
                let stream = context.get_stream(tasks).await.expect("a stream");
                let message = stream.get_raw_message(1).await;
                subjects.extend(message.map(|message| message.subject.to_string()));
            }
        });
        let subject = subjects.pop()?;
        let subjects = [subject, outcome_subject.clone()];
        with_streams(&broker, |context, _| async move {
            for subject in subjects {
                context.publish(subject, "nonsense".into()).await.expect("a stream").await.expect("a stream");
            }
        });
        Some(())
    });
    let worker = Worker::start(WorkerOptions { notices: of_worker.notices(), ..worker_options(&broker) });
    let _worker = worker.expect("a worker");
    lines.wait_for("a message among the outcomes is left out: it is not a message of this program: ");
    of_worker.wait_for("a message among the tasks is left out: it is not a message of this program: ");
    assert_eq!(next(&outcomes).1.expect("an outcome"), expected(&task(1)));
    forge(&broker, &grid, "7", &serde_json::json!([]));
    lines.wait_for(
        "a message among the outcomes is left out: it is not a message of this program: it has no outcomes",
    );
    let answer = serde_json::json!({ "id": "a", "micros": 1, "result": { "Err": { "refused": "no" } } });
    forge(&broker, &grid, "7", &serde_json::json!([answer]));
    lines.wait_for("it is of no worker, or of no task");
    wait_until("the end of all messages", || (messages(&broker, "outcomes") == 0).then_some(()));
    grid.finish();
}

fn what_is_wrong_with_a_broker_is_said() {
    let program: PathBuf = nats_server().expect("a broker that is there");
    let nobody = Access::new("nats://me:secret@127.0.0.1:1");
    let broker = start();
    let of = |access: Access| GridOptions { access, ..options(&broker) };
    let error = refused(of(nobody)).to_string();
    assert!(error.starts_with("no broker at nats://127.0.0.1:1: ") && !error.contains("secret"), "{error}");
    let error = refused(of(Access::new("http://x y"))).to_string();
    assert!(error.contains("an address is like nats://host:4222"), "{error}");
    let missing = Access { credentials: Some("missing.creds".into()), ..Access::new(broker.url()) };
    let error = refused(of(missing)).to_string();
    assert!(error.starts_with("missing.creds: "), "{error}");

    let locked = Broker::with_options(program.clone(), &["-js", "--user", "me", "--pass", "secret"]);
    let access = |password: &str| Access {
        user: Some("me".to_owned()),
        password: Some(password.to_owned()),
        ..Access::new(locked.url())
    };
    let error = refused(of(access("wrong"))).to_string();
    assert!(error.contains("does not let us in") && !error.contains("wrong"), "{error}");
    Grid::start(of(access("secret"))).expect("a grid").finish();

    let forgetful = Broker::with_options(program, &[]);
    let error = refused(of(Access::new(forgetful.url()))).to_string();
    assert!(error.contains("has no JetStream") && error.contains("nats-server -js"), "{error}");

    let grid = Grid::start(options(&broker)).expect("a grid");
    let stream_name = format!("gamete-tasks-{}", grid.slug());
    grid.finish();
    with_streams(&broker, |context, _| async move {
        let other =
            stream::Config { name: stream_name, subjects: vec!["x".to_owned()], ..stream::Config::default() };
        context.create_stream(other).await.expect("a stream");
    });
    let error = refused(options(&broker)).to_string();
    assert!(
        error.contains("with other settings (its subjects are x")
            && error.contains("; `gamete grid remove URL test-"),
        "{error}"
    );
}

fn streams_of_others_are_named() {
    let broker = start();
    let grid = Grid::start(options(&broker)).expect("a grid");
    let slug = grid.slug().to_owned();
    grid.finish();
    // As ours are, but for what is changed.
    let with = |change: &dyn Fn(&mut stream::Config)| {
        let name = format!("gamete-outcomes-{slug}");
        let mut config = stream::Config {
            name: name.clone(),
            subjects: vec![format!("gamete.outcome.{slug}")],
            retention: stream::RetentionPolicy::WorkQueue,
            storage: stream::StorageType::File,
            max_age: Duration::from_secs(30 * 24 * 3600),
            duplicate_window: Duration::from_secs(120),
            ..stream::Config::default()
        };
        change(&mut config);
        let made = config.name.clone();
        with_streams(&broker, |context, _| async move {
            context.create_stream(config).await.expect("a stream");
        });
        let error = Grid::start(options(&broker)).map(Grid::finish).err().map(|error| error.to_string());
        with_streams(&broker, |context, names| async move {
            for name in names.into_iter().filter(|name| *name == made || name.starts_with("gamete-")) {
                context.delete_stream(name).await.expect("a stream that is there");
            }
        });
        error
    };
    assert_eq!(with(&|_| ()), None);
    let day = Duration::from_secs(24 * 3600);
    type Change = Box<dyn Fn(&mut stream::Config)>;
    let changes: [(Change, &str); 8] = [
        (Box::new(|config| config.max_messages = 1), "its max_msgs is 1"),
        (Box::new(|config| config.max_messages_per_subject = 1), "its max_msgs_per_subject is 1"),
        (Box::new(|config| config.max_bytes = 1_000_000), "its max_bytes is 1000000"),
        (Box::new(|config| config.max_message_size = 1000), "its max_msg_size is 1000"),
        (Box::new(|config| config.max_consumers = 1), "its max_consumers is 1"),
        (Box::new(|config| config.discard = stream::DiscardPolicy::New), "it discards New messages"),
        (Box::new(move |config| config.max_age = day), "its max_age is 86400 s"),
        (Box::new(move |config| config.duplicate_window = day), "its duplicate window is 86400 s"),
    ];
    for (change, what) in changes {
        let error = with(&change).expect("an error");
        assert!(error.contains(&format!("gamete-outcomes-{slug} with other settings ({what});")), "{error}");
    }
    let others = |config: &mut stream::Config| {
        config.name = "everything".to_owned();
        config.subjects = vec!["other".to_owned(), "gamete.>".to_owned()];
    };
    let error = with(&others).expect("an error");
    assert!(
        error.starts_with("the broker has a stream everything with other settings (its subjects, ")
            && error.contains("gamete.>")
            && error.ends_with(
                "; it is not of Gamete: have its owner remove or change it, or use another broker"
            ),
        "{error}"
    );
}

fn a_queue_that_no_worker_serves_is_told_of() {
    let broker = start();
    let lines = Lines::default();
    let grid = Grid::start(GridOptions { notices: lines.notices(), ..options(&broker) }).expect("a grid");
    let Task::Solve(mut by_engine) = task(1) else { unreachable!() };
    let engine = NamedEngine { name: "x".to_owned(), content: None, options: Vec::new() };
    by_engine.solver.competitor = Competitor::Engine(engine);
    // One serves the tasks of our own players and not those of the engine.
    let served = submit(&grid, [task(1)]);
    let worker = worker(&broker);
    assert!(next(&served).1.is_ok());
    let begun = Instant::now();
    let _outcomes = submit(&grid, [by_engine.into(), endless()]);
    lines.wait_for(&format!(
        "no worker takes the games of x; start one that has the same program under this name in its file: \
         `gamete worker {} --engines FILE`",
        broker.url()
    ));
    assert!(begun.elapsed() >= Duration::from_secs(10));
    assert_eq!(lines.0.lock().unwrap().len(), 1, "the other queue is served");
    drop(worker);
    lines.wait_for(&format!("no worker takes these games; start `gamete worker {}`", broker.url()));
    grid.finish();
}

fn an_experiment_that_nobody_comes_back_to_is_removed() {
    let broker = start();
    let access = Access::new(broker.url());
    let grid = Grid::start(options(&broker)).expect("a grid");
    let other =
        Grid::start(GridOptions { experiment: "other".to_owned(), ..options(&broker) }).expect("a grid");
    let slug = grid.slug().to_owned();
    // Those of a large player are in the object store.
    let worker = worker(&broker);
    let outcomes = submit(&grid, (0..60).map(large_task));
    assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 60);
    drop(worker);
    let outcomes = submit(&grid, [task(1)]);
    wait_until("a task in the queue", || (messages(&broker, &format!("tasks-{slug}")) >= 1).then_some(()));
    let error = gamete_grid::remove(&access, &slug).expect_err("a coordinator that answers");
    assert!(matches!(error, GridError::Running { .. }), "{error}");
    drop(grid);
    assert_eq!(outcomes.iter().count(), 0);
    gamete_grid::remove(&access, &slug).expect("removed");
    let error = gamete_grid::remove(&access, &slug).expect_err("nothing").to_string();
    assert_eq!(error, format!("the broker has no experiment {slug}; it has {}", other.slug()));
    with_streams(&broker, |context, _| async move {
        let store = context.get_object_store("gamete-parts").await.expect("a store");
        let left: Vec<_> = store.list().await.expect("a list").try_collect().await.expect("names");
        assert!(left.is_empty(), "{left:?}");
    });
    other.finish();
}

fn a_stream_is_kept_on_as_many_brokers_as_are_asked_for() {
    let broker = start();
    let grid = Grid::start(options(&broker)).expect("a grid");
    let _outcomes = submit(&grid, [task(1)]);
    wait_until("a task in the queue", || (messages(&broker, "tasks") == 1).then_some(()));
    drop(grid);
    let with = |replicas| {
        let lease = Lease { replicas, ..options(&broker).lease };
        GridOptions { lease, ..options(&broker) }
    };
    let error = refused(with(Some(3))).to_string();
    assert!(error.contains("with other settings (its num_replicas is 1 and not 3);"), "{error}");
    drop(Grid::start(with(Some(1))).expect("a grid"));
    Grid::start(with(None)).expect("a grid").finish();
}

fn nothing_is_left_of_an_experiment() {
    let broker = start();
    let streams = || {
        let mut found = Vec::new();
        with_streams(&broker, |_, names| {
            found = names;
            async {}
        });
        found.len()
    };
    let grid = Grid::start(options(&broker)).expect("a grid");
    assert_eq!(streams(), 2);
    drop(grid);
    assert_eq!(streams(), 0, "there is nothing to come back to");
    let grid = Grid::start(options(&broker)).expect("a grid");
    let outcomes = submit(&grid, [task(1)]);
    wait_until("a task in the queue", || (messages(&broker, "tasks") == 1).then_some(()));
    drop(grid);
    assert_eq!((streams(), outcomes.iter().count()), (2, 0), "it may come back");
    Grid::start(options(&broker)).expect("a grid").finish();
    assert_eq!(streams(), 0);
    // What is gone already is no reason to leave the rest.
    let grid = Grid::start(options(&broker)).expect("a grid");
    with_streams(&broker, |context, names| async move {
        let tasks = names.iter().find(|name| name.contains("tasks")).expect("a queue");
        context.delete_stream(tasks).await.expect("a stream that is there");
    });
    grid.finish();
    assert_eq!(streams(), 0);
    let passing = Grid::start(GridOptions { home: None, ..options(&broker) }).expect("a grid");
    assert_eq!(streams(), 2);
    drop(passing);
    assert_eq!(streams(), 0);
}

/// `deploy/broker.conf`, for a broker that keeps things elsewhere.
fn deployed() -> String {
    include_str!("../../../deploy/broker.conf").replace("store_dir: /var/lib/gamete-broker", "")
}

fn passwords_of_digits_are_passwords() {
    // As the file says, in double quotes.
    let passwords = [("LAB_PASSWORD", "\"0123\""), ("WORKER_PASSWORD", "\"1k\"")];
    let broker =
        Broker::configured_in(nats_server().expect("a broker that is there"), &deployed(), &passwords);
    for (user, password) in [("lab", "0123"), ("worker", "1k")] {
        let access = Access {
            user: Some(user.to_owned()),
            password: Some(password.to_owned()),
            ..Access::new(broker.url())
        };
        let worker = Worker::start(WorkerOptions { access, ..worker_options(&broker) });
        worker.expect("a worker that is let in");
    }
}

/// The broker of `deploy/broker.conf`, with `secret` as the password of both users.
fn with_roles() -> Broker {
    let text = deployed().replace("$LAB_PASSWORD", "secret").replace("$WORKER_PASSWORD", "secret");
    Broker::configured(nats_server().expect("a broker that is there"), &text)
}

/// How a user of that broker gets in.
fn access(broker: &Broker, user: &str) -> Access {
    Access { user: Some(user.to_owned()), password: Some("secret".to_owned()), ..Access::new(broker.url()) }
}

/// A worker can take tasks and publish outcomes, and is forbidden everything else.
fn a_worker_needs_no_more_rights_than_the_docs_give_it() {
    let broker = with_roles();
    let access = |user: &str| access(&broker, user);
    let grid = Grid::start(GridOptions { access: access("lab"), ..options(&broker) }).expect("a grid");
    let lines = Lines::default();
    let worker = Worker::start(WorkerOptions {
        access: access("worker"),
        notices: lines.notices(),
        ..worker_options(&broker)
    });
    let worker = worker.expect("a worker");
    // Those of a large player fetch it from the object store.
    let outcomes = submit(&grid, (0..20).map(task).chain((0..60).map(large_task)));
    assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 80);
    assert_eq!(worker.counts().done, 80);
    assert_eq!(*lines.0.lock().unwrap(), [""; 0], "the broker refuses nothing that a worker needs");
    // It cannot be a coordinator.
    let other = GridOptions { access: access("worker"), experiment: "other".to_owned(), ..options(&broker) };
    let begun = Instant::now();
    let error = refused(other).to_string();
    assert!(error.contains(" does not let this user coordinate, or ask for the status: "), "{error}");
    let error = GridStatus::ask(&access("worker"), Duration::from_millis(100)).expect_err("no status");
    assert!(matches!(error, GridError::NoCoordinator { .. }), "{error}");
    let error = gamete_grid::remove(&access("worker"), grid.slug()).expect_err("no right");
    assert!(matches!(error, GridError::NoCoordinator { .. }), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(5), "nobody waits for an answer");
    // Nor can it take what others have done, or read what is for others.
    let outcomes = format!("gamete-outcomes-{}", grid.slug());
    let forbidden = [
        format!("$JS.API.CONSUMER.MSG.NEXT.{outcomes}.coordinator"),
        format!("$JS.ACK.{outcomes}.coordinator.1.1.1.1.0"),
        format!("$JS.API.STREAM.DELETE.{outcomes}"),
        format!("$JS.API.STREAM.MSG.GET.{outcomes}"),
        "gamete.offer".to_owned(),
    ];
    let heard = Lines::default();
    let listener = Arc::clone(&heard.0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client =
            async_nats::ConnectOptions::with_user_and_password("worker".to_owned(), "secret".to_owned())
                .event_callback(move |event| {
                    listener.lock().unwrap().push(event.to_string());
                    async {}
                })
                .connect(broker.url())
                .await
                .expect("a broker");
        for subject in &forbidden {
            client.publish(subject.clone(), "".into()).await.expect("sent");
        }
        let _inbox = client.subscribe("_INBOX.lab.>").await.expect("sent");
        client.flush().await.expect("a broker");
        for subject in forbidden.iter().map(String::as_str).chain(["_INBOX.lab.>"]) {
            // The client hears of it when it is let to.
            while !heard.0.lock().unwrap().iter().any(|line| line.contains(subject)) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
    grid.finish();
}

/// The names of all streams, and the consumers of those of tasks, as only the coordinator may ask for them.
async fn streams_and_queues(broker: &Broker) -> (Vec<String>, Vec<String>) {
    let client = async_nats::ConnectOptions::with_user_and_password("lab".to_owned(), "secret".to_owned());
    let context = async_nats::jetstream::new(client.connect(broker.url()).await.expect("a broker"));
    let streams: Vec<String> = context.stream_names().try_collect().await.expect("names");
    let mut queues = Vec::new();
    for stream in streams.iter().filter(|name| name.starts_with("gamete-tasks-")) {
        if let Ok(found) = context.get_stream(stream).await {
            let consumers: Vec<String> = found.consumer_names().try_collect().await.unwrap_or_default();
            queues.extend(consumers.iter().map(|consumer| format!("{stream}.{consumer}")));
        }
    }
    (streams, queues)
}

/// nats-server does not check the subject to which a worker has the end of its request for tasks sent.
fn a_run_survives_a_worker_that_has_its_streams_removed() {
    let broker = with_roles();
    let grid = GridOptions { access: access(&broker, "lab"), ..options(&broker) };
    let grid = Grid::start(grid).expect("a grid");
    let tasks: Vec<Task> = (0..40).map(task).collect();
    let outcomes = submit(&grid, tasks.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let removed = ["tasks", "outcomes"].map(|kind| format!("gamete-{kind}-{}", grid.slug()));
    runtime.block_on(async {
        let hostile =
            async_nats::ConnectOptions::with_user_and_password("worker".to_owned(), "secret".to_owned());
        let hostile = hostile.connect(broker.url()).await.expect("a broker");
        let queue = loop {
            if let Some(queue) = streams_and_queues(&broker).await.1.pop() {
                break queue;
            }
        };
        // That of tasks goes last: without it, there is no queue to ask.
        for stream in removed.iter().rev() {
            let ask = format!("$JS.API.CONSUMER.MSG.NEXT.{queue}");
            let reply = format!("$JS.API.STREAM.DELETE.{stream}");
            let begun = Instant::now();
            while streams_and_queues(&broker).await.0.contains(stream) {
                assert!(begun.elapsed() < Duration::from_secs(60), "{stream} is still there");
                // The queue has four batches; asked for more, it says in the end how many were missing.
                let payload = r#"{"batch":100,"expires":50000000}"#;
                hostile.publish_with_reply(ask.clone(), reply.clone(), payload.into()).await.expect("sent");
                hostile.flush().await.expect("a broker");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
    let worker = WorkerOptions { access: access(&broker, "worker"), ..worker_options(&broker) };
    let _worker = Worker::start(worker).expect("a worker");
    let mut told = HashSet::new();
    for (number, outcome) in &outcomes {
        assert!(told.insert(number), "told twice");
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert_eq!(told.len(), tasks.len());
    grid.finish();
}
