//! `-draw`, `-resign`, `-maxmoves` and `-tb`: when games are decided before their end.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use gamete_arena::{AtMaxMoves, DrawRule, ResignRule, TablebaseDecides, TablebaseRule};

use crate::single_dash::{Group, flag, number};

/// `-draw`
pub fn draw_rule(group: &Group<'_>) -> Result<DrawRule> {
    let mut rule = DrawRule { move_number: 0, move_count: 1, score: 0 };
    for (key, value) in group.pairs(&["movenumber", "movecount", "score"])? {
        let value = number(group.name, key, value)?;
        match key {
            "movenumber" => rule.move_number = value,
            "movecount" => rule.move_count = value,
            _ => rule.score = value,
        }
    }
    Ok(rule)
}

/// `-resign`
pub fn resign_rule(group: &Group<'_>) -> Result<ResignRule> {
    let mut rule = ResignRule { move_count: 1, score: 0, two_sided: false };
    for (key, value) in group.pairs(&["movecount", "score", "twosided"])? {
        match key {
            "movecount" => rule.move_count = number(group.name, key, value)?,
            "score" => rule.score = number(group.name, key, value)?,
            _ => rule.two_sided = flag(group.name, key, value)?,
        }
    }
    Ok(rule)
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

/// The directories of `-tb`, and what its companions say.
pub fn tables(groups: &[Group<'_>]) -> Result<Option<(Vec<PathBuf>, TablebaseRule)>> {
    let group = |name: &str| groups.iter().find(|group| group.name == name);
    let Some(paths) = group("tb").map(Group::single).transpose()? else {
        let companion = ["tbpieces", "tbignore50", "tbadjudicate"].into_iter().find_map(group);
        return companion
            .map_or(Ok(None), |group| bail!("-{}: say with -tb where the tables are", group.name));
    };
    if let Some(word) = group("tbignore50").and_then(|group| group.values.first()) {
        bail!("-tbignore50: {word:?} is one word too many");
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
