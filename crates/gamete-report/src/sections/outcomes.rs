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
    let shares = Shares {
        about: "How matches ended, by generation",
        size: Size::SMALL,
        kinds: KINDS,
        rows: arm.matches(),
    };
    let played: Vec<&Generation> = run.generations.iter().filter(|row| row.games > 0).collect();
    let line = |about, unit, value: &dyn Fn(&Generation) -> f64| {
        let points = played.iter().map(|row| Point::new(f64::from(row.number), value(row))).collect();
        let series = vec![Series { name: about_of(about), color: 0, points }];
        Lines { about, axis: Axis::Linear, unit, size: Size::SMALL, series, mark: None }.svg()
    };
    let games = |row: &Generation| row.games as f64;
    let mut all = figure(&format!("Matches {}", legend()), &shares.svg());
    all.push_str(&figure(
        "Games drawn",
        &line("Share of games drawn, by generation", "%", &|row| 100.0 * row.draws as f64 / games(row)),
    ));
    all.push_str(&figure(
        "Plies a game",
        &line("Average plies of a game, by generation", "", &|row| row.plies as f64 / games(row)),
    ));
    if played.windows(2).any(|pair| pair[0].games != pair[1].games) {
        all.push_str(&figure("Games", &line("Games by generation", "", &games)));
    }
    let mut text =
        note("A match is two games with colours reversed. Drawn are those with two draws, or a win each.")
            + &figures("", &all);
    text.push_str(&by_generation(run));
    Section::new("outcomes", "Outcomes", text)
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

fn by_generation(run: &Run) -> String {
    const MOST_ROWS: usize = 200;
    let factors = run.convergence();
    let mut body = String::new();
    for index in spread_out(run.generations.len(), MOST_ROWS) {
        let row = &run.generations[index];
        let games = row.games as f64;
        let _ = writeln!(
            body,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            row.number,
            count(row.games),
            percent(row.draws as f64, games),
            if row.games > 0 { fixed(row.plies as f64 / games, 0) } else { "–".to_owned() },
            count(row.matches.won),
            count(row.matches.edged),
            count(row.matches.drawn),
            short(factors[index]),
            fixed(row.seconds, 1)
        );
    }
    let head = format!(
        "<tr><th>generation</th><th>games</th><th>draws</th><th>plies</th><th>{}</th><th>{}</th><th>{}</th>\
         <th>convergence</th><th>seconds</th></tr>",
        KINDS[0], KINDS[1], KINDS[2]
    );
    let sample = if run.generations.len() > MOST_ROWS { ", a sample" } else { "" };
    format!("<details><summary>Generations as a table{sample}</summary>\n{}</details>\n", table(&head, &body))
}
