use crate::Genome;

/// The mean of two parents, gene by gene.
pub fn intermediate(one: &[f64], two: &[f64]) -> Genome {
    one.iter().zip(two).map(|(one, two)| f64::midpoint(*one, *two)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_in_the_middle() {
        assert_eq!(intermediate(&[1.0, -2.0], &[3.0, 2.0]), [2.0, 0.0]);
    }
}
