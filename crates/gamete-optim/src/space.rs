use gamete_optim::{Genome, Rng};
use serde::{Deserialize, Serialize};

/// What an experiment may do with one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "give a number that it keeps, or [smallest, largest] to begin with")]
pub enum Gene {
    /// It has this value in every genome.
    Pinned(f64),
    /// It begins somewhere in this range, and then goes where it likes.
    Free([f64; 2]),
}

/// The parameters of an experiment, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    genes: Vec<(String, Gene)>,
}

/// Why a space cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpaceError {
    /// A number that is none.
    #[error("{name} = {value}: give a finite number")]
    NotFinite {
        /// Which parameter.
        name: String,
        /// What it is given.
        value: f64,
    },
    /// A range from the wrong end.
    #[error("{name} = [{min}, {max}]: the first number is the smallest, the second the largest")]
    Reversed {
        /// Which parameter.
        name: String,
        /// The first number.
        min: f64,
        /// The second.
        max: f64,
    },
    /// There is nothing to find.
    #[error("every parameter is pinned; give one a range, as in pawn = [0, 12]")]
    NothingFree,
}

impl Space {
    /// A space of these parameters.
    ///
    /// # Errors
    ///
    /// When a range makes no sense, or nothing is free.
    pub fn new(genes: Vec<(String, Gene)>) -> Result<Self, SpaceError> {
        for (name, gene) in &genes {
            let values = match gene {
                Gene::Pinned(value) => std::slice::from_ref(value),
                Gene::Free(range) => range.as_slice(),
            };
            if let Some(&value) = values.iter().find(|value| !value.is_finite()) {
                return Err(SpaceError::NotFinite { name: name.clone(), value });
            }
            if let Gene::Free([min, max]) = *gene
                && min > max
            {
                return Err(SpaceError::Reversed { name: name.clone(), min, max });
            }
        }
        if !genes.iter().any(|(_, gene)| matches!(gene, Gene::Free(_))) {
            return Err(SpaceError::NothingFree);
        }
        Ok(Self { genes })
    }

    /// The names of the free parameters, in the order of a genome.
    pub fn names(&self) -> Vec<String> {
        self.free().map(|(name, _)| name.to_owned()).collect()
    }

    /// A genome somewhere in the space.
    pub fn random(&self, rng: &mut Rng) -> Genome {
        self.free().map(|(_, [min, max])| min + (max - min) * rng.uniform()).collect()
    }

    /// The genome of all smallest numbers (0) or of all largest (1).
    pub fn corner(&self, end: usize) -> Genome {
        self.free().map(|(_, range)| range[end]).collect()
    }

    /// So many of them.
    pub fn random_population(&self, size: usize, rng: &mut Rng) -> Vec<Genome> {
        (0..size).map(|_| self.random(rng)).collect()
    }

    /// The values of all parameters, the pinned ones too, by their names.
    pub fn values<'a>(&'a self, genome: &'a [f64]) -> impl Iterator<Item = (&'a str, f64)> {
        let mut free = genome.iter();
        self.genes.iter().map(move |(name, gene)| match gene {
            Gene::Pinned(value) => (name.as_str(), *value),
            Gene::Free(_) => (name.as_str(), *free.next().expect("a number for each free parameter")),
        })
    }

    fn free(&self) -> impl Iterator<Item = (&str, [f64; 2])> {
        self.genes.iter().filter_map(|(name, gene)| match *gene {
            Gene::Free(range) => Some((name.as_str(), range)),
            Gene::Pinned(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(genes: &[(&str, Gene)]) -> Result<Space, SpaceError> {
        Space::new(genes.iter().map(|&(name, gene)| (name.to_owned(), gene)).collect())
    }

    #[test]
    fn pinned_parameters_are_no_part_of_a_genome() {
        let space = space(&[
            ("pawn", Gene::Free([0.0, 12.0])),
            ("king", Gene::Pinned(4.0)),
            ("rook", Gene::Free([5.0, 5.0])),
        ])
        .unwrap();
        assert_eq!(space.names(), ["pawn", "rook"]);
        let population = space.random_population(100, &mut Rng::new(1));
        assert!(population.iter().all(|genome| (0.0..12.0).contains(&genome[0]) && genome[1] == 5.0));
        assert!(
            population.iter().any(|genome| genome[0] < 3.0)
                && population.iter().any(|genome| genome[0] > 9.0)
        );
        let values: Vec<_> = space.values(&[1.0, 2.0]).collect();
        assert_eq!(values, [("pawn", 1.0), ("king", 4.0), ("rook", 2.0)]);
    }

    #[test]
    fn ranges_must_make_sense() {
        let error = |name, gene| space(&[(name, gene)]).unwrap_err().to_string();
        assert_eq!(
            error("pawn", Gene::Free([3.0, 1.0])),
            "pawn = [3, 1]: the first number is the smallest, the second the largest"
        );
        assert_eq!(error("pawn", Gene::Free([0.0, f64::INFINITY])), "pawn = inf: give a finite number");
        assert_eq!(error("pawn", Gene::Pinned(f64::NAN)), "pawn = NaN: give a finite number");
        assert!(error("pawn", Gene::Pinned(1.0)).starts_with("every parameter is pinned"));
    }
}
