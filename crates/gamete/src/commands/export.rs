use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use gamete_arena::files::Output;
use gamete_lab::{ExperimentView, Generation, LabView, MatchView, Measure, View};

use crate::lab::{LabArgs, export_games, export_match_games, journal_path, quoted, write_match_csv};

/// Export an experiment or a match as CSV or JSON, or its games.
///
/// For an experiment, CSV has a row for each generation of each run and each weight, with what was measured besides
/// fitness (and for a pipeline, the stage in front); JSON also has the populations and kept games. For a match, CSV
/// has a row for each game, and JSON has everything.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("format").required(true).args(["csv", "json", "games"])))]
#[command(after_help = "Examples:
  gamete export kendall-whitwell-1 --csv -o generations.csv
  gamete export kendall-whitwell-1 --games games.pgn
  gamete export mutation-study-1 --json -o - | jq .runs[0].path
  gamete export games.pgn.db --games all.pgn")]
pub struct Args {
    /// Experiment, pipeline, stage of a pipeline (ID/STAGE) or journal of a match
    id: String,

    #[command(flatten)]
    lab: LabArgs,

    /// Write CSV: a row for each generation and weight, or for each game of a match
    #[arg(long)]
    csv: bool,

    /// Write JSON: everything
    #[arg(long)]
    json: bool,

    /// Write the games that were kept (all games of a match) in the format of their game (PGN for chess, PDN for
    /// checkers); - for standard output
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    games: Option<PathBuf>,

    /// Overwrite the file of --games if it exists
    #[arg(long, requires = "games")]
    force: bool,

    /// File to write, - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(path) = args.games.as_ref().filter(|path| path.is_file() && !args.force) {
        bail!(
            "{}: there is a file of this name; name another one, or say --force to replace it",
            path.display()
        );
    }
    if let Some(journal) = journal_path(&args.id)? {
        return export_match(args, &MatchView::read(&journal)?);
    }
    let store = args.lab.open()?;
    let lab = LabView::new(&store);
    let view = lab.find(&args.id)?;
    if let Some(path) = &args.games {
        match &view {
            View::Experiment(view) => export_games(&view.id, view.created, &lab.games(&view.id)?, path)?,
            View::Pipeline(view) => {
                export_games(&view.id, view.created, &lab.pipeline_games(view)?, path)?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut output = Output::create(&args.output)?;
    match &view {
        View::Experiment(view) if args.csv => {
            let measures = measure_names([view.as_ref()]);
            writeln!(output, "{COLUMNS}{}", measure_columns(&measures))?;
            write_rows(view, "", &measures, &mut output)?;
        }
        View::Pipeline(view) if args.csv => {
            let measures = measure_names(view.experiments());
            writeln!(output, "stage,{COLUMNS}{}", measure_columns(&measures))?;
            for stage in &view.stages {
                if let Some(experiment) = &stage.experiment {
                    write_rows(experiment, &format!("{},", stage.name), &measures, &mut output)?;
                }
            }
        }
        View::Experiment(view) => serde_json::to_writer(&mut output, &lab.export(view)?)?,
        View::Pipeline(view) => serde_json::to_writer(&mut output, &lab.export_pipeline(view)?)?,
    }
    if args.json {
        writeln!(output)?;
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn export_match(args: &Args, view: &MatchView) -> Result<ExitCode> {
    if let Some(path) = &args.games {
        export_match_games(view, path)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut output = Output::create(&args.output)?;
    if args.csv {
        write_match_csv(view, &mut output)?;
    } else {
        serde_json::to_writer(&mut output, &view.export())?;
        writeln!(output)?;
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

const COLUMNS: &str = "arm,replicate,generation,weight,mean,sd,min,max,games,draws,plies,matches_won,matches_edged,\
                       matches_drawn,seconds";

/// The names of all measures, in the order in which they come.
fn measure_names<'a>(views: impl IntoIterator<Item = &'a ExperimentView>) -> Vec<&'a str> {
    let mut names = Vec::new();
    let runs = views.into_iter().flat_map(ExperimentView::runs);
    for measure in runs.flat_map(|run| &run.generations).flat_map(|row| &row.measures) {
        if !names.contains(&measure.name.as_str()) {
            names.push(&measure.name);
        }
    }
    names
}

/// Three columns for each measure, behind all others.
fn measure_columns(names: &[&str]) -> String {
    let columns = names.iter().map(|name| name.replace(' ', "_"));
    columns.map(|name| format!(",{name}_best,{name}_mean,{name}_of")).collect()
}

/// The values in these columns; nothing where a generation has none.
fn measure_values(row: &Generation, names: &[&str]) -> String {
    let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let values = |name: &&str| match row.measure(name) {
        Some(Measure { best, mean, of, .. }) => format!(",{best},{},{}", text(*mean), text(*of)),
        None => ",,,".to_owned(),
    };
    names.iter().map(values).collect()
}

/// A row for each generation of each run and each weight, behind what all of them begin with.
fn write_rows(view: &ExperimentView, beginning: &str, measures: &[&str], output: &mut Output) -> Result<()> {
    for arm in &view.arms {
        for run in &arm.runs {
            for row in &run.generations {
                let measured = measure_values(row, measures);
                for (weight, spread) in arm.genes.iter().zip(&row.spread) {
                    writeln!(
                        output,
                        "{beginning}{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{measured}",
                        quoted(&arm.name),
                        run.replicate,
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
