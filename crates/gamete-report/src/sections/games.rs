use crate::board::{Replay, result};
use crate::chart::spread_out;
use crate::page::{Section, note};
use crate::subject::Kept;
use crate::viewer::viewer;

/// More would make the file large.
const MAX_GAMES: usize = 24;

/// Games to replay, spread over the generations; of a study half of them from the play-offs.
pub fn games(games: &[Kept]) -> Option<Section> {
    let split = games.partition_point(|game| game.record.generation > 0);
    let (bred, playoffs) = games.split_at(split);
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
        games.len()
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
