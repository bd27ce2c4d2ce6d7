use crate::Rng;

/// Flips each bit with a chance.
pub fn bit_flip(bits: &mut [bool], chance: f64, rng: &mut Rng) {
    for bit in bits {
        *bit ^= rng.uniform() < chance;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_bits_change() {
        let mut bits = vec![true; 20_000];
        bit_flip(&mut bits, 0.005, &mut Rng::new(7));
        let flipped = bits.iter().filter(|&&bit| !bit).count();
        assert!((70..130).contains(&flipped), "{flipped}");
    }
}
