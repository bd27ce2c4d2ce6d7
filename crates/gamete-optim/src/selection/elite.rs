/// The indices of the best `count`, the best first. Among equals, the earlier one is the better.
pub fn best(fitness: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..fitness.len()).collect();
    order.sort_by(|&one, &two| fitness[two].total_cmp(&fitness[one]));
    order.truncate(count);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_ties_keep_their_order() {
        assert_eq!(best(&[1.0, 3.0, 2.0, 3.0], 3), [1, 3, 2]);
        assert_eq!(best(&[1.0], 5), [0]);
    }
}
