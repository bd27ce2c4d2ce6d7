//! Books of openings: what is in those of our own, and what is wrong with bad ones.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::path::Path;

use gamete_arena::files::FileFormat;
use gamete_arena::{Book, Opening, OpeningOrder, Playable};
use gamete_game::{Game, Line};

type Chess = gamete_chess::Position;
type Checkers = gamete_checkers::Position;

/// Reads a book of this text, or says what is wrong with it, without the folder.
fn read<G: Playable>(name: &str, text: &str, plies: Option<usize>) -> Result<Book<G>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    let strip = |error: gamete_arena::BookError| {
        error.to_string().replace(&format!("{}/", folder.path().display()), "")
    };
    Book::load(&path, None, plies).map_err(strip)
}

fn problem<G: Playable>(name: &str, text: &str) -> String {
    read::<G>(name, text, None).expect_err("a bad book")
}

fn moves<G: Game>(opening: &Opening<G>) -> String {
    let mut line = Line::new(opening.start.clone());
    let mut texts = Vec::new();
    for &mv in &opening.moves {
        texts.push(line.position().move_text(mv));
        line.play(mv);
    }
    texts.join(" ")
}

#[test]
fn the_positions_of_chess960_by_their_numbers() {
    let book = Book::chess960();
    assert_eq!((book.len(), book.distinct()), (960, 960));
    assert_eq!(book.opening(518), Opening::new(Chess::start()));
    let positions: HashSet<_> = book.iter().map(|opening| opening.start).collect();
    assert_eq!(positions.len(), 960);
}

#[test]
fn ballots_that_are_accepted() {
    let book = Book::three_move_ballots();
    assert_eq!((book.len(), book.distinct()), (156, 156));
    assert!(book.iter().all(|opening| opening.moves.len() == 3 && opening.start == Checkers::start()));
    assert_eq!(moves(&book.opening(0)), "9-13 21-17 5-9");
}

#[test]
fn nothing_but_the_start() {
    let openings = Book::<Chess>::start_position().ordered(OpeningOrder::Random, 5, NonZeroU64::MIN);
    assert_eq!(openings.opening(12), Opening::new(Chess::start()));
    assert_eq!(openings.distinct(), 1);
}

#[test]
fn every_match_plays_the_same_openings() {
    let book = || Book::three_move_ballots().ordered(OpeningOrder::Random, 11, NonZeroU64::MIN);
    let (one, two) = (book(), book());
    for pair in 0..200 {
        assert_eq!(one.opening(pair), two.opening(pair));
    }
}

#[test]
fn games_of_both_games_are_openings() {
    let text = "[Event \"a\"]\n\n1. e4 {book} e5 (1... c5) 2. Nf3 *\n\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 40\"]\n\n1. O-O *\n";
    let book = read::<Chess>("book.pgn", text, None).expect("a good book");
    assert_eq!(book.iter().map(|opening| moves(&opening)).collect::<Vec<_>>(), ["e4 e5 Nf3", "O-O"]);
    let book = read::<Chess>("book.pgn", text, Some(0)).expect("a good book");
    assert_eq!(book.opening(0), Opening::new(Chess::start()));

    let book =
        read::<Checkers>("book.pdn", "1. 11-15 23-19 2. 8-11 *\n\n1. 9-14 *\n", Some(2)).expect("a book");
    assert_eq!(book.iter().map(|opening| moves(&opening)).collect::<Vec<_>>(), ["11-15 23-19", "9-14"]);
    let text = "# kings\r\n\r\nB:WK32:B1,K9 ;id 1\r\nW:WK6,K15,21:BK19,K24,12";
    let book = read::<Checkers>("book.fen", text, None).expect("a good book");
    assert_eq!(book.len(), 2);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    assert_eq!(problem::<Chess>("empty.epd", "\n# nothing\n"), "empty.epd: no openings in it");
    assert_eq!(problem::<Chess>("empty.pgn", ""), "empty.pgn: no openings in it");
    assert_eq!(problem::<Checkers>("empty.fen", ""), "empty.fen: no openings in it");
    assert_eq!(
        problem::<Chess>("bad.epd", "4k3/8/8/8/8/8/8/4K2R w K -\n8/8/8/8/8/8/8/8 w - -\n"),
        "bad.epd: line 2: White has 0 kings instead of 1"
    );
    assert_eq!(
        problem::<Chess>("bad.pgn", "1. e4 *\n\n1. d4 d5\n2. Ke3 *\n"),
        "bad.pgn: game 2, line 4: illegal move: 2. \"Ke3\""
    );
    assert_eq!(
        problem::<Checkers>("bad.fen", "\nB:W33:B1\n"),
        "bad.fen: line 2: White pieces: expected a square from 1 to 32, found \"33\""
    );
    assert_eq!(
        problem::<Checkers>("bad.pdn", "1. 11-15 11-16 *"),
        "bad.pdn: game 1, line 1: illegal move: 1... \"11-16\""
    );
    assert_eq!(
        problem::<Chess>("book.txt", ""),
        "book.txt: cannot tell the format from the name; say pgn, epd or pdn"
    );
    assert_eq!(problem::<Chess>("book.pdn", "1. 11-15 *"), "book.pdn: pdn files have no openings of chess");
    assert_eq!(
        problem::<Checkers>("book.pgn", "1. e4 *"),
        "book.pgn: pgn files have no openings of checkers"
    );
    assert_eq!(
        problem::<Checkers>("long.fen", &"1".repeat((1 << 20) + 1)),
        "long.fen: line 1: a line of more than 1 MiB"
    );
    let missing = Book::<Chess>::load(Path::new("no/such/book.epd"), None, None).expect_err("no book");
    assert_eq!(missing.to_string(), "no/such/book.epd: cannot be opened");
    let empty = Book::<Chess>::new("mine", Vec::new()).expect_err("nothing");
    assert_eq!(empty.to_string(), "mine: no openings in it");
}

#[test]
fn games_that_are_over_are_no_openings() {
    assert_eq!(
        problem::<Chess>("over.epd", "4k3/8/8/8/8/8/8/4K2R w K -\n4k3/8/8/8/8/8/8/4K3 w - -\n"),
        "over.epd: line 2: the game is over before it begins: insufficient material"
    );
    let mate = "1. e4 *\n\n1. f3 e5\n2. g4 Qh4# 0-1\n";
    assert_eq!(
        problem::<Chess>("over.pgn", mate),
        "over.pgn: game 2, line 3: the game is over before it begins: checkmate"
    );
    assert_eq!(read::<Chess>("over.pgn", mate, Some(3)).expect("cut before the end").len(), 2);
    let again = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *";
    assert_eq!(
        problem::<Chess>("again.pgn", again),
        "again.pgn: game 1, line 1: the game is over before it begins: threefold repetition"
    );
    assert_eq!(
        problem::<Checkers>("over.fen", "B:W5:B1\nB:W5:B\n"),
        "over.fen: line 2: the game is over before it begins: no moves left"
    );
    let stalemate = Opening::new("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1".parse::<Chess>().expect("a good FEN"));
    let error =
        Book::new("mine", vec![Opening::new(Chess::start()), stalemate]).expect_err("a game that is over");
    assert_eq!(error.to_string(), "mine: opening 2: the game is over before it begins: stalemate");
}

#[test]
fn the_format_can_be_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.txt");
    std::fs::write(&path, "1. e4 *").expect("written");
    let book = Book::<Chess>::load(&path, Some(FileFormat::PGN), None).expect("a good book");
    assert_eq!((book.len(), book.name()), (1, "book.txt"));
}
