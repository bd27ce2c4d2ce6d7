//! `gamete match` from the outside.

mod common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Run, folder, gamete, is_full, run_match};

const PLAYERS: &str = "-engine model=chess/classic name=A -engine model=chess/material name=B";

/// The report at the end, which does not tell how the match came there.
fn last_block(run: &Run) -> &str {
    &run.out[run.out.rfind("Results of").expect("a report")..]
}

#[test]
fn a_match_is_reported_as_fastchess_does() {
    let folder = folder();
    let run = run_match(
        folder.path(),
        &format!(
            "{PLAYERS} -each nodes=100 -rounds 6 -variant fischerandom -srand 5 -pgnout file=x.pgn -epdout x.epd -ratinginterval 2 -concurrency 1"
        ),
    );
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(
        run.out.starts_with("Seed: 5 (-srand 5)\nJournal: x.pgn.db\nStarted game 1 of 12 (A vs B)\n"),
        "{}",
        run.out
    );
    for line in [
        "Started game 12 of 12 (B vs A)",
        "Finished game 11 (A vs B): ",
        "Games: 12, Wins: ",
        "Ptnml(0-2): [",
        "Penta | [",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    assert!(last_block(&run).starts_with("Results of A vs B (nodes=100, 1t, chess960):\nElo: "));
    assert_eq!(run.out.matches("Results of").count(), 3, "after 2, 4 and, at the end, 6 pairs\n{}", run.out);
    let pgn = std::fs::read_to_string(folder.path().join("x.pgn")).expect("games");
    assert_eq!(pgn.matches("[Round \"6\"]").count(), 2);
    assert_eq!(pgn.matches("[Variant \"Chess960\"]").count(), 12);
    let epd = std::fs::read_to_string(folder.path().join("x.epd")).expect("positions");
    assert_eq!(epd.lines().count(), 12);
    let converted = gamete([
        "convert".as_ref(),
        folder.path().join("x.pgn").as_os_str(),
        "-o".as_ref(),
        folder.path().join("y.epd").as_os_str(),
    ]);
    assert_eq!(converted.status, Some(0), "{}", converted.err);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let run = |threads: usize| {
        let folder = folder();
        let run = run_match(
            folder.path(),
            &format!(
                "{PLAYERS} -each depth=2 -rounds 8 -variant fischerandom -srand 1 -pgnout x.pgn -concurrency {threads}"
            ),
        );
        assert_eq!(run.status, Some(0), "{}", run.err);
        (std::fs::read(folder.path().join("x.pgn")).expect("games"), last_block(&run).to_owned())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn checkers_starts_from_ballots_and_is_written_as_pdn() {
    let folder = folder();
    let run = run_match(
        folder.path(),
        "-engine model=checkers/squares -engine model=checkers/material -each nodes=200 -rounds 3 -pgnout x.pdn -srand 2",
    );
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.out.contains("three-move ballots"), "{}", run.out);
    let pdn = std::fs::read_to_string(folder.path().join("x.pdn")).expect("games");
    assert_eq!(pdn.matches("{book}").count(), 3 * 6, "three moves of six games");
}

#[test]
fn a_tournament_has_a_ranking_and_one_opening_a_round() {
    let folder = folder();
    let words = format!(
        "{PLAYERS} -engine model=chess/kendall-whitwell name=C -each depth=1 -rounds 2 -variant fischerandom -srand 3 -pgnout x.pgn"
    );
    let run = run_match(folder.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.out.contains("Rank Name"), "{}", run.out);
    let pgn = std::fs::read_to_string(folder.path().join("x.pgn")).expect("games");
    let mut starts: Vec<_> = pgn.lines().filter(|line| line.starts_with("[FEN")).collect();
    assert_eq!(starts.len(), 12);
    starts.dedup();
    assert_eq!(starts.len(), 2, "one a round");
    let gauntlet = run_match(folder.path(), &format!("{words} -tournament gauntlet -json -journal other.db"));
    let json: serde_json::Value = serde_json::from_str(&gauntlet.out).expect("JSON");
    assert_eq!(json["games"], 8);
    assert_eq!(json["contestants"][0]["name"], "A");
}

#[test]
fn the_tables_of_a_gauntlet_say_what_they_are() {
    let folder = folder();
    let words = format!(
        "{PLAYERS} -engine model=chess/kendall-whitwell name=C -each depth=1 -rounds 3 -variant fischerandom -srand 3"
    );
    let run = run_match(folder.path(), &format!("{words} -tournament gauntlet -ratinginterval 0"));
    assert_eq!(run.status, Some(0), "{}", run.err);
    let lines: Vec<_> = run.out.lines().collect();
    let titles: Vec<_> = (1..lines.len())
        .filter(|&index| lines[index].starts_with("Rank Name"))
        .map(|index| lines[index - 1].split(" (").next().unwrap_or_default())
        .collect();
    assert_eq!(
        titles,
        ["Each against its opponents", "Ratings by all games together, 0 on average"],
        "{}",
        run.out
    );
    assert!(run.out.contains("(+/- is half the width of the 95 % interval, by pairs):\n"), "{}", run.out);
    assert!(!run.out.contains("nan") && !run.out.contains("-0.0"), "{}", run.out);
}

/// With four pairs Student's t would make the second one larger.
#[test]
fn one_output_has_one_margin() {
    let folder = folder();
    let run = run_match(
        folder.path(),
        &format!("{PLAYERS} -each depth=1 -rounds 4 -variant fischerandom -srand 5 -ratinginterval 0"),
    );
    assert_eq!(run.status, Some(0), "{}", run.err);
    let between = |from: &str, to: &str| {
        let (_, rest) = run.out.split_once(from).expect("a line");
        rest.split_once(to).expect("an end").0.to_owned()
    };
    let [first, second] = [between("\nElo: ", ", "), between("\nElo   | ", " (95%)")];
    assert_eq!(
        first.split(" +/- ").collect::<Vec<_>>(),
        second.split(" +- ").collect::<Vec<_>>(),
        "{}",
        run.out
    );
    assert!(run.out.ends_with("+/- is half the width of the 95 % interval, by pairs.\n"), "{}", run.out);
}

#[test]
fn a_quick_tournament_ends_in_a_ranking_and_goes_on_where_it_was() {
    let engines: String = [10, 4000, 100, 700, 30, 300, 2000]
        .map(|nodes| format!("-engine model=chess/classic name=N{nodes} nodes={nodes} "))
        .concat();
    let words = format!("{engines} -tournament quick -variant fischerandom -srand 6 -pgnout x.pgn");
    let whole = folder();
    let run = run_match(whole.path(), &format!("{words} -concurrency 1"));
    assert_eq!(run.status, Some(0), "{}", run.err);
    let table = |run: &Run| run.out[run.out.rfind("Rank Name").expect("a ranking")..].to_owned();
    let names: Vec<_> = table(&run)
        .lines()
        .skip(1)
        .map_while(|line| line.split_whitespace().nth(1).map(str::to_owned))
        .collect();
    assert_eq!(names.len(), 7, "{}", run.out);
    assert!(names[..3].contains(&"N4000".to_owned()) && names[4..].contains(&"N10".to_owned()), "{names:?}");

    let broken = folder();
    for pause in [150, 250, 200] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gamete"))
            .current_dir(broken.path())
            .arg("match")
            .args(words.split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a program to run");
        std::thread::sleep(Duration::from_millis(pause));
        child.kill().expect("a child");
        child.wait().expect("a child");
    }
    let resumed = run_match(broken.path(), &format!("{words} -concurrency 3"));
    assert_eq!(resumed.status, Some(0), "{}", resumed.err);
    assert_eq!(table(&resumed), table(&run));
    let pgn = |folder: &Path| std::fs::read(folder.join("x.pgn")).expect("games");
    assert!(pgn(broken.path()) == pgn(whole.path()), "the games are not the same");
    let json = run_match(broken.path(), &format!("{words} -json"));
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json["ranking"], serde_json::json!(names));

    let single = folder();
    let run = run_match(single.path(), &format!("{words} -games 1 -concurrency 1"));
    assert_eq!(run.status, Some(0), "{}", run.err);
    let started = run.out.lines().filter(|line| line.starts_with("Started game")).take(6);
    let mut blacks: Vec<_> = started.map(|line| line.rsplit(' ').next()).collect();
    blacks.dedup();
    assert_eq!(blacks.len(), 1, "the pivot has Black: {}", run.out);
    let other = run_match(broken.path(), &format!("{words} -rounds 2"));
    assert!(
        other.err.contains("this is the journal of another match: it has rounds 1, not 2"),
        "{}",
        other.err
    );
}

#[test]
fn reports_may_be_those_of_cutechess() {
    let folder = folder();
    let words = "-each depth=1 -rounds 4 -variant fischerandom -srand 5 -output format=cutechess -reverse -ratinginterval 2";
    let run = run_match(folder.path(), &format!("{PLAYERS} {words} -concurrency 1"));
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.out.contains("Started game 1 of 8 (B vs A)\n"), "{}", run.out);
    assert_eq!(run.out.matches("Score of A vs B: ").count(), 2, "{}", run.out);
    assert_eq!(run.out.matches("\n...      A playing White: ").count(), 2, "{}", run.out);
    assert_eq!(run.out.matches(", about 4 more games\n").count(), 1, "{}", run.out);
    assert!(run.out.ends_with("\nFinished match\n"), "{}", run.out);
}

#[test]
fn a_sequential_test_ends_the_match() {
    let folder = folder();
    let strong = "-engine model=chess/classic name=A nodes=3000 -engine model=chess/material name=B nodes=20";
    let words = format!(
        "{strong} -rounds 500 -variant fischerandom -srand 3 -sprt elo0=0 elo1=200 model=logistic -pgnout x.pgn"
    );
    let run = run_match(folder.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.out.contains("completed - H1 was accepted\n"), "{}", run.out);
    assert!(run.out.contains("\nLLR   | "), "{}", run.out);
    let again = run_match(folder.path(), &words);
    assert_eq!(last_block(&again), last_block(&run), "the test ends where it ended");
    assert!(!again.out.contains("Started game"));
}

#[test]
fn timed_games_lose_nothing_on_time() {
    let folder = folder();
    let run = run_match(
        folder.path(),
        &format!("{PLAYERS} -each tc=1+0.02 timemargin=60000 -maxmoves 20 -rounds 2 -json -concurrency 1"),
    );
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["games"], 4);
    assert_eq!(json["contestants"][0]["faults"]["time_losses"], 0);
}

#[test]
fn a_journal_belongs_to_one_match() {
    let folder = folder();
    let words = format!("{PLAYERS} -each depth=1 -rounds 2 -journal j.db");
    let first = run_match(folder.path(), &words);
    assert_eq!(first.status, Some(0), "{}", first.err);
    let longer = run_match(folder.path(), &words.replace("-rounds 2", "-rounds 3"));
    assert!(longer.out.contains("j.db, which has 4 of 6 games"), "{}", longer.out);
    assert_eq!(longer.out.matches("Started game").count(), 2);
    let other = run_match(folder.path(), &words.replace("depth=1", "depth=2"));
    assert_eq!(other.status, Some(1));
    assert!(other.err.contains("j.db: this is the journal of another match"), "{}", other.err);
    let fresh = run_match(folder.path(), &format!("{} -fresh", words.replace("depth=1", "depth=2")));
    assert_eq!(fresh.status, Some(0), "{}", fresh.err);
    assert_eq!(fresh.out.matches("Started game").count(), 4);
}

#[test]
fn games_that_were_in_the_file_stay_there() {
    let folder = folder();
    let path = folder.path().join("x.pgn");
    std::fs::write(&path, "[Event \"old\"]\n\n*\n\n").expect("a file");
    let words = format!("{PLAYERS} -each depth=1 -rounds 2 -pgnout x.pgn -srand 1");
    for extra in ["", "", "-fresh"] {
        let run = run_match(folder.path(), &format!("{words} {extra}"));
        assert_eq!(run.status, Some(0), "{}", run.err);
        let pgn = std::fs::read_to_string(&path).expect("games");
        assert!(pgn.starts_with("[Event \"old\"]\n\n*\n\n[Event \"Gamete match\"]"), "{pgn}");
        assert_eq!(pgn.matches("[Event ").count(), 5);
    }
}

/// Numbers by the generator of Knuth's MMIX.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn spawn(folder: &Path, words: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_gamete"))
        .current_dir(folder)
        .arg("match")
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program to run")
}

/// How many games the match has when this line is said, if it is a line that says so.
fn progress(line: &str, known: u64) -> Option<u64> {
    if line.starts_with("Finished game ") {
        return Some(known + 1);
    }
    line.split_once(", which has ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok())
}

/// Starts the match, and kills it a moment after it has so many games. Gives how many it had, if it was not over by then.
fn kill_at(games: u64, pause: Duration, folder: &Path, words: &str) -> Option<u64> {
    let mut child = spawn(folder, words);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let mut known = 0;
    while known < games {
        let Some(line) = lines.next() else { break };
        known = progress(&line, known).unwrap_or(known);
    }
    std::thread::sleep(pause);
    let is_over = child.try_wait().expect("a child").is_some();
    child.kill().expect("a child to kill");
    child.wait().expect("a child");
    // Not before, or it would have nobody to talk to.
    drop(lines);
    (!is_over).then_some(known)
}

/// `make kills-full` kills a match of 400 games 50 times.
#[test]
fn a_match_that_is_killed_goes_on_as_if_nothing_had_happened() {
    let (rounds, kills, nodes) = if is_full() { (200, 50, 1000) } else { (30, 6, 500) };
    let words = format!(
        "{PLAYERS} -each nodes={nodes} -rounds {rounds} -variant fischerandom -srand 9 -pgnout x.pgn -epdout x.epd"
    );
    let whole = folder();
    let began = Instant::now();
    let run = run_match(whole.path(), &words);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let a_game = began.elapsed().as_micros() as u64 / (2 * rounds);
    let (broken, mut dice) = (folder(), Dice(2024));
    // The first one before there is anything, and the last one well before the end.
    let mut moments: Vec<_> = (1..kills).map(|_| dice.below(2 * rounds * 9 / 10)).chain([0]).collect();
    moments.sort_unstable();
    let mut seen = Vec::new();
    for games in moments {
        let pause = Duration::from_micros(dice.below(4 * a_game));
        seen.extend(kill_at(games, pause, broken.path(), &words));
    }
    assert!(!seen.is_empty(), "the match was always over before it could be killed");
    eprintln!("killed {} times, with so many games: {seen:?}", seen.len());
    let resumed = run_match(broken.path(), &words);
    assert_eq!(resumed.status, Some(0), "{}", resumed.err);
    assert_eq!(last_block(&resumed), last_block(&run));
    for file in ["x.pgn", "x.epd"] {
        let read = |folder: &Path| std::fs::read(folder.join(file)).expect("games");
        assert!(read(broken.path()) == read(whole.path()), "{file} is not the same");
    }
}

/// Ctrl-C.
fn interrupt(program: &Child) {
    let status = Command::new("kill").args(["-INT", &program.id().to_string()]).status();
    assert!(status.expect("a program to run").success());
}

#[test]
fn an_interrupt_finishes_the_games_in_hand() {
    let words = format!("{PLAYERS} -each nodes=1000 -rounds 40 -variant fischerandom -srand 9 -pgnout x.pgn");
    let (whole, broken) = (folder(), folder());
    let run = run_match(whole.path(), &words);
    let mut program = spawn(broken.path(), &words);
    let mut lines = BufReader::new(program.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let mut out: Vec<_> = lines.by_ref().take_while(|line| !line.starts_with("Finished game 5 ")).collect();
    interrupt(&program);
    out.extend(lines);
    assert_eq!(program.wait().expect("a program that ends").code(), Some(130));
    assert_eq!(out.last().map(String::as_str), Some("Interrupted; the same command resumes from here."));
    let count = |start: &str| out.iter().filter(|line| line.starts_with(start)).count();
    let kept =
        out.iter().find_map(|line| line.split_once(" wait").and_then(|(kept, _)| kept.split(' ').next()));
    let kept: usize = kept.map_or(0, |kept| kept.parse().expect("a number of games"));
    assert_eq!(
        count("Started game "),
        count("Finished game ") + 1 + kept,
        "what was begun is finished; one line was passed"
    );
    assert!(count("Started game ") < 80, "the match was over");
    let resumed = run_match(broken.path(), &words);
    assert_eq!(last_block(&resumed), last_block(&run));
    let pgn = |folder: &Path| std::fs::read(folder.join("x.pgn")).expect("games");
    assert!(pgn(broken.path()) == pgn(whole.path()), "the games are not the same");
}

#[test]
fn other_programs_play_by_uci() {
    let folder = folder();
    let uci = format!("cmd={} args=uci", env!("CARGO_BIN_EXE_gamete"));
    let ours = "-engine model=chess/material name=B";
    let words = "-each nodes=50 -rounds 2 -variant fischerandom -srand 4 -concurrency 1 -json";
    let run = run_match(
        folder.path(),
        &format!("-engine {uci} name=A option.Hash=1 option.Nonsense=1 {ours} {words}"),
    );
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.err.contains("doesn't have option Nonsense"), "{}", run.err);
    let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(json["games"], 4);
    let no_faults =
        serde_json::json!({ "time_losses": 0, "illegal_moves": 0, "disconnects": 0, "stalls": 0 });
    assert_eq!(json["contestants"][0]["faults"], no_faults);
    for cmd in ["nobody-has-this", "true"] {
        let run = run_match(folder.path(), &format!("-engine cmd={cmd} {ours} {words}"));
        assert_eq!(run.status, Some(1), "{cmd}");
        assert!(run.err.contains("cannot be started"), "{}", run.err);
        assert_eq!(run.out, "");
    }
}

#[test]
fn tables_that_are_not_there_are_named() {
    let folder = folder();
    std::fs::write(folder.path().join("pawn.epd"), "8/8/8/4k3/8/8/4P3/4K3 w - -\n").expect("a file");
    let words = format!("{PLAYERS} -each nodes=300 -openings file=pawn.epd order=sequential -srand 1");
    for (tables, error) in [
        ("nowhere", "-tb: nowhere: there is no such directory"),
        (".", "-tb: .: no tables in it; they are files like KQvK.rtbw"),
    ] {
        let run = run_match(folder.path(), &format!("{words} -tb {tables}"));
        assert_eq!((run.status, run.out.as_str()), (Some(1), ""), "{}", run.err);
        assert!(run.err.contains(error), "{}", run.err);
    }
}

#[test]
fn bad_input_is_refused_before_any_game() {
    let folder = folder();
    std::fs::write(folder.path().join("empty.epd"), "").expect("a file");
    std::fs::write(folder.path().join("bad.epd"), "8/8/8/8/8/8/8/8 w - -\n").expect("a file");
    for (words, error) in [
        ("-each tc=banana", "tc=banana: must be [moves/][minutes:]seconds[+increment] or inf"),
        ("-each nodes=5 -openings file=empty.epd", "empty.epd: no openings in it"),
        ("-each nodes=5 -openings file=bad.epd", "bad.epd: line 1: "),
        ("-each nodes=5 -sprt elo0=5 elo1=5", "-sprt: "),
        ("-each nodes=5 -roudns 5", "there is no -roudns; did you mean -rounds?"),
        ("-each nodes=5 -engine model=checkers/material", "checkers/material plays checkers, not chess"),
        ("-each nodes=5 -engine model=chess/materiel", "did you mean \"chess/material\"?"),
        ("-each nodes=5 -engine player=nobody.toml", "\"nobody.toml\" is neither a player file nor a model"),
    ] {
        let run = run_match(folder.path(), &format!("{PLAYERS} {words}"));
        assert_eq!(run.status, Some(1), "{words}");
        assert!(run.err.starts_with("error: ") && run.err.contains(error), "{words}: {}", run.err);
        assert_eq!(run.out, "", "{words}");
    }
    let few = run_match(folder.path(), &format!("{PLAYERS} -each depth=1 -rounds 2 -openings startpos"));
    assert!(
        few.err.contains("warning: 1 opening for 2 pairs of games; some will be played again"),
        "{}",
        few.err
    );
    assert_eq!(gamete(["match"]).status, Some(1));
}

#[test]
fn a_book_of_chess960_wants_its_variant() {
    let folder = folder();
    std::fs::write(folder.path().join("frc.epd"), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf -\n")
        .expect("a book");
    let words = format!("{PLAYERS} -each nodes=30 -rounds 1 -openings file=frc.epd");
    let plain = run_match(folder.path(), &words);
    assert!(plain.err.contains("openings of Chess960; give -variant fischerandom"), "{}", plain.err);
    let told = run_match(folder.path(), &format!("{words} -variant fischerandom -fresh"));
    assert_eq!((told.status, told.err.contains("Chess960")), (Some(0), false), "{}", told.err);
}
