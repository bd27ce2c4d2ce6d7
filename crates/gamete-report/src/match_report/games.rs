use gamete_lab::{GameRecord, MatchGame, MatchView};

use crate::board::Replay;
use crate::chart::spread_out;
use crate::page::{Section, note};
use crate::viewer::viewer;

/// More would make the file large.
const MAX_GAMES: usize = 24;

/// Games to replay, spread over the match, those first that somebody lost by a fault.
pub fn games(view: &MatchView) -> Option<Section> {
    let records = view.records();
    if records.is_empty() {
        return None;
    }
    let (faults, others): (Vec<_>, Vec<_>) =
        records.iter().partition(|(_, record)| record.termination.at_fault().is_some());
    let mut chosen = pick(&faults, MAX_GAMES / 3);
    chosen.extend(pick(&others, MAX_GAMES - chosen.len()));
    chosen.sort_by_key(|(game, _)| game.number);
    let replays: Vec<Replay> =
        chosen.iter().filter_map(|(game, record)| Replay::new(label(game), record)).collect();
    let mut text = note(&format!(
        "{} of {} games. Arrow keys step through a game, Home and End go to its ends; <code>gamete export --games</code> \
         writes them all.",
        replays.len(),
        view.games + view.kept_games
    ));
    if !replays.is_empty() {
        text.push_str(&viewer(&replays));
    }
    Some(Section::new("games", "Games", text))
}

type Record = (MatchGame, GameRecord);

fn pick<'a>(games: &[&'a Record], most: usize) -> Vec<&'a Record> {
    let most = most.min(games.len());
    spread_out(games.len(), most).into_iter().take(most).map(|index| games[index]).collect()
}

fn label(game: &MatchGame) -> String {
    format!("game {}, {} – {}, {}", game.number, game.white, game.black, game.result)
}
