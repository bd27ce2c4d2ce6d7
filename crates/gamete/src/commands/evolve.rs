use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use gamete_lab::{Experiment, Progress, RunError, Session, Store};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Map, json};

use super::report;
use crate::lab::{LabArgs, summary};
use crate::terminal::{grouped, out, outln, print_warning};

/// Run an experiment, or go on with it.
///
/// Without arguments, Kendall and Whitwell's evolution of piece values, in about a minute. Whatever happens to it, the
/// same command goes on where it was.
#[derive(clap::Args)]
#[command(
    after_help = "Presets: kendall-whitwell, mutation-study, mutation-scale, meta-mutation, quick-tournament,
  quick-tournament-study, piece-difference, piece-difference-symmetric

Examples:
  gamete evolve
  gamete evolve --seed 7 --set population=12 --set generations=8
  gamete evolve mutation-study --set replicates=10
  gamete evolve mine.toml --lab results --json"
)]
pub struct Args {
    /// An experiment file or a preset
    #[arg(value_name = "FILE|PRESET", default_value = "kendall-whitwell")]
    experiment: String,

    #[command(flatten)]
    lab: LabArgs,

    /// Where all that is random comes from [default: the file's]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Games at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    concurrency: Option<u64>,

    /// Change a key of the file, as in population=12 or weights.pawn=[0,3]
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Print the experiment with every default in it, and run nothing
    #[arg(long)]
    print: bool,

    /// Print one JSON object at the end
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let experiment = Experiment::load(&args.experiment, &args.set, args.seed)
        .with_context(|| format!("experiment {}", args.experiment))?;
    if args.print {
        out!("{}", experiment.text())?;
        return Ok(ExitCode::SUCCESS);
    }
    // A file may make sense only with what is changed in it.
    let file = Experiment::load(&args.experiment, &[], None).unwrap_or_else(|_| experiment.clone());
    let id = experiment.id(&file);
    if experiment.is_timed() {
        print_warning(
            "limits by time: what is played is stored and goes on like any other, but nobody can repeat it; nodes or \
             depth can be repeated",
        );
    }
    for warning in experiment.warnings() {
        print_warning(&warning);
    }
    let threads =
        args.concurrency.map_or_else(|| available_parallelism().map_or(1, usize::from), |n| n as usize);
    let stop = listen()?;
    anstream::eprintln!(
        "{id}: {}; seed {}, lab {}",
        experiment.head.about,
        experiment.head.seed,
        args.lab.lab.display()
    );
    let bar = bar();
    let genes = experiment.genes();
    let mut warned = 0;
    let session = gamete_lab::run(&args.lab.lab, &id, &experiment, threads, &stop, |progress| {
        for concern in progress.concerns.iter().skip(warned) {
            bar.suspend(|| print_warning(&concern.to_string()));
        }
        warned = progress.concerns.len();
        show(&bar, progress, &genes);
    });
    bar.finish_and_clear();
    match session {
        Ok(session) => {
            let store = args.lab.open()?;
            let path = report::default_path(&args.lab, &id);
            // What came out is told even where its report cannot be written.
            let written = report::write(&store, &id, &path);
            let report = written.is_ok().then(|| path.display().to_string());
            if args.json {
                print_json(&id, &session, report.as_deref())?;
            } else {
                print(&store, &id, &experiment, &session, report.as_deref())?;
            }
            written?;
            Ok(ExitCode::SUCCESS)
        }
        Err(RunError::Lab(error)) if error.is_stop() => {
            anstream::eprintln!("stopped; the same command goes on");
            Ok(ExitCode::from(130))
        }
        Err(error) => Err(error.into()),
    }
}

/// Ctrl-C once finishes the games in hand, twice ends at once; nothing that was played is lost but those.
fn listen() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if handler.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        anstream::eprintln!("finishing the games in hand; once more to stop now");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let template = "{msg}\n[{wide_bar}] {pos}/{len} games, {eta} left";
    bar.set_style(ProgressStyle::with_template(template).expect("a valid template").progress_chars("=> "));
    bar
}

fn show(bar: &ProgressBar, progress: &Progress, genes: &[String]) {
    let done = progress.played + progress.replayed;
    bar.set_length(progress.planned.max(done));
    bar.set_position(done);
    if progress.played == 0 {
        // Games from the journal say nothing of how long the rest takes.
        bar.reset_eta();
    }
    let speed = progress.played as f64 / progress.seconds;
    let Some((path, generation)) = &progress.latest else { return };
    const MOST_GENES: usize = 8;
    let means: Vec<String> = genes
        .iter()
        .zip(&generation.spread)
        .take(MOST_GENES)
        .map(|(name, spread)| format!("{} {:.2}", name.rsplit('.').next().unwrap_or(name), spread.mean))
        .collect();
    let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
    bar.set_message(format!(
        "{place}generation {}, {speed:.0} games/s; {}{}",
        generation.number,
        means.join(", "),
        if genes.len() > MOST_GENES { ", …" } else { "" }
    ));
}

fn print_json(id: &str, session: &Session, report: Option<&str>) -> Result<()> {
    let conclusion = &session.conclusion;
    let champion: Map<String, serde_json::Value> =
        conclusion.champion.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let object = json!({
        "id": id, "champion": champion, "digest": conclusion.digest, "games": conclusion.games,
        "seconds": session.seconds, "busy": session.progress.busy, "writing": session.progress.writing,
        "report": report,
    });
    Ok(outln!("{object}")?)
}

fn print(
    store: &Store,
    id: &str,
    experiment: &Experiment,
    session: &Session,
    report: Option<&str>,
) -> Result<()> {
    let conclusion = &session.conclusion;
    outln!("{}", summary(store, id, experiment, conclusion)?)?;
    let progress = &session.progress;
    outln!(
        "{} games in {:.1} s, {} of them now at {:.0} a second, cores {:.0} % busy",
        grouped(conclusion.games),
        session.seconds,
        grouped(progress.played),
        progress.played as f64 / progress.seconds,
        100.0 * progress.busy
    )?;
    outln!("digest {}", conclusion.digest)?;
    if let Some(path) = report {
        outln!("report {path}")?;
    }
    Ok(())
}
