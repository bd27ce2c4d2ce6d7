use std::fmt::Write;

use gamete_lab::WeightSource;
use gamete_stats::{Sample, Spread};

use crate::page::{Section, note, table};
use crate::published::{PIECE_VALUES, PieceValues};
use crate::subject::{Arm, Run, Subject, Unit};
use crate::text::{Escaped, fixed};

const PIECES: [&str; 4] = ["knight", "bishop", "rook", "queen"];

/// Generations over which means are taken, as in the paper.
const LAST: usize = 5;

/// What a genetic algorithm came to for the values of the pieces, beside Belmonte's printed results.
pub fn piece_values(subject: &Subject) -> Option<Section> {
    let arms: Vec<Pieces<'_>> = subject.arms.iter().filter_map(Pieces::of).collect();
    if arms.is_empty() || arms.iter().all(|pieces| pieces.arm.runs.is_empty()) {
        return None;
    }
    let mut body = String::new();
    for pieces in &arms {
        let name = if subject.view.is_study { &pieces.arm.title } else { "" };
        for (of, found) in pieces.found() {
            let cells = (0..4).map(|piece| cell(found.iter().map(|values| values[piece])));
            body.push_str(&row("", &format!("{name} {of}"), cells));
        }
        // Of a study the runs by their names, of a single run all that there are.
        let theirs = PIECE_VALUES.iter().filter(|theirs| name.is_empty() || theirs.name == name);
        body.extend(theirs.map(published));
    }
    let pieces = &arms[0];
    let classical = PIECES.iter().map(|name| fixed(pieces.arm.classical_in(pieces.pawn, name), 0));
    body.push_str(&row("", "classical", classical));
    let mut head = String::from("<tr><th>pawn = 100</th>");
    for piece in PIECES {
        let _ = write!(head, "<th>{piece}</th>");
    }
    head.push_str("</tr>");
    let spread = if pieces.arm.runs.len() > 1 {
        " Values are means over replicates with the smallest and the largest of them."
    } else {
        ""
    };
    let theirs = if body.contains("published") {
        " Published are the numbers of Belmonte, “Applying Genetic Algorithms to Evolve Chess Piece Relative Values”, one \
         run each."
    } else {
        ""
    };
    let text = note(&format!(
        "The mean is that of the population without its bottom part, divided by its pawn, over the last {LAST} \
         generations; first and second are those of the last ranking.{spread}{theirs}",
    )) + &table(&head, &body);
    Some(Section::new("pieces", "Values of the pieces", text))
}

fn published(theirs: &PieceValues) -> String {
    let name = format!("{} {}, published", theirs.name, theirs.of);
    row("theirs", &name, theirs.values.iter().map(|value| fixed(value / 10.0, 0)))
}

fn row(class: &str, name: &str, cells: impl Iterator<Item = String>) -> String {
    let mut row = format!("<tr><th scope=\"row\" class=\"{class}\">{}</th>", Escaped(name.trim()));
    for cell in cells {
        let _ = write!(row, "<td class=\"{class}\">{cell}</td>");
    }
    row + "</tr>\n"
}

fn cell(values: impl Iterator<Item = f64>) -> String {
    let Sample { count, spread: Spread { mean, min, max, .. } } = Sample::of(values);
    match count {
        0 => "–".to_owned(),
        1 => fixed(mean, 0),
        _ => format!("{}<small> ({} – {})</small>", fixed(mean, 0), fixed(min, 0), fixed(max, 0)),
    }
}

/// An arm whose genomes are values of pieces.
struct Pieces<'a> {
    arm: &'a Arm,
    pawn: Unit,
    values: [WeightSource; 4],
}

impl<'a> Pieces<'a> {
    fn of(arm: &'a Arm) -> Option<Self> {
        if arm.view.method != "quick-tournament" {
            return None;
        }
        let players = arm.view.players.as_ref()?;
        let [knight, bishop, rook, queen] =
            PIECES.map(|name| players.weight(name).map(|weight| weight.source));
        Some(Self { arm, pawn: arm.pawn()?, values: [knight?, bishop?, rook?, queen?] })
    }

    /// What all runs came to.
    fn found(&self) -> [(&'static str, Vec<[f64; 4]>); 3] {
        let runs = || self.arm.runs.iter();
        [
            ("mean", runs().filter_map(|run| self.mean(run)).collect()),
            ("first", runs().filter_map(|run| self.ranked(run, 0)).collect()),
            ("second", runs().filter_map(|run| self.ranked(run, 1)).collect()),
        ]
    }

    /// The values of a genome with the pawn as 100.
    fn in_pawns(&self, genome: impl Fn(usize) -> f64) -> [f64; 4] {
        self.values.map(|value| self.pawn.show(value.value(&genome), &genome))
    }

    /// The mean of the last generations that were played.
    fn mean(&self, run: &Run) -> Option<[f64; 4]> {
        let played: Vec<_> = run.generations.iter().filter(|row| row.games > 0).collect();
        let last = &played[played.len().saturating_sub(LAST)..];
        let values: Vec<[f64; 4]> =
            last.iter().map(|row| self.in_pawns(|gene| row.spread[gene].mean)).collect();
        let mean = |piece| values.iter().map(|values| values[piece]).sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then(|| [0, 1, 2, 3].map(mean))
    }

    /// One of the last ranking, from 0 for the best.
    fn ranked(&self, run: &Run, rank: usize) -> Option<[f64; 4]> {
        let genome = run.last_population.get(rank).filter(|_| run.last().games > 0)?;
        Some(self.in_pawns(|gene| genome[gene]))
    }
}
