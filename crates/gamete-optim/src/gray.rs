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

/// A point whose coordinates are from 0 to 1 as bits, so many for each coordinate.
pub fn encode_point(point: &[f64], widths: &[u32]) -> Vec<bool> {
    let bits = |(at, &width): (&f64, &u32)| encode((at * largest(width)).round() as u64, width);
    point.iter().zip(widths).flat_map(bits).collect()
}

/// The point of bits, so many for each coordinate.
pub fn decode_point(bits: &[bool], widths: &[u32]) -> Genome {
    let mut rest = bits;
    let coordinate = |&width: &u32| {
        let (own, others) = rest.split_at(width as usize);
        rest = others;
        decode(own) as f64 / largest(width)
    };
    widths.iter().map(coordinate).collect()
}

/// The largest number of so many bits.
fn largest(width: u32) -> f64 {
    ((1_u64 << width) - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_back_from_bits_as_exactly_as_these_allow() {
        let point = [0.0, 1.0, 0.5, 0.123];
        for (was, is) in point.iter().zip(decode_point(&encode_point(&point, &[20; 4]), &[20; 4])) {
            assert!((was - is).abs() < 1e-6, "{was} {is}");
        }
        // Whole numbers from 0 to 63 and from 0 to 2047 in as many bits as they need.
        let (point, widths) = ([17.0 / 63.0, 1710.0 / 2047.0], [6, 11]);
        let bits = encode_point(&point, &widths);
        assert_eq!((bits.len(), decode_point(&bits, &widths)), (17, point.to_vec()));
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
