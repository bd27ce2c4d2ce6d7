use std::collections::HashMap;

use gamete_arena::TaskKey;

/// What came of tasks that a run does once, as far as they were asked for in this generation or in the one before: those of
/// all generations would take more and more memory.
#[derive(Debug, Default)]
pub(super) struct DoneOnce {
    this_generation: Answers,
    last_generation: Answers,
}

/// Nothing as long as nobody has waited for a task.
type Answers = HashMap<TaskKey, Option<String>>;

impl DoneOnce {
    pub fn begin_generation(&mut self) {
        self.last_generation = std::mem::take(&mut self.this_generation);
    }

    /// Notes that a task is asked for, and gives whether it was before. What came of it then stays.
    pub fn ask(&mut self, key: TaskKey) -> bool {
        let before = self.last_generation.remove(&key);
        let was_asked = before.is_some() || self.this_generation.contains_key(&key);
        self.this_generation.entry(key).or_insert(before.flatten());
        was_asked
    }

    pub fn answer(&self, key: TaskKey) -> Option<&str> {
        self.this_generation.get(&key).or_else(|| self.last_generation.get(&key))?.as_deref()
    }

    pub fn set_answer(&mut self, key: TaskKey, answer: String) {
        self.this_generation.insert(key, Some(answer));
    }
}
