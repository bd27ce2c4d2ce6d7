use std::fmt;

use gamete_arena::grouped;
use gamete_optim::Evaluation;
use gamete_stats::fixed;
use serde::{Deserialize, Serialize};

/// A number of a generation beside fitness, to look at: nothing depends on it, and no digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What is measured, as in `hits` and `test hits`.
    pub name: String,
    /// Of the best by fitness.
    pub best: f64,
    /// On average over the population, where all of it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The most there can be, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<f64>,
}

impl Measure {
    /// Positions to learn from in which the expert's move was chosen.
    pub const HITS: &'static str = "hits";
    /// The same of positions that nothing is learned from.
    pub const TEST_HITS: &'static str = "test hits";
    /// Nodes to the solution of all positions.
    pub const NODES: &'static str = "nodes";
    /// Positions solved.
    pub const SOLVED: &'static str = "solved";
    /// The penalty of a descent.
    pub const L2: &'static str = "l2";
    /// How far apart the points are that an optimiser tries, as a part of each range.
    pub const STEP_SIZE: &'static str = "step size";
    /// What the name of a measure begins with that is how sure an optimiser is of a parameter or a measure, which is named behind it.
    pub const DEVIATION: &'static str = "deviation of ";
    /// Elo over the start that an optimiser expects of what it recommends.
    pub const ELO: &'static str = "Elo over the start";
    /// The score against the start.
    pub const SCORE: &'static str = "score";
    /// Points of games within the population.
    pub const POINTS: &'static str = "points";

    /// How much worse the recommended point is than the optimum.
    pub const REGRET: &'static str = "regret";
    /// Games that were drawn by lot so far.
    pub const SIMULATED_GAMES: &'static str = "simulated games";

    /// What all of a population have, in the order of their evaluations.
    pub fn new(name: &str, values: &[f64], evaluations: &[Evaluation]) -> Self {
        let best = best_place(evaluations).and_then(|place| values.get(place)).copied().unwrap_or(0.0);
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        Self { name: name.to_owned(), best, mean: Some(mean), of: None }
    }

    /// What the best alone has.
    pub fn of_best(name: &str, best: f64) -> Self {
        Self { name: name.to_owned(), best, mean: None, of: None }
    }

    /// Whether all of it are numbers.
    pub(crate) fn is_finite(&self) -> bool {
        [Some(self.best), self.mean, self.of].into_iter().flatten().all(f64::is_finite)
    }

    /// The same with the most there can be.
    #[must_use]
    pub fn out_of(self, most: f64) -> Self {
        Self { of: Some(most), ..self }
    }
}

/// The place of the best, of equals the first.
pub fn best_place(evaluations: &[Evaluation]) -> Option<usize> {
    let fitness = |evaluation: &Evaluation| match evaluation {
        Evaluation::Fitness(fitness) => Some(*fitness),
        Evaluation::Failed => None,
    };
    let known = evaluations.iter().enumerate().filter_map(|(place, one)| Some((place, fitness(one)?)));
    known.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(place, _)| place)
}

/// As in `hits 594 of 2,042 (29.1 %), mean 26.0 %`.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, amount(self.best, self.of))?;
        match (self.mean, self.of) {
            (Some(mean), Some(of)) if of > 0.0 => write!(f, ", mean {}", percent(mean, of)),
            (Some(mean), _) => write!(f, ", mean {}", number(mean)),
            (None, _) => Ok(()),
        }
    }
}

/// A fitness as people read it: hits in the place of their square.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reading {
    /// What it is called; the name of a [`Measure`] where it is one.
    pub name: String,
    /// How much of it there is.
    pub value: f64,
    /// The most there can be, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<f64>,
}

impl Reading {
    /// A fitness that is read as something else.
    pub fn new(name: &str, value: f64) -> Self {
        Self { name: name.to_owned(), value, of: None }
    }

    /// A fitness as it is.
    pub fn plain(fitness: f64) -> Self {
        Self::new("fitness", fitness)
    }
}

/// As in `hits 594 of 2,042 (29.1 %)`.
impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, amount(self.value, self.of))
    }
}

fn amount(value: f64, of: Option<f64>) -> String {
    match of {
        Some(of) if of > 0.0 => format!("{} of {} ({})", number(value), number(of), percent(value, of)),
        _ => number(value),
    }
}

fn percent(value: f64, of: f64) -> String {
    format!("{} %", fixed(100.0 * value / of, 1))
}

/// Whole numbers with their thousands set apart, others to three places, and what is less than these have room for as it is.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && (0.0..1e15).contains(&value) {
        grouped(&format!("{value:.0}"))
    } else if value.abs() < 1e-3 {
        format!("{value:e}")
    } else {
        fixed(value, 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_by_fitness_and_the_mean_of_all() {
        let evaluations = [
            Evaluation::Fitness(1.0),
            Evaluation::Failed,
            Evaluation::Fitness(4.0),
            Evaluation::Fitness(4.0),
        ];
        let measure = Measure::new("nodes", &[7.0, 0.0, 3.0, 2.0], &evaluations);
        assert_eq!((measure.best, measure.mean), (3.0, Some(3.0)));
        assert_eq!(best_place(&[Evaluation::Failed]), None);
    }

    #[test]
    fn measures_are_read_as_shares_where_there_is_a_whole() {
        let hits = Measure { mean: Some(530.92), ..Measure::of_best("hits", 594.0).out_of(2042.0) };
        assert_eq!(hits.to_string(), "hits 594 of 2,042 (29.1 %), mean 26.0 %");
        assert_eq!(Measure::of_best("error", 28.25).to_string(), "error 28.250");
        assert_eq!(Measure::of_best("l2", 1e-5).to_string(), "l2 1e-5");
        let reading = Reading { of: Some(2042.0), ..Reading::new("hits", 594.0) };
        assert_eq!(reading.to_string(), "hits 594 of 2,042 (29.1 %)");
        assert_eq!(Reading::plain(0.5).to_string(), "fitness 0.500");
    }

    #[test]
    fn what_has_no_measures_is_written_as_before() {
        let measure = Measure::of_best("error", 2.0);
        let text = serde_json::to_string(&measure).expect("data");
        assert_eq!(text, r#"{"name":"error","best":2.0}"#);
        assert_eq!(serde_json::from_str::<Measure>(&text).expect("a measure"), measure);
    }
}
