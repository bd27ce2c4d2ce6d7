/// The eigenvalues of a symmetric matrix, given by its rows, and its eigenvectors as columns: the cyclic method of Jacobi (Golub and
/// Van Loan, "Matrix Computations", §8.5). Nothing but sums, products and roots, so that it is the same on every machine.
pub(crate) fn eigen(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let count = matrix.len();
    let mut left = matrix.to_vec();
    let mut vectors = identity(count);
    for _ in 0..MAX_SWEEPS {
        let off: f64 = (0..count)
            .flat_map(|row| (0..row).map(move |column| (row, column)))
            .map(|(row, column)| left[row][column].powi(2))
            .sum();
        let on: f64 = (0..count).map(|index| left[index][index].powi(2)).sum();
        if off <= 1e-30 * on {
            break;
        }
        for row in 1..count {
            for column in 0..row {
                rotate(&mut left, &mut vectors, column, row);
            }
        }
    }
    ((0..count).map(|index| left[index][index]).collect(), vectors)
}

/// Each squares the error, so that about ten are needed.
const MAX_SWEEPS: usize = 50;

/// The matrix with ones on its diagonal.
pub(crate) fn identity(count: usize) -> Vec<Vec<f64>> {
    (0..count).map(|row| (0..count).map(|column| f64::from(u8::from(row == column))).collect()).collect()
}

/// Turns the plane of two axes until they have nothing to do with each other.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    if matrix[p][q] == 0.0 {
        return;
    }
    let tau = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tangent = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    let turned = |one: f64, two: f64| (cosine * one - sine * two, sine * one + cosine * two);
    for row in matrix.iter_mut().chain(vectors) {
        (row[p], row[q]) = turned(row[p], row[q]);
    }
    let [first, second] = matrix.get_disjoint_mut([p, q]).expect("two axes");
    for (one, two) in first.iter_mut().zip(second) {
        (*one, *two) = turned(*one, *two);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;

    #[test]
    fn a_matrix_is_its_eigenvectors_times_its_eigenvalues() {
        let mut rng = Rng::new(1);
        for count in [1, 2, 3, 20] {
            let half: Vec<Vec<f64>> =
                (0..count).map(|_| (0..count).map(|_| rng.normal()).collect()).collect();
            let entry = |row: usize, column: usize| half[row.min(column)][row.max(column)];
            let matrix: Vec<Vec<f64>> =
                (0..count).map(|row| (0..count).map(|column| entry(row, column)).collect()).collect();
            let (values, vectors) = eigen(&matrix);
            for row in 0..count {
                for column in 0..count {
                    let of = |value: &dyn Fn(usize) -> f64| (0..count).map(value).sum::<f64>();
                    let again = of(&|k| vectors[row][k] * values[k] * vectors[column][k]);
                    assert!((again - entry(row, column)).abs() < 1e-12, "{count}: {again}");
                    let product = of(&|k| vectors[row][k] * vectors[column][k]);
                    assert!(
                        (product - f64::from(u8::from(row == column))).abs() < 1e-12,
                        "{count}: {product}"
                    );
                }
            }
        }
    }

    #[test]
    fn eigenvalues_are_those_that_are_known() {
        let (mut values, _) = eigen(&[vec![2.0, 1.0], vec![1.0, 2.0]]);
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15, "{values:?}");
    }
}
