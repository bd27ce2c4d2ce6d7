use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use gamete_arena::files::Output;
use gamete_lab::{Experiment, Store, arms, run_path};
use serde_json::json;

use crate::lab::{LabArgs, conclusion_json, export_games};

/// Export the generations of an experiment as CSV or JSON, or its games as PGN or PDN.
///
/// CSV has a row for each generation of each run and each weight; JSON has the populations and kept games too.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("format").required(true).args(["csv", "json", "games"])))]
#[command(after_help = "Examples:
  gamete export kendall-whitwell-1 --csv -o generations.csv
  gamete export kendall-whitwell-1 --games games.pgn
  gamete export mutation-study-1 --json -o - | jq .runs[0].path")]
pub struct Args {
    /// The experiment
    id: String,

    #[command(flatten)]
    lab: LabArgs,

    /// A row for each generation and weight
    #[arg(long)]
    csv: bool,

    /// Everything
    #[arg(long)]
    json: bool,

    /// Write the games that were kept, as PGN of chess and as PDN of checkers; - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    games: Option<PathBuf>,

    /// Replace the file of --games if there is one of this name
    #[arg(long, requires = "games")]
    force: bool,

    /// The file to write, - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let store = args.lab.open()?;
    let row = store.experiment(&args.id)?;
    let experiment = row.experiment()?;
    if let Some(path) = &args.games {
        if path.is_file() && !args.force {
            bail!(
                "{}: there is a file of this name; name another one, or say --force to replace it",
                path.display()
            );
        }
        export_games(&store, &row, path)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut output = Output::create(&args.output)?;
    if args.csv {
        write_csv(&store, &args.id, &experiment, &mut output)?;
    } else {
        let mut runs = Vec::new();
        for run in store.runs(&args.id)? {
            let generations: Vec<_> = store
                .generations(run.number)?
                .into_iter()
                .map(|row| {
                    let population: Vec<_> = row.population.iter().map(|one| &one.genome).collect();
                    let fitness: Vec<_> = row.population.iter().map(|one| one.fitness).collect();
                    let parents: Vec<_> = row.population.iter().map(|one| &one.parents).collect();
                    json!({
                        "summary": row.summary, "population": population, "fitness": fitness, "parents": parents,
                    })
                })
                .collect();
            let games = store.games(run.number)?;
            if !generations.is_empty() || !games.is_empty() {
                runs.push(json!({ "path": run.path, "generations": generations, "games": games }));
            }
        }
        let result = row.conclusion()?.map(|found| conclusion_json(&experiment, &found));
        let object = json!({
            "id": row.id, "file": row.file, "seed": row.seed, "signature": row.signature, "seconds": row.seconds,
            "genes": experiment.genes(), "result": result, "runs": runs,
        });
        writeln!(output, "{object}")?;
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn write_csv(store: &Store, id: &str, experiment: &Experiment, output: &mut Output) -> Result<()> {
    writeln!(
        output,
        "arm,replicate,generation,weight,mean,sd,min,max,games,draws,plies,matches_won,matches_edged,matches_drawn,seconds"
    )?;
    let runs = store.runs(id)?;
    for (arm, variant) in arms(experiment).iter().enumerate() {
        let name = experiment.head.arms.get(arm).map_or("", |arm| arm.name.as_str());
        for replicate in 0..experiment.head.replicates {
            let path =
                if experiment.is_study() { run_path(experiment, arm, replicate) } else { String::new() };
            let Some(run) = runs.iter().find(|run| run.path == path) else { continue };
            for generation in store.generations(run.number)? {
                let row = generation.summary;
                for (weight, spread) in variant.genes().iter().zip(&row.spread) {
                    writeln!(
                        output,
                        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                        quoted(name),
                        replicate + 1,
                        row.number,
                        quoted(weight),
                        spread.mean,
                        spread.sd,
                        spread.min,
                        spread.max,
                        row.games,
                        row.draws,
                        row.plies,
                        row.matches.won,
                        row.matches.edged,
                        row.matches.drawn,
                        row.seconds
                    )?;
                }
            }
        }
    }
    Ok(())
}

/// A field of CSV, in quotes where it needs them.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
