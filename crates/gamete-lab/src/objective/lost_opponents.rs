//! Player files of opponents that are gone: experiments that were begun have what was in them.

use std::path::Path;

use gamete_arena::ModelInfo;
use toml::{Table, Value};

use super::match_::{CLASSICAL, COMMAND, START, is_content};

/// Puts the opponents of a stored experiment or pipeline, also of its arms or stages, in the place of player files that are gone.
pub(crate) fn fill_in(table: &mut Table, stored: &Table) {
    if let (Some(ours), Some(theirs)) =
        (opponents(table), stored.get("match").and_then(|own| own.get("opponents")))
    {
        for (ours, theirs) in ours.iter_mut().zip(theirs.as_array().into_iter().flatten()) {
            if let (Some(file), Some(content)) = (ours.as_str(), theirs.as_str())
                && can_be_content_of(file, content)
            {
                *ours = theirs.clone();
            }
        }
    }
    for parts in ["arms", "stages"] {
        let ours = table.get_mut(parts).and_then(Value::as_array_mut).into_iter().flatten();
        let theirs = stored.get(parts).and_then(Value::as_array).into_iter().flatten();
        for (ours, theirs) in ours.zip(theirs) {
            if let (Some(Value::Table(ours)), Some(Value::Table(theirs))) =
                (ours.get_mut("set"), theirs.get("set"))
            {
                fill_in(ours, theirs);
            }
        }
    }
}

fn opponents(table: &mut Table) -> Option<&mut Vec<Value>> {
    table.get_mut("match")?.get_mut("opponents")?.as_array_mut()
}

/// Whether a stored text can be what was in a file. Players need not have the name of their file, so that only the rest of the
/// experiment says whether it is the same.
fn can_be_content_of(file: &str, content: &str) -> bool {
    let is_named = [CLASSICAL, START].contains(&file) || file.starts_with(COMMAND);
    let is_other = is_named || is_content(file) || ModelInfo::find(file).is_ok();
    !is_other && is_content(content) && !Path::new(file).exists()
}

#[cfg(test)]
mod tests {
    use gamete_arena::Player;

    use super::*;

    #[test]
    fn what_was_in_a_file_that_is_gone_takes_its_place_whatever_the_player_is_called() {
        let mut player = Player::new(ModelInfo::find("chess/material").expect("a model"));
        player.name = "champion of src-1".to_owned();
        let content = player.to_string();
        let filled = |ours: &str, theirs: &str| {
            let table = |opponent: &str| {
                let own = Table::from_iter([("opponents".to_owned(), Value::from(vec![opponent]))]);
                Table::from_iter([("match".to_owned(), Value::from(own))])
            };
            let mut ours = table(ours);
            fill_in(&mut ours, &table(theirs));
            ours["match"]["opponents"][0].as_str().expect("a text").to_owned()
        };
        assert_eq!(filled("gone/p.toml", &content), content);
        let folder = tempfile::tempdir().expect("a folder");
        let there = folder.path().join("p.toml").display().to_string();
        std::fs::write(&there, &content).expect("written");
        let other = content.replace("champion", "another");
        for ours in ["classical", "chess/material", &other, &there] {
            assert_eq!(filled(ours, &content), ours);
        }
        assert_eq!(filled("gone/p.toml", "chess/material"), "gone/p.toml");
    }
}
