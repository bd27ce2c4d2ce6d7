use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use gamete_arena::{JournalError, date};
use gamete_lab::{Baseline, ExperimentSummary, LabView, MatchView, StoreError, ViewError, match_journals};
use gamete_stats::fixed;
use serde::Serialize;

use crate::lab::{LabArgs, elo_text};
use crate::terminal::{grouped, outln, print_json, print_warning};

/// List the experiments in the lab, and the matches in this directory.
///
/// For each experiment: when and from which seed it began, how far it is, how much stronger its champion is than its
/// start and than the classical weights, and what was set. Then come the matches whose journals are in the current
/// directory.
#[derive(clap::Args)]
#[command(
    after_help = "Stages are listed under their pipeline. For a study, Elo (and regret, where the optimum is known) is that of \
                  the best arm. Settings are those that differ from the preset, or from the defaults of the method. \
                  For a match of two, Elo is that of the first.

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
    let matches = matches_here();
    let experiments = match args.lab.open() {
        Ok(store) => LabView::new(&store).experiments()?,
        // Whoever plays matches needs no lab.
        Err(error) if is_missing(&error) && !matches.is_empty() => Vec::new(),
        Err(error) => return Err(error),
    };
    if args.json {
        let experiments = experiments.iter().map(Listed::Experiment);
        let all: Vec<_> = experiments.chain(matches.iter().map(|one| Listed::Match(&one.row))).collect();
        print_json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !experiments.is_empty() || matches.is_empty() {
        let head = ["id", "begun", "seed", "state", "games", "time", "Elo to start", "to classical"];
        let rows = lines(&experiments).into_iter().map(|(id, one)| (cells(&id, one), about(one)));
        print_table(head, "set", &rows.collect::<Vec<_>>(), [0, 1, 3].as_slice())?;
    }
    if !matches.is_empty() {
        if !experiments.is_empty() {
            outln!()?;
        }
        let head = ["match", "begun", "seed", "state", "games", "time", "Elo"];
        let rows: Vec<_> = matches.into_iter().map(|one| (one.cells, one.players)).collect();
        print_table(head, "players", &rows, &[0, 1, 3])?;
    }
    Ok(ExitCode::SUCCESS)
}

fn is_missing(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::NoLab { .. }))
}

/// The matches of the current directory. One that cannot be read is told of, and does not hide the others.
fn matches_here() -> Vec<ListedMatch> {
    let mut found = Vec::new();
    for path in match_journals(Path::new(".")).unwrap_or_default() {
        match MatchView::read(&path) {
            Ok(view) => found.push(ListedMatch::new(&view)),
            // A copy of a lab.
            Err(ViewError::Journal(JournalError::NoJournal { .. })) => {}
            Err(error) => print_warning(&error.to_string()),
        }
    }
    found.sort_by(|ListedMatch { row: one, .. }, ListedMatch { row: other, .. }| {
        (one.created, &one.id).cmp(&(other.created, &other.id))
    });
    found
}

/// Something in the list, as JSON has it.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Listed<'a> {
    Experiment(&'a ExperimentSummary),
    Match(&'a MatchRow),
}

/// What the list has of a match: its games are not kept.
struct ListedMatch {
    row: MatchRow,
    cells: [String; 7],
    players: String,
}

impl ListedMatch {
    fn new(view: &MatchView) -> Self {
        Self { row: MatchRow::new(view), cells: match_cells(view), players: view.players() }
    }
}

/// A match in a line of a list.
#[derive(Serialize)]
struct MatchRow {
    /// The journal.
    id: String,
    event: String,
    contestants: Vec<String>,
    seed: u64,
    created: u64,
    seconds: f64,
    finished: bool,
    state: String,
    games: u64,
    planned_games: Option<u64>,
    /// Of the first of two.
    elo: Option<f64>,
}

impl MatchRow {
    fn new(view: &MatchView) -> Self {
        let elo = view.contestants.first().filter(|_| view.contestants.len() == 2 && view.games > 0);
        Self {
            id: view.path.clone(),
            event: view.event.clone(),
            contestants: view.contestants.iter().map(|one| one.name.clone()).collect(),
            seed: view.seed,
            created: view.created,
            seconds: view.seconds,
            finished: view.finished,
            state: view.state.to_string(),
            games: view.games,
            planned_games: view.planned_games,
            elo: elo.map(|one| one.elo),
        }
    }
}

/// A table whose last column is of any width. Names and words begin at the left, numbers end at the right.
fn print_table<const N: usize>(
    head: [&str; N],
    rest: &str,
    rows: &[([String; N], String)],
    left: &[usize],
) -> Result<()> {
    let width = |column: usize| {
        let cells = rows.iter().map(|(cells, _)| cells[column].chars().count());
        cells.max().unwrap_or(0).max(head[column].len())
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |cells: [&str; N], rest: &str| {
        let mut text = String::new();
        for (column, cell) in cells.into_iter().enumerate() {
            let padding = " ".repeat(widths[column] - cell.chars().count());
            let [before, behind] = if left.contains(&column) { ["", &padding] } else { [&padding, ""] };
            text.push_str(&format!("{before}{cell}{behind}  "));
        }
        text + rest
    };
    outln!("{}", line(head, rest))?;
    for (cells, rest) in rows {
        outln!("{}", line(cells.each_ref().map(String::as_str), rest).trim_end())?;
    }
    Ok(())
}

fn match_cells(one: &MatchView) -> [String; 7] {
    let elo = match one.contestants.as_slice() {
        [first, _] if one.games > 0 => {
            gamete_stats::elo_text(first.elo, first.interval(), |elo| format!("{elo:.0}"))
        }
        _ => "-".to_owned(),
    };
    [
        one.path.clone(),
        date(one.created).replace('.', "-"),
        one.seed.to_string(),
        one.state.to_string(),
        grouped(one.games),
        format!("{:.0} s", one.seconds),
        elo,
    ]
}

/// Experiments with what stands in the first column; the stages of a pipeline are under it.
fn lines(experiments: &[ExperimentSummary]) -> Vec<(String, &ExperimentSummary)> {
    let mut lines = Vec::new();
    for one in experiments {
        lines.push((one.id.clone(), one));
        lines.extend(one.stages.iter().map(|stage| (format!("  {}", stage.id), stage)));
    }
    lines
}

fn cells(id: &str, one: &ExperimentSummary) -> [String; 8] {
    [
        id.to_owned(),
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

/// What was set, and what it is for. What a stage sets is in the file of its pipeline.
fn about(one: &ExperimentSummary) -> String {
    if one.id.contains('/') {
        return format!("{}, {}", one.method, one.about);
    }
    let regret = one.regret.map_or_else(String::new, |regret| format!("regret {}; ", fixed(regret, 2)));
    let set = match (one.set.is_empty(), one.about.is_empty()) {
        (true, _) => one.about.clone(),
        (false, true) => one.set.join(" "),
        (false, false) => format!("{} ({})", one.set.join(" "), one.about),
    };
    regret + &set
}
