use std::io;

use gamete_corpus::{Differences, DifferencesBy};

use crate::terminal::{grouped, outln};

/// Prints on which kinds of moves a player differs from the experts of a part, and what it plays instead.
pub fn print_kinds(part: &str, found: &Differences) -> io::Result<()> {
    // Games without checks, or with one kind of piece, have nothing to tell apart.
    for DifferencesBy { property, kinds } in found.by.iter().filter(|by| by.kinds.len() > 1) {
        outln!(
            "\n{:<20} {:>9} {:>7} {:>7}  instead",
            format!("{part}, by {property}"),
            "positions",
            "hits",
            "share"
        )?;
        for kind in kinds {
            let percent = |number: u32| 100.0 * f64::from(number) / f64::from(kind.positions.max(1));
            let instead: Vec<String> = kind
                .instead
                .iter()
                .map(|(name, number)| format!("{name} {:.1} %", percent(*number)))
                .collect();
            outln!(
                "{:<20} {:>9} {:>7} {:>7}  {}",
                kind.kind,
                grouped(kind.positions.into()),
                grouped(kind.hits.into()),
                format!("{:.1} %", percent(kind.hits)),
                instead.join(", ")
            )?;
        }
    }
    Ok(())
}
