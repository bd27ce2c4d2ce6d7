//! What is left of the processes of engines, whatever ends the match.

mod common;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::test_engine;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Engines that start a helper, and write both their numbers into a file.
struct Engines {
    folder: tempfile::TempDir,
    mover: PathBuf,
}

/// A guard against hanging; nothing is measured by it.
const PATIENCE: Duration = Duration::from_secs(120);

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

impl Engines {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write("plays.sh", "sleep 1000 & echo $$ $! >> pids; exec \"$1\"");
        // Deaf while it thinks.
        write(
            "thinks.sh",
            "sleep 1000 & echo $$ $! >> pids
            while read -r word rest; do case $word in
                uci) echo uciok ;;
                isready) echo readyok ;;
                go) echo thinking >> thinking; sleep 1000; sleep 1000 ;;
                quit) exit ;;
            esac; done",
        );
        write("starts.sh", "sleep 1000 & echo $$ $! >> pids; echo thinking >> thinking; sleep 1000");
        Self { folder, mover: test_engine("random-mover") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The words of a match of a script against the random mover.
    fn words(&self, script: &str) -> Vec<String> {
        let mover = self.mover.display();
        let engine = [format!("arg={script}"), format!("arg={mover}")];
        let words = ["match", "-engine", "cmd=/bin/sh"].map(str::to_owned).into_iter().chain(engine);
        let rest = format!("name=Script -engine cmd={mover} name=Mover -each nodes=1 -concurrency 1");
        words.chain(rest.split(' ').map(str::to_owned)).collect()
    }

    fn start(&self, script: &str, more: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.current_dir(self.folder.path()).args(self.words(script)).args(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program to run")
    }

    /// All processes that were started, and that there were any.
    fn processes(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("pids")).expect("engines that were started");
        let processes: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        assert!(processes.len() >= 2, "{text}");
        processes
    }

    fn wait_until_all_are_over(&self) {
        for process in self.processes() {
            wait_until(&format!("the end of process {process}"), || is_over(&process));
        }
    }

    fn wait_until_it_thinks(&self) {
        wait_until("a thinking engine", || self.path("thinking").exists());
    }
}

/// Whether a process does not run, though nobody may have waited for it.
fn is_over(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with('Z'))
}

fn send(signal: &str, process: u32) {
    let status = Command::new("kill").args([signal, &process.to_string()]).status();
    assert!(status.expect("a program to run").success());
}

#[test]
fn helpers_of_engines_end_after_a_clean_quit() {
    let engines = Engines::new();
    let run = engines.start("plays.sh", &[]).wait_with_output().expect("a program that ends");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    engines.wait_until_all_are_over();
}

#[test]
fn a_thinking_engine_ends_with_a_match_that_is_told_to_end() {
    for (signals, status) in [
        (["-TERM"].as_slice(), Some(143)),
        (&["-HUP"], Some(129)),
        (&["-INT", "-INT"], Some(130)),
        (&["-INT", "-TERM"], Some(143)),
        (&["-KILL"], None),
    ] {
        let engines = Engines::new();
        let mut program = engines.start("thinks.sh", &[]);
        engines.wait_until_it_thinks();
        let mut err = BufReader::new(program.stderr.take().expect("a pipe"));
        for (index, signal) in signals.iter().enumerate() {
            if index > 0 {
                // The first one has been received.
                err.read_line(&mut String::new()).expect("a word on the first signal");
            }
            send(signal, program.id());
        }
        let output = program.wait_with_output().expect("a program that ends");
        assert_eq!(output.status.code(), status, "{signals:?}");
        if status.is_some() {
            let out = String::from_utf8_lossy(&output.stdout);
            assert!(out.trim_end().ends_with("Interrupted; the same command resumes from here."), "{out}");
        }
        engines.wait_until_all_are_over();
    }
}

#[test]
fn a_starting_engine_ends_with_a_match_that_is_told_to_end() {
    let engines = Engines::new();
    let program = engines.start("starts.sh", &["-startup-ms", "600000"]);
    engines.wait_until_it_thinks();
    send("-TERM", program.id());
    let output = program.wait_with_output().expect("a program that ends");
    assert_eq!(output.status.code(), Some(143), "{}", String::from_utf8_lossy(&output.stderr));
    engines.wait_until_all_are_over();
}

#[test]
fn a_thinking_engine_ends_when_the_terminal_closes() {
    let engines = Engines::new();
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal");
    let name = ptsname(&master, Vec::new()).expect("the name of a terminal");
    let terminal = File::options().read(true).write(true).open(name.to_str().expect("a name"));
    let terminal = terminal.expect("the other side of the terminal");
    let copy = || terminal.try_clone().expect("a file");
    // In a session of its own, whose terminal it is.
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_gamete")]).args(engines.words("thinks.sh"));
    command.current_dir(engines.folder.path()).stdin(copy()).stdout(copy()).stderr(copy());
    let mut program = command.spawn().expect("a program to run");
    // The command keeps the files it was given.
    drop((command, terminal));
    engines.wait_until_it_thinks();
    drop(master);
    let status = program.wait().expect("a program that ends");
    assert_eq!(status.code(), Some(129), "{status}");
    engines.wait_until_all_are_over();
}

#[test]
fn a_match_under_nohup_outlives_its_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("/bin/sh");
    command.current_dir(folder.path()).args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    command.arg(env!("CARGO_BIN_EXE_gamete")).args([
        "match",
        "-engine",
        "model=chess/material",
        "-engine",
        "model=chess/classic",
        "-each",
        "nodes=200",
        "-rounds",
        "10",
        "-concurrency",
        "1",
    ]);
    let mut program = command.stdout(Stdio::piped()).spawn().expect("a program to run");
    let mut lines = BufReader::new(program.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("Finished game 1 ")));
    send("-HUP", program.id());
    assert_eq!(lines.filter(|line| line.starts_with("Finished game ")).count(), 19);
    assert!(program.wait().expect("a program that ends").success());
}

/// The games of a match up to where it was told to end are kept.
#[test]
fn a_match_that_is_told_to_end_goes_on_as_if_nothing_had_happened() {
    let words = "match -engine model=chess/material -engine model=chess/classic -each nodes=200 -rounds 10 \
        -variant fischerandom -srand 9 -concurrency 2 -pgnout x.pgn";
    let run = |folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.current_dir(folder).args(words.split_whitespace());
        command
    };
    let (whole, broken) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    assert!(run(whole.path()).output().expect("a program to run").status.success());
    // It waits between games, so that it is not over before it is told to end.
    let mut slow = run(broken.path());
    let mut program = slow.args(["-wait", "2000"]).stdout(Stdio::piped()).spawn().expect("a program to run");
    let mut lines = BufReader::new(program.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("Finished game 3 ")));
    send("-TERM", program.id());
    let rest: Vec<_> = lines.collect();
    assert_eq!(program.wait().expect("a program that ends").code(), Some(143));
    assert!(!rest.iter().any(|line| line.starts_with("Finished game 20 ")), "the match was over");
    let resumed = run(broken.path()).output().expect("a program to run");
    assert!(String::from_utf8_lossy(&resumed.stdout).contains(", which has "));
    let pgn = |folder: &Path| std::fs::read(folder.join("x.pgn")).expect("games");
    assert!(pgn(broken.path()) == pgn(whole.path()), "the games are not the same");
}
