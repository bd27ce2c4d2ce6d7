//! Which parameters a tune has: those of a file or of the engine itself, checked against what it takes.

use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use gamete_arena::uci::{EngineOption, EngineSpec, OptionKind, Timeouts, UciEngine};
use gamete_arena::{Competitor, Player, nearest};
use gamete_engine::SearchSettings;
use gamete_game::{Kind, Parameter};
use gamete_lab::{ParameterFile, TunedParameter};

use super::options::{Options, ParameterSource};
use crate::terminal::{counted, errln, print_warning};

/// Options whose values say nothing of how well an engine plays, or change the machine it plays on.
const NOT_FOR_TUNING: &[&str] = &[
    "hash",
    "threads",
    "number of threads",
    "cores",
    "multipv",
    "move overhead",
    "moveoverhead",
    "slow mover",
    "minimum thinking time",
    "nodestime",
    "skill level",
    "search time",
    "search depth",
];

/// What the names of options begin with that are of no use for tuning.
const NOT_FOR_TUNING_PREFIXES: &[&str] =
    &["uci_", "syzygy", "debug", "book", "egtb", "gaviota", "nalimov", "bitbases"];

/// What the names of settings of the search begin with in files.
const SEARCH: &str = "search.";

/// The parameters of a tune, each with a start: those that are sought, and those that are kept.
///
/// # Errors
///
/// When the engine does not start, has no such option, or one that takes something else.
pub fn parameters(options: &Options) -> Result<Vec<TunedParameter>> {
    let mut found = match &options.parameters {
        ParameterSource::File(path) => {
            let file = ParameterFile::load(path)?;
            let count = counted(file.parameters.len() as u64, "parameter");
            errln!("{}: {}, {count}", path.display(), file.format.as_str());
            file.notes.iter().for_each(|note| print_warning(&format!("{}: {note}", path.display())));
            let place = path.display().to_string();
            match &options.subject.competitor {
                Competitor::Engine(spec) => {
                    let engine = start(spec, options.timeouts)?;
                    let checked = file.parameters.into_iter().map(|mut one| {
                        if let Some(warning) = start_as_given(&mut one, spec)? {
                            print_warning(&format!("{place}: {warning}"));
                        }
                        of_engine(one, engine.options(), engine.name())
                    });
                    let checked = checked.collect::<Result<Vec<_>>>().context(place.clone())?;
                    warn_of_own_book(&engine, spec, &checked);
                    checked
                }
                Competitor::Player(player) => {
                    let checked = file.parameters.into_iter().map(|one| of_player(one, player));
                    checked.collect::<Result<Vec<_>>>().context(place)?
                }
            }
        }
        ParameterSource::Auto(pattern) => match &options.subject.competitor {
            Competitor::Engine(spec) => {
                let engine = start(spec, options.timeouts)?;
                let mut found = auto_engine(engine.options(), engine.name(), pattern.as_deref())?;
                for one in &mut found {
                    // The values that the engine has, unless it was told of others.
                    let default = one.start.take();
                    start_as_given(one, spec)?;
                    if let Some(start) =
                        one.start.filter(|start| !(one.range[0]..=one.range[1]).contains(start))
                    {
                        let [min, max] = one.range;
                        bail!("-engine option.{}={start}: {} takes {min} to {max}", one.name, engine.name());
                    }
                    one.start = one.start.or(default);
                }
                warn_of_own_book(&engine, spec, &found);
                found
            }
            Competitor::Player(player) => auto_player(player, pattern.as_deref())?,
        },
    };
    for pattern in &options.frozen {
        let mut is_known = false;
        for one in found.iter_mut().filter(|one| matches(pattern, &one.name)) {
            is_known = true;
            let start = one.start.unwrap_or(one.range[0]);
            one.range = [start; 2];
        }
        if !is_known {
            bail!("-freeze: no parameter is called {pattern:?}{}", hint(pattern, &found));
        }
    }
    if found.iter().all(TunedParameter::is_frozen) {
        match options.frozen.as_slice() {
            [] => bail!(
                "every parameter is kept, and nothing is left to tune; give one a range from its smallest to its largest value"
            ),
            patterns => {
                bail!("-freeze {}: nothing is left to tune; freeze fewer parameters", patterns.join(" "))
            }
        }
    }
    Ok(found)
}

fn hint(name: &str, found: &[TunedParameter]) -> String {
    did_you_mean(name, found.iter().map(|one| one.name.as_str()))
}

fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |known| format!("; did you mean {known}?"))
}

/// Starts the engine once, to see what it takes.
fn start(spec: &EngineSpec, timeouts: Timeouts) -> Result<UciEngine> {
    let engine = UciEngine::start(spec.clone(), timeouts, &AtomicBool::new(false));
    let engine = engine.with_context(|| spec.title())?;
    for (name, _) in &spec.options {
        if !engine.options().iter().any(|option| option.is_called(name)) {
            let hint = did_you_mean(name, engine.options().iter().map(|option| option.name.as_str()));
            bail!("-engine option.{name}: {} has no such option{hint}", engine.name());
        }
    }
    for warning in engine.warnings() {
        errln!("{warning}");
    }
    Ok(engine)
}

/// What to say of an engine that plays moves from a book of its own.
fn warn_of_own_book(engine: &UciEngine, spec: &EngineSpec, tuned: &[TunedParameter]) {
    let is_on = |option: &&EngineOption| {
        option.is_called("OwnBook") && matches!(option.kind, OptionKind::Check { default: true })
    };
    let Some(option) = engine.options().iter().find(is_on) else { return };
    let is_set = spec.options.iter().any(|(name, _)| option.is_called(name));
    if !is_set && !tuned.iter().any(|one| option.is_called(&one.name)) {
        print_warning(&format!(
            "{} may play moves from a book of its own, which no parameter changes; option.{}=false after -engine turns it off",
            engine.name(),
            option.name
        ));
    }
}

/// Lets a parameter start at the value that the engine was given, unless its file says another; that is worth a warning.
fn start_as_given(one: &mut TunedParameter, spec: &EngineSpec) -> Result<Option<String>> {
    let given = spec.options.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(&one.name));
    let Some((name, text)) = given else { return Ok(None) };
    let number = match text.as_str() {
        "true" => 1.0,
        "false" => 0.0,
        text => text
            .parse::<f64>()
            .with_context(|| format!("option.{name}={text}: it is tuned, and must start at a number"))?,
    };
    let start = *one.start.get_or_insert(number);
    Ok((start != number).then(|| format!("{name} starts at {start}, and option.{name}={text} is ignored")))
}

/// A parameter of a file as an engine takes it.
fn of_engine(mut one: TunedParameter, known: &[EngineOption], engine: &str) -> Result<TunedParameter> {
    let name = one.name.clone();
    let Some(option) = known.iter().find(|option| option.is_called(&name)) else {
        let hint = did_you_mean(&name, known.iter().map(|option| option.name.as_str()));
        bail!("{name}: {engine} has no such option{hint}");
    };
    one.name.clone_from(&option.name);
    let [least, most] = one.range;
    match &option.kind {
        OptionKind::Spin { default, min, max } => {
            if one.kind != Kind::Integer {
                bail!("{name}: {engine} takes whole numbers for it, from {min} to {max}; give whole numbers");
            }
            if (*min as f64) > least || (*max as f64) < most {
                bail!(
                    "{name}: the range {least} to {most} is not within what {engine} takes, {min} to {max}"
                );
            }
            one.start = one.start.or(Some(*default as f64));
        }
        OptionKind::Check { default } => {
            if least < 0.0 || most > 1.0 {
                bail!("{name}: {engine} takes true or false for it; give [false, true], or one of them");
            }
            if one.kind != Kind::Flag && !one.is_frozen() {
                bail!(
                    "{name}: it is of type check, and only options of type spin can be tuned as numbers; leave it out, or give \
                     {name} = [false, true] in a file of TOML"
                );
            }
            one.kind = Kind::Flag;
            one.start = one.start.or(Some(f64::from(u8::from(*default))));
        }
        // Some engines have numbers as texts, as UCI has no others than whole ones.
        OptionKind::String { default } => {
            let Ok(default) = default.parse() else {
                bail!(
                    "{name}: it is of type string and has {default:?}, which is no number; only options of type spin and check, \
                     and strings that are numbers, can be tuned"
                );
            };
            one.kind = Kind::Real;
            one.start = one.start.or(Some(default));
        }
        OptionKind::Combo { .. } => {
            bail!("{name}: it is of type combo, and only options of type spin can be tuned")
        }
        OptionKind::Button => {
            bail!("{name}: it is of type button, and only options of type spin can be tuned")
        }
    }
    match one.start {
        Some(start) if (least..=most).contains(&start) => Ok(one),
        Some(start) => {
            bail!("{name}: {engine} has it at {start}, which is not from {least} to {most}; give its value")
        }
        None => bail!("{name}: its value is not known; give it"),
    }
}

/// The spin options of an engine that match a pattern; without one all that are for tuning.
fn auto_engine(known: &[EngineOption], engine: &str, pattern: Option<&str>) -> Result<Vec<TunedParameter>> {
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for option in known {
        let OptionKind::Spin { default, min, max } = option.kind else { continue };
        if !pattern.is_none_or(|pattern| matches(pattern, &option.name)) || min >= max {
            continue;
        }
        let is_named = pattern.is_some_and(|pattern| option.is_called(pattern));
        if !is_named && !is_for_tuning(&option.name) {
            left_out.push(option.name.as_str());
            continue;
        }
        let range = [min as f64, max as f64];
        let start = Some((default as f64).clamp(range[0], range[1]));
        let name = option.name.clone();
        found.push(TunedParameter { name, kind: Kind::Integer, start, range, step: None, rate: None });
    }
    if !left_out.is_empty() {
        errln!("left out, as they do not affect strength: {}", left_out.join(", "));
    }
    match (found.is_empty(), pattern) {
        (false, _) => Ok(found),
        (true, None) => bail!("-params auto: {engine} has no spin options to tune"),
        (true, Some(pattern)) => {
            let names = known.iter().map(|option| option.name.as_str());
            bail!(
                "-params auto:{pattern}: no spin option of {engine} matches{}",
                did_you_mean(pattern.trim_matches('*'), names)
            )
        }
    }
}

fn is_for_tuning(name: &str) -> bool {
    let name = name.to_lowercase();
    !NOT_FOR_TUNING.contains(&name.as_str())
        && !NOT_FOR_TUNING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A weight or a setting of the search of a player, with its value.
fn known_of_player(player: &Player) -> impl Iterator<Item = (String, Parameter, f64)> + '_ {
    let weights = player.model().weights.iter().zip(player.weights());
    let weights = weights
        .map(|(weight, value)| (weight.name.to_owned(), Parameter { kind: Kind::Real, ..*weight }, *value));
    let settings = SearchSettings::SETTINGS.iter().map(|setting| {
        let value = f64::from(setting.get(&player.search));
        (format!("{SEARCH}{}", setting.parameter.name), setting.parameter, value)
    });
    weights.chain(settings)
}

/// A parameter of a file as a player of ours takes it: a weight, or a setting of the search as `search.NAME`.
fn of_player(mut one: TunedParameter, player: &Player) -> Result<TunedParameter> {
    let name = one.name.clone();
    let known: Vec<_> = known_of_player(player).collect();
    let short = format!("{SEARCH}{name}");
    let Some((full, parameter, value)) = known
        .iter()
        .find(|(full, ..)| *full == name)
        .or_else(|| known.iter().find(|(full, ..)| *full == short))
    else {
        let hint = did_you_mean(&name, known.iter().map(|(full, ..)| full.as_str()));
        bail!("{name}: {} has no such weight or setting of the search{hint}", player.model().name);
    };
    one.name.clone_from(full);
    let [least, most] = one.range;
    if parameter.kind != Kind::Real && !(parameter.takes(least) && parameter.takes(most)) {
        bail!("{name}: the range {least} to {most} is not what it takes, {}", parameter.wanted());
    }
    one.kind = parameter.kind;
    one.start = one.start.or(Some(*value));
    match one.start {
        Some(start) if !(least..=most).contains(&start) => {
            bail!("{name}: the player has it at {start}, which is not from {least} to {most}; give its value")
        }
        _ => Ok(one),
    }
}

/// The weights of a player; with a pattern those and the settings of its search that match.
fn auto_player(player: &Player, pattern: Option<&str>) -> Result<Vec<TunedParameter>> {
    let is_meant = |name: &str| match pattern {
        Some(pattern) => matches(pattern, name),
        None => !name.starts_with(SEARCH),
    };
    let found: Vec<TunedParameter> = known_of_player(player)
        .filter(|(name, ..)| is_meant(name))
        .map(|(name, parameter, value)| TunedParameter {
            name,
            kind: parameter.kind,
            start: Some(value),
            range: [parameter.min.min(value), parameter.max.max(value)],
            step: Some(parameter.step).filter(|step| *step > 0.0),
            rate: None,
        })
        .collect();
    if found.is_empty() {
        let pattern = pattern.unwrap_or_default();
        bail!(
            "-params auto:{pattern}: no weight or setting (search.NAME) of {} matches",
            player.model().name
        );
    }
    Ok(found)
}

/// Whether a name is one of those that a pattern means, in which * stands for any letters. Capitals do not matter.
fn matches(pattern: &str, name: &str) -> bool {
    fn from(pattern: &[char], name: &[char]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, _) => name.is_empty(),
            (Some(('*', rest)), _) => (0..=name.len()).any(|skipped| from(rest, &name[skipped..])),
            (Some((first, rest)), Some((letter, others))) => first == letter && from(rest, others),
            (Some(_), None) => false,
        }
    }
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    from(&letters(pattern), &letters(name))
}

#[cfg(test)]
mod tests {
    use gamete_arena::ModelInfo;

    use super::*;

    fn options() -> Vec<EngineOption> {
        let spin = |name: &str, default, min, max| EngineOption {
            name: name.to_owned(),
            kind: OptionKind::Spin { default, min, max },
        };
        let other = |name: &str, kind| EngineOption { name: name.to_owned(), kind };
        vec![
            spin("Hash", 16, 1, 1024),
            spin("Move Overhead", 10, 0, 5000),
            spin("UCI_Elo", 1320, 1320, 3190),
            spin("Search Depth", 0, 0, 20),
            spin("Bitbases Cache Size", 16, 16, 1024),
            spin("Contempt", 24, -100, 100),
            spin("LmrBase", 75, 0, 200),
            spin("LmrDivisor", 225, 100, 400),
            other("Style", OptionKind::Combo { default: "a".to_owned(), choices: vec!["a".to_owned()] }),
            other("Clear", OptionKind::Button),
            other("OwnBook", OptionKind::Check { default: true }),
            other("Scale", OptionKind::String { default: "1.25".to_owned() }),
        ]
    }

    fn names(pattern: Option<&str>) -> Vec<String> {
        auto_engine(&options(), "Fish", pattern).expect("options").into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn spin_options_are_found_but_for_those_that_are_no_matter_of_strength() {
        assert_eq!(names(None), ["Contempt", "LmrBase", "LmrDivisor"]);
        assert_eq!(names(Some("lmr*")), ["LmrBase", "LmrDivisor"]);
        assert_eq!(names(Some("Hash")), ["Hash"], "named in full");
        let error = auto_engine(&options(), "Fish", Some("lnr*")).expect_err("none").to_string();
        assert!(error.starts_with("-params auto:lnr*: no spin option of Fish matches"), "{error}");
    }

    fn checked(name: &str, kind: Kind, start: Option<f64>, range: [f64; 2]) -> Result<TunedParameter> {
        let one = TunedParameter { name: name.to_owned(), kind, start, range, step: None, rate: None };
        of_engine(one, &options(), "Fish")
    }

    #[test]
    fn parameters_must_be_what_the_engine_takes() {
        let start = |name, kind, range| checked(name, kind, None, range).expect("a parameter").start;
        assert_eq!(start("contempt", Kind::Integer, [0.0, 100.0]), Some(24.0));
        assert_eq!(start("OwnBook", Kind::Flag, [0.0, 1.0]), Some(1.0));
        assert_eq!(start("Scale", Kind::Real, [0.5, 2.0]), Some(1.25));
        let error =
            |name, kind, start, range| checked(name, kind, start, range).expect_err("an error").to_string();
        assert_eq!(
            error("LmrBas", Kind::Integer, None, [0.0, 1.0]),
            "LmrBas: Fish has no such option; did you mean LmrBase?"
        );
        assert_eq!(
            error("LmrBase", Kind::Integer, None, [0.0, 300.0]),
            "LmrBase: the range 0 to 300 is not within what Fish takes, 0 to 200"
        );
        assert!(
            error("LmrBase", Kind::Real, None, [0.0, 1.5])
                .contains("takes whole numbers for it, from 0 to 200")
        );
        assert!(error("Style", Kind::Integer, None, [0.0, 1.0]).contains("it is of type combo"));
        assert!(error("Clear", Kind::Integer, None, [0.0, 1.0]).contains("it is of type button"));
        assert!(error("OwnBook", Kind::Integer, None, [0.0, 2.0]).contains("takes true or false"));
        assert!(error("OwnBook", Kind::Integer, Some(0.0), [0.0, 1.0]).contains("it is of type check"));
        assert_eq!(checked("OwnBook", Kind::Integer, Some(1.0), [1.0, 1.0]).expect("kept").kind, Kind::Flag);
        assert!(
            error("LmrBase", Kind::Integer, None, [0.0, 50.0])
                .contains("has it at 75, which is not from 0 to 50")
        );
    }

    #[test]
    fn parameters_start_at_the_values_that_the_engine_was_given() {
        let spec = EngineSpec::new("fish").with_option("lmrbase", "50").with_option("Scale", "big");
        let started = |name: &str, start| {
            let name = name.to_owned();
            let mut one = TunedParameter {
                name,
                kind: Kind::Integer,
                start,
                range: [0.0, 200.0],
                step: None,
                rate: None,
            };
            start_as_given(&mut one, &spec).map(|warning| (one.start, warning))
        };
        assert_eq!(started("LmrBase", None).expect("a number"), (Some(50.0), None));
        assert_eq!(started("LmrBase", Some(50.0)).expect("a number"), (Some(50.0), None));
        let (start, warning) = started("LmrBase", Some(75.0)).expect("a number");
        assert_eq!(start, Some(75.0));
        assert_eq!(warning.as_deref(), Some("lmrbase starts at 75, and option.lmrbase=50 is ignored"));
        assert_eq!(started("LmrDivisor", None).expect("nothing given"), (None, None));
        let error = started("Scale", None).expect_err("no number").to_string();
        assert_eq!(error, "option.Scale=big: it is tuned, and must start at a number");
    }

    #[test]
    fn weights_and_settings_of_players_are_parameters_too() {
        let player = Player::new(ModelInfo::find("chess/material").expect("a model"));
        let weights = auto_player(&player, None).expect("weights");
        assert_eq!(weights.len(), player.weights().len());
        let settings = auto_player(&player, Some("search.futility_*")).expect("settings");
        assert!(!settings.is_empty() && settings.iter().all(|one| one.kind == Kind::Integer));
        let file = |name: &str, range| {
            let name = name.to_owned();
            let one =
                TunedParameter { name, kind: Kind::Integer, start: None, range, step: None, rate: None };
            of_player(one, &player)
        };
        let short = file("null_move_reduction", [1.0, 4.0]).expect("a setting");
        assert_eq!(short.name, "search.null_move_reduction");
        assert_eq!(file("knight", [0.0, 9000.0]).expect("a weight").kind, Kind::Real);
        assert!(file("nkight", [0.0, 1.0]).expect_err("a slip").to_string().contains("did you mean knight?"));
    }

    #[test]
    fn stars_stand_for_any_letters() {
        for (pattern, name, is_match) in [
            ("*", "", true),
            ("lmr*", "LMR_base", true),
            ("*base", "lmr_base", true),
            ("l*b*e", "lmr_base", true),
            ("lmr", "lmr_base", false),
            ("*x*", "lmr", false),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
    }
}
