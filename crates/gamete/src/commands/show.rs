use std::process::ExitCode;

use anyhow::Result;
use gamete_lab::Bred;
use serde_json::{Map, json};

use crate::lab::{LabArgs, conclusion_json, summary, verification_json, verification_text};
use crate::terminal::{counted, out, outln};

/// Show an experiment: what came out, or how far it is.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete show kendall-whitwell-1
  gamete show kendall-whitwell-1 --file > mine.toml
  gamete show kendall-whitwell-1 --player > champion.toml
  gamete show mutation-study-1/s=0.5/1 --player > half.toml")]
pub struct Args {
    /// The experiment
    id: String,

    #[command(flatten)]
    lab: LabArgs,

    /// Print its file, with every default in it
    #[arg(long, conflicts_with_all = ["json", "player"])]
    file: bool,

    /// Print its champion as a player file, for every command that takes one; of a study ID/ARM/REPLICATE, or
    /// ID/ARM for the mean of an arm's champions; ID@N for the mean player of a generation
    #[arg(long, conflicts_with = "json")]
    player: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let store = args.lab.open()?;
    if args.player {
        out!("{}", Bred::find(&store, &args.id)?.player)?;
        return Ok(ExitCode::SUCCESS);
    }
    let row = store.experiment(&args.id)?;
    if args.file {
        out!("{}", row.file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let experiment = row.experiment()?;
    let conclusion = row.conclusion()?;
    if args.json {
        let champion: Option<Map<String, serde_json::Value>> = conclusion
            .as_ref()
            .map(|found| found.champion.iter().map(|(name, value)| (name.clone(), json!(value))).collect());
        let mut object = json!({
            "id": row.id, "method": row.method, "about": row.about, "seed": row.seed, "seconds": row.seconds,
            "signature": row.signature, "finished": conclusion.is_some(), "champion": champion,
            "digest": conclusion.as_ref().map(|found| &found.digest),
            "games": conclusion.as_ref().map(|found| found.games),
        });
        object["verification"] = verification_json(&store.verification(&args.id)?);
        if let Some(found) = conclusion.filter(|_| experiment.is_study()) {
            let found = conclusion_json(&experiment, &found);
            for key in ["champions", "playoffs", "classical"] {
                object[key] = found.get(key).cloned().unwrap_or_else(|| json!([]));
            }
        }
        outln!("{object}")?;
        return Ok(ExitCode::SUCCESS);
    }
    outln!("{}", if row.about.is_empty() { row.id.clone() } else { format!("{}: {}", row.id, row.about) })?;
    outln!("method {}, seed {}, engine {}, {:.1} s", row.method, row.seed, row.signature, row.seconds)?;
    match conclusion {
        Some(conclusion) => {
            outln!("\n{}", summary(&store, &args.id, &experiment, &conclusion)?)?;
            let verification = verification_text(&store.verification(&args.id)?);
            if !verification.is_empty() {
                outln!("{verification}")?;
            }
            outln!("digest {}", conclusion.digest)?;
        }
        None => {
            let mut generations = Vec::new();
            for run in store.runs(&args.id)? {
                generations.extend(store.summaries(run.number)?.last().map(|row| row.number));
            }
            let done = counted(generations.iter().copied().map(u64::from).sum(), "generation");
            outln!("unfinished: {done} so far, in {}", counted(generations.len() as u64, "run"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
