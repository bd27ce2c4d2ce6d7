//! What a broker lets coordinators and workers in for: tokens, keys, credentials, certificates.

use std::path::{Path, PathBuf};
use std::process::Command;

use broker::Broker;
use common::{Lines, expected, options, refused, submit, task, worker_options};
use data_encoding::BASE64URL_NOPAD;
use gamete_arena::Task;
use gamete_grid::{Access, Grid, GridOptions, Worker, WorkerOptions};
use needs::{Need, nats_server, needing};
use nkeys::KeyPair;
use serde_json::{Value, json};

#[path = "../../gamete/tests/common/broker.rs"]
mod broker;
mod common;
#[path = "../../gamete/tests/common/needs.rs"]
mod needs;

needing! {
    a_user_of_the_address_lets_in: [nats_server()],
    who_is_not_let_in_any_more_is_told_so: [nats_server()],
    a_token_lets_in: [nats_server()],
    an_nkey_lets_in: [nats_server()],
    credentials_let_in: [nats_server()],
    a_worker_with_a_key_has_an_inbox_of_its_own: [nats_server()],
    a_certificate_is_checked_by_the_authority_that_is_named: [nats_server(), openssl()],
}

fn openssl() -> Need {
    let found = ["/usr/bin", "/usr/local/bin"].map(|folder| Path::new(folder).join("openssl"));
    let path = found.into_iter().find(|path| path.exists());
    path.ok_or_else(|| "there is no openssl to make certificates with".to_owned())
}

/// A broker with JetStream and a configuration.
fn configured(text: &str) -> Broker {
    let program = nats_server().expect("a broker that is there");
    Broker::configured(program, &format!("jetstream {{}}\n{text}"))
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// A coordinator and a worker do a few tasks with this access.
fn assert_let_in(broker: &Broker, access: &Access) {
    let lines = Lines::default();
    let grid = GridOptions { access: access.clone(), notices: lines.notices(), ..options(broker) };
    let grid = Grid::start(grid).expect("a grid");
    let worker = WorkerOptions { access: access.clone(), notices: lines.notices(), ..worker_options(broker) };
    let worker = Worker::start(worker).expect("a worker");
    let tasks: Vec<Task> = (0..5).map(task).collect();
    for (number, outcome) in &submit(&grid, tasks.clone()) {
        assert_eq!(outcome.expect("an outcome"), expected(&tasks[number]));
    }
    assert_eq!(worker.counts().done, 5);
    grid.finish();
    assert!(lines.0.lock().unwrap().is_empty(), "{:?}", lines.0.lock().unwrap());
}

/// What is said to a coordinator and to a worker that are not let in.
fn assert_refused(broker: &Broker, access: Access, words: &str, secret: &str) {
    let error = refused(GridOptions { access: access.clone(), ..options(broker) }).to_string();
    assert!(error.contains(words) && !error.contains(secret), "{error}");
    let worker = Worker::start(WorkerOptions { access, ..worker_options(broker) });
    let error = worker.err().expect("no worker").to_string();
    assert!(error.contains(words) && !error.contains(secret), "{error}");
}

const DENIED: &str = "does not let us in";

fn a_user_of_the_address_lets_in() {
    let broker = configured(r#"authorization { user: "us@er", password: "p:ss,/" }"#);
    let with = |user: &str| Access::new(broker.url().replace("nats://", &format!("nats://{user}@")));
    assert_let_in(&broker, &with("us%40er:p%3Ass%2C%2F"));
    assert_refused(&broker, with("us%40er:p%3Ass%2C"), DENIED, "ss%2C");
}

fn who_is_not_let_in_any_more_is_told_so() {
    let options = |password: &'static str| ["-js", "--user", "me", "--pass", password];
    let program = nats_server().expect("a broker that is there");
    let mut broker = Broker::with_options(program, &options("old"));
    let lines = Lines::default();
    let access = Access::new(broker.url().replace("nats://", "nats://me:old@"));
    let worker = WorkerOptions { access, notices: lines.notices(), ..worker_options(&broker) };
    let worker = Worker::start(worker).expect("a worker");
    broker.restart_with(&options("new"));
    let line = lines.wait_for("does not let us in any more: ");
    assert!(line.ends_with("; trying again") && !line.contains("old"), "{line}");
    assert!(!worker.has_left());
}

fn a_token_lets_in() {
    let broker = configured("authorization { token: sesame }");
    let with = |token: &str| Access { token: Some(token.to_owned()), ..Access::new(broker.url()) };
    assert_let_in(&broker, &with("sesame"));
    assert_let_in(&broker, &Access::new(broker.url().replace("nats://", "nats://sesame@")));
    assert_refused(&broker, with("barley"), DENIED, "barley");
    assert_refused(&broker, Access::new(broker.url()), DENIED, "sesame");
}

fn an_nkey_lets_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let (known, other) = (KeyPair::new_user(), KeyPair::new_user());
    let text = format!("authorization {{ users = [ {{ nkey: {} }} ] }}", known.public_key());
    let broker = configured(&text);
    let with = |name: &str, text: &str| Access {
        nkey: Some(file(folder.path(), name, text)),
        ..Access::new(broker.url())
    };
    let [known, other] = [&known, &other].map(|key| key.seed().expect("a seed"));
    assert_let_in(&broker, &with("known.nk", &format!("{known}\n")));
    assert_refused(&broker, with("other.nk", &other), DENIED, &other);
    assert_refused(&broker, with("wrong.nk", "hello"), "wrong.nk: ", "hello");
}

fn a_worker_with_a_key_has_an_inbox_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = KeyPair::new_user();
    let text = include_str!("../../../deploy/broker.conf").replace("$LAB_PASSWORD", "secret");
    let text = text.replace("store_dir: /var/lib/gamete-broker", "");
    let user = "user: worker, password: $WORKER_PASSWORD";
    assert!(text.contains(user), "{text}");
    let text = text.replace(user, &format!("nkey: {}", key.public_key()));
    let program = nats_server().expect("a broker that is there");
    let broker = Broker::configured(program, &text);
    let of_grid = Access {
        user: Some("lab".to_owned()),
        password: Some("secret".to_owned()),
        ..Access::new(broker.url())
    };
    let grid = Grid::start(GridOptions { access: of_grid, ..options(&broker) }).expect("a grid");
    let seed = key.seed().expect("a seed");
    let access = Access {
        user: Some("worker".to_owned()),
        nkey: Some(file(folder.path(), "worker.nk", &seed)),
        ..Access::new(broker.url())
    };
    let lines = Lines::default();
    let worker = WorkerOptions { access, notices: lines.notices(), ..worker_options(&broker) };
    let worker = Worker::start(worker).expect("a worker");
    let outcomes = submit(&grid, (0..5).map(task));
    assert_eq!(outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count(), 5);
    assert_eq!((worker.counts().done, lines.0.lock().unwrap().len()), (5, 0));
    grid.finish();
}

/// A token as `nsc` makes it: claims about a subject, signed by an issuer.
fn signed(issuer: &KeyPair, subject: &KeyPair, name: &str, claims: &Value) -> String {
    let encoded = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let body = json!({
        "jti": name, "iat": 1, "name": name, "iss": issuer.public_key(), "sub": subject.public_key(), "nats": claims,
    });
    let text = format!("{}.{}", encoded(&header), encoded(&body));
    let signature = issuer.sign(text.as_bytes()).expect("a signature");
    format!("{text}.{}", BASE64URL_NOPAD.encode(&signature))
}

/// A credentials file.
fn credentials(account: &KeyPair, name: &str) -> (String, String) {
    let user = KeyPair::new_user();
    let claims =
        json!({ "subs": -1, "data": -1, "payload": -1, "pub": {}, "sub": {}, "type": "user", "version": 2 });
    let (token, seed) = (signed(account, &user, name, &claims), user.seed().expect("a seed"));
    let text = format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    );
    (text, seed)
}

fn credentials_let_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let operator = KeyPair::new_operator();
    let [system, lab, stranger] = [(); 3].map(|()| KeyPair::new_account());
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1,
    });
    let account = |key: &KeyPair, name: &str, limits: &Value| {
        signed(&operator, key, name, &json!({ "limits": limits, "type": "account", "version": 2 }))
    };
    let text = format!(
        "operator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload {{ {}: {}, {}: {} }}",
        signed(&operator, &operator, "operator", &json!({ "type": "operator", "version": 2 })),
        system.public_key(),
        system.public_key(),
        account(
            &system,
            "system",
            &json!({ "subs": -1, "conn": -1, "data": -1, "payload": -1, "wildcards": true })
        ),
        lab.public_key(),
        account(&lab, "lab", &limits),
    );
    let broker = configured(&text);
    let with = |name: &str, text: &str| Access {
        credentials: Some(file(folder.path(), name, text)),
        ..Access::new(broker.url())
    };
    assert_let_in(&broker, &with("lab.creds", &credentials(&lab, "worker").0));
    let (other, seed) = credentials(&stranger, "worker");
    assert_refused(&broker, with("stranger.creds", &other), DENIED, &seed);
    assert_refused(&broker, with("wrong.creds", "hello"), "wrong.creds: ", "hello");
}

/// Makes an authority, and a certificate of it for this machine.
fn certificates(folder: &Path) {
    std::fs::create_dir_all(folder).expect("a folder");
    let run = |words: &str| {
        let words = words.split_whitespace();
        let output = Command::new(openssl().expect("openssl")).current_dir(folder).args(words).output();
        let output = output.expect("openssl");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    file(folder, "names", "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    run(&format!("req -x509 {key} -days 2 -subj /CN=authority -keyout authority.key -out authority.pem"));
    run(&format!("req {key} -subj /CN=broker -keyout broker.key -out broker.csr"));
    run(
        "x509 -req -in broker.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -extfile names -out broker.pem",
    );
}

fn a_certificate_is_checked_by_the_authority_that_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ours, other) = (folder.path().join("ours"), folder.path().join("other"));
    [&ours, &other].iter().for_each(|folder| certificates(folder));
    let path = |name: &str| ours.join(name).display().to_string();
    let program = nats_server().expect("a broker that is there");
    let (certificate, key) = (path("broker.pem"), path("broker.key"));
    let broker =
        Broker::with_options(program, &["-js", "--tls", "--tlscert", &certificate, "--tlskey", &key]);
    let with =
        |authority: &Path| Access { authority: Some(authority.to_owned()), ..Access::new(broker.url()) };
    assert_let_in(&broker, &with(&ours.join("authority.pem")));
    for unknown in [Access::new(broker.url()), with(&other.join("authority.pem"))] {
        assert_refused(&broker, unknown, "--grid-ca", "BEGIN");
    }
    let nonsense = file(folder.path(), "nonsense.pem", "hello");
    assert_refused(&broker, with(&nonsense), "nonsense.pem: ", "hello");
    // One that is not encrypted is not talked to where an authority is named.
    let plain = common::start();
    let access = Access { authority: Some(ours.join("authority.pem")), ..Access::new(plain.url()) };
    assert_refused(&plain, access, "--grid-ca", "BEGIN");
}
