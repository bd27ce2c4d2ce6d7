use std::process::ExitCode;

use anyhow::Result;
use gamete_arena::date;
use gamete_lab::{Baseline, ExperimentSummary, LabView};

use crate::lab::{LabArgs, elo_text};
use crate::terminal::{grouped, outln, print_json};

/// List the experiments of a lab: when and from which seed they began, how far they are, how much stronger their champion
/// is than its start and than the classical weights, and what was set.
#[derive(clap::Args)]
#[command(
    after_help = "Of a study, Elo is that of the arm that did best. What was set is compared with the preset, or with
the defaults of the method.

Examples:
  gamete list
  gamete list --lab results --json"
)]
pub struct Args {
    #[command(flatten)]
    lab: LabArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let store = args.lab.open()?;
    let experiments = LabView::new(&store).experiments()?;
    if args.json {
        print_json(&experiments)?;
        return Ok(ExitCode::SUCCESS);
    }
    let head = ["id", "begun", "seed", "state", "games", "time", "Elo to start", "to classical"];
    let cells: Vec<[String; 8]> = experiments.iter().map(cells).collect();
    let width = |column: usize| {
        cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(head[column].len())
    };
    let widths: [usize; 8] = std::array::from_fn(width);
    let row = |cells: [&str; 8], rest: &str| {
        let mut text = String::new();
        for (column, cell) in cells.into_iter().enumerate() {
            // Names and words begin at the left, numbers end at the right.
            let padding = " ".repeat(widths[column] - cell.chars().count());
            let [before, behind] = if [0, 1, 3].contains(&column) { ["", &padding] } else { [&padding, ""] };
            text.push_str(&format!("{before}{cell}{behind}  "));
        }
        text + rest
    };
    outln!("{}", row(head, "set"))?;
    for (cells, one) in cells.iter().zip(&experiments) {
        outln!("{}", row(cells.each_ref().map(String::as_str), &about(one)).trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn cells(one: &ExperimentSummary) -> [String; 8] {
    [
        one.id.clone(),
        date(one.created).replace('.', "-"),
        one.seed.to_string(),
        one.state.to_string(),
        grouped(one.games),
        format!("{:.0} s", one.seconds),
        elo(one, Baseline::Start),
        elo(one, Baseline::Classical),
    ]
}

/// Elo against a baseline, of the champion that did best.
fn elo(one: &ExperimentSummary, baseline: Baseline) -> String {
    let played = one.verification.iter().filter(|found| found.against == baseline && found.score.pairs > 0);
    let best = played.max_by(|one, other| one.score.share().total_cmp(&other.score.share()));
    best.map_or_else(|| "-".to_owned(), elo_text)
}

/// What was set, and what it is for.
fn about(one: &ExperimentSummary) -> String {
    match (one.set.is_empty(), one.about.is_empty()) {
        (true, _) => one.about.clone(),
        (false, true) => one.set.join(" "),
        (false, false) => format!("{} ({})", one.set.join(" "), one.about),
    }
}
