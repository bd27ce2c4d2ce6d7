use crate::linear::dot;

/// The eigenvalues of a symmetric matrix, given by its rows, and its eigenvectors as columns. Nothing but sums, products and roots, so that it is
/// the same on every machine.
pub(crate) fn eigen(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    // Small ones stay with Jacobi: experiments that were begun with it are resumed.
    if matrix.len() <= LARGEST_OF_JACOBI { jacobi(matrix) } else { householder_ql(matrix) }
}

/// The largest matrix for which the method of Jacobi takes no time worth mentioning.
const LARGEST_OF_JACOBI: usize = 64;

/// The cyclic method of Jacobi (Golub and Van Loan, "Matrix Computations", §8.5).
fn jacobi(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
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

/// Householder's reduction to a tridiagonal matrix, and then the implicit QL method (Golub and Van Loan, §8.3): for large matrices about ten times
/// as fast.
fn householder_ql(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (mut diagonal, mut beside, mut rows) = tridiagonal(matrix);
    ql(&mut diagonal, &mut beside, &mut rows);
    let count = rows.len();
    (diagonal, (0..count).map(|row| (0..count).map(|column| rows[column][row]).collect()).collect())
}

/// The diagonal of a tridiagonal matrix T and what is beside it, and the rows of an orthogonal Q with T = Q · matrix · Qᵀ.
fn tridiagonal(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>, Vec<Vec<f64>>) {
    let count = matrix.len();
    let mut left = matrix.to_vec();
    let mut rows = identity(count);
    let mut beside = vec![0.0; count];
    for step in 0..count.saturating_sub(2) {
        // The reflection I − 2 v vᵀ that leaves nothing of this column below the place beside the diagonal.
        let mut v: Vec<f64> = (0..count).map(|row| if row > step { left[row][step] } else { 0.0 }).collect();
        let length = dot(&v, &v).sqrt();
        let below: f64 = v[step + 2..].iter().map(|x| x * x).sum();
        if below == 0.0 {
            continue;
        }
        v[step + 1] += if v[step + 1] < 0.0 { -length } else { length };
        let norm = dot(&v, &v).sqrt();
        v.iter_mut().for_each(|x| *x /= norm);
        // left − 2 v wᵀ − 2 w vᵀ, where w = left · v − (vᵀ · left · v) v.
        let mut w: Vec<f64> = left.iter().map(|row| dot(&row[step + 1..], &v[step + 1..])).collect();
        let share = dot(&v, &w);
        w.iter_mut().zip(&v).for_each(|(w, v)| *w -= share * v);
        for (row, values) in left.iter_mut().enumerate().skip(step) {
            let (v_row, w_row) = (2.0 * v[row], 2.0 * w[row]);
            for ((value, v), w) in values.iter_mut().zip(&v).zip(&w).skip(step) {
                *value -= v_row * w + w_row * v;
            }
        }
        // (I − 2 v vᵀ) · Q.
        let mut sums = vec![0.0; count];
        for (row, v) in rows.iter().zip(&v).skip(step + 1) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += v * x);
        }
        for (row, v) in rows.iter_mut().zip(&v).skip(step + 1) {
            row.iter_mut().zip(&sums).for_each(|(x, sum)| *x -= 2.0 * v * sum);
        }
    }
    for index in 1..count {
        beside[index - 1] = left[index][index - 1];
    }
    ((0..count).map(|index| left[index][index]).collect(), beside, rows)
}

/// Makes the eigenvalues of the diagonal, and rows of eigenvectors of the rows.
fn ql(diagonal: &mut [f64], beside: &mut [f64], rows: &mut [Vec<f64>]) {
    let count = diagonal.len();
    for index in 0..count {
        for _ in 0..MAX_SWEEPS {
            let is_small = |at: &usize| {
                beside[*at].abs() <= f64::EPSILON * (diagonal[*at].abs() + diagonal[*at + 1].abs())
            };
            let end = (index..count - 1).find(is_small).unwrap_or(count - 1);
            if end == index {
                break;
            }
            // Wilkinson's shift.
            let half = (diagonal[index + 1] - diagonal[index]) / (2.0 * beside[index]);
            let root = (half * half + 1.0).sqrt();
            let mut g = diagonal[end] - diagonal[index]
                + beside[index] / (half + if half < 0.0 { -root } else { root });
            let (mut sine, mut cosine, mut carried) = (1.0, 1.0, 0.0);
            let mut is_split = false;
            for at in (index..end).rev() {
                let (f, b) = (sine * beside[at], cosine * beside[at]);
                let length = (f * f + g * g).sqrt();
                beside[at + 1] = length;
                if length == 0.0 {
                    diagonal[at + 1] -= carried;
                    beside[end] = 0.0;
                    is_split = true;
                    break;
                }
                (sine, cosine) = (f / length, g / length);
                let rest = diagonal[at + 1] - carried;
                let turn = (diagonal[at] - rest) * sine + 2.0 * cosine * b;
                carried = sine * turn;
                diagonal[at + 1] = rest + carried;
                g = cosine * turn - b;
                let [first, second] = rows.get_disjoint_mut([at, at + 1]).expect("two rows");
                for (one, two) in first.iter_mut().zip(second) {
                    (*one, *two) = (cosine * *one - sine * *two, sine * *one + cosine * *two);
                }
            }
            if !is_split {
                diagonal[index] -= carried;
                beside[index] = g;
                beside[end] = 0.0;
            }
        }
    }
}

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

    /// A symmetric matrix of random numbers.
    fn random(count: usize, rng: &mut Rng) -> Vec<Vec<f64>> {
        let half: Vec<Vec<f64>> = (0..count).map(|_| (0..count).map(|_| rng.normal()).collect()).collect();
        let entry = |row: usize, column: usize| half[row.min(column)][row.max(column)];
        (0..count).map(|row| (0..count).map(|column| entry(row, column)).collect()).collect()
    }

    #[test]
    fn a_matrix_is_its_eigenvectors_times_its_eigenvalues() {
        let mut rng = Rng::new(1);
        for (count, method) in [1, 2, 3, 20, 40]
            .into_iter()
            .flat_map(|count| [(count, jacobi as fn(&[Vec<f64>]) -> _), (count, householder_ql)])
        {
            let matrix = random(count, &mut rng);
            let (values, vectors): (Vec<f64>, Vec<Vec<f64>>) = method(&matrix);
            for row in 0..count {
                for column in 0..count {
                    let of = |value: &dyn Fn(usize) -> f64| (0..count).map(value).sum::<f64>();
                    let again = of(&|k| vectors[row][k] * values[k] * vectors[column][k]);
                    assert!((again - matrix[row][column]).abs() < 1e-12, "{count}: {again}");
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
    fn matrices_with_zeros_and_equal_eigenvalues_are_no_trouble() {
        let mut blocks = identity(6);
        (blocks[1][4], blocks[4][1], blocks[5][5]) = (0.5, 0.5, 0.0);
        for matrix in [identity(5), vec![vec![0.0; 4]; 4], blocks] {
            let [mut one, mut two] = [jacobi(&matrix).0, householder_ql(&matrix).0];
            one.sort_by(f64::total_cmp);
            two.sort_by(f64::total_cmp);
            assert!(one.iter().zip(&two).all(|(one, two)| (one - two).abs() < 1e-14), "{one:?} {two:?}");
        }
    }

    #[test]
    fn eigenvalues_are_those_that_are_known() {
        let (mut values, _) = eigen(&[vec![2.0, 1.0], vec![1.0, 2.0]]);
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15, "{values:?}");
    }
}
