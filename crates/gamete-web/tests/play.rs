//! Games on the page.

mod common;

use std::time::Duration;

use common::Served;
use serde_json::{Value, json};

fn new(server: &Served, body: &Value) -> Value {
    let answer = server.post("/api/play", body);
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.ok()
}

fn path(session: &Value, action: &str) -> String {
    format!("/api/play/{}{action}", session["id"].as_str().expect("a name"))
}

fn play(server: &Served, session: &Value, text: &str) -> Value {
    server.post(&path(session, "/move"), &json!({ "move": text })).ok()
}

fn texts(session: &Value) -> Vec<&str> {
    session["moves"].as_array().expect("moves").iter().filter_map(|one| one["text"].as_str()).collect()
}

#[test]
fn people_play_chess_to_mate_and_the_game_survives_the_server() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let game = new(&server, &json!({ "game": "chess", "white_name": "Ann", "black_name": "<b>Ben</b>" }));
    assert_eq!(
        (game["status"].as_str(), game["legal"].as_array().map(Vec::len)),
        (Some("your-turn"), Some(20))
    );
    let mut events = server.events(&path(&game, "/events"));
    assert_eq!(events.next().0, "session");
    play(&server, &game, "f3");
    let seen =
        events.until(|name, data| name == "session" && data["moves"].as_array().map(Vec::len) == Some(1));
    assert_eq!(seen["positions"][1]["last"], json!([[6, 5], [5, 5]]));
    let illegal = server.post(&path(&game, "/move"), &json!({ "move": "e2e9" }));
    illegal.refused(422);
    assert!(server.post(&path(&game, "/move"), &json!({ "move": "Ke7" })).refused(422).contains("illegal"));
    server.post(&path(&game, "/move"), &json!({ "move": "e5", "ply": 0 })).refused(409);
    play(&server, &game, "e5");
    drop(server);

    let server = Served::start(lab.path());
    let again = server.get(&path(&game, "")).ok();
    assert_eq!(texts(&again), ["f3", "e5"]);
    play(&server, &game, "g4");
    let over = play(&server, &game, "d8h4");
    assert_eq!(over["end"], json!({ "outcome": "black", "result": "0-1", "reason": "checkmate" }));
    assert_eq!((over["status"].as_str(), over["legal"].as_array().map(Vec::len)), (Some("over"), Some(0)));
    server.post(&path(&game, "/move"), &json!({ "move": "a3" })).refused(409);
    let text = server.get(&path(&game, "/text"));
    assert!(text.body.contains("[Black \"<b>Ben</b>\"]") && text.body.contains("2. g4 Qh4#"), "{text:?}");
    assert!(
        text.headers["content-type"].starts_with("text/plain")
            && text.headers["x-content-type-options"] == "nosniff"
    );
    let back = server.post(&path(&game, "/takeback"), &json!({})).ok();
    assert_eq!((texts(&back).len(), back["end"].is_null()), (3, true));
    let resigned = server.post(&path(&game, "/resign"), &json!({ "color": "white" })).ok();
    assert_eq!(resigned["end"]["reason"], "White resigned");
    let list = server.get("/api/play").ok();
    assert_eq!(list["sessions"][0]["result"], "0-1");
    let other = server.post(&path(&game, "/again"), &json!({ "swap": true })).ok();
    assert_eq!((other["seats"]["white"]["name"].as_str(), texts(&other).len()), (Some("<b>Ben</b>"), 0));
    let gone = server.send("DELETE", &path(&game, ""), &[], None);
    assert_eq!(gone.status, 204, "{gone:?}");
    server.get(&path(&game, "")).refused(404);
}

#[test]
fn a_computer_answers_at_once_and_takes_back_with_the_person() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let game = new(&server, &json!({ "game": "chess", "black": "chess/material", "limit": { "depth": 2 } }));
    play(&server, &game, "e4");
    let answered = server.await_get(&path(&game, ""), |game| texts(game).len() == 2);
    assert_eq!(answered["status"], "your-turn");
    assert!(answered["moves"][1]["thought"]["depth"].as_u64() >= Some(1), "{}", answered["moves"][1]);
    let hint = server.post(&path(&game, "/hint"), &json!({})).ok();
    let legal = answered["legal"].as_array().expect("moves");
    assert!(legal.iter().any(|one| one["text"] == hint["move"]["text"]), "{hint}");
    let why = server.post(&path(&game, "/why"), &json!({ "ply": 0 })).ok();
    assert_eq!(
        (why["player"].as_str(), why["score"]["kind"].as_str()),
        (Some("chess/material"), Some("pawns"))
    );
    let back = server.post(&path(&game, "/takeback"), &json!({})).ok();
    assert_eq!(texts(&back).len(), 0);
    server.post(&path(&game, "/takeback"), &json!({})).refused(409);
    server.post(&path(&game, "/resign"), &json!({ "color": "black" })).refused(409);
    let draw = server.post(&path(&game, "/draw"), &json!({})).ok();
    assert!(draw["draw_answer"] == "refused" || draw["end"]["outcome"] == "draw", "{draw}");
}

#[test]
fn people_agree_on_a_draw() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let game = new(&server, &json!({ "game": "checkers" }));
    assert_eq!(game["turn"], "black");
    let offered = server.post(&path(&game, "/draw"), &json!({ "color": "black" })).ok();
    assert_eq!(offered["draw_offer"], "black");
    let moved = play(&server, &game, "11-15");
    assert_eq!(moved["draw_offer"], "black", "whoever offers may move");
    let declined = play(&server, &game, "22-18");
    assert!(declined["draw_offer"].is_null(), "whoever moves declines");
    // It is Black's turn, who is meant where nobody is named, and nobody accepts an offer of their own.
    server.post(&path(&game, "/draw"), &json!({})).ok();
    let offered = server.post(&path(&game, "/draw"), &json!({})).ok();
    assert_eq!((offered["draw_offer"].as_str(), &offered["end"]), (Some("black"), &Value::Null));
    let drawn = server.post(&path(&game, "/draw"), &json!({ "color": "white" })).ok();
    assert_eq!(
        (drawn["end"]["outcome"].as_str(), drawn["file_ending"].as_str()),
        (Some("draw"), Some("pdn"))
    );
}

#[test]
fn jumps_of_checkers_are_clicked_square_by_square() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let game = new(&server, &json!({ "game": "checkers", "fen": "B:W18,26,5:B15" }));
    let legal = game["legal"].as_array().expect("moves");
    assert_eq!((legal.len(), legal[0]["clicks"].as_array().map(Vec::len)), (1, Some(3)), "{legal:?}");
    assert_eq!(game["geometry"]["numbers"][0][1], 1);
    let moved = play(&server, &game, legal[0]["text"].as_str().expect("a move"));
    assert_eq!(moved["positions"][1]["last"].as_array().map(Vec::len), Some(3));
}

#[test]
fn computers_play_step_by_step_and_to_the_end() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let model = "connect-four/lines";
    let game = new(
        &server,
        &json!({ "game": "connect-four", "white": model, "black": model, "limit": { "depth": 2 } }),
    );
    assert_eq!((game["status"].as_str(), game["geometry"]["columns"].as_u64()), (Some("paused"), Some(7)));
    server.post(&path(&game, "/step"), &json!({})).ok();
    let stepped =
        server.await_get(&path(&game, ""), |game| game["status"] == "paused" && texts(game).len() == 1);
    assert!(stepped["thinking"].is_null());
    server.post(&path(&game, "/move"), &json!({ "move": "d" })).refused(409);
    server.post(&path(&game, "/go"), &json!({})).ok();
    let over = server.await_get(&path(&game, ""), |game| game["status"] == "over");
    assert!(over["end"]["result"].is_string(), "{over}");
    server.post(&path(&game, "/go"), &json!({})).refused(409);
}

#[test]
fn whoever_was_bred_can_be_played_against() {
    let lab = common::lab();
    std::fs::write(lab.path().join("mine.toml"), "model = \"chess/material\"").expect("a file");
    let server = Served::start(lab.path());
    let players = server.get("/api/players?game=chess").ok();
    let kinds: Vec<_> = players["players"]
        .as_array()
        .expect("players")
        .iter()
        .filter_map(|one| one["kind"].as_str())
        .collect();
    assert!(["model", "champion", "file"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    for player in ["small-1", "small-1@2#1", "small-1@0", "study-1/a/1@1#2", "file:mine.toml"] {
        let game = new(&server, &json!({ "game": "chess", "white": player, "limit": { "depth": 1 } }));
        server.await_get(&path(&game, ""), |game| texts(game).len() == 1);
    }
    for (player, status) in [
        ("small-1@99", 404),
        ("nonsense", 404),
        ("file:../mine.toml", 404),
        ("checkers/material", 422),
        ("chess/nonsense", 404),
    ] {
        server.post("/api/play", &json!({ "game": "chess", "white": player })).refused(status);
    }
    server.post("/api/play", &json!({ "game": "chess", "fen": "nonsense" })).refused(422);
    server.post("/api/play", &json!({ "game": "chess", "limit": { "nodes": 0 } })).refused(422);
    server
        .post("/api/play", &json!({ "game": "chess", "limit": { "movetime_ms": 100_000_000 } }))
        .refused(422);
    server.post("/api/play", &json!({ "game": "go" })).refused(422);
}

#[test]
fn a_clock_that_runs_out_ends_the_game() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let clock = json!({ "clock": { "base_ms": 2000, "increment_ms": 0 } });
    let game = new(&server, &json!({ "game": "chess", "limit": clock }));
    assert_eq!(
        game["clock"],
        json!({ "white_ms": 2000, "black_ms": 2000, "running": null }),
        "it runs from the first move on"
    );
    let moved = play(&server, &game, "e4");
    assert_eq!(moved["clock"]["running"], "black");
    let over = server.await_get(&path(&game, ""), |game| game["status"] == "over");
    assert_eq!(over["end"]["reason"], "Black lost on time");
    let back = server.post(&path(&game, "/takeback"), &json!({})).ok();
    assert_eq!((back["status"].as_str(), texts(&back)), (Some("your-turn"), vec!["e4"]));
    let left = back["clock"]["black_ms"].as_u64().expect("a clock");
    assert!((1000..=2000).contains(&left), "the turn begins again with what there was: {left}");
}

#[test]
fn a_clock_keeps_what_is_left_while_the_server_is_not_running() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let game = new(&server, &json!({ "game": "chess", "limit": { "clock": { "base_ms": 600_000 } } }));
    play(&server, &game, "e4");
    std::thread::sleep(Duration::from_millis(300));
    drop(server);
    let server = Served::start(lab.path());
    let again = server.get(&path(&game, "")).ok();
    assert_eq!(again["clock"]["running"], "black");
    let left = again["clock"]["black_ms"].as_u64().expect("a clock");
    assert!(left <= 600_000 - 300, "{left}");
}

#[test]
fn a_deleted_game_stays_deleted_when_its_time_is_up() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let game = new(&server, &json!({ "game": "chess", "limit": { "clock": { "base_ms": 300 } } }));
    play(&server, &game, "e4");
    assert_eq!(server.send("DELETE", &path(&game, ""), &[], None).status, 204);
    std::thread::sleep(Duration::from_millis(600));
    server.get(&path(&game, "")).refused(404);
    assert_eq!(std::fs::read_dir(lab.path().join("play")).expect("a directory").count(), 0);
}

#[test]
fn taking_back_while_a_computer_moves_damages_nothing() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let black = "chess/material";
    let game = new(&server, &json!({ "game": "chess", "black": black, "limit": { "depth": 1 } }));
    for turn in 0..40 {
        play(&server, &game, "e4");
        std::thread::sleep(Duration::from_micros(150 * turn));
        let back = server.post(&path(&game, "/takeback"), &json!({})).ok();
        assert_eq!(texts(&back).len(), 0);
        std::thread::sleep(Duration::from_millis(5));
        let now = server.get(&path(&game, "")).ok();
        assert_eq!((texts(&now).len(), now["status"].as_str()), (0, Some("your-turn")), "{turn}");
    }
}

#[test]
fn positions_are_looked_at() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let mate = json!({ "game": "chess", "fen": "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "nodes": 2000 });
    let found = server.post("/api/analyse", &mate).ok();
    assert_eq!(
        (found["move"]["text"].as_str(), found["score"]["kind"].as_str()),
        (Some("Ra8#"), Some("mate")),
        "{found}"
    );
    let scores = server
        .post("/api/analyse/game", &json!({ "game": "checkers", "moves": ["11-15", "22-18"], "nodes": 50 }))
        .ok();
    assert_eq!(scores["scores"].as_array().map(Vec::len), Some(3));
    server.post("/api/analyse", &json!({ "game": "chess", "moves": ["e5"] })).refused(422);
    server.post("/api/analyse", &json!({ "game": "chess", "player": "checkers/material" })).refused(422);
}
