//! Whole collections read, replayed, written and read again; and the rules against published counts.

mod common;
#[path = "common/needs.rs"]
mod needs;

use std::ops::ControlFlow;

use common::gamete;
use gamete_checkers::{Paths, Pdn, ResultOrder};
use gamete_chess::{EpdReader, Pgn};
use gamete_game::{Format, Game, Transcript, TranscriptReader, TranscriptWriter};
use needs::{data, needing};

needing! {
    ten_thousand_grandmaster_games_survive_reading_and_writing: [data("games/gm2600_10k.pgn.zst")],
    the_other_grandmaster_games_survive_reading_and_writing: [data("games/gm2600_more.pgn.zst")],
    checkers_games_survive_reading_and_writing_in_every_style: [data("checkers/acf_games.pdn.zst")],
    checkers_games_survive_the_wrong_separators: [data("checkers/acf_games.pdn.zst")],
    the_three_move_ballots_are_the_listed_ones: [data("checkers/checkers_3move_ballots.tsv")],
    every_suite_and_opening_file_is_read_without_loss: [data("suites"), data("openings")],
    archives_are_read_as_the_files_in_them: [data("openings/8moves_v3.pgn.zip")],
    our_reader_sees_the_moves_that_pgn_reader_sees: [data("games/gm2600_10k.pgn.zst")],
    chess_counts_up_to_five_million_are_as_published: [data("perft/perftsuite.epd")],
    chess960_counts_up_to_five_million_are_as_published: [data("perft/frc_perftsuite.epd")],
    checkers_counts_up_to_five_million_are_as_published: [data("perft/english_draughts.epd")],
}

/// The whole text of a file, decompressed.
fn text(name: &str) -> Vec<u8> {
    let bytes = std::fs::read(data(name).expect("a file that is there")).expect("a readable file");
    if name.ends_with(".zst") { zstd::decode_all(bytes.as_slice()).expect("zstd data") } else { bytes }
}

type Games<F> = Vec<Transcript<<F as Format>::Game>>;

fn read<F: Format>(text: &[u8], format: F) -> Games<F> {
    TranscriptReader::new(text, format).map(|game| game.expect("a game that replays")).collect()
}

fn write<F: Format>(games: &Games<F>, format: F) -> Vec<u8> {
    let mut writer = TranscriptWriter::new(Vec::new(), format);
    for game in games {
        writer.write(game).expect("a vector to write to");
    }
    writer.into_inner()
}

fn same_games<G: Game>(one: &[Transcript<G>], other: &[Transcript<G>]) {
    assert_eq!(one.len(), other.len());
    for (one, other) in one.iter().zip(other) {
        assert_eq!((&one.start, &one.plies, one.outcome), (&other.start, &other.plies, other.outcome));
        assert_eq!(one.last_position(), other.last_position());
    }
}

fn chess_round_trip(name: &str, count: usize) {
    let games = read(&text(name), Pgn);
    assert_eq!(games.len(), count);
    let written = write(&games, Pgn);
    assert!(written.split(|&byte| byte == b'\n').all(|line| line.starts_with(b"[") || line.len() <= 80));
    same_games(&games, &read(&written, Pgn));
}

fn ten_thousand_grandmaster_games_survive_reading_and_writing() {
    chess_round_trip("games/gm2600_10k.pgn.zst", 10_000);
}

fn the_other_grandmaster_games_survive_reading_and_writing() {
    chess_round_trip("games/gm2600_more.pgn.zst", 29_451);
}

fn checkers_games_survive_reading_and_writing_in_every_style() {
    let text = text("checkers/acf_games.pdn.zst");
    let games = read(&text, Pdn::default());
    assert_eq!(games.len(), 9_377);
    for paths in [Paths::Short, Paths::Full] {
        for results in [ResultOrder::WhiteFirst, ResultOrder::StarterFirst] {
            let format = Pdn { paths, results, ..Pdn::default() };
            same_games(&games, &read(&write(&games, format), format));
        }
    }
}

fn checkers_games_survive_the_wrong_separators() {
    let text = String::from_utf8(text("checkers/acf_games.pdn.zst")).expect("text");
    let games = read(text.as_bytes(), Pdn::default());
    // Every move with the other separator, as in old collections.
    let odd: String = text
        .split_inclusive(char::is_whitespace)
        .map(|word| match word.trim_end() {
            "1-0" | "0-1" | "1/2-1/2" => word.to_owned(),
            _ if !word.starts_with(|c: char| c.is_ascii_digit())
                || word.starts_with("19") && word.contains('"') =>
            {
                word.to_owned()
            }
            _ => word
                .chars()
                .map(|c| {
                    if c == '-' {
                        'x'
                    } else if c == 'x' {
                        '-'
                    } else {
                        c
                    }
                })
                .collect(),
        })
        .collect();
    let mut reader = TranscriptReader::new(odd.as_bytes(), Pdn::default());
    let read: Games<Pdn> = reader.by_ref().map(|game| game.expect("a game that replays")).collect();
    same_games(&games, &read);
    let plies: usize = games.iter().map(|game| game.plies.len()).sum();
    assert_eq!(reader.misspelt(), plies as u64);
}

fn the_three_move_ballots_are_the_listed_ones() {
    let text = text("checkers/checkers_3move_ballots.tsv");
    let text = String::from_utf8(text).expect("text");
    let listed: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let ballots = gamete_checkers::three_move_ballots();
    assert_eq!(ballots.len(), listed.len());
    for (ballot, line) in ballots.iter().zip(listed) {
        let fields: Vec<_> = line.split('\t').collect();
        assert_eq!(ballot.position, fields[3].parse().expect("a FEN"), "{line}");
        let barred = ballot.status == gamete_checkers::BallotStatus::Barred;
        // CheckerBoard bars this one, the list does not.
        assert_eq!(barred, fields[1] == "lost" || fields[2] == "9-13 24-19 10-15", "{line}");
    }
}

fn every_suite_and_opening_file_is_read_without_loss() {
    let files = [
        ("suites/bk.epd", 24),
        ("suites/ecm.epd", 879),
        ("suites/ecmgcp.epd", 183),
        ("suites/sts_lan_v3.epd", 1_500),
        ("suites/wac.epd", 300),
        ("openings/FRC_960.epd", 960),
        ("openings/gm_ply19_1000.epd", 1_000),
        ("openings/nunn2.epd", 20),
    ];
    for (name, count) in files {
        let text = text(name);
        let lines: Vec<_> = EpdReader::new(text.as_slice()).map(|line| line.expect("a good line")).collect();
        assert_eq!(lines.len(), count, "{name}");
        for line in lines {
            assert_eq!(line.to_string().parse().as_ref(), Ok(&line), "{name}");
        }
    }
    for (name, count) in
        [("openings/hert500.pgn", 500), ("openings/noomen1998.pgn", 50), ("openings/noomen2012.pgn", 30)]
    {
        chess_round_trip(name, count);
    }
}

fn archives_are_read_as_the_files_in_them() {
    let book = data("openings/8moves_v3.pgn.zip").expect("a file that is there");
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("book.pgn.zst");
    let run = gamete(["convert".as_ref(), book.as_os_str(), "-o".as_ref(), out.as_os_str()]);
    assert_eq!(run.status, Some(0), "{}", run.err);
    assert!(run.err.contains("games read 34,700, skipped 0"), "{}", run.err);
}

/// The moves of each game, by another library.
struct SanVisitor;

impl pgn_reader::Visitor for SanVisitor {
    type Tags = ();
    type Movetext = Vec<String>;
    type Output = Vec<String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<Self::Output, Vec<String>> {
        ControlFlow::Continue(Vec::new())
    }

    fn san(&mut self, moves: &mut Vec<String>, san: pgn_reader::SanPlus) -> ControlFlow<Self::Output> {
        moves.push(san.to_string());
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, moves: Vec<String>) -> Vec<String> {
        moves
    }
}

fn our_reader_sees_the_moves_that_pgn_reader_sees() {
    let text = text("games/gm2600_10k.pgn.zst");
    let mut theirs = pgn_reader::Reader::new(text.as_slice());
    for game in read(&text, Pgn) {
        let moves = theirs.read_game(&mut SanVisitor).expect("readable").expect("as many games");
        let mut position = game.start.clone();
        let mut ours = Vec::new();
        for ply in &game.plies {
            ours.push(position.move_text(ply.mv));
            position.play(ply.mv);
        }
        assert_eq!(ours, moves);
    }
    assert!(theirs.read_game(&mut SanVisitor).expect("readable").is_none());
}

fn check_counts(suite: &str) {
    let path = data(suite).expect("a file that is there");
    let run = gamete([
        "perft".as_ref(),
        "--max-nodes".as_ref(),
        "5000000".as_ref(),
        "--suite".as_ref(),
        path.as_os_str(),
    ]);
    assert_eq!(run.status, Some(0), "{}{}", run.out, run.err);
    assert!(run.out.ends_with(", 0 wrong\n"), "{}", run.out);
}

fn chess_counts_up_to_five_million_are_as_published() {
    check_counts("perft/perftsuite.epd");
}

fn chess960_counts_up_to_five_million_are_as_published() {
    check_counts("perft/frc_perftsuite.epd");
}

fn checkers_counts_up_to_five_million_are_as_published() {
    check_counts("perft/english_draughts.epd");
}
