use crate::Rng;

/// Each gene from either parent, with equal chances.
pub fn uniform<T: Clone>(one: &[T], two: &[T], rng: &mut Rng) -> Vec<T> {
    one.iter().zip(two).map(|(one, two)| if rng.below(2) == 0 { one } else { two }.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn genes_come_from_both_alike() {
        let child = uniform(&[0; 1000], &[1; 1000], &mut Rng::new(6));
        let ones: i32 = child.iter().sum();
        assert!((440..560).contains(&ones), "{ones}");
    }
}
