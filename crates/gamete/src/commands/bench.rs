use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use gamete_arena::bench;
use serde_json::json;

use super::techniques;
use crate::terminal::outln;

/// Search fixed positions and print the signature of the engine.
///
/// The last line is `N nodes M nps`. N is the same on every machine, and another as soon as anything is played
/// differently.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  gamete bench
  gamete bench --json
  gamete bench techniques --game checkers --depths 4,6,8"
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
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(What::Techniques(args)) = &args.what {
        return techniques::run(args);
    }
    if args.json {
        let report = bench(|_| ());
        let row = |row: &gamete_arena::BenchRow| {
            json!({
                "model": row.model, "preset": row.preset, "depth": row.depth, "positions": row.positions,
                "nodes": row.nodes, "seconds": row.time.as_secs_f64(),
            })
        };
        let rows: Vec<_> = report.rows.iter().map(row).collect();
        outln!("{}", json!({ "nodes": report.nodes(), "nps": report.nps(), "rows": rows }))?;
    } else {
        let report = bench(|row| {
            // The last line will find out if nobody listens.
            let _ = outln!("{row}");
        });
        outln!("{} nodes {} nps", report.nodes(), report.nps())?;
    }
    Ok(ExitCode::SUCCESS)
}
