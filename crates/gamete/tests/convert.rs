//! `gamete convert` on what it makes of games.

mod common;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use common::{gamete, gamete_reading};

#[test]
fn a_dash_is_the_standard_input() {
    let pgn = b"[Event \"x\"]\n\n1. e4 e5 1-0\n";
    let run = gamete_reading(["convert", "-", "--from", "pgn", "--to", "epd", "-o", "-"], pgn);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.out.ends_with(" c9 \"1-0\";\n"), "{}", run.out);
    assert!(run.err.starts_with("standard input: games read 1, skipped 0\n"), "{}", run.err);
    let packed = zstd::encode_all(&pgn[..], 0).expect("compressed");
    let run = gamete_reading(["convert", "-", "--from", "pgn", "--to", "epd", "-o", "-"], &packed);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let run = gamete_reading(["convert", "-", "--to", "epd", "-o", "-"], pgn);
    assert_eq!(run.status, Some(1));
    let error = "standard input: cannot tell the format from the name; say --from pgn, epd or pdn";
    assert!(run.err.contains(error), "{}", run.err);
    let run = gamete_reading(["convert", "-", "--from", "pgn", "--to", "epd", "-o", "-"], b"");
    assert!(run.err.contains("standard input: no games or positions in it"), "{}", run.err);
}

#[test]
fn prose_has_no_games() {
    for prose in ["Notes *on* **chess**\n", "* * *\n", "1-0\n", "1. 2. 3.\n"] {
        let run =
            gamete_reading(["convert", "-", "--from", "pgn", "--to", "pgn", "-o", "-"], prose.as_bytes());
        assert_eq!((run.status, run.out.as_str()), (Some(1), ""), "{prose}");
        assert!(run.err.contains("no game: there are neither tags nor moves"), "{}", run.err);
    }
    let games = b"[Event \"a\"]\n\n*\n\n1. e4 *\n*\n";
    let run = gamete_reading(["convert", "-", "--from", "pgn", "--to", "pgn", "-o", "-"], games);
    assert!(run.err.starts_with("error: standard input: game 3, line 6: no game"), "{}", run.err);
    assert!(run.err.contains("games read 2, skipped 1"), "{}", run.err);
}

#[test]
fn a_result_told_twice_and_differently_is_warned_of() {
    let games = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5 0-1\n\n[Event \"b\"]\n[Result \"1/2-1/2\"]\n\n1. d4 1/2-1/2\n\n\
        [Event \"c\"]\n[Result \"*\"]\n\n1. c4 1-0\n\n[Event \"d\"]\n[Result \"0-1\"]\n\n1. f4 *\n\n";
    let convert = |from, text: &str| {
        gamete_reading(["convert", "-", "--from", from, "--to", from, "-o", "-"], text.as_bytes())
    };
    let run = convert("pgn", games);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let warning = "warning: standard input: game 1: the Result tag says 1-0, but the moves end with 0-1, which is kept\n";
    assert!(run.err.contains(warning), "{}", run.err);
    assert_eq!(run.err.matches("warning").count(), 1, "{}", run.err);
    assert!(
        run.err.contains("games read 4, skipped 0; 1 with a Result tag that disagrees with the game\n"),
        "{}",
        run.err
    );
    assert_eq!(run.out.matches("[Result \"0-1\"]").count(), 2, "{}", run.out);
    let run = convert("pdn", "[Event \"a\"]\n[Result \"1-0\"]\n\n1. 11-15 23-18 0-1\n");
    assert!(run.err.contains("the Result tag says 1-0, but the moves end with 0-1"), "{}", run.err);
    let run = convert("pdn", "[Event \"a\"]\n[Result \"1-0\"]\n[Winner \"B\"]\n\n1. 11-15 23-18 1-0\n");
    assert!(!run.err.contains("warning"), "{}", run.err);
}

#[test]
fn positions_of_checkers_keep_the_result_and_make_a_book() {
    let folder = tempfile::tempdir().expect("a folder");
    let (games, book) = (folder.path().join("a.pdn"), folder.path().join("a.epd"));
    std::fs::write(&games, "[Event \"a\"]\n\n1. 11-15 23-18 0-1\n\n[Event \"b\"]\n\n1. 9-13 *\n")
        .expect("a file");
    let run = gamete(["convert".as_ref(), games.as_os_str(), "-o".as_ref(), book.as_os_str()]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    let text = std::fs::read_to_string(&book).expect("positions");
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].ends_with("; c9 \"0-1\";") && lines[0].starts_with("B:W"), "{text}");
    assert!(lines[1].starts_with("W:W") && !lines[1].contains(';'), "{text}");
    let journal = folder.path().join("match.db");
    let words = "match -engine model=checkers/squares -engine model=checkers/material -each depth=1 -rounds 2 -maxmoves 5";
    let mut words: Vec<_> = words.split(' ').map(str::to_owned).collect();
    words.extend(["-openings".to_owned(), format!("file={}", book.display())]);
    words.extend(["-journal".to_owned(), journal.display().to_string()]);
    let run = gamete(words);
    assert_eq!(run.status, Some(0), "{}", run.err);
}

#[test]
fn a_full_disk_is_the_fault_of_the_output() {
    let pgn = "[Event \"x\"]\n\n1. e4 e5 1-0\n\n";
    // With few games it is noticed at the end, with many while they are written.
    for games in [1, 10_000] {
        let text = pgn.repeat(games);
        for to in ["pgn", "epd"] {
            let words = ["convert", "-", "--from", "pgn", "--to", to, "-o", "/dev/full"];
            let run = gamete_reading(words, text.as_bytes());
            assert_eq!(run.status, Some(1));
            assert!(run.err.contains("error: /dev/full: cannot be written: No space left"), "{}", run.err);
            assert!(!run.err.contains("error: standard input"), "{}", run.err);
        }
    }
    let run = gamete_reading(["convert", "-", "--from", "pgn", "--to", "pdn", "-o", "-"], pgn.as_bytes());
    assert!(run.err.contains("error: standard input: chess games cannot be written as PDN"), "{}", run.err);
}

#[test]
fn new_files_have_the_permissions_that_the_umask_leaves_and_old_ones_keep_theirs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (games, out) = (folder.path().join("a.pgn"), folder.path().join("b.pgn"));
    std::fs::write(&games, "[Event \"x\"]\n\n1. e4 e5 1-0\n").expect("a file");
    let mode = |umask: &str| {
        let status = Command::new("sh")
            .args(["-c", "umask $0; exec \"$1\" convert \"$2\" -o \"$3\" 2> /dev/null", umask])
            .args([env!("CARGO_BIN_EXE_gamete").as_ref(), games.as_os_str(), out.as_os_str()])
            .status();
        assert!(status.expect("a shell").success());
        out.metadata().expect("a file").permissions().mode() & 0o777
    };
    for (umask, wanted) in [("022", 0o644), ("002", 0o664), ("077", 0o600)] {
        let _ = std::fs::remove_file(&out);
        assert_eq!(mode(umask), wanted, "umask {umask}");
    }
    assert_eq!(mode("022"), 0o600, "what was there keeps its permissions");
}

#[test]
fn a_conversion_that_is_ended_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    for signal in ["-TERM", "-HUP", "-INT", "-KILL"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gamete"));
        command.current_dir(folder.path()).args(["convert", "-", "--from", "pgn", "-o", "out.pgn"]);
        let mut program =
            command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a program to run");
        // More than pipes and buffers take: when it is gone, games have been read and written.
        let games = "[Event \"x\"]\n\n1. e4 e5 1-0\n\n".repeat(20_000);
        program.stdin.as_mut().expect("a pipe").write_all(games.as_bytes()).expect("read");
        let kill = Command::new("kill").args([signal, &program.id().to_string()]).status();
        assert!(kill.expect("a program to run").success());
        assert!(!program.wait().expect("a program that ends").success());
        let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
        assert!(left.is_empty(), "{signal}: {left:?}");
    }
}

/// Two games as old collections have them: steps with an `x`, jumps with a `-`, the last move without its number.
const ARCHIVE: &str = "[Event \"Club match, round 1\"]\n[Black \"A. Able\"]\n[White \"B. Baker\"]\n[Result \"1/2-1/2\"]\n\
    1. 11x15 23-18 2. 8-11 27-23 3. 4-8 23-19 4. 10x14 19-10 5.\n14-23 26x19 6. 7x14 24x20 1/2-1/2\n\n\
    [Event \"Club match, round 2\"]\n[Black \"B. Baker\"]\n[White \"A. Able\"]\n[Result \"1-0\"]\n\
    1. 9-14 22 - 18 2. 5-9 {the usual move} 18x15 3. 11-18 1-0\n\n";

#[test]
fn the_squares_say_which_move_of_checkers_is_meant_and_odd_separators_are_counted() {
    let run = gamete_reading(["convert", "-", "--from", "pdn", "--to", "pdn", "-o", "-"], ARCHIVE.as_bytes());
    assert_eq!(run.status, Some(0), "{}", run.err);
    let summary = "standard input: games read 2, skipped 0, moves with the wrong separator 7\n";
    assert!(run.err.contains(summary), "{}", run.err);
    let text = run.out.replace('\n', " ");
    assert!(
        text.contains(
            "1. 11-15 23-18 2. 8-11 27-23 3. 4-8 23-19 4. 10-14 19x10 5. 14x23 26x19 6. 7x14 24-20 1/2-1/2"
        ),
        "{text}"
    );
    assert!(text.contains("1. 9-14 22-18 2. 5-9 {the usual move} 2... 18-15 3. 11x18 1-0"), "{text}");
    let again =
        gamete_reading(["convert", "-", "--from", "pdn", "--to", "pdn", "-o", "-"], run.out.as_bytes());
    assert_eq!((again.status, &again.out), (Some(0), &run.out));
    assert!(again.err.contains("games read 2, skipped 0\n"), "{}", again.err);
}

#[test]
fn null_moves_are_named_and_those_at_the_end_counted() {
    let games = "[Event \"a\"]\n\n1. e4 e5 2. -- Nc6 *\n\n[Event \"b\"]\n\n1. -- 1-0\n\n\
        [Event \"c\"]\n\n1. e4 a6 2. e5 d5 3. exd6 e.p. (3. -- Nc6) 1-0\n";
    let run = gamete_reading(["convert", "-", "--from", "pgn", "--to", "pgn", "-o", "-"], games.as_bytes());
    assert_eq!(run.status, Some(1), "{}", run.err);
    let reason = "game 1, line 3: a null move, after which the game cannot be replayed: 2. \"--\"";
    assert!(run.err.contains(reason), "{}", run.err);
    let summary = "games read 2, skipped 1, variations left out 1, null moves left out 1\n";
    assert!(run.err.contains(summary), "{}", run.err);
    assert!(run.out.contains("3. exd6 1-0"), "{}", run.out);
}

#[test]
fn a_small_file_of_many_comments_takes_little_memory() {
    const MEGABYTES: usize = 300;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bomb.pgn.zst");
    let mut packed = zstd::Encoder::new(std::fs::File::create(&path).expect("a file"), 1).expect("zstd");
    packed.write_all(b"[Event \"a\"]\n\n1. d4 *\n\n[Event \"b\"]\n\n1. e4 ").expect("written");
    let comment = format!("{{{}}}\n", "a remark ".repeat(110_000));
    for _ in 0..MEGABYTES {
        packed.write_all(comment.as_bytes()).expect("written");
    }
    packed.write_all(b"e5 1-0\n\n[Event \"c\"]\n\n1. c4 *\n").expect("written");
    packed.finish().expect("complete");
    assert!(path.metadata().expect("a file").len() < 1 << 20);
    // Twice the address space that the program has with a file of nothing, and less than the comments take.
    let command = format!(
        "ulimit -v 200000; exec '{}' convert '{}' -o -  --to epd",
        env!("CARGO_BIN_EXE_gamete"),
        path.display()
    );
    let run = Command::new("sh").args(["-c", &command]).output().expect("a shell");
    let error = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{error}");
    assert!(error.contains("more than 16 MiB of comments"), "{error}");
    assert!(error.contains("games read 2, skipped 1"), "{error}");
}
