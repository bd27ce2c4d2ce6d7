use gamete_arena::nearest;

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
    #[error("unknown key {key:?}{}", did_you_mean(nearest))]
    UnknownKey {
        /// The key with all that it is in.
        key: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// A value that a key cannot have.
    #[error("{key}: {reason}")]
    Value {
        /// The key.
        key: String,
        /// Why not.
        reason: String,
    },
}

impl ExperimentError {
    pub(crate) fn value(key: &str, reason: impl std::fmt::Display) -> Self {
        Self::Value { key: key.to_owned(), reason: reason.to_string() }
    }

    /// The same error of something inside.
    pub(crate) fn inside(self, place: &str) -> Self {
        match self {
            Self::UnknownKey { key, nearest } => {
                let nearest = nearest.map(|nearest| format!("{place}.{nearest}"));
                Self::UnknownKey { key: format!("{place}.{key}"), nearest }
            }
            Self::Value { key, reason } => Self::Value { key: format!("{place}.{key}"), reason },
            other => other,
        }
    }
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!("; did you mean {nearest:?}?"))
}

pub(crate) fn unknown_key<'a>(
    path: &str,
    key: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> ExperimentError {
    let place = path.strip_suffix(key).unwrap_or_default();
    let nearest = nearest(key, known).map(|nearest| format!("{place}{nearest}"));
    ExperimentError::UnknownKey { key: path.to_owned(), nearest }
}
