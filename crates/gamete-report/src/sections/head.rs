use gamete_arena::date;
use gamete_lab::{Baseline, BaselineView};
use gamete_stats::Sample;

use crate::subject::Subject;
use crate::text::{Escaped, count, counted, duration, percent, plural, short};

/// What this is, and the few numbers that say most.
pub fn head(subject: &Subject) -> String {
    let view = &subject.view;
    let state = if subject.view.conclusion.is_some() {
        ""
    } else {
        "<p class=\"state\">This experiment is not finished: \
        the report tells what there is of it so far.</p>"
    };
    let mut html = format!(
        "<header>\n<p class=\"brand\">Gamete · experiment</p>\n<h1>{}</h1>\n<p class=\"about\">{}</p>\n{state}\n",
        Escaped(&view.id),
        Escaped(&view.about)
    );
    html.push_str(&tiles_html(&tiles(subject)));
    html.push_str(&facts_html(&facts(subject)));
    html.push_str("</header>\n");
    html
}

/// Numbers with their names.
pub fn tiles_html(tiles: &[(String, String)]) -> String {
    let tile = |(value, name): &(String, String)| format!("<div><b>{value}</b><span>{name}</span></div>\n");
    format!("<div class=\"tiles\">\n{}</div>\n", tiles.iter().map(tile).collect::<String>())
}

/// Settings with their names.
pub fn facts_html(facts: &[(&str, String)]) -> String {
    let fact =
        |(name, value): &(&str, String)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", Escaped(value));
    format!("<dl>\n{}</dl>\n", facts.iter().map(fact).collect::<String>())
}

/// The few numbers that say most.
pub fn tiles(subject: &Subject) -> Vec<(String, String)> {
    let (games, draws) = subject.games_and_draws();
    let all = subject.view.conclusion.as_ref().map_or(games, |found| found.games);
    let runs = subject.runs().count();
    let generations = subject.runs().map(|run| run.last().number).max().unwrap_or(0);
    let factor = Sample::of(subject.runs().filter_map(|run| run.convergence().last().copied()));
    let has_games = subject.plays_games();
    let mut tiles = Vec::new();
    if has_games {
        tiles.push((count(all), plural(all, "game")));
    }
    if subject.view.is_study {
        if subject.view.has_arms {
            tiles.push((subject.arms.len().to_string(), plural(subject.arms.len() as u64, "arm")));
        }
        let all = subject.arms.len() as u64 * u64::from(subject.view.replicates);
        tiles.push((runs.to_string(), format!("of {}", counted(all, "run"))));
    }
    tiles.push((generations.to_string(), plural(generations.into(), "generation")));
    if has_games {
        tiles.push((percent(draws as f64, games as f64), "of games drawn".to_owned()));
    }
    tiles.extend(super::measures::tiles(subject));
    if !subject.view.is_study && subject.view.tuning.is_none() && subject.view.screening.is_none() {
        tiles.push((short(factor.mean()), "convergence factor".to_owned()));
    }
    if !subject.view.has_arms {
        tiles.extend(elo_tiles(&subject.view.verification));
    }
    // The store hears of the time of a session at its end, of a generation at once.
    let seconds = subject.runs().map(|run| run.last().seconds).fold(subject.view.seconds, f64::max);
    tiles.push((duration(seconds), "running time".to_owned()));
    tiles
}

/// How much stronger the champion is than its baselines.
pub fn elo_tiles(verification: &[BaselineView]) -> impl Iterator<Item = (String, String)> {
    verification.iter().filter(|one| one.score.pairs > 0).map(|one| {
        let over = match one.against {
            Baseline::Start => "Elo over its start",
            Baseline::Classical => "Elo over classical weights",
            Baseline::OtherLimits => "Elo over its start, with other limits",
        };
        let elo = super::elo_text(one);
        match elo.split_once(" [") {
            Some((value, interval)) => (value.to_owned(), format!("{over} [{interval}")),
            None => (elo, over.to_owned()),
        }
    })
}

/// The settings that say most.
pub fn facts(subject: &Subject) -> Vec<(&str, String)> {
    let view = &subject.view;
    let mut facts = vec![("method", view.method.clone())];
    facts.extend(view.facts.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let budget = view.budget;
    let limits = [
        (budget.generations > 0).then(|| counted(budget.generations.into(), "generation")),
        (budget.games > 0).then(|| counted(budget.games, "game")),
        (budget.seconds > 0.0).then(|| format!("{} s", budget.seconds)),
        (budget.convergence > 0.0).then(|| format!("convergence to {}", budget.convergence)),
    ];
    facts.push(("budget", limits.into_iter().flatten().collect::<Vec<_>>().join(" or ")));
    if subject.arms.len() > 1 {
        let pairs = view.playoff_pairs.max(1);
        facts.push(("play-offs", format!("{} of games for every two arms", counted(pairs.into(), "pair"))));
    }
    facts.push(("seed", view.seed.to_string()));
    facts.push(("engine", view.short_signature().to_owned()));
    facts.push(("begun", date(view.created).replace('.', "-")));
    if let Some(found) = &subject.view.conclusion {
        facts.push(("digest", found.digest.clone()));
    }
    facts
}
