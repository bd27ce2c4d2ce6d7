use gamete_optim::Genome;
use serde::{Deserialize, Serialize};

/// One of a population, with what its method knows of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Individual {
    /// Its genes.
    pub genome: Genome,
    /// What the method ranked it by in its generation, more being better; none where there is no such number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitness: Option<f64>,
    /// The individuals of the generation before that it comes from, by their places from 0: itself alone where it survived,
    /// nobody where it is random or its method does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<u32>,
}

impl From<Genome> for Individual {
    fn from(genome: Genome) -> Self {
        Self { genome, fitness: None, parents: Vec::new() }
    }
}
