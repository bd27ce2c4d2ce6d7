//! The Universal Chess Interface.

mod go;
mod options;
mod server;

pub use server::serve;
