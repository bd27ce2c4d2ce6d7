use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use faer_traits::ComplexField;

use crate::bytes::{Integer, Reader, put};

/// Features as a matrix: a row for each position, a column for each weight of a model, in integers as small as they can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeatureMatrix {
    rows: usize,
    /// The largest value of each column, without its sign.
    largest: Vec<u32>,
    /// The largest sum of the values of a row, without their signs.
    largest_row: u64,
    values: Values,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Values {
    Dense(Dense),
    Sparse(Sparse),
}

/// All values, in three matrices by the width of their columns.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Dense {
    /// The columns by width, as they are multiplied.
    order: Vec<u16>,
    /// How many columns each matrix has.
    widths: [usize; 3],
    bytes: Vec<i8>,
    words: Vec<i16>,
    longs: Vec<i32>,
}

/// Those values that are not zero.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sparse {
    /// Where each row ends.
    ends: Vec<usize>,
    columns: Vec<u16>,
    values: Integers,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Integers {
    Bytes(Vec<i8>),
    Words(Vec<i16>),
    Longs(Vec<i32>),
}

/// Rows as they are collected: the values that are not zero.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    ends: Vec<usize>,
    columns: Vec<u16>,
    values: Vec<i32>,
}

impl Rows {
    /// Adds a row.
    pub fn push(&mut self, values: impl Iterator<Item = i32>) {
        for (column, value) in (0..).zip(values).filter(|&(_, value)| value != 0) {
            self.columns.push(column);
            self.values.push(value);
        }
        self.ends.push(self.values.len());
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds the rows of another.
    pub fn append(&mut self, other: &Self) {
        let before = self.values.len();
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.columns.extend(&other.columns);
        self.values.extend(&other.values);
    }
}

/// The share of values that are not zero below which the others are left out. A product by rows of single values takes
/// so much longer for each than one by blocks of them.
const SPARSE: f64 = 1.0 / 8.0;

impl FeatureMatrix {
    /// The matrix of these rows.
    pub fn new(columns: usize, rows: &Rows) -> Self {
        let mut largest = vec![0_u32; columns];
        for (&column, value) in rows.columns.iter().zip(&rows.values) {
            let largest = &mut largest[usize::from(column)];
            *largest = (*largest).max(value.unsigned_abs());
        }
        let starts = std::iter::once(&0).chain(&rows.ends);
        let sums = starts.zip(&rows.ends).map(|(&start, &end)| {
            rows.values[start..end].iter().map(|value| u64::from(value.unsigned_abs())).sum::<u64>()
        });
        let largest_row = sums.max().unwrap_or(0);
        let values = match (rows.values.len() as f64) < SPARSE * (rows.len() * columns) as f64 {
            true => Values::Sparse(Sparse::new(rows, largest.iter().copied().max().unwrap_or(0))),
            false => Values::Dense(Dense::new(rows, &largest)),
        };
        Self { rows: rows.len(), largest, largest_row, values }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns it has.
    pub fn columns(&self) -> usize {
        self.largest.len()
    }

    /// A bound on the sum of the products of a row with these weights, whatever the order in which they are added.
    pub fn bound(&self, weights: &[i32]) -> f64 {
        let products = self.largest.iter().zip(weights);
        let by_columns = products.map(|(&value, &weight)| f64::from(value) * f64::from(weight).abs()).sum();
        let weight = weights.iter().map(|weight| weight.unsigned_abs()).max().unwrap_or(0);
        f64::min(by_columns, self.largest_row as f64 * f64::from(weight))
    }

    /// The weights of players as [`multiply`](Self::multiply) takes them.
    pub fn arrange<T: Number>(&self, players: &[Vec<i32>]) -> Weights<T> {
        let of_column = |column: usize| players.iter().map(move |player| T::from_i32(player[column]));
        let values = match &self.values {
            Values::Dense(dense) => dense.order.iter().flat_map(|&column| of_column(column.into())).collect(),
            Values::Sparse(_) => (0..self.columns()).flat_map(of_column).collect(),
        };
        Weights { values, players: players.len() }
    }

    /// What these rows come to with the weights of each player: a row of scores for each.
    pub fn multiply<T: Number>(
        &self,
        rows: impl ExactSizeIterator<Item = usize>,
        weights: &Weights<T>,
        scratch: &mut Vec<T>,
        scores: &mut Vec<T>,
    ) {
        let (height, players) = (rows.len(), weights.players);
        scores.resize(height * players, T::from_i32(0));
        match &self.values {
            Values::Sparse(sparse) => {
                for (row, scores) in rows.zip(scores.chunks_exact_mut(players.max(1))) {
                    scores.fill(T::from_i32(0));
                    sparse.for_each(row, |column, value| {
                        let (value, weights) =
                            (T::from_i32(value), &weights.values[column * players..][..players]);
                        for (score, &weight) in scores.iter_mut().zip(weights) {
                            *score = score.plus_product(value, weight);
                        }
                    });
                }
            }
            Values::Dense(dense) => {
                let columns = self.columns();
                scratch.resize(height * columns, T::from_i32(0));
                for (row, into) in rows.zip(scratch.chunks_exact_mut(columns.max(1))) {
                    dense.copy(row, into);
                }
                matmul(
                    MatMut::from_row_major_slice_mut(scores, height, players),
                    Accum::Replace,
                    MatRef::from_row_major_slice(scratch, height, columns),
                    MatRef::from_row_major_slice(&weights.values, columns, players),
                    T::from_i32(1),
                    Par::Seq,
                );
            }
        }
    }

    /// What a row comes to with the weights of a player.
    pub fn product(&self, row: usize, weights: &[i32]) -> i64 {
        let mut sum = 0;
        self.for_each(row, |column, value| sum += i64::from(value) * i64::from(weights[column]));
        sum
    }

    /// A row, the columns in their order.
    pub fn row(&self, row: usize) -> Vec<i32> {
        let mut values = vec![0; self.columns()];
        self.for_each(row, |column, value| values[column] = value);
        values
    }

    /// Calls `f` with the columns and values of a row, zeros left out or not.
    fn for_each(&self, row: usize, f: impl FnMut(usize, i32)) {
        match &self.values {
            Values::Sparse(sparse) => sparse.for_each(row, f),
            Values::Dense(dense) => dense.for_each(row, f),
        }
    }

    /// Appends it to a file.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        put(bytes, &[self.rows as u64, self.largest_row]);
        put(bytes, &self.largest);
        match &self.values {
            Values::Dense(Dense { order, widths, bytes: narrow, words, longs }) => {
                put(bytes, &[0_u8]);
                put(bytes, order);
                put(bytes, &widths.map(|width| width as u64));
                put(bytes, narrow);
                put(bytes, words);
                put(bytes, longs);
            }
            Values::Sparse(Sparse { ends, columns, values }) => {
                let kind = match values {
                    Integers::Bytes(_) => 1_u8,
                    Integers::Words(_) => 2,
                    Integers::Longs(_) => 3,
                };
                put(bytes, &[kind]);
                put(bytes, &ends.iter().map(|&end| end as u64).collect::<Vec<_>>());
                put(bytes, columns);
                match values {
                    Integers::Bytes(values) => put(bytes, values),
                    Integers::Words(values) => put(bytes, values),
                    Integers::Longs(values) => put(bytes, values),
                }
            }
        }
    }

    /// Reads what [`write`](Self::write) wrote; none if it makes no sense.
    pub fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let [rows, largest_row]: [u64; 2] = reader.take()?.try_into().ok()?;
        let (rows, largest) = (usize::try_from(rows).ok()?, reader.take::<u32>()?);
        let columns = largest.len();
        let [kind]: [u8; 1] = reader.take()?.try_into().ok()?;
        let values = if kind == 0 {
            let order: Vec<u16> = reader.take()?;
            let widths: [u64; 3] = reader.take()?.try_into().ok()?;
            let widths = widths.map(|width| width as usize);
            let (bytes, words, longs) = (reader.take()?, reader.take()?, reader.take()?);
            let dense = Dense { order, widths, bytes, words, longs };
            let lengths = [dense.bytes.len(), dense.words.len(), dense.longs.len()];
            let fits = widths.iter().sum::<usize>() == columns
                && dense.order.len() == columns
                && dense.order.iter().all(|&column| usize::from(column) < columns)
                && lengths.iter().zip(widths).all(|(&length, width)| length == rows * width);
            Values::Dense(fits.then_some(dense)?)
        } else {
            let ends: Vec<usize> = reader.take::<u64>()?.into_iter().map(|end| end as usize).collect();
            let columns_of: Vec<u16> = reader.take()?;
            let values = match kind {
                1 => Integers::Bytes(reader.take()?),
                2 => Integers::Words(reader.take()?),
                3 => Integers::Longs(reader.take()?),
                _ => return None,
            };
            let fits = ends.len() == rows
                && ends.is_sorted()
                && ends.last().copied().unwrap_or(0) == values.len()
                && columns_of.len() == values.len()
                && columns_of.iter().all(|&column| usize::from(column) < columns);
            Values::Sparse(fits.then_some(Sparse { ends, columns: columns_of, values })?)
        };
        Some(Self { rows, largest, largest_row, values })
    }
}

impl Dense {
    fn new(rows: &Rows, largest: &[u32]) -> Self {
        let width = |column: u16| width(largest[usize::from(column)]);
        let mut order: Vec<u16> = (0..).take(largest.len()).collect();
        order.sort_by_key(|&column| width(column));
        let widths = [0, 1, 2].map(|wanted| order.iter().filter(|&&column| width(column) == wanted).count());
        let mut dense = Self {
            widths,
            bytes: vec![0; rows.len() * widths[0]],
            words: vec![0; rows.len() * widths[1]],
            longs: vec![0; rows.len() * widths[2]],
            order,
        };
        // The place of each column among those of its width.
        let mut places = vec![0; largest.len()];
        for (place, &column) in dense.order.iter().enumerate() {
            places[usize::from(column)] = place - widths[..width(column)].iter().sum::<usize>();
        }
        let mut start = 0;
        for (row, &end) in rows.ends.iter().enumerate() {
            for (&column, &value) in rows.columns[start..end].iter().zip(&rows.values[start..end]) {
                let width = width(column);
                let place = row * widths[width] + places[usize::from(column)];
                match width {
                    0 => dense.bytes[place] = value as i8,
                    1 => dense.words[place] = value as i16,
                    _ => dense.longs[place] = value,
                }
            }
            start = end;
        }
        dense
    }

    /// Writes a row into a slice, in its own order of columns.
    fn copy<T: Number>(&self, row: usize, into: &mut [T]) {
        fn copy<T: Number, I: Integer + Into<i32>>(values: &[I], row: usize, width: usize, into: &mut [T]) {
            for (into, &value) in into.iter_mut().zip(&values[row * width..(row + 1) * width]) {
                *into = T::from_i32(value.into());
            }
        }
        let [bytes, words, longs] = self.widths;
        copy(&self.bytes, row, bytes, &mut into[..bytes]);
        if words + longs > 0 {
            copy(&self.words, row, words, &mut into[bytes..bytes + words]);
            copy(&self.longs, row, longs, &mut into[bytes + words..]);
        }
    }

    fn for_each(&self, row: usize, mut f: impl FnMut(usize, i32)) {
        let [bytes, words, longs] = self.widths;
        let bytes = self.bytes[row * bytes..(row + 1) * bytes].iter().map(|&value| i32::from(value));
        let words = self.words[row * words..(row + 1) * words].iter().map(|&value| i32::from(value));
        let longs = self.longs[row * longs..(row + 1) * longs].iter().copied();
        for (&column, value) in self.order.iter().zip(bytes.chain(words).chain(longs)) {
            f(column.into(), value);
        }
    }
}

impl Sparse {
    fn new(rows: &Rows, largest: u32) -> Self {
        let values = match width(largest) {
            0 => Integers::Bytes(rows.values.iter().map(|&value| value as i8).collect()),
            1 => Integers::Words(rows.values.iter().map(|&value| value as i16).collect()),
            _ => Integers::Longs(rows.values.clone()),
        };
        Self { ends: rows.ends.clone(), columns: rows.columns.clone(), values }
    }

    #[inline]
    fn for_each(&self, row: usize, mut f: impl FnMut(usize, i32)) {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let range = start..self.ends[row];
        let columns = self.columns[range.clone()].iter().map(|&column| usize::from(column));
        match &self.values {
            Integers::Bytes(values) => {
                columns.zip(&values[range]).for_each(|(column, &value)| f(column, value.into()));
            }
            Integers::Words(values) => {
                columns.zip(&values[range]).for_each(|(column, &value)| f(column, value.into()));
            }
            Integers::Longs(values) => {
                columns.zip(&values[range]).for_each(|(column, &value)| f(column, value));
            }
        }
    }
}

impl Integers {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(values) => values.len(),
            Self::Words(values) => values.len(),
            Self::Longs(values) => values.len(),
        }
    }
}

/// Which integers hold values up to this one: 0 for bytes, 1 for words, 2 for longs.
fn width(largest: u32) -> usize {
    match largest {
        0..=127 => 0,
        128..=32_767 => 1,
        _ => 2,
    }
}

/// The weights of players, a row for each column of a matrix.
#[derive(Debug)]
pub(crate) struct Weights<T> {
    values: Vec<T>,
    players: usize,
}

/// What scores are computed in. Sums of whole numbers are exact in any order as long as they are small enough.
pub(crate) trait Number: ComplexField + Copy + PartialOrd + Default + Send + Sync {
    /// Below every score.
    const LOWEST: Self;

    /// A whole number.
    fn from_i32(value: i32) -> Self;

    /// The same as a number of double precision.
    fn to_f64(self) -> f64;

    /// This and a product.
    fn plus_product(self, one: Self, other: Self) -> Self;

    /// Divided as whole numbers are.
    fn divided(self, by: Self) -> Self;
}

/// Up to this bound sums are exact in single precision.
pub(crate) const SINGLE: f64 = (1_u32 << 24) as f64;

impl Number for f32 {
    const LOWEST: Self = Self::NEG_INFINITY;

    #[inline]
    fn from_i32(value: i32) -> Self {
        value as Self
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self.into()
    }

    #[inline]
    fn plus_product(self, one: Self, other: Self) -> Self {
        self + one * other
    }

    #[inline]
    fn divided(self, by: Self) -> Self {
        (self / by).trunc()
    }
}

impl Number for f64 {
    const LOWEST: Self = Self::NEG_INFINITY;

    #[inline]
    fn from_i32(value: i32) -> Self {
        value.into()
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline]
    fn plus_product(self, one: Self, other: Self) -> Self {
        self + one * other
    }

    #[inline]
    fn divided(self, by: Self) -> Self {
        (self / by).trunc()
    }
}

#[cfg(test)]
mod tests {
    use gamete_arena::Rng;

    use super::*;

    fn matrix(columns: usize, values: &[i32]) -> FeatureMatrix {
        let mut rows = Rows::default();
        values.chunks_exact(columns).for_each(|row| rows.push(row.iter().copied()));
        FeatureMatrix::new(columns, &rows)
    }

    #[test]
    fn integers_are_as_small_as_they_can_be_in_each_column() {
        for (largest, widths) in
            [(127, [3, 0, 0]), (-128, [2, 1, 0]), (32_767, [2, 1, 0]), (-32_768_i32, [2, 0, 1])]
        {
            let matrix = matrix(3, &[1, 2, 3, largest, 5, 6]);
            let Values::Dense(dense) = &matrix.values else { panic!("{matrix:?}") };
            assert_eq!(dense.widths, widths, "{largest}");
            assert_eq!(matrix.product(1, &[1, 0, 0]), i64::from(largest));
            assert_eq!(matrix.product(1, &[0, 10, 100]), 650);
            let by_columns = f64::from(largest.unsigned_abs()) * 2.0 + 5.0 + 18.0;
            let by_rows = f64::from(largest.unsigned_abs() + 11) * 3.0;
            assert_eq!(matrix.bound(&[2, -1, 3]), by_columns.min(by_rows));
        }
    }

    /// Random values, of which so many in a thousand are not zero.
    fn random(columns: usize, rows: usize, share: u64, size: i64) -> Vec<i32> {
        let mut rng = Rng::new(columns as u64);
        let value = |_| match rng.below(1000) < share {
            true => (rng.below(2 * size as u64 + 1) as i64 - size) as i32,
            false => 0,
        };
        (0..columns * rows).map(value).collect()
    }

    #[test]
    fn products_are_the_same_dense_and_sparse_and_after_being_written() {
        for (share, size) in [(1000, 5), (500, 3000), (20, 5), (20, 1000), (30, 100_000), (0, 1)] {
            let (columns, height) = (70, 40);
            let values = random(columns, height, share, size);
            let matrix = matrix(columns, &values);
            assert_eq!(matches!(matrix.values, Values::Sparse(_)), share < 100);
            let mut bytes = Vec::new();
            matrix.write(&mut bytes);
            let mut reader = Reader::new(&bytes);
            assert_eq!(FeatureMatrix::read(&mut reader).as_ref(), Some(&matrix));
            assert!(reader.is_empty());
            matrix.multiply::<f64>([1].into_iter(), &matrix.arrange(&[]), &mut Vec::new(), &mut Vec::new());
            for end in 0..bytes.len().min(200) {
                assert_eq!(FeatureMatrix::read(&mut Reader::new(&bytes[..end])), None, "{end}");
            }
            let players: Vec<Vec<i32>> = (0..9).map(|_| random(columns, 1, 1000, 40)).collect();
            let (mut scratch, mut scores) = (Vec::new(), Vec::new());
            let rows = [3, 0, 39, 3, 17];
            matrix.multiply::<f64>(rows.into_iter(), &matrix.arrange(&players), &mut scratch, &mut scores);
            for (row, scores) in rows.into_iter().zip(scores.chunks_exact(players.len())) {
                for (player, &score) in players.iter().zip(scores) {
                    let products = values[row * columns..].iter().zip(player);
                    let sum: i64 =
                        products.map(|(&value, &weight)| i64::from(value) * i64::from(weight)).sum();
                    assert_eq!((matrix.product(row, player), score), (sum, sum as f64));
                    assert!(score.abs() <= matrix.bound(player));
                }
                assert_eq!(matrix.row(row), values[row * columns..][..columns]);
            }
        }
    }
}
