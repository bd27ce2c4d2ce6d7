//! `-use-affinity`: each game on processors of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use gamete_arena::Contestant;
use gamete_arena::uci::EngineSpec;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::single_dash::Group;
use crate::terminal::print_warning;

/// The processors of each thread that plays games. Engines that it starts inherit them.
#[derive(Debug)]
pub struct Affinity {
    places: Vec<Vec<usize>>,
    next: AtomicUsize,
}

impl Affinity {
    /// What follows `-use-affinity`: processors like `3,5,7-11`, or nothing for all there are.
    pub fn parse(
        group: &Group<'_>,
        concurrency: usize,
        contestants: &[Contestant<EngineSpec>],
    ) -> Result<Self> {
        let allowed =
            sched_getaffinity(None).context("-use-affinity: cannot be told which processors there are")?;
        let processors: Vec<usize> = match group.values.as_slice() {
            [] => in_order_of_cores((0..CpuSet::MAX_CPU).filter(|&number| allowed.is_set(number)).collect()),
            [list] => parse_list(list)?,
            [_, word, ..] => bail!("-use-affinity: {word:?} is one word too many"),
        };
        if let Some(number) = processors.iter().find(|&&number| !allowed.is_set(number)) {
            bail!("-use-affinity: there is no processor {number} that may be used");
        }
        let threads = contestants.iter().map(threads).max().unwrap_or(1);
        if processors.len() < concurrency * threads {
            bail!(
                "-use-affinity: {concurrency} games at a time with {threads} threads each take {} processors, \
                and there are {}; give a smaller -concurrency",
                concurrency * threads,
                processors.len()
            );
        }
        let places = processors.chunks_exact(threads).map(<[usize]>::to_vec).collect();
        Ok(Self { places, next: AtomicUsize::new(0) })
    }

    /// What each thread that plays games does first.
    pub fn on_start(self: Arc<Self>) -> Arc<dyn Fn() + Send + Sync> {
        Arc::new(move || {
            if let Err(error) = self.bind_thread() {
                print_warning(&format!("-use-affinity: {error}"));
            }
        })
    }

    /// Binds the calling thread to the next processors.
    fn bind_thread(&self) -> std::io::Result<()> {
        let place = self.next.fetch_add(1, Ordering::Relaxed) % self.places.len();
        let mut set = CpuSet::new();
        self.places[place].iter().for_each(|&number| set.set(number));
        Ok(sched_setaffinity(None, &set)?)
    }
}

/// How many threads a contestant thinks with.
fn threads(contestant: &Contestant<EngineSpec>) -> usize {
    let Some(spec) = contestant.engine() else { return 1 };
    let is_threads =
        |name: &str| ["threads", "number of threads"].contains(&name.to_ascii_lowercase().as_str());
    let value = spec.options.iter().rev().find(|(name, _)| is_threads(name)).map(|(_, value)| value);
    value.and_then(|value| value.parse().ok()).unwrap_or(1).max(1)
}

fn parse_list(text: &str) -> Result<Vec<usize>> {
    let bad = || format!("-use-affinity: {text:?} is not a list of processors like 3,5,7-11");
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) =
            (first.parse().ok().with_context(bad)?, last.parse().ok().with_context(bad)?);
        if first > last || last >= CpuSet::MAX_CPU {
            bail!(bad());
        }
        numbers.extend(first..=last);
    }
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < numbers.len() {
        bail!("-use-affinity: {text:?} names a processor twice");
    }
    Ok(numbers)
}

/// One of each core first, so that games share a core only when there are more of them than cores.
fn in_order_of_cores(mut processors: Vec<usize>) -> Vec<usize> {
    let place_in_core = |number: usize| {
        let path = format!("/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list");
        let list = std::fs::read_to_string(path).unwrap_or_default();
        let siblings = parse_list(list.trim()).unwrap_or_default();
        siblings.iter().position(|&sibling| sibling == number).unwrap_or(0)
    };
    processors.sort_by_key(|&number| place_in_core(number));
    processors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_have_ranges() {
        assert_eq!(parse_list("3,5,7-9").unwrap(), [3, 5, 7, 8, 9]);
        for bad in ["", "x", "5-3", "1,,2", "99999999", "-1"] {
            assert!(
                parse_list(bad).unwrap_err().to_string().contains("is not a list of processors"),
                "{bad}"
            );
        }
        assert!(parse_list("1,0-2").unwrap_err().to_string().ends_with("names a processor twice"));
    }
}
