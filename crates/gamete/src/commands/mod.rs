//! One module a subcommand, each with its arguments and its `run`.

pub mod ballots;
pub mod bench;
pub mod compare;
pub mod convert;
pub mod corpus;
pub mod delete;
pub mod evolve;
pub mod export;
pub mod grid;
pub mod league;
pub mod list;
pub mod match_;
pub mod models;
pub mod perft;
pub mod play;
pub mod ratings;
pub mod report;
pub mod serve;
pub mod show;
pub mod show_board;
pub mod solve;
pub mod stats;
pub mod techniques;
pub mod tune;
pub mod uci;
pub mod worker;
