use serde::{Deserialize, Serialize};

/// Mean, standard deviation and range of some values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, with n − 1 as the divisor; 0 for a single value.
    pub sd: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// The spread of some values; not a number where there is none.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count() as f64;
        let mean = values.clone().sum::<f64>() / count;
        let squares: f64 = values.clone().map(|value| (value - mean).powi(2)).sum();
        let sd = if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        let min = values.clone().fold(f64::NAN, f64::min);
        Self { mean, sd, min, max: values.fold(f64::NAN, f64::max) }
    }

    /// The spread of every column of a table, such as every gene of a population.
    pub fn of_columns(rows: &[impl AsRef<[f64]>]) -> Vec<Self> {
        let columns = rows.first().map_or(0, |row| row.as_ref().len());
        (0..columns).map(|column| Self::of(rows.iter().map(|row| row.as_ref()[column]))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> (f64, f64) {
        let spread = Spread::of(values.iter().copied());
        (spread.mean.round(), spread.sd.round())
    }

    #[test]
    fn the_example_of_the_mutation_study_comes_out() {
        assert_eq!(of(&[500.0, 200.0, 1200.0]).1, 513.0);
        assert_eq!(of(&[500.0, 757.0, 1200.0]).1, 354.0);
        assert_eq!(of(&[500.0, 771.0, 1047.0]), (773.0, 274.0));
    }

    #[test]
    fn every_column_has_its_own_spread() {
        let columns = Spread::of_columns(&[vec![1.0, 8.0], vec![3.0, 8.0]]);
        assert_eq!(columns[0], Spread { mean: 2.0, sd: 2.0_f64.sqrt(), min: 1.0, max: 3.0 });
        assert_eq!(columns[1], Spread { mean: 8.0, sd: 0.0, min: 8.0, max: 8.0 });
        assert_eq!(Spread::of([4.0].into_iter()).sd, 0.0);
    }
}
