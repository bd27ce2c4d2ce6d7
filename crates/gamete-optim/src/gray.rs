//! Whole numbers as bits of which neighbours differ in one.

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

#[cfg(test)]
mod tests {
    use super::*;

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
