//! The little linear algebra that models need, on rows of numbers: nothing but sums, products and roots in a fixed order, so that
//! it is the same on every machine.

/// The sum of the products of two lists.
pub(crate) fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

/// The lower triangle L with L · Lᵀ = a symmetric matrix, of which the lower triangle is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cholesky {
    rows: Vec<Vec<f64>>,
}

impl Cholesky {
    /// Nothing if the matrix is not positive definite.
    pub fn new(matrix: &[Vec<f64>]) -> Option<Self> {
        let mut rows = Self { rows: Vec::with_capacity(matrix.len()) };
        matrix.iter().enumerate().all(|(i, row)| rows.extend(row[..=i].to_vec())).then_some(rows)
    }

    /// Adds a row of the matrix, up to its diagonal. False, and nothing happens, if the matrix is not positive definite with it.
    pub fn extend(&mut self, mut row: Vec<f64>) -> bool {
        let diagonal = row.pop().unwrap_or(0.0);
        let mut row = self.forward(row);
        let rest = diagonal - dot(&row, &row);
        let is_positive = rest > 0.0;
        if is_positive {
            row.push(rest.sqrt());
            self.rows.push(row);
        }
        is_positive
    }

    /// The x with L · x = `right`.
    pub fn forward(&self, mut right: Vec<f64>) -> Vec<f64> {
        for (i, row) in self.rows.iter().enumerate() {
            right[i] = (right[i] - dot(&row[..i], &right[..i])) / row[i];
        }
        right
    }

    /// The x with Lᵀ · x = `right`.
    pub fn backward(&self, mut right: Vec<f64>) -> Vec<f64> {
        for (i, row) in self.rows.iter().enumerate().rev() {
            right[i] /= row[i];
            let (before, value) = right.split_at_mut(i);
            before.iter_mut().zip(row).for_each(|(x, entry)| *x -= entry * value[0]);
        }
        right
    }

    /// The x with matrix · x = `right`.
    pub fn solve(&self, right: Vec<f64>) -> Vec<f64> {
        self.backward(self.forward(right))
    }

    /// The diagonal of the inverse of the matrix: variances, where the matrix is of precisions.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let count = self.rows.len();
        let mut column = vec![0.0; count];
        let mut diagonal = Vec::with_capacity(count);
        for start in 0..count {
            column[start] = 1.0 / self.rows[start][start];
            for i in start + 1..count {
                let row = &self.rows[i];
                column[i] = -dot(&row[start..i], &column[start..i]) / row[i];
            }
            diagonal.push(dot(&column[start..], &column[start..]));
        }
        diagonal
    }

    /// The lower triangle of the inverse of the matrix.
    pub fn inverse(&self) -> Vec<Vec<f64>> {
        let count = self.rows.len();
        // The columns of L⁻¹, each from its diagonal on.
        let columns: Vec<Vec<f64>> = (0..count)
            .map(|start| {
                let mut column = vec![1.0 / self.rows[start][start]];
                for (i, row) in self.rows.iter().enumerate().skip(start + 1) {
                    column.push(-dot(&row[start..i], &column) / row[i]);
                }
                column
            })
            .collect();
        let entry = |i: usize, j: usize| dot(&columns[i], &columns[j][i - j..]);
        (0..count).map(|i| (0..=i).map(|j| entry(i, j)).collect()).collect()
    }

    /// The logarithm of the determinant of the matrix.
    pub fn log_determinant(&self) -> f64 {
        self.rows.iter().enumerate().map(|(i, row)| 2.0 * libm::log(row[i])).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn equations_are_solved() {
        let mut rng = Rng::new(3);
        let count = 7;
        let factors: Vec<Vec<f64>> = (0..9).map(|_| (0..count).map(|_| rng.normal()).collect()).collect();
        let entry = |i: usize, j: usize| factors.iter().map(|factor| factor[i] * factor[j]).sum::<f64>();
        let matrix: Vec<Vec<f64>> = (0..count).map(|i| (0..count).map(|j| entry(i, j)).collect()).collect();
        let cholesky = Cholesky::new(&matrix).expect("positive definite");
        let diagonal = cholesky.inverse_diagonal();
        for place in 0..count {
            let unit: Vec<f64> = (0..count).map(|i| f64::from(u8::from(i == place))).collect();
            let x = cholesky.solve(unit.clone());
            assert!((x[place] - diagonal[place]).abs() < 1e-9 * diagonal[place]);
            for (row, expected) in matrix.iter().zip(unit) {
                assert!((dot(row, &x) - expected).abs() < 1e-9);
            }
        }
        let small = Cholesky::new(&[vec![2.0], vec![1.0, 3.0]]).expect("positive definite");
        assert!((small.log_determinant() - libm::log(5.0)).abs() < 1e-14);
        assert!(Cholesky::new(&[vec![1.0, 0.0], vec![0.0, -1.0]]).is_none());
        assert!(Cholesky::new(&[vec![f64::NAN]]).is_none());
    }
}
