//! Whole numbers as bits of which neighbours differ in one.

use crate::Genome;

/// The Gray code of a number, in so many bits, the highest first.
pub fn encode(number: u64, bits: u32) -> Vec<bool> {
    let code = number ^ (number >> 1);
    (0..bits).rev().map(|bit| code >> bit & 1 == 1).collect()
}

/// The number of a Gray code.
pub fn decode(bits: &[bool]) -> u64 {
    let mut number = 0;
    let mut last = false;
    for &bit in bits {
        last ^= bit;
        number = number << 1 | u64::from(last);
    }
    number
}

/// How points whose coordinates are from 0 to 1 are written in bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointCode {
    /// Bits of each coordinate.
    widths: Vec<u32>,
    /// The number that stands for 1 in each coordinate, as do those above it.
    ends: Vec<u64>,
}

impl PointCode {
    /// So many bits for each coordinate, whose numbers are spread evenly from 0 to 1.
    pub fn spread(widths: Vec<u32>) -> Self {
        let ends = widths.iter().map(|width| (1 << width) - 1).collect();
        Self { widths, ends }
    }

    /// So many bits for each coordinate, of which numbers from an end on stand for 1: with 3 bits and the end 4, so do 4 to 7.
    pub fn clamped(widths: Vec<u32>, ends: Vec<u64>) -> Self {
        Self { widths, ends }
    }

    /// How many bits a point has.
    pub fn bits(&self) -> u32 {
        self.widths.iter().sum()
    }

    /// The bits of a point.
    pub fn encode(&self, point: &[f64]) -> Vec<bool> {
        let bits =
            |(at, (&width, &end)): (&f64, (&u32, &u64))| encode((at * end as f64).round() as u64, width);
        point.iter().zip(self.widths.iter().zip(&self.ends)).flat_map(bits).collect()
    }

    /// The point of bits.
    pub fn decode(&self, bits: &[bool]) -> Genome {
        let mut rest = bits;
        let coordinate = |(&width, &end): (&u32, &u64)| {
            let (own, others) = rest.split_at(width as usize);
            rest = others;
            decode(own).min(end) as f64 / end as f64
        };
        self.widths.iter().zip(&self.ends).map(coordinate).collect()
    }

    /// The nearest point that can be written.
    pub fn nearest(&self, point: &[f64]) -> Genome {
        self.decode(&self.encode(point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_back_from_bits_as_exactly_as_these_allow() {
        let point = [0.0, 1.0, 0.5, 0.123];
        for (was, is) in point.iter().zip(PointCode::spread(vec![20; 4]).nearest(&point)) {
            assert!((was - is).abs() < 1e-6, "{was} {is}");
        }
        // Whole numbers from 0 to 63 and from 0 to 2047 in as many bits as they need.
        let (point, code) = ([17.0 / 63.0, 1710.0 / 2047.0], PointCode::spread(vec![6, 11]));
        let bits = code.encode(&point);
        assert_eq!((bits.len(), code.bits(), code.decode(&bits)), (17, 17, point.to_vec()));
    }

    #[test]
    fn numbers_beyond_the_end_of_a_range_are_spread_over_it_or_stand_for_the_end() {
        let fifths = |code: &PointCode| -> Vec<f64> {
            (0..8).map(|number| 4.0 * code.decode(&encode(number, 3))[0]).collect()
        };
        let clamped = PointCode::clamped(vec![3], vec![4]);
        assert_eq!(fifths(&clamped), [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0]);
        assert_eq!(clamped.encode(&[1.0]), encode(4, 3));
        assert_eq!(fifths(&PointCode::spread(vec![3]))[7], 4.0);
        assert!(fifths(&PointCode::spread(vec![3]))[4] < 2.5);
    }

    #[test]
    fn neighbours_differ_in_one_bit_and_numbers_come_back() {
        for number in 0..1024 {
            let code = encode(number, 10);
            assert_eq!(decode(&code), number);
            let next = encode((number + 1) % 1024, 10);
            assert_eq!(code.iter().zip(&next).filter(|(one, two)| one != two).count(), 1);
        }
        assert_eq!(encode(2, 3), [false, true, true]);
    }
}
