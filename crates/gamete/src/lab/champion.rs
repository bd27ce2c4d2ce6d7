use anyhow::{Context, Result, bail};
use gamete_arena::{Limits, Player};
use gamete_lab::{Breed, Store, mean};

use super::{conclusion, experiment};

/// Somebody bred in the lab, and how it was bred to play.
pub struct Champion {
    /// The player.
    pub player: Player,
    /// What the experiment let its players think.
    pub limits: Limits,
    /// When it gave games up.
    pub max_moves: u32,
    /// What all players of the experiment have in common.
    pub breed: Breed,
}

/// The champion of an experiment, or the mean player of one of its runs or generations: `ID`, `ID@0` for the
/// initial population, `ID/s=0.5/2` for a run of a study, `ID/s=0.5/2@8`.
///
/// # Errors
///
/// When there is no such experiment, run or generation, or it is not finished, or no player.
pub fn champion(store: &Store, text: &str) -> Result<Champion> {
    let (path, generation) = match text.rsplit_once('@') {
        Some((path, number)) => {
            let number =
                number.parse::<usize>().with_context(|| format!("{text}: {number:?} is no generation"))?;
            (path, Some(number))
        }
        None => (text, None),
    };
    let (id, run) = path.split_once('/').unwrap_or((path, ""));
    let row = store.experiment(id)?;
    let experiment = experiment(&row)?;
    let Some(breed) = experiment.plan.breed() else {
        bail!("{id}: what it breeds are settings of another experiment, not players");
    };
    let genome = if run.is_empty() && generation.is_none() {
        let Some(found) = conclusion(&row)? else {
            bail!("{id} is not finished; name a generation, as in {id}@0")
        };
        found.champion.into_iter().map(|(_, value)| value).collect()
    } else {
        let runs = store.runs(id)?;
        let Some(found) = runs.iter().find(|row| row.path == run) else {
            let known: Vec<_> =
                runs.iter().map(|run| run.path.as_str()).filter(|path| !path.is_empty()).collect();
            bail!("{id} has no run {run:?}; it has {}", known.join(", "));
        };
        let generations = store.generations(found.number)?;
        let row = match generation {
            Some(number) => generations.get(number),
            None => generations.last(),
        };
        let Some(row) = row else { bail!("{text}: there are {} generations, from 0", generations.len()) };
        mean(&row.population)
    };
    Ok(Champion {
        player: breed.player(text, &genome),
        limits: breed.limits,
        max_moves: breed.max_moves,
        breed: breed.clone(),
    })
}
