//! `gamete serve` as people start it.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A server that is killed with the test.
struct Served {
    child: Child,
    page: String,
}

impl Served {
    fn start(lab: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        Self::spawn(command.args(["serve", "--listen", "127.0.0.1:0", "--lab"]).arg(lab).args(more))
    }

    /// One that may open so many files and connections.
    fn with_files(lab: &Path, files: usize) -> Self {
        let script = format!("ulimit -n {files} && exec \"$0\" serve --listen 127.0.0.1:0 --lab \"$1\"");
        Self::spawn(Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_gamete")]).arg(lab))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program is built");
        let mut page = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut page).expect("an address");
        Self { child, page: page.trim().to_owned() }
    }

    fn host(&self) -> &str {
        self.page.strip_prefix("http://").and_then(|rest| rest.split('/').next()).expect("an address")
    }

    fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = self.connect();
        let (host, length) = (self.host(), body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned()))
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.send("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn gamete(arguments: &[&str]) -> (bool, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_gamete")).args(arguments).output().expect("the program is built");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_game_survives_a_server_that_is_killed() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path(), &[]);
    let (status, game) = server.send("POST", "/api/play", "{\"game\":\"chess\"}");
    assert_eq!(status, 201, "{game}");
    let game: Value = serde_json::from_str(&game).expect("JSON");
    let path = format!("/api/play/{}", game["id"].as_str().expect("a name"));
    assert_eq!(server.send("POST", &format!("{path}/move"), "{\"move\":\"e4\"}").0, 200);
    drop(server);
    let server = Served::start(lab.path(), &[]);
    assert_eq!(server.get(&path)["moves"][0]["text"], "e4");
}

#[test]
fn what_an_evolution_in_another_process_stores_is_served() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path(), &[]);
    let directory = lab.path().to_str().expect("a path");
    let small = [
        "--set",
        "population=4",
        "--set",
        "generations=2",
        "--set",
        "limits=depth=1",
        "--set",
        "max_moves=10",
    ];
    let (done, error) = gamete(&[&["evolve", "--lab", directory, "--verify", "1"], &small[..]].concat());
    assert!(done, "{error}");
    let listed = server.get("/api/experiments");
    assert_eq!(listed["experiments"][0]["state"], "done", "{listed}");
    let id = listed["experiments"][0]["id"].as_str().expect("a name");
    assert_eq!(server.get(&format!("/api/experiments/{id}/generations"))["count"], 3);
    let ratings = server.get("/api/ratings");
    assert_eq!(
        ratings["ratings"].as_array().map(Vec::len),
        Some(3),
        "the champion, its start and the classical weights: {ratings}"
    );
}

/// Half of the files that a server may open are for connections.
const FILES: usize = 256;

#[test]
fn connections_that_say_nothing_make_room_for_those_that_ask() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::with_files(lab.path(), FILES);
    let mut silent: Vec<TcpStream> = (0..2 * FILES).map(|_| server.connect()).collect();
    for _ in 0..10 {
        assert_eq!(server.get("/api/experiments")["experiments"], serde_json::json!([]));
    }
    // Who came first has made room for the others, and is told so.
    for stream in &mut silent[..FILES] {
        let answered = stream.read(&mut [0; 64]);
        assert!(
            matches!(answered, Ok(0))
                || answered.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset)
        );
    }
    silent.clear();
    server.get("/api/experiments");
}

#[test]
fn whoever_comes_when_all_connections_are_busy_is_told_so() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::with_files(lab.path(), FILES);
    let watch = || {
        let mut stream = server.connect();
        // A connection that is refused may be closed before it has asked for anything.
        let _ = write!(stream, "GET /api/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.host());
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).expect("an answer");
        (stream, line)
    };
    let viewers: Vec<TcpStream> = (0..FILES / 2)
        .map(|number| {
            let (stream, line) = watch();
            assert!(line.contains(" 200 "), "{number}: {line}");
            stream
        })
        .collect();
    assert_eq!(watch().1, "HTTP/1.1 429 Too Many Requests\r\n");
    drop(viewers);
    // It is well again as soon as it has noticed.
    while watch().1.contains(" 429 ") {}
    server.get("/api/experiments");
}

#[test]
fn matches_are_shown_game_by_game() {
    let lab = tempfile::tempdir().expect("a directory");
    let journal = lab.path().join("games.db");
    let engine =
        ["-engine", "model=chess/material", "name=A", "-engine", "model=chess/kendall-whitwell", "name=B"];
    let terms = [
        "-each",
        "nodes=20",
        "-rounds",
        "2",
        "-maxmoves",
        "10",
        "-journal",
        journal.to_str().expect("a path"),
    ];
    let (done, error) = gamete(&[&["match"], &engine[..], &terms[..]].concat());
    assert!(done, "{error}");
    let server = Served::start(lab.path(), &[]);
    let listed = server.get("/api/matches");
    assert_eq!(
        (listed["matches"][0]["name"].as_str(), listed["matches"][0]["games"].as_u64()),
        (Some("games.db"), Some(4)),
        "{listed}"
    );
    let one = server.get("/api/matches/games.db");
    assert_eq!(one["contestants"][0]["ptnml"].as_array().map(Vec::len), Some(5), "{one}");
    assert!(
        !one.to_string().contains(lab.path().to_str().expect("a path")),
        "where it is on the machine is nobody's business: {one}"
    );
    assert_eq!(server.get("/api/matches/games.db/games?from=2&limit=2")["games"][0]["number"], 2);
    let game = server.get("/api/matches/games.db/games/3");
    assert!(game["moves"].as_array().is_some_and(|moves| !moves.is_empty()), "{game}");
    assert_eq!(server.get("/api/ratings")["ratings"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_lab_that_was_not_there_is_told_of() {
    let directory = tempfile::tempdir().expect("a directory");
    let lab = directory.path().join("typo");
    let first_line = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--lab"]).arg(&lab);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program is built");
        let mut line = String::new();
        let error = child.stderr.take().expect("its errors");
        BufReader::new(error).read_line(&mut line).expect("a line");
        child.kill().and_then(|()| child.wait()).expect("an end");
        line
    };
    assert_eq!(first_line().trim(), format!("there was no lab in {}: made a new one", lab.display()));
    assert!(first_line().starts_with("lab "), "and the next time it is there");
}

#[test]
fn what_cannot_be_served_is_named() {
    let lab = tempfile::tempdir().expect("a directory");
    let directory = lab.path().to_str().expect("a path");
    let server = Served::start(lab.path(), &[]);
    let (done, error) = gamete(&["serve", "--lab", directory, "--listen", server.host()]);
    assert!(
        !done && error.contains("another server listens there: give another port with --listen"),
        "{error}"
    );
    let (done, error) = gamete(&["serve", "--lab", directory, "--listen", "0.0.0.0:0"]);
    assert!(!done && error.contains("give a --token"), "{error}");
    let (done, error) = gamete(&["serve", "--lab", directory, "--token", "short"]);
    assert!(!done && error.contains("--token: it has 5 characters"), "{error}");
    let (done, error) = gamete(&["serve", "--lab", "/proc/nowhere"]);
    assert!(!done && error.contains("/proc/nowhere") && error.contains("--lab"), "{error}");
}
