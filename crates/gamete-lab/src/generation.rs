use gamete_optim::Genome;
use gamete_stats::{PairScore, Spread};
use serde::{Deserialize, Serialize};

use crate::cross_table::CrossTable;
use crate::match_tally::MatchTally;
use crate::measure::Measure;

/// What a method reports as it goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Which one, from 1; 0 is the population at the start.
    pub number: u32,
    /// How each gene lies in the population after it.
    pub spread: Vec<Spread>,
    /// What matches of two games came to.
    pub matches: MatchCounts,
    /// Games played in it.
    pub games: u64,
    /// Those that were drawn.
    pub draws: u64,
    /// Those that ended by a fault of a player: a crash, an illegal move, silence, or too much time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// Plies of all games.
    pub plies: u64,
    /// Seconds that the experiment had run when it was over.
    pub seconds: f64,
    /// Numbers beside fitness, what is judged by first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measure>,
    /// What everybody made of everybody, where all play each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_table: Option<CrossTable>,
    /// Games by opponent and by opening, where there are several opponents, or openings to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tally: Option<MatchTally>,
}

impl Generation {
    /// A measure by its name.
    pub fn measure(&self, name: &str) -> Option<&Measure> {
        self.measures.iter().find(|measure| measure.name == name)
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How many matches of two games ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatchCounts {
    /// Two wins of one player.
    pub won: u64,
    /// A win and a draw.
    pub edged: u64,
    /// Two draws, or a win each.
    pub drawn: u64,
}

impl MatchCounts {
    /// Counts a match.
    pub fn add(&mut self, PairScore(score): PairScore) {
        match score {
            0 | 4.. => self.won += 1,
            1 | 3 => self.edged += 1,
            2 => self.drawn += 1,
        }
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.won + self.edged + self.drawn
    }
}

/// How far a population has converged: the geometric mean over all genes of the deviation, relative to that at the start.
/// Genes that were alike from the start are left out.
pub fn convergence(start: &[Spread], now: &[Spread]) -> f64 {
    let logs: Vec<f64> = start
        .iter()
        .zip(now)
        .filter(|(start, _)| start.sd > 0.0)
        .map(|(start, now)| (now.sd / start.sd).ln())
        .collect();
    if logs.is_empty() { 0.0 } else { (logs.iter().sum::<f64>() / logs.len() as f64).exp() }
}

/// The mean of a population, gene by gene.
pub fn mean(population: &[Genome]) -> Genome {
    Spread::of_columns(population).iter().map(|spread| spread.mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convergence_is_a_geometric_mean() {
        let spread = |sd| Spread { mean: 0.0, sd, min: 0.0, max: 0.0 };
        let start = [spread(2.0), spread(3.0), spread(0.0)];
        let factor = convergence(&start, &[spread(1.0), spread(6.0), spread(0.0)]);
        assert!((factor - 1.0).abs() < 1e-12, "{factor}");
        assert_eq!(convergence(&start, &[spread(0.0), spread(1.0), spread(0.0)]), 0.0);
    }
}
