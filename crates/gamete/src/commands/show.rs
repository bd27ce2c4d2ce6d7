use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use gamete_lab::{Bred, ExperimentView, LabView, MatchView, PipelineView, Store, View, shell_word};

use crate::lab::{
    LabArgs, journal_path, match_facts, match_text, match_title, pipeline_summary, summary, tuned_table,
    unfinished_text, verification_text,
};
use crate::terminal::{counted, out, outln, print_json};

/// Show the results or progress of an experiment, a pipeline or a match.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete show kendall-whitwell-1
  gamete show kendall-whitwell-1 --file > mine.toml
  gamete show kendall-whitwell-1 --player > champion.toml
  gamete show mutation-study-1/s=0.5/1 --player > half.toml
  gamete show weights-then-search-1/weights
  gamete show games.pgn.db")]
pub struct Args {
    /// Experiment, pipeline, stage of a pipeline (ID/STAGE) or journal of a match
    id: String,

    #[command(flatten)]
    lab: LabArgs,

    /// Print its file with all defaults
    #[arg(long, conflicts_with_all = ["json", "player"])]
    file: bool,

    /// Print its champion as a player file, for any command that takes one; in a study, ID/ARM/REPLICATE is one
    /// champion and ID/ARM the mean of an arm's champions; ID@N is the mean player of generation N, and ID@N#K its
    /// individual K, from 1
    #[arg(long, conflicts_with = "json")]
    player: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is wrong with a name that is no experiment's but a player's.
fn name_of_player(store: &Store, args: &Args) -> Option<anyhow::Error> {
    let (id, _) = args.id.split_once(['@', '/'])?;
    let is_pipeline = store.find(id).ok().flatten()?.is_pipeline();
    if let Err(error) = Bred::find(store, &args.id)
        && is_pipeline
    {
        return Some(error.into());
    }
    let (name, lab) = (shell_word(&args.id), args.lab.option());
    Some(anyhow!(
        "{name} names a player; `gamete show {name} --player{lab}` prints it, and `gamete show {}{lab}` the experiment",
        shell_word(id)
    ))
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(path) = journal_path(&args.id)? {
        return show_match(args, &path);
    }
    let store = args.lab.open()?;
    if args.player {
        out!("{}", Bred::find(&store, &args.id)?.player)?;
        return Ok(ExitCode::SUCCESS);
    }
    let lab = LabView::new(&store);
    if args.file {
        out!("{}", lab.stored(&args.id)?.file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let view = lab.find(&args.id).map_err(|error| name_of_player(&store, args).unwrap_or(error.into()))?;
    match view {
        View::Experiment(view) if args.json => print_json(&view.result())?,
        View::Pipeline(view) if args.json => print_json(&view.result())?,
        View::Experiment(view) => show_experiment(&view)?,
        View::Pipeline(view) => show_pipeline(&view)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show_match(args: &Args, path: &Path) -> Result<ExitCode> {
    if args.player {
        bail!("{}: a match breeds no player; --player is for experiments", path.display());
    }
    let view = MatchView::read(path)?;
    if args.file {
        outln!("{}", view.configuration)?;
    } else if args.json {
        print_json(&view)?;
    } else {
        outln!("{}", match_title(&view))?;
        outln!("{}\n", match_facts(&view))?;
        outln!("{}", match_text(&view).trim_end())?;
        if !view.finished && view.command.is_some() {
            outln!("\n`gamete match {}` resumes it", shell_word(&view.path))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show_experiment(view: &ExperimentView) -> Result<()> {
    outln!("{}", title(&view.id, &view.about))?;
    let engine = view.short_signature();
    outln!("method {}, seed {}, engine {engine}, {:.1} s", view.method, view.seed, view.seconds)?;
    match &view.conclusion {
        Some(conclusion) => {
            outln!("\n{}", summary(view))?;
            if view.tuning.is_none() {
                print_verification(&verification_text(&view.verification))?;
            }
            outln!("digest {}", conclusion.digest)?;
        }
        None => {
            outln!("{}", unfinished_text(view))?;
            if let Some(tuning) = &view.tuning {
                outln!("\n{}", tuned_table(tuning).trim_end())?;
            }
        }
    }
    Ok(())
}

fn show_pipeline(view: &PipelineView) -> Result<()> {
    outln!("{}", title(&view.id, &view.about))?;
    let stages = counted(view.stages.len() as u64, "stage");
    let seconds: f64 = view.experiments().map(|stage| stage.seconds).sum();
    outln!("pipeline of {stages}, seed {}, {seconds:.1} s\n", view.seed)?;
    outln!("{}", pipeline_summary(view))?;
    let last = view.last().map_or(&[][..], |last| &last.verification);
    print_verification(&verification_text(last))?;
    if let Some(conclusion) = &view.conclusion {
        outln!("digest {}", conclusion.digest)?;
    }
    Ok(())
}

fn title(id: &str, about: &str) -> String {
    if about.is_empty() { id.to_owned() } else { format!("{id}: {about}") }
}

fn print_verification(text: &str) -> Result<()> {
    if !text.is_empty() {
        outln!("{text}")?;
    }
    Ok(())
}
