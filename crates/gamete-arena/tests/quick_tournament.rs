//! A quick-tournament of real games, as a method would play it.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gamete_arena::{
    Contestant, GameTask, Limits, Local, MoveCap, Opening, Player, Ranking, Rng, Task, TaskError,
    TaskOutcome, quick_tournament, submit_all,
};
use gamete_chess::Position;
use gamete_game::Game;

/// Players that know what pieces are worth, and players that have it all wrong.
fn population() -> Vec<Player> {
    let player = |(knight, rook, queen)| {
        let mut player = Player::load("chess/material").expect("a model");
        for (name, value) in [("knight", knight), ("rook", rook), ("queen", queen)] {
            player.set_weight(name, value).expect("a weight");
        }
        player
    };
    [
        (3000.0, 5000.0, 9000.0),
        (3200.0, 5100.0, 9500.0),
        (100.0, 100.0, 100.0),
        (9000.0, 500.0, 300.0),
        (2500.0, 4000.0, 8000.0),
        (800.0, 700.0, 600.0),
    ]
    .map(player)
    .to_vec()
}

fn rank(threads: usize) -> Ranking {
    let (players, cap, never) = (population(), MoveCap::default(), AtomicBool::new(false));
    let executor = Local::new(threads).expect("threads");
    let contestant = |index: usize| Contestant::new(players[index].clone(), Limits::nodes(300));
    let opening = Opening::new(Position::start());
    let task = |&(white, black): &(usize, usize)| -> Task {
        GameTask::new(&opening, contestant(white), contestant(black), cap.adjudication(), 0).into()
    };
    let outcome = |outcome: TaskOutcome| match outcome {
        TaskOutcome::Game(game) => game.outcome().expect("a finished game"),
        other => panic!("{other:?}"),
    };
    let ranking = quick_tournament(players.len(), &mut Rng::new(7), |games| {
        let mut outcomes = vec![None; games.len()];
        submit_all(&executor, games.iter().map(task).enumerate(), &never, |number, played| {
            outcomes[number] = Some(outcome(played.expect("a game that can be played")));
            ControlFlow::Continue(())
        });
        Ok::<_, TaskError>(outcomes.into_iter().flatten().collect())
    });
    ranking.expect("games that can be played")
}

#[test]
fn players_are_ranked_by_games_on_any_number_of_threads() {
    let ranking = rank(1);
    assert_eq!(rank(3), ranking);
    let mut players = ranking.best_first.clone();
    players.sort_unstable();
    assert_eq!(players, [0, 1, 2, 3, 4, 5]);
    assert!((5..=15).contains(&ranking.games), "{ranking:?}");
    let place = |player| ranking.best_first.iter().position(|&other| other == player);
    assert!(place(0) < place(3) && place(0) < place(2), "{ranking:?}");
}
