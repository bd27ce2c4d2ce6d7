use std::time::Duration;

use gamete_game::{Ply, Tags, Transcript};

use super::RecordStyle;
use crate::date::date;
use crate::task::{GameOutcome, GameTask, TaskError, parse_moves};
use crate::{Playable, TimeControl};

/// What the tags of a game say that the game itself does not know.
#[derive(Debug, Clone, Copy)]
pub struct GameLabels<'a> {
    /// The `Event` tag.
    pub event: &'a str,
    /// The `Site` tag.
    pub site: &'a str,
    /// The `Round` tag: the number of the pair.
    pub round: u64,
}

/// A game as a file tells it, with the comments that match runners write: `book`, then `+1.45/16 0.310s`, and the
/// reason for its end behind the last.
///
/// # Errors
///
/// When task and outcome are not of one game.
pub fn transcript<G: Playable>(
    task: &GameTask,
    outcome: &GameOutcome,
    labels: &GameLabels<'_>,
) -> Result<Transcript<G>, TaskError> {
    styled_transcript(task, outcome, labels, &RecordStyle::default())
}

/// The same with more or less written of each move.
///
/// # Errors
///
/// Likewise.
pub fn styled_transcript<G: Playable>(
    task: &GameTask,
    outcome: &GameOutcome,
    labels: &GameLabels<'_>,
    style: &RecordStyle,
) -> Result<Transcript<G>, TaskError> {
    let opening = task.opening::<G>()?;
    let moves = parse_moves(&opening.position(), &outcome.moves)?;
    let book = opening.moves.iter().map(|&mv| (mv, "book".to_owned()));
    let comments = outcome
        .thoughts
        .iter()
        .enumerate()
        .map(|(index, thought)| style.comment(thought.as_ref(), outcome.details.get(index)));
    if style.minimal {
        let plies = opening.moves.iter().copied().chain(moves).map(Ply::new).collect();
        let tags = roster(task, outcome, labels);
        return Ok(Transcript {
            tags,
            start: opening.start,
            comment: None,
            plies,
            outcome: outcome.outcome(),
        });
    }
    let mut plies: Vec<_> = book
        .chain(moves.into_iter().zip(comments))
        .map(|(mv, comment)| Ply { comment: Some(comment), ..Ply::new(mv) })
        .collect();
    let reason = outcome.termination.to_string();
    let comment = match plies.last_mut() {
        Some(last) => {
            let comment = last.comment.get_or_insert_default();
            comment.push_str(", ");
            comment.push_str(&reason);
            None
        }
        None => Some(reason),
    };
    let tags = tags(task, outcome, labels, plies.len());
    Ok(Transcript { tags, start: opening.start, comment, plies, outcome: outcome.outcome() })
}

/// The position in which a game ended.
///
/// # Errors
///
/// When task and outcome are not of one game.
pub fn final_fen<G: Playable>(task: &GameTask, outcome: &GameOutcome) -> Result<String, TaskError> {
    let mut position = task.opening::<G>()?.position();
    for mv in parse_moves(&position.clone(), &outcome.moves)? {
        position.play(mv);
    }
    Ok(position.to_string())
}

/// The tags that every game has.
fn roster(task: &GameTask, outcome: &GameOutcome, labels: &GameLabels<'_>) -> Tags {
    let mut tags = Tags::default();
    tags.set("Event", labels.event);
    tags.set("Site", labels.site);
    if let Some(timing) = outcome.timing {
        tags.set("Date", date(timing.started));
    }
    tags.set("Round", labels.round.to_string());
    tags.set("White", task.white.name.as_str());
    tags.set("Black", task.black.name.as_str());
    tags
}

fn tags(task: &GameTask, outcome: &GameOutcome, labels: &GameLabels<'_>, plies: usize) -> Tags {
    let mut tags = roster(task, outcome, labels);
    if let Some(timing) = outcome.timing {
        let end = timing.started + timing.milliseconds / 1000;
        tags.set("GameDuration", clock_text(timing.milliseconds / 1000));
        tags.set("GameStartTime", time_text(timing.started));
        tags.set("GameEndTime", time_text(end));
    }
    tags.set("PlyCount", plies.to_string());
    tags.set("Termination", outcome.termination.tag());
    let [white, black] = [&task.white, &task.black].map(|side| time_control_tag(&side.limits));
    if white == black {
        tags.set("TimeControl", white);
    } else {
        tags.set("WhiteTimeControl", white);
        tags.set("BlackTimeControl", black);
    }
    if let Some(scale) = outcome.timing.and_then(|timing| timing.clock_scale) {
        tags.set("ClockScale", format!("{:.3}", f64::from(scale) / 1000.0));
    }
    tags
}

fn time_control_tag(limits: &crate::Limits) -> String {
    match (limits.time_control, limits.move_time) {
        (TimeControl::Infinite, None) => "-".to_owned(),
        (TimeControl::Infinite, Some(time)) => format!("{}/move", seconds(time)),
        (control, _) => control.to_string(),
    }
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

/// `2024-02-29T12:00:00 +0000`, in Greenwich.
fn time_text(since_1970: u64) -> String {
    format!("{}T{} +0000", date(since_1970).replace('.', "-"), clock_text(since_1970 % 86_400))
}

fn clock_text(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use gamete_chess::{Pgn, Position};
    use gamete_game::{Game, TranscriptWriter};

    use super::*;
    use crate::task::Timing;
    use crate::{Adjudication, Contestant, Opening, Player};

    #[test]
    fn a_game_is_written_as_match_runners_write_it() {
        let contestant = |name: &str, limits: &str| {
            let player = Player::load("chess/material").unwrap();
            let mut contestant = Contestant::new(player, limits.parse().unwrap());
            contestant.name = name.to_owned();
            contestant
        };
        let start = Position::start();
        let opening = Opening { moves: vec![start.parse_move("f3").unwrap()], start };
        let task = GameTask::new(
            &opening,
            contestant("A", "tc=10+0.1"),
            contestant("B", "tc=10+0.1"),
            Adjudication::default(),
            1,
        );
        let outcome: GameOutcome = serde_json::from_str(
            r#"{"moves":["e5","g4","Qh4#"],"thoughts":["+0.20/3 0.010s","-M2/4 0.310s, n=77",null],
            "termination":{"ending":{"outcome":{"win":"black"},"reason":"checkmate"}}}"#,
        )
        .unwrap();
        let timing = Some(Timing { started: 1_709_208_000, milliseconds: 61_500, clock_scale: None });
        let outcome = GameOutcome { timing, ..outcome };
        let labels = GameLabels { event: "E", site: "S", round: 7 };
        let mut writer = TranscriptWriter::new(Vec::new(), Pgn);
        writer.write(&transcript::<Position>(&task, &outcome, &labels).unwrap()).unwrap();
        let text = String::from_utf8(writer.into_inner()).unwrap();
        assert_eq!(
            text,
            "[Event \"E\"]\n[Site \"S\"]\n[Date \"2024.02.29\"]\n[Round \"7\"]\n[White \"A\"]\n[Black \"B\"]\n\
            [Result \"0-1\"]\n[GameDuration \"00:01:01\"]\n[GameStartTime \"2024-02-29T12:00:00 +0000\"]\n\
            [GameEndTime \"2024-02-29T12:01:01 +0000\"]\n[PlyCount \"4\"]\n[Termination \"normal\"]\n\
            [TimeControl \"10+0.1\"]\n\n1. f3 {book} 1... e5 {+0.20/3 0.010s} 2. g4 {-M2/4 0.310s, n=77} 2... Qh4# {no\n\
            score, Black mates} 0-1\n\n"
        );
        assert!(final_fen::<Position>(&task, &outcome).unwrap().ends_with("w KQkq - 1 3"));
    }
}
