use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use gamete_arena::{Playable, Rng, dispatch};
use gamete_corpus::{Corpus, Manifest, Part, Sample};
use gamete_game::{Color, result_text};
use serde::Serialize;

use crate::draw::{Pieces, View, draw};
use crate::terminal::{grouped, outln, print_json};

/// Show what is in a corpus and how it was made.
#[derive(clap::Args)]
pub struct InfoArgs {
    /// The corpus
    corpus: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Check every position of a corpus.
#[derive(clap::Args)]
pub struct CheckArgs {
    /// The corpus
    corpus: PathBuf,
}

/// Print some positions of a corpus.
#[derive(clap::Args)]
pub struct SampleArgs {
    /// The corpus
    corpus: PathBuf,

    /// Number of positions
    #[arg(long, value_name = "N", default_value_t = 5)]
    count: usize,

    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How pieces are shown
    #[arg(long, value_enum, default_value_t = Pieces::Letters)]
    pieces: Pieces,
}

/// What `info --json` prints.
#[derive(Serialize)]
struct Info<'a> {
    hash: String,
    #[serde(flatten)]
    manifest: &'a Manifest,
}

pub fn info(args: &InfoArgs) -> Result<ExitCode> {
    let corpus = Corpus::open(&args.corpus)?;
    let manifest = corpus.manifest();
    if args.json {
        print_json(&Info { hash: corpus.hash(), manifest })?;
        return Ok(ExitCode::SUCCESS);
    }
    outln!("game       {}", manifest.game)?;
    let asked = manifest.asked.map(|asked| format!(" of {} that were asked for", grouped(asked)));
    outln!(
        "positions  {}{} ({} to learn from, {} to test)",
        grouped(corpus.len() as u64),
        asked.unwrap_or_default(),
        grouped(manifest.train),
        grouped(manifest.test)
    )?;
    if let (Some(finished), Some(all)) = (manifest.finished, manifest.setting("play")) {
        outln!("games      {} of {all} that were asked for", grouped(finished))?;
    }
    let noun = source_noun(manifest);
    for file in &manifest.files {
        let (used, entries, hash) = (grouped(file.used), grouped(file.entries), file.hash.get(..16));
        outln!("from       {}, {used} of {entries} {noun}s, hash {}", file.name, hash.unwrap_or(&file.hash))?;
    }
    let settings: Vec<String> =
        manifest.settings.iter().map(|(name, value)| format!("--{name} {value}")).collect();
    outln!("made by    {} --seed {} {}", manifest.program, manifest.seed, settings.join(" "))?;
    outln!("hash       {}", corpus.hash())?;
    Ok(ExitCode::SUCCESS)
}

/// What positions come from: those of suites have not been drawn from games.
fn source_noun(manifest: &Manifest) -> &'static str {
    if manifest.setting("take").is_some() { "game" } else { "position" }
}

pub fn check(args: &CheckArgs) -> Result<ExitCode> {
    let corpus = Corpus::open(&args.corpus)?;
    dispatch!(corpus.manifest().game, G => {
        for sample in corpus.samples::<G>()?.iter() {
            sample?;
        }
    });
    outln!("{}: {} positions, all of them legal", corpus.name(), grouped(corpus.len() as u64))?;
    Ok(ExitCode::SUCCESS)
}

pub fn sample(args: &SampleArgs) -> Result<ExitCode> {
    let corpus = Corpus::open(&args.corpus)?;
    let mut numbers: Vec<usize> = (0..corpus.len()).collect();
    Rng::new(args.seed).shuffle(&mut numbers);
    numbers.truncate(args.count);
    dispatch!(corpus.manifest().game, G => {
        let samples = corpus.samples::<G>()?;
        for (place, number) in numbers.into_iter().enumerate() {
            if place > 0 {
                outln!()?;
            }
            print_sample(&samples.get(number)?, corpus.manifest(), args.pieces)?;
        }
    });
    Ok(ExitCode::SUCCESS)
}

fn print_sample<G: Playable>(sample: &Sample<G>, manifest: &Manifest, pieces: Pieces) -> Result<()> {
    let view = View { pieces, below: Color::White, marks: Vec::new() };
    write!(anstream::stdout(), "{}", draw(&sample.position, &view))?;
    outln!("{}", sample.position)?;
    let choices: Vec<String> = sample.choices.iter().map(|&mv| sample.position.move_text(mv)).collect();
    let part = if sample.part == Part::Train { "to learn from" } else { "to test" };
    let mut facts = vec![format!("{} {}", source_noun(manifest), sample.source), part.to_owned()];
    let is_played = sample.score.is_none() && manifest.setting("take").is_some();
    let chosen = if is_played { "played" } else { "best" };
    facts.extend((!choices.is_empty()).then(|| format!("{chosen} {}", choices.join(" or "))));
    facts.extend(sample.outcome.map(|outcome| result_text(Some(outcome)).to_owned()));
    facts.extend(
        sample.score.map(|score| format!("worth {:+.2} to the side to move", f64::from(score) / 1000.0)),
    );
    outln!("  {}", facts.join(", "))?;
    Ok(())
}
