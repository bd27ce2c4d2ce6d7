use anyhow::{Context, Result, bail};
use gamete_arena::{Limits, Player};
use gamete_lab::{Breed, Experiment, Store, arms, leaf_path};

use super::{conclusion, experiment};

/// Somebody bred in the lab, and how it was bred to play.
pub struct Champion {
    /// The player.
    pub player: Player,
    /// What the experiment let its players think.
    pub limits: Limits,
    /// What all players of the experiment have in common.
    pub breed: Breed,
}

/// The champion of an experiment or of a run of a study, or the mean player of a generation: `ID`, `ID@0` for the
/// initial population, `ID/s=0.5/2`, `ID/s=0.5/2@8`.
///
/// # Errors
///
/// When there is no such experiment, run or generation, or it is not finished, or no player.
pub fn champion(store: &Store, text: &str) -> Result<Champion> {
    let (path, generation) = match text.rsplit_once('@') {
        // An arm may have an @ in its name; what comes after it is a replicate.
        Some((_, rest)) if rest.contains('/') => (text, None),
        Some((path, number)) => {
            let number =
                number.parse::<u32>().with_context(|| format!("{text}: {number:?} is no generation"))?;
            (path, Some(number))
        }
        None => (text, None),
    };
    let (id, run) = path.split_once('/').unwrap_or((path, ""));
    let row = store.experiment(id)?;
    let experiment = experiment(&row)?;
    let place = place(&experiment, id, run)?;
    let bred = place.map_or_else(|| experiment.clone(), |(arm, _)| arms(&experiment).swap_remove(arm));
    let Some(breed) = bred.plan.breed() else {
        bail!("{id}: what it breeds are settings of another experiment, not players");
    };
    let genome = match generation {
        Some(_) if run.is_empty() && experiment.is_study() => {
            bail!("{id} is a study; name one of its runs, as in {}", example(&experiment, id))
        }
        Some(number) => mean_player(store, id, run, number).with_context(|| text.to_owned())?,
        None => {
            let Some(found) = conclusion(&row)? else {
                bail!("{path} is not finished; name a generation, as in {path}@0")
            };
            match place {
                None => found.champion.into_iter().map(|(_, value)| value).collect(),
                Some(place) => {
                    let own = found.champions.into_iter().find(|one| (one.arm, one.replicate) == place);
                    own.with_context(|| format!("{path} has no champion"))?.genome
                }
            }
        }
    };
    Ok(Champion { player: breed.player(text, &genome), limits: breed.limits, breed: breed.clone() })
}

/// Which arm and replicate a path means; none is the whole experiment.
fn place(experiment: &Experiment, id: &str, run: &str) -> Result<Option<(usize, u32)>> {
    if run.is_empty() {
        return Ok(None);
    }
    if !experiment.is_study() {
        bail!("{id} has one run only; leave out {run:?}");
    }
    let arms = 0..experiment.head.arms.len().max(1);
    let places = arms.flat_map(|arm| (0..experiment.head.replicates).map(move |replicate| (arm, replicate)));
    let found = places.into_iter().find(|&(arm, replicate)| leaf_path(experiment, arm, replicate) == run);
    found
        .map(Some)
        .with_context(|| format!("{id} has no run {run:?}; name one as in {}", example(experiment, id)))
}

/// How a run of a study is named.
fn example(experiment: &Experiment, id: &str) -> String {
    format!("{id}/{}", leaf_path(experiment, 0, 0))
}

/// The mean of those by whom a generation is judged.
fn mean_player(store: &Store, id: &str, run: &str, number: u32) -> Result<Vec<f64>> {
    let runs = store.runs(id)?;
    let run = runs.iter().find(|row| row.path == run).context("it has not begun")?;
    let generations = store.summaries(run.number)?;
    let Some(row) = generations.iter().find(|row| row.number == number) else {
        match generations.last() {
            Some(last) => bail!("the last generation is {}", last.number),
            None => bail!("there are no generations yet"),
        }
    };
    Ok(row.spread.iter().map(|spread| spread.mean).collect())
}
