//! A broker of a cluster that is killed, a disk that is full, a network that is cut.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::stream;
use broker::{Broker, Cluster};
use common::{
    Lines, expected, messages, next, options, solve, submit, task, wait_until, with_streams, worker,
    worker_options,
};
use gamete_arena::{Limits, Task};
use gamete_grid::{Access, Grid, GridOptions, Lease, Worker, WorkerOptions};
use needs::{Need, nats_server, needing};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use tempfile::TempDir;

#[path = "../../gamete/tests/common/broker.rs"]
mod broker;
mod common;
#[path = "../../gamete/tests/common/needs.rs"]
mod needs;

needing! {
    a_broker_of_a_cluster_may_be_killed: [nats_server()],
    a_cluster_that_is_too_small_is_told_of: [nats_server()],
    outcomes_that_a_lost_connection_took_along_come_again: [nats_server()],
    nobody_waits_for_a_broker_that_is_gone_to_leave: [nats_server()],
    a_broker_that_is_full_is_waited_for: [nats_server()],
    a_full_disk_is_waited_for: [nats_server(), disks()],
    a_worker_that_is_cut_off_is_not_waited_for: [nats_server(), network_namespaces()],
}

fn program() -> PathBuf {
    nats_server().expect("a broker that is there")
}

fn a_broker_of_a_cluster_may_be_killed() {
    let mut cluster = Cluster::start(&program(), 3);
    let access = Access::new(cluster.url());
    let of_grid = GridOptions { access: access.clone(), ..options(&cluster.0[0]) };
    let grid = Grid::start(of_grid).expect("a grid");
    let of_worker = || WorkerOptions { access: access.clone(), ..worker_options(&cluster.0[0]) };
    let _workers = [(); 2].map(|()| Worker::start(of_worker()).expect("a worker"));
    let mut leader = String::new();
    with_streams(&cluster.0[0], |context, names| {
        let leader = &mut leader;
        async move {
            for name in names {
                let stream = context.get_stream(&name).await.expect("a stream");
                let info = stream.cached_info();
                assert_eq!(info.config.num_replicas, 3, "{name}");
                *leader = info.cluster.as_ref().and_then(|cluster| cluster.leader.clone()).expect("a leader");
            }
        }
    });
    let tasks: Vec<Task> = (0..400).map(task).collect();
    let outcomes = submit(&grid, tasks.clone());
    let mut told = HashSet::new();
    let mut hear = |count: usize| {
        while told.len() < count {
            let (number, outcome) = next(&outcomes);
            assert!(told.insert(number), "told twice");
            assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
        }
    };
    hear(20);
    // The one that orders what is written to a stream.
    let number: usize = leader.rsplit('-').next().and_then(|text| text.parse().ok()).expect("a number");
    cluster.0[number].kill();
    hear(200);
    cluster.0[number].restart();
    hear(400);
    grid.finish();
}

/// The way of a client to the broker, on which what the broker sends may get lost, and which may break.
struct Way {
    port: u16,
    loses: Arc<AtomicBool>,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Way {
    fn to(broker: &Broker) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let way = Self {
            port: listener.local_addr().expect("an address").port(),
            loses: Arc::default(),
            ends: Arc::default(),
        };
        let (loses, ends, port) = (Arc::clone(&way.loses), Arc::clone(&way.ends), broker.port());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("a connection");
                let broker = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a broker");
                let copy = |end: &TcpStream| end.try_clone().expect("a socket");
                ends.lock().unwrap().extend([copy(&client), copy(&broker)]);
                let (mut from_client, mut to_broker) = (copy(&client), copy(&broker));
                std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_broker));
                let (mut from_broker, mut to_client, loses) = (broker, client, Arc::clone(&loses));
                std::thread::spawn(move || {
                    let mut bytes = [0; 4096];
                    while let Ok(count @ 1..) = from_broker.read(&mut bytes) {
                        if !loses.load(Ordering::Relaxed) && to_client.write_all(&bytes[..count]).is_err() {
                            break;
                        }
                    }
                });
            }
        });
        way
    }

    fn cut(&self) {
        for end in self.ends.lock().unwrap().drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

fn outcomes_that_a_lost_connection_took_along_come_again() {
    let broker = common::start();
    let way = Way::to(&broker);
    // Nothing is given out or sent again for want of news while the test runs.
    let hour = Duration::from_secs(3600);
    let lease = Lease { wait: hour, patience: hour, ..Lease::default() };
    let access = Access::new(format!("nats://127.0.0.1:{}", way.port));
    let grid = Grid::start(GridOptions { access, lease, ..options(&broker) }).expect("a grid");
    let worker = worker(&broker);
    assert!(next(&submit(&grid, [task(1)])).1.is_ok());
    let long = solve(Limits::nodes(3_000_000));
    let outcomes = submit(&grid, [long.clone()]);
    wait_until("a task in hand", || (worker.counts().in_hand == 1).then_some(()));
    way.loses.store(true, Ordering::Relaxed);
    wait_until("an outcome that is on its way", || {
        let mut handed_out = 0;
        with_streams(&broker, |context, names| {
            let handed_out = &mut handed_out;
            async move {
                let name = names.iter().find(|name| name.contains("outcomes")).expect("a stream");
                let consumer: Result<PullConsumer, _> =
                    context.get_consumer_from_stream("coordinator", name).await;
                *handed_out = consumer.expect("a consumer").cached_info().num_ack_pending;
            }
        });
        (handed_out == 1).then_some(())
    });
    way.loses.store(false, Ordering::Relaxed);
    way.cut();
    let begun = Instant::now();
    assert_eq!(next(&outcomes).1.expect("an outcome"), expected(&long));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert_eq!(worker.counts().done, 2, "it was done once");
    wait_until("an acknowledgement", || (messages(&broker, "outcomes") == 0).then_some(()));
    grid.finish();
}

fn a_cluster_that_is_too_small_is_told_of() {
    let cluster = Cluster::start(&program(), 2);
    let lines = Lines::default();
    let of = |replicas| {
        let lease = Lease { replicas, ..Lease::default() };
        let (access, notices) = (Access::new(cluster.url()), lines.notices());
        GridOptions { access, notices, lease, ..options(&cluster.0[0]) }
    };
    let grid = Grid::start(of(None)).expect("a grid");
    assert_eq!(
        *lines.0.lock().unwrap(),
        [
            "the cluster has no place for 3 copies: everything is on one broker, and waits while that is down; \
          with --grid-replicas 3, a run does not start then"
        ]
    );
    grid.finish();
    let error = common::refused(of(Some(3))).to_string();
    assert!(error.starts_with("the broker cannot make the stream gamete-tasks-"), "{error}");
}

fn nobody_waits_for_a_broker_that_is_gone_to_leave() {
    let mut broker = common::start();
    let lines = Lines::default();
    let grid = Grid::start(GridOptions {
        checked: "100%".parse().expect("a share"),
        notices: lines.notices(),
        ..options(&broker)
    });
    let grid = grid.expect("a grid");
    let worker = worker(&broker);
    let outcomes = submit(&grid, [task(1), common::endless()]);
    wait_until("a task in hand", || {
        (worker.counts().done == 1 && worker.counts().in_hand == 1).then_some(())
    });
    broker.kill();
    lines.wait_for("is away; trying to reach it again");
    // Long enough for acknowledgements that the task is still in hand.
    std::thread::sleep(Duration::from_secs(3));
    worker.give_back();
    wait_until("the end of a worker", || worker.has_left().then_some(()));
    drop(grid);
    assert_eq!(outcomes.iter().count(), 0);
}

fn a_broker_that_is_full_is_waited_for() {
    let broker = Broker::configured(program(), "jetstream { max_file_store: 400KB }");
    let fill = || {
        with_streams(&broker, |context, _| async move {
            let of_others = stream::Config {
                name: "others".to_owned(),
                subjects: vec!["others".to_owned()],
                ..stream::Config::default()
            };
            context.create_stream(of_others).await.expect("a stream");
            for size in [100_000, 10_000, 1_000, 100, 1] {
                while context.publish("others", vec![7; size].into()).await.expect("sent").await.is_ok() {}
            }
        });
    };
    let empty = || {
        with_streams(&broker, |context, _| async move {
            context.delete_stream("others").await.expect("a stream");
        });
    };
    fill();
    let (lines, of_worker) = (Lines::default(), Lines::default());
    let grid = Grid::start(GridOptions { notices: lines.notices(), ..options(&broker) }).expect("a grid");
    let tasks: Vec<Task> = (0..30).map(task).collect();
    let outcomes = submit(&grid, tasks.clone());
    // First there is no room for tasks.
    let line = lines.wait_for("the broker cannot take a message: ");
    assert!(line.contains("insufficient") && line.ends_with("; trying again"), "{line}");
    empty();
    wait_until("a full queue", || (messages(&broker, "tasks") == 4).then_some(()));
    // Then there is none for outcomes.
    fill();
    let worker = WorkerOptions { notices: of_worker.notices(), ..worker_options(&broker) };
    let worker = Worker::start(worker).expect("a worker");
    of_worker.wait_for("the broker cannot take a message: ");
    empty();
    let mut told = HashSet::new();
    for (number, outcome) in &outcomes {
        assert!(told.insert(number), "told twice");
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert_eq!((told.len(), worker.counts().failed), (30, 0));
    grid.finish();
}

/// A small disk in memory. A process has it mounted, where nobody else sees it, and ends with us.
struct Disk {
    process: Child,
    folder: TempDir,
}

impl Disk {
    fn mount() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let script = "mount -t tmpfs -o size=2m tmpfs \"$1\" && echo mounted && exec cat";
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script, "sh"]).arg(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| format!("there is no `unshare`: {error}"))?;
        let mut answer = String::new();
        let _ = BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut answer);
        if answer.is_empty() {
            let mut error = String::new();
            let _ = process.stderr.take().expect("a pipe").read_to_string(&mut error);
            let _ = process.wait();
            return Err(format!("mounts are not for us here: {}", error.lines().next().unwrap_or_default()));
        }
        Ok(Self { process, folder })
    }

    fn path(&self) -> PathBuf {
        let folder = self.folder.path().strip_prefix("/").expect("an absolute path");
        Path::new("/proc").join(self.process.id().to_string()).join("root").join(folder)
    }

    fn fill(&self) {
        let mut filler = File::create(self.path().join("filler")).expect("a file");
        while filler.write_all(&[7; 4096]).is_ok() {}
    }

    fn empty(&self) {
        std::fs::remove_file(self.path().join("filler")).expect("a file");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether we may have disks of our own.
fn disks() -> Need {
    let disk = Disk::mount()?;
    std::fs::write(disk.path().join("file"), "")
        .map_err(|error| format!("mounts are not for us here: {error}"))?;
    Ok(disk.path())
}

/// The broker turns JetStream off then, until it is started again with room.
fn a_full_disk_is_waited_for() {
    let disk = Disk::mount().expect("a disk");
    let folder = tempfile::tempdir().expect("a folder");
    let store = disk.path().join("store");
    let mut broker = Broker::with_store(program(), "jetstream { max_file_store: 1GB }", &store, folder);
    let (lines, of_worker) = (Lines::default(), Lines::default());
    let grid = Grid::start(GridOptions { notices: lines.notices(), ..options(&broker) }).expect("a grid");
    let tasks: Vec<Task> = (0..200).map(task).collect();
    let outcomes = submit(&grid, tasks.clone());
    wait_until("a full queue", || (messages(&broker, "tasks") == 4).then_some(()));
    disk.fill();
    let worker = WorkerOptions { notices: of_worker.notices(), ..worker_options(&broker) };
    let worker = Worker::start(worker).expect("a worker");
    of_worker.wait_for("the broker cannot take a message: ");
    disk.empty();
    broker.restart();
    let mut told = HashSet::new();
    for (number, outcome) in &outcomes {
        assert!(told.insert(number), "told twice");
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert_eq!((told.len(), worker.counts().failed), (200, 0));
    grid.finish();
}

/// Whether we may make networks of our own.
fn network_namespaces() -> Need {
    let words = ["--net", "ip", "link", "add", "gm0", "type", "veth", "peer", "name", "gm1"];
    let output = Command::new("unshare").args(words).output();
    let output = output.map_err(|error| format!("there is no `unshare`: {error}"))?;
    if rustix::process::geteuid().is_root() && output.status.success() {
        return Ok(PathBuf::from("ip"));
    }
    let error = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "network namespaces are for root: {}",
        error.lines().next().unwrap_or("this is another user")
    ))
}

fn ip(words: &str) {
    let output = Command::new("ip").args(words.split_whitespace()).output().expect("`ip`");
    assert!(output.status.success(), "ip {words}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A network with one machine in it and a cable to this one.
struct Network {
    name: String,
    /// This end of the cable.
    cable: String,
    /// Our address at this end.
    address: String,
}

impl Network {
    fn new(number: u32) -> Self {
        let process = std::process::id();
        let (name, cable) = (format!("gamete-{process}-{number}"), format!("gm{process}h{number}"));
        let far = format!("gm{process}g{number}");
        let end = |end: u32| format!("10.{}.{}.{}", 210 + number, process / 64 % 256, process % 64 * 4 + end);
        let network = Self { address: end(1), name, cable };
        let Self { name, cable, address } = &network;
        ip(&format!("netns add {name}"));
        ip(&format!("link add {cable} type veth peer name {far} netns {name}"));
        ip(&format!("addr add {address}/30 dev {cable}"));
        ip(&format!("-n {name} addr add {}/30 dev {far}", end(2)));
        ip(&format!("-n {name} link set {far} up"));
        network.mend();
        network
    }

    fn cut(&self) {
        ip(&format!("link set {} down", self.cable));
    }

    fn mend(&self) {
        ip(&format!("link set {} up", self.cable));
    }

    /// A worker on the machine there: threads are where the thread is that starts them.
    fn worker(&self, broker: &Broker) -> Worker {
        let options = WorkerOptions {
            access: Access::new(format!("nats://{}:{}", self.address, broker.port())),
            ..worker_options(broker)
        };
        let place = File::open(format!("/run/netns/{}", self.name)).expect("a network");
        let start = move || {
            move_into_link_name_space(place.as_fd(), Some(LinkNameSpaceType::Network)).expect("a network");
            Worker::start(options).expect("a worker")
        };
        std::thread::spawn(start).join().expect("a worker")
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // The cable goes with it.
        let _ = Command::new("ip").args(["netns", "del", &self.name]).output();
    }
}

fn a_worker_that_is_cut_off_is_not_waited_for() {
    let broker = Broker::with_options(program(), &["-js", "-a", "0.0.0.0"]);
    let lease = Lease { wait: Duration::from_secs(1), patience: Duration::from_secs(1), ..Lease::default() };
    let grid = Grid::start(GridOptions { lease, ..options(&broker) }).expect("a grid");
    let [one, other] = [1, 2].map(Network::new);
    let long = solve(Limits::nodes(8_000_000));
    let first = one.worker(&broker);
    let outcomes = submit(&grid, [long.clone()]);
    wait_until("a task in hand", || (first.counts().in_hand == 1).then_some(()));
    one.cut();
    let second = other.worker(&broker);
    assert_eq!(next(&outcomes).1.expect("an outcome"), expected(&long));
    assert_eq!(second.counts().done, 1, "the task went elsewhere");
    // What the first has done comes late, and nobody hears of it.
    wait_until("the end of the task that was cut off", || (first.counts().done == 1).then_some(()));
    assert_eq!(first.counts().in_hand, 1, "nobody has its outcome");
    one.mend();
    wait_until("a late answer", || (first.counts().in_hand == 0).then_some(()));
    wait_until("the end of the late answer", || (messages(&broker, "outcomes") == 0).then_some(()));
    assert_eq!(outcomes.iter().count(), 0, "told twice");
    // All goes on.
    let third = worker(&broker);
    let outcomes = submit(&grid, (0..50).map(task));
    assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 50);
    drop(third);
    grid.finish();
}
