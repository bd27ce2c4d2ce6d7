use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use gamete_lab::{Bred, LabView, MatchView, Store, shell_word};

use crate::lab::{LabArgs, journal_path, match_facts, match_text, match_title, summary, verification_text};
use crate::terminal::{counted, out, outln, print_json};

/// Show an experiment or a match: what came out, or how far it is.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete show kendall-whitwell-1
  gamete show kendall-whitwell-1 --file > mine.toml
  gamete show kendall-whitwell-1 --player > champion.toml
  gamete show mutation-study-1/s=0.5/1 --player > half.toml
  gamete show games.pgn.db")]
pub struct Args {
    /// The experiment, or the journal of a match
    id: String,

    #[command(flatten)]
    lab: LabArgs,

    /// Print its file, with every default in it
    #[arg(long, conflicts_with_all = ["json", "player"])]
    file: bool,

    /// Print its champion as a player file, for every command that takes one; of a study ID/ARM/REPLICATE, or
    /// ID/ARM for the mean of an arm's champions; ID@N for the mean player of a generation, ID@N#K for its
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
    store.find(id).ok().flatten()?;
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
    let view =
        lab.experiment(&args.id).map_err(|error| name_of_player(&store, args).unwrap_or(error.into()))?;
    if args.json {
        print_json(&view.result())?;
        return Ok(ExitCode::SUCCESS);
    }
    outln!(
        "{}",
        if view.about.is_empty() { view.id.clone() } else { format!("{}: {}", view.id, view.about) }
    )?;
    outln!("method {}, seed {}, engine {}, {:.1} s", view.method, view.seed, view.signature, view.seconds)?;
    match &view.conclusion {
        Some(conclusion) => {
            outln!("\n{}", summary(&view))?;
            let verification = verification_text(&view.verification);
            if !verification.is_empty() {
                outln!("{verification}")?;
            }
            outln!("digest {}", conclusion.digest)?;
        }
        None => {
            let done = counted(view.runs().map(|run| u64::from(run.last().number)).sum(), "generation");
            outln!("unfinished: {done} so far, in {}", counted(view.runs().count() as u64, "run"))?;
        }
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
