//! Damaged experiments, players, games, archives and conversations: an answer or an error in words, whatever they say.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gamete_arena::Rng;
use gamete_lab::presets;

use crate::target::Target;
use crate::{Siege, pick};

/// Values that somebody forgot to think of.
const NASTY: [&str; 26] = [
    "0",
    "-1",
    "-5",
    "1e12",
    "1000000000000",
    "18446744073709551616",
    "9223372036854775807",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "0.5",
    "true",
    "\"\"",
    "\"\\u001b[31mred\\u0007\"",
    "[]",
    "[1]",
    "[2, 1]",
    "[nan, inf]",
    "[0, 1e300]",
    "{}",
    "{ x = 1 }",
    "\"chess/classic\"",
    "\"depth=0\"",
    "\"nodes=99999999999999999999\"",
    "1979-05-27",
];

/// Keys that mean something somewhere.
const KEYS: [&str; 30] = [
    "population",
    "generations",
    "replicates",
    "seed",
    "survivors",
    "children",
    "games",
    "seconds",
    "convergence",
    "model",
    "preset",
    "limits",
    "max_moves",
    "method",
    "from",
    "weights.pawn",
    "weights.\"*\"",
    "search.quiescence",
    "genes.scale",
    "genes.\"weights.pawn\"",
    "genes.seconds",
    "inner.population",
    "inner.from",
    "playoff.pairs",
    "playoff.plies",
    "arms",
    "mutation.draw",
    "opponents",
    "noise",
    "name",
];

pub fn damage_bytes(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..1 + rng.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.below(bytes.len() as u64) as usize;
        match rng.below(5) {
            0 => bytes[at] = rng.below(256) as u8,
            1 => bytes.insert(at, b"\0\n\"[]{}()0189/ -x*$;%=\x1b"[rng.below(22) as usize]),
            2 => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => {
                let tail = bytes[at..].to_vec();
                bytes.splice(at..at, tail);
            }
        }
    }
}

pub fn seeds(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let files = std::fs::read_dir(folder).expect("a folder of seeds");
    let mut paths: Vec<_> = files.map(|file| file.expect("a seed").path()).collect();
    paths.sort();
    paths
}

/// A preset with lines changed, lost and doubled.
pub fn damaged_experiment(preset: &str, rng: &mut Rng) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gamete-lab/src/presets");
    let text = std::fs::read_to_string(folder.join(format!("{preset}.toml"))).expect("a preset");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(lines.len() as u64) as usize;
        match rng.below(5) {
            0 => drop(lines.remove(at)),
            1 => {
                let line = lines[at].clone();
                lines.insert(at, line);
            }
            2 => lines.insert(0, format!("{} = {}", pick(rng, &KEYS), pick(rng, &NASTY))),
            _ => {
                if let Some((key, _)) = lines[at].clone().split_once('=') {
                    lines[at] = format!("{key}= {}", pick(rng, &NASTY));
                }
            }
        }
    }
    lines.join("\n")
}

#[test]
pub fn damaged_experiments_end_in_words() {
    Siege::new("experiments", 12).each(|_, rng| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut text = damaged_experiment(pick(rng, &presets::names().collect::<Vec<_>>()), rng).into_bytes();
        if rng.below(4) == 0 {
            damage_bytes(&mut text, rng);
        }
        std::fs::write(folder.path().join("x.toml"), text).expect("a file");
        let mut words: Vec<String> = "evolve x.toml --lab lab --json".split(' ').map(str::to_owned).collect();
        for _ in 0..rng.below(3) {
            words.push("--set".to_owned());
            words.push(format!("{}={}", pick(rng, &KEYS), pick(rng, &NASTY)));
        }
        let target = Target::start(folder.path(), &words, Vec::new());
        // Many of them are experiments of hours.
        target.at_most(Duration::from_millis(700)).finish(1500).assert_answered();
        let again = Target::start(folder.path(), &words, Vec::new());
        again.at_most(Duration::from_millis(300)).finish(1500).assert_answered();
    });
}

#[test]
fn damaged_players_end_in_words() {
    let made = Target::start(Path::new("."), ["models", "chess/classic", "--toml"], Vec::new()).finish(400);
    made.assert_success();
    Siege::new("players", 12).each(|_, rng| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut lines: Vec<String> = made.out().lines().map(str::to_owned).collect();
        let at = rng.below(lines.len() as u64) as usize;
        if let Some((key, _)) = lines[at].clone().split_once('=') {
            lines[at] = format!("{key}= {}", pick(rng, &NASTY));
        }
        let mut text = lines.join("\n").into_bytes();
        if rng.below(2) == 0 {
            damage_bytes(&mut text, rng);
        }
        std::fs::write(folder.path().join("p.toml"), text).expect("a file");
        let words = "match -engine player=p.toml -engine model=chess/material -each depth=1 -rounds 1 -maxmoves 10 -json";
        let target = Target::start(folder.path(), words.split(' '), Vec::new());
        target.at_most(Duration::from_secs(20)).finish(800).assert_answered();
    });
}

fn compressed(name: &str, bytes: &[u8], rng: &mut Rng) -> (String, Vec<u8>) {
    match rng.below(3) {
        0 => (format!("{name}.zst"), zstd::encode_all(bytes, 1).expect("bytes")),
        1 => {
            let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(format!("\x1b[31m../{name}"), options).expect("a member");
            zip.write_all(bytes).expect("bytes");
            (format!("{name}.zip"), zip.finish().expect("an archive").into_inner())
        }
        _ => (name.to_owned(), bytes.to_vec()),
    }
}

#[test]
fn damaged_games_and_archives_end_in_words() {
    let kinds = ["pgn", "pdn", "epd"];
    let seeds = kinds.map(seeds);
    Siege::new("games", 20).each(|_, rng| {
        let folder = tempfile::tempdir().expect("a folder");
        let kind = rng.below(3) as usize;
        let path = &seeds[kind][rng.below(seeds[kind].len() as u64) as usize];
        let mut bytes = std::fs::read(path).expect("a seed");
        damage_bytes(&mut bytes, rng);
        let (name, mut bytes) = compressed(&format!("x.{}", kinds[kind]), &bytes, rng);
        if rng.below(2) == 0 {
            damage_bytes(&mut bytes, rng);
        }
        std::fs::write(folder.path().join(&name), bytes).expect("a file");
        let other = pick(rng, &["y.pgn", "y.pdn", "y.epd", "y.pgn.zst"]);
        let commands = [
            format!("convert {name} -o {other}"),
            format!("play --resume {name} --white human --black human"),
            format!("solve {name} --nodes 10"),
            format!("perft --suite {name} --max-nodes 1000"),
            format!("match -engine model=chess/material -engine model=chess/material -each depth=1 -rounds 1 -maxmoves 5 -openings file={name}"),
        ];
        let words = pick(rng, &commands.each_ref().map(String::as_str));
        let target = Target::start(folder.path(), words.split(' '), b"quit\n".to_vec());
        target.at_most(Duration::from_secs(20)).finish(400).assert_answered();
    });
}

/// Words of the protocol, and some that are not.
const SPOKEN: [&str; 34] = [
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position fen",
    "position startpos moves e2e4 e7e5",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4",
    "go",
    "go depth 2",
    "go nodes 200",
    "go movetime 5",
    "go wtime 10 btime 10",
    "go wtime -5 btime 0 movestogo 0",
    "go infinite",
    "go ponder",
    "go mate 2",
    "go perft 2",
    "go perft 99",
    "go depth 99999999999",
    "go nodes -1",
    "stop",
    "ponderhit",
    "setoption name Hash value 1",
    "setoption name Hash value 99999999",
    "setoption name",
    "setoption name Hash value x",
    "setoption name Clear Hash",
    "debug on",
    "register later",
    "d",
    "eval",
    "bench",
    "\u{1b}[31m\u{0}nonsense",
];

#[test]
fn damaged_conversations_end_in_words() {
    Siege::new("conversations", 10).each(|_, rng| {
        let mut input = Vec::new();
        for _ in 0..1 + rng.below(20) {
            let mut line = pick(rng, &SPOKEN).as_bytes().to_vec();
            if rng.below(4) == 0 {
                damage_bytes(&mut line, rng);
            }
            input.extend_from_slice(&line);
            input.push(b'\n');
        }
        input.extend_from_slice(b"stop\nquit\n");
        let folder = tempfile::tempdir().expect("a folder");
        Target::start(folder.path(), ["uci"], input).finish(800).assert_answered();
    });
}
