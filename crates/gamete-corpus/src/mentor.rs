use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gamete_arena::{
    Contestant, Executor, Playable, ScoreTask, ScoredPosition, TaskError, TaskOutcome, submit_all,
};
use gamete_game::Score;

use crate::words::words_of;
use crate::{Drawn, Sample};

/// The most that a position is said to be worth, in thousandths of a pawn. A mate counts as so much, and so does whatever is
/// more: the error of an evaluation that does not see a mate is bounded.
pub const MAX_SCORE: i32 = 20_000;

/// What a mentor made of positions.
#[derive(Debug)]
pub struct Scored {
    /// How many positions it was asked about.
    pub asked: u64,
    /// How many of those that it scored are a forced win or loss to it.
    pub mates: u64,
    /// How many others are worth more than [`MAX_SCORE`] to one side.
    pub beyond: u64,
    /// Why not all are scored.
    pub failure: Option<MentorError>,
}

/// Why a position has no score.
#[derive(Debug, thiserror::Error)]
pub enum MentorError {
    /// The mentor failed.
    #[error("{mentor} failed in the position {fen}: {fault}")]
    Fault {
        /// Its name.
        mentor: String,
        /// The position.
        fen: String,
        /// What it did.
        fault: String,
    },
    /// It cannot be asked.
    #[error("{mentor} cannot be asked: {error}")]
    Task {
        /// Its name.
        mentor: String,
        /// The reason.
        error: TaskError,
    },
    /// Somebody broke it off.
    #[error("interrupted")]
    Interrupted,
}

/// Asks a mentor about the positions that were drawn: each gets its score, and its move in the place of the one that was
/// played. Those that it did not come to are left out. Players of ours say the same on any number of threads.
///
/// `on_position` is called after each position.
pub fn ask_mentor<G: Playable>(
    drawn: &mut Drawn<G>,
    mentor: &Contestant,
    hash_mb: u32,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut on_position: impl FnMut(),
) -> Scored {
    let samples = &mut drawn.samples;
    let mut scored = Scored { asked: samples.len() as u64, mates: 0, beyond: 0, failure: None };
    let positions: Vec<G> = samples.iter().map(|sample| sample.position.clone()).collect();
    let on_answer = |index: usize, score: i32, mv: G::Move| {
        on_position();
        let is_end = score.abs() > Score::MAX_EVALUATION.millipawns();
        scored.mates += u64::from(is_end);
        scored.beyond += u64::from(!is_end && score.abs() > MAX_SCORE);
        samples[index].score = Some(score.clamp(-MAX_SCORE, MAX_SCORE));
        samples[index].choices = vec![mv];
    };
    scored.failure = ask(&positions, mentor, hash_mb, executor, stop, on_answer).err();
    samples.retain(|sample| sample.score.is_some());
    drawn.settings.push(("mentor".to_owned(), words_of(mentor)));
    scored
}

/// What a player or program plays in the positions of samples when it searches, as it would at the board. Players of ours say the
/// same on any number of threads.
///
/// `on_position` is called after each position.
///
/// # Errors
///
/// When it fails, or somebody breaks it off.
pub fn searched_moves<G: Playable>(
    samples: &[Sample<G>],
    player: &Contestant,
    hash_mb: u32,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut on_position: impl FnMut(),
) -> Result<Vec<G::Move>, MentorError> {
    let positions: Vec<G> = samples.iter().map(|sample| sample.position.clone()).collect();
    let mut moves = vec![None; positions.len()];
    ask(&positions, player, hash_mb, executor, stop, |index, _, mv| {
        on_position();
        moves[index] = Some(mv);
    })?;
    Ok(moves.into_iter().flatten().collect())
}

/// Asks about positions, each of which is a task, and tells of scores and moves as they come.
fn ask<G: Playable>(
    positions: &[G],
    mentor: &Contestant,
    hash_mb: u32,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut on_answer: impl FnMut(usize, i32, G::Move),
) -> Result<(), MentorError> {
    let task = |position: &G| ScoreTask {
        game: G::GAME_NAME,
        mentor: mentor.clone(),
        hash_mb,
        positions: vec![position.to_string()],
    };
    let tasks = positions.iter().map(|position| task(position).into()).enumerate();
    let (mut failure, mut answers) = (None, 0);
    submit_all(executor, tasks, stop, |index, outcome| {
        let name = || mentor.name.clone();
        let said = match outcome {
            Ok(TaskOutcome::Score(outcome)) => outcome.scored.into_iter().next(),
            Ok(_) => unreachable!("the outcome of a position"),
            Err(TaskError::Interrupted) => return ControlFlow::Break(()),
            Err(error) => {
                failure.get_or_insert(MentorError::Task { mentor: name(), error });
                return ControlFlow::Break(());
            }
        };
        match understand(&positions[index], said) {
            Ok((score, mv)) => {
                answers += 1;
                on_answer(index, score, mv);
                ControlFlow::Continue(())
            }
            Err(fault) => {
                let fen = positions[index].to_string();
                failure.get_or_insert(MentorError::Fault { mentor: name(), fen, fault });
                ControlFlow::Break(())
            }
        }
    });
    match failure {
        Some(failure) => Err(failure),
        None if answers < positions.len() => Err(MentorError::Interrupted),
        None => Ok(()),
    }
}

/// The score and the move, or what is missing.
pub(crate) fn understand<G: Playable>(
    position: &G,
    said: Option<ScoredPosition>,
) -> Result<(i32, G::Move), String> {
    let Some(ScoredPosition { millipawns, best, fault }) = said else {
        return Err("it says nothing".to_owned());
    };
    if let Some(fault) = fault {
        return Err(fault);
    }
    let mv = best.and_then(|best| position.parse_move(&best).ok()).ok_or("it gives no move")?;
    Ok((millipawns.ok_or("it gives no score")?, mv))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use gamete_arena::{Fake, Limits, Local, Player, ScoreOutcome};
    use gamete_chess::Position;
    use gamete_game::Game;

    use super::*;
    use crate::{Part, PassedOver};

    const FENS: [&str; 4] = [
        "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
        "4k3/8/8/3r4/8/8/Q7/4K3 b - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "k7/8/8/8/8/8/PPPPPPPP/QQQQKQQQ w - - 0 1",
    ];

    fn drawn() -> Drawn<Position> {
        let sample = |(source, fen): (u32, &str)| {
            let position: Position = fen.parse().expect("a position");
            let choices = vec![position.moves()[0]];
            Sample { position, source, part: Part::Train, choices, outcome: None, score: None }
        };
        let samples = (1..).zip(FENS).map(sample).collect();
        Drawn { samples, files: Vec::new(), passed_over: PassedOver::default(), settings: Vec::new() }
    }

    fn mentor() -> Contestant {
        let limits = Limits { depth: Some(2), ..Limits::default() };
        Contestant::new(Player::load("chess/material").expect("a model"), limits)
    }

    fn ask(drawn: &mut Drawn<Position>, executor: &dyn Executor) -> Scored {
        ask_mentor(drawn, &mentor(), 1, executor, &AtomicBool::new(false), || ())
    }

    #[test]
    fn positions_are_worth_what_the_mentor_says_and_mates_are_clamped() {
        let mut one = drawn();
        let scored = ask(&mut one, &Local::new(1).expect("a thread"));
        assert!(scored.failure.is_none(), "{scored:?}");
        assert_eq!((scored.asked, scored.mates, scored.beyond), (4, 1, 1));
        let [mate, behind, even, ahead] = &one.samples[..] else { panic!("{one:?}") };
        assert_eq!(
            (mate.score, mate.position.move_text(mate.choices[0]).as_str()),
            (Some(MAX_SCORE), "Ra8#")
        );
        assert!((-9000..-1000).contains(&behind.score.expect("a score")), "{behind:?}");
        assert!(even.score.is_some_and(|score| score.abs() < 500), "{even:?}");
        assert_eq!(ahead.score, Some(MAX_SCORE));
        assert_eq!(one.settings, [("mentor".to_owned(), "player=chess/material depth=2".to_owned())]);
        let mut two = drawn();
        ask(&mut two, &Local::new(3).expect("threads"));
        assert_eq!(one, two);
    }

    #[test]
    fn a_stop_that_comes_last_changes_nothing() {
        let (mut one, mut two, stop) = (drawn(), drawn(), AtomicBool::new(false));
        let mut left = FENS.len();
        let executor = Local::new(1).expect("a thread");
        let mut ask = |drawn: &mut Drawn<Position>| {
            ask_mentor(drawn, &mentor(), 1, &executor, &stop, || {
                left = left.saturating_sub(1);
                stop.store(left == 0, Ordering::Relaxed);
            })
        };
        let scored = ask(&mut one);
        assert!(scored.failure.is_none() && one.samples.len() == FENS.len(), "{scored:?}");
        let scored = ask(&mut two);
        assert!(matches!(scored.failure, Some(MentorError::Interrupted)), "{scored:?}");
    }

    #[test]
    fn what_was_scored_before_a_failure_is_kept() {
        let executor = Fake::new(|task| {
            let gamete_arena::Task::Score(task) = task else { panic!("{task:?}") };
            let failed = task.positions[0] == FENS[2];
            let scored = match failed {
                true => ScoredPosition { millipawns: None, best: None, fault: Some("it crashed".to_owned()) },
                false => {
                    let position: Position = task.positions[0].parse().expect("a position");
                    let best = position.move_text(position.moves()[0]);
                    ScoredPosition { millipawns: Some(7), best: Some(best), fault: None }
                }
            };
            Ok(TaskOutcome::Score(ScoreOutcome { scored: vec![scored] }))
        });
        let mut drawn = drawn();
        let scored = ask(&mut drawn, &executor);
        assert_eq!(
            scored.failure.expect("a failure").to_string(),
            format!("chess/material failed in the position {}: it crashed", FENS[2])
        );
        assert!(drawn.samples.len() >= 2 && drawn.samples.iter().all(|sample| sample.score == Some(7)));
        assert_eq!(drawn.samples[0].position.to_string(), FENS[0]);
    }
}
