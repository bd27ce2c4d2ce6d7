use std::fmt::Write;

use gamete_arena::Evaluation;
use gamete_game::{Color, Score};

/// What a position is worth without a search, term by term, and as it plays where there is noise.
pub fn evaluation_text(name: &str, evaluation: &Evaluation, turn: Color, noisy: bool) -> String {
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
