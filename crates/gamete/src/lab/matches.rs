//! What people see of matches: by the path of a journal wherever an experiment is meant.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gamete_arena::files::Output;
use gamete_arena::{GameName, Playable, Ranking, date, dispatch};
use gamete_game::TranscriptWriter;
use gamete_lab::{MatchView, SprtView, is_store_file};

use crate::contest::{Blocks, kept_text};
use crate::output_format::OutputFormat;
use crate::terminal::{counted, grouped, print_warning};

/// The journal of a match, if that is what was named instead of an experiment.
///
/// # Errors
///
/// When it looks like one and is not there.
pub fn journal_path(name: &str) -> Result<Option<PathBuf>> {
    let path = Path::new(name);
    let is_database = path.extension().is_some_and(|ending| ending == "db");
    if path.is_file() && (is_database || is_store_file(path)) {
        return Ok(Some(path.to_owned()));
    }
    if is_database {
        bail!(
            "{name}: there is no such file; `gamete list` shows the experiments, and the matches of this directory"
        );
    }
    Ok(None)
}

/// What a match came to, as `gamete match` ends with.
pub fn match_text(view: &MatchView) -> String {
    let names: Vec<&str> = view.contestants.iter().map(|one| one.name.as_str()).collect();
    let ranking: Option<Ranking> = view.final_ranking();
    let blocks = Blocks {
        names,
        standings: view.standings(),
        sprt: view.sprt.as_ref().map(SprtView::sprt),
        has_pairs: view.has_pairs(),
        conditions: &view.conditions,
        output: OutputFormat::Fastchess,
    };
    let mut text = String::new();
    if view.games > 0 {
        text.push_str(&blocks.last_block(ranking.as_ref()));
    } else {
        let unit = if view.has_pairs() { "pair of games" } else { "game" };
        text.push_str(&format!("No {unit} is complete yet.\n"));
    }
    text.push_str(&blocks.faults());
    text.push_str(&kept_text(view.kept_games));
    if !view.terminations.is_empty() {
        text.push_str("\nHow games ended:\n");
        for one in &view.terminations {
            text.push_str(&format!("{:>9}  {}\n", grouped(one.games), one.termination));
        }
    }
    text
}

/// Who plays, and what, in a line.
pub fn match_title(view: &MatchView) -> String {
    format!("{}: {}", view.path, view.players())
}

/// The facts of a match in a line.
pub fn match_facts(view: &MatchView) -> String {
    format!(
        "{}, seed {}, {}, begun {}, {:.1} s, {}",
        view.game,
        view.seed,
        view.conditions,
        date(view.created).replace('.', "-"),
        view.seconds,
        match view.finished {
            true => "finished".to_owned(),
            false => format!("unfinished: {}", view.state),
        }
    )
}

/// Writes all games of a match in the format of their game.
///
/// # Errors
///
/// When there is none, or the file cannot be written.
pub fn export_match_games(view: &MatchView, path: &Path) -> Result<()> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let game = ending.as_deref().and_then(GameName::of_file_ending).unwrap_or(view.game);
    if game != view.game {
        bail!("{}: its games are {}, not {game}; name another kind of file", view.path, view.game);
    }
    let games = view.match_games();
    if games.is_empty() {
        bail!("{}: no game is over yet", view.path);
    }
    let (text, left_out) = dispatch!(game, G => game_text::<G>(view))?;
    if left_out == games.len() as u64 {
        bail!(
            "{}: version 0.1 did not keep the openings of games; the command that began the match writes them with -pgnout",
            view.path
        );
    }
    if left_out > 0 {
        let games = counted(left_out, "game");
        print_warning(&format!("{games} left out: their openings are not known, or do not fit their moves"));
    }
    let mut output = Output::create(path)?;
    let written = output.write_all(&text).and_then(|()| output.finish());
    written.with_context(|| format!("{}: cannot be written", path.display()))?;
    if path != Path::new("-") {
        let games = counted(games.len() as u64 - left_out, "game");
        crate::terminal::errln!("{}: {games}", path.display());
    }
    Ok(())
}

/// The games as a file has them, and how many are not in it.
fn game_text<G: Playable>(view: &MatchView) -> Result<(Vec<u8>, u64)> {
    let mut writer = TranscriptWriter::new(Vec::new(), G::Format::default());
    let mut left_out = 0;
    for game in view.match_games() {
        match view.transcript::<G>(&game) {
            Ok(Some(transcript)) => writer.write(&transcript)?,
            Ok(None) | Err(_) => left_out += 1,
        }
    }
    Ok((writer.into_inner(), left_out))
}

/// A row for each game, as CSV.
///
/// # Errors
///
/// When it cannot be written.
pub fn write_match_csv(view: &MatchView, output: &mut impl Write) -> Result<()> {
    writeln!(output, "game,round,white,black,result,termination,plies,fault")?;
    for game in view.match_games() {
        writeln!(
            output,
            "{},{},{},{},{},{},{},{}",
            game.number,
            game.round,
            quoted(&game.white),
            quoted(&game.black),
            game.result,
            quoted(&game.termination),
            game.outcome.moves.len(),
            quoted(game.outcome.fault.as_deref().unwrap_or_default())
        )?;
    }
    Ok(())
}

/// A field of CSV, in quotes where it needs them.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
