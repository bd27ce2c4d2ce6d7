use std::process::ExitCode;

use anyhow::Result;
use gamete_arena::date;
use gamete_lab::{Baseline, BaselineMatch, ExperimentRow, Store};
use gamete_stats::Results;
use serde_json::json;

use crate::lab::{LabArgs, elo_text, verification_json};
use crate::terminal::{counted, grouped, outln};

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
    let mut lines = Vec::new();
    for row in store.experiments()? {
        lines.push(Line::read(&store, row)?);
    }
    if args.json {
        let lines: Vec<_> = lines.iter().map(Line::json).collect();
        outln!("{}", json!(lines))?;
        return Ok(ExitCode::SUCCESS);
    }
    let head = ["id", "begun", "seed", "state", "games", "time", "Elo to start", "to classical"];
    let cells: Vec<[String; 8]> = lines.iter().map(Line::cells).collect();
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
    for (cells, line) in cells.iter().zip(&lines) {
        outln!("{}", row(cells.each_ref().map(String::as_str), &line.about()).trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is told of an experiment.
struct Line {
    row: ExperimentRow,
    /// Games, of the generations that are over if it is unfinished.
    games: u64,
    /// The last generation of each run that has begun.
    generations: Vec<u32>,
    /// The most generations that a run has, if there is a limit.
    most: Option<u32>,
    /// Runs that there are to be.
    runs: usize,
    set: Vec<String>,
    verification: Vec<BaselineMatch>,
}

impl Line {
    fn read(store: &Store, row: ExperimentRow) -> Result<Self> {
        let experiment = row.experiment()?;
        let conclusion = row.conclusion()?;
        let (mut generations, mut games) = (Vec::new(), 0);
        if conclusion.is_none() {
            for run in store.runs(&row.id)? {
                let summaries = store.summaries(run.number)?;
                generations.extend(summaries.last().map(|last| last.number));
                games += summaries.iter().map(|summary| summary.games).sum::<u64>();
            }
        }
        let budget = experiment.head.budget.generations;
        Ok(Self {
            games: conclusion.map_or(games, |found| found.games),
            generations,
            most: (budget > 0).then_some(budget),
            runs: experiment.head.arms.len().max(1) * experiment.head.replicates as usize,
            set: experiment.what_is_set(),
            verification: store.verification(&row.id)?,
            row,
        })
    }

    /// Whether it is done, or how far it is.
    fn state(&self) -> String {
        if self.row.result.is_some() {
            return "done".to_owned();
        }
        let most = self.most.map_or_else(String::new, |most| format!("/{most}"));
        match (self.runs, self.generations.iter().max()) {
            (1, last) => format!("generation {}{most}", last.unwrap_or(&0)),
            (runs, last) => {
                let begun = counted(runs as u64, "run");
                format!("{} of {begun}, generation {}{most}", self.generations.len(), last.unwrap_or(&0))
            }
        }
    }

    /// Elo against a baseline, of the champion that did best.
    fn elo(&self, baseline: Baseline) -> String {
        let own = self.verification.iter().filter(|one| one.baseline == baseline);
        let played = own.filter(|one| one.pairs().pairs() > 0);
        let score = |one: &BaselineMatch| Results::from(one.pairs()).score();
        let best = played.max_by(|one, other| score(one).total_cmp(&score(other)));
        best.map_or_else(|| "-".to_owned(), elo_text)
    }

    fn cells(&self) -> [String; 8] {
        let row = &self.row;
        [
            row.id.clone(),
            date(row.created).replace('.', "-"),
            row.seed.to_string(),
            self.state(),
            grouped(self.games),
            format!("{:.0} s", row.seconds),
            self.elo(Baseline::Start),
            self.elo(Baseline::Classical),
        ]
    }

    /// What was set, and what it is for.
    fn about(&self) -> String {
        match (self.set.is_empty(), self.row.about.is_empty()) {
            (true, _) => self.row.about.clone(),
            (false, true) => self.set.join(" "),
            (false, false) => format!("{} ({})", self.set.join(" "), self.row.about),
        }
    }

    fn json(&self) -> serde_json::Value {
        let Self { row, .. } = self;
        json!({
            "id": row.id, "method": row.method, "about": row.about, "seed": row.seed, "created": row.created,
            "seconds": row.seconds, "finished": row.result.is_some(), "state": self.state(), "games": self.games,
            "set": self.set, "verification": verification_json(&self.verification),
        })
    }
}
