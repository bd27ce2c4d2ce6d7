//! Experiments as the server shows them, starts them and stops them.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::{SMALL, Served, lab, run};
use gamete_arena::Local;
use gamete_lab::{Experiment, ExperimentRow, Store};
use serde_json::json;

#[test]
fn every_address_about_experiments_answers() {
    let lab = lab();
    let server = Served::start(lab.path());
    let listed = server.get("/api/experiments").ok();
    let ids: Vec<_> =
        listed["experiments"].as_array().expect("a list").iter().map(|one| one["id"].as_str()).collect();
    assert_eq!(ids, [Some("small-1"), Some("study-1")]);
    let small = &listed["experiments"][0];
    assert_eq!(
        (small["live"]["status"].as_str(), small["finished"].as_bool()),
        (Some("finished"), Some(true)),
        "{small}"
    );
    assert_eq!((small["game"].as_str(), small["is_study"].as_bool()), (Some("chess"), Some(false)));

    let one = server.get("/api/experiments/small-1").ok();
    let run = &one["experiment"]["arms"][0]["runs"][0];
    assert_eq!(
        (run["generations_count"].as_u64(), run["last"]["number"].as_u64()),
        (Some(4), Some(3)),
        "{run}"
    );
    assert_eq!(one["experiment"]["champion_player"], "small-1");
    assert!(one["experiment"]["genes_info"][0]["max"].is_number(), "{one}");
    let study = server.get("/api/experiments/study-1").ok();
    assert_eq!(study["experiment"]["arms"][1]["runs"][0]["path"], "b/1");

    let generations = server.get("/api/experiments/small-1/generations").ok();
    assert_eq!(
        (generations["count"].as_u64(), generations["generations"].as_array().map(Vec::len)),
        (Some(4), Some(4))
    );
    let thinned = server.get("/api/experiments/small-1/generations?points=2").ok();
    let numbers: Vec<_> =
        thinned["generations"].as_array().expect("a list").iter().map(|one| one["number"].as_u64()).collect();
    assert_eq!(numbers, [Some(0), Some(3)], "the first and the last");
    let later = server.get("/api/experiments/study-1/generations?run=b/1&after=2").ok();
    assert_eq!(later["generations"].as_array().map(Vec::len), Some(1));

    let population = server.get("/api/experiments/small-1/population?generation=2").ok();
    let third = &population["individuals"][2];
    assert_eq!((third["player"].as_str(), third["number"].as_u64()), (Some("small-1@2#3"), Some(3)));
    let family = server.get("/api/experiments/small-1/family?generation=3&individual=1").ok();
    assert!(
        family["is_known"].as_bool() == Some(true) && family["nodes"].as_array().map_or(0, Vec::len) > 1,
        "{family}"
    );
    let family = server.get("/api/experiments/small-1/family?generation=0&individual=1&ahead=9").ok();
    let nodes = family["nodes"].as_array().expect("a list");
    assert!(nodes.iter().skip(1).all(|node| node["generation"].as_u64() > Some(0)), "{family}");
    let population = server.get("/api/experiments/small-1/population?generation=1").ok();
    let children = population["individuals"].as_array().expect("a list").iter();
    let children =
        children.filter(|one| one["parents"].as_array().is_some_and(|all| all.contains(&json!(1))));
    assert_eq!(nodes.iter().filter(|node| node["generation"] == 1).count(), children.count(), "{family}");

    assert!(server.get("/api/experiments/small-1/file").body.contains("population = 4"));
    assert!(server.get("/api/experiments/small-1/report").body.contains("<html"));
    assert!(server.get("/api/experiments/small-1/player?of=small-1%402%233").body.contains("model = "));
    let games = server.get("/api/experiments/small-1/games").ok();
    assert!(games["games"].as_array().map_or(0, Vec::len) > 0, "{games}");
    let game = server.get("/api/experiments/small-1/games/1").ok();
    let (positions, moves) =
        (game["positions"].as_array().map(Vec::len), game["moves"].as_array().map(Vec::len));
    assert_eq!(positions, moves.map(|moves| moves + 1));
    assert!(game["text"].as_str().is_some_and(|text| text.contains("[Event \"small-1\"]")), "{game}");
    let file = server.get("/api/experiments/small-1/games/1/text");
    assert!(file.headers["content-disposition"].contains("small-1-1.pgn"), "{file:?}");
}

#[test]
fn what_is_not_there_is_named() {
    let lab = lab();
    let server = Served::start(lab.path());
    assert!(server.get("/api/experiments/smal-1").refused(404).contains("did you mean \"small-1\""));
    for path in [
        "/api/experiments/small-1/population?generation=99",
        "/api/experiments/small-1/population?run=nonsense",
        "/api/experiments/small-1/family?individual=0",
        "/api/experiments/small-1/family?individual=4000000000",
        "/api/experiments/small-1/games/0",
        "/api/experiments/small-1/games/x",
        "/api/experiments/small-1/player?of=small-1%409999",
        "/api/experiments/..%2F..%2Fetc%2Fpasswd",
        "/api/presets/..%2Fx",
        "/api/matches/lab.sqlite",
        "/api/matches/..%2F..%2Fetc%2Fpasswd",
        "/api/play/0123456789abcdef",
        "/api/nonsense",
    ] {
        server.get(path).refused(404);
    }
    let from_nobody = json!({ "preset": "kendall-whitwell", "set": { "from": "nobody" } });
    let checked = server.post("/api/experiments/check", &from_nobody).ok();
    assert!(checked["error"]["message"].as_str().is_some_and(|text| text.contains("nobody")), "{checked}");
    server.post("/api/experiments", &from_nobody).refused(422);
    server.get("/api/experiments/small-1/population?generation=-1").refused(400);
    server.get("/api/experiments/small-1/player?of=study-1").refused(422);
    server.send("PUT", "/api/experiments", &[("Content-Type", "application/json")], Some("{}")).refused(405);
}

#[test]
fn a_lab_that_is_moved_away_is_missed_and_not_made_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    let (lab, away) = (directory.path().join("lab"), directory.path().join("away"));
    run(&lab, "small-1", &format!("name = 'small'\n{SMALL}"));
    let server = Served::start(&lab);
    let game = server.post("/api/play", &json!({ "game": "chess" })).ok();
    let play = format!("/api/play/{}", game["id"].as_str().expect("a name"));
    let streams = ["/api/events", "/api/experiments/small-1/events"].map(|path| server.events(path));
    std::fs::rename(&lab, &away).expect("a move");
    // Streams end, and others are refused.
    for stream in streams {
        stream.end();
    }
    for path in
        ["/api/events", "/api/experiments", "/api/experiments/small-1", "/api/experiments/small-1/events"]
    {
        let told = server.get(path).refused(503);
        assert!(told.contains("there is no lab here"), "{told}");
    }
    let told = server.post("/api/play", &json!({ "game": "chess" })).refused(503);
    assert!(told.contains("there is no lab here"), "{told}");
    server.post(&format!("{play}/move"), &json!({ "move": "e4" })).refused(503);
    server.post("/api/experiments", &json!({ "preset": "kendall-whitwell" })).refused(503);
    assert!(!lab.exists());
    std::fs::rename(&away, &lab).expect("a move");
    server.get("/api/experiments/small-1").ok();
    assert_eq!(server.events("/api/events").next().0, "hello");
    server.post(&format!("{play}/move"), &json!({ "move": "e4" })).ok();
    assert_eq!(server.get(&play).ok()["moves"][0]["text"], "e4");
}

#[test]
fn an_experiment_is_started_from_a_form_and_watched_to_its_end() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let presets = server.get("/api/presets").ok();
    assert!(presets["presets"].as_array().map_or(0, Vec::len) > 10);
    let form = server.get("/api/presets/kendall-whitwell").ok();
    let keys = form["sections"][0]["keys"].as_array().expect("keys");
    let population = keys.iter().find(|key| key["path"] == "population").expect("a key");
    assert_eq!((population["kind"].as_str(), population["value"].as_u64()), (Some("integer"), Some(50)));
    let pipeline = server.get("/api/presets/weights-then-search").ok();
    assert_eq!(pipeline["sections"][1]["place"], "stages.search.");

    let mut wanted = json!({ "preset": "kendall-whitwell", "seed": 7, "verify": 1, "threads": 2,
        "set": { "population": 1, "generations": 3, "limits": "depth=1", "max_moves": 10 } });
    let wrong = server.post("/api/experiments", &wanted);
    assert!(wrong.refused(422).contains("population"), "{wrong:?}");
    assert_eq!(wrong.json()["error"]["key"], "population");
    let checked = server.post("/api/experiments/check", &wanted).ok();
    assert_eq!(checked, wrong.json(), "to check it goes well, and says the same");
    wanted["set"]["population"] = 4.into();
    let checked = server.post("/api/experiments/check", &wanted).ok();
    assert!(checked["file"].as_str().is_some_and(|file| file.contains("population = 4")), "{checked}");
    assert_eq!(checked["exists"], false);

    let mut lists = server.events("/api/events");
    assert_eq!(lists.next().0, "hello");
    assert_eq!(lists.next().1["experiments"], json!([]));
    let started = server.post("/api/experiments", &wanted);
    assert_eq!(started.status, 201, "{started:?}");
    let id = started.ok()["id"].as_str().expect("a name").to_owned();
    assert_eq!(checked["id"], id.as_str());
    lists.until(|name, data| name == "experiments" && data["experiments"][0]["id"] == id.as_str());
    let mut events = server.events(&format!("/api/experiments/{id}/events"));
    events.until(|name, data| name == "state" && data["live"]["status"] == "finished");
    let one = server.get(&format!("/api/experiments/{id}")).ok();
    assert_eq!(one["experiment"]["verification"][0]["pairs"], 1, "{}", one["experiment"]["verification"]);
    server.post("/api/experiments", &json!({ "preset": "/etc/passwd" })).refused(404);
    server
        .post("/api/experiments", &json!({ "preset": "piece-values", "set": { "match.engine": "/bin/sh" } }))
        .refused(422);
    let imitation = server
        .post("/api/experiments", &json!({ "preset": "imitation", "set": { "corpus": "/etc/passwd" } }));
    imitation.refused(422);
}

#[test]
fn a_run_is_paused_and_resumed_and_stopped() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let wanted = json!({ "preset": "kendall-whitwell", "verify": 0,
        "set": { "population": 6, "generations": 100_000, "limits": "depth=1", "max_moves": 10 } });
    let id = server.post("/api/experiments", &wanted).ok()["id"].as_str().expect("a name").to_owned();
    let path = format!("/api/experiments/{id}");
    server.post("/api/experiments", &wanted).refused(409);
    let running = server.await_get(&path, |one| one["live"]["generation"].as_u64() > Some(2));
    assert_eq!(
        (running["live"]["status"].as_str(), running["live"]["here"].as_bool()),
        (Some("running"), Some(true))
    );
    server.post(&format!("{path}/pause"), &json!({})).ok();
    let paused = server.await_get(&path, |one| one["live"]["status"] == "paused");
    server.post(&format!("{path}/pause"), &json!({})).refused(409);
    let generation = paused["live"]["generation"].as_u64();
    server.post(&format!("{path}/resume"), &json!({})).ok();
    server.await_get(&path, |one| one["live"]["generation"].as_u64() > generation);
    server.post(&format!("{path}/stop"), &json!({})).ok();
    server.await_get(&path, |one| one["live"]["status"] == "stopped");
    server.post("/api/experiments/nonsense/stop", &json!({})).refused(404);
}

#[test]
fn what_another_process_runs_is_seen_as_it_goes() {
    let lab = lab();
    let server = Served::start(lab.path());
    let mut lists = server.events("/api/events");
    lists.until(|name, _| name == "experiments");
    let directory = lab.path().to_owned();
    let other = std::thread::spawn(move || {
        run(
            &directory,
            "elsewhere-1",
            &format!("name = 'elsewhere'\n{}", SMALL.replace("generations = 3", "generations = 150")),
        );
    });
    let named = |data: &serde_json::Value| {
        data["experiments"].as_array().is_some_and(|all| all.iter().any(|one| one["id"] == "elsewhere-1"))
    };
    lists.until(|name, data| name == "experiments" && named(data));
    let mut events = server.events("/api/experiments/elsewhere-1/events");
    events.until(|name, data| name == "generation" && data["generation"]["number"].as_u64() > Some(0));
    server.post("/api/experiments/elsewhere-1/pause", &json!({})).refused(409);
    events.until(|name, data| name == "state" && data["live"]["status"] == "finished");
    other.join().expect("a run");
}

#[test]
fn a_verification_is_paused_and_resumed_and_stopped() {
    let lab = tempfile::tempdir().expect("a directory");
    let wanted = json!({ "preset": "kendall-whitwell", "verify": 100_000,
        "set": { "population": 4, "generations": 2, "limits": "depth=1", "max_moves": 10 } });
    let path;
    {
        let server = Served::start(lab.path());
        let id = server.post("/api/experiments", &wanted).ok()["id"].as_str().expect("a name").to_owned();
        path = format!("/api/experiments/{id}");
        let pairs = |one: &serde_json::Value| one["experiment"]["verification"][0]["pairs"].as_u64();
        let one = server.await_get(&path, |one| one["live"]["status"] == "verifying" && pairs(one) > Some(0));
        assert_eq!(one["live"]["here"], true);
        server.post(&format!("{path}/pause"), &json!({})).ok();
        let paused = server.await_get(&path, |one| one["live"]["status"] == "paused");
        server.post(&format!("{path}/resume"), &json!({})).ok();
        server.await_get(&path, |one| one["live"]["status"] == "verifying" && pairs(one) > pairs(&paused));
        server.post(&format!("{path}/stop"), &json!({})).ok();
        server.await_get(&path, |one| one["live"]["status"] == "stopped");
    }
    // Another server knows nothing but what is stored.
    let server = Served::start(lab.path());
    let one = server.get(&path).ok();
    assert_eq!((&one["live"]["status"], &one["live"]["can_resume"]), (&json!("stopped"), &json!(true)));
    let listed = server.get("/api/experiments").ok();
    let listed = &listed["experiments"][0];
    assert_eq!((&listed["finished"], &listed["live"]["status"]), (&json!(true), &json!("stopped")));
    server.post(&format!("{path}/resume"), &json!({})).ok();
    let one = server.await_get(&path, |one| one["live"]["status"] == "verifying");
    assert_eq!(one["experiment"]["verification"][0]["planned_pairs"], 100_000, "as many as before");
}

#[test]
fn a_verification_in_another_process_is_seen_as_it_goes() {
    let lab = lab();
    let server = Served::start(lab.path());
    let one = server.get("/api/experiments/small-1").ok();
    assert_eq!(one["live"]["status"], "finished");
    let mut events = server.events("/api/experiments/small-1/events");
    let stop = Arc::new(AtomicBool::new(false));
    let (directory, own) = (lab.path().to_owned(), Arc::clone(&stop));
    let other = std::thread::spawn(move || {
        let store = Store::open(&directory).expect("a lab");
        let executor = Local::new(1).expect("threads");
        gamete_lab::verify(&store, "small-1", 100_000, &executor, &own, |_| {}).expect_err("it is stopped");
    });
    events.until(|name, data| name == "state" && data["live"]["status"] == "verifying");
    let mut before = 0;
    for _ in 0..3 {
        events.until(|name, _| name == "changed");
        let pairs =
            server.get("/api/experiments/small-1").ok()["experiment"]["verification"][0]["pairs"].as_u64();
        assert!(pairs > Some(before), "{pairs:?} after {before}");
        before = pairs.unwrap_or_default();
    }
    stop.store(true, Ordering::Relaxed);
    other.join().expect("a verification");
    events.until(|name, data| name == "state" && data["live"]["status"] == "stopped");
}

#[test]
fn a_pipeline_tells_how_far_it_is_and_its_stages_are_its_controls() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let wanted = json!({ "preset": "weights-then-search", "verify": 0, "set": {
        "stages.weights.population": 4, "stages.weights.generations": 50, "stages.weights.limits": "depth=1",
        "stages.search.limits": "depth=1", "stages.search.generations": 100_000 } });
    let id = server.post("/api/experiments", &wanted).ok()["id"].as_str().expect("a name").to_owned();
    let path = format!("/api/experiments/{id}");
    let stage = |name: &str| format!("{path}%2F{name}");
    let mut events = server.events(&format!("{path}/events"));
    let told = events.until(|name, data| {
        name == "state" && data["id"] == id.as_str() && data["live"]["games_per_second"].as_f64() > Some(0.0)
    });
    let live = &told["live"];
    assert!(told["seconds"].as_f64() > Some(0.0), "{told}");
    assert!(live["eta_seconds"].as_f64() > Some(0.0), "{told}");
    assert!(
        live["games"].as_u64() > Some(0) && live["games"].as_u64() < live["planned_games"].as_u64(),
        "{told}"
    );
    events.until(|name, data| name == "state" && data["id"] == format!("{id}/search"));
    let first = server.await_get(&stage("weights"), |one| one["live"]["status"] == "finished");
    assert_eq!(first["live"]["here"], false);
    server.post(&format!("{}/pause", stage("search")), &json!({})).ok();
    server.await_get(&path, |one| one["live"]["status"] == "paused");
    assert_eq!(server.get(&stage("search")).ok()["live"]["status"], "paused");
    assert_eq!(server.get(&stage("weights")).ok()["live"]["status"], "finished");
    let listed = server.get("/api/experiments").ok();
    let statuses: Vec<_> = listed["experiments"][0]["stages"]
        .as_array()
        .expect("stages")
        .iter()
        .map(|stage| stage["live"]["status"].as_str())
        .collect();
    assert_eq!(statuses, [Some("finished"), Some("paused")]);
    server.post(&format!("{}/resume", stage("search")), &json!({})).ok();
    server.await_get(&path, |one| one["live"]["status"] == "running");
    server.post(&format!("{}/stop", stage("weights")), &json!({})).ok();
    server.await_get(&stage("search"), |one| one["live"]["status"] == "stopped");
}

#[test]
fn what_plays_with_other_programs_is_resumed_where_it_was_started() {
    let lab = lab();
    let changes = ["match.opponents=[\"cmd=some-engine\"]".to_owned()];
    let experiment = Experiment::load("piece-values", &changes, None).expect("an experiment");
    let row = ExperimentRow {
        id: "piece-values-2".to_owned(),
        file: experiment.text(),
        method: "optimize".to_owned(),
        about: String::new(),
        seed: 1,
        signature: String::new(),
        created: 1,
        seconds: 0.0,
        result: None,
    };
    Store::open(lab.path()).expect("a lab").insert(&row).expect("a row");
    let server = Served::start(lab.path());
    let live = &server.get("/api/experiments/piece-values-2").ok()["live"];
    assert_eq!((&live["status"], &live["can_resume"]), (&json!("stopped"), &json!(false)), "{live}");
    let refused = server.post("/api/experiments/piece-values-2/resume", &json!({})).refused(422);
    assert!(refused.contains("`gamete evolve piece-values --set "), "{refused}");
}

#[test]
fn a_lab_that_goes_away_is_an_error_and_comes_back() {
    let lab = lab();
    let server = Served::start(lab.path());
    server.get("/api/experiments").ok();
    let (file, away) = (lab.path().join("lab.sqlite"), lab.path().join("away"));
    std::fs::rename(&file, &away).expect("a file");
    assert!(server.get("/api/experiments").refused(503).contains("there is no lab here"));
    std::fs::write(&file, "no lab").expect("a file");
    assert!(server.get("/api/experiments").refused(503).contains("not a lab"));
    std::fs::rename(&away, &file).expect("a file");
    assert_eq!(server.get("/api/experiments").ok()["experiments"].as_array().map(Vec::len), Some(2));
}
