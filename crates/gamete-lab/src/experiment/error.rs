use gamete_arena::nearest;
use gamete_optim::SpaceError;

use super::keys::key_path;

/// What is wrong with an experiment.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExperimentError {
    /// The file cannot be read.
    #[error("{0}: cannot be read: {1}")]
    Unreadable(String, String),
    /// Neither a file nor a preset.
    #[error(
        "{name:?} is neither an experiment file nor one of the presets ({known}){}",
        did_you_mean(nearest)
    )]
    UnknownPreset {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
        /// All there are.
        known: String,
    },
    /// It is not TOML.
    #[error("line {line}: {message}")]
    Syntax {
        /// Where, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// Nothing reads this key.
    #[error("unknown key {key:?}; {}", nearest.as_ref().map_or_else(|| known.clone(), |nearest| format!("did you mean {nearest:?}?")))]
    UnknownKey {
        /// The key with all that it is in.
        key: String,
        /// What was probably meant.
        nearest: Option<String>,
        /// Which keys there are, or who lists them, in words.
        known: String,
    },
    /// A value that a key cannot have.
    #[error("{key}: {reason}")]
    Value {
        /// The key.
        key: String,
        /// Why not.
        reason: String,
    },
    /// A file that a run has read before, with other contents.
    #[error("{key}: {reason}; bring the old file back, or give the new one another name")]
    OtherFile {
        /// The key that names it.
        key: String,
        /// What it is not.
        reason: String,
    },
}

impl ExperimentError {
    pub(crate) fn value(key: &str, reason: impl std::fmt::Display) -> Self {
        Self::Value { key: key.to_owned(), reason: reason.to_string() }
    }

    /// A file that is not the one that an experiment began with.
    pub(crate) fn other_file(key: &str, path: &str, what: &str) -> Self {
        let reason = format!("{path:?}: {what} that the experiment began with");
        Self::OtherFile { key: key.to_owned(), reason }
    }

    /// The key that is wrong, if it is one.
    pub fn key(&self) -> &str {
        match self {
            Self::UnknownKey { key, .. } | Self::Value { key, .. } | Self::OtherFile { key, .. } => key,
            Self::Unreadable(..) | Self::UnknownPreset { .. } | Self::Syntax { .. } => "",
        }
    }

    /// What is wrong with a space whose parameters are keys of the table `place`.
    pub(crate) fn of_space(place: &str, error: SpaceError) -> Self {
        match error {
            SpaceError::Value { name, value, way_out } => {
                Self::value(&key_path(&format!("{place}."), &name), format!("{value}: {way_out}"))
            }
            error @ SpaceError::NothingFree => Self::value(place, error),
        }
    }

    /// The same error of something inside.
    pub(crate) fn inside(self, place: &str) -> Self {
        match self {
            Self::UnknownKey { key, nearest, known } => {
                let nearest = nearest.map(|nearest| format!("{place}.{nearest}"));
                Self::UnknownKey { key: format!("{place}.{key}"), nearest, known }
            }
            Self::Value { key, reason } => Self::Value { key: format!("{place}.{key}"), reason },
            Self::OtherFile { key, reason } => Self::OtherFile { key: format!("{place}.{key}"), reason },
            other => other,
        }
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("; did you mean {nearest:?}?"))
}

/// More names than this are not listed.
const FEW: usize = 12;

/// An error that names what was probably meant, or the keys there are if they are few, or `lister`, which lists them.
pub(crate) fn unknown_key<'a>(
    place: &str,
    key: &str,
    known: impl IntoIterator<Item = &'a str>,
    lister: &str,
) -> ExperimentError {
    let known: Vec<&str> = known.into_iter().collect();
    let nearest = nearest(key, known.iter().copied()).map(|nearest| format!("{place}{nearest}"));
    let known = match known.len() {
        1..=FEW => format!("there are {}", known.join(", ")),
        _ => format!("{lister} lists all"),
    };
    ExperimentError::UnknownKey { key: format!("{place}{key}"), nearest, known }
}
