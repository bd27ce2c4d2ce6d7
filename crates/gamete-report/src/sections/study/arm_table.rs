use std::fmt::Write;

use gamete_lab::{Generation, MatchCounts};
use gamete_stats::{Interval, Sample};

use super::playoffs::{playoff_points, point_bounds};
use crate::mean_text::{geometric_mean_text, mean_text_within};
use crate::page::{Section, note, table};
use crate::published::{self, MutationRow};
use crate::sections::outcomes::KINDS;
use crate::subject::{Arm, Run, Subject};
use crate::text::{Escaped, fixed};

/// The generations after which the report on mutation tells how far its runs had converged, in its text and captions.
const PRINTED_GENERATIONS: [u32; 3] = [8, 14, 15];

/// What of an arm there is to compare with.
struct Columns {
    /// Generations before the last after which the convergence is told.
    marks: Vec<u32>,
    /// The published row of each arm.
    published: Option<Vec<&'static MutationRow>>,
    /// Whether arms have different numbers of runs.
    runs: bool,
    /// The play-off points of each arm.
    points: Option<Vec<Sample>>,
    /// The fewest and the most points that an arm can have.
    bounds: Vec<[f64; 2]>,
    /// Whether games come in matches.
    matches: bool,
    /// Whether there are games.
    games: bool,
}

/// The arms side by side, and the published table beside ours.
pub fn arm_table(subject: &Subject) -> Section {
    let replicates = subject.view.replicates as usize;
    let points: Vec<Sample> =
        (0..subject.arms.len()).map(|arm| Sample::of(playoff_points(subject, arm))).collect();
    let columns = Columns {
        marks: PRINTED_GENERATIONS
            .into_iter()
            .filter(|&number| subject.runs().any(|run| run.last().number > number))
            .collect(),
        published: published::mutation_study(subject),
        runs: subject.arms.iter().any(|arm| arm.runs.len() < replicates),
        bounds: (0..subject.arms.len()).map(|arm| point_bounds(subject, arm)).collect(),
        points: points.iter().any(|points| points.count > 0).then_some(points),
        matches: subject.has_matches(),
        games: subject.plays_games(),
    };
    let body: String = subject.arms.iter().enumerate().map(|(index, arm)| columns.row(index, arm)).collect();
    let mut text = note(&format!(
        "{} The convergence factor is the geometric mean over all genes of the deviation, relative to that at the start.",
        match replicates {
            1 => "One run for each arm, so there are no intervals.".to_owned(),
            many => format!("Means over {many} replicates, with 95 % intervals by Student’s t."),
        }
    ));
    text.push_str(&table(&columns.head(), &body));
    if columns.published.is_some() {
        text.push_str(&note(
            "Published are the numbers of the MIT report “An Empirical Investigation of Mutation Parameters and Their \
             Effects on Evolutionary Convergence of a Chess Evaluation Function”, one run for each arm. The records that \
             it prints do not add up to the games that it describes, so only ranks can be compared.",
        ));
    }
    Section::new("arms", "Side by side", text)
}

impl Columns {
    fn head(&self) -> String {
        let theirs = usize::from(self.published.is_some());
        let mut groups = String::from("<tr><th></th>");
        let mut names = String::from("<tr><th></th>");
        if self.runs {
            groups.push_str("<th></th>");
            names.push_str("<th>runs</th>");
        }
        let mut group = |title: &str, width: usize| {
            let _ = write!(groups, "<th colspan=\"{width}\" class=\"group edge\">{title}</th>");
        };
        group("convergence factor", 1 + self.marks.len() + theirs);
        names.push_str("<th class=\"edge\">at the end</th>");
        for number in &self.marks {
            let _ = write!(names, "<th>after {number}</th>");
        }
        let published = "<th class=\"theirs\">published</th>";
        if theirs > 0 {
            names.push_str(published);
        }
        if self.points.is_some() {
            group("play-offs", 2 + theirs);
            names.push_str("<th class=\"edge\">points</th><th>rank</th>");
            if theirs > 0 {
                names.push_str(published);
            }
        }
        let (title, kinds) = match (self.matches, self.games) {
            (true, _) => ("matches", &KINDS[..]),
            (false, true) => ("games", &GAMES[..]),
            (false, false) => ("", &[][..]),
        };
        if !kinds.is_empty() {
            group(title, kinds.len());
        }
        for (kind, name) in kinds.iter().enumerate() {
            let edge = if kind == 0 { " class=\"edge\"" } else { "" };
            let _ = write!(names, "<th{edge}>{name}</th>");
        }
        format!("{groups}</tr>{names}</tr>")
    }

    fn row(&self, index: usize, arm: &Arm) -> String {
        let published = self.published.as_ref().map(|rows| rows[index]);
        let factor = |after: Option<u32>| {
            let factors = arm.runs.iter().filter_map(|run| match after {
                Some(number) => run.convergence_after(number),
                None => run.convergence().last().copied(),
            });
            geometric_mean_text(factors)
        };
        let mut row = format!("<tr><th scope=\"row\">{}</th>", Escaped(&arm.title));
        if self.runs {
            let _ = write!(row, "<td>{}</td>", arm.runs.len());
        }
        let _ = write!(row, "<td class=\"main edge\">{}</td>", factor(None));
        for &number in &self.marks {
            let _ = write!(row, "<td>{}</td>", factor(Some(number)));
        }
        if let Some(published) = published {
            let _ = write!(row, "<td class=\"theirs\">{}</td>", published.convergence);
        }
        if let Some(points) = &self.points {
            let _ = write!(
                row,
                "<td class=\"main edge\">{}</td><td>{}</td>",
                mean_text_within(&points[index], self.bounds[index]),
                rank(points, index)
            );
            if let Some(published) = published {
                let MutationRow { rank, record, .. } = published;
                let _ = write!(row, "<td class=\"theirs\" title=\"{record}\">{rank}</td>");
            }
        }
        let cells = match (self.matches, self.games) {
            (true, _) => matches(arm).to_vec(),
            (false, true) => games(arm).to_vec(),
            (false, false) => Vec::new(),
        };
        for (kind, cell) in cells.iter().enumerate() {
            let edge = if kind == 0 { " class=\"edge\"" } else { "" };
            let _ = write!(row, "<td{edge}>{cell}</td>");
        }
        row + "</tr>\n"
    }
}

/// The shares of matches that ended each way, over replicates.
fn matches(arm: &Arm) -> [String; 3] {
    let kinds: [fn(&MatchCounts) -> u64; 3] =
        [|counts| counts.won, |counts| counts.edged, |counts| counts.drawn];
    kinds.map(|of| shares(arm, |row| of(&row.matches), |row| row.matches.total()))
}

/// The share of something in something, of each run, and from these the mean and its interval.
fn shares(arm: &Arm, part: impl Fn(&Generation) -> u64, whole: impl Fn(&Generation) -> u64) -> String {
    let share = |run: &Run| {
        let sum = |of: &dyn Fn(&Generation) -> u64| run.generations.iter().map(of).sum::<u64>() as f64;
        100.0 * sum(&part) / sum(&whole)
    };
    match Sample::of(arm.runs.iter().map(share)) {
        Sample { count: 0, .. } => "–".to_owned(),
        shares => match shares.interval().map(|interval| interval.within([0.0, 100.0])) {
            Some(Interval { low, high }) => {
                format!("{} % ({} – {})", fixed(shares.mean(), 0), fixed(low, 0), fixed(high, 0))
            }
            None => format!("{} %", fixed(shares.mean(), 0)),
        },
    }
}

/// What there is to say of games that do not come in matches.
const GAMES: [&str; 4] = ["a generation", "expected", "drawn", "plies"];

fn games(arm: &Arm) -> [String; 4] {
    let played = || arm.runs.iter().flat_map(|run| &run.generations).filter(|row| row.games > 0);
    let sum = |of: fn(&Generation) -> u64| played().map(of).sum::<u64>() as f64;
    let games = sum(|row| row.games);
    [
        fixed(games / played().count() as f64, 1),
        arm.view.expected_games.map_or_else(|| "–".to_owned(), |games| fixed(games, 1)),
        shares(arm, |row| row.draws, |row| row.games),
        fixed(sum(|row| row.plies) / games, 0),
    ]
}

/// The place of an arm by its points, the same for those with the same points.
fn rank(points: &[Sample], arm: usize) -> usize {
    1 + points.iter().filter(|other| other.mean() > points[arm].mean() + 1e-9).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_share_a_rank() {
        let points = [2.0, 4.5, 2.0, 1.0].map(|points| Sample::of([points]));
        assert_eq!([0, 1, 2, 3].map(|arm| rank(&points, arm)), [2, 1, 2, 4]);
    }
}
