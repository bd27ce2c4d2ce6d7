use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use gamete_arena::files::Output;
use gamete_lab::{LabView, MatchView, View};

use crate::lab::{LabArgs, journal_path};
use crate::terminal::outln;

/// Write an HTML report of an experiment, a pipeline or a match.
///
/// The report is one file with tables, charts and games to replay; that of a pipeline covers all its stages.
///
/// `gamete evolve` writes it when it ends; this command writes it at any time, even while the experiment or match is
/// running.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete report kendall-whitwell-1
  gamete report mutation-study-1 --lab results -o study.html
  gamete report kendall-whitwell-1 -o - | less
  gamete report games.pgn.db")]
pub struct Args {
    /// Experiment, pipeline, stage of a pipeline (ID/STAGE) or journal of a match
    id: String,

    #[command(flatten)]
    lab: LabArgs,

    /// File to write, - for standard output [default: ID.html in the lab, or next to the journal]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(journal) = journal_path(&args.id)? {
        let path = args.output.clone().unwrap_or_else(|| journal.with_extension("html"));
        write_html(&gamete_report::match_html(&MatchView::read(&journal)?), &path)?;
        return tell(&path);
    }
    let store = args.lab.open()?;
    let path = args.output.clone().unwrap_or_else(|| default_path(&args.lab, &args.id));
    let lab = LabView::new(&store);
    write(lab, lab.find(&args.id)?, &path)?;
    tell(&path)
}

fn tell(path: &Path) -> Result<ExitCode> {
    if path != Path::new("-") {
        outln!("{}", path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the report of an experiment is when nothing else is said; that of a stage is called `PIPELINE+STAGE.html`.
pub fn default_path(lab: &LabArgs, id: &str) -> PathBuf {
    lab.lab.join(format!("{}.html", id.replace('/', "+")))
}

/// Writes a report, all of it or nothing.
///
/// # Errors
///
/// When the lab cannot be read, or the file cannot be written.
pub fn write(lab: LabView<'_>, view: View, path: &Path) -> Result<()> {
    let html = match view {
        View::Experiment(view) => gamete_report::html(lab, *view)?,
        View::Pipeline(view) => gamete_report::pipeline_html(lab, *view)?,
    };
    write_html(&html, path)
}

fn write_html(html: &str, path: &Path) -> Result<()> {
    let mut output = Output::create(path)?;
    let written = output.write_all(html.as_bytes()).and_then(|()| output.finish());
    written.with_context(|| format!("{}: cannot be written", path.display()))
}
