use anyhow::{Result, bail};

use crate::single_dash::Group;

/// The rounds, and the games of an encounter.
pub fn length(
    rounds: Option<&Group<'_>>,
    games: Option<&Group<'_>>,
    repeat: Option<&Group<'_>>,
) -> Result<(u64, u64)> {
    let positive = |group: &Group<'_>| match group.number::<u64>()? {
        0 => bail!("-{}: 0 games are no match", group.name),
        number => Ok(number),
    };
    let repeat = repeat.filter(|group| !group.values.is_empty()).map(positive).transpose()?;
    let (rounds, games) = (rounds.map(positive).transpose()?, games.map(positive).transpose()?);
    let (rounds, games) = match (rounds, games.or(repeat)) {
        (None, None) => (1, 2),
        (Some(rounds), None) => (rounds, 2),
        // Games without rounds are all games; and who says 100 games of 2 rounds means it the other way round.
        (None, Some(games)) if games > 2 => (games.div_ceil(2), 2),
        (Some(rounds), Some(games)) if games > 2 && rounds <= 2 => (games, rounds),
        (rounds, Some(games)) => (rounds.unwrap_or(1), games),
    };
    if rounds > MAX_ROUNDS {
        bail!("-rounds: {rounds} are more than anybody plays; say at most {MAX_ROUNDS}");
    }
    if games > MAX_GAMES {
        bail!("-games: {games} games from one opening; say at most {MAX_GAMES}, and -rounds for more");
    }
    Ok((rounds, games))
}

/// So many that numbers of games can be counted.
const MAX_ROUNDS: u64 = 1_000_000_000_000;

/// The games of an opening are kept together until the last is over.
const MAX_GAMES: u64 = 1000;
