//! The dashboard: a lab as a page, and as the API that the page uses.
//!
//! A [`Server`] listens, and answers requests about one lab: experiments as they run, games to replay, games to play against whatever was bred,
//! matches and tunes. The page itself is embedded. All rules of games, and all that is read of the lab, come from the crates below; this one
//! turns them into JSON and events, and keeps visitors from what is none of theirs.

mod analyse;
mod app;
mod assets;
mod board;
mod connections;
mod error;
mod events;
mod experiments;
mod extract;
mod game_text;
mod grid;
mod guard;
mod impatient;
mod kept_games;
mod lab;
mod limits;
mod matches;
mod numbers;
mod openapi;
mod play;
mod players;
mod presets;
mod ratings;
mod routes;
mod runs;
mod server;
mod server_info;
mod watch;

pub use server::{Server, ServerError, ServerOptions};
