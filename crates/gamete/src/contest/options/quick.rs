use anyhow::Result;

use crate::single_dash::Group;

/// The words that fastchess's shortcut stands for, `-quick cmd=A cmd=B book=BOOK`. What is said besides it goes first.
pub fn without_quick(words: &[String], quick: &Group<'_>, groups: &[Group<'_>]) -> Result<Vec<String>> {
    let begin = words.iter().position(|word| word.trim_start_matches('-') == "quick").unwrap_or_default();
    let mut rest = words.to_vec();
    rest.drain(begin..=begin + quick.values.len());
    for (key, value) in quick.pairs(&["cmd", "book", "player", "model"])? {
        let option = if key == "book" {
            ["-openings".to_owned(), format!("file={value}")]
        } else {
            ["-engine".to_owned(), format!("{key}={value}")]
        };
        rest.extend(option);
    }
    for default in [
        "-each tc=10+0.1",
        "-rounds 25000",
        "-games 2",
        "-concurrency -2",
        "-draw movenumber=30 movecount=8 score=8",
        "-output format=cutechess",
    ] {
        let name = default.split_whitespace().next().unwrap_or_default();
        if !groups.iter().any(|group| group.name == &name[1..]) {
            rest.extend(default.split_whitespace().map(str::to_owned));
        }
    }
    Ok(rest)
}
