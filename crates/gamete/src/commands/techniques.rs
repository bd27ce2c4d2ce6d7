use std::io;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use gamete_arena::{GameName, ModelInfo, Playable, Player, dispatch};
use gamete_engine::{Limit, Quiescence, SearchSettings};
use gamete_game::{BoardGame, Line, TechniqueBench};
use serde::Serialize;

use crate::files::game_parser;
use crate::terminal::{grouped, outln, print_json};

/// Measure what each search technique saves, in nodes and time.
///
/// The techniques are minimax, alpha-beta and so on. Checkers is played by the rules of the MIT report on mutation
/// parameters, whose numbers are shown for comparison.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete bench techniques
  gamete bench techniques --game chess --depths 2,3,4")]
pub struct Args {
    /// The game
    #[arg(long, value_name = "GAME", value_parser = game_parser(), default_value_t = GameName::Checkers)]
    game: GameName,

    /// Depths in plies [default: 4,6,8 in checkers, 2,3,4 in chess]
    #[arg(long, value_delimiter = ',', value_name = "N,…")]
    depths: Vec<u32>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A row of the table: a name, and what is switched on in plain minimax.
struct Technique {
    name: &'static str,
    settings: SearchSettings,
    /// The nodes of the MIT report at depths 4, 6 and 8 from the start.
    published: [Option<u64>; 3],
}

const PUBLISHED_DEPTHS: [u32; 3] = [4, 6, 8];

fn techniques() -> Vec<Technique> {
    let minimax = SearchSettings::minimax();
    let alpha_beta = SearchSettings { alpha_beta: true, ..minimax.clone() };
    let ordered = SearchSettings { own_weights: true, history: true, killers: true, ..alpha_beta.clone() };
    let captures = SearchSettings { quiescence: Quiescence::Captures, ..minimax.clone() };
    let extra_plies = SearchSettings { quiescence: Quiescence::ExtraPlies, ..minimax.clone() };
    let table = SearchSettings { table: true, ..minimax.clone() };
    let together = SearchSettings { table: true, ..ordered.clone() };
    let all = SearchSettings { quiescence: Quiescence::Captures, ..together.clone() };

    let quiescence = [Some(2_078), Some(41_219), Some(649_760)];
    let row = |name, settings, published| Technique { name, settings, published };
    vec![
        row("minimax", minimax, [Some(3_308), Some(217_537), Some(15_237_252)]),
        row("alpha-beta", alpha_beta, [Some(278), Some(5_026), Some(129_183)]),
        row("alpha-beta, ordering", ordered, [Some(271), Some(3_204), Some(36_753)]),
        row("minimax, captures", captures, quiescence),
        row("minimax, extra plies", extra_plies, quiescence),
        row("minimax, table", table, [Some(2_237), Some(50_688), Some(859_184)]),
        row("alpha-beta, ord., table", together, [None; 3]),
        row("all with captures", all, [None, None, Some(4_835)]),
    ]
}

impl Technique {
    /// With quiescence half the depth is searched in full and the rest only while there are captures; the report
    /// puts its cap at two or three times the nominal depth.
    fn split(&self, depth: u32) -> (SearchSettings, u32) {
        let mut settings = self.settings.clone();
        if settings.quiescence == Quiescence::Off {
            return (settings, depth);
        }
        let full_width = depth.div_ceil(2);
        settings.quiescence_plies = (depth - full_width) as i32;
        (settings, full_width)
    }
}

/// One measurement.
struct Cell {
    nodes: u64,
    time: Duration,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    dispatch!(args.game, G => table(args, &G::technique_bench()))
}

fn table<G: Playable>(args: &Args, bench: &TechniqueBench<G>) -> Result<ExitCode> {
    let depths = if args.depths.is_empty() { bench.depths } else { &args.depths };
    if let Some(depth) = depths.iter().find(|depth| !(1..=20).contains(*depth)) {
        bail!("--depths: {depth} is not from 1 to 20");
    }
    let model = bench.model;
    let mut player = Player::new(ModelInfo::find(model)?);
    let mut rows = Vec::new();
    for (index, (place, position)) in bench.positions.iter().enumerate() {
        let is_published = index == 0 && bench.is_published;
        if !args.json {
            outln!("{model}, {place}: {position}")?;
            let heads: Vec<_> =
                depths.iter().map(|depth| format!("{:>13}", format!("depth {depth}"))).collect();
            let beside = if is_published { "     published at 4, 6, 8" } else { "" };
            outln!("{:<24}{}   seconds{beside}", "nodes", heads.concat())?;
        }
        for technique in techniques() {
            let measure = |&depth: &u32| {
                let (settings, full_width) = technique.split(depth);
                player.search = settings;
                measure(&player, position, full_width)
            };
            let cells: Vec<_> = depths.iter().map(measure).collect();
            if !args.json {
                print_row(&technique, &cells, is_published)?;
            }
            for (&depth, cell) in depths.iter().zip(&cells) {
                let at = PUBLISHED_DEPTHS.iter().position(|&known| known == depth).filter(|_| is_published);
                rows.push(Row {
                    position: place,
                    technique: technique.name,
                    depth,
                    nodes: cell.nodes,
                    seconds: cell.time.as_secs_f64(),
                    published: at.and_then(|at| technique.published[at]),
                });
            }
        }
        if !args.json {
            outln!()?;
        }
    }
    if args.json {
        print_json(&rows)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What `--json` prints of a technique on a position at a depth.
#[derive(Serialize)]
struct Row {
    position: &'static str,
    technique: &'static str,
    depth: u32,
    nodes: u64,
    seconds: f64,
    published: Option<u64>,
}

fn measure<G: Playable>(player: &Player, position: &G, depth: u32) -> Cell {
    let mut engine = G::engine(player, 64 << 20).expect("a player of the game");
    let line = Line::new(position.clone());
    let start = Instant::now();
    let outcome = engine.search(&line, &Limit::depth(depth), &AtomicBool::new(false), None, &mut |_| ());
    Cell { nodes: outcome.nodes, time: start.elapsed() }
}

fn print_row(technique: &Technique, cells: &[Cell], is_published: bool) -> io::Result<()> {
    let nodes: Vec<_> = cells.iter().map(|cell| format!("{:>13}", grouped(cell.nodes))).collect();
    let seconds: f64 = cells.iter().map(|cell| cell.time.as_secs_f64()).sum();
    let published: Vec<_> = technique
        .published
        .iter()
        .map(|nodes| format!("{:>11}", nodes.map_or_else(|| "-".to_owned(), grouped)))
        .collect();
    let beside = if is_published { published.concat() } else { String::new() };
    outln!("{:<24}{} {seconds:>9.3}{beside}", technique.name, nodes.concat())
}
