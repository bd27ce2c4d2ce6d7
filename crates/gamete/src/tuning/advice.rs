//! What a dry run comes to: what parameters are worth, and a file of them to edit.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use gamete_arena::files::Output;
use gamete_lab::{ExperimentView, ScreeningView, Session};
use serde::Serialize;

use super::options::Options;
use crate::lab::screening_text;
use crate::terminal::{counted, outln, print_json};

/// The same as `-json` prints it.
#[derive(Serialize)]
struct Advice<'a> {
    id: &'a str,
    #[serde(flatten)]
    screening: &'a ScreeningView,
    /// The parameters with what is proposed for them, as a file of ours.
    proposed: String,
    seconds: f64,
    digest: &'a str,
    report: Option<&'a str>,
}

/// Prints the advice, and writes the file if one was asked for.
///
/// # Errors
///
/// When it cannot be written.
pub fn tell(
    options: &Options,
    view: &ExperimentView,
    screening: &ScreeningView,
    session: &Session,
    report: Option<&str>,
) -> Result<()> {
    if let Some(path) = &options.output {
        write(path, screening)?;
    }
    if options.json {
        print_json(&Advice {
            id: &view.id,
            screening,
            proposed: screening.file(),
            seconds: session.seconds,
            digest: &session.conclusion.digest,
            report,
        })?;
        return Ok(());
    }
    outln!("{}", screening_text(screening))?;
    let file = match &options.output {
        Some(path) => path.display().to_string(),
        None => {
            outln!("parameters to edit, which -o FILE writes:\n\n{}", screening.file())?;
            "FILE".to_owned()
        }
    };
    outln!("finished: {} in {:.1} s", counted(session.conclusion.games, "game"), session.seconds)?;
    if let Some(path) = report {
        outln!("report {path}")?;
    }
    outln!(
        "\nnext: the same command with -params {file} -method {}, without -dry-run{}",
        screening.method,
        if options.output.is_some() { " and -o" } else { "" }
    )?;
    Ok(())
}

/// Writes the parameters: as TOML, or as lines for OpenBench where the name does not end in .toml.
fn write(path: &Path, screening: &ScreeningView) -> Result<()> {
    let is_toml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let text = if is_toml { screening.file() } else { screening.openbench() };
    let mut output = Output::create(path)?;
    let written = write!(output, "{text}").and_then(|()| output.finish());
    written.with_context(|| format!("{}: cannot be written", path.display()))
}
