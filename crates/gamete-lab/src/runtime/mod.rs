//! What an experiment runs on: the lab that a method sees, the threads that play, and the one that writes.

mod game_points;
mod lab;
mod office;

pub use lab::{Lab, LabError, Ticket};
pub(crate) use lab::{Task, hash_bytes};
pub use office::GameResult;
pub(crate) use office::{Office, RunningTime};
