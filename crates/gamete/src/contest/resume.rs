//! A match that is resumed by the name of its journal.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gamete_arena::{JournalError, MatchJournal};
use gamete_lab::{MatchCommand, StoredMatch};

use crate::grid::GRID_OPTIONS;

/// The words of a command without those that are not to be done again, and without those that name the journal.
pub fn remembered_words(words: &[String]) -> Vec<String> {
    let option = |word: &str| word.trim_start_matches('-').to_owned();
    let mut kept = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        match option(word).as_str() {
            "fresh" if word.starts_with('-') => {}
            "journal" if word.starts_with('-') => drop(words.next()),
            // Where it is played is no part of a match, and an address may have a password in it.
            name if word.starts_with('-') && GRID_OPTIONS.contains(&name) => {
                while words.next_if(|value| !value.starts_with('-')).is_some() {}
            }
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// Writes down the words that play a match.
pub fn remember(words: &[String], journal: &dyn MatchJournal) -> Result<(), JournalError> {
    let command = MatchCommand::new(remembered_words(words), journal.path());
    let text = serde_json::to_string(&command).expect("plain data");
    if journal.setting(MatchCommand::SETTING).as_ref() == Some(&text) {
        return Ok(());
    }
    journal.set(MatchCommand::SETTING, &text)
}

/// The words that play the match of a journal. From here on the current directory is the one where they were typed.
///
/// # Errors
///
/// When the file is no journal, or does not know them.
pub fn stored_words(path: &Path) -> Result<Vec<String>> {
    let name = path.display();
    if !path.is_file() {
        bail!("{name}: there is no such file; name the journal of a match, or say who plays with -engine");
    }
    let settings = StoredMatch::settings(path)?;
    let command = settings.get(MatchCommand::SETTING).with_context(|| {
        format!(
            "{name}: this journal does not know its command; give the command that began the match once more"
        )
    })?;
    let command: MatchCommand = serde_json::from_str(command)
        .with_context(|| format!("{name}: the journal is of a later version"))?;
    let path = std::path::absolute(path).with_context(|| name.to_string())?;
    let directory = command.directory(&path);
    std::env::set_current_dir(&directory).with_context(|| {
        format!("{}: the match began there, and cannot be resumed there", directory.display())
    })?;
    let mut words = command.words;
    words.extend(["-journal".to_owned(), path.display().to_string()]);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_once_is_not_remembered() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let all = words(
            "-engine cmd=x -journal a.db -rounds 5 --fresh -event fresh -grid nats://me:secret@host -local 2 \
             -check-workers 2% -scale-clocks -grid-user me",
        );
        assert_eq!(remembered_words(&all), words("-engine cmd=x -rounds 5 -event fresh"));
    }
}
