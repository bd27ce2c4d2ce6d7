//! Tasks done by many machines, over NATS JetStream.
//!
//! A coordinator is an [`Executor`](gamete_arena::Executor), the [`Grid`]: it puts tasks into a queue at the broker, and tells
//! listeners what came of them. [`Worker`]s take tasks from there, do them on threads of their machine, and send back what came
//! of them. Tasks are data: a worker runs nothing but what is in its own catalogue.

mod access;
mod broker;
mod clock;
mod early;
mod error;
mod grid;
mod home;
mod kept_parts;
mod ledger;
mod message;
mod misfit;
mod names;
mod notice;
mod pace;
mod part;
mod recent;
mod remove;
mod seal;
mod sent_batch;
mod share;
mod signature;
mod status;
mod table;
mod telling;
mod trust;
mod worker;

pub use access::Access;
pub use error::GridError;
pub use grid::{Grid, GridOptions, Lease};
pub use home::{home, host};
pub use ledger::{TimedGames, WorkerReport};
pub use message::{CoordinatorReport, Heartbeat, Offer, PROTOCOL};
pub use notice::Notices;
pub use remove::remove;
pub use share::{ParseShareError, Share};
pub use signature::build_signature;
pub use status::{ExperimentStatus, GridStatus};
pub use worker::{Worker, WorkerCounts, WorkerOptions};
