use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gamete_arena::{Contestant, Executor, InOrder, Playable, Rng, ScoreTask, TaskOutcome, submit_all};
use gamete_game::Transcript;

use crate::draw::{GameEvent, is_rated, read_games};
use crate::mentor::understand;
use crate::{DrawError, MentorError};

/// Which positions of games are openings.
#[derive(Debug, Clone, PartialEq)]
pub struct OpeningOptions {
    /// The moves before the position.
    pub ply: usize,
    /// Whether each position is taken once.
    pub unique: bool,
    /// Both players have at least this rating.
    pub min_rating: Option<u32>,
    /// How many, drawn by the seed; all if nothing is said.
    pub count: Option<usize>,
    /// Where all that is random comes from.
    pub seed: u64,
    /// Who says which of them are even, and how much a side may be ahead, in thousandths of a pawn.
    pub balance: Option<(Contestant, u32)>,
}

/// Openings that were drawn from games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnOpenings<G> {
    /// The positions, in the order of the games.
    pub positions: Vec<G>,
    /// Games that were read.
    pub games: u64,
    /// Games that cannot be read.
    pub unreadable: u64,
    /// Games with a player whose rating is too low, or not known.
    pub below_rating: u64,
    /// Games that were over by then.
    pub short: u64,
    /// Games whose position another one had before.
    pub repeated: u64,
    /// Positions in which one side is too far ahead.
    pub unbalanced: u64,
}

/// Draws the positions after so many plies from games. The same files, options and seed give the same openings on any number of
/// threads. `on_bytes` is told how much more of the files was read, `on_position` that the balance of a position is known.
///
/// # Errors
///
/// When a file cannot be read, or there are fewer openings than asked for, or none.
pub fn draw_openings<G: Playable>(
    paths: &[impl AsRef<Path>],
    options: &OpeningOptions,
    executor: &dyn Executor,
    stop: &AtomicBool,
    on_bytes: impl Fn(u64),
    on_position: impl FnMut(),
) -> Result<DrawnOpenings<G>, DrawError> {
    let (mut games, mut unreadable, mut below_rating, mut short, mut repeated) = (0, 0, 0, 0, 0);
    let (mut positions, mut known) = (Vec::new(), HashSet::new());
    let mut take = |game: &Transcript<G>| {
        if options.min_rating.is_some_and(|least| !is_rated(game, least)) {
            below_rating += 1;
            return;
        }
        match position_after(game, options.ply) {
            None => short += 1,
            Some(position) if options.unique && !known.insert(position.key()) => repeated += 1,
            Some(position) => positions.push(position),
        }
    };
    read_games(paths, on_bytes, |event| {
        games += u64::from(matches!(event, GameEvent::Game(_) | GameEvent::Unreadable));
        match event {
            GameEvent::Game(game) => take(game),
            GameEvent::Unreadable => unreadable += 1,
            GameEvent::File(_) | GameEvent::End(_) => {}
        }
    })?;
    let found = positions.len() as u64;
    let (positions, unbalanced) = choose(&positions, options, executor, stop, on_position)?;
    let wanted = options.count.unwrap_or(1);
    if positions.len() < wanted {
        let mut reasons = format!("{found} have one after {} plies", options.ply);
        if unbalanced > 0 {
            reasons.push_str(&format!(", {unbalanced} of which are not even"));
        }
        let rating = options.min_rating.unwrap_or_default();
        let others = [
            (below_rating, format!("have a player without a rating of {rating}")),
            (short, "are over by then".to_owned()),
            (repeated, "have a position that another one has".to_owned()),
            (unreadable, "cannot be read".to_owned()),
        ];
        for (count, reason) in others.iter().filter(|(count, _)| *count > 0) {
            reasons.push_str(&format!(", {count} {reason}"));
        }
        let way_out = if below_rating > 0 { "lower --min-rating" } else { "ask for fewer" };
        return Err(DrawError::TooFewOpenings {
            found: positions.len(),
            wanted,
            read: games,
            reasons,
            way_out,
        });
    }
    Ok(DrawnOpenings { positions, games, unreadable, below_rating, short, repeated, unbalanced })
}

/// The position of a game after so many plies, if it was not over by then.
fn position_after<G: Playable>(game: &Transcript<G>, ply: usize) -> Option<G> {
    let mut position = game.start.clone();
    game.plies.get(..ply)?.iter().for_each(|ply| position.play(ply.mv));
    position.ending().is_none().then_some(position)
}

/// As many as are asked for, in their order, and how many were passed over because they are not even.
fn choose<G: Playable>(
    positions: &[G],
    options: &OpeningOptions,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut on_position: impl FnMut(),
) -> Result<(Vec<G>, u64), DrawError> {
    let count = options.count.unwrap_or(usize::MAX);
    let mut order: Vec<usize> = (0..positions.len()).collect();
    if count < positions.len() {
        Rng::new(options.seed).fork("openings").shuffle(&mut order);
    }
    let mut chosen = Vec::new();
    let mut unbalanced: u64 = 0;
    match &options.balance {
        None => chosen.extend(order.into_iter().take(count)),
        Some((judge, most)) => {
            let task = |&place: &usize| ScoreTask {
                game: G::GAME_NAME,
                mentor: judge.clone(),
                hash_mb: HASH_MB,
                positions: vec![positions[place].to_string()],
            };
            let tasks = order.iter().enumerate().map(|(number, place)| (number as u64, task(place).into()));
            let (mut answers, mut result) = (InOrder::<Result<_, DrawError>>::default(), Ok(()));
            submit_all(executor, tasks, stop, |number, outcome| {
                on_position();
                let is_even = match outcome {
                    Ok(TaskOutcome::Score(outcome)) => {
                        let position = &positions[order[number as usize]];
                        let score = understand(position, outcome.scored.into_iter().next());
                        score.map(|(score, _)| score.unsigned_abs() <= *most).map_err(|fault| {
                            let (mentor, fen) = (judge.name.clone(), position.to_string());
                            MentorError::Fault { mentor, fen, fault }.into()
                        })
                    }
                    Ok(_) => unreachable!("the outcome of a position"),
                    Err(error) => Err(error.into()),
                };
                answers.insert(number, is_even);
                // In their order, so that how many threads there are decides nothing.
                while chosen.len() < count && result.is_ok() {
                    match answers.pop() {
                        Some((number, Ok(true))) => chosen.push(order[number as usize]),
                        Some((_, Ok(false))) => unbalanced += 1,
                        Some((_, Err(error))) => result = Err(error),
                        None => return ControlFlow::Continue(()),
                    }
                }
                ControlFlow::Break(())
            });
            result?;
            if chosen.len() < count && chosen.len() + (unbalanced as usize) < order.len() {
                return Err(DrawError::Interrupted);
            }
        }
    }
    chosen.sort_unstable();
    Ok((chosen.into_iter().map(|place| positions[place].clone()).collect(), unbalanced))
}

/// Megabytes of table for each position.
const HASH_MB: u32 = 16;

#[cfg(test)]
mod tests {
    use gamete_arena::{Limits, Local, Player};
    use gamete_chess::Position;

    use super::*;

    const GAMES: &str = "[WhiteElo \"2700\"]\n[BlackElo \"2650\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n\
        1. Nf3 Nc6 2. e4 e5 1-0\n\n1. e4 e5 1/2-1/2\n\n1. e4 d5 2. Qg4 Bxg4 0-1\n\n1. d4 d5 2. c4 e6 *\n\n";

    fn options() -> OpeningOptions {
        OpeningOptions { ply: 4, unique: true, min_rating: None, count: None, seed: 1, balance: None }
    }

    fn draw(options: &OpeningOptions, threads: usize) -> Result<DrawnOpenings<Position>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, GAMES).expect("written");
        let executor = Local::new(threads).expect("threads");
        draw_openings(&[path], options, &executor, &AtomicBool::new(false), |_| (), || ())
            .map_err(|error| error.to_string())
    }

    fn boards(drawn: &DrawnOpenings<Position>) -> Vec<String> {
        let board = |position: &Position| position.to_string().split(' ').next().expect("a board").to_owned();
        drawn.positions.iter().map(board).collect()
    }

    const OPEN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
    const LOST: &str = "rn1qkbnr/ppp1pppp/8/3p4/4P1b1/8/PPPP1PPP/RNB1KBNR";
    const GAMBIT: &str = "rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR";

    #[test]
    fn positions_after_so_many_plies_are_taken_once() {
        let drawn = draw(&options(), 1).expect("openings");
        assert_eq!(boards(&drawn), [OPEN, LOST, GAMBIT]);
        assert_eq!((drawn.games, drawn.short, drawn.repeated), (5, 1, 1));
        let all = draw(&OpeningOptions { unique: false, ..options() }, 1).expect("openings");
        assert_eq!(boards(&all), [OPEN, OPEN, LOST, GAMBIT]);
        let rated = draw(&OpeningOptions { min_rating: Some(2600), ..options() }, 1).expect("openings");
        assert_eq!((boards(&rated), rated.below_rating), (vec![OPEN.to_owned()], 4));
        let error =
            draw(&OpeningOptions { min_rating: Some(3500), ..options() }, 1).expect_err("no openings");
        assert!(
            error
                .ends_with("5 have a player without a rating of 3500: lower --min-rating or name more files"),
            "{error}"
        );
    }

    #[test]
    fn even_ones_are_drawn_by_the_seed_whatever_the_number_of_threads() {
        let judge = Contestant::new(Player::load("chess/classic").expect("a model"), Limits::nodes(500));
        let balanced = OpeningOptions { balance: Some((judge, 1000)), ..options() };
        let drawn = draw(&balanced, 1).expect("openings");
        assert_eq!((boards(&drawn), drawn.unbalanced), (vec![OPEN.to_owned(), GAMBIT.to_owned()], 1));
        for seed in 0..4 {
            let one = OpeningOptions { count: Some(1), seed, ..balanced.clone() };
            let drawn = draw(&one, 1).expect("an opening");
            assert_eq!(drawn.positions.len(), 1);
            assert_eq!(draw(&one, 3), Ok(drawn));
        }
        assert_eq!(
            draw(&OpeningOptions { count: Some(3), ..balanced }, 2).expect_err("too few"),
            "openings: 2, asked for: 3; of 5 games 3 have one after 4 plies, 1 of which are not even, 1 are over by then, \
             1 have a position that another one has: ask for fewer or name more files"
        );
    }
}
