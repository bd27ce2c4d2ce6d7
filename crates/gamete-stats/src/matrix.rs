//! Just enough linear algebra for ratings.

/// A square matrix by rows.
pub type Matrix = Vec<Vec<f64>>;

/// The inverse by Gauss and Jordan with the largest pivot; `None` if there is none.
pub fn inverse(matrix: &Matrix) -> Option<Matrix> {
    let n = matrix.len();
    let mut left = matrix.clone();
    let mut right: Matrix =
        (0..n).map(|row| (0..n).map(|column| f64::from(u8::from(row == column))).collect()).collect();
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&one, &two| left[one][column].abs().total_cmp(&left[two][column].abs()))?;
        left.swap(column, pivot);
        right.swap(column, pivot);
        let scale = left[column][column];
        if scale.is_nan() || scale.abs() < 1e-300 {
            return None;
        }
        for value in left[column].iter_mut().chain(&mut right[column]) {
            *value /= scale;
        }
        let (left_row, right_row) = (left[column].clone(), right[column].clone());
        for row in (0..n).filter(|&row| row != column) {
            let factor = left[row][column];
            for (value, pivot) in left[row].iter_mut().zip(&left_row) {
                *value -= factor * pivot;
            }
            for (value, pivot) in right[row].iter_mut().zip(&right_row) {
                *value -= factor * pivot;
            }
        }
    }
    Some(right)
}

/// Matrix times vector.
pub fn times(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(one, two)| one * two).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_the_matrix() {
        let matrix = vec![vec![0.0, 2.0, 1.0], vec![1.0, 1.0, 0.0], vec![3.0, 0.0, 1.0]];
        let inverse = inverse(&matrix).expect("a regular matrix");
        let back = times(&inverse, &times(&matrix, &[1.0, -2.0, 5.0]));
        for (back, there) in back.iter().zip([1.0, -2.0, 5.0]) {
            assert!((back - there).abs() < 1e-12);
        }
        assert!(super::inverse(&vec![vec![1.0, 1.0], vec![1.0, 1.0]]).is_none());
    }
}
