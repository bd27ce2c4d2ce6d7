//! What an experiment runs on: the lab that a method sees, the threads that play, and the one that writes.

mod game_points;
mod lab;
mod office;

pub(crate) use lab::hash_bytes;
pub use lab::{Lab, LabError, Ticket};
pub use office::GameResult;
pub(crate) use office::{Office, RunningTime};
