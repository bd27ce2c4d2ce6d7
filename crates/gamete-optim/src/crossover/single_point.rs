use crate::Rng;

/// The head of one parent and the tail of another, cut somewhere between two genes.
pub fn single_point<T: Clone>(one: &[T], two: &[T], rng: &mut Rng) -> Vec<T> {
    if one.len() < 2 {
        return one.to_vec();
    }
    let cut = 1 + rng.below(one.len() as u64 - 1) as usize;
    [&one[..cut], &two[cut..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cut_happens_and_both_parents_have_a_part() {
        let mut rng = Rng::new(5);
        let mut seen = [false; 4];
        for _ in 0..200 {
            let child = single_point(&['a'; 4], &['b'; 4], &mut rng);
            let cut = child.iter().filter(|&&gene| gene == 'a').count();
            assert!(child[..cut].iter().all(|&gene| gene == 'a'));
            seen[cut] = true;
        }
        assert_eq!(seen, [false, true, true, true]);
        assert_eq!(single_point(&[1], &[2], &mut rng), [1]);
    }
}
