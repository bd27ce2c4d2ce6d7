//! Solves the positions of an EPD file: `suite FILE NODES [PRESET] [name=value...]`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use common::Simple;
use gamete_chess::Epd;
use gamete_engine::{Limit, SearchSettings, Searcher};
use gamete_game::{Game, Line};

fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&args[0]).expect("an EPD file");
    let nodes = args[1].parse().expect("a number of nodes");
    let preset = args.get(2).map_or("full", String::as_str);
    let mut settings = SearchSettings::preset(preset).expect("a preset");
    for (name, value) in args.iter().skip(3).filter_map(|arg| arg.split_once('=')) {
        settings.set(name, value.parse().expect("a number")).expect("a parameter");
    }

    let start = Instant::now();
    let mut searcher = Searcher::new(&settings, 1 << 24);
    let (mut solved, mut total, mut settled, mut visited, mut depths) = (0, 0, 0, 0, 0);
    let mut missed = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let epd: Epd = line.parse().expect("an EPD");
        searcher.new_game();
        let position = epd.position.clone();
        let stop = AtomicBool::new(false);
        let line = Line::new(position);
        let outcome = searcher.search(&line, &Simple, &Limit::nodes(nodes), &stop, None, |_| {});
        let best = outcome.best.expect("a move");
        total += 1;
        visited += outcome.nodes;
        depths += outcome.depth;
        let bm = epd.best_moves().unwrap_or_default();
        let am = epd.avoid_moves().unwrap_or_default();
        if (bm.is_empty() || bm.contains(&best)) && !am.contains(&best) {
            solved += 1;
            settled += outcome.settled;
        } else {
            settled += nodes;
            missed.push(format!(
                "{} {} {}",
                epd.id().unwrap_or_default(),
                line.position().move_text(best),
                outcome.score
            ));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{solved} of {total}, {settled} nodes to solve, mean depth {:.2}, {:.2} Mnps",
        f64::from(depths) / f64::from(total),
        visited as f64 / seconds / 1e6
    );
    if args.iter().any(|arg| arg == "-v") {
        println!("{}", missed.join("\n"));
    }
}
