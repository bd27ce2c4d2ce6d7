//! The program and its broker: one of its own, a cluster, and secrets that let it in.

#[path = "common/broker.rs"]
mod broker;
mod common;
#[path = "common/grid.rs"]
mod grid;
#[path = "common/needs.rs"]
mod needs;

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use broker::{Broker, Cluster, free_port};
use common::{Run, folder, gamete};
use grid::{Process, SMALL, assert_same, evolve, json, start_broker};
use needs::{nats_server, needing};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

needing! {
    grid_up_starts_a_broker_until_ctrl_c: [nats_server()],
    grid_up_says_why_there_is_no_broker: [nats_server()],
    a_broker_that_outlives_grid_up_keeps_its_folder: [nats_server()],
    grid_up_says_how_its_broker_ended: [nats_server()],
    suites_are_solved_on_a_grid: [nats_server()],
    workers_need_no_files_of_an_experiment: [nats_server()],
    an_evolution_goes_on_when_a_broker_of_a_cluster_is_killed: [nats_server()],
    secrets_are_neither_printed_nor_stored: [nats_server()],
    a_grid_is_measured: [nats_server()],
}

/// `gamete grid up` in a process group of its own, as a terminal starts it.
fn grid_up(port: u16, folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(["grid", "up", "--port", &port.to_string(), "--folder"]).arg(folder);
    command.process_group(0).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a program to run")
}

fn grid_up_starts_a_broker_until_ctrl_c() {
    let (folder, here) = (folder(), folder());
    let port = free_port();
    let whole = json(&evolve(here.path(), &SMALL));
    let url = format!("nats://127.0.0.1:{port}");
    for _ in 0..2 {
        let mut up = grid_up(port, folder.path());
        let mut lines = BufReader::new(up.stderr.take().expect("a pipe")).lines();
        let first = lines.next().expect("a line").expect("text");
        assert!(first.starts_with(&format!("broker at {url}, with what it keeps in ")), "{first}");
        let lab = common::folder();
        let run = evolve(lab.path(), &[&SMALL[..], &["--grid", &url, "--local", "1"]].concat());
        assert_same(&whole, &json(&run));
        // A terminal sends Ctrl-C to everybody in it.
        kill_process_group(Pid::from_child(&up), Signal::INT).expect("a process");
        assert_eq!(up.wait().expect("an end").code(), Some(0));
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err(), "the broker is still there");
        let rest: Vec<_> = lines.map(|line| line.expect("text")).collect();
        assert!(rest.iter().all(|line| line.starts_with("  gamete ")), "{rest:?}");
    }
}

fn grid_up_says_why_there_is_no_broker() {
    let folder = folder();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let place = folder.path().join("broker").display().to_string();
    let refused = |args: &[&str]| {
        let run = gamete([&["grid", "up", "--folder", &place], args].concat());
        assert_eq!((run.status, run.err.lines().count()), (Some(1), 1), "{}", run.err);
        run.err
    };
    let error = refused(&["--port", &port.to_string()]);
    assert!(error.contains(&format!("port {port} is in use; give another --port")), "{error}");
    let free = free_port().to_string();
    let error = refused(&["--port", &free, "--program", "/missing/nats-server"]);
    assert!(error.contains("/missing/nats-server: No such file"), "{error}");
    // An address of somebody else.
    let error = refused(&["--port", &free, "--listen", "192.0.2.1"]);
    assert!(
        error.contains("nats-server has ended (exit status: 1): ") && error.contains("192.0.2.1"),
        "{error}"
    );
    let up = Command::new(env!("CARGO_BIN_EXE_gamete"))
        .env("PATH", "")
        .args(["grid", "up", "--folder", "/proc/none"])
        .output();
    let run = Run::new(up.expect("a program to run"));
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("/proc/none: "), "{}", run.err);
    // Two brokers on the same files would damage them.
    let mut first = grid_up(free_port(), Path::new(&place));
    let mut lines = BufReader::new(first.stderr.take().expect("a pipe")).lines();
    lines.next().expect("a line").expect("text");
    let error = refused(&["--port", &free]);
    kill_process_group(Pid::from_child(&first), Signal::TERM).expect("a process");
    let claimed = "keeps its files there; end it, or give another --folder";
    assert!(error.contains(": another broker, process ") && error.contains(claimed), "{error}");
    assert_eq!(first.wait().expect("an end").code(), Some(0));
}

/// `gamete grid up` whose broker answers, and the process of that.
fn grid_up_with_broker(folder: &Path) -> (Process, Pid, BufReader<ChildStderr>) {
    let mut up = grid_up(free_port(), folder);
    let mut lines = BufReader::new(up.stderr.take().expect("a pipe"));
    lines.read_line(&mut String::new()).expect("text");
    let process = std::fs::read_to_string(folder.join("broker.lock")).expect("a file");
    let process = Pid::from_raw(process.parse().expect("a number")).expect("a process");
    (Process(up), process, lines)
}

fn a_broker_that_outlives_grid_up_keeps_its_folder() {
    let folder = folder();
    let (mut up, broker, _) = grid_up_with_broker(folder.path());
    assert!(up.kill());
    let mut other = grid_up(free_port(), folder.path());
    let error = std::io::read_to_string(other.stderr.take().expect("a pipe")).expect("text");
    kill_process(broker, Signal::KILL).expect("a broker that is still there");
    assert_eq!(other.wait().expect("an end").code(), Some(1));
    let line = format!(
        ": another broker, process {}, keeps its files there; end it, or give another --folder\n",
        broker.as_raw_nonzero()
    );
    assert!(error.ends_with(&line), "{error}");
    // With it, the lock goes.
    let (mut up, broker, _) = grid_up_with_broker(folder.path());
    kill_process(broker, Signal::KILL).expect("a process");
    assert_eq!(up.0.wait().expect("an end").code(), Some(1));
}

fn grid_up_says_how_its_broker_ended() {
    let folder = folder();
    let (mut up, broker, lines) = grid_up_with_broker(folder.path());
    kill_process(broker, Signal::KILL).expect("a process");
    assert_eq!(up.0.wait().expect("an end").code(), Some(1));
    let said = std::io::read_to_string(lines).expect("text");
    assert!(said.contains("nats-server has ended (signal: 9 (SIGKILL)): "), "{said}");
}

fn suites_are_solved_on_a_grid() {
    let broker = start_broker();
    let _worker = Process::worker(&broker);
    let folder = folder();
    let suites = [("one", 1), ("two", 9)].map(|(name, count)| {
        let lines = (0..count).map(|number| {
            format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"{name} {number}\";\n")
        });
        let path = folder.path().join(format!("{name}.epd"));
        std::fs::write(&path, lines.collect::<String>()).expect("a file");
        path.display().to_string()
    });
    let solve = |args: &[&str]| {
        let run = gamete([&["solve", "--nodes", "500", "--json", &suites[0], &suites[1]], args].concat());
        assert_eq!(run.status, Some(0), "{}", run.err);
        let reports = run.out.lines().map(|line| {
            let mut report: Value = serde_json::from_str(line).expect("JSON");
            report["seconds"] = Value::Null;
            report
        });
        reports.collect::<Vec<_>>()
    };
    let here = solve(&[]);
    assert_eq!((here.len(), &here[1]["of"]), (2, &Value::from(9)));
    assert_eq!(here, solve(&["--grid", &broker.url()]));
    assert_eq!(here, solve(&["--grid", &broker.url(), "--local", "1"]));
}

fn workers_need_no_files_of_an_experiment() {
    let broker = start_broker();
    let (elsewhere, here) = (folder(), folder());
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(["worker", &broker.url(), "--concurrency", "1"]).current_dir(elsewhere.path());
    let _worker =
        Process(command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("a program to run"));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gamete-lab/src/testing");
    for (name, keys) in [
        ("experts", "model = 'chess/classic'\nexperts.corpus = 'experts.corpus'"),
        ("suite", "model = 'chess/material'\nlimits = 'nodes=200'\nsuite.file = 'mates.epd'"),
    ] {
        for file in ["experts.corpus", "mates.epd"] {
            std::fs::copy(data.join(file), here.path().join(file)).expect("a copy");
        }
        let text = format!(
            "name = '{name}'\nmethod = 'optimize'\nobjective = '{name}'\nga.population = 6\ngenerations = 2\n{keys}\n"
        );
        std::fs::write(here.path().join("x.toml"), text).expect("a file");
        let run = |lab: &str, args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
            command
                .current_dir(here.path())
                .args(["evolve", "x.toml", "--verify", "1", "--json", "--lab", lab]);
            json(&Run::new(command.args(args).output().expect("a program to run")))
        };
        assert_same(&run("here", &[]), &run("grid", &["--grid", &broker.url()]));
    }
    assert_eq!(std::fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
}

fn an_evolution_goes_on_when_a_broker_of_a_cluster_is_killed() {
    let args = ["--set", "population=8", "--set", "generations=6"];
    let (here, lab) = (folder(), folder());
    let whole = json(&evolve(here.path(), &args));
    let mut cluster = Cluster::start(&nats_server().expect("a broker that is there"), 3);
    let url = cluster.url();
    let _workers = [(); 2].map(|()| Process::start(&["worker", &url, "--concurrency", "1"]));
    let run = std::thread::scope(|scope| {
        let run =
            scope.spawn(|| evolve(lab.path(), &[&args[..], &["--grid", &url, "--grid-lease", "2"]].concat()));
        // When there are games in the journal.
        let journal = lab.path().join("lab.sqlite-wal");
        while !std::fs::metadata(&journal).is_ok_and(|found| found.len() > 100_000) && !run.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!run.is_finished(), "the evolution was over before the broker was killed; make it longer");
        cluster.0[0].kill();
        run.join().expect("an evolution")
    });
    assert_same(&whole, &json(&run));
}

const SECRET: &str = "abracadabra-7";

/// Everything in a folder that has these bytes in it.
fn files_with(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, bytes));
        } else if std::fs::read(&path).expect("a file").windows(bytes.len()).any(|part| part == bytes) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn secrets_are_neither_printed_nor_stored() {
    let program = nats_server().expect("a broker that is there");
    let broker = Broker::with_options(program, &["-js", "--user", "me", "--pass", SECRET]);
    let folder = folder();
    let lab = folder.path().join("lab").display().to_string();
    let games = folder.path().join("games.pgn").display().to_string();
    let in_address = broker.url().replace("nats://", &format!("nats://me:{SECRET}@"));
    let wrong = broker.url().replace("nats://", &format!("nats://you:{SECRET}@"));
    let run = |with_secret: bool, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.current_dir(folder.path()).args(words).stdin(Stdio::null());
        if with_secret {
            command.env("GAMETE_GRID_USER", "me").env("GAMETE_GRID_PASSWORD", SECRET);
        }
        let run = Run::new(command.output().expect("a program to run"));
        for text in [&run.out, &run.err] {
            assert!(!text.contains(SECRET), "{text}");
        }
        (run.status, run.err)
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
    command.args(["worker", &broker.url(), "--concurrency", "1"]).current_dir(folder.path());
    command.env("GAMETE_GRID_USER", "me").env("GAMETE_GRID_PASSWORD", SECRET);
    let mut worker =
        Process(command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a program to run"));
    let evolve =
        ["evolve", "--verify", "0", "--lab", &lab, "--set", "population=4", "--set", "generations=1"];
    for (with_secret, url, seed) in [(true, broker.url(), "1"), (false, in_address.clone(), "2")] {
        let words = [&evolve[..], &["--seed", seed, "--grid", &url]].concat();
        assert_eq!(run(with_secret, &words).0, Some(0));
    }
    let match_ = format!(
        "match -engine model=chess/material -engine model=chess/kendall-whitwell -each nodes=40 -rounds 1 -maxmoves 10 \
         -pgnout {games} -grid {in_address}"
    );
    assert_eq!(run(false, &match_.split_whitespace().collect::<Vec<_>>()).0, Some(0));
    assert_eq!(run(true, &["grid", "status", &broker.url(), "--wait", "1"]).0, Some(0));
    let (status, error) = run(false, &[&evolve[..], &["--seed", "3", "--grid", &wrong]].concat());
    assert!(status == Some(1) && error.contains("does not let us in"), "{error}");
    kill_process(Pid::from_child(&worker.0), Signal::INT).expect("a process");
    let said = std::io::read_to_string(worker.0.stderr.take().expect("a pipe")).expect("text");
    assert!(said.contains("left after") && !said.contains(SECRET), "{said}");
    let found = files_with(folder.path(), SECRET.as_bytes());
    assert!(found.is_empty(), "{found:?}");
}

fn a_grid_is_measured() {
    let words = "bench grid --seconds 1 --turns 1 --threads 1 --workers 3 --minutes 0.02 --json";
    let found = json(&gamete(words.split_whitespace()));
    for what in ["games", "quick_tasks"] {
        assert!(
            found[what]["local"][0].as_f64() > Some(0.0) && found[what]["ratio"].as_f64() > Some(0.0),
            "{found}"
        );
        if Path::new("/proc/self/schedstat").exists() {
            assert!(found[what]["processor"]["workers"].as_f64() > Some(0.0), "{found}");
        }
    }
    let delays = &found["delays"];
    assert!(
        delays["games"].as_u64() > Some(0) && delays["median"].as_f64() <= delays["p99"].as_f64(),
        "{found}"
    );
    assert_eq!(delays["broker_memory"].as_array().map(Vec::is_empty), Some(false), "{found}");
}
