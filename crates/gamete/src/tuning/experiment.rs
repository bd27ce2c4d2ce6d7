//! The experiment that a command line means, and its name in the lab.

use anyhow::{Error, Result, anyhow, bail};
use gamete_arena::Competitor;
use gamete_arena::uci::{EngineSpec, Restart};
use gamete_game::Kind;
use gamete_lab::{Experiment, TunedParameter, usual_optimizer};
use gamete_optim::OptimizerInfo;
use toml::{Table, Value};

use super::options::{Options, ParameterSource, TuneMethod};
use crate::terminal::counted;

/// The share of the openings that no trial starts from.
const HELD_OUT: f64 = 0.5;

/// The experiment of a tune, and what it is called in the lab. One that was begun keeps its initial step, which ranges would make another.
///
/// # Errors
///
/// When something is wrong with it.
pub fn experiment(
    options: &Options,
    parameters: &[TunedParameter],
    begun: Option<&Experiment>,
) -> Result<(Experiment, String)> {
    let mut table = match &options.subject.competitor {
        Competitor::Engine(_) => Table::new(),
        // Its file has the keys that an experiment has for players: model, preset, weights and search.
        Competitor::Player(player) => player.to_string().parse().expect("a player file"),
    };
    let sought = parameters.iter().filter(|one| !one.is_frozen()).count();
    let Procedure { method, mut settings, games, pairs } = Procedure::of(options, sought);
    let is_of_corpus = options.method.corpus().is_some();
    check_deviation(method, &settings, parameters)?;
    if let Some((key, step)) = initial_step(method, parameters) {
        let step = begun.and_then(|begun| begun.number(&format!("{method}.{key}"))).unwrap_or(step);
        settings.entry(key).or_insert(Value::Float(step));
    }
    let mut own = match_table(options, pairs);
    let prefix = match &options.subject.competitor {
        Competitor::Engine(spec) => {
            engine_keys(spec, &mut own);
            table.insert("options".to_owned(), engine_options(spec, parameters).into());
            "options."
        }
        Competitor::Player(_) => {
            player_keys(parameters, &mut table);
            ""
        }
    };
    // An experiment has options by name, and weights as their model has them.
    let is_usual = match (&options.subject.competitor, &options.parameters) {
        (Competitor::Engine(_), _) => parameters.is_sorted_by_key(|one| &one.name),
        (Competitor::Player(_), source) => matches!(source, ParameterSource::Auto(_)),
    };
    let starts = parameters.iter().zip(1..).map(|(one, place)| {
        let mut entry = start_entry(one);
        if !is_usual {
            entry.insert("place".to_owned(), Value::Integer(place));
        }
        (format!("{prefix}{}", one.name), entry.into())
    });
    table.insert("parameters".to_owned(), starts.collect::<Table>().into());
    table.insert("match".to_owned(), own.into());
    if is_of_corpus {
        // What is in use is a better guess than nothing.
        settings.entry("towards").or_insert_with(|| "defaults".into());
        table.extend(settings);
    } else {
        table.insert("generations".to_owned(), 0.into());
        table.insert(method.to_owned(), settings.into());
    }
    let title = title(options);
    let sought = counted(sought as u64, "parameter");
    let about = match options.dry_run {
        None => format!("{sought} of {} by {method}", options.subject.name),
        Some(_) => format!("what a step of {sought} of {} is worth", options.subject.name),
    };
    let max_moves = options.max_moves;
    let seed = i64::try_from(options.seed).map_err(|_| anyhow!("-srand: {} is too large", options.seed))?;
    let games = i64::try_from(games).map_err(|_| anyhow!("-games: {games} is too large"))?;
    let head = [
        ("name", Some(Value::from(title.as_str()))),
        ("about", Some(about.into())),
        ("method", Some(if is_of_corpus { method } else { "optimize" }.into())),
        ("optimizer", (!is_of_corpus).then(|| method.into())),
        ("objective", (!is_of_corpus).then(|| "match".into())),
        ("seed", Some(seed.into())),
        ("games", Some(games.into())),
        ("limits", Some(options.subject.limits.to_string().into())),
        ("max_moves", max_moves.map(|(moves, _)| i64::from(moves).into())),
        ("at_max_moves", max_moves.map(|(_, at)| Value::try_from(at).expect("a word"))),
    ];
    table.extend(head.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    let experiment =
        Experiment::from_table(&table).map_err(|error| in_words_of_method(method, &error.to_string()))?;
    let id = match options.name {
        Some(_) => format!("{title}-{}", options.seed),
        None => format!("{title}-{}-{}", options.seed, experiment.mark()),
    };
    Ok((experiment, id))
}

/// What is wrong with a setting of the method, as it is typed; anything else as it is.
fn in_words_of_method(method: &str, error: &str) -> Error {
    match error.strip_prefix(method).and_then(|rest| rest.strip_prefix('.')) {
        Some(setting) if method != "screen" => anyhow!("-method {method} {setting}"),
        _ => anyhow!("{error}"),
    }
}

/// Who proposes points, and how many games there are.
struct Procedure<'a> {
    method: &'a str,
    settings: Table,
    games: u64,
    /// Pairs of games of a trial, if said.
    pairs: Option<u64>,
}

impl<'a> Procedure<'a> {
    /// Of a tune of so many parameters.
    fn of(options: &'a Options, sought: usize) -> Self {
        // The more points are compared, the more games tell of all parameters.
        let pairs = |compares: bool| options.pairs.or(compares.then_some(1));
        match options.dry_run {
            None => {
                let method = match options.method {
                    TuneMethod::Usual => usual_optimizer(sought),
                    TuneMethod::Optimizer(name) | TuneMethod::Corpus(name) => name,
                };
                let (settings, games) = (options.settings.clone(), options.games);
                let compares = OptimizerInfo::find(method).is_some_and(|info| info.compares);
                Self { method, settings, games, pairs: pairs(compares) }
            }
            Some(games) => Self {
                method: "screen",
                settings: Table::from_iter([(
                    "planned_games".to_owned(),
                    Value::Integer(options.games as i64),
                )]),
                games,
                pairs: pairs(true),
            },
        }
    }
}

/// The setting of a method that is its initial step, as the steps of the parameters have it: the median of them, relative to ranges or to values
/// as the method takes it. Nothing if the method has no such setting, or a parameter no step.
fn initial_step(method: &str, parameters: &[TunedParameter]) -> Option<(&'static str, f64)> {
    let (key, size): (_, fn(&TunedParameter) -> f64) = match method {
        "cma-es" => ("sigma", |one| one.range[1] - one.range[0]),
        "nelder-mead" => ("step", |one| one.start.unwrap_or_default().abs()),
        _ => return None,
    };
    let sought = parameters.iter().filter(|one| !one.is_frozen());
    let steps = sought.map(|one| Some((one.step?, size(one)))).collect::<Option<Vec<_>>>()?;
    // Of 0 no step is a part.
    let mut steps: Vec<f64> =
        steps.into_iter().filter(|(_, size)| *size > 0.0).map(|(step, size)| step / size).collect();
    steps.sort_by(f64::total_cmp);
    let step = *steps.get(steps.len() / 2)?;
    let least =
        if key == "sigma" { smallest_deviation(parameters).map_or(0.0, |(_, least)| least) } else { 0.0 };
    Some((key, ((1000.0 * step).round() / 1000.0).max(least).clamp(0.001, 1.0)))
}

/// The smallest deviation of random steps, relative to ranges, by which all whole parameters change now and then, and the parameter
/// that needs it. A change of less than a half rounds to nothing, and two deviations are exceeded by one step in twenty.
fn smallest_deviation(parameters: &[TunedParameter]) -> Option<(&str, f64)> {
    let whole = parameters.iter().filter(|one| !one.is_frozen() && one.kind != Kind::Real);
    let least = |one: &TunedParameter| {
        let needed = TunedParameter::SMALLEST_WHOLE_STEP / 2.0 / (one.range[1] - one.range[0]);
        (10_000.0 * needed).ceil() / 10_000.0
    };
    whole.map(|one| (one.name.as_str(), least(one))).max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// Refuses an initial deviation of steps that nearly always round to nothing.
fn check_deviation(method: &str, settings: &Table, parameters: &[TunedParameter]) -> Result<()> {
    let given = settings.get("sigma").filter(|_| ["cma-es", "tbpsa"].contains(&method));
    let given = given.and_then(|sigma| sigma.as_float().or(sigma.as_integer().map(|whole| whole as f64)));
    match (given, smallest_deviation(parameters)) {
        (Some(sigma), Some((name, least))) if sigma < least => bail!(
            "sigma={sigma}: steps of {name}, which is whole, nearly always round to nothing; the smallest that works is {least}"
        ),
        _ => Ok(()),
    }
}

/// The name of the experiment: the one that was given, or that of what is tuned.
fn title(options: &Options) -> String {
    let ending = if options.dry_run.is_some() { "-dry-run" } else { "" };
    if let Some(name) = &options.name {
        return format!("{name}{ending}");
    }
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
    format!("tune-{}{ending}", options.subject.name.chars().map(plain).collect::<String>())
}

/// The keys of the objective that have nothing to do with who plays.
fn match_table(options: &Options, pairs: Option<u64>) -> Table {
    let openings = &options.openings;
    let file = openings.file.as_ref().map(|file| file.display().to_string());
    let rule = options.tables.as_ref().map(|(_, rule)| rule);
    let pieces = rule.and_then(|rule| rule.max_pieces);
    let keys = [
        ("opponents", Some(vec!["start"].into())),
        ("pairs", pairs.map(|pairs| Value::Integer(pairs as i64))),
        ("openings", file.clone().map(Value::from)),
        ("book_plies", file.and(openings.plies).map(|plies| Value::Integer(plies as i64))),
        ("plies", Some(Value::Integer(openings.random_plies() as i64))),
        ("held_out", Some(HELD_OUT.into())),
        ("draw", options.draw.map(|rule| rule.to_string().into())),
        ("resign", options.resign.map(|rule| rule.to_string().into())),
        ("tables", rule.map(|rule| Value::try_from(rule.decides).expect("a word"))),
        ("table_pieces", pieces.map(|pieces| Value::Integer(pieces.into()))),
        ("table_fifty", rule.map(|rule| Value::Boolean(!rule.ignore_fifty_moves))),
        ("variant", options.shuffled.then(|| "fischerandom".into())),
        ("time_margin", Some(Value::Integer(options.subject.time_margin_ms as i64))),
    ];
    keys.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// The keys of the objective that say how an engine is started.
fn engine_keys(spec: &EngineSpec, own: &mut Table) {
    let command = [&[spec.cmd.display().to_string()], spec.args.as_slice()].concat();
    own.insert("engine".to_owned(), command.into());
    own.extend(spec.dir.as_ref().map(|dir| ("dir".to_owned(), dir.display().to_string().into())));
    let restart = match spec.restart {
        Restart::Auto => "auto",
        Restart::On => "on",
        Restart::Off => "off",
    };
    own.insert("restart".to_owned(), restart.into());
}

/// The values and ranges of the options of an engine.
fn engine_options(spec: &EngineSpec, parameters: &[TunedParameter]) -> Table {
    let kept = spec.options.iter().map(|(name, text)| {
        let number = text.parse::<i64>().map(Value::Integer);
        (name.clone(), number.unwrap_or_else(|_| Value::from(text.as_str())))
    });
    let mut options: Table = kept.collect();
    for one in parameters {
        options.retain(|name, _| !name.eq_ignore_ascii_case(&one.name));
        options.insert(one.name.clone(), range_or_value(one));
    }
    options
}

/// Puts the ranges and values of weights and settings into the keys of a player.
fn player_keys(parameters: &[TunedParameter], table: &mut Table) {
    table.remove("name");
    for one in parameters {
        let (place, name) = match one.name.strip_prefix("search.") {
            Some(setting) => ("search", setting),
            None => ("weights", one.name.as_str()),
        };
        let inner = table.entry(place).or_insert_with(|| Table::new().into());
        inner.as_table_mut().expect("a table").insert(name.to_owned(), range_or_value(one));
    }
}

/// What an experiment says of a parameter: its range, or the value that it keeps.
fn range_or_value(one: &TunedParameter) -> Value {
    let number = |number: f64| match one.kind {
        Kind::Flag => Value::Boolean(number != 0.0),
        Kind::Integer => Value::Integer(number as i64),
        Kind::Real => Value::Float(number),
    };
    if one.is_frozen() { number(one.range[0]) } else { one.range.map(number).to_vec().into() }
}

fn start_entry(one: &TunedParameter) -> Table {
    if one.is_frozen() {
        let start = ("start".to_owned(), one.range[0].into());
        return Table::from_iter([start, ("kept".to_owned(), true.into())]);
    }
    let numbers = [("start", one.start), ("step", one.step), ("rate", one.rate)];
    numbers.into_iter().filter_map(|(key, number)| Some((key.to_owned(), number?.into()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_parameters_are_the_initial_step_of_methods_that_have_one() {
        let parameter = |start, range, step| TunedParameter {
            name: "x".to_owned(),
            kind: Kind::Integer,
            start: Some(start),
            range,
            step,
            rate: None,
        };
        let mut parameters = vec![
            parameter(50.0, [0.0, 200.0], Some(10.0)),
            parameter(0.0, [-100.0, 100.0], Some(4.0)),
            parameter(100.0, [0.0, 400.0], Some(10.0)),
            parameter(7.0, [7.0, 7.0], None),
        ];
        assert_eq!(initial_step("cma-es", &parameters), Some(("sigma", 0.025)));
        assert_eq!(initial_step("nelder-mead", &parameters), Some(("step", 0.2)));
        assert_eq!(initial_step("pairs", &parameters), None);
        // Of one with few numbers a step has to be a larger part.
        parameters[3] = parameter(2.0, [0.0, 7.0], Some(1.0));
        assert_eq!(initial_step("cma-es", &parameters), Some(("sigma", 0.05)));
        parameters[0].step = Some(1.0);
        parameters[2].step = Some(4.0);
        assert_eq!(initial_step("cma-es", &parameters), Some(("sigma", 0.0358)));
        let refused = |method, sigma: f64| {
            let settings = Table::from_iter([("sigma".to_owned(), Value::Float(sigma))]);
            check_deviation(method, &settings, &parameters).err().map(|error| error.to_string())
        };
        assert_eq!((refused("cma-es", 0.04), refused("pairs", 0.01)), (None, None));
        assert_eq!(
            refused("tbpsa", 0.01).as_deref(),
            Some(
                "sigma=0.01: steps of x, which is whole, nearly always round to nothing; the smallest that works is 0.0358"
            )
        );
        parameters[0].step = None;
        assert_eq!(initial_step("cma-es", &parameters), None, "nobody knows");
    }
}
