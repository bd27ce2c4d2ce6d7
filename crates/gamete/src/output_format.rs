use anyhow::{Result, bail};
use gamete_arena::nearest;

use crate::single_dash::Group;

/// Whose words reports are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputFormat {
    #[default]
    Fastchess,
    Cutechess,
    OpenBench,
    Fishtest,
}

impl OutputFormat {
    /// What follows `-output`: `format=` and a name.
    pub fn parse(group: &Group<'_>) -> Result<Self> {
        let mut format = Self::default();
        for (_, name) in group.pairs(&["format"])? {
            format = match name.to_ascii_lowercase().as_str() {
                "fastchess" => Self::Fastchess,
                "cutechess" => Self::Cutechess,
                "openbench" => Self::OpenBench,
                "fishtest" => Self::Fishtest,
                other => {
                    let known = ["fastchess", "cutechess", "openbench", "fishtest"];
                    let hint = match nearest(other, known) {
                        Some(meant) => format!("did you mean {meant}?"),
                        None => format!("there are {}", known.join(", ")),
                    };
                    bail!("-output: there is no format={name}; {hint}")
                }
            };
        }
        Ok(format)
    }
}
