use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use gamete_arena::{GameName, ModelInfo, Player};
use gamete_game::Kind;
use serde_json::json;

use crate::files::game_parser;

/// List the models: their weights, ranges and meaning.
///
/// A player is a file with a model, weights and search settings; every command that takes a player takes such a
/// file, or the name of a model for its defaults.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  gamete models
  gamete models chess/classic
  gamete models chess/classic --toml > player.toml
  gamete models --json")]
pub struct Args {
    /// The model to show in full [default: all of them in short]
    model: Option<String>,

    /// Only the models of this game
    #[arg(long, value_name = "GAME", value_parser = game_parser())]
    game: Option<GameName>,

    /// Print a player file with the model's defaults
    #[arg(long, requires = "model", conflicts_with = "json")]
    toml: bool,

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
    let wanted = |model: &&ModelInfo| match named {
        Some(named) => model.name == named.name,
        None => args.game.is_none_or(|game| model.game == game),
    };
    let models: Vec<_> = ModelInfo::all().iter().filter(wanted).collect();
    let mut out = io::stdout().lock();
    if let (true, Some(model)) = (args.toml, named) {
        write!(out, "{}", Player::new(model))?;
    } else if args.json {
        let models: Vec<_> = models.into_iter().map(to_json).collect();
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

fn print_model(out: &mut impl Write, model: &ModelInfo) -> io::Result<()> {
    writeln!(out, "{}: {}", model.name, model.about)?;
    let width = model.weights.iter().map(|weight| weight.name.len()).max().unwrap_or_default();
    for weight in model.weights {
        let range = format!("{} to {}", weight.min, weight.max);
        writeln!(out, "  {:<width$} {:>6}  {range:<12} {}", weight.name, weight.default, weight.about)?;
    }
    Ok(())
}

fn to_json(model: &ModelInfo) -> serde_json::Value {
    let weights: Vec<_> = model
        .weights
        .iter()
        .map(|weight| {
            let kind = match weight.kind {
                Kind::Real => "real",
                Kind::Integer => "integer",
                Kind::Flag => "flag",
            };
            json!({
                "name": weight.name, "kind": kind, "min": weight.min, "max": weight.max,
                "default": weight.default, "about": weight.about,
            })
        })
        .collect();
    json!({ "name": model.name, "game": model.game.as_str(), "about": model.about, "weights": weights })
}
