//! The Universal Chess Interface, from both ends: our players behind [`serve`], and other programs as a [`UciEngine`].

mod catalog;
mod client;
mod engine_option;
mod fault;
mod go;
mod go_text;
mod guard;
mod info;
mod input;
mod log;
mod options;
mod position_text;
mod process;
mod seat;
mod server;
mod setup;
mod spec;

pub use catalog::{EngineCatalog, EngineNotFound};
pub use client::{Reply, UciEngine};
pub use engine_option::{EngineOption, OptionKind};
pub use fault::{Fault, Warning};
pub use log::{EngineLog, Tee};
pub use seat::UciSeat;
pub(crate) use seat::uci_seat;
pub use server::serve;
pub use setup::{EngineSetup, Timeouts};
pub use spec::{EngineSpec, Restart};
