use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use gamete_lab::{
    BaselineMatch, Experiment, Playoff, RunError, Session, Store, VerificationError, count_champions,
    next_commands, usual_pairs,
};
use serde_json::{Map, json};

use super::report;
use crate::lab::{LabArgs, Teller, summary, verification_json, verification_text};
use crate::terminal::{counted, errln, grouped, out, outln, print_warning};

/// Run an experiment, or resume it.
///
/// Without arguments, Kendall and Whitwell's evolution of piece values, in about a minute. Whatever happens to it, the
/// same command resumes it. At the end the champion plays against its start and against the classical weights of its
/// model, which shows whether evolution helped.
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

    /// Pairs of games of the champion against its start, and as many against the classical weights, at the end; 0 for
    /// none [default: 25 to 100, by the size of the experiment]
    #[arg(long, value_name = "PAIRS", value_parser = clap::value_parser!(u64).range(0..=Playoff::MAX_PAIRS as u64))]
    verify: Option<u64>,

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
            "limits by time: what is played is stored and resumed like any other, but nobody can repeat it; nodes or \
             depth can be repeated",
        );
    }
    for warning in experiment.warnings() {
        print_warning(&warning);
    }
    let threads =
        args.concurrency.map_or_else(|| available_parallelism().map_or(1, usize::from), |n| n as usize);
    let stop = listen()?;
    let about = &experiment.head.about;
    let about = if about.is_empty() { String::new() } else { format!("{about}; ") };
    errln!("{id}: {about}seed {}, lab {}", experiment.head.seed, args.lab.lab.display());
    let mut teller = Teller::new(experiment.genes());
    let store = Store::create(&args.lab.lab)?;
    let session = gamete_lab::run(&store, &id, &experiment, threads, &stop, |event| teller.experiment(event));
    let session = match session {
        Ok(session) => session,
        Err(error) => {
            teller.finish();
            return match error {
                RunError::Lab(error) if error.is_stop() => {
                    crate::terminal::errln!("stopped; the same command resumes it");
                    Ok(ExitCode::from(130))
                }
                error => Err(error.into()),
            };
        }
    };
    teller.restart();
    let finished = Finished { args, store: &store, id: &id, experiment: &experiment, session: &session };
    let verified = finished.verify(threads, &stop, &mut teller);
    teller.finish();
    // What came out is told even where it cannot be verified, or its report cannot be written.
    let path = report::default_path(&args.lab, &id);
    let written = report::write(&store, &id, &path);
    let report = written.is_ok().then(|| path.display().to_string());
    if args.json {
        finished.print_json(report.as_deref())?;
    } else {
        finished.print(report.as_deref())?;
    }
    written?;
    match verified {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(VerificationError::Stopped) => {
            crate::terminal::errln!(
                "stopped; the experiment is finished, and the same command resumes the games of its champion"
            );
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
        crate::terminal::errln!("finishing the games in hand; once more to stop now");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

/// An experiment that came to its end.
struct Finished<'a> {
    args: &'a Args,
    store: &'a Store,
    id: &'a str,
    experiment: &'a Experiment,
    session: &'a Session,
}

impl Finished<'_> {
    /// Plays the champion against its start and the classical weights, as far as that is not done.
    fn verify(
        &self,
        threads: usize,
        stop: &AtomicBool,
        teller: &mut Teller,
    ) -> Result<(), VerificationError> {
        let champions = count_champions(self.experiment);
        let games = self.session.conclusion.games;
        let pairs = self.args.verify.unwrap_or_else(|| usual_pairs(games, champions));
        if pairs == 0 || champions == 0 {
            return Ok(());
        }
        let watch = |progress| teller.verification(progress);
        gamete_lab::verify(self.store, self.id, pairs, threads, stop, watch)
    }

    fn print_json(&self, report: Option<&str>) -> Result<()> {
        let Self { store, id, session, .. } = self;
        let conclusion = &session.conclusion;
        let champion: Map<String, serde_json::Value> =
            conclusion.champion.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let verification = store.verification(id)?;
        let next: Vec<String> = self.next(&verification).into_iter().map(|(command, _)| command).collect();
        let object = json!({
            "id": id, "champion": champion, "digest": conclusion.digest, "games": conclusion.games,
            "seconds": session.seconds, "busy": session.progress.busy, "writing": session.progress.writing,
            "verification": verification_json(&verification), "report": report, "next": next,
        });
        Ok(outln!("{object}")?)
    }

    fn print(&self, report: Option<&str>) -> Result<()> {
        let Self { store, id, experiment, session, .. } = self;
        let conclusion = &session.conclusion;
        outln!("{}", summary(store, id, experiment, conclusion)?)?;
        let verification = store.verification(id)?;
        let text = verification_text(&verification);
        if !text.is_empty() {
            outln!("{text}")?;
        }
        let progress = &session.progress;
        let games = counted(conclusion.games, "game");
        if progress.played == 0 {
            outln!("finished: {games} in {:.1} s (nothing left to play)", session.seconds)?;
        } else {
            let now = match progress.replayed {
                0 => String::new(),
                _ => format!("{} in this session, ", grouped(progress.played)),
            };
            outln!(
                "finished: {games} in {:.1} s ({now}{:.0} per second, cores {:.0} % busy)",
                session.seconds,
                progress.played as f64 / progress.seconds,
                100.0 * progress.busy
            )?;
        }
        outln!("digest {}", conclusion.digest)?;
        if let Some(path) = report {
            outln!("report {path}")?;
        }
        let next = self.next(&verification);
        let width = next.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
        outln!("\nnext:")?;
        for (command, purpose) in next {
            outln!("  {command:<width$}  # {purpose}")?;
        }
        Ok(())
    }

    fn next(&self, verification: &[BaselineMatch]) -> Vec<(String, &'static str)> {
        let lab = self.args.lab.option();
        next_commands(&lab, self.id, self.experiment, &self.session.conclusion, verification)
    }
}
