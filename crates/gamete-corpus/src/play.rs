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

/// Has games played, and draws positions from them. The same player, options and seed give the same positions on any
/// number of threads, unless a clock or another program has a part in it. `on_game` is called after each game.
///
/// # Errors
///
/// When games cannot be played, or too few of them give positions.
pub fn draw_from_play<G: Playable>(
    play: &SelfPlay,
    options: &DrawOptions,
    executor: &dyn Executor,
    stop: &AtomicBool,
    mut on_game: impl FnMut(),
) -> Result<Drawn<G>, DrawError> {
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
    let (mut games, mut result, mut played) = (InOrder::default(), Ok(()), 0);
    submit_all(executor, tasks, stop, |(number, task), outcome| {
        on_game();
        let game = outcome.map(|outcome| match outcome {
            TaskOutcome::Game(game) => game,
            _ => unreachable!("the outcome of a game"),
        });
        games.insert(number, (task, game));
        // In their order, so that the first error is the same on any number of threads.
        while result.is_ok() {
            let Some((number, (task, game))) = games.pop() else { return ControlFlow::Continue(()) };
            let game = game.map_err(DrawError::from);
            result = game.and_then(|game| draw(&mut drawing, &mut hasher, number, &task, &game));
            played += 1;
        }
        ControlFlow::Break(())
    });
    result?;
    if played < play.games {
        return Err(DrawError::Interrupted);
    }
    drawing.end_source(hasher.finalize());
    let setting = |name: &str, value: String| (name.to_owned(), value);
    let mut settings = vec![
        setting("play", play.games.to_string()),
        setting("player", words_of(&play.player)),
        setting("plies", play.plies.to_string()),
    ];
    settings.extend(options.settings());
    drawing.finish(settings, MoreGames::Play)
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
    hasher.update(format!("{} {} {}\n", task.start, task.book.join(" "), game.moves.join(" ")).as_bytes());
    let labels = GameLabels { event: "", site: "", round: number };
    let style = RecordStyle { minimal: true, ..RecordStyle::default() };
    let transcript = styled_transcript::<G>(task, game, &labels, &style)?;
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
    use gamete_arena::{Limits, Local, Player};
    use gamete_chess::Position;
    use gamete_game::{Game, Outcome};

    use super::*;

    fn play(games: u64) -> SelfPlay {
        let player = Contestant::new(Player::load("chess/material").expect("a model"), Limits::nodes(150));
        SelfPlay { player, games, plies: 4 }
    }

    fn drawn(threads: usize, options: &DrawOptions) -> Result<Drawn<Position>, String> {
        let executor = Local::new(threads).expect("threads");
        draw_from_play(&play(12), options, &executor, &AtomicBool::new(false), || ())
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
        let error = draw_from_play::<Position>(&play(1), &DrawOptions::default(), &executor, &stopped, || ());
        assert!(matches!(error, Err(DrawError::Interrupted)));
        let checkers = draw_from_play::<gamete_checkers::Position>(
            &play(1),
            &DrawOptions::default(),
            &executor,
            &AtomicBool::new(false),
            || (),
        );
        let error = checkers.expect_err("another game").to_string();
        assert_eq!(error, "a game cannot be played: chess/material plays chess, not checkers");
    }
}
