use std::fmt::Write;

use gamete_lab::Generation;

use crate::chart::{Axis, Lines, Point, Series, Shares, Size, spread_out};
use crate::page::{Section, figure, figures, note, table};
use crate::subject::{Arm, Run};
use crate::text::{count, fixed, percent, short};

/// The ways for a match to end.
pub const KINDS: [&str; 3] = ["2–0", "1½–½", "drawn"];

/// How matches and games ended.
pub fn outcomes(arm: &Arm, run: &Run) -> Section {
    let played: Vec<&Generation> = run.generations.iter().filter(|row| row.games > 0).collect();
    let has_matches = played.iter().any(|row| row.matches.total() > 0);
    let line = |about, unit, mark, value: &dyn Fn(&Generation) -> f64| {
        let points = played.iter().map(|row| Point::new(f64::from(row.number), value(row))).collect();
        let series = vec![Series { name: about_of(about), color: 0, points }];
        Lines { about, axis: Axis::Linear, unit, size: Size::SMALL, series, mark }.svg()
    };
    let games = |row: &Generation| row.games as f64;
    let (mut text, mut all) = (String::new(), String::new());
    if has_matches {
        text.push_str(&note(
            "A match is two games with colours reversed. Drawn are those with two draws, or a win each.",
        ));
        let about = "How matches ended, by generation";
        let shares = Shares { about, size: Size::SMALL, kinds: KINDS, rows: arm.matches() };
        all.push_str(&figure(&format!("Matches {}", legend()), &shares.svg()));
    }
    if played.windows(2).any(|pair| pair[0].games != pair[1].games) {
        let expected = arm.view.expected_games;
        text.push_str(&expected.map_or_else(String::new, |expected| expectation(expected, &played)));
        let mark = expected.map(|expected| (expected, "expected"));
        all.push_str(&figure("Games", &line("Games by generation", "", mark, &games)));
    }
    all.push_str(&figure(
        "Games drawn",
        &line("Share of games drawn, by generation", "%", None, &|row| 100.0 * row.draws as f64 / games(row)),
    ));
    all.push_str(&figure(
        "Plies a game",
        &line("Average plies of a game, by generation", "", None, &|row| row.plies as f64 / games(row)),
    ));
    text.push_str(&figures("", &all));
    text.push_str(&by_generation(run, has_matches));
    Section::new("outcomes", "Outcomes", text)
}

/// How many games a ranking takes.
pub const EXPECTATION: &str = "A ranking of n players takes 2(n + 1)H(n) − 4n games on average if the better always \
    beats the worse. Where games are drawn a coin decides, which splits the field more evenly and so takes fewer.";

/// How many games a ranking took, and how many it takes on average.
fn expectation(expected: f64, played: &[&Generation]) -> String {
    let games = played.iter().map(|row| row.games).sum::<u64>() as f64 / played.len() as f64;
    note(&format!(
        "{EXPECTATION} Here that is {}; there were {} a generation.",
        fixed(expected, 1),
        fixed(games, 1)
    ))
}

/// What the colours of the kinds are.
pub fn legend() -> String {
    let mut text = String::from("<span class=\"legend\">");
    for (kind, name) in KINDS.iter().enumerate() {
        let _ = write!(text, "<span><i class=\"k{kind}\"></i>{name}</span>");
    }
    text + "</span>"
}

fn about_of(about: &str) -> String {
    about.split(',').next().unwrap_or(about).trim_end_matches(" by generation").to_lowercase()
}

fn by_generation(run: &Run, has_matches: bool) -> String {
    const MAX_ROWS: usize = 200;
    // What begins with one point does not draw together.
    let factors = Some(run.convergence()).filter(|_| run.first_population.len() > 1);
    let mut body = String::new();
    for index in spread_out(run.generations.len(), MAX_ROWS) {
        let row = &run.generations[index];
        let games = row.games as f64;
        let _ = write!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>",
            row.number,
            count(row.games),
            percent(row.draws as f64, games),
            if row.games > 0 { fixed(row.plies as f64 / games, 0) } else { "–".to_owned() },
        );
        let matches = [row.matches.won, row.matches.edged, row.matches.drawn];
        for number in matches.into_iter().filter(|_| has_matches) {
            let _ = write!(body, "<td>{}</td>", count(number));
        }
        if let Some(factors) = &factors {
            let _ = write!(body, "<td>{}</td>", short(factors[index]));
        }
        let _ = writeln!(body, "<td>{}</td></tr>", fixed(row.seconds, 1));
    }
    let kinds: String = KINDS.iter().filter(|_| has_matches).map(|kind| format!("<th>{kind}</th>")).collect();
    let convergence = factors.map_or("", |_| "<th>convergence</th>");
    let head = format!(
        "<tr><th>generation</th><th>games</th><th>draws</th><th>plies</th>{kinds}{convergence}<th>seconds</th></tr>"
    );
    let sample = if run.generations.len() > MAX_ROWS { ", a sample" } else { "" };
    format!("<details><summary>Generations as a table{sample}</summary>\n{}</details>\n", table(&head, &body))
}
