//! Options as match runners spell them: words with one dash, followed by values or `key=value` pairs.

use std::io;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use gamete_arena::nearest;
use gamete_grid::Access;
use gamete_stats::{Model, Sprt};

use crate::terminal::HELP_WIDTH;

/// Prints the help of a command as `--help` does, for those who type `-help`.
pub fn print_help<A: clap::Args>(command: &'static str) -> io::Result<()> {
    A::augment_args(clap::Command::new(command).max_term_width(HELP_WIDTH)).print_long_help()
}

/// An option and what follows it, up to the next one.
#[derive(Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// Without its dashes.
    pub name: &'a str,
    /// What follows.
    pub values: Vec<&'a str>,
}

/// Cuts a command line into options, of which only those `known` may be there, each once. Two dashes are as good as
/// one; a number is never an option.
pub fn groups<'a>(words: &'a [String], known: &[&'static str]) -> Result<Vec<Group<'a>>> {
    repeated_groups(words, known, &[])
}

/// The same with options that may be there any number of times.
pub fn repeated_groups<'a>(
    words: &'a [String],
    known: &[&'static str],
    repeated: &[&str],
) -> Result<Vec<Group<'a>>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for word in words {
        if let Some(name) = option_name(word) {
            if let Some((name, _)) = name.split_once('=')
                && known.contains(&name)
            {
                bail!("-{name}=…: a value is a word of its own, as in -{name} …");
            }
            if !known.contains(&name) {
                bail!("there is no -{}{}", shown(name), suggestion("-", name, known));
            }
            if !repeated.contains(&name) && groups.iter().any(|group| group.name == name) {
                bail!("-{name} is there twice");
            }
            groups.push(Group { name, values: Vec::new() });
        } else {
            let group =
                groups.last_mut().with_context(|| format!("{:?} belongs to no option", shown(word)))?;
            group.values.push(word);
        }
    }
    Ok(groups)
}

/// A word as it may be printed: an address without its user and password.
pub fn shown(word: &str) -> String {
    let is_address = word.rsplit_once('@').is_some_and(|(before, _)| before.contains(':'));
    if is_address { Access::new(word).shown() } else { word.to_owned() }
}

fn option_name(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    name.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(name)
}

impl<'a> Group<'a> {
    /// The one value.
    pub fn single(&self) -> Result<&'a str> {
        match *self.values.as_slice() {
            [value] => Ok(value),
            [] => bail!("-{}: a value is missing", self.name),
            [_, word, ..] => bail!("-{}: {:?} is one word too many", self.name, shown(word)),
        }
    }

    /// That nothing follows.
    pub fn no_value(&self) -> Result<()> {
        match self.values.first() {
            None => Ok(()),
            Some(word) => bail!("-{}: takes no value, not {:?}", self.name, shown(word)),
        }
    }

    /// The one value as a number.
    pub fn number<T: FromStr>(&self) -> Result<T> {
        let value = self.single()?;
        value.parse().ok().with_context(|| {
            format!("-{}: {:?} is not a number, or not one of this size", self.name, shown(value))
        })
    }

    /// The values as pairs, their keys among those `known`.
    pub fn pairs(&self, known: &[&'static str]) -> Result<Vec<(&'a str, &'a str)>> {
        let name = self.name;
        let pair = |value: &&'a str| {
            let (key, value) = value
                .split_once('=')
                .with_context(|| format!("-{name}: {:?} is not a pair like {}=…", shown(value), known[0]))?;
            if !known.contains(&key) {
                bail!("-{name}: there is no {key}={}", suggestion("", key, known));
            }
            Ok((key, value))
        };
        self.values.iter().map(pair).collect()
    }
}

/// The sequential test that `-sprt` asks for.
pub fn parse_sprt(group: &Group<'_>) -> Result<Sprt> {
    let (mut model, mut elo0, mut elo1, mut alpha, mut beta) = (Model::default(), 0.0, 2.0, 0.05, 0.05);
    for (key, value) in group.pairs(&["elo0", "elo1", "alpha", "beta", "model"])? {
        let number =
            || value.parse::<f64>().ok().with_context(|| format!("-sprt: {key}={value} is not a number"));
        match key {
            "elo0" => elo0 = number()?,
            "elo1" => elo1 = number()?,
            "alpha" => alpha = number()?,
            "beta" => beta = number()?,
            _ => model = value.parse().with_context(|| format!("-sprt: {key}={value}"))?,
        }
    }
    Sprt::new(model, elo0, elo1, alpha, beta).context("-sprt")
}

/// The number of a pair.
pub fn number<T: FromStr>(name: &str, key: &str, value: &str) -> Result<T> {
    value
        .parse()
        .ok()
        .with_context(|| format!("-{name}: {key}={value} is not a number, or not one of this size"))
}

/// The truth value of a pair.
pub fn flag(name: &str, key: &str, value: &str) -> Result<bool> {
    match value {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        _ => bail!("-{name}: {key}={value} is not true or false"),
    }
}

fn suggestion(dash: &str, name: &str, known: &[&'static str]) -> String {
    nearest(name, known.iter().copied())
        .map_or_else(String::new, |known| format!("; did you mean {dash}{known}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(words: &str) -> Result<Vec<(String, Vec<String>)>> {
        let words: Vec<_> = words.split_whitespace().map(str::to_owned).collect();
        let groups = groups(&words, &["each", "sprt", "wdl"])?;
        let owned = |group: Group<'_>| {
            (group.name.to_owned(), group.values.into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        Ok(groups.into_iter().map(owned).collect())
    }

    #[test]
    fn values_follow_their_option() {
        let groups = cut("-wdl 1 -2 3 --sprt elo0=-1.75 -each").expect("options");
        let texts: Vec<_> =
            groups.iter().map(|(name, values)| format!("{name}: {}", values.join(" "))).collect();
        assert_eq!(texts, ["wdl: 1 -2 3", "sprt: elo0=-1.75", "each: "]);
    }

    #[test]
    fn passwords_are_not_printed() {
        let address = "nats://me:secret@host,nats://me:secret@other";
        for words in [
            format!("-each={address}"),
            format!("-eahc={address}"),
            format!("--grid={address}"),
            format!("-{address}"),
            address.to_owned(),
            "me:secret@host".to_owned(),
        ] {
            let error = cut(&words).expect_err("a slip").to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        let group = Group { name: "each", values: vec![address, address] };
        let errors = [
            group.single().map(str::to_owned),
            group.no_value().map(|()| String::new()),
            Group { values: vec![address], ..group }.number::<u64>().map(|number| number.to_string()),
            Group { name: "each", values: vec![address] }.pairs(&["a"]).map(|_| String::new()),
        ];
        for error in errors {
            let error = error.expect_err("a slip").to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn slips_are_named() {
        let error = |words| cut(words).expect_err("a slip").to_string();
        assert_eq!(error("-sptr"), "there is no -sptr; did you mean -sprt?");
        assert_eq!(error("7 -wdl"), "\"7\" belongs to no option");
        assert_eq!(error("-wdl 1 --wdl 2"), "-wdl is there twice");
        assert_eq!(error("-wdl=1"), "-wdl=…: a value is a word of its own, as in -wdl …");
        let group = Group { name: "sprt", values: vec!["elo2=5"] };
        let error = group.pairs(&["alpha", "elo1"]).expect_err("an unknown key").to_string();
        assert_eq!(error, "-sprt: there is no elo2=; did you mean elo1?");
        let group = Group { name: "sprt", values: vec!["5"] };
        let error = group.pairs(&["elo0", "elo1"]).expect_err("no pair").to_string();
        assert_eq!(error, "-sprt: \"5\" is not a pair like elo0=…");
    }
}
