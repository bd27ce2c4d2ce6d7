use std::ops::Range;

/// Features as a matrix: a row for each position, a column for each weight of a model, in integers as small as they can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeatureMatrix {
    columns: usize,
    values: Integers,
    /// The largest value of each column, without its sign.
    largest: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Integers {
    Bytes(Vec<i8>),
    Words(Vec<i16>),
    Longs(Vec<i32>),
}

/// A number that features are multiplied in.
pub(crate) trait Real: Copy {
    fn from_i32(value: i32) -> Self;
}

impl Real for f32 {
    #[inline]
    fn from_i32(value: i32) -> Self {
        value as Self
    }
}

impl Real for f64 {
    #[inline]
    fn from_i32(value: i32) -> Self {
        value.into()
    }
}

impl FeatureMatrix {
    /// The matrix of these values, row by row.
    ///
    /// # Panics
    ///
    /// When the last row is not complete.
    pub fn new(columns: usize, values: &[i32]) -> Self {
        assert!(values.is_empty() || values.len().is_multiple_of(columns), "complete rows");
        let mut largest = vec![0_u32; columns];
        for row in values.chunks_exact(columns.max(1)) {
            for (largest, value) in largest.iter_mut().zip(row) {
                *largest = (*largest).max(value.unsigned_abs());
            }
        }
        let values = match largest.iter().max().copied().unwrap_or(0) {
            0..=127 => Integers::Bytes(values.iter().map(|&value| value as i8).collect()),
            128..=32_767 => Integers::Words(values.iter().map(|&value| value as i16).collect()),
            _ => Integers::Longs(values.to_vec()),
        };
        Self { columns, values, largest }
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A bound on the sum of the products of a row with these weights, whatever the order in which they are added.
    pub fn bound(&self, weights: &[i32]) -> f64 {
        let products = self.largest.iter().zip(weights);
        products.map(|(&value, &weight)| f64::from(value) * f64::from(weight).abs()).sum()
    }

    /// Writes rows into a slice, one after the other.
    pub(crate) fn copy_rows<T: Real>(&self, rows: Range<usize>, into: &mut [T]) {
        fn copy<T: Real, I: Copy + Into<i32>>(values: &[I], into: &mut [T]) {
            for (into, &value) in into.iter_mut().zip(values) {
                *into = T::from_i32(value.into());
            }
        }
        let range = rows.start * self.columns..rows.end * self.columns;
        match &self.values {
            Integers::Bytes(values) => copy(&values[range], into),
            Integers::Words(values) => copy(&values[range], into),
            Integers::Longs(values) => copy(&values[range], into),
        }
    }

    /// A row.
    pub fn row(&self, row: usize) -> Vec<i32> {
        let range = row * self.columns..(row + 1) * self.columns;
        match &self.values {
            Integers::Bytes(values) => values[range].iter().map(|&value| value.into()).collect(),
            Integers::Words(values) => values[range].iter().map(|&value| value.into()).collect(),
            Integers::Longs(values) => values[range].to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_as_small_as_they_can_be() {
        for largest in [127, -128, 32_767, -32_768_i32] {
            let values = [1, 2, 3, largest, 5, 6];
            let matrix = FeatureMatrix::new(3, &values);
            let is_smallest = match matrix.values {
                Integers::Bytes(_) => largest == 127,
                Integers::Words(_) => largest == -128 || largest == 32_767,
                Integers::Longs(_) => largest == -32_768,
            };
            assert!(is_smallest, "{largest}");
            assert_eq!([matrix.row(0), matrix.row(1)].concat(), values);
            let mut reals = [0.0_f32; 3];
            matrix.copy_rows(1..2, &mut reals);
            assert_eq!(reals, [largest as f32, 5.0, 6.0]);
            let bound = f64::from(largest.unsigned_abs().max(1)) * 2.0 + 5.0 + 18.0;
            assert_eq!(matrix.bound(&[2, -1, 3]), bound);
        }
    }
}
