//! Changes of a table, as `--set` and arms make them.

use toml::{Table, Value};

use super::{ExperimentError, key_path};

/// `population=12` or `weights.pawn=[0, 3]` or `preset=full` as a table. Words of a key need no quotes, as in
/// `options.Move Overhead=10`.
pub(super) fn parse_change(text: &str) -> Result<Table, ExperimentError> {
    let wrong = || ExperimentError::value(text, "write it as key=value, as in population=12");
    let (key, value) = text.split_once('=').ok_or_else(wrong)?;
    let parse = |key: &str| {
        let quoted = || format!("{key} = {}", Value::from(value.trim())).parse();
        format!("{key} = {value}").parse().or_else(|_| quoted())
    };
    let words = || key.trim().split('.').map(|part| key_path("", part.trim())).collect::<Vec<_>>().join(".");
    let is_empty = key.split('.').any(|part| part.trim().is_empty());
    parse(key).or_else(|_| if is_empty { Err(wrong()) } else { parse(&words()).map_err(|_| wrong()) })
}

/// Takes values over, table by table.
pub(crate) fn merge(table: &mut Table, changes: &Table) {
    for (key, value) in changes {
        match (table.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(changes)) => merge(inner, changes),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Takes away what `leaves` has a value for.
pub(crate) fn remove_leaves(table: &mut Table, leaves: &Table) {
    for (key, value) in leaves {
        match (table.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(leaves)) => remove_leaves(inner, leaves),
            _ => {
                table.remove(key);
            }
        }
    }
}

/// Whether it has a value for something that `leaves` has one for.
pub(crate) fn has_leaf(table: &Table, leaves: &Table) -> bool {
    leaves.iter().any(|(key, value)| match (table.get(key), value) {
        (Some(Value::Table(inner)), Value::Table(leaves)) => has_leaf(inner, leaves),
        (found, _) => found.is_some(),
    })
}

/// Puts the contents of files in the place of their names, so that nobody needs the files again.
pub(crate) fn include(table: &mut Table, contents: &Table) {
    for (key, content) in contents {
        match (table.get_mut(key), content) {
            (Some(Value::Table(inner)), Value::Table(contents)) => include(inner, contents),
            (Some(named), content) => *named = content.clone(),
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_may_have_blanks() {
        let overhead: Table = "options.\"Move Overhead\" = [1, 5]".parse().expect("TOML");
        for text in [
            "options.Move Overhead=[1,5]",
            "options.\"Move Overhead\"=[1,5]",
            "options . Move Overhead = [1,5]",
        ] {
            assert_eq!(parse_change(text), Ok(overhead.clone()), "{text}");
        }
        let text: Table = "preset = 'full'".parse().expect("TOML");
        assert_eq!(parse_change("preset=full"), Ok(text));
        for text in ["nonsense", "=3", "a..b=3", ".=3"] {
            let error = parse_change(text).expect_err(text).to_string();
            assert_eq!(error, format!("{text}: write it as key=value, as in population=12"));
        }
    }
}
