//! Whatever is wrong is said in one clear line with its place, and the exit status is 1.

mod common;

use std::path::{Path, PathBuf};

use common::{Run, gamete};
use tempfile::TempDir;

/// A folder with one file in it.
fn file(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    (folder, path)
}

fn convert(name: &str, bytes: &[u8]) -> String {
    let (folder, path) = file(name, bytes);
    let out = folder.path().join("out.pgn");
    let run = gamete(["convert".as_ref(), path.as_os_str(), "-o".as_ref(), out.as_os_str()]);
    assert!(std::fs::read_dir(folder.path()).expect("a folder").count() == 1, "nothing good was in it");
    problem(&run, &folder)
}

/// The only problem of a run, without the name of the folder.
fn problem(run: &Run, folder: &TempDir) -> String {
    assert_eq!(run.status, Some(1), "{}{}", run.out, run.err);
    let problems: Vec<_> = run.err.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(problems.len(), 1, "{}", run.err);
    assert!(!run.err.contains("panicked") && !run.err.contains("backtrace"), "{}", run.err);
    let folder = format!("{}/", folder.path().display());
    problems[0].trim_start_matches("error: ").replace(&folder, "")
}

fn perft(fen: &str) -> String {
    let run = gamete(["perft", "--fen", fen, "1"]);
    assert_eq!((run.status, run.out.as_str()), (Some(1), ""));
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    run.err.trim_end().trim_start_matches(&format!("error: FEN {fen:?}: ")).to_owned()
}

#[test]
fn a_wrong_fen() {
    assert_eq!(
        perft("rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        "the FEN has 9 ranks instead of 8"
    );
    assert_eq!(perft("rnbqkbnr/8/8/8/8/8/8/RNBKKBNR w - - 0 1"), "White has 2 kings instead of 1");
    assert_eq!(perft("4k3/8/8/8/8/8/8/P3K3 w - - 0 1"), "there is a pawn on a1");
    assert_eq!(perft("4k3/8/8/8/8/8/8/4RK2 w - - 0 1"), "Black is in check, but it is not Black's move");
    assert!(perft("B:W33:B1").contains("33"));
}

#[test]
fn a_game_cut_in_the_middle_of_a_move() {
    assert_eq!(
        convert("cut.pgn", b"[Event \"x\"]\n\n1. e4 e5\n2. N"),
        "cut.pgn: game 1, line 4: the game is cut off in the middle of a move: 2. \"N\""
    );
}

#[test]
fn an_illegal_move() {
    assert_eq!(
        convert("illegal.pgn", b"[Event \"x\"]\n\n1. e4 e5\n2. Ke3 Nc6 1-0\n"),
        "illegal.pgn: game 1, line 4: illegal move: 2. \"Ke3\""
    );
}

#[test]
fn nul_bytes() {
    assert_eq!(convert("nul.pgn", b"1. e4\n\0\0\0 e5 1-0"), "nul.pgn: game 1, line 2: a NUL byte");
}

#[test]
fn a_comment_of_ten_megabytes() {
    let mut text = b"1. e4\n{".to_vec();
    text.resize(10_000_000, b'x');
    text.extend(b"} e5 1-0");
    assert_eq!(convert("long.pgn", &text), "long.pgn: game 1, line 2: a comment of more than 1 MiB");
}

#[test]
fn an_empty_file() {
    assert_eq!(convert("empty.pgn", b""), "empty.pgn: no games or positions in it");
    assert_eq!(convert("empty.pgn.zst", b""), "empty.pgn.zst: no games or positions in it");
}

#[test]
fn a_directory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn");
    std::fs::create_dir(&path).expect("a folder in it");
    let run = gamete(["convert".as_ref(), path.as_os_str(), "-o".as_ref(), "out.pgn".as_ref()]);
    assert_eq!(problem(&run, &folder), "games.pgn: this is a directory; name the files in it");
}

#[test]
fn a_file_that_is_not_there_or_not_what_it_is_called() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("none.pgn");
    let run = gamete(["convert".as_ref(), path.as_os_str(), "-o".as_ref(), "out.pgn".as_ref()]);
    assert!(problem(&run, &folder).starts_with("none.pgn: cannot be opened: "));
    assert_eq!(convert("not.pgn.zst", b"1. e4 *"), "not.pgn.zst: not compressed, though it is called .zst");
    let mut cut = zstd::encode_all(&b"1. e4 e5 2. Nf3 Nc6 *"[..], 1).expect("compressed");
    cut.truncate(cut.len() - 4);
    assert!(convert("cut.pgn.zst", &cut).starts_with("cut.pgn.zst: game 1, line 1: "));
    assert!(convert("games.txt", b"1. e4 *").starts_with("games.txt: cannot tell the format from the name"));
    assert!(convert("games.pdn", b"1. 11-15 *").contains("checkers games cannot be written as PGN"));
}

#[test]
fn good_games_around_a_bad_one_are_kept_unless_strict() {
    let (folder, path) = file("mixed.pgn", b"1. e4 *\n\n1. e5 *\n\n1. d4 *\n");
    let out = folder.path().join("out.pgn");
    let args = ["convert".as_ref(), path.as_os_str(), "-o".as_ref(), out.as_os_str()];
    let run = gamete(args);
    assert_eq!(problem(&run, &folder), "mixed.pgn: game 2, line 3: illegal move: 1. \"e5\"");
    assert!(run.err.contains("games read 2, skipped 1"), "{}", run.err);
    let kept = std::fs::read_to_string(&out).expect("the good games");
    assert!(kept.contains("1. e4 *") && kept.contains("1. d4 *"));

    std::fs::write(&out, "of old").expect("written");
    let run = gamete(args.into_iter().chain(["--strict".as_ref()]));
    assert_eq!(problem(&run, &folder), "mixed.pgn: game 2, line 3: illegal move: 1. \"e5\"");
    assert_eq!(std::fs::read_to_string(&out).expect("the old file"), "of old");
}

#[test]
fn a_file_is_never_read_and_written_at_once() {
    let (folder, path) = file("games.pgn", b"1. e4 *\n\n1. e5 *\n");
    let run = gamete(["convert".as_ref(), path.as_os_str(), "-o".as_ref(), path.as_os_str()]);
    assert_eq!(
        problem(&run, &folder),
        "games.pgn: cannot be read and written at once; name another file to write"
    );
    assert_eq!(std::fs::read(&path).expect("still there"), b"1. e4 *\n\n1. e5 *\n");
}

#[test]
fn a_damaged_archive_is_named_even_behind_a_bad_game() {
    let mut text = b"1. e5 *\n".to_vec();
    text.extend(b"\n1. d4 d5 *\n".repeat(20_000));
    let mut packed = zstd::encode_all(text.as_slice(), 1).expect("compressed");
    packed.truncate(packed.len() - 4);
    text.truncate(8);
    let (folder, path) = file("cut.pgn.zst", &packed);
    let out = folder.path().join("out.pgn");
    let run = gamete(["convert".as_ref(), path.as_os_str(), "-o".as_ref(), out.as_os_str()]);
    assert_eq!(run.status, Some(1));
    assert!(run.err.contains("line 1: illegal move") && run.err.contains("incomplete"), "{}", run.err);
}

#[test]
fn links_and_devices_are_written_through() {
    let (folder, path) = file("games.pgn", b"1. e4 *\n");
    let (target, link) = (folder.path().join("target.pgn"), folder.path().join("link.pgn"));
    std::fs::write(&target, "of old").expect("written");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    let run = gamete(["convert".as_ref(), path.as_os_str(), "-o".as_ref(), link.as_os_str()]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(link.is_symlink() && std::fs::read_to_string(&target).expect("the file").contains("1. e4 *"));
    let run = gamete([
        "convert".as_ref(),
        path.as_os_str(),
        "-o".as_ref(),
        "/dev/null".as_ref(),
        "--to".as_ref(),
        "pgn".as_ref(),
    ]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(!Path::new("/dev/null").is_file());
}

#[test]
fn compressed_files_are_written_and_read_back() {
    let (folder, path) = file("games.pgn", b"1. e4 e5 2. Nf3 *\n");
    for ending in ["zst", "gz", "bz2"] {
        let packed = folder.path().join(format!("out.pgn.{ending}"));
        let run = gamete(["convert".as_ref(), path.as_os_str(), "-o".as_ref(), packed.as_os_str()]);
        assert_eq!(run.status, Some(0), "{}", run.err);
        let run = gamete([
            "convert".as_ref(),
            packed.as_os_str(),
            "-o".as_ref(),
            "-".as_ref(),
            "--to".as_ref(),
            "pgn".as_ref(),
        ]);
        assert!(run.out.contains("1. e4 e5 2. Nf3 *"), "{}", run.err);
    }
}
