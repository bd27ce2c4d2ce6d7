//! Experiments that come with the program.

/// Every preset: its name and its file.
pub const PRESETS: &[(&str, &str)] = &[
    ("kendall-whitwell", include_str!("presets/kendall-whitwell.toml")),
    ("mutation-study", include_str!("presets/mutation-study.toml")),
    ("mutation-scale", include_str!("presets/mutation-scale.toml")),
    ("meta-mutation", include_str!("presets/meta-mutation.toml")),
    ("quick-tournament", include_str!("presets/quick-tournament.toml")),
    ("quick-tournament-study", include_str!("presets/quick-tournament-study.toml")),
    ("piece-difference", include_str!("presets/piece-difference.toml")),
    ("piece-difference-symmetric", include_str!("presets/piece-difference-symmetric.toml")),
    ("coevolution", include_str!("presets/coevolution.toml")),
    ("imitation", include_str!("presets/imitation.toml")),
    ("move-ranking", include_str!("presets/move-ranking.toml")),
    ("texel", include_str!("presets/texel.toml")),
    ("search-settings", include_str!("presets/search-settings.toml")),
    ("search-settings-full", include_str!("presets/search-settings-full.toml")),
    ("mentor", include_str!("presets/mentor.toml")),
    ("grandmaster", include_str!("presets/grandmaster.toml")),
    ("simplex", include_str!("presets/simplex.toml")),
    ("simplex-385", include_str!("presets/simplex-385.toml")),
    ("piece-values", include_str!("presets/piece-values.toml")),
    ("league", include_str!("presets/league.toml")),
    ("league-match", include_str!("presets/league-match.toml")),
    ("weights-then-search", include_str!("presets/weights-then-search.toml")),
];

/// The names of all.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}

/// The file of a preset.
pub fn text(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use gamete_optim::Space;

    use super::*;
    use crate::testing::experiment;

    fn space(preset: &str) -> Space {
        let text = format!("name = 'x'\n{}", text(preset).expect("a preset"));
        experiment(&text).method.space().expect("a space")
    }

    #[test]
    fn the_stages_of_david_et_al_have_as_many_genes_and_bits_as_in_the_paper() {
        let size = |space: &Space| (space.names().len(), space.bits().iter().sum::<u32>());
        let [imitation, coevolution, search] = ["imitation", "coevolution", "search-settings"].map(space);
        assert_eq!((size(&imitation), size(&search)), ((34, 224), (18, 70)));
        assert_eq!(imitation.names(), coevolution.names());
        assert_eq!(imitation.ranges(), coevolution.ranges(), "the winners of one are genomes of the other");
    }

    #[test]
    fn the_simplex_starts_from_the_classical_weights_which_are_no_whole_numbers() {
        for preset in ["simplex", "simplex-385"] {
            let space = space(preset);
            let model = gamete_arena::ModelInfo::find("chess/classic").expect("a model");
            let classical = |name: String| model.weights[model.weight(&name).expect("a weight")].default;
            assert_eq!(space.defaults(), space.names().into_iter().map(classical).collect::<Vec<_>>());
            assert_eq!(space.units(), [None; 12], "a tenth of 4 is not nothing");
        }
    }

    #[test]
    fn the_larger_space_of_search_settings_has_all_of_the_smaller_one() {
        let [small, large] = ["search-settings", "search-settings-full"].map(|preset| space(preset).names());
        assert!(small.iter().all(|name| large.contains(name)) && large.len() > 2 * small.len(), "{large:?}");
    }
}
