//! What tasks are made of and may have in common: players and lists of positions.

use gamete_arena::{Competitor, Contestant, ExpertMove, NamedEngine, Player, Puzzle, Task};
use serde::{Deserialize, Serialize};

/// A part of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    Player(Player),
    Puzzles(Vec<Puzzle>),
    ExpertMoves(Vec<ExpertMove>),
    Positions(Vec<String>),
}

/// Where a part is in a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// White, or the only one who plays.
    First,
    /// Black.
    Second,
    /// The positions to be solved or scored.
    Positions,
}

impl Part {
    /// What it takes at least when it is written down.
    pub fn least_bytes(&self) -> usize {
        match self {
            // A name, an equals sign and a number.
            Self::Player(player) => 10 * player.weights().len(),
            Self::Puzzles(list) => list.iter().map(|puzzle| puzzle.fen.len()).sum(),
            Self::ExpertMoves(list) => list.iter().map(|mv| mv.fen.len()).sum(),
            Self::Positions(list) => list.iter().map(String::len).sum(),
        }
    }
}

/// Lists of fewer positions stay where they are.
const MIN_POSITIONS: usize = 8;

impl Place {
    pub const ALL: [Self; 3] = [Self::First, Self::Second, Self::Positions];

    /// Takes the part out of a task, if there is one that others may have, too.
    pub fn take(self, task: &mut Task) -> Option<Part> {
        if self == Self::Positions {
            return match task {
                Task::Solve(task) => taken(&mut task.positions).map(Part::Puzzles),
                Task::Expert(task) => taken(&mut task.positions).map(Part::ExpertMoves),
                Task::Score(task) => taken(&mut task.positions).map(Part::Positions),
                Task::Game(_) => None,
            };
        }
        let competitor = &mut self.contestant(task)?.competitor;
        match std::mem::replace(competitor, hole()) {
            Competitor::Player(player) => Some(Part::Player(player)),
            engine => {
                *competitor = engine;
                None
            }
        }
    }

    /// Puts a part where one was taken out; says whether it belongs there.
    #[must_use]
    pub fn put(self, task: &mut Task, part: Part) -> bool {
        match (self, part, task) {
            (Self::Positions, Part::Puzzles(part), Task::Solve(task)) => task.positions = part,
            (Self::Positions, Part::ExpertMoves(part), Task::Expert(task)) => task.positions = part,
            (Self::Positions, Part::Positions(part), Task::Score(task)) => task.positions = part,
            (Self::First | Self::Second, Part::Player(player), task) => match self.contestant(task) {
                Some(contestant) => contestant.competitor = Competitor::Player(player),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn contestant(self, task: &mut Task) -> Option<&mut Contestant> {
        match (self, task) {
            (Self::First, Task::Game(task)) => Some(&mut task.white),
            (Self::Second, Task::Game(task)) => Some(&mut task.black),
            (Self::First, Task::Solve(task)) => Some(&mut task.solver),
            (Self::First, Task::Expert(task)) => Some(&mut task.player),
            (Self::First, Task::Score(task)) => Some(&mut task.mentor),
            _ => None,
        }
    }
}

fn taken<T>(list: &mut Vec<T>) -> Option<Vec<T>> {
    (list.len() >= MIN_POSITIONS).then(|| std::mem::take(list))
}

/// What stands where a player was taken out.
fn hole() -> Competitor {
    Competitor::Engine(NamedEngine { name: String::new(), content: None, options: Vec::new() })
}

#[cfg(test)]
mod tests {
    use gamete_arena::{ExpertTask, GameName, GameTask, Limits, ScoreTask, SolveTask};

    use super::*;

    /// A task of every kind, with so many positions.
    fn tasks(positions: usize) -> [Task; 4] {
        let player = |name: &str| Contestant::new(Player::load(name).unwrap(), Limits::nodes(7));
        let (game, fen) = (GameName::Chess, "8/8/8/8/8/8/8/K1k5 w - - 0 1".to_owned());
        let puzzle = Puzzle { fen: fen.clone(), best: vec!["Ka2".to_owned()], avoid: Vec::new() };
        let mv = ExpertMove { fen: fen.clone(), mv: "Ka2".to_owned() };
        let game_task = GameTask {
            game,
            start: fen.clone(),
            book: Vec::new(),
            white: player("chess/material"),
            black: player("chess/classic"),
            adjudication: Default::default(),
            seed: 1,
            details: false,
        };
        let first = || player("chess/material");
        [
            game_task.into(),
            SolveTask { game, solver: first(), hash_mb: 1, positions: vec![puzzle; positions] }.into(),
            ExpertTask { game, player: first(), hash_mb: 1, positions: vec![mv; positions] }.into(),
            ScoreTask { game, mentor: first(), hash_mb: 1, positions: vec![fen; positions] }.into(),
        ]
    }

    #[test]
    fn what_is_taken_out_can_be_put_back() {
        for whole in tasks(MIN_POSITIONS) {
            let mut task = whole.clone();
            let parts = Place::ALL.map(|place| (place, place.take(&mut task)));
            assert_eq!(parts.iter().filter(|(_, part)| part.is_some()).count(), 2);
            assert_ne!(task, whole);
            assert!(Place::ALL.iter().all(|place| place.take(&mut task).is_none()), "there is nothing left");
            for (place, part) in parts {
                assert!(part.is_none_or(|part| place.put(&mut task, part)));
            }
            assert_eq!(task, whole);
        }
    }

    #[test]
    fn what_belongs_elsewhere_is_refused() {
        let [mut game, mut solve, ..] = tasks(1);
        assert_eq!(Place::Positions.take(&mut solve), None, "one position is no list to share");
        assert!(!Place::Positions.put(&mut game, Part::Positions(Vec::new())));
        assert!(!Place::Positions.put(&mut solve, Part::Positions(Vec::new())));
        assert!(!Place::First.put(&mut solve, Part::Positions(Vec::new())));
        let player = Player::load("chess/material").unwrap();
        assert!(!Place::Second.put(&mut solve, Part::Player(player)));
    }
}
