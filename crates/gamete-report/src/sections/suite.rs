use std::fmt::Write;

use gamete_lab::{Generation, Measure};

use super::measured::{Curve, curves_svg, last_generation, most_of, percent_of, range_text};
use crate::chart::{Series, Size};
use crate::page::{Section, figure, figures, note, table};
use crate::published::{SUITE_SEARCH, SuiteSearch};
use crate::subject::{Arm, Subject};
use crate::text::{Escaped, count, fixed};

const PAPER: &str = "Published are the numbers of David, Koppel and Netanyahu (2010): 879 positions with 500,000 nodes each, in a program \
    with another evaluation and another search, so shares are to be compared in kind, not in size.";

/// Nodes to the solution of a suite and positions solved, by generation, beside the published numbers.
pub fn suite(subject: &Subject) -> Option<Section> {
    let arms: Vec<(&Arm, Solving)> =
        subject.arms.iter().filter_map(|arm| Some((arm, Solving::of(arm)?))).collect();
    let (_, first) = arms.first()?;
    let mut text =
        String::from("Of the best player of each generation, and on average over its population. ");
    if first.node_limit > 0.0 {
        let _ = write!(
            text,
            "Nodes are those until the right move is the choice for good, and all of the limit where it is not: at most {}. ",
            count(first.node_limit as u64)
        );
    }
    let _ = write!(
        text,
        "There are {} positions. Lines are means over runs, thin lines single runs, dots, where runs are long enough, are published. {PAPER}",
        count(first.positions as u64)
    );
    let mut text = note(&text);
    text.push_str(&numbers(&arms));
    let charts: String = arms.iter().map(|(arm, solving)| solving.figures(arm)).collect();
    text.push_str(&figures("large", &charts));
    Some(Section::new("suite", "Nodes and solved positions", text))
}

/// How a suite is solved by generation: each measure of the best and on average, in per cent of the most there can be.
struct Solving {
    nodes: Vec<Curve>,
    solved: Vec<Curve>,
    /// The nodes if nothing is solved, where that is known.
    node_limit: f64,
    positions: f64,
}

impl Solving {
    fn of(arm: &Arm) -> Option<Self> {
        let solved = curves(arm, Measure::SOLVED);
        (!solved.is_empty()).then(|| Self {
            nodes: curves(arm, Measure::NODES),
            solved,
            node_limit: most_of(arm, Measure::NODES),
            positions: most_of(arm, Measure::SOLVED),
        })
    }

    fn figures(&self, arm: &Arm) -> String {
        let SuiteSearch { best_nodes, mean_nodes, solved, positions, most_nodes, .. } = SUITE_SEARCH;
        let title = Escaped(&arm.title);
        let shares = |values: [f64; 2], of: f64| values.map(|value| 100.0 * value / of);
        let mut text = String::new();
        if !self.nodes.is_empty() {
            let published = [shares(best_nodes, most_nodes), shares(mean_nodes, most_nodes)];
            let about = format!("Nodes of {} in per cent of the limit, by generation", arm.title);
            let svg = curves_svg(&about, " %", Size::LARGE, &self.nodes, &dots(arm, &self.nodes, &published));
            text.push_str(&figure(&format!("{title}: nodes, of the limit"), &svg));
        }
        let published = [shares(solved, positions)];
        let about = format!("Positions that {} solves in per cent, by generation", arm.title);
        let svg = curves_svg(&about, " %", Size::LARGE, &self.solved, &dots(arm, &self.solved, &published));
        text + &figure(&format!("{title}: positions solved"), &svg)
    }
}

/// A measure of the best and on average.
fn curves(arm: &Arm, name: &'static str) -> Vec<Curve> {
    let share = |row: &Generation, of: fn(&Measure) -> Option<f64>| {
        let measure = row.measure(name)?;
        percent_of(measure, of(measure)?)
    };
    let best = Curve::new("best", 0, arm, |row| share(row, |measure| Some(measure.best)));
    let mean = Curve::new("mean", 2, arm, |row| share(row, |measure| measure.mean));
    best.into_iter().chain(mean).collect()
}

/// Published values of the first and the last generation, where runs are nearly as long.
fn dots(arm: &Arm, curves: &[Curve], published: &[[f64; 2]]) -> Vec<Series> {
    if last_generation(arm) < SUITE_SEARCH.generations / 2 {
        return Vec::new();
    }
    let series = |(curve, [first, last]): (&Curve, &[f64; 2])| {
        curve.published(&[(1.0, *first), (f64::from(SUITE_SEARCH.generations), *last)])
    };
    curves.iter().zip(published).map(series).collect()
}

fn numbers(arms: &[(&Arm, Solving)]) -> String {
    let SuiteSearch { best_nodes, mean_nodes, solved, positions, most_nodes, generations } = SUITE_SEARCH;
    let mut head = String::from("<tr><th></th>");
    let mut names = String::from("<tr><th></th>");
    for (arm, _) in arms {
        let _ = write!(head, "<th colspan=\"2\" class=\"group edge\">{}</th>", Escaped(&arm.title));
        let _ = write!(
            names,
            "<th class=\"edge\">first generation</th><th>generation {}</th>",
            last_generation(arm)
        );
    }
    head.push_str("<th colspan=\"2\" class=\"group edge\">published</th></tr>");
    let _ = write!(
        names,
        "<th class=\"edge theirs\">first generation</th><th class=\"theirs\">generation {generations}</th></tr>"
    );
    type Of = fn(&Solving) -> Option<(&Curve, f64)>;
    let rows: [(&str, Of, [f64; 2], f64, &str); 4] = [
        (
            "nodes of the best",
            |one| Some((one.nodes.first()?, one.node_limit / 1e6)),
            best_nodes,
            most_nodes,
            " M",
        ),
        ("nodes, mean", |one| Some((one.nodes.get(1)?, one.node_limit / 1e6)), mean_nodes, most_nodes, " M"),
        ("solved by the best", |one| Some((one.solved.first()?, one.positions)), solved, positions, ""),
        ("solved, mean", |one| Some((one.solved.get(1)?, one.positions)), [f64::NAN; 2], positions, ""),
    ];
    let mut body = String::new();
    for (name, of, published, most, unit) in rows {
        if arms.iter().all(|(_, one)| of(one).is_none()) {
            continue;
        }
        let _ = write!(body, "<tr><th scope=\"row\">{name}</th>");
        for (_, one) in arms {
            let cells = of(one).map_or_else(
                || ["–", "–"].map(str::to_owned),
                |(curve, most)| [curve.first(), curve.last()].map(|shares| cell(&shares, most, unit)),
            );
            let _ =
                write!(body, "<td class=\"main edge\">{}</td><td class=\"main\">{}</td>", cells[0], cells[1]);
        }
        let theirs = published.map(|value| match value.is_nan() {
            true => "–".to_owned(),
            false => {
                format!("{}{unit} <small>({} %)</small>", fixed(value, 0), fixed(100.0 * value / most, 1))
            }
        });
        let _ = writeln!(
            body,
            "<td class=\"edge theirs\">{}</td><td class=\"theirs\">{}</td></tr>",
            theirs[0], theirs[1]
        );
    }
    table(&format!("{head}{names}"), &body)
}

/// Shares as numbers of what they are shares of, with the mean share.
fn cell(shares: &[f64], most: f64, unit: &str) -> String {
    let values: Vec<f64> = shares.iter().map(|share| share * most / 100.0).collect();
    let decimals = if unit.is_empty() || most >= 100.0 { 0 } else { 2 };
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    format!("{} <small>{} %</small>", range_text(&values, decimals, unit), fixed(mean, 1))
}
