use std::collections::HashMap;
use std::mem::size_of;

use gamete_arena::{MoveDetail, ScoredPosition, Solution, TaskOutcome};
use gamete_game::Thought;

use crate::message::{Answer, Refusal};
use crate::trust::Heard;

/// Outcomes that nobody has asked for yet. Anybody may send them, and so there is only so much room.
pub(crate) struct Early<R> {
    heard: HashMap<String, Heard<R>>,
    bytes: usize,
}

/// The most that are kept: more than an earlier life of the coordinator has given out.
const MOST: usize = 1_000_000;

/// What they may take.
const MOST_BYTES: usize = 512 << 20;

impl<R> Default for Early<R> {
    fn default() -> Self {
        Self { heard: HashMap::new(), bytes: 0 }
    }
}

impl<R> Early<R> {
    /// Keeps an outcome, the first of a task; gives it back where there is no room.
    pub fn keep(&mut self, heard: Heard<R>) -> Option<Heard<R>> {
        // What is delivered again is acknowledged with the first delivery.
        if self.heard.contains_key(&heard.answer.id) {
            return None;
        }
        let bytes = size(&heard.answer);
        if self.heard.len() >= MOST || self.bytes + bytes > MOST_BYTES {
            return Some(heard);
        }
        self.bytes += bytes;
        self.heard.insert(heard.answer.id.clone(), heard);
        None
    }

    /// Gives the outcome of a task.
    pub fn take(&mut self, id: &str) -> Option<Heard<R>> {
        let heard = self.heard.remove(id)?;
        self.bytes -= size(&heard.answer);
        Some(heard)
    }

    /// Whether the outcome of a task is kept.
    pub fn contains(&self, id: &str) -> bool {
        self.heard.contains_key(id)
    }

    pub fn len(&self) -> usize {
        self.heard.len()
    }
}

/// About what an outcome takes in memory.
fn size(answer: &Answer) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let of_result = match &answer.result {
        Ok(TaskOutcome::Game(game)) => {
            let moves: usize = game.moves.iter().map(|text| size_of::<String>() + text.len()).sum();
            let details = game.details.len() * (size_of::<MoveDetail>() + 256);
            moves + details + game.thoughts.len() * size_of::<Option<Thought>>() + text(&game.fault)
        }
        Ok(TaskOutcome::Solve(outcome)) => {
            let of = |one: &Solution| size_of::<Solution>() + text(&one.chosen) + text(&one.fault);
            outcome.solutions.iter().map(of).sum()
        }
        Ok(TaskOutcome::Expert(outcome)) => outcome.agreed.len(),
        Ok(TaskOutcome::Score(outcome)) => {
            let of = |one: &ScoredPosition| size_of::<ScoredPosition>() + text(&one.best) + text(&one.fault);
            outcome.scored.iter().map(of).sum()
        }
        Err(Refusal::Refused(text) | Refusal::Panicked(text)) => text.len(),
    };
    size_of::<Heard<()>>() + 2 * answer.id.len() + of_result
}

#[cfg(test)]
mod tests {
    use gamete_arena::ExpertOutcome;

    use super::*;
    use crate::trust::Author;

    fn heard(id: &str, positions: usize) -> Heard<()> {
        let outcome = ExpertOutcome { agreed: vec![true; positions], nodes: 1 };
        Heard {
            answer: Answer { id: id.to_owned(), micros: 1, result: Ok(TaskOutcome::Expert(outcome)) },
            author: Author { id: "1".to_owned(), name: "one".to_owned() },
            place: 0,
            batch: "".into(),
            receipt: (),
        }
    }

    #[test]
    fn there_is_only_so_much_room() {
        let mut early = Early::default();
        assert!(early.keep(heard("a", MOST_BYTES / 2)).is_none());
        assert!(early.keep(heard("a", 1)).is_none(), "the first is kept");
        assert!(early.keep(heard("b", MOST_BYTES / 2)).is_some());
        assert!(early.keep(heard("c", 7)).is_none());
        assert!(early.take("a").is_some_and(|heard| size(&heard.answer) > MOST_BYTES / 2));
        assert!(early.keep(heard("b", MOST_BYTES / 2)).is_none());
        assert_eq!((early.len(), early.take("a").is_none()), (2, true));
    }
}
