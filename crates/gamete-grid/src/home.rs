//! Where an experiment is at home.

use std::io;
use std::path::Path;

/// What this machine is called.
pub fn host() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = named.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    if named.trim().is_empty() { "host".to_owned() } else { named.trim().to_owned() }
}

/// What tells what is kept at a place, as the folder of a lab, from all that has the same name elsewhere:
/// the [`home`](crate::GridOptions::home) of a coordinator.
///
/// # Errors
///
/// When nobody knows where the place is.
pub fn home(place: &Path) -> io::Result<String> {
    Ok(format!("{}\n{}", host(), std::path::absolute(place)?.display()))
}
