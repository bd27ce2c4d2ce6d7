use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::EngineSpec;
use gamete_arena::{Contestant, Notation, RecordStyle, TimeControl, nearest};

use crate::single_dash::{Group, flag};
use crate::terminal;

/// A file of games or of positions to be written.
#[derive(Debug, Clone)]
pub struct GameFileOptions {
    pub path: PathBuf,
    /// Whether what is in it already is kept.
    pub append: bool,
    pub style: RecordStyle,
    pub notation: Notation,
}

const STYLES: &[&str] =
    &["min", "notation", "nodes", "seldepth", "nps", "hashfull", "tbhits", "timeleft", "pv"];

/// What fastchess writes and we do not.
const WITHOUT_EFFECT: &[&str] = &["latency", "match_line"];

impl GameFileOptions {
    /// What follows `-pgnout`: a file, with `file=` or without, and what is written of each move.
    pub fn games(group: &Group<'_>) -> Result<Self> {
        Self::parse(group, true)
    }

    /// What follows `-epdout`: a file, with `file=` or without.
    pub fn positions(group: &Group<'_>) -> Result<Self> {
        Self::parse(group, false)
    }

    fn parse(group: &Group<'_>, of_games: bool) -> Result<Self> {
        let (style, notation) = (RecordStyle::default(), Notation::default());
        let mut options = Self { path: PathBuf::new(), append: true, style, notation };
        for (index, &word) in group.values.iter().enumerate() {
            match word.split_once('=') {
                Some(("file", value)) => options.path = value.into(),
                Some(("append", value)) => options.append = flag(group.name, "append", value)?,
                Some((key, value)) if of_games && STYLES.contains(&key) => {
                    options.set_style(key, value).with_context(|| format!("-{}", group.name))?;
                }
                Some((key, _)) if of_games && WITHOUT_EFFECT.contains(&key) => {
                    terminal::print_warning(&format!("-{}: {key}= has no effect here", group.name));
                }
                None if index == 0 => options.path = word.into(),
                None if of_games && word == "min" => options.style.minimal = true,
                // Only finished games: there are no others.
                None if of_games && word == "fi" => {}
                Some((key, _)) => {
                    let known =
                        ["file", "append"].into_iter().chain(STYLES.iter().copied().filter(|_| of_games));
                    let meant =
                        nearest(key, known).map_or_else(String::new, |key| format!("; did you mean {key}?"));
                    bail!("-{}: there is no {key}={meant}", group.name);
                }
                None => bail!("-{}: {word:?} is one word too many", group.name),
            }
        }
        if options.path.as_os_str().is_empty() {
            bail!("-{}: name a file", group.name);
        }
        let ending = options.path.extension().and_then(|ending| ending.to_str());
        if matches!(ending, Some("zst" | "gz" | "bz2" | "zip")) {
            bail!(
                "-{}: {} grows during the match, so it cannot be compressed",
                group.name,
                options.path.display()
            );
        }
        Ok(options)
    }

    /// What was asked for that these contestants cannot give, in words.
    pub fn idle_keys(&self, contestants: &[Contestant<EngineSpec>]) -> Vec<String> {
        let style = &self.style;
        if style.minimal {
            let more = RecordStyle { minimal: false, ..*style }.wants_details();
            return Vec::from_iter(
                more.then(|| "-pgnout: min= leaves out what is asked for of each move".to_owned()),
            );
        }
        let has_clock =
            |contestant: &Contestant<EngineSpec>| contestant.limits.time_control != TimeControl::Infinite;
        let is_program = |contestant: &Contestant<EngineSpec>| contestant.engine().is_some();
        let idle = [
            (
                style.time_left,
                contestants.iter().any(has_clock),
                "timeleft= has no effect: nobody has a clock",
            ),
            (
                style.speed,
                !contestants.iter().all(Contestant::is_repeatable),
                "nps= has no effect: players of ours at fixed nodes or depth are not timed",
            ),
            (
                style.table_hits,
                contestants.iter().any(is_program),
                "tbhits= has no effect: players of ours look into no tables",
            ),
        ];
        let idle = idle.into_iter().filter(|&(asked, given, _)| asked && !given);
        idle.map(|(_, _, text)| format!("-pgnout: {text}")).collect()
    }

    fn set_style(&mut self, key: &str, value: &str) -> Result<()> {
        if key == "notation" {
            self.notation = match value {
                "san" => Notation::San,
                "lan" => Notation::Lan,
                "uci" => Notation::Uci,
                _ => bail!("notation={value} is not san, lan or uci"),
            };
            return Ok(());
        }
        let wanted = match value {
            "true" | "on" | "1" => true,
            "false" | "off" | "0" => false,
            _ => bail!("{key}={value} is not true or false"),
        };
        let style = &mut self.style;
        *match key {
            "min" => &mut style.minimal,
            "nodes" => &mut style.nodes,
            "seldepth" => &mut style.selective_depth,
            "nps" => &mut style.speed,
            "hashfull" => &mut style.hashfull,
            "tbhits" => &mut style.table_hits,
            "timeleft" => &mut style.time_left,
            _ => &mut style.pv,
        } = wanted;
        Ok(())
    }
}
