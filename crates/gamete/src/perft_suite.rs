//! Files of known perft counts: `FEN ;D1 20 ;D2 400`, of any game.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use gamete_arena::{GameName, STACK_BYTES, dispatch, grouped};
use gamete_game::{Game, perft_while};

/// A position with its known counts.
pub struct Case {
    line: usize,
    count: Count,
    counts: Vec<(u32, u64)>,
}

/// The perft of a position of any game: its depth, and the most that is counted.
type Count = Box<dyn Fn(u32, u64) -> Option<u64> + Sync>;

/// Deeper than anybody counts.
const MAX_DEPTH: u32 = 200;

/// What checking a suite found.
#[derive(Default)]
pub struct Report {
    /// Counts compared.
    pub counts: u64,
    /// Positions counted in all.
    pub nodes: u64,
    /// What did not agree.
    pub failures: Vec<String>,
}

/// Reads a suite; empty lines and those that start with `#` are passed over.
pub fn parse(text: &str) -> Result<Vec<Case>> {
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim));
    lines
        .filter(|(_, text)| !text.is_empty() && !text.starts_with('#'))
        .map(|(line, text)| parse_case(line, text).with_context(|| format!("line {line}")))
        .collect()
}

fn parse_case(line: usize, text: &str) -> Result<Case> {
    let mut parts = text.split(';').map(str::trim);
    let fen = parts.next().unwrap_or_default();
    let count = dispatch!(GameName::of_fen(Some(fen)), G => counter(fen.parse::<G>()?));
    let known = |part: &str| {
        let (depth, nodes) = part.strip_prefix('D')?.split_once(' ')?;
        Some((depth.parse().ok()?, nodes.trim().parse().ok()?))
    };
    let counts = parts
        .filter(|part| !part.is_empty())
        .map(|part| known(part).with_context(|| format!("{part:?} is not like \"D3 8902\"")))
        .collect::<Result<Vec<(u32, u64)>>>()?;
    if let Some((depth, _)) = counts.iter().find(|&&(depth, _)| depth > MAX_DEPTH) {
        bail!("D{depth}: at most {MAX_DEPTH} plies can be counted");
    }
    Ok(Case { line, count, counts })
}

/// Compares all counts up to `max_nodes`, on all cores, calling `done` after each position. A count that turns out to be
/// above `max_nodes`, or far above what the suite says, is wrong and not counted to its end.
pub fn check(cases: &[Case], max_nodes: u64, done: impl Fn() + Sync) -> Report {
    let next = AtomicUsize::new(0);
    let report = Mutex::new(Report::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let count = || {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for &(depth, expected) in case.counts.iter().filter(|&&(_, nodes)| nodes <= max_nodes) {
                        let most = expected.saturating_mul(2).max(10_000_000).min(max_nodes);
                        let nodes = (case.count)(depth, most);
                        let mut report = report.lock().expect("no panic while counting");
                        report.counts += 1;
                        report.nodes = report.nodes.saturating_add(nodes.unwrap_or(most));
                        if nodes != Some(expected) {
                            let nodes = nodes.map_or_else(
                                || format!("more than {}", grouped(&most.to_string())),
                                |nodes| nodes.to_string(),
                            );
                            report.failures.push(format!(
                                "line {}: depth {depth} has {nodes} nodes instead of {expected}",
                                case.line
                            ));
                        }
                    }
                    done();
                }
            };
            // Counting goes as deep as a search.
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, count).expect("a thread to count on");
        }
    });
    report.into_inner().expect("no panic while counting")
}

/// Counts what is behind a position, unless it is above `most`.
fn counter<G: Game>(position: G) -> Count {
    Box::new(move |depth, most| {
        // Lines may be forced for long: a few leaves can take many more positions on the way to them.
        let visits = most.saturating_mul(2).saturating_add(1_000_000);
        perft_while(&position, depth, |visited| visited <= visits).filter(|&nodes| nodes <= most)
    })
}
