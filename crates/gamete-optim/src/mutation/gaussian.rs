use crate::Rng;

/// Adds a normal number of deviation `sd` to each gene, with a chance.
pub fn gaussian(genome: &mut [f64], chance: f64, sd: f64, rng: &mut Rng) {
    for gene in genome {
        if rng.uniform() < chance {
            *gene += sd * rng.normal();
        }
    }
}

#[cfg(test)]
mod tests {
    use gamete_stats::Spread;

    use super::*;

    #[test]
    fn a_share_of_the_genes_changes_by_the_deviation() {
        let mut genome = vec![0.0; 50_000];
        gaussian(&mut genome, 0.4, 400.0, &mut Rng::new(8));
        let changed: Vec<f64> = genome.into_iter().filter(|&gene| gene != 0.0).collect();
        assert!((19_500..20_500).contains(&changed.len()), "{}", changed.len());
        let spread = Spread::of(changed.into_iter());
        assert!(spread.mean.abs() < 10.0 && (spread.sd - 400.0).abs() < 8.0, "{spread:?}");
    }
}
