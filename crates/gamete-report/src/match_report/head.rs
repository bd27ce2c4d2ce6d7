use std::fmt::Write;

use gamete_arena::{Tournament, date};
use gamete_lab::MatchView;

use crate::text::{Escaped, count, counted, duration, fixed, percent, plural};

/// What this is, and the few numbers that say most.
pub fn head(view: &MatchView) -> String {
    let state = if view.finished {
        ""
    } else {
        "<p class=\"state\">This match is not finished: the report tells what there is of it so far.</p>"
    };
    let names: Vec<_> = view.contestants.iter().map(|one| one.name.as_str()).collect();
    let about = match names.as_slice() {
        [first, second] => format!("{first} against {second}"),
        names => format!("{} players: {}", names.len(), names.join(", ")),
    };
    let mut html = format!(
        "<header>\n<p class=\"brand\">Gamete · match</p>\n<h1>{}</h1>\n<p class=\"about\">{}</p>\n{state}\n<div class=\"tiles\">\n",
        Escaped(&view.name()),
        Escaped(&about)
    );
    for (value, name) in tiles(view) {
        let _ = writeln!(html, "<div><b>{value}</b><span>{}</span></div>", Escaped(&name));
    }
    html.push_str("</div>\n<dl>\n");
    for (name, value) in facts(view) {
        let _ = writeln!(html, "<div><dt>{name}</dt><dd>{}</dd></div>", Escaped(&value));
    }
    html.push_str("</dl>\n</header>\n");
    html
}

fn tiles(view: &MatchView) -> Vec<(String, String)> {
    let mut tiles = vec![(count(view.games), plural(view.games, "game"))];
    if view.games == 0 {
        tiles.push((count(view.contestants.len() as u64), "players".to_owned()));
    } else if let [first, second] = view.contestants.as_slice() {
        let elo = gamete_stats::elo_text(first.elo, first.interval(), |elo| fixed(elo, 0));
        let over = format!("Elo over {}", second.name);
        tiles.push(match elo.split_once(" [") {
            Some((value, interval)) => (value.to_owned(), format!("{over} [{interval}")),
            None => (elo, over),
        });
        tiles.push((percent(first.score, 1.0), format!("score of {}", first.name)));
    } else {
        tiles.push((count(view.contestants.len() as u64), "players".to_owned()));
    }
    let draws: u64 = view.contestants.iter().map(|one| one.draws).sum::<u64>() / 2;
    tiles.push((percent(draws as f64, view.games as f64), "of games drawn".to_owned()));
    if let Some(sprt) = &view.sprt {
        let decision = match sprt.decision {
            "H0" => "LLR, H0 accepted",
            "H1" => "LLR, H1 accepted",
            _ => "LLR, undecided",
        };
        tiles.push((fixed(sprt.llr, 2), decision.to_owned()));
    }
    tiles.push((duration(view.seconds), "running time".to_owned()));
    tiles
}

fn facts(view: &MatchView) -> Vec<(&'static str, String)> {
    let tournament = match view.tournament {
        Tournament::RoundRobin if view.contestants.len() == 2 => "match of two".to_owned(),
        Tournament::RoundRobin => "round robin".to_owned(),
        Tournament::Gauntlet { seeds } => format!("gauntlet of {}", counted(seeds as u64, "player")),
        Tournament::Quick => "quick tournament".to_owned(),
    };
    let mut facts =
        vec![("game", view.game.to_string()), ("kind", tournament), ("conditions", view.conditions.clone())];
    if let Some(planned) = view.planned_games.filter(|_| !view.finished) {
        facts.push(("planned", counted(planned, "game")));
    }
    if let Some(sprt) = &view.sprt {
        facts.push((
            "test",
            format!(
                "SPRT of {} Elo, elo0 {}, elo1 {}, alpha {}, beta {}",
                sprt.model, sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta
            ),
        ));
    }
    facts.push(("seed", view.seed.to_string()));
    facts.push(("begun", date(view.created).replace('.', "-")));
    facts
}
