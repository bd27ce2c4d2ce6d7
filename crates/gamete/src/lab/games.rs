use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gamete_arena::files::Output;
use gamete_arena::{GameName, Playable, dispatch};
use gamete_game::TranscriptWriter;
use gamete_lab::GameRecord;

use crate::terminal::{counted, print_warning};

/// Writes the games that were kept of an experiment or a pipeline, each with the path of its run, in the format of their game.
///
/// # Errors
///
/// When none was kept, they are of another game than the file, or the file cannot be written.
pub fn export_games(id: &str, created: u64, games: &[(String, GameRecord)], path: &Path) -> Result<()> {
    let Some((_, first)) = games.first() else { bail!("{id}: no game was kept of it") };
    let game = match path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).as_deref() {
        Some(ending) => GameName::of_file_ending(ending).unwrap_or(first.game),
        None => first.game,
    };
    let own: Vec<&(String, GameRecord)> = games.iter().filter(|(_, record)| record.game == game).collect();
    if own.is_empty() {
        bail!("{id}: its games are {}, not {game}; name another kind of file", first.game);
    }
    let (text, damaged) = dispatch!(game, G => text::<G>(id, created, &own))?;
    if damaged > 0 {
        print_warning(&format!(
            "{} left out: the moves do not fit the start position",
            counted(damaged, "game")
        ));
    }
    if own.len() < games.len() {
        let other = counted((games.len() - own.len()) as u64, "game");
        print_warning(&format!("{other} of the other kind left out; export them to another file"));
    }
    let mut output = Output::create(path)?;
    let written = output.write_all(&text).and_then(|()| output.finish());
    written.with_context(|| format!("{}: cannot be written", path.display()))?;
    if path != Path::new("-") {
        let games = counted(own.len() as u64 - damaged, "game");
        crate::terminal::errln!("{}: {games}", path.display());
    }
    Ok(())
}

/// The games as a file has them, and how many could not be followed.
fn text<G: Playable>(id: &str, created: u64, games: &[&(String, GameRecord)]) -> Result<(Vec<u8>, u64)> {
    let mut writer = TranscriptWriter::new(Vec::new(), G::Format::default());
    let mut damaged = 0;
    for (run, record) in games {
        match record.transcript::<G>(id, created, run) {
            Some(game) => writer.write(&game)?,
            None => damaged += 1,
        }
    }
    Ok((writer.into_inner(), damaged))
}
