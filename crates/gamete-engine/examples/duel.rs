//! Two settings against each other at chess: `duel PAIRS NODES A B`, each a preset with changes, as in
//! `full,null_move=0`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::atomic::AtomicBool;

use common::{Simple, playouts};
use gamete_chess::Position;
use gamete_engine::{Limit, SearchSettings, Searcher};
use gamete_game::{Color, Game, Outcome};

fn settings(text: &str) -> SearchSettings {
    let mut parts = text.split(',');
    let mut settings = SearchSettings::preset(parts.next().expect("a preset")).expect("a preset");
    for (name, value) in parts.map(|part| part.split_once('=').expect("name=value")) {
        settings.set(name, value.parse().expect("a number")).expect("a parameter");
    }
    settings
}

fn main() {
    let args: Vec<_> = std::env::args().skip(1).collect();
    let limit = Limit::nodes(args[1].parse().expect("a number of nodes"));
    let players = [settings(&args[2]), settings(&args[3])];
    let mut score = [0; 3];
    for opening in playouts(&Position::start(), args[0].parse().expect("a number of pairs"), 9) {
        for first in [0, 1] {
            let mut line = opening.clone();
            let mut searchers = [0, 1].map(|n| Searcher::new(&players[n], 1 << 22));
            let result = loop {
                if let Some(ending) = line.ending() {
                    break ending.outcome;
                }
                if line.moves().len() > 300 {
                    break Outcome::Draw;
                }
                let white = line.position().turn() == Color::White;
                let player = if white { first } else { 1 - first };
                let stop = AtomicBool::new(false);
                let outcome = searchers[player].search(&line, &Simple, &limit, &stop, None, |_| {});
                line.play(outcome.best.expect("a move"));
            };
            let for_a = match result {
                Outcome::Draw => 1,
                Outcome::Win(winner) => 2 * usize::from((winner == Color::White) == (first == 0)),
            };
            score[for_a] += 1;
        }
    }
    let [losses, draws, wins] = score;
    let games = f64::from(wins + draws + losses);
    let share = (f64::from(wins) + f64::from(draws) / 2.0) / games;
    let elo = -400.0 * (1.0 / share.clamp(0.001, 0.999) - 1.0).log10();
    println!("{} - {}: +{wins} ={draws} -{losses}, {elo:+.0} Elo", args[2], args[3]);
}
