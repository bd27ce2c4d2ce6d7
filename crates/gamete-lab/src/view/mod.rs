//! Experiments as data, for whoever shows them: terminal, report, export, dashboard.

mod event;
mod progress;

pub use event::Event;
pub use progress::Progress;
