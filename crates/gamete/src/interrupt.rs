use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};

/// A flag that Ctrl-C sets. The first one says `notice`, if there is one; the second ends the program at once.
///
/// # Errors
///
/// When the system does not let us listen.
pub fn stop_on_interrupt(notice: Option<&'static str>) -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if handler.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        if let Some(notice) = notice {
            crate::terminal::errln!("{notice}");
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}
