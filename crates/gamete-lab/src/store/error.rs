use rusqlite::ErrorCode;

use super::migrations::VERSION;

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory cannot be made or written to.
    #[error("{path}: {source}; name another directory with --lab")]
    Directory {
        /// Which one.
        path: String,
        /// Why not.
        source: std::io::Error,
    },
    /// There is no lab.
    #[error("{path}: there is no lab here; `gamete evolve --lab {path}` makes one")]
    NoLab {
        /// The directory.
        path: String,
    },
    /// The file is something else.
    #[error("{path}: this is not a lab of Gamete; name another directory with --lab")]
    NotOurs {
        /// The file.
        path: String,
    },
    /// A newer program made it.
    #[error(
        "{path}: this lab was made by a newer Gamete (version {found} of its tables, we know {VERSION}); update Gamete, or name another directory with --lab"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its version.
        found: i32,
    },
    /// The disk is full.
    #[error(
        "{path}: the disk is full; what was stored is safe, and the same command resumes when there is room"
    )]
    Full {
        /// The file.
        path: String,
    },
    /// It cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        source: std::io::Error,
    },
    /// It cannot be written.
    #[error("{path}: cannot be written; name another directory with --lab")]
    ReadOnly {
        /// The file.
        path: String,
    },
    /// Another program does not let go of it.
    #[error("{path}: another program holds this lab locked; try again when it is done, or end it")]
    Locked {
        /// The file.
        path: String,
    },
    /// Another process runs this experiment.
    #[error("{id} is being run by another process; wait for it, or give this run another name or --seed")]
    Busy {
        /// The experiment.
        id: String,
    },
    /// A stage goes with its pipeline.
    #[error("{id} is a stage of {pipeline}; `gamete delete {pipeline}` deletes the whole pipeline")]
    Stage {
        /// The stage.
        id: String,
        /// Its pipeline.
        pipeline: String,
    },
    /// There is no such experiment.
    #[error("no experiment {id:?} in this lab{hint}")]
    Unknown {
        /// What was asked for.
        id: String,
        /// What was probably meant.
        hint: String,
    },
    /// What is stored makes no sense.
    #[error("{path}: {what}: {source}")]
    Content {
        /// The file.
        path: String,
        /// What is damaged.
        what: String,
        /// How.
        source: serde_json::Error,
    },
    /// What is stored cannot be.
    #[error("{path}: damaged: {what}; `gamete delete` the experiment, or name another directory with --lab")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// Something else is wrong with the file.
    #[error("{path}: {source}")]
    Sqlite {
        /// The file.
        path: String,
        /// What.
        source: rusqlite::Error,
    },
}

/// What an error of SQLite means for the file at `path`.
pub(super) fn error(path: String, source: rusqlite::Error) -> StoreError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path }
        }
        Some(ErrorCode::NotADatabase) => StoreError::NotOurs { path },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked { path },
        _ => StoreError::Sqlite { path, source },
    }
}
