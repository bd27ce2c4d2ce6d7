//! `-draw`, `-resign`, `-maxmoves` and `-tb`: when games are decided before their end.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use gamete_arena::{AtMaxMoves, GameName, RuleError, TablebaseDecides, TablebaseRule};

use crate::grid::GridChoice;
use crate::single_dash::Group;

/// The rule of `-draw` or `-resign`.
pub fn rule<R: FromStr<Err = RuleError>>(group: &Group<'_>) -> Result<R> {
    group.values.join(" ").parse().map_err(|error| anyhow!("-{}: {error}", group.name))
}

/// `-maxmoves`: a number, and what becomes of games of that length if it is not a draw.
pub fn max_moves(group: &Group<'_>) -> Result<(u32, AtMaxMoves)> {
    let (&moves, at) = group.values.split_first().context("-maxmoves: a value is missing")?;
    let at = match at {
        [] | ["draw"] => AtMaxMoves::Draw,
        ["material"] => AtMaxMoves::Material,
        words => bail!("-maxmoves: {:?} is not draw or material", words.join(" ")),
    };
    Ok((Group { name: group.name, values: vec![moves] }.number()?, at))
}

/// The directories of `-tb`, and what its companions say, for games that are played here or on a grid.
pub fn tables(
    groups: &[Group<'_>],
    game: GameName,
    grid: Option<&GridChoice>,
) -> Result<Option<(Vec<PathBuf>, TablebaseRule)>> {
    let group = |name: &str| groups.iter().find(|group| group.name == name);
    let Some(paths) = group("tb").map(Group::single).transpose()? else {
        let companion = ["tbpieces", "tbignore50", "tbadjudicate"].into_iter().find_map(group);
        return companion
            .map_or(Ok(None), |group| bail!("-{}: say with -tb where the tables are", group.name));
    };
    if let Some(word) = group("tbignore50").and_then(|group| group.values.first()) {
        bail!("-tbignore50: {word:?} is one word too many");
    }
    if !game.has_tablebase() {
        bail!("-tb: there are Syzygy tables of chess alone, not of {game}");
    }
    if grid.is_some() {
        bail!("-tb: workers of a grid have no tables; leave out -tb or -grid");
    }
    let decides = match group("tbadjudicate").map(Group::single).transpose()? {
        None | Some("BOTH") => TablebaseDecides::Both,
        Some("WIN_LOSS") => TablebaseDecides::WinLoss,
        Some("DRAW") => TablebaseDecides::Draw,
        Some(other) => bail!("-tbadjudicate: {other:?} is not WIN_LOSS, DRAW or BOTH"),
    };
    let max_pieces = group("tbpieces").map(Group::number).transpose()?.filter(|&pieces: &u32| pieces > 0);
    let rule = TablebaseRule { max_pieces, ignore_fifty_moves: group("tbignore50").is_some(), decides };
    Ok(Some((std::env::split_paths(paths).collect(), rule)))
}
