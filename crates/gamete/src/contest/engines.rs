//! `-engine` and `-each`: who plays, and how.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineSetup, EngineSpec, Restart, Timeouts, UciEngine};
use gamete_arena::{Competitor, Contestant, Limits, Player, nearest};

use crate::single_dash::Group;
use crate::terminal::errln;

/// What a contestant may be told besides its weights, its settings and its limits.
const ENGINE_KEYS: &[&str] = &[
    "player",
    "model",
    "cmd",
    "args",
    "dir",
    "name",
    "preset",
    "tc",
    "st",
    "nodes",
    "depth",
    "timemargin",
    "search.",
    "weight.",
    "option.",
];

/// The keys and values of an engine; keys with a dot have any name behind it.
pub fn engine_pairs<'a>(group: &Group<'a>) -> Result<Vec<(&'a str, &'a str)>> {
    let name = group.name;
    let pair = |word: &&'a str| {
        let (key, value) =
            word.split_once('=').with_context(|| format!("-{name}: {word:?} is not a pair like player=…"))?;
        if !is_key(key) {
            bail!("-{name}: {}", no_key(key));
        }
        Ok((key, value))
    };
    group.values.iter().map(pair).collect()
}

fn is_key(key: &str) -> bool {
    let also = ["plies", "movetime", "N", "D", "MT", "proto", "restart", "arg"];
    let prefixed = ["search.", "weight.", "option."].iter().any(|prefix| key.starts_with(prefix));
    prefixed || ENGINE_KEYS.contains(&key) || also.contains(&key)
}

fn no_key(key: &str) -> String {
    let hint = nearest(key, ENGINE_KEYS.iter().copied()).map(|known| format!("; did you mean {known}?"));
    format!("there is no {key}={}", hint.unwrap_or_default())
}

/// Whether this is how limits are told after `-engine`.
fn is_limit(key: &str) -> bool {
    let of_player = matches!(key, "player" | "model" | "preset" | "name") || key.contains('.');
    let of_program = matches!(key, "cmd" | "args" | "arg" | "dir" | "proto" | "restart");
    !of_player && !of_program && key != "timemargin"
}

/// Who plays outside of matches: a player file, a model, or pairs as after `-engine`, like `cmd=stockfish option.Threads=2`.
///
/// # Errors
///
/// When it is none of these.
pub fn named(text: &str) -> Result<Competitor<EngineSpec>> {
    if !is_pair(text) || Path::new(text).is_file() {
        return Ok(Competitor::Player(Player::load(text)?));
    }
    let words = pair_words(text);
    let pairs = split_pairs(&words)?;
    if let Some((key, _)) = pairs.iter().find(|(key, _)| is_limit(key)) {
        bail!("{key}= is for matches; here --movetime, --nodes and --depth say how long to think");
    }
    Ok(competitor(&pairs)?.1)
}

/// Who looks at single positions or plays by itself, and how long it may think: a player file, a model or pairs as after
/// `-engine`, and limits behind them, as in `chess/classic nodes=1000`.
///
/// # Errors
///
/// When it is none of these, or nothing ends its thinking.
pub fn named_with_limits(words: &[String]) -> Result<Contestant<EngineSpec>> {
    let (first, rest) = words.split_first().context("nobody is named")?;
    let text = match is_pair(first) {
        true => words.join(" "),
        false => format!("player={first} {}", rest.join(" ")),
    };
    let words = pair_words(&text);
    let pairs = split_pairs(&words)?;
    if !pairs.iter().any(|(key, _)| is_limit(key)) {
        bail!("nothing ends its thinking: say nodes=10000, depth=6 or st=0.1 behind it");
    }
    let mut contestant = contestant(&pairs)?;
    if let Competitor::Engine(_) = contestant.competitor {
        contestant.time_margin_ms = EngineSetup::PATIENCE.as_millis() as u64;
    }
    Ok(contestant)
}

fn is_pair(word: &str) -> bool {
    word.split_once('=').is_some_and(|(key, _)| is_key(key))
}

/// The pairs in a text. A word that is no pair belongs to the one before it.
fn pair_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        // Names of options have spaces, and so have values.
        let in_name = |last: &String| last.starts_with("option.") && !last.contains('=');
        match words
            .last_mut()
            .filter(|last| !word.starts_with("option.") && (in_name(last) || !word.contains('=')))
        {
            Some(last) => last.push_str(&format!(" {word}")),
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Keys and values.
fn split_pairs<'a>(words: &'a [String]) -> Result<Vec<(&'a str, &'a str)>> {
    let pair = |word: &'a String| {
        let (key, value) =
            word.split_once('=').with_context(|| format!("{word:?} is not a pair like cmd=…"))?;
        if !is_key(key) {
            bail!(no_key(key));
        }
        Ok((key, value))
    };
    words.iter().map(pair).collect()
}

/// Starts another program once, so that what is wrong with it is known before it is needed.
///
/// # Errors
///
/// When it does not start, or does not speak UCI.
pub fn check_program(spec: &EngineSpec, stop: &AtomicBool) -> Result<()> {
    let engine = UciEngine::start(spec.clone(), Timeouts::default(), stop).with_context(|| spec.title())?;
    for warning in engine.warnings() {
        errln!("{warning}");
    }
    Ok(())
}

/// The contestant that these pairs mean.
pub fn contestant(pairs: &[(&str, &str)]) -> Result<Contestant<EngineSpec>> {
    let mut limits = Limits::default();
    let mut time_margin_ms = 0;
    for &(key, value) in pairs {
        if key == "timemargin" {
            let bad = || format!("{key}={value} is not a number of milliseconds");
            time_margin_ms = value.parse().ok().with_context(bad)?;
        } else if is_limit(key) {
            limits.set(key, value)?;
        }
    }
    if limits.is_unlimited() {
        bail!(
            "nothing limits its thinking: say tc=10+0.1, st=0.1, nodes=1000 or depth=6, here or after -each"
        );
    }
    let (name, competitor) = competitor(pairs)?;
    Ok(Contestant { name, competitor, limits, time_margin_ms })
}

/// A player of our own or another program, with its name.
fn competitor(pairs: &[(&str, &str)]) -> Result<(String, Competitor<EngineSpec>)> {
    let cmd = pairs.iter().rev().find(|&&(key, _)| key == "cmd");
    Ok(match cmd {
        Some((_, cmd)) => {
            let spec = program(cmd, pairs)?;
            (spec.title(), Competitor::Engine(spec))
        }
        None => {
            let player = player(pairs)?;
            (player.name.clone(), Competitor::Player(player))
        }
    })
}

/// A player of our own.
fn player(pairs: &[(&str, &str)]) -> Result<Player> {
    let last = |wanted: &str| pairs.iter().rev().find(|&&(key, _)| key == wanted).map(|&(_, value)| value);
    let mut player = match (last("player"), last("model")) {
        (Some(file), _) => Player::load(file).with_context(|| format!("player={file}"))?,
        (None, Some(model)) => Player::new(gamete_arena::ModelInfo::find(model)?),
        (None, None) => bail!("nobody to play: say player=FILE, model=chess/classic or cmd=PROGRAM"),
    };
    if let Some(preset) = last("preset") {
        player.set_preset(preset)?;
    }
    if let Some(name) = last("name") {
        name.clone_into(&mut player.name);
    }
    for &(key, value) in pairs {
        let number = || match value {
            "true" | "on" => Ok(1.0),
            "false" | "off" => Ok(0.0),
            _ => value.parse::<f64>().ok().with_context(|| format!("{key}={value} is not a number")),
        };
        if let Some(name) = key.strip_prefix("search.") {
            player.set_search(name, number()?)?;
        } else if let Some(name) = key.strip_prefix("weight.") {
            player.set_weight(name, number()?)?;
        }
    }
    Ok(player)
}

/// Another program.
fn program(cmd: &str, pairs: &[(&str, &str)]) -> Result<EngineSpec> {
    let mut spec = EngineSpec::new(cmd);
    for &(key, value) in pairs {
        match key {
            "args" => spec.args.extend(value.split_whitespace().map(str::to_owned)),
            "arg" => spec.args.push(value.to_owned()),
            "dir" => spec.dir = Some(value.into()),
            "name" => spec.name = Some(value.to_owned()),
            "proto" if value != "uci" => bail!("proto={value}: only uci can be spoken"),
            "restart" => {
                spec.restart = match value {
                    "on" => Restart::On,
                    "off" => Restart::Off,
                    "auto" => Restart::Auto,
                    _ => bail!("restart={value} is not on, off or auto"),
                };
            }
            _ => {
                if let Some(name) = key.strip_prefix("option.") {
                    spec.options.push((name.to_owned(), value.to_owned()));
                }
            }
        }
    }
    Ok(spec)
}

/// Gives contestants of one name different ones: A, A_2.
pub fn number_twins(contestants: &mut [Contestant<EngineSpec>]) {
    for index in 1..contestants.len() {
        let (before, rest) = contestants.split_at_mut(index);
        let base = rest[0].name.clone();
        let mut number = 2;
        while before.iter().any(|other| other.name == rest[0].name) {
            rest[0].name = format!("{base}_{number}");
            number += 1;
        }
    }
}
