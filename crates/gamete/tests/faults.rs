//! Engines that do everything wrong, in matches. `make faults-full` plays 500 games with each of them.

mod common;

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Run, is_full, test_engine};
use serde_json::Value;

/// A match of an engine that fails, in every game, against the random mover.
struct Trial {
    folder: tempfile::TempDir,
    faulty: PathBuf,
    mover: PathBuf,
    games: usize,
    concurrency: usize,
}

/// What was seen of a match while it was played.
#[derive(Debug, Default)]
struct Watch {
    most_files: usize,
    most_processes: usize,
    most_kilobytes: usize,
    /// Processes that had ended, and when they were seen so first.
    ended: HashMap<u32, Instant>,
}

impl Trial {
    /// The concurrency is that of the long version, for engines that mostly sleep.
    fn new(concurrency: usize) -> Self {
        let (faulty, mover) = (test_engine("faulty-engine"), test_engine("random-mover"));
        let folder = tempfile::tempdir().expect("a folder");
        let (games, concurrency) = if is_full() { (500, concurrency) } else { (4, 2) };
        Self { folder, faulty, mover, games, concurrency }
    }

    fn command(&self, fault: &str, limits: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.current_dir(self.folder.path()).args(["match", "-engine"]);
        command.arg(format!("cmd={}", self.faulty.display())).arg(format!("args={fault}"));
        // So that what is left of it can be told from the engines of other tests.
        command.arg(format!("arg={}", self.mark())).args(["name=Faulty"]);
        command.args(limits.split_whitespace()).arg("-engine");
        command.arg(format!("cmd={}", self.mover.display())).args(["name=Mover", "nodes=1"]);
        command.arg(format!("arg={}", self.mark()));
        let numbers = [("-rounds", self.games / 2), ("-concurrency", self.concurrency)];
        command.args(numbers.iter().flat_map(|&(name, number)| [name.to_owned(), number.to_string()]));
        command.args(["-variant", "standard", "-srand", "7"]);
        command
    }

    fn mark(&self) -> String {
        format!("mark={}", self.folder.path().display())
    }

    /// Plays the match, watches it, and gives what it says of the faulty engine and of the other one.
    fn play(&self, fault: &str, limits: &str) -> [Value; 2] {
        let began = Instant::now();
        let mut command = self.command(fault, limits);
        command.args(["-json", "-fresh"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().expect("a program to run");
        let (mut out, mut err) =
            (program.stdout.take().expect("a pipe"), program.stderr.take().expect("a pipe"));
        let readers =
            [std::thread::spawn(move || read(&mut out)), std::thread::spawn(move || read(&mut err))];
        let watch = self.watch(&mut program, Duration::from_secs(if is_full() { 1800 } else { 600 }));
        let status = program.wait().expect("a program that ends");
        let [out, err] = readers.map(|reader| reader.join().expect("text"));
        assert!(status.success(), "{fault}: {status}\n{err}");
        eprintln!(
            "{fault}: {} games in {:.0} s, at most {} processes, {} files, {} KiB",
            self.games,
            began.elapsed().as_secs_f64(),
            watch.most_processes,
            watch.most_files,
            watch.most_kilobytes
        );
        self.assert_nothing_left();
        let json: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json["games"], self.games, "{fault}");
        assert_eq!(json["interrupted"], false, "{fault}");
        let side = |index: usize| json["contestants"][index].clone();
        [side(0), side(1)]
    }

    /// The engine loses every game by one kind of fault, and the other one has none.
    fn loses_by(&self, kind: &str, fault: &str, limits: &str) {
        let [faulty, mover] = self.play(fault, limits);
        assert_eq!([&faulty["losses"], &faulty["games"]], [self.games, self.games], "{fault}: {faulty}");
        assert_eq!(faulty["faults"], faults(kind, self.games), "{fault}");
        assert_eq!(mover["faults"], faults(kind, 0), "{fault}");
        assert_eq!(mover["wins"], self.games, "{fault}");
    }

    /// Looks at the program until it ends: it keeps no dead process, and never has more files and processes than its
    /// games take.
    fn watch(&self, program: &mut Child, patience: Duration) -> Watch {
        let (began, mut watch) = (Instant::now(), Watch::default());
        let seats = 2 * self.concurrency;
        while program.try_wait().expect("a child").is_none() {
            if began.elapsed() > patience {
                program.kill().expect("a child to kill");
                panic!("the match hangs: {watch:?}");
            }
            watch.look(program.id());
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(watch.most_processes > 0 || !is_full(), "nobody was seen");
        // And the guard, which ends them if the program does not live to do it.
        assert!(watch.most_processes <= seats + 1, "{watch:?}");
        // Three pipes each, and as many while one is started.
        assert!(watch.most_kilobytes < 100 << 10, "{watch:?}");
        assert!(watch.most_files <= 24 + 6 * seats, "{watch:?}");
        watch
    }

    fn assert_nothing_left(&self) {
        let mark = self.mark();
        let left: Vec<_> = processes()
            .filter(|id| {
                let words = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
                words.split(|&byte| byte == 0).any(|word| word == mark.as_bytes())
            })
            .collect();
        assert_eq!(left, [0; 0], "processes that are still there");
    }
}

impl Watch {
    fn look(&mut self, parent: u32) {
        let entries = |path: String| std::fs::read_dir(path).map_or(0, Iterator::count);
        self.most_files = self.most_files.max(entries(format!("/proc/{parent}/fd")));
        let status = std::fs::read_to_string(format!("/proc/{parent}/status")).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        let kilobytes = resident.trim().trim_end_matches(" kB").parse().unwrap_or(0);
        self.most_kilobytes = self.most_kilobytes.max(kilobytes);
        let (mut count, mut ended) = (0, HashSet::new());
        for id in processes() {
            let Some((state, its_parent)) = state_of(id) else { continue };
            if its_parent == parent {
                count += 1;
                if state == "Z" {
                    ended.insert(id);
                }
            }
        }
        self.most_processes = self.most_processes.max(count);
        self.ended.retain(|id, _| ended.contains(id));
        for id in ended {
            let seen = self.ended.entry(id).or_insert_with(Instant::now);
            assert!(seen.elapsed() < Duration::from_secs(60), "process {id} has ended and nobody minds");
        }
    }
}

fn processes() -> impl Iterator<Item = u32> {
    let folder = std::fs::read_dir("/proc").expect("Linux");
    folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The state of a process and its parent.
fn state_of(id: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut words = stat.rsplit_once(')')?.1.split_whitespace();
    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
}

fn read(pipe: &mut impl Read) -> String {
    let mut text = String::new();
    pipe.read_to_string(&mut text).expect("text");
    text
}

fn faults(kind: &str, count: usize) -> Value {
    let mut faults =
        serde_json::json!({ "time_losses": 0, "illegal_moves": 0, "disconnects": 0, "stalls": 0 });
    assert!(faults.get(kind).is_some(), "{kind}");
    faults[kind] = count.into();
    faults
}

/// Time for a first move that does not come in time. Whoever is still silent after 600 ms is told to stop.
const QUICK: &str = "st=0.05 timemargin=450";

#[test]
fn crashes_lose_their_games() {
    let trial = Trial::new(2);
    trial.loses_by("disconnects", "crash 3 always", "nodes=1");
    trial.loses_by("disconnects", "exit 3 always", "tc=100+1");
}

#[test]
fn wrong_moves_lose_their_games() {
    let trial = Trial::new(2);
    trial.loses_by("illegal_moves", "illegal 3 always", "nodes=1");
    trial.loses_by("illegal_moves", "nonsense 3 always", "depth=1");
    trial.loses_by("illegal_moves", "no-move 1 always", "nodes=1");
}

#[test]
fn late_answers_lose_their_games() {
    let trial = Trial::new(16);
    trial.loses_by("time_losses", "late 1 always ms=700", QUICK);
    trial.loses_by("time_losses", "until-stop 1 always", QUICK);
}

#[test]
fn silence_loses_its_games() {
    let trial = Trial::new(24);
    trial.loses_by("stalls", "hang 1 always", QUICK);
}

#[test]
fn talk_without_end_loses_its_games() {
    let trial = Trial::new(12);
    trial.loses_by("stalls", "flood 1 always", QUICK);
}

#[test]
fn a_line_of_200_megabytes_is_borne_in_little_memory() {
    let trial = Trial::new(2);
    let [faulty, mover] = trial.play("long-line 2", "nodes=1");
    assert_eq!(faulty["faults"], faults("stalls", 0));
    assert_eq!(mover["faults"], faults("stalls", 0));
}

#[test]
fn whoever_does_not_start_again_loses_its_games() {
    let trial = Trial::new(2);
    trial.loses_by("disconnects", "die-at-start 0 once=started", "nodes=1");
    let dead = trial.command("die-at-start", "nodes=1").output().expect("a program to run");
    let err = String::from_utf8_lossy(&dead.stderr);
    assert_eq!(dead.status.code(), Some(1), "{err}");
    assert!(err.contains("Faulty: cannot be started: ") && err.contains("libmissing.so not found"), "{err}");
    assert!(dead.stdout.is_empty(), "no game is played");
}

#[test]
fn whoever_does_not_quit_is_ended() {
    let trial = Trial::new(16);
    let [faulty, mover] = trial.play("ignore-quit", "nodes=1 restart=on");
    for side in [faulty, mover] {
        assert_eq!(side["faults"], faults("stalls", 0), "{side}");
    }
}

#[test]
fn without_recovery_the_first_fault_stops_the_match() {
    let mut trial = Trial::new(1);
    (trial.games, trial.concurrency) = (8, 1);
    let run =
        || output(trial.command("crash 3 game=4", "nodes=1").args(["-recover", "off", "-pgnout", "x.pgn"]));
    let stopped = run();
    assert_eq!(stopped.status, Some(1), "{}", stopped.err);
    let error = "error: game 4: Faulty: Black disconnects: crashed (signal: 6";
    assert!(stopped.err.contains(error), "{}", stopped.err);
    assert!(stopped.out.contains("\nGames: 2, "), "{}", stopped.out);
    assert!(
        stopped.out.contains("Started game 4") && !stopped.out.contains("Started game 5"),
        "{}",
        stopped.out
    );
    let pgn = || std::fs::read_to_string(trial.folder.path().join("x.pgn")).expect("games");
    let kept = pgn();
    assert_eq!(kept.matches("[Round \"1\"]").count(), 2);
    assert_eq!(kept.matches("[Round ").count(), 2, "half a pair is none");
    trial.assert_nothing_left();
    // A new process, so it is the fourth game from here.
    let again = run();
    assert!(again.out.contains(", which has 2 of 8 games"), "{}", again.out);
    assert!(again.err.contains("error: game 6: Faulty: "), "{}", again.err);
    assert!(pgn().starts_with(&kept));
    let recovered = output(trial.command("crash 3 game=4", "nodes=1").args(["-recover", "-pgnout", "x.pgn"]));
    assert_eq!(recovered.status, Some(0), "{}", recovered.err);
    assert!(recovered.out.contains("Faulty: 1 lost by disconnecting"), "{}", recovered.out);
}

fn output(command: &mut Command) -> Run {
    let output = command.output().expect("a program to run");
    Run {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Ctrl-C.
fn interrupt(program: &Child) {
    let status = Command::new("kill").args(["-INT", &program.id().to_string()]).status();
    assert!(status.expect("a program to run").success());
}

#[test]
fn the_second_interrupt_ends_the_match_in_the_middle_of_a_move() {
    let trial = Trial::new(2);
    // Under a number of nodes it is waited for a minute.
    let mut command = trial.command("hang 2 always", "nodes=1");
    let mut program =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program to run");
    let out = BufReader::new(program.stdout.take().expect("a pipe"));
    let err = BufReader::new(program.stderr.take().expect("a pipe"));
    let mut lines = out.lines().map(|line| line.expect("text"));
    assert!(lines.any(|line| line.starts_with("Started game 2")), "two games at a time");
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&program);
    let told = "finishing the games in hand; once more to stop now";
    assert!(err.lines().map_while(Result::ok).any(|line| line == told));
    std::thread::sleep(Duration::from_millis(300));
    assert!(program.try_wait().expect("a child").is_none(), "the games in hand are not finished");
    let began = Instant::now();
    interrupt(&program);
    let status = program.wait().expect("a program that ends");
    assert!(began.elapsed() < Duration::from_secs(50), "the engine had its minute");
    assert_eq!(status.code(), Some(130));
    assert!(lines.any(|line| line == "Interrupted; the same command resumes from here."));
    trial.assert_nothing_left();
}
