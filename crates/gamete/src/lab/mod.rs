//! What people see of the lab.

mod boards;
mod chart;
mod games;
mod learning_data;
mod match_tally;
mod matches;
mod pipeline;
mod player_files;
mod progress;
mod ranking;
mod screening;
mod summary;
mod tuning;
mod verification;

use std::path::PathBuf;

use anyhow::Result;
use gamete_lab::{Store, shell_word};

pub use chart::chart;
pub use games::export_games;
pub use learning_data::{DataArgs, LearningData, Workshop};
pub use match_tally::match_tally_text;
pub use matches::{
    export_match_games, journal_path, match_facts, match_text, match_title, quoted, write_match_csv,
};
pub use pipeline::{pipeline_summary, unfinished_text};
pub use player_files::{PlayerFile, player_commands, write_players};
pub use progress::Teller;
pub use screening::screening_text;
pub use summary::summary;
pub use tuning::{tuned_table, values_text, verdict_text};
pub use verification::{elo_text, verification_text};

/// Where experiments are kept.
#[derive(Debug, clap::Args)]
pub struct LabArgs {
    /// Lab directory
    #[arg(long, value_name = "DIR", default_value = USUAL_LAB)]
    pub lab: PathBuf,
}

/// Where experiments are kept if nothing else is said.
const USUAL_LAB: &str = "gamete-lab";

impl Default for LabArgs {
    fn default() -> Self {
        Self { lab: USUAL_LAB.into() }
    }
}

impl LabArgs {
    /// The option as it is to be typed in further commands, with a blank before it.
    pub fn option(&self) -> String {
        match self.lab.to_string_lossy() {
            usual if usual == USUAL_LAB => String::new(),
            other => format!(" --lab {}", shell_word(&other)),
        }
    }

    /// Opens the lab.
    pub fn open(&self) -> Result<Store> {
        Ok(Store::open(&self.lab)?)
    }
}
