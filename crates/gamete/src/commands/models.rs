use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use gamete_arena::{GameName, ModelInfo, Playable, Player, dispatch};
use gamete_game::{Kind, Parameter};
use serde::Serialize;

use super::show_board::parse_position;
use crate::files::game_parser;

/// List the models, with the ranges and meanings of their weights.
///
/// A player is a file with a model, weights and search settings; every command that takes a player accepts such a
/// file, or the name of a model for its defaults.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete models
  gamete models chess/classic
  gamete models chess/classic --toml > player.toml
  gamete models chess/material --fen '4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1'
  gamete models --json")]
pub struct Args {
    /// Model to show in full [default: a summary of all]
    model: Option<String>,

    /// Only the models of this game
    #[arg(long, value_name = "GAME", value_parser = game_parser())]
    game: Option<GameName>,

    /// Print a player file with the model's defaults
    #[arg(long, requires = "model", conflicts_with = "json")]
    toml: bool,

    /// Print what each weight multiplies in this position, White's minus Black's; if there are many weights, only
    /// those that count
    #[arg(long, requires = "model", conflicts_with = "toml")]
    fen: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let named = args.model.as_deref().map(ModelInfo::find).transpose()?;
    if let (Some(model), Some(game)) = (named, args.game)
        && model.game != game
    {
        bail!("{} is a model of {}, not of {game}", model.name, model.game);
    }
    if let (Some(model), Some(fen)) = (named, &args.fen) {
        let features = dispatch!(model.game, G => features::<G>(model, fen))?;
        return print_features(model, &features, args.json);
    }
    let wanted = |model: &&ModelInfo| match named {
        Some(named) => model.name == named.name,
        None => args.game.is_none_or(|game| model.game == game),
    };
    let models: Vec<_> = ModelInfo::all().iter().filter(wanted).collect();
    let mut out = io::stdout().lock();
    if let (true, Some(model)) = (args.toml, named) {
        write!(out, "{}", Player::new(model))?;
    } else if args.json {
        let models: Vec<_> = models.into_iter().map(Model::from).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&models)?)?;
    } else if let Some(model) = named {
        print_model(&mut out, model)?;
    } else {
        for model in models {
            writeln!(out, "{:<28} {:>3} weights  {}", model.name, model.weights.len(), model.about)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The features of a position, in the order of the weights.
fn features<G: Playable>(model: &ModelInfo, fen: &str) -> Result<Vec<f64>> {
    let position: G = parse_position(Some(fen))?;
    let counts = position.features(model)?.0;
    Ok(counts.into_iter().map(|count| f64::from(count) / f64::from(model.divisor)).collect())
}

fn print_features(model: &ModelInfo, features: &[f64], json: bool) -> Result<ExitCode> {
    let named = model.weights.iter().map(|weight| weight.name).zip(features);
    let mut out = io::stdout().lock();
    if json {
        let counts: BTreeMap<&str, f64> = named.map(|(name, &count)| (name, count)).collect();
        writeln!(out, "{}", serde_json::to_string(&counts)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = model.weights.iter().map(|weight| weight.name.len()).max().unwrap_or_default();
    let is_short = features.len() <= FEW;
    for (name, count) in named.filter(|(_, count)| is_short || **count != 0.0) {
        writeln!(out, "{name:<width$} {count:>8}")?;
    }
    let zeros = features.iter().filter(|count| **count == 0.0).count();
    if !is_short && zeros > 0 {
        writeln!(out, "and {zeros} others that multiply 0")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// As many features are listed with those that are 0.
const FEW: usize = 150;

fn print_model(out: &mut impl Write, model: &ModelInfo) -> io::Result<()> {
    writeln!(out, "{}: {}", model.name, model.about)?;
    let width = model.weights.iter().map(|weight| weight.name.len()).max().unwrap_or_default();
    writeln!(
        out,
        "  {:<width$} {:>6}  {:<12} {:>5}  what it multiplies",
        "weight", "value", "range", "step"
    )?;
    for family in model.weights.chunk_by(|one, two| is_table(model, one) && stem(one) == stem(two)) {
        let [weight, others @ ..] = family else { continue };
        let range = format!("{} to {}", weight.min, weight.max);
        writeln!(
            out,
            "  {:<width$} {:>6}  {range:<12} {:>5}  {}",
            weight.name, weight.default, weight.step, weight.about
        )?;
        for row in others.chunks(PER_LINE) {
            let entries = row.iter().map(|weight| format!("{} {}", label(weight), weight.default));
            writeln!(out, "    {}", entries.collect::<Vec<_>>().join(", "))?;
        }
    }
    Ok(())
}

/// Weights of a table that are listed in a line.
const PER_LINE: usize = 8;

/// Whether a weight is one of many that differ in the last word of their names: the first is listed in full, the others with
/// that word and their value.
fn is_table(model: &ModelInfo, weight: &Parameter) -> bool {
    const MANY: usize = 5;
    let same = |other: &&Parameter| stem(other) == stem(weight);
    stem(weight).is_some() && model.weights.iter().filter(same).count() >= MANY
}

/// The name without its last word.
fn stem(weight: &Parameter) -> Option<&str> {
    weight.name.rsplit_once('_').map(|(stem, _)| stem)
}

/// The last word of the name.
fn label(weight: &Parameter) -> &str {
    weight.name.rsplit_once('_').map_or(weight.name, |(_, label)| label)
}

/// A model as `--json` prints it.
#[derive(Serialize)]
struct Model {
    name: &'static str,
    game: GameName,
    about: &'static str,
    weights: Vec<Weight>,
}

#[derive(Serialize)]
struct Weight {
    name: &'static str,
    kind: &'static str,
    min: f64,
    max: f64,
    default: f64,
    step: f64,
    about: &'static str,
}

impl From<&'static ModelInfo> for Model {
    fn from(model: &'static ModelInfo) -> Self {
        let weights = model.weights.iter().map(|weight| Weight {
            name: weight.name,
            kind: match weight.kind {
                Kind::Real => "real",
                Kind::Integer => "integer",
                Kind::Flag => "flag",
            },
            min: weight.min,
            max: weight.max,
            default: weight.default,
            step: weight.step,
            about: weight.about,
        });
        Self { name: model.name, game: model.game, about: model.about, weights: weights.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(name: &str) -> Vec<String> {
        let mut text = Vec::new();
        let model = ModelInfo::find(name).expect("a model");
        print_model(&mut text, model).expect("printed");
        String::from_utf8(text).expect("text").lines().map(str::to_owned).collect()
    }

    #[test]
    fn tables_are_listed_in_short() {
        let lines = listing("chess/tapered");
        assert!(lines.len() < 350, "{}", lines.len());
        let first =
            lines.iter().position(|line| line.starts_with("  knight_mg_a1 ")).expect("the first weight");
        assert!(lines[first].ends_with("knights on a1 or h1"), "{}", lines[first]);
        assert!(lines[first + 1].starts_with("    b1 -40, c1 -25, d1 -18, a2 -42, "), "{}", lines[first + 1]);
        assert!(
            lines.iter().any(|line| line.starts_with("  bishop_pair_mg ")),
            "those of no table have a line each"
        );
        // A heading and a line each; names without an underscore have no table.
        assert_eq!(listing("chess/classic").len(), 2 + 35);
        assert_eq!(listing("chess/material").len(), 2 + 5);
    }
}
