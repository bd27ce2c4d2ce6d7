//! Games in pairs from random even openings, as `compare` and the verification of an experiment play them, or from openings
//! that were held out.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gamete_arena::{
    Adjudication, Contestant, Executor, GameTask, OpeningText, OutcomeReceipt, Rng, StartPositions,
    TaskError, TaskOutcome, submit_all_placed,
};
use gamete_game::Color;
use gamete_stats::{GamePoints, PairResult};
use serde::Serialize;

use crate::held_out::HeldOut;

/// Two contestants and how they meet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedMatch {
    /// The one whose points are counted; it has White in the first game of each pair.
    pub first: Contestant,
    /// The other one, of the same game.
    pub second: Contestant,
    /// When games are decided before their end.
    pub adjudication: Adjudication,
    /// Random plies at the start of each pair.
    pub plies: usize,
    /// Where these begin.
    #[serde(skip_serializing_if = "is_usual")]
    pub starts: StartPositions,
    /// Where the openings come from.
    pub seed: u64,
    /// The openings in words, where they are listed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub openings: String,
    /// Openings in their order; if there are none, they are drawn.
    #[serde(skip)]
    pub listed: Vec<OpeningText>,
    /// Which of those that are drawn are played; all if there is nothing.
    #[serde(skip)]
    pub held_out: Option<HeldOut>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_usual(starts: &StartPositions) -> bool {
    *starts == StartPositions::Usual
}

impl PairedMatch {
    /// Random plies of the openings if nothing else is said.
    pub const USUAL_PLIES: usize = 6;
    /// The seed of the openings if nothing else is said.
    pub const USUAL_SEED: u64 = 1;

    /// How many pairs say something new: where clocks play no part, the same opening again may be the same games again.
    pub fn most_pairs(&self) -> u64 {
        let is_timed = self.first.limits.is_timed() || self.second.limits.is_timed();
        if self.listed.is_empty() || is_timed { u64::MAX } else { self.listed.len() as u64 }
    }

    /// One pair after the other, each made when it is asked for, as its opening takes a short search.
    pub fn pairs(&self) -> impl Iterator<Item = [GameTask; 2]> + '_ {
        let game = self.first.game();
        let mut rng = Rng::new(self.seed);
        let mut listed = self.listed.iter().cycle();
        std::iter::repeat_with(move || {
            let drawn = |rng: &mut Rng| match self.held_out {
                Some(held_out) => held_out.draw(game, self.plies, true, rng),
                None => OpeningText::random_with_key(game, self.starts, self.plies, rng).0,
            };
            let OpeningText { start, book } = listed.next().cloned().unwrap_or_else(|| drawn(&mut rng));
            let seed = rng.next_u64();
            [[&self.first, &self.second], [&self.second, &self.first]].map(|[white, black]| GameTask {
                game,
                start: start.clone(),
                book: book.clone(),
                white: white.clone(),
                black: black.clone(),
                adjudication: self.adjudication,
                seed,
                details: false,
            })
        })
    }
}

/// Has numbered pairs played, and tells of each, by its number, when both of its games are over. `on_game` is called after
/// every game. When `stop` is set or `on_pair` breaks, games in hand are finished first.
///
/// # Errors
///
/// When a game cannot be played; then no more are begun.
pub fn play_pairs(
    pairs: impl Iterator<Item = (usize, [GameTask; 2])>,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut on_game: impl FnMut(),
    mut on_pair: impl FnMut(usize, PairResult) -> ControlFlow<()>,
) -> Result<(), TaskError> {
    let tasks = pairs.flat_map(|(pair, [first, second])| {
        [((pair, Color::White), first.into()), ((pair, Color::Black), second.into())]
    });
    let mut half_done: HashMap<usize, (GamePoints, OutcomeReceipt)> = HashMap::new();
    let mut result = Ok(());
    let place = |&(pair, own): &(usize, Color)| Some(format!("pair-{pair}-{own}"));
    submit_all_placed(executor, tasks, place, stop, |(pair, own), outcome, receipt| {
        let points = match outcome {
            Ok(TaskOutcome::Game(game)) => game.termination.points(own).unwrap_or(GamePoints::Draw),
            Ok(_) => unreachable!("the outcome of a game"),
            Err(error) => {
                receipt();
                result = Err(error);
                return ControlFlow::Break(());
            }
        };
        on_game();
        let Some((other, first_receipt)) = half_done.remove(&pair) else {
            half_done.insert(pair, (points, receipt));
            return ControlFlow::Continue(());
        };
        let points = if own == Color::White { [points, other] } else { [other, points] };
        let flow = on_pair(pair, PairResult(points));
        // Whoever stores pairs has stored this one, unless it cannot.
        if flow.is_continue() {
            first_receipt();
            receipt();
        }
        flow
    });
    result
}

#[cfg(test)]
mod tests {
    use gamete_arena::{Local, ModelInfo, Player};

    use super::*;

    fn paired() -> PairedMatch {
        let player = |name: &str| {
            let mut player = Player::new(ModelInfo::find("checkers/material").expect("a model"));
            name.clone_into(&mut player.name);
            Contestant::new(player, "depth=1".parse().expect("limits"))
        };
        let adjudication = Adjudication { max_moves: Some(40), ..Adjudication::default() };
        PairedMatch {
            first: player("A"),
            second: player("B"),
            adjudication,
            plies: 4,
            starts: StartPositions::Usual,
            seed: 3,
            openings: String::new(),
            listed: Vec::new(),
            held_out: None,
        }
    }

    #[test]
    fn listed_openings_are_played_in_their_order() {
        let mut rng = Rng::new(9);
        let listed: Vec<OpeningText> =
            (0..3).map(|_| OpeningText::random(gamete_arena::GameName::Checkers, 4, &mut rng)).collect();
        let contest = PairedMatch { listed: listed.clone(), ..paired() };
        let books: Vec<_> = contest.pairs().take(4).map(|[task, _]| task.book).collect();
        assert_eq!(books[..3], listed.iter().map(|one| one.book.clone()).collect::<Vec<_>>());
        assert_eq!(books[3], books[0]);
        assert_eq!((contest.most_pairs(), paired().most_pairs()), (3, u64::MAX));
    }

    #[test]
    fn more_pairs_begin_with_those_of_fewer() {
        let (few, many): (Vec<_>, Vec<_>) =
            (paired().pairs().take(2).collect(), paired().pairs().take(5).collect());
        assert_eq!(few, many[..2]);
        assert_eq!((few[0][0].white.name.as_str(), few[0][1].white.name.as_str()), ("A", "B"));
        assert_eq!(few[0][0].book, few[0][1].book);
        assert_ne!(few[0][0].book, few[1][0].book);
    }

    #[test]
    fn every_pair_is_told_of_once_whatever_the_threads_do() {
        let results = [1, 3].map(|threads| {
            let (mut games, mut results) = (0, vec![None; 6]);
            let never = AtomicBool::new(false);
            play_pairs(
                paired().pairs().take(6).enumerate(),
                &Local::new(threads).expect("threads"),
                &never,
                || games += 1,
                |pair, result| {
                    assert_eq!(results[pair].replace(result), None);
                    ControlFlow::Continue(())
                },
            )
            .expect("games that can be played");
            assert_eq!(games, 12);
            results
        });
        assert_eq!(results[0], results[1]);
        assert_eq!(results[0].iter().flatten().count(), 6);
    }

    #[test]
    fn nothing_is_played_once_it_is_to_stop() {
        let stop = AtomicBool::new(true);
        let executor = Local::new(2).expect("threads");
        let (no_game, no_pair) = (|| panic!("a game"), |_, _| panic!("a pair"));
        play_pairs(paired().pairs().enumerate(), &executor, &stop, no_game, no_pair).expect("nothing");
    }
}
