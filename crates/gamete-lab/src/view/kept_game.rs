use gamete_arena::{Playable, date};
use gamete_game::{Ply, Tags, Transcript};

use crate::store::GameRecord;

impl GameRecord {
    /// The game as a file tells it: `id` is the experiment, begun at `created`, and `run` the path of its run. Nothing where the moves
    /// do not fit the start position.
    pub fn transcript<G: Playable>(&self, id: &str, created: u64, run: &str) -> Option<Transcript<G>> {
        let start: G = self.start.parse().ok()?;
        let mut position = start.clone();
        let mut plies = Vec::new();
        for text in &self.moves {
            let mv = position.parse_move(text).ok()?;
            position.play(mv);
            plies.push(Ply::new(mv));
        }
        let reason = Some(self.termination.to_string());
        let comment = match plies.last_mut() {
            Some(last) => {
                last.comment = reason;
                None
            }
            None => reason,
        };
        let mut tags = Tags::default();
        tags.set("Event", id);
        tags.set("Site", "Gamete");
        tags.set("Date", date(created));
        tags.set("Round", if self.generation == 0 { "-".to_owned() } else { self.generation.to_string() });
        tags.set("White", self.white.as_str());
        tags.set("Black", self.black.as_str());
        if !run.is_empty() {
            tags.set("Run", run);
        }
        tags.set("PlyCount", plies.len().to_string());
        tags.set("Termination", self.termination.tag());
        Some(Transcript { tags, start, comment, plies, outcome: self.termination.outcome() })
    }
}
