use std::fmt::Write;

use gamete_arena::{Engine, Evaluation, Playable, Player, WrongGame};
use gamete_game::{Color, Score};

/// Who is asked for hints: a player of its own, so that it gives nothing away to those at the board.
pub struct Adviser<G: Playable> {
    player: Player,
    hash_bytes: usize,
    engine: Option<Box<dyn Engine<G>>>,
}

impl<G: Playable> Adviser<G> {
    /// An adviser that thinks like `player` and takes no memory until it is asked.
    pub fn new(player: Player, hash_bytes: usize) -> Self {
        Self { player, hash_bytes, engine: None }
    }

    /// What to call it.
    pub fn name(&self) -> &str {
        &self.player.name
    }

    /// The engine to ask.
    ///
    /// # Errors
    ///
    /// When the player plays another game.
    pub fn engine(&mut self) -> Result<&mut dyn Engine<G>, WrongGame> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => G::engine(&self.player, self.hash_bytes)?,
        };
        Ok(self.engine.insert(engine).as_mut())
    }

    /// What the position is worth without a search, term by term.
    ///
    /// # Errors
    ///
    /// When the player plays another game.
    pub fn evaluation(&mut self, position: &G) -> Result<String, WrongGame> {
        let evaluation = self.engine()?.evaluate(position);
        let noisy = self.player.noise.is_some();
        Ok(evaluation_text(self.name(), &evaluation, position.turn(), noisy))
    }
}

fn evaluation_text(name: &str, evaluation: &Evaluation, turn: Color, noisy: bool) -> String {
    const TOTAL: &str = "total";
    let names = evaluation.terms.iter().map(|term| term.name.len());
    let width = names.chain([TOTAL.len()]).max().unwrap_or_default();
    let mut text = format!("evaluation by {name}, for White:\n");
    for term in &evaluation.terms {
        let count = format!("{:+.2}", term.count);
        let count = count.trim_end_matches('0').trim_end_matches('.');
        let worth = Score::new(term.millipawns as i32).to_string();
        writeln!(text, "  {:<width$} {count:>7} {worth:>9}", term.name).expect("a string to write to");
    }
    let total: f64 = evaluation.terms.iter().map(|term| term.millipawns).sum();
    let total = Score::new(total as i32).to_string();
    writeln!(text, "  {TOTAL:<width$} {:>7} {total:>9}", "").expect("a string to write to");
    if noisy {
        let score = if turn == Color::White { evaluation.score } else { -evaluation.score };
        writeln!(text, "as it plays, with noise: {score}").expect("a string to write to");
    }
    text
}

/// A line of moves as written.
pub fn line_text<G: Playable>(position: &G, moves: &[G::Move]) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        words.push(position.move_text(mv));
        position.play(mv);
    }
    words.join(" ")
}
