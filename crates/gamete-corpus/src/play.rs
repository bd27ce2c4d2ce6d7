use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gamete_arena::{
    Adjudication, Contestant, DrawRule, Executor, GameLabels, GameOutcome, GameTask, InOrder, Playable,
    RandomOpenings, RecordStyle, ResignRule, Rng, TaskError, TaskOutcome, styled_transcript, submit_all,
};

use crate::draw::{Drawing, MoreGames};
use crate::words::words_of;
use crate::{DrawError, DrawOptions, Drawn};

/// Games of a player against itself, each from a random opening of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfPlay {
    /// Who plays, and how much it may think about a move.
    pub player: Contestant,
    /// How many games.
    pub games: u64,
    /// Random moves that a game begins with. None of them is drawn.
    pub plies: usize,
}

/// Games end as those of people do, who resign what is lost: few positions are of won endings that nobody would play on.
const ADJUDICATION: Adjudication = Adjudication {
    draw: Some(DrawRule { move_number: 40, move_count: 8, score: 10 }),
    resign: Some(ResignRule { move_count: 3, score: 600, two_sided: true }),
    max_moves: Some(200),
    at_max_moves: gamete_arena::AtMaxMoves::Draw,
    endless: false,
    tablebase: None,
};

/// What was drawn from games that were played for it.
#[derive(Debug)]
pub struct Played<G: Playable> {
    /// The samples of the games that were finished.
    pub drawn: Drawn<G>,
    /// How many games were finished.
    pub games: u64,
    /// Why not all of them were.
    pub failure: Option<DrawError>,
}

impl<G: Playable> Played<G> {
    /// What was drawn from all games.
    ///
    /// # Errors
    ///
    /// When not all of them were finished.
    pub fn whole(self) -> Result<Drawn<G>, DrawError> {
        self.failure.map_or(Ok(self.drawn), Err)
    }
}

/// Has games played, and draws positions from them. The same player, options and seed give the same positions on any
/// number of threads, unless a clock or another program has a part in it. Where not all games can be played, each that was
/// finished gives the positions that it would have given. `on_game` is called after each game.
///
/// # Errors
///
/// When all games are played, and too few of them give positions.
pub fn draw_from_play<G: Playable>(
    play: &SelfPlay,
    options: &DrawOptions,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut on_game: impl FnMut(),
) -> Result<Played<G>, DrawError> {
    let openings = RandomOpenings::<G>::new(options.seed, play.plies);
    let task = |number: u64| {
        let seed = Rng::new(options.seed).fork(&format!("game {number}")).next_u64();
        let [white, black] = [play.player.clone(), play.player.clone()];
        GameTask::new(&openings.opening(number), white, black, ADJUDICATION, seed)
    };
    let tasks = (0..play.games).map(task).enumerate().map(|(number, task)| {
        let label = (number as u64, task.clone());
        (label, task.into())
    });
    let mut drawing = Drawing::<G>::new(options);
    drawing.begin_source("self-play");
    let mut hasher = blake3::Hasher::new();
    let mut draw = |number, (task, game): (GameTask, Result<GameOutcome, TaskError>)| {
        draw(&mut drawing, &mut hasher, number, &task, &game?)
    };
    let (mut games, mut result, mut finished) = (InOrder::default(), Ok(()), 0);
    submit_all(executor, tasks, stop, |(number, task), outcome| {
        on_game();
        let game = outcome.map(|outcome| match outcome {
            TaskOutcome::Game(game) => game,
            _ => unreachable!("the outcome of a game"),
        });
        games.insert(number, (task, game));
        // In their order, so that the first error is the same on any number of threads.
        while result.is_ok() {
            let Some((number, game)) = games.pop() else { return ControlFlow::Continue(()) };
            result = draw(number, game);
            finished += u64::from(result.is_ok());
        }
        ControlFlow::Break(())
    });
    for (number, game) in games.drain() {
        finished += u64::from(draw(number, game).is_ok());
    }
    let failure = result.err().or_else(|| (finished < play.games).then_some(DrawError::Interrupted));
    drawing.end_source(hasher.finalize());
    let setting = |name: &str, value: String| (name.to_owned(), value);
    let mut settings = vec![
        setting("play", play.games.to_string()),
        setting("player", words_of(&play.player)),
        setting("plies", play.plies.to_string()),
    ];
    settings.extend(options.settings());
    let drawn = match failure {
        None => drawing.finish(settings, MoreGames::Play)?,
        Some(_) => drawing.split(settings),
    };
    Ok(Played { drawn, games: finished, failure })
}

/// Draws from a game.
fn draw<G: Playable>(
    drawing: &mut Drawing<'_, G>,
    hasher: &mut blake3::Hasher,
    number: u64,
    task: &GameTask,
    game: &GameOutcome,
) -> Result<(), DrawError> {
    if let Some(fault) = &game.fault {
        let (player, fault) = (task.white.name.clone(), fault.clone());
        return Err(DrawError::Fault { player, game: number + 1, fault });
    }
    let labels = GameLabels { event: "", site: "", round: number };
    let style = RecordStyle { minimal: true, ..RecordStyle::default() };
    let transcript = styled_transcript::<G>(task, game, &labels, &style)?;
    hasher.update(format!("{} {} {}\n", task.start, task.book.join(" "), game.moves.join(" ")).as_bytes());
    drawing.skip_to(number, |passed| &mut passed.unfinished);
    drawing.draw(&transcript, task.book.len());
    Ok(())
}

impl From<TaskError> for DrawError {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Interrupted => Self::Interrupted,
            error => Self::Play(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc::{Sender, channel};

    use gamete_arena::{Fake, Limits, Listener, Local, Player, Task};
    use gamete_chess::Position;
    use gamete_game::{Game, Outcome};

    use super::*;
    use crate::Take;

    fn play(games: u64) -> SelfPlay {
        let player = Contestant::new(Player::load("chess/material").expect("a model"), Limits::nodes(150));
        SelfPlay { player, games, plies: 4 }
    }

    fn drawn(threads: usize, options: &DrawOptions) -> Result<Drawn<Position>, String> {
        let executor = Local::new(threads).expect("threads");
        draw_from_play(&play(12), options, &executor, &AtomicBool::new(false), || ())
            .and_then(Played::whole)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn winners_of_our_own_games_are_experts_whatever_the_number_of_threads() {
        let options = DrawOptions { skip_plies: 0, per_game: 1000, ..DrawOptions::default() };
        let one = drawn(1, &options).expect("positions");
        assert_eq!(drawn(3, &options).as_ref(), Ok(&one));
        assert_eq!((one.files[0].name.as_str(), one.files[0].entries), ("self-play", 12));
        assert!(one.files[0].used > 0 && one.files[0].hash.len() == 64);
        for sample in &one.samples {
            assert_eq!(sample.outcome, Some(Outcome::Win(sample.position.turn())));
            assert!(sample.position.is_legal(sample.choices[0]));
            // Four random moves come before the first choice.
            assert!(sample.position.move_number() >= 3, "{}", sample.position);
        }
        let manifest = one.manifest(&options);
        assert_eq!(manifest.setting("player"), Some("player=chess/material nodes=150"));
        assert_eq!(manifest.setting("play"), Some("12"));
        let other = drawn(2, &DrawOptions { seed: 2, ..options }).expect("positions");
        assert_ne!(other.files[0].hash, one.files[0].hash);
    }

    #[test]
    fn too_few_games_and_a_stop_are_errors() {
        let error =
            drawn(2, &DrawOptions { games: Some(13), ..DrawOptions::default() }).expect_err("too few");
        assert!(
            error.starts_with("games that give positions: ") && error.ends_with("play more games"),
            "{error}"
        );
        let executor = Local::new(1).expect("a thread");
        let stopped = AtomicBool::new(true);
        let none = draw_from_play::<Position>(&play(1), &DrawOptions::default(), &executor, &stopped, || ());
        let none = none.expect("no game is no error by itself");
        assert!(none.drawn.samples.is_empty() && matches!(none.failure, Some(DrawError::Interrupted)));
        let checkers = draw_from_play::<gamete_checkers::Position>(
            &play(1),
            &DrawOptions::default(),
            &executor,
            &AtomicBool::new(false),
            || (),
        );
        let error = checkers.and_then(Played::whole).expect_err("another game").to_string();
        assert_eq!(error, "a game cannot be played: chess/material plays chess, not checkers");
    }

    struct Answer(Sender<Result<TaskOutcome, TaskError>>);

    impl Listener for Answer {
        fn done(self: Box<Self>, _: Task, outcome: Result<TaskOutcome, TaskError>) {
            let _ = self.0.send(outcome);
        }
    }

    /// Plays games, and has one fail: the first is number 0.
    fn failing_in(number: u64) -> Fake {
        let (local, begun) = (Local::new(1).expect("a thread"), AtomicU64::new(0));
        Fake::new(move |task| {
            let (sender, receiver) = channel();
            local.submit(task.key(), task.clone(), Box::new(Answer(sender)));
            let mut outcome = receiver.recv().expect("an outcome")?;
            if let TaskOutcome::Game(game) = &mut outcome
                && begun.fetch_add(1, Ordering::Relaxed) == number
            {
                game.fault = Some("it crashed".to_owned());
            }
            Ok(outcome)
        })
    }

    #[test]
    fn finished_games_give_the_same_positions_when_another_fails() {
        let options = DrawOptions { take: Take::Results, per_game: 3, ..DrawOptions::default() };
        let whole = drawn(2, &options).expect("positions");
        let stop = AtomicBool::new(false);
        let part = draw_from_play::<Position>(&play(12), &options, &failing_in(2), &stop, || ());
        let Played { drawn: part, games, failure } = part.expect("a part");
        assert_eq!(
            failure.expect("a failure").to_string(),
            "chess/material failed in game 3: it crashed; fix it, or let another one play"
        );
        // A fake has finished later games by the time the failure is heard of.
        assert!(games > 2 && part.passed_over.unfinished == 1, "{games} games, {:?}", part.passed_over);
        let of = |drawn: &Drawn<Position>| {
            let samples = drawn.samples.iter().filter(|sample| sample.source != 3);
            samples.map(|sample| (sample.source, sample.position.clone())).collect::<Vec<_>>()
        };
        let (part, whole) = (of(&part), of(&whole));
        assert_eq!(part, whole[..part.len()]);
        assert!(part.last().is_some_and(|(source, _)| *source > 3), "{part:?}");
    }
}
