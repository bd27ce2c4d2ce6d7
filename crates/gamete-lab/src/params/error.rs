/// What is wrong with a line of a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct LineError {
    /// Where, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl LineError {
    pub(super) fn new(line: usize, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into() }
    }
}

/// Why a file has no parameters to tune.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterFileError {
    /// It cannot be read.
    #[error("{0}: cannot be read: {1}")]
    Unreadable(String, String),
    /// A line is wrong.
    #[error("{0}: {1}")]
    Line(String, LineError),
}
