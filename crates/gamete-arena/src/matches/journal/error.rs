/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It is a journal of another match.
    #[error(
        "{path}: this is the journal of another match: {difference}; name another -journal, or forget that match with -fresh"
    )]
    AnotherMatch {
        /// The file.
        path: String,
        /// What differs first.
        difference: String,
    },
    /// It is a journal of the same match between others.
    #[error(
        "{path}: the journal was made by other engines: {change}; put back what was there, name another -journal, or \
        start over with -fresh"
    )]
    OtherEngines {
        /// The file.
        path: String,
        /// What changed first.
        change: String,
    },
    /// It is no journal.
    #[error("{path}: this is not a journal of `gamete match`; name another -journal")]
    NoJournal {
        /// The file.
        path: String,
    },
    /// Another program writes to it.
    #[error("{path}: another run has this journal open; wait for it, or name another -journal")]
    Busy {
        /// The file.
        path: String,
    },
    /// A newer program made it.
    #[error("{path}: this journal was made by a newer Gamete; update Gamete, or name another -journal")]
    Newer {
        /// The file.
        path: String,
    },
    /// What is in it is not what was written.
    #[error(
        "{path}: the journal is damaged: {place}; put back a copy of it, name another -journal, or start over with -fresh"
    )]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong, and where.
        place: String,
    },
    /// It is damaged so much that it may be a lab as well.
    #[error(
        "{path}: this file is damaged, and whether it is the journal of a match cannot be told; name another -journal, \
        or remove the file by hand"
    )]
    Unproven {
        /// The file.
        path: String,
    },
    /// It cannot be read or written.
    #[error("{path}: {source}")]
    Store {
        /// The file.
        path: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A damaged journal cannot be removed.
    #[error("{path}: cannot be removed")]
    Remove {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}
