use std::fmt::Write;

use gamete_lab::{Estimate, RankedArm, RankedBy, Ranking};
use gamete_stats::fixed;

use crate::terminal::grouped;

/// Optimisers by what came of them, as a table.
pub fn ranking_text(ranking: &Ranking) -> String {
    let Ranking { by, arms } = ranking;
    let (what, decimals, scale) = match by {
        RankedBy::Regret => ("regret", 2, 1.0),
        RankedBy::Play => ("points, %", 1, 100.0),
    };
    let has_baseline = arms.iter().any(|arm| arm.better_than_random.is_some());
    let has_elo = arms.iter().any(|arm| arm.elo_to_start.is_some());
    let width = arms.iter().map(|arm| arm.arm.chars().count()).max().unwrap_or(0).max(9);
    let mut text = format!("{:>4}  {:<width$} {what:>18}", "rank", "optimiser");
    if has_baseline {
        let _ = write!(text, " {:>22}", "better than random by");
    }
    if has_elo {
        let _ = write!(text, " {:>17}", "Elo to defaults");
    }
    let _ = writeln!(text, " {:>9} {:>5}", "games", "runs");
    for one in arms {
        let RankedArm { arm, rank, value, better_than_random, elo_to_start, games } = one;
        let _ = write!(text, "{rank:>4}  {arm:<width$} {:>18}", estimate(value, scale, decimals));
        let cell = |found: &Option<Estimate>, scale, decimals| {
            found.as_ref().map_or_else(|| "-".to_owned(), |found| estimate(found, scale, decimals))
        };
        if has_baseline {
            let _ = write!(text, " {:>22}", cell(better_than_random, scale, decimals));
        }
        if has_elo {
            let _ = write!(text, " {:>17}", cell(elo_to_start, 1.0, 0));
        }
        let _ = writeln!(text, " {:>9} {:>5}", grouped(games.round() as u64), value.runs.len());
    }
    let note = match by {
        RankedBy::Regret => "regret: how much worse than the optimum the recommended point is, without noise",
        RankedBy::Play => "points: of the champions of each replicate against each other",
    };
    let _ = writeln!(text, "{note}; ± is half the 95 % interval over runs");
    text
}

/// A mean and half the width of its 95 % interval.
fn estimate(found: &Estimate, scale: f64, decimals: usize) -> String {
    let mean = fixed(scale * found.mean, decimals);
    match found.high {
        Some(high) => format!("{mean} ± {}", fixed(scale * (high - found.mean), decimals)),
        None => mean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranking_has_a_line_for_each_optimiser() {
        let estimate = |mean: f64, margin: f64| Estimate {
            mean,
            standard_error: Some(margin / 2.0),
            low: Some(mean - margin),
            high: Some(mean + margin),
            runs: vec![mean; 8],
        };
        let arm = |arm: &str, rank, mean, better| RankedArm {
            arm: arm.to_owned(),
            rank,
            value: estimate(mean, 1.5),
            better_than_random: better,
            elo_to_start: None,
            games: 2000.0,
        };
        let arms = vec![arm("spsa", 1, 12.5, Some(estimate(10.0, 2.0))), arm("random", 2, 22.5, None)];
        let text = ranking_text(&Ranking { by: RankedBy::Regret, arms });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "rank  optimiser             regret  better than random by     games  runs");
        assert_eq!(lines[1], "   1  spsa            12.50 ± 1.50           10.00 ± 2.00     2,000     8");
        assert_eq!(lines[2], "   2  random          22.50 ± 1.50                      -     2,000     8");
    }
}
