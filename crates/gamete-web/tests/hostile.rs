//! Requests that nobody of good will sends.

mod common;

use std::io::{Read, Write};

use common::{Served, lab};
use serde_json::{Value, json};

const TOKEN: &str = "0123456789abcdef0123";

#[test]
fn changes_need_the_token_and_reading_does_not() {
    let lab = lab();
    let server = Served::with(lab.path(), Some(TOKEN));
    assert_eq!(server.get("/api/server").ok()["may_change"], false);
    let with_token =
        server.send("GET", "/api/server", &[("Authorization", &format!("Bearer {TOKEN}"))], None);
    assert_eq!(with_token.ok()["may_change"], true);
    server.get("/api/experiments/small-1").ok();
    let json = ("Content-Type", "application/json");
    for (method, path) in [
        ("POST", "/api/play"),
        ("POST", "/api/experiments"),
        ("POST", "/api/analyse"),
        ("DELETE", "/api/play/0123456789abcdef"),
    ] {
        server.send(method, path, &[json], Some("{}")).refused(401);
        server
            .send(method, path, &[json, ("Authorization", "Bearer 0123456789abcdef0124")], Some("{}"))
            .refused(401);
    }
    assert_eq!(server.post("/api/play", &json!({ "game": "chess" })).status, 201);
}

#[test]
fn other_sites_and_other_names_are_refused() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let json = ("Content-Type", "application/json");
    let body = Some("{\"game\":\"chess\"}");
    server.send("POST", "/api/play", &[json, ("Origin", "http://evil.example.org")], body).refused(403);
    server.send("POST", "/api/play", &[json, ("Origin", "null")], body).refused(403);
    server.send("POST", "/api/play", &[json, ("Sec-Fetch-Site", "cross-site")], body).refused(403);
    server.send("POST", "/api/play", &[("Content-Type", "text/plain")], body).refused(415);
    server.send("POST", "/api/play", &[], body).refused(415);
    for host in ["evil.example.org", "evil.example.org:7878", "127.0.0.1.evil.example.org"] {
        server.send("GET", "/api/experiments", &[("Host", host)], None).refused(403);
        server.send("GET", "/", &[("Host", host)], None).refused(403);
    }
    let own = format!("http://{}", server.address);
    assert_eq!(server.send("POST", "/api/play", &[json, ("Origin", &own)], body).status, 201);
    let no_host = server.raw(b"GET /api/experiments HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(no_host.status, 400, "{no_host:?}");
}

#[test]
fn every_answer_forbids_scripts_of_others() {
    let lab = lab();
    let server = Served::start(lab.path());
    for path in [
        "/",
        "/experiments/small-1",
        "/api/experiments",
        "/api/nonsense",
        "/nonsense.js",
        "/api/experiments/study-1/file",
    ] {
        let reply = server.get(path);
        assert_eq!(reply.headers["x-content-type-options"], "nosniff", "{path}");
        let policy = &reply.headers["content-security-policy"];
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert!(!reply.headers.contains_key("access-control-allow-origin"), "{path}");
    }
    let page = server.get("/experiments/small-1");
    assert_eq!((page.status, page.headers["content-type"].as_str()), (200, "text/html; charset=utf-8"));
    let listed = server.get("/api/experiments");
    assert_eq!(listed.headers["content-type"], "application/json");
    assert!(listed.body.contains("<script>alert(1)</script>"), "data are data, and no page");
    let report = server.get("/api/experiments/study-1/report");
    assert!(
        !report.body.contains("<script>alert(1)")
            && report.headers["content-security-policy"].contains("sandbox")
    );
}

#[test]
fn bodies_that_are_too_large_are_not_read() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let mut stream = server.connect();
    let head = format!(
        "POST /api/play HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).expect("a request");
    let mut answer = [0; 20];
    stream.read_exact(&mut answer).expect("an answer");
    assert!(answer.starts_with(b"HTTP/1.1 413"), "{}", String::from_utf8_lossy(&answer));
    let chunked = format!(
        "POST /api/play HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        server.address
    );
    let mut bytes = chunked.into_bytes();
    for _ in 0..40 {
        bytes.extend_from_slice(b"1000\r\n");
        bytes.extend_from_slice(&[b' '; 4096]);
        bytes.extend_from_slice(b"\r\n");
    }
    assert_eq!(server.raw(&bytes).status, 413);
    server.get("/api/server").ok();
}

#[test]
fn nothing_that_is_sent_is_a_fault_of_ours() {
    let lab = lab();
    let server = Served::start(lab.path());
    let game = server.post("/api/play", &json!({ "game": "chess" })).ok();
    let id = game["id"].as_str().expect("a name");
    let texts = [
        "",
        "0",
        "-1",
        "%00",
        "%ff",
        "..%2f..%2f",
        "x%0d%0ay",
        "'%20OR%201=1",
        "@",
        "small-1@",
        "#",
        "%F0%9F%92%A9",
        "1e400",
        "4294967296",
    ];
    let paths = [
        "/api/experiments/{}",
        "/api/experiments/{}/generations?points={}&from={}&to={}&after={}",
        "/api/experiments/small-1/generations?points={}",
        "/api/experiments/small-1/population?generation={}",
        "/api/experiments/small-1/family?individual={}&depth={}",
        "/api/experiments/small-1/games/{}",
        "/api/experiments/small-1/player?of={}",
        "/api/presets/{}",
        "/api/players?game={}",
        "/api/play/{}",
        "/api/matches/{}",
        "/api/matches/{}/games?from={}",
        "/{}",
        "/assets/{}",
        "/api/{}",
    ];
    for path in paths {
        for text in texts {
            let reply = server.get(&path.replace("{}", text));
            assert!((200..500).contains(&reply.status), "{path} with {text:?}: {reply:?}");
        }
    }
    let values: Vec<Value> = vec![
        json!(null),
        json!([]),
        json!("x"),
        json!(-1),
        json!(1e300),
        json!({}),
        json!("x".repeat(10_000)),
        json!("\u{0}"),
        json!([[[[]]]]),
    ];
    let bodies = [
        (
            "/api/play",
            json!({ "game": "chess" }),
            vec!["game", "white", "black", "white_name", "limit", "fen", "seed", "auto", "nonsense"],
        ),
        (
            "/api/analyse",
            json!({ "game": "chess", "nodes": 1 }),
            vec!["game", "fen", "moves", "player", "nodes", "movetime_ms"],
        ),
        ("/api/analyse/game", json!({ "game": "chess", "nodes": 1 }), vec!["fen", "moves", "player"]),
        (
            "/api/experiments/check",
            json!({ "preset": "kendall-whitwell" }),
            vec!["preset", "set", "seed", "threads", "verify"],
        ),
        ("/api/experiments/check", json!({ "preset": "kendall-whitwell", "set": {} }), vec![]),
        ("MOVE", json!({ "move": "e4" }), vec!["move", "ply"]),
        ("RESIGN", json!({}), vec!["color"]),
    ];
    for (path, body, keys) in bodies {
        let path = match path {
            "MOVE" => format!("/api/play/{id}/move"),
            "RESIGN" => format!("/api/play/{id}/resign"),
            path => path.to_owned(),
        };
        for key in keys {
            for value in &values {
                let mut body = body.clone();
                body[key] = value.clone();
                let reply = server.post(&path, &body);
                assert!((200..500).contains(&reply.status), "{path} {key} {value}: {reply:?}");
            }
        }
        for text in ["", "{", "[]", "null", "{\"a\":", "\u{feff}{}", "{}{}"] {
            let reply = server.send("POST", &path, &[("Content-Type", "application/json")], Some(text));
            assert!((200..500).contains(&reply.status), "{path} {text:?}: {reply:?}");
        }
    }
    for key in [
        "population",
        "weights.pawn",
        "mutation",
        "x=1\ny",
        "arms",
        "limits",
        "name",
        "from",
        "take",
        "stages.a.b",
        "*",
        "weights.*",
    ] {
        for value in &values {
            let reply = server.post(
                "/api/experiments/check",
                &json!({ "preset": "kendall-whitwell", "set": { key: value } }),
            );
            assert!((200..500).contains(&reply.status), "{key} {value}: {reply:?}");
        }
    }
    for bytes in [
        &b"GET\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ] {
        let reply = server.raw(bytes);
        assert!(reply.status < 500, "{bytes:?}: {reply:?}");
    }
    server.get("/api/server").ok();
}

#[test]
fn no_address_leads_out_of_the_page_and_the_lab() {
    let lab = lab();
    let outside = lab.path().with_extension("toml");
    std::fs::write(&outside, "model = \"chess/material\" # secret").expect("a file");
    let name = outside.file_name().and_then(|name| name.to_str()).expect("a name");
    let server = Served::start(lab.path());
    let ways = [
        "../",
        "..%2f",
        "%2e%2e/",
        "%2e%2e%2f",
        "..%5c",
        "....//",
        "..%c0%af",
        "/",
        "//",
        "%2f",
        "file:../",
        "\0/",
    ];
    let places = [
        "/",
        "/assets/",
        "/api/",
        "/api/play/",
        "/api/matches/",
        "/api/presets/",
        "/api/experiments/small-1/player?of=",
    ];
    for place in places {
        for way in ways {
            for target in [name, "etc/passwd"] {
                let head = format!(
                    "GET {place}{}{target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                    way.repeat(8)
                );
                let reply = server.raw(head.as_bytes());
                assert!(reply.status < 500, "{head}: {reply:?}");
                assert!(!reply.body.contains("secret") && !reply.body.contains("root:"), "{head}: {reply:?}");
            }
        }
    }
    let player = format!("file:../{name}");
    server.post("/api/play", &json!({ "game": "chess", "white": player })).refused(404);
    std::fs::remove_file(outside).expect("a file");
}

/// Sends a byte now and then until the server has had enough of it. Gives what it says.
fn trickle(server: &Served, head: &str) -> String {
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).expect("a request");
    stream.set_read_timeout(Some(std::time::Duration::from_secs(1))).expect("a timeout");
    let mut answer = Vec::new();
    for _ in 0..60 {
        let mut bytes = [0; 1024];
        match stream.read(&mut bytes) {
            Ok(0) => return String::from_utf8_lossy(&answer).into_owned(),
            Ok(count) => answer.extend_from_slice(&bytes[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                let _ = stream.write_all(b"x");
            }
            Err(_) => return String::from_utf8_lossy(&answer).into_owned(),
        }
    }
    panic!("{head:?} is still listened to after a minute");
}

#[test]
#[ignore = "takes ten seconds: make serve-full"]
fn requests_that_take_too_long_to_arrive_are_given_up() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    let head = format!(
        "POST /api/play HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nX-Slow: ",
        server.address
    );
    let body = format!("{}\r\nContent-Length: 1000\r\n\r\n{{", head.trim_end_matches("\r\nX-Slow: "));
    std::thread::scope(|scope| {
        let (head, body) = (scope.spawn(|| trickle(&server, &head)), scope.spawn(|| trickle(&server, &body)));
        head.join().expect("an end");
        let answer = body.join().expect("an end");
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("takes too long"), "{answer}");
    });
    server.get("/api/server").ok();
}

#[test]
#[ignore = "takes a minute: make serve-full"]
fn answers_that_nobody_reads_are_given_up() {
    let lab = lab();
    let server = Served::start(lab.path());
    let mut stream = server.connect();
    let request = format!("GET /api/openapi.json HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.set_nonblocking(true).expect("a connection that does not wait");
    let started = std::time::Instant::now();
    let mut sent = 0;
    // More and more is asked for and nothing is read.
    loop {
        match stream.write(&request.as_bytes()[sent..]) {
            Ok(count) => sent = (sent + count) % request.len(),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            Err(_) => break,
        }
        assert!(started.elapsed().as_secs() < 180, "the connection is still there");
    }
    server.get("/api/server").ok();
}

#[test]
#[ignore = "sends as much as it is let: make serve-full"]
fn a_body_of_a_gigabyte_is_not_taken() {
    let lab = tempfile::tempdir().expect("a directory");
    let server = Served::start(lab.path());
    for length in ["Content-Length: 1073741824", "Transfer-Encoding: chunked"] {
        let mut stream = server.connect();
        let head = format!(
            "POST /api/play HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{length}\r\n\r\n",
            server.address
        );
        stream.write_all(head.as_bytes()).expect("a request");
        let megabyte = [b"100000\r\n".as_slice(), &[b' '; 1 << 20], b"\r\n"].concat();
        let taken = (0..1024).take_while(|_| stream.write_all(&megabyte).is_ok()).count();
        // What buffers on the way hold, and no more.
        assert!(taken < 64, "{length}: {taken} MB");
    }
    server.get("/api/server").ok();
}
