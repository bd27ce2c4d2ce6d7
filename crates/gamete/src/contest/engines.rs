//! `-engine` and `-each`: who plays, and how.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineSpec, Restart};
use gamete_arena::{Competitor, Contestant, Limits, Player, nearest};

use crate::single_dash::Group;

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
        let also = ["plies", "movetime", "N", "D", "MT", "proto", "restart", "arg"];
        let prefixed = ["search.", "weight.", "option."].iter().any(|prefix| key.starts_with(prefix));
        if !(prefixed || ENGINE_KEYS.contains(&key) || also.contains(&key)) {
            let known = nearest(key, ENGINE_KEYS.iter().copied()).unwrap_or_default();
            bail!("-{name}: there is no {key}=; did you mean {known}?");
        }
        Ok((key, value))
    };
    group.values.iter().map(pair).collect()
}

/// The contestant that these pairs mean.
pub fn contestant(pairs: &[(&str, &str)]) -> Result<Contestant> {
    let last = |wanted: &str| pairs.iter().rev().find(|&&(key, _)| key == wanted).map(|&(_, value)| value);
    let mut limits = Limits::default();
    let mut time_margin_ms = 0;
    for &(key, value) in pairs {
        let of_player = matches!(key, "player" | "model" | "preset" | "name") || key.contains('.');
        let of_program = matches!(key, "cmd" | "args" | "arg" | "dir" | "proto" | "restart");
        if key == "timemargin" {
            let bad = || format!("{key}={value} is not a number of milliseconds");
            time_margin_ms = value.parse().ok().with_context(bad)?;
        } else if !of_player && !of_program {
            limits.set(key, value)?;
        }
    }
    if limits.is_unlimited() {
        bail!("nothing ends its moves: say tc=10+0.1, st=0.1, nodes=1000 or depth=6, here or after -each");
    }
    let (name, competitor) = match last("cmd") {
        Some(cmd) => {
            let mut spec = program(cmd, pairs)?;
            spec.time_margin = Duration::from_millis(time_margin_ms);
            (spec.title(), Competitor::Engine(spec))
        }
        None => {
            let player = player(pairs)?;
            (player.name.clone(), Competitor::Player(player))
        }
    };
    Ok(Contestant { name, competitor, limits, time_margin_ms })
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
pub fn number_twins(contestants: &mut [Contestant]) {
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
