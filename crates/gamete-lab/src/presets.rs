//! Experiments that come with the program.

/// Their names.
pub const NAMES: [&str; 8] = [
    "kendall-whitwell",
    "mutation-study",
    "mutation-scale",
    "meta-mutation",
    "quick-tournament",
    "quick-tournament-study",
    "piece-difference",
    "piece-difference-symmetric",
];

/// The file of a preset.
pub fn text(name: &str) -> Option<&'static str> {
    match name {
        "kendall-whitwell" => Some(include_str!("presets/kendall-whitwell.toml")),
        "mutation-study" => Some(include_str!("presets/mutation-study.toml")),
        "mutation-scale" => Some(include_str!("presets/mutation-scale.toml")),
        "meta-mutation" => Some(include_str!("presets/meta-mutation.toml")),
        "quick-tournament" => Some(include_str!("presets/quick-tournament.toml")),
        "quick-tournament-study" => Some(include_str!("presets/quick-tournament-study.toml")),
        "piece-difference" => Some(include_str!("presets/piece-difference.toml")),
        "piece-difference-symmetric" => Some(include_str!("presets/piece-difference-symmetric.toml")),
        _ => None,
    }
}
