//! What `gamete match` does to files that are not its own alone, and what it refuses to go on with.

mod common;

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Run, folder, match_command, run_match};
use gamete_chess::Pgn;
use gamete_game::TranscriptReader;

const PLAYERS: &str = "-engine model=chess/classic name=A -engine model=chess/material name=B -each depth=1";

/// Runs a match that goes well.
fn play(folder: &Path, words: &str) -> Run {
    let run = run_match(folder, words);
    assert_eq!(run.status, Some(0), "{words}\n{}{}", run.out, run.err);
    run
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a text")
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("written");
}

/// How many games a file has, all of which replay.
fn count_games(folder: &Path, name: &str) -> usize {
    let text = read(folder, name);
    let games: Result<Vec<_>, _> = TranscriptReader::new(text.as_bytes(), Pgn).collect();
    games.expect("good games").len()
}

/// Waits for something that will happen.
fn wait_for(what: &str, mut happened: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !happened() {
        assert!(begin.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(program: &Child, name: &str) {
    let status = Command::new("kill").args([name, &program.id().to_string()]).status();
    assert!(status.expect("a program to run").success());
}

#[test]
fn two_matches_share_a_file_and_a_finished_one_changes_nothing() {
    let folder = folder();
    let folder = folder.path();
    let words = |seed: u32| {
        format!(
            "{PLAYERS} -rounds 2 -variant fischerandom -srand {seed} -journal {seed}.db -pgnout x.pgn -epdout x.epd"
        )
    };
    play(folder, &words(1));
    play(folder, &words(2));
    let both = (read(folder, "x.pgn"), read(folder, "x.epd"));
    assert_eq!((count_games(folder, "x.pgn"), both.1.lines().count()), (8, 8));
    for seed in [1, 2, 1] {
        play(folder, &words(seed));
        assert!((read(folder, "x.pgn"), read(folder, "x.epd")) == both, "match {seed} changed the files");
    }
    // The second match goes on behind the first, which is left alone.
    play(folder, &words(1).replace("-rounds 2", "-rounds 3"));
    assert!(read(folder, "x.pgn").starts_with(&both.0) && read(folder, "x.epd").starts_with(&both.1));
    assert_eq!(count_games(folder, "x.pgn"), 10);
}

#[test]
fn games_that_others_add_to_the_file_stay() {
    let folder = folder();
    let folder = folder.path();
    let words = format!("{PLAYERS} -rounds 2 -variant fischerandom -srand 1 -pgnout x.pgn");
    play(folder, &words);
    let ours = read(folder, "x.pgn");
    // Without an end of line, as an editor may leave it.
    let by_hand = "[Event \"by hand\"]\n\n1. e4 {so} e5 *";
    write(folder, "x.pgn", &format!("{by_hand}\n\n{ours}{by_hand}"));
    let before = read(folder, "x.pgn");
    play(folder, &words);
    assert_eq!(read(folder, "x.pgn"), before);
    play(folder, &words.replace("-rounds 2", "-rounds 3"));
    assert!(read(folder, "x.pgn").starts_with(&before));
    assert_eq!(count_games(folder, "x.pgn"), 8);
    play(folder, &format!("{words} -fresh"));
    assert_eq!(count_games(folder, "x.pgn"), 8, "the same games are there already");
    play(folder, &format!("{} -fresh", words.replace("-srand 1", "-srand 7")));
    assert_eq!(count_games(folder, "x.pgn"), 12, "a match that is started over takes no games away");
}

#[test]
fn fewer_rounds_take_no_games_away() {
    let folder = folder();
    let folder = folder.path();
    let words = format!("{PLAYERS} -rounds 4 -variant fischerandom -srand 1 -pgnout x.pgn -epdout x.epd");
    play(folder, &words);
    let before = (read(folder, "x.pgn"), read(folder, "x.epd"));
    let fewer = play(folder, &words.replace("-rounds 4", "-rounds 1"));
    assert!(fewer.out.contains("Games: 2, "), "{}", fewer.out);
    assert!((read(folder, "x.pgn"), read(folder, "x.epd")) == before);
}

#[test]
fn a_book_that_changed_is_refused_before_any_file_is_touched() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "book.epd", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n");
    let words = format!("{PLAYERS} -rounds 1 -openings file=book.epd -srand 1 -pgnout x.pgn -epdout x.epd");
    play(folder, &words);
    let before = (read(folder, "x.pgn"), read(folder, "x.epd"));
    write(folder, "book.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\n");
    let refused = run_match(folder, &words);
    assert_eq!((refused.status, refused.out.as_str()), (Some(1), ""), "{}", refused.err);
    assert!(
        refused.err.contains("x.pgn.db: the journal was made with another opening book: "),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("book.epd, ") && refused.err.contains(", which is now "), "{}", refused.err);
    assert!(refused.err.trim_end().ends_with("or start over with -fresh"), "{}", refused.err);
    assert!((read(folder, "x.pgn"), read(folder, "x.epd")) == before);
    play(folder, &format!("{words} -fresh"));
    assert!(read(folder, "x.pgn").starts_with(&before.0));
    assert_eq!(count_games(folder, "x.pgn"), 4);
}

#[test]
fn two_matches_at_once_leave_every_game_readable() {
    let folder = folder();
    let folder = folder.path();
    // The same games, too.
    for seeds in [[1, 2], [3, 3]] {
        let programs: Vec<_> = ["a", "b"]
            .iter()
            .zip(seeds)
            .map(|(name, seed)| {
                let journal = format!("{name}{}.db", seeds[1]);
                let words = format!(
                    "{PLAYERS} -rounds 10 -variant fischerandom -srand {seed} -journal {journal} -pgnout x.pgn -epdout x.epd"
                );
                let mut command = match_command(folder, &words);
                command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a program to run")
            })
            .collect();
        for mut program in programs {
            assert!(program.wait().expect("a program that ends").success());
        }
    }
    assert_eq!(count_games(folder, "x.pgn"), 80);
    assert_eq!(read(folder, "x.epd").lines().count(), 80);
    let pgn = read(folder, "x.pgn");
    for round in 1..=10 {
        assert_eq!(pgn.matches(&format!("[Round \"{round}\"]")).count(), 8);
    }
}

#[test]
fn a_game_that_was_written_in_part_is_completed() {
    let folder = folder();
    let folder = folder.path();
    let words = format!("{PLAYERS} -rounds 2 -variant fischerandom -srand 1 -pgnout x.pgn -epdout x.epd");
    write(folder, "x.pgn", "[Event \"old\"]\n\n1. e4 *\n\n");
    play(folder, &words);
    let (pgn, epd) = (read(folder, "x.pgn"), read(folder, "x.epd"));
    for cut in [1, 2, 30, 500] {
        write(folder, "x.pgn", &pgn[..pgn.len() - cut]);
        write(folder, "x.epd", &epd[..epd.len() - cut.min(40)]);
        play(folder, &words);
        assert!(read(folder, "x.pgn") == pgn && read(folder, "x.epd") == epd, "{cut} bytes are missing");
    }
    std::fs::remove_file(folder.join("x.pgn")).expect("removed");
    play(folder, &words);
    assert!(pgn.ends_with(&read(folder, "x.pgn")), "all games are in the journal");
}

#[test]
fn games_may_go_to_a_device() {
    let folder = folder();
    let folder = folder.path();
    let words = format!("{PLAYERS} -rounds 1 -variant fischerandom -srand 1");
    play(folder, &format!("{words} -pgnout /dev/null -epdout /dev/null"));
    let full = run_match(folder, &format!("{words} -pgnout /dev/full -fresh"));
    assert_eq!(full.status, Some(1), "{}", full.err);
    assert!(full.err.contains("/dev/full: cannot be written: No space left on device"), "{}", full.err);
    let out = play(folder, &format!("{words} -pgnout /dev/stdout -fresh"));
    assert_eq!(out.out.matches("[Event ").count(), 2, "{}", out.out);
}

/// An engine: ours, behind a script.
fn script(folder: &Path, name: &str, remark: &str) {
    write(folder, name, &format!("#!/bin/sh\n# {remark}\nexec {} uci \n", env!("CARGO_BIN_EXE_gamete")));
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join(name), permissions).expect("a script");
}

#[test]
fn a_match_does_not_go_on_with_another_program() {
    let folder = folder();
    let folder = folder.path();
    script(folder, "engine.sh", "one");
    write(folder, "net.txt", "one");
    let uci = "-engine cmd=./engine.sh name=U option.Hash=1 option.EvalFile=net.txt";
    let words = format!(
        "{uci} -engine model=chess/material name=B -each nodes=20 -variant fischerandom -srand 4 -pgnout x.pgn -rounds"
    );
    play(folder, &format!("{words} 1"));
    let longer = play(folder, &format!("{words} 2"));
    assert_eq!(longer.out.matches("Started game").count(), 2, "{}", longer.out);
    let before = read(folder, "x.pgn");
    script(folder, "engine.sh", "two");
    for rounds in [2, 3] {
        let refused = run_match(folder, &format!("{words} {rounds}"));
        assert_eq!(refused.status, Some(1), "{}", refused.err);
        let error = "x.pgn.db: the journal was made by other engines: U was Gamete ";
        assert!(refused.err.contains(error) && refused.err.contains("engine.sh, "), "{}", refused.err);
        assert!(refused.err.contains(", is now Gamete "), "{}", refused.err);
        assert!(refused.err.trim_end().ends_with("or start over with -fresh"), "{}", refused.err);
        assert_eq!(read(folder, "x.pgn"), before);
    }
    script(folder, "engine.sh", "one");
    play(folder, &format!("{words} 2"));
    write(folder, "net.txt", "two");
    let refused = run_match(folder, &format!("{words} 3"));
    assert_eq!(refused.status, Some(1), "{}", refused.err);
    assert!(
        refused.err.contains("by other engines: U was started with ") && refused.err.contains("net.txt, ")
    );
    let fresh = play(folder, &format!("{words} 1 -fresh"));
    assert_eq!(fresh.out.matches("Started game").count(), 2, "{}", fresh.out);
    play(folder, &format!("{words} 2"));
}

#[test]
fn a_program_that_is_replaced_while_the_match_runs_ends_it() {
    let folder = folder();
    let folder = folder.path();
    script(folder, "engine.sh", "one");
    let words = "-engine cmd=./engine.sh name=U option.Hash=1 restart=on -engine model=chess/material name=B \
        -each nodes=20 -variant fischerandom -srand 4 -journal j.db -rounds 100000 -concurrency 1";
    let program = match_command(folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut program = program.expect("a program to run");
    let mut lines = BufReader::new(program.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("Finished game 2 ")));
    script(folder, "engine.sh", "two");
    let counted = lines.filter(|line| line.starts_with("Finished game ")).count();
    assert_eq!(program.wait().expect("a program that ends").code(), Some(1));
    let mut err = String::new();
    program.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
    assert!(err.contains("U was replaced while the match ran: ") && err.contains("engine.sh, "), "{err}");
    script(folder, "engine.sh", "one");
    let resumed = play(folder, &words.replace("100000", "1"));
    assert!(resumed.out.contains("Games: 2, "), "{counted} more games: {}", resumed.out);
}

#[test]
fn a_match_does_not_go_on_with_another_player() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "p.toml", "model = \"chess/material\"\nweights = { knight = 3000 }\n");
    let words = "-engine player=p.toml name=P -engine model=chess/classic name=C -each depth=1 -journal j.db";
    play(folder, words);
    write(folder, "p.toml", "model = \"chess/material\"\nweights = { knight = 3100 }\n");
    let refused = run_match(folder, words);
    assert_eq!(refused.status, Some(1));
    let error = "j.db: the journal was made by other engines: P was player ";
    assert!(refused.err.contains(error) && refused.err.contains("3100"), "{}", refused.err);
}

#[test]
fn a_journal_of_before_identities_and_checksums_still_opens() {
    let folder = folder();
    let folder = folder.path();
    let words = format!("{PLAYERS} -rounds 2 -variant fischerandom -srand 1 -pgnout x.pgn");
    play(folder, &words);
    let games = read(folder, "x.pgn");
    {
        let journal = rusqlite::Connection::open(folder.join("x.pgn.db")).expect("a journal");
        journal
            .execute("ATTACH ?1 AS old", [folder.join("old.db").to_str().expect("a path")])
            .expect("a file");
        let old = "PRAGMA old.application_id = 0x47614d74;
            CREATE TABLE old.setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
            CREATE TABLE old.encounter (number INTEGER PRIMARY KEY, games TEXT NOT NULL) STRICT;
            INSERT INTO old.setting SELECT 'configuration', file FROM experiment;
            INSERT INTO old.setting SELECT 'seed', CAST(seed AS TEXT) FROM experiment;
            INSERT INTO old.setting VALUES ('pgn', '0');
            INSERT INTO old.encounter SELECT number / 2, json_group_array(json(answer -> '$.outcome'))
                FROM outcome GROUP BY number / 2;";
        journal.execute_batch(old).expect("an old journal");
    }
    std::fs::rename(folder.join("old.db"), folder.join("x.pgn.db")).expect("a file");
    let again = play(folder, &words);
    assert!(again.out.contains("x.pgn.db, which has 4 of 4 games"), "{}", again.out);
    assert_eq!(read(folder, "x.pgn"), games);
}

#[test]
fn a_damaged_journal_is_refused_or_makes_the_same_match() {
    let folder = folder();
    let folder = folder.path();
    let words = format!("{PLAYERS} -rounds 3 -variant fischerandom -srand 1 -pgnout x.pgn");
    let whole = play(folder, &words);
    let (pgn, journal) = (read(folder, "x.pgn"), std::fs::read(folder.join("x.pgn.db")).expect("a journal"));
    let mut errors = 0;
    for step in 0..12 {
        let place = step * journal.len() / 12 + 17 * step;
        let mut damaged = journal.clone();
        let Some(byte) = damaged.get_mut(place) else { continue };
        *byte ^= 1 << (step % 8);
        std::fs::write(folder.join("x.pgn.db"), damaged).expect("written");
        let run = run_match(folder, &words);
        assert_eq!(read(folder, "x.pgn"), pgn, "byte {place}");
        if run.status == Some(0) {
            let end = |run: &Run| run.out[run.out.rfind("Results of").expect("a report")..].to_owned();
            assert_eq!(end(&run), end(&whole), "byte {place}");
        } else {
            assert!(run.status == Some(1) && run.err.contains("x.pgn.db: "), "byte {place}: {}", run.err);
            errors += 1;
        }
    }
    assert!(errors > 0);
    // Everywhere, as pages that are no longer used have the same words.
    let mut damaged = journal.clone();
    for (place, window) in journal.windows(12).enumerate() {
        if window == b"\"thoughts\":[" {
            damaged[place + 14] ^= 4;
        }
    }
    std::fs::write(folder.join("x.pgn.db"), damaged).expect("written");
    let refused = run_match(folder, &words);
    assert_eq!(refused.status, Some(1), "{}", refused.out);
    assert!(refused.err.contains("x.pgn.db: the journal is damaged: game "), "{}", refused.err);
    assert!(refused.err.trim_end().ends_with("or start over with -fresh"), "{}", refused.err);
    play(folder, &format!("{words} -fresh"));
    assert_eq!(count_games(folder, "x.pgn"), 6, "the same games are there already");
}

#[test]
fn a_match_whose_output_is_closed_says_that_it_is_not_complete() {
    let folder = folder();
    let folder = folder.path();
    let words = format!("{PLAYERS} -rounds 20 -variant fischerandom -srand 1 -pgnout x.pgn");
    let mut program = match_command(folder, &words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program to run");
    let mut line = String::new();
    BufReader::with_capacity(1, program.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("Seed: "), "{line}");
    assert_eq!(program.wait().expect("a program that ends").code(), Some(141));
    let mut err = String::new();
    program.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
    assert_eq!(err, "");
    play(folder, &words);
    assert_eq!(count_games(folder, "x.pgn"), 40);
}

#[test]
fn an_interrupt_while_engines_start_has_its_status() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "slow.sh", "#!/bin/sh\ntouch started\nsleep 1000\n");
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("slow.sh"), permissions).expect("a script");
    let words = "-engine cmd=./slow.sh -engine model=chess/material -each nodes=20";
    let program = match_command(folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut program = program.expect("a program to run");
    wait_for("the engine does not start", || folder.join("started").exists());
    signal(&program, "-INT");
    assert_eq!(program.wait().expect("a program that ends").code(), Some(130));
}

#[test]
fn games_and_positions_do_not_share_a_file() {
    let folder = folder();
    let players = "-engine model=chess/classic -engine model=chess/material -each depth=1 -rounds 1";
    let run = run_match(folder.path(), &format!("{players} -pgnout x.pgn -epdout x.pgn"));
    assert_eq!(run.status, Some(1), "{}", run.out);
    assert!(run.err.contains("x.pgn is the file of -pgnout too"), "{}", run.err);
}
