use std::fmt::Write;

use crate::board::{Replay, result};
use crate::chart::spread_out;
use crate::page::{Section, note};
use crate::subject::{Kept, Subject};
use crate::text::Escaped;

/// More would make the file large.
const MAX_GAMES: usize = 24;

/// Games to replay, spread over the generations; of a study half of them from the play-offs.
pub fn games(subject: &Subject) -> Option<Section> {
    let split = subject.games.partition_point(|game| game.record.generation > 0);
    let (bred, playoffs) = subject.games.split_at(split);
    let from_playoffs = playoffs.len().min(MAX_GAMES.saturating_sub(bred.len()).max(MAX_GAMES / 2));
    let chosen: Vec<&Kept> =
        pick(bred, MAX_GAMES - from_playoffs).chain(pick(playoffs, from_playoffs)).collect();
    let replays: Vec<Replay> =
        chosen.iter().filter_map(|game| Replay::new(label(game), &game.record)).collect();
    if chosen.is_empty() {
        return None;
    }
    let mut text = note(&format!(
        "{} of {} games that were kept. Arrow keys step through a game, Home and End go to its ends.",
        replays.len(),
        subject.games.len()
    ));
    let damaged = chosen.len() - replays.len();
    if damaged > 0 {
        text.push_str(&note(&format!(
            "{damaged} more cannot be replayed: their moves do not fit their start."
        )));
    }
    if !replays.is_empty() {
        text.push_str(&viewer(&replays));
    }
    Some(Section::new("games", "Games", text))
}

fn pick(games: &[Kept], most: usize) -> impl Iterator<Item = &Kept> {
    let most = most.min(games.len());
    spread_out(games.len(), most).into_iter().take(most).map(|index| &games[index])
}

fn label(game: &Kept) -> String {
    let Kept { place, record } = game;
    let when = match record.generation {
        0 => String::new(),
        number => format!("generation {number}, "),
    };
    let place = match place.strip_prefix("playoff ") {
        Some(rest) => format!("play-off {}, ", rest.split('/').next().unwrap_or(rest)),
        None if place.is_empty() => String::new(),
        None => format!("{place}, "),
    };
    format!("{place}{when}{} – {}, {}", record.white, record.black, result(record))
}

fn viewer(replays: &[Replay]) -> String {
    let mut options = String::new();
    for (index, replay) in replays.iter().enumerate() {
        let _ = write!(options, "<option value=\"{index}\">{}</option>", Escaped(&replay.label));
    }
    // Nothing in the text may end the script.
    let json = serde_json::to_string(replays).expect("plain data").replace('<', "\\u003c");
    format!(
        "<div class=\"viewer\" id=\"viewer\" tabindex=\"0\">\n{}<div class=\"table\">\n\
         <svg class=\"board\" viewBox=\"0 0 320 320\" role=\"img\" aria-label=\"Board\"></svg>\n\
         <div class=\"controls\">\
         <button type=\"button\" data-go=\"first\" aria-label=\"First position\">«</button>\
         <button type=\"button\" data-go=\"back\" aria-label=\"One ply back\">‹</button>\
         <button type=\"button\" data-go=\"on\" aria-label=\"One ply on\">›</button>\
         <button type=\"button\" data-go=\"last\" aria-label=\"Last position\">»</button>\
         <button type=\"button\" data-go=\"turn\" aria-label=\"Turn the board\">turn</button></div>\n</div>\n\
         <div class=\"score\">\n<select aria-label=\"Game\">{options}</select>\n<p class=\"players\"></p>\n\
         <p class=\"end\"></p>\n<div class=\"moves\"></div>\n</div>\n</div>\n\
         <noscript><p class=\"note\">Replaying games takes JavaScript.</p></noscript>\n\
         <script type=\"application/json\" id=\"replays\">{json}</script>\n",
        include_str!("../pieces.svg")
    )
}
