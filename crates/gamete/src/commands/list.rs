use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use crate::lab::{LabArgs, conclusion};
use crate::terminal::{grouped, outln};

/// List the experiments of a lab.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete list
  gamete list --lab results --json")]
pub struct Args {
    #[command(flatten)]
    lab: LabArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let rows = args.lab.open()?.experiments()?;
    if args.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| {
                json!({ "id": row.id, "method": row.method, "about": row.about, "seed": row.seed,
                "created": row.created, "seconds": row.seconds, "finished": row.result.is_some() })
            })
            .collect();
        outln!("{}", json!(rows))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = rows.iter().map(|row| row.id.len()).max().unwrap_or(0).max(2);
    outln!("{:<width$}  {:<16} {:>10} {:>9}  about", "id", "method", "games", "time")?;
    for row in rows {
        let games = conclusion(&row)?.map_or_else(|| "unfinished".to_owned(), |found| grouped(found.games));
        outln!("{:<width$}  {:<16} {games:>10} {:>7.0} s  {}", row.id, row.method, row.seconds, row.about)?;
    }
    Ok(ExitCode::SUCCESS)
}
