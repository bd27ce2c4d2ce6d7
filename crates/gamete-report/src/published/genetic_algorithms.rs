//! David, van den Herik, Koppel and Netanyahu, "Genetic Algorithms for Evolving Computer Chess Programs" (2014), and David,
//! Koppel and Netanyahu, "Optimizing Selective Search in Chess" (2010).

/// Hits of the first run of the first stage, in per cent of 5,000 positions.
pub struct Hits {
    /// The mean of the population after the first generation.
    pub first_mean: f64,
    /// The mean that the population settles at.
    pub mean: f64,
    /// Of the best of the last generation.
    pub best: f64,
    /// Of the same player on the other half of the positions.
    pub test: f64,
    /// How many generations there were.
    pub generations: u32,
}

/// What the paper of 2014 says in its text.
pub const HITS: Hits = Hits { first_mean: 16.0, mean: 30.0, best: 32.4, test: 30.4, generations: 200 };

/// The last stage with another program's evaluation, as the paper of 2010 has it, at the first and at the last generation.
pub struct SuiteSearch {
    /// Millions of nodes to the solution of all positions, of the best.
    pub best_nodes: [f64; 2],
    /// The same on average over the population.
    pub mean_nodes: [f64; 2],
    /// Positions solved.
    pub solved: [f64; 2],
    /// How many positions there were.
    pub positions: f64,
    /// Millions of nodes if none is solved.
    pub most_nodes: f64,
    /// How many generations there were.
    pub generations: u32,
}

/// What the paper of 2010 says in its text.
pub const SUITE_SEARCH: SuiteSearch = SuiteSearch {
    best_nodes: [226.0, 199.0],
    mean_nodes: [239.0, 206.0],
    solved: [488.0, 547.0],
    positions: 879.0,
    most_nodes: 439.5,
    generations: 50,
};

/// The settings of the search that the paper of 2014 evolved, by the names that they have here.
const SEARCH_SETTINGS: [(&str, f64); 18] = [
    ("null_move", 1.0),
    ("null_move_reduction", 4.0),
    ("null_move_adaptive", 1.0),
    ("null_move_adaptive_depth", 6.0),
    ("futility_depth", 3.0),
    ("futility_1", 112.0),
    ("futility_2", 227.0),
    ("futility_3", 506.0),
    ("multi_cut", 1.0),
    ("multi_cut_reduction", 4.0),
    ("multi_cut_depth", 6.0),
    ("multi_cut_moves", 15.0),
    ("multi_cut_cuts", 3.0),
    ("check_extension", 4.0),
    ("one_reply_extension", 4.0),
    ("recapture_extension", 2.0),
    ("passed_pawn_extension", 3.0),
    ("mate_threat_extension", 2.0),
];

/// The value that the paper evolved for a setting of the search, by the name of its gene.
pub fn search_setting(gene: &str) -> Option<f64> {
    let name = gene.strip_prefix("search.")?;
    SEARCH_SETTINGS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_settings_are_there() {
        assert_eq!(search_setting("search.futility_3"), Some(506.0));
        assert_eq!(search_setting("futility_3"), None);
        for (name, value) in SEARCH_SETTINGS {
            let text =
                format!("name = 'x'\nmethod = 'coevolution'\npreset = 'full'\nsearch.{name} = {value}\n");
            let table = text.parse().expect("TOML");
            gamete_lab::Experiment::from_table(&table).expect(name);
        }
    }
}
