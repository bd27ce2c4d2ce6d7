//! Player files of opponents that are gone: experiments that were begun have what was in them.

use std::path::Path;

use gamete_arena::{ModelInfo, Player};
use toml::{Table, Value};

/// Puts the opponents of a stored experiment, arm by arm, in the place of player files that are gone, where their names say
/// that they are the same.
pub(crate) fn fill_in(table: &mut Table, stored: &Table) {
    if let (Some(ours), Some(theirs)) =
        (opponents(table), stored.get("match").and_then(|own| own.get("opponents")))
    {
        for (ours, theirs) in ours.iter_mut().zip(theirs.as_array().into_iter().flatten()) {
            if let (Some(file), Some(content)) = (ours.as_str(), theirs.as_str())
                && is_content_of(file, content)
            {
                *ours = theirs.clone();
            }
        }
    }
    let arms = table.get_mut("arms").and_then(Value::as_array_mut).into_iter().flatten();
    for (ours, theirs) in arms.zip(stored.get("arms").and_then(Value::as_array).into_iter().flatten()) {
        if let (Some(ours), Some(theirs)) =
            (ours.get_mut("set").and_then(Value::as_table_mut), theirs.get("set").and_then(Value::as_table))
        {
            fill_in(ours, theirs);
        }
    }
}

fn opponents(table: &mut Table) -> Option<&mut Vec<Value>> {
    table.get_mut("match")?.get_mut("opponents")?.as_array_mut()
}

fn is_content_of(file: &str, content: &str) -> bool {
    let path = Path::new(file);
    let named = |player: Player| path.file_stem().is_some_and(|stem| player.name == stem.to_string_lossy());
    !path.exists() && ModelInfo::find(file).is_err() && content.parse().is_ok_and(named)
}
