use super::game_file::{GameFile, GameFileError};
use super::{Encounter, GameLabels, RecordStyle, final_fen, styled_transcript};
use crate::task::{GameOutcome, GameTask};
use crate::{Notation, Playable};

/// The files that a match writes as its encounters are counted.
#[derive(Default)]
pub struct GameFiles<'a> {
    /// The games.
    pub games: Option<GameRecords<'a>>,
    /// The last positions of the games.
    pub positions: Option<GameFile<'a>>,
}

/// A file of games, and how they are written.
pub struct GameRecords<'a> {
    /// The file.
    pub file: GameFile<'a>,
    /// What is written of each move.
    pub style: RecordStyle,
    /// How moves are spelt.
    pub notation: Notation,
    /// The `Event` tag.
    pub event: String,
    /// The `Site` tag.
    pub site: String,
}

impl GameFiles<'_> {
    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.games.is_none() && self.positions.is_none()
    }

    /// Writes the games of an encounter, unless they are there.
    pub(super) fn write<G: Playable>(
        &mut self,
        encounter: &Encounter,
        tasks: &[GameTask],
        games: &[GameOutcome],
    ) -> Result<(), GameFileError> {
        let number = encounter.number;
        if let Some(GameRecords { file, style, notation, event, site }) = &mut self.games {
            let labels = GameLabels { event, site, round: number + 1 };
            let mut text = Vec::new();
            for (task, game) in tasks.iter().zip(games) {
                text.extend(G::game_text(&styled_transcript::<G>(task, game, &labels, style)?, *notation));
            }
            file.write(number, &text)?;
        }
        if let Some(file) = &mut self.positions {
            let mut lines = String::new();
            for (task, game) in tasks.iter().zip(games) {
                lines += &format!("{}\n", final_fen::<G>(task, game)?);
            }
            file.write(number, lines.as_bytes())?;
        }
        Ok(())
    }
}
