//! Player files that the stages of a pipeline leave in the lab.

use std::io::Write;

use anyhow::{Context, Result};
use gamete_arena::files::Output;
use gamete_lab::{Bred, PipelineView, Store, shell_word};

use super::LabArgs;

/// The champion of a stage as a file.
pub struct PlayerFile {
    /// The stage.
    pub stage: String,
    /// Its path.
    pub path: String,
}

/// Writes the champions of those stages that name a player, to `ID-PLAYER.toml` in the lab.
///
/// # Errors
///
/// When a stage breeds no players, or a file cannot be written.
pub fn write_players(store: &Store, view: &PipelineView, lab: &LabArgs) -> Result<Vec<PlayerFile>> {
    let mut files = Vec::new();
    for stage in view.stages.iter().filter(|stage| !stage.player.is_empty()) {
        let mut player = Bred::find(store, &format!("{}/{}", view.id, stage.name))?.player;
        player.name.clone_from(&stage.player);
        let path = lab.lab.join(format!("{}-{}.toml", view.id, stage.player));
        let mut output = Output::create(&path)?;
        let written = write!(output, "{player}").and_then(|()| output.finish());
        written.with_context(|| format!("{}: cannot be written", path.display()))?;
        files.push(PlayerFile { stage: stage.name.clone(), path: path.display().to_string() });
    }
    Ok(files)
}

/// What may be typed next with these files, each with what it is for.
pub fn player_commands(files: &[PlayerFile]) -> Vec<(String, &'static str)> {
    let Some(last) = files.last() else { return Vec::new() };
    let word = |file: &PlayerFile| shell_word(&file.path);
    let mut commands = vec![
        (format!("gamete play --black {}", word(last)), "a game against it"),
        (format!("gamete uci --player {}", word(last)), "for a graphical interface or a match runner"),
    ];
    if let [.., before, last] = files {
        commands.push((
            format!(
                "gamete match -engine player={} -engine player={} -each nodes=10000 -rounds 100",
                word(last),
                word(before)
            ),
            "against the stage before",
        ));
    }
    commands
}
