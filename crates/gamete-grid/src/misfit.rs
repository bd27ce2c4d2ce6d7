use gamete_arena::{GameOutcome, GameTask, Task, TaskOutcome, Termination};

/// More than any game has: one of chess ends after 17,697 plies at the latest.
const MAX_PLIES: usize = 20_000;

/// Why this cannot have come of the task, if so: no worker that runs this program sends it.
pub(crate) fn misfit(task: &Task, outcome: &TaskOutcome) -> Option<&'static str> {
    let (asked, answered) = match (task, outcome) {
        (Task::Game(task), TaskOutcome::Game(game)) => return misfit_of_game(task, game),
        (Task::Solve(task), TaskOutcome::Solve(outcome)) => (task.positions.len(), outcome.solutions.len()),
        (Task::Expert(task), TaskOutcome::Expert(outcome)) => (task.positions.len(), outcome.agreed.len()),
        (Task::Score(task), TaskOutcome::Score(outcome)) => (task.positions.len(), outcome.scored.len()),
        _ => return Some("an outcome of another kind of task"),
    };
    (asked != answered).then_some("an outcome of another number of positions")
}

fn misfit_of_game(task: &GameTask, game: &GameOutcome) -> Option<&'static str> {
    let GameOutcome { moves, thoughts, details, termination, .. } = game;
    if *termination == Termination::Interrupted {
        return Some("a game that was broken off");
    }
    if moves.len() > MAX_PLIES {
        return Some("a game of too many moves");
    }
    let is_of_each_move =
        thoughts.len() == moves.len() && (details.is_empty() || details.len() == moves.len());
    if !is_of_each_move {
        return Some("a game with thoughts of other moves");
    }
    task.why_impossible(game)
}

#[cfg(test)]
mod tests {
    use gamete_arena::{Contestant, ExpertOutcome, Fake, GameName, Limits, Player, Puzzle, SolveTask};
    use gamete_game::{Color, Ending, Reason};

    use super::*;

    #[test]
    fn outcomes_are_of_the_kind_and_size_of_their_tasks() {
        let player = || Contestant::new(Player::load("chess/material").expect("a model"), Limits::nodes(1));
        let puzzle = Puzzle { fen: String::new(), best: Vec::new(), avoid: Vec::new() };
        let solve =
            SolveTask { game: GameName::Chess, solver: player(), hash_mb: 1, positions: vec![puzzle; 2] };
        let game = GameTask {
            game: GameName::Chess,
            start: "6k1/5ppp/8/8/8/8/8/R3K3 w - - 5 1".to_owned(),
            book: Vec::new(),
            white: player(),
            black: player(),
            adjudication: Default::default(),
            seed: 1,
            details: false,
        };
        let (mut solved, mut played) = (Fake::solve(&solve, |_| 0.0), Fake::game(&game, |_| 0.0));
        (played.moves, played.thoughts) = (vec!["Ra8#".to_owned()], vec![None]);
        played.termination = Ending::win(Color::White, Reason::Checkmate).into();
        let [solve, game] = [Task::from(solve), Task::from(game)];
        assert_eq!(misfit(&solve, &TaskOutcome::Solve(solved.clone())), None);
        assert_eq!(misfit(&game, &TaskOutcome::Game(played.clone())), None);
        let other = TaskOutcome::Expert(ExpertOutcome { agreed: vec![true; 2], nodes: 1 });
        for task in [&solve, &game] {
            assert_eq!(misfit(task, &other), Some("an outcome of another kind of task"));
        }
        solved.solutions.pop();
        assert_eq!(
            misfit(&solve, &TaskOutcome::Solve(solved)),
            Some("an outcome of another number of positions")
        );
        let why = |played: &GameOutcome| misfit(&game, &TaskOutcome::Game(played.clone()));
        played.moves[0] = "xx".to_owned();
        assert_eq!(why(&played), Some("a game with a move that cannot be played"));
        played.thoughts.pop();
        assert_eq!(why(&played), Some("a game with thoughts of other moves"));
        (played.moves, played.thoughts) = (vec![String::new(); 20_001], vec![None; 20_001]);
        assert_eq!(why(&played), Some("a game of too many moves"));
        played.termination = Termination::Interrupted;
        assert_eq!(why(&played), Some("a game that was broken off"));
    }
}
