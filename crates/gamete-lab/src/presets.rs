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
    ("piece-values", include_str!("presets/piece-values.toml")),
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
