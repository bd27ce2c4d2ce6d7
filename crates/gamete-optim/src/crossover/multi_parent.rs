use crate::{Genome, Rng};

/// A child of any number of parents: each gene is the mean of all with a chance of `mean_chance`, and otherwise that of
/// a random one.
///
/// # Panics
///
/// When there are no parents.
pub fn multi_parent(parents: &[&Genome], mean_chance: f64, rng: &mut Rng) -> Genome {
    let count = parents.len();
    (0..parents[0].len())
        .map(|gene| {
            if rng.uniform() < mean_chance {
                parents.iter().map(|parent| parent[gene]).sum::<f64>() / count as f64
            } else {
                parents[rng.below(count as u64) as usize][gene]
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gene_is_a_parents_or_the_mean() {
        let parents = [vec![15_000.0; 900], vec![15_736.0; 900], vec![3_273.0; 900]];
        let parents: Vec<_> = parents.iter().collect();
        let child = multi_parent(&parents, 1.0 / 3.0, &mut Rng::new(4));
        let count = |value: f64| child.iter().filter(|&&gene| gene.round() == value).count();
        // The mean of Belmonte's worked figure.
        let means = count(11_336.0);
        assert!((250..350).contains(&means), "{means}");
        assert_eq!(means + count(15_000.0) + count(15_736.0) + count(3_273.0), 900);
    }
}
