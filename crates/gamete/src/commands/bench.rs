use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use gamete_arena::bench;
use serde::Serialize;

use super::{bench_grid, bench_serve, techniques};
use crate::terminal::{outln, print_json};

/// Search fixed positions and print the engine's signature.
///
/// The last line is `N nodes M nps`. N is the same on every machine, and changes as soon as anything is played
/// differently.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  gamete bench
  gamete bench --json
  gamete bench techniques --game checkers --depths 4,6,8
  gamete bench grid
  gamete bench serve"
)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    Techniques(techniques::Args),
    Grid(bench_grid::Args),
    Serve(bench_serve::Args),
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    nodes: u64,
    nps: u64,
    rows: Vec<Row>,
}

/// A player of the bench.
#[derive(Serialize)]
struct Row {
    model: &'static str,
    preset: &'static str,
    depth: u32,
    positions: usize,
    nodes: u64,
    seconds: f64,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.what {
        Some(What::Techniques(args)) => return techniques::run(args),
        Some(What::Grid(args)) => return bench_grid::run(args),
        Some(What::Serve(args)) => return bench_serve::run(args),
        None => {}
    }
    if args.json {
        let report = bench(|_| ());
        let rows = report.rows.iter().map(|row| Row {
            model: row.model,
            preset: row.preset,
            depth: row.depth,
            positions: row.positions,
            nodes: row.nodes,
            seconds: row.time.as_secs_f64(),
        });
        print_json(&Report { nodes: report.nodes(), nps: report.nps(), rows: rows.collect() })?;
    } else {
        let report = bench(|row| {
            // The last line will find out if nobody listens.
            let _ = outln!("{row}");
        });
        outln!("{} nodes {} nps", report.nodes(), report.nps())?;
    }
    Ok(ExitCode::SUCCESS)
}
